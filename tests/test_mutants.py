"""Facts about the mutants: their registry, the rules of the kill matrix, and what its command says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.checks import CHECKS
from conformance.settings import Options
from mutants import equivalents, registry
from mutants.__main__ import main
from mutants.equivalents import Equivalents, EquivalentsError
from mutants.gate import broken, only_killers
from mutants.matrix import HANG_AFTER, Kill, Row, judged, matrix
from mutants.mutant import MADE, Mutant
from mutants.patching import Patch, PatchError, patched
from mutants.registry import CONTROL, MUTANTS
from oracles.dialects import REGISTRY
from oracles.messages import Request
from oracles.policies import AXES

QUICK = Options(profile="quick", hang_after=HANG_AFTER)
NONE_LISTED = Equivalents()


def row(id: str, *checks: str, error: str = "") -> Row:
    """A row of a mutant that some checks kill."""
    asked = frozenset() if error else frozenset(CHECKS)
    return Row(id, "qwen3", {check: Kill(check, 0.1, 1, "a", "") for check in checks}, asked=asked, error=error)


def mutant(id: str, check: str = "nothing-lost") -> Mutant:
    """A mutant that is never judged."""
    return Mutant(id, check, "qwen3", "It is wrong.", MADE, {})


def rules(rows: list[Row], *, listed: Equivalents = NONE_LISTED, control: list[Row] | None = None) -> list[str]:
    """The rules that rows break, the rules about checks aside."""
    mutants = {one.mutant: mutant(one.mutant) for one in rows}
    right = [row(CONTROL.id)] if control is None else control
    return [one.rule for one in broken(rows, right, mutants, listed, False)]


def test_no_id_is_taken_twice() -> None:
    assert len(MUTANTS) == len(registry._ALL)


@pytest.mark.parametrize("one", MUTANTS.values(), ids=lambda one: one.id)
def test_a_mutant_loads_and_says_what_it_does_and_where_it_was_seen(one: Mutant) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one.id)
    assert re.fullmatch(r"(?s)\S.*\.", one.fault)
    assert one.seen == MADE or re.search(r"\d|at [0-9a-f]{8}", one.seen)
    assert one.check in CHECKS
    assert one.dialect in one.load().dialects


def test_every_check_has_a_mutant_that_was_made_for_it() -> None:
    assert {one.check for one in MUTANTS.values()} == set(CHECKS)


def test_every_policy_value_that_can_be_read_has_a_mutant_that_declares_it_and_reads_another() -> None:
    default = REGISTRY.get("hunyuan_a13b").policy
    told = {id for id in MUTANTS if id.startswith("declares-")}
    wanted = {
        f"declares-{axis}-{value}".lower().replace("_", "-")
        for axis, values in AXES.items()
        for value in values
        if axis != "space" and value != getattr(default, axis)
    }
    assert told == wanted


@pytest.mark.parametrize("text", ["not there", "self"])
def test_a_patch_that_does_not_fit_once_is_an_error(text: str) -> None:
    with pytest.raises(PatchError, match=r"oracles/reader\.py asks for .* once, and it is there \d+ times"):
        patched([Patch(text, "")])


def test_a_patch_changes_the_machine_and_leaves_the_module_alone() -> None:
    machine = patched(
        [Patch('("reasoning_close", AFTERWARDS),\n            ("answer_open"', '("answer_open"', "watch")]
    )
    request = Request("qwen3", True, True)
    assert machine(REGISTRY.get("qwen3")).split(request, "a</think>b", "stop").reasoning == "a</think>b"
    assert patched([])(REGISTRY.get("qwen3")).split(request, "a</think>b", "stop").content == "b"


def test_a_matrix_in_which_every_mutant_is_killed_by_its_check_breaks_no_rule() -> None:
    assert rules([row("one", "nothing-lost", "reads-as-declared")]) == []


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ([row("one")], "survivor"),
        ([row("one", "order-kept")], "made for"),
        ([row("one", error="ValueError: no")], "load"),
        ([], "judged"),
    ],
)
def test_a_mutant_that_gets_away_breaks_a_rule(rows: list[Row], rule: str) -> None:
    assert rule in rules(rows)


def test_the_unpatched_reader_fails_nothing_and_advises_nothing() -> None:
    killed = [row("one", "nothing-lost")]
    assert rules(killed, control=[row(CONTROL.id, "order-kept")]) == ["control"]
    assert rules(
        killed, control=[Row(CONTROL.id, "qwen3", advice=("reads-as-declared",), asked=frozenset(CHECKS))]
    ) == ["control"]
    assert rules(killed, control=[]) == ["judged"]


def test_a_survivor_that_is_listed_is_no_survivor_and_a_listed_one_that_is_killed_is_told() -> None:
    listed = Equivalents({"one": "it reads alike"})
    assert rules([row("one")], listed=listed) == []
    assert rules([row("one", "nothing-lost")], listed=listed) == ["listed"]
    assert "listed" in rules([row("two", "nothing-lost")], listed=listed)


def test_a_mutant_that_was_not_judged_is_told() -> None:
    both = {id: mutant(id) for id in ("one", "two")}
    found = broken([row("one", "nothing-lost")], [row(CONTROL.id)], both, NONE_LISTED, False)
    assert [(one.rule, one.text) for one in found] == [("judged", "two was not judged")]


def test_a_check_that_kills_nothing_and_one_that_kills_nothing_alone_are_told() -> None:
    rows = [row(check, check) for check in CHECKS if check not in ("order-kept", "nothing-lost")]
    rows.append(row("both", "nothing-lost", "never-raises"))
    mutants = {one.mutant: mutant(one.mutant, next(iter(one.kills))) for one in rows}
    found = broken(rows, [row(CONTROL.id)], mutants, NONE_LISTED, True)
    assert [(one.rule, one.text.split()[0]) for one in found] == [
        ("redundant check", "nothing-lost"),
        ("idle check", "order-kept"),
    ]
    assert only_killers(rows)["nothing-lost"] == []


def test_a_mutant_is_killed_and_the_control_is_not() -> None:
    rows = {one.mutant: one for one in matrix([MUTANTS["drops-tail"], MUTANTS["content-first"]], QUICK, 2)}
    assert "reads-as-declared" in rows["drops-tail"].kills
    assert list(rows["content-first"].kills) == ["order-kept"]
    first = rows["content-first"].first
    assert first is not None
    assert first.tried > 0
    assert judged(CONTROL.id, "qwen3", QUICK).kills == {}


def test_a_check_that_is_left_out_lets_its_mutant_get_away(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "content-first", "--without-check", "order-kept"]) == 1
    assert "survivor: content-first survives on qwen3: Of one chunk, content comes before" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--only", "content-frist"], "no mutant is called 'content-frist' (did you mean 'content-first'?)"),
        (["--without-check", "order"], "no check is called 'order'"),
        (["--without-shape", "none"], "no shape is called 'none'"),
    ],
)
def test_a_name_that_nothing_has_is_an_error(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("text", ["[[curated]]\nmutant = 'x'", "[[curated]]\nmutant = 1\nbecause = 'x'", "a ="])
def test_a_list_of_equivalents_that_can_not_be_read_is_an_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "equivalent.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(EquivalentsError, match=r"equivalent\.toml: "):
        equivalents.read(path)


def test_a_shape_that_is_left_out_lets_its_mutant_get_away(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "replay-of-4097", "--without-shape", "long-replay"]) == 1
    assert "survivor: replay-of-4097 survives on hunyuan_a13b" in capsys.readouterr().out
