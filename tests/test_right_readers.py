"""Every check is fair: readers that are right, in whatever style and by whatever policy, are found right."""

import random

import pytest
from readers import styles
from readers.judging import judged, measured
from readers.right import (
    CYCLED,
    HOLDING,
    LATE,
    STYLES,
    TRIMMED,
    cycling,
    declaring,
    drawn_values,
    single_values,
    undeclared,
)

from conformance.checks import CHECKS
from conformance.verdicts import Verdict
from mutants.adapter import Adapter
from mutants.faults import timing
from mutants.faults.disagreeing import refusing
from oracles.dialects import REGISTRY
from oracles.policies import AXES

COSTS = ("cost-linear", "memory-bounded")
QUICKER = tuple(check for check in CHECKS if check not in COSTS)
CHEAP = "qwen3"
SEEDS = range(10)


def complaints(verdicts: list[Verdict], allowed: tuple[str, ...] = ()) -> list[tuple[str, str, str, str]]:
    """What any check objects to: its id and outcome, the output, the remark. ``allowed``: checks that may advise."""
    return [
        (verdict.check, verdict.outcome, repr(worst.raw) if worst else "", worst.note if worst else verdict.reason)
        for verdict in verdicts
        if verdict.outcome not in ("pass", "skip") and not (verdict.outcome == "advice" and verdict.check in allowed)
        for worst in [verdict.violation or verdict.advice]
    ]


def named(prefix: str) -> list[str]:
    return [name for name in STYLES if name.startswith(prefix)]


@pytest.mark.parametrize("dialect", ["qwen3", "kimi_k3", "gpt_oss"])
def test_streams_that_each_have_another_style_are_found_right(dialect: str) -> None:
    assert complaints(judged(cycling("styles"), dialect, QUICKER)) == []


@pytest.mark.parametrize("name", [*named("trimmed"), *named("nothing"), *named("surfaces"), *named("tokens")])
def test_a_reader_of_its_own_form_is_found_right(name: str) -> None:
    assert complaints(judged(STYLES[name], CHEAP, QUICKER)) == []


@pytest.mark.parametrize("name", ["one delta a character", "slow", *named("work"), "trimmed in both modes"])
def test_a_reader_that_works_more_but_linearly_is_found_linear(name: str) -> None:
    fillers = ("plain text in reasoning", "white space in reasoning", "blocks")
    assert [cost.finding.note for cost in measured(STYLES[name], CHEAP, fillers)] == []


@pytest.mark.parametrize("name", [*named("refuses"), *named("raises"), *named("takes"), "a lock for all streams"])
def test_a_reader_that_refuses_or_guards_requests_is_found_right(name: str) -> None:
    assert complaints(judged(STYLES[name], CHEAP)) == []


@pytest.mark.parametrize("name", ["late by changing counts"])
def test_a_reader_that_is_late_within_the_limit_gets_advice_alone(name: str) -> None:
    verdicts = judged(LATE[name], CHEAP, QUICKER)
    assert complaints(verdicts, ("released-at-once",)) == []
    assert [verdict.check for verdict in verdicts if verdict.outcome == "advice"] == ["released-at-once"]


@pytest.mark.parametrize("seed", range(4))
def test_a_reader_of_a_policy_that_it_declares_is_found_right(seed: int) -> None:
    draw = random.Random(seed)
    dialect = draw.choice(["qwen3", "gemma4", "glm45", "mistral"])
    values = drawn_values(draw)
    adapter = declaring(values, nested=draw.choice(["", dialect]), style=draw.choice(CYCLED))
    assert complaints(judged(adapter, dialect, QUICKER, seed=seed)) == []


def test_a_reader_of_a_policy_that_it_declares_not_gets_no_must() -> None:
    values = {axis: others[-1] for axis, others in AXES.items()}
    verdicts = judged(undeclared(values), CHEAP, QUICKER)
    assert [complaint for complaint in complaints(verdicts) if complaint[1] != "advice"] == []
    assert {verdict.outcome for verdict in verdicts if verdict.check == "reads-as-declared"} == {"advice"}


@pytest.mark.parametrize(
    "values", [{axis: value} for axis, others in AXES.items() for value in others if value in HOLDING], ids=str
)
def test_what_an_undeclared_value_holds_is_not_late(values: dict[str, object]) -> None:
    dialect = "hunyuan_a13b" if "moved" in values.values() else CHEAP
    (verdict,) = judged(undeclared(values), dialect, ["released-in-time"])
    assert verdict.outcome == "pass"


def test_white_space_that_is_trimmed_though_nothing_says_so_is_not_late() -> None:
    trims = Adapter("trims", wrap=styles.Trimming, message=styles.stripped, reads=TRIMMED)
    (verdict,) = judged(trims, CHEAP, ["released-in-time"])
    assert verdict.outcome == "pass"


def test_reasoning_that_is_held_and_never_moved_is_late_though_nothing_is_declared() -> None:
    (verdict,) = judged(Adapter("late", wrap=timing.UntilCloser), CHEAP, ["released-in-time"])
    assert verdict.outcome == "fail"


@pytest.mark.slow
@pytest.mark.parametrize("dialect", REGISTRY.ids())
@pytest.mark.parametrize("name", [*STYLES, *LATE])
def test_every_style_is_found_right_in_every_dialect(name: str, dialect: str) -> None:
    adapter = STYLES.get(name) or LATE[name]
    assert complaints(judged(adapter, dialect), ("released-at-once",) if name in LATE else ()) == []


@pytest.mark.slow
@pytest.mark.parametrize("dialect", REGISTRY.ids())
@pytest.mark.parametrize("values", single_values(), ids=str)
def test_every_declared_value_is_found_right_in_every_dialect(values: dict[str, object], dialect: str) -> None:
    assert complaints(judged(cycling("in turn", reads=values, declares=values), dialect)) == []


@pytest.mark.slow
@pytest.mark.parametrize("dialect", REGISTRY.ids())
@pytest.mark.parametrize("values", single_values(), ids=str)
def test_every_value_that_is_not_declared_gets_no_must(values: dict[str, object], dialect: str) -> None:
    verdicts = judged(undeclared(values), dialect, QUICKER)
    assert [complaint for complaint in complaints(verdicts) if complaint[1] != "advice"] == []


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["quick", "standard"])
@pytest.mark.parametrize("dialect", REGISTRY.ids())
@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_policies_are_found_right(seed: int, dialect: str, profile: str) -> None:
    draw = random.Random(f"{seed} {dialect}")
    late = draw.random() < 0.2
    values = drawn_values(draw)
    style = draw.choice([styles.Late, styles.SometimesLate] if late else list(CYCLED))
    if draw.random() < 0.2:
        values, style = {**values, **TRIMMED}, styles.Trimming
    allowed = ("released-at-once",) if late else ()
    assert complaints(judged(declaring(values, style=style), dialect, profile=profile, seed=seed), allowed) == []


def test_every_adapter_has_a_name_of_its_own() -> None:
    names = [adapter.name for adapter in (*STYLES.values(), *LATE.values())]
    assert len(set(names)) == len(names)
    assert all(isinstance(adapter, Adapter) for adapter in STYLES.values())


def test_a_reader_that_only_streams_is_judged_by_its_streams() -> None:
    verdicts = judged(Adapter("streams alone", split=refusing), CHEAP)
    assert {verdict.check for verdict in verdicts if verdict.outcome == "skip"} == {
        "streamed-equals-split",
        "whitespace-agrees",
    }
    assert {verdict.outcome for verdict in verdicts} == {"pass", "skip"}
    assert all(verdict.streams > 1000 for verdict in verdicts)
