"""The rung of recorded cases: what of them is tried, what a violation says, and the options that are about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from readers.judging import implementation
from readers.right import HOLDING, cycling, declaring, undeclared

from conformance.case import read_case
from conformance.checks import OBSERVED
from conformance.chunkings import Chunker
from conformance.corpus.further import further
from conformance.corpus.lint import written
from conformance.judge import Options, judge
from conformance.ladder import Ladder, Step
from conformance.profiles import PROFILES
from conformance.report import read_report
from conformance.verdicts import Verdict
from mutants.adapter import Adapter
from oracles.cases import CaseFileError, RecordedCase, cases_of, read_cases
from oracles.dialects import REGISTRY, corpora
from oracles.policies import AXES

QWEN = REGISTRY.get("qwen3")
OK, FAILED, USAGE = 0, 1, 4
HEAD: dict[str, Any] = {"schema": 1, "group": "mine", "about": "One output."}
CASE: dict[str, Any] = {
    "description": "A case of mine.",
    "level": "must",
    "source": {"kind": "generated", "name": "my own"},
    "request": {"opened": True, "thinking": True},
    "finish": "stop",
    "raw": "plan</think>Hi",
    "chunkings": [["plan</thi", "nk>Hi"], ["", "plan</think>", "", "Hi"]],
    "expected": {"reasoning": "plan", "content": "Hi"},
}

ADAPTER = """
name, version = "mine", "1.0"
dialects = {"qwen3", "mistral"}
def split(raw, request, finish):
    if "zebra" in raw: raise ValueError("a zebra")
    head, closer, tail = raw.partition("</think>")
    return (head, tail) if request.opened and closer else ("", raw)
def stream(request): return Whole(request)
class Whole:
    def __init__(self, request): self.request, self.raw = request, ""
    def feed(self, chunk): self.raw += chunk.text; return []
    def finish(self, finish): return zip(("reasoning", "content"), split(self.raw, self.request, finish))
"""

RECORDED = tuple(case for case in cases_of("qwen3") if case.source.kind != "generated")
"""The cases of qwen3 that reports tell of."""

SHOWN = {*OBSERVED, "requests-isolated"} - {"surfaces-agree"}
"""The checks that cases alone can show, where no surface is named."""


def placed(folder: Path, dialect: str = "qwen3", **changes: Any) -> Path:
    case = {"id": f"{dialect}/mine/one", **CASE, **changes}
    path = folder / dialect / "mine.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written({**HEAD, "dialect": dialect, "cases": [case]}), encoding="utf-8")
    return path


def steps(recorded: tuple[RecordedCase, ...], profile: str = "quick", unit: str = "text") -> list[Step]:
    return list(Ladder(QWEN, Chunker(QWEN, unit), PROFILES[profile], recorded).cases())


def found(adapter: Adapter, *cases: RecordedCase, dialect: str = "qwen3") -> list[Verdict]:
    """The verdicts on recorded cases alone."""
    own = not cases
    options = Options(profile="quick", in_process=True, hang_after=1.0, corpus_only=True, own_cases=own, cases=cases)
    return judge(implementation(adapter), dialect, options, lambda _: None)


# The steps


def test_a_case_is_asked_under_its_own_request_first_and_then_under_the_others(tmp_path: Path) -> None:
    (recorded,) = read_cases(placed(tmp_path)).cases
    own, others = steps((recorded,), "standard")
    assert own.requests == (recorded.request,)
    assert len({*own.requests, *others.requests}) == 4
    assert len(own.chunkings) > len(others.chunkings)
    assert own.output.raw == others.output.raw == recorded.raw


def test_a_case_is_cut_as_it_was_reported_behind_the_whole(tmp_path: Path) -> None:
    (recorded,) = read_cases(placed(tmp_path)).cases
    names = [chunking.name for chunking in steps((recorded,))[0].chunkings]
    assert names[:3] == ["whole", "as reported", "as reported"]
    assert [chunking.texts for chunking in steps((recorded,))[0].chunkings[1:3]] == list(recorded.chunkings)


def test_whole_tokens_are_not_cut_where_a_report_cut_them(tmp_path: Path) -> None:
    """<think> is one token of the dialect: no engine delivers half of it."""
    (recorded,) = read_cases(placed(tmp_path)).cases
    chunkings = steps((recorded,), unit="tokens")[0].chunkings
    assert [chunking.texts for chunking in chunkings if chunking.name == "as reported"] == [recorded.chunkings[1]]


def test_a_long_case_is_cut_in_few_ways(tmp_path: Path) -> None:
    long = {"raw": [["x", 5000], "</think>Hi"], "expected": {"reasoning": [["x", 5000]], "content": "Hi"}}
    (recorded,) = read_cases(placed(tmp_path, chunkings=[], **long)).cases
    assert all(len(step.chunkings) < 60 for step in steps((recorded,)))


@pytest.mark.parametrize("id", REGISTRY.ids())
def test_the_right_reader_reads_every_recorded_case(id: str) -> None:
    wanted = "pass" if cases_of(id) else "skip"
    assert {verdict.outcome for verdict in found(Adapter("right"), dialect=id)} == {wanted}


# What is found


def test_a_violation_that_a_case_shows_names_its_source() -> None:
    verdicts = {verdict.check: verdict for verdict in found(Adapter("reopens", reads={"reopen": "opens"}), *RECORDED)}
    violation = verdicts["reads-as-declared"].advice
    assert violation is not None
    assert violation.known_as.startswith(("vercel/ai#12054 (qwen3/reports/", "raullenchai/Rapid-MLX#726 (qwen3/"))
    assert verdicts["reads-as-declared"].outcome == "advice"


def test_a_case_that_is_asked_again_still_knows_its_source() -> None:
    verdicts = {verdict.check: verdict for verdict in found(Adapter("reopens", reads={"reopen": "opens"}), *RECORDED)}
    violation = verdicts["reads-as-declared"].advice
    assert violation is not None
    case = read_case(violation.case, Chunker(QWEN))
    assert (case.output.raw, case.output.known_as) == (violation.raw, violation.known_as)


def test_a_word_of_a_case_is_missed_where_it_is_lost(tmp_path: Path) -> None:
    (recorded,) = read_cases(placed(tmp_path)).cases
    loses = Adapter("loses", message=lambda message: (message.reasoning.replace("plan", ""), message.content))
    verdicts = {verdict.check: verdict for verdict in found(loses, recorded)}
    violation = verdicts["nothing-lost"].violation
    assert violation is not None
    assert "'plan' is lost" in violation.note
    assert len(violation.raw or "") < len(recorded.raw)


def test_a_word_that_two_channels_share_is_misplaced_and_not_lost(tmp_path: Path) -> None:
    (recorded,) = read_cases(placed(tmp_path)).cases
    moves = Adapter("moves", message=lambda message: (message.reasoning + message.content[:1], message.content[1:]))
    outcomes = {verdict.check: verdict.outcome for verdict in found(moves, recorded)}
    assert (outcomes["nothing-lost"], outcomes["reads-as-declared"]) == ("pass", "fail")


def test_recorded_cases_alone_are_judged_by_the_checks_that_they_can_show() -> None:
    assert {verdict.check for verdict in found(Adapter("right"))} == SHOWN


def test_a_dialect_without_cases_is_skipped_where_nothing_else_is_tried() -> None:
    without = [id for id in REGISTRY.ids() if not cases_of(id)]
    for verdict in found(Adapter("right"), dialect=without[0]) if without else ():
        assert (verdict.outcome, verdict.reason) == ("skip", "the corpus has no case of this dialect")


# Further cases


def test_a_folder_gives_its_cases_and_counts_those_of_unknown_dialects(tmp_path: Path) -> None:
    placed(tmp_path)
    placed(tmp_path, "none")
    given = further(tmp_path, REGISTRY.ids())
    assert [case.id for case in given.cases] == ["qwen3/mine/one"]
    assert given.skipped == f"{tmp_path}: 1 case skipped, of dialects that aren't known here: none"


def test_the_corpora_themselves_are_such_a_folder() -> None:
    given = further(corpora(), ["qwen3"])
    assert given.cases == cases_of("qwen3")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"level": "may"}, 'level is "may"; write one of must, should'),
        ({"expected": {"reasoning": "", "content": ""}}, "the specified reader gives reasoning 'plan'"),
        ({"id": "glm45/mine/one"}, "begins with 'qwen3/mine/'"),
    ],
)
def test_a_case_that_is_malformed_or_misread_is_refused(tmp_path: Path, changes: Any, told: str) -> None:
    placed(tmp_path, **changes)
    with pytest.raises(CaseFileError) as caught:
        further(tmp_path, REGISTRY.ids())
    assert told in str(caught.value)


def test_a_file_in_the_folder_of_another_dialect_is_refused(tmp_path: Path) -> None:
    (tmp_path / "glm45").mkdir()
    placed(tmp_path).rename(tmp_path / "glm45" / "mine.json")
    with pytest.raises(CaseFileError, match="its dialect is 'qwen3', its folder 'glm45'"):
        further(tmp_path, REGISTRY.ids())


# The options


def run(pytester: pytest.Pytester, *args: str, code: int = OK) -> str:
    pytester.makepyfile(mine=ADAPTER)
    result = pytester.runpytest_inprocess("--impl=mine", "--in-process", "-p", "no:randomly", *args)
    assert result.ret == code, result.stdout.str() + result.stderr.str()
    return result.stdout.str() + result.stderr.str()


def test_recorded_cases_alone_make_a_small_run(pytester: pytest.Pytester) -> None:
    told = run(pytester, "--corpus-only", "--dialect=qwen3", "--report=r.jsonl", code=FAILED)
    assert "profile corpus" in told
    report = read_report(pytester.path / "r.jsonl")
    assert report.header["profile"] == "corpus"
    assert {entry.verdict.check for entry in report.entries} == SHOWN
    assert report.entries[0].verdict.outputs >= 4 * len(cases_of("qwen3"))


def test_what_is_listed_need_not_be_found_by_recorded_cases(pytester: pytest.Pytester) -> None:
    """A list is made by whole runs, which find more."""
    pytester.path.joinpath("list").write_text("qwen3::order-kept\n", encoding="utf-8")
    run(pytester, "--corpus-only", "--dialect=qwen3", "--check=order-kept", "--expected-failures=list")


def test_fix_refuses_a_run_of_recorded_cases_alone(pytester: pytest.Pytester) -> None:
    told = run(pytester, "--corpus-only", "--fix", "--expected-failures=list", code=USAGE)
    assert "--fix needs a whole run, and --corpus-only would leave items out" in told


def test_a_check_that_looks_at_more_than_one_output_has_nothing_to_do_with_cases(pytester: pytest.Pytester) -> None:
    told = run(pytester, "--corpus-only", "--check=cost-linear", code=USAGE)
    assert "nothing is left to judge of recorded cases alone" in told


def test_a_folder_of_further_cases_is_tried_and_what_is_skipped_is_told(pytester: pytest.Pytester) -> None:
    zebra = {"raw": "A [/THINK]zebra", "expected": {"reasoning": "A ", "content": "zebra"}}
    placed(pytester.path / "more", "mistral", chunkings=[], **zebra)
    placed(pytester.path / "more", "none")
    only = ("--dialect=mistral", "--check=never-raises", "--corpus-only")
    run(pytester, *only)
    told = run(pytester, *only, "--corpus=more", code=FAILED)
    assert "my own (mistral/mine/one)" in told
    assert "--corpus: more: 1 case skipped, of dialects that aren't known here: none" in " ".join(told.split())


def test_a_malformed_folder_of_cases_is_one_clear_error(pytester: pytest.Pytester) -> None:
    path = placed(pytester.path / "more", raw=1)
    told = run(pytester, "--corpus=more", code=USAGE)
    assert f"--corpus: {path.relative_to(pytester.path)}: qwen3/mine/one, raw: 1 is no text" in told
    assert "--corpus: none: there is no such folder" in run(pytester, "--corpus=none", code=USAGE)


def test_a_folder_without_case_files_is_told(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("more").mkdir()
    assert "no case files stand there" in run(pytester, "--corpus=more", code=USAGE)


def test_a_case_file_survives_the_round_trip_through_json(tmp_path: Path) -> None:
    path = placed(tmp_path)
    assert written(json.loads(path.read_text(encoding="utf-8"))) == path.read_text(encoding="utf-8")


# Fairness


@pytest.mark.parametrize("id", REGISTRY.ids())
def test_a_reader_that_declares_another_policy_is_right_about_the_cases_by_that(id: str) -> None:
    """Each axis with its last value; the dialect's own where a reader by it must hold a channel."""
    values = {axis: others[-1] for axis, others in AXES.items() if others[-1] not in HOLDING}
    verdicts = found(declaring(values), dialect=id)
    assert {verdict.outcome for verdict in verdicts if verdict.check != "whitespace-agrees"} == {"pass"}


@pytest.mark.parametrize("id", ["qwen3", "kimi_k3", "gpt_oss"])
def test_a_reader_of_another_policy_that_it_declares_not_violates_no_must_by_the_cases(id: str) -> None:
    values = {axis: others[-1] for axis, others in AXES.items() if others[-1] not in HOLDING}
    assert "fail" not in {verdict.outcome for verdict in found(undeclared(values), dialect=id)}


@pytest.mark.parametrize("id", ["qwen3", "kimi_k3"])
def test_streams_of_every_style_are_right_about_the_cases(id: str) -> None:
    assert {verdict.outcome for verdict in found(cycling("styles"), dialect=id)} == {"pass"}
