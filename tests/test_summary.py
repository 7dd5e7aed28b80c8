"""Facts about the end of a run."""

from dataclasses import replace

import pytest

from conformance.checks.catalogue import CHECKS
from conformance.literals import cells
from conformance.results import Result
from conformance.summary import SYMBOLS, Summary, cell
from conformance.verdicts import Verdict, Violation

DIALECTS = ("deepseek_r1", "glm45", "qwen3", "qwen3_thinking")


def one(dialect: str, check: str, outcome: str = "pass", standing: str = "passed", **other: object) -> Result:
    violation = Violation(
        check, CHECKS[check].level, dialect, True, True, "stop", (), "c", chunks=("T", "</think>", "a", "<think>"),
        kind_title="second block", size=(len(dialect),),
    )  # fmt: skip
    failed = violation if outcome == "fail" else None
    advice = violation if outcome == "advice" else None
    verdict = Verdict("sglang", "0.5.23", dialect, check, outcome, failed, advice, outputs=10, streams=100, seconds=1.5)
    return Result("sglang", "pkg.adapter", replace(verdict, **other), standing)


def run(odd: dict[tuple[str, str], Result]) -> list[Result]:
    return [odd.get((dialect, check)) or one(dialect, check) for dialect in DIALECTS for check in CHECKS]


def plain(results: list[Result], width: int = 80, **other: object) -> str:
    return Summary(width, colour=False).text(results, **other)


FAILS = {
    ("qwen3", "nothing-lost"): one("qwen3", "nothing-lost", "fail", "failed"),
    ("glm45", "nothing-lost"): one("glm45", "nothing-lost", "fail", "expected"),
    ("glm45", "released-at-once"): one("glm45", "released-at-once", "advice"),
    ("qwen3", "cost-linear"): one("qwen3", "cost-linear", "unjudged", "unjudged"),
    ("qwen3", "memory-bounded"): one("qwen3", "memory-bounded", "skip", "skipped"),
}


def test_the_matrix_shows_only_what_is_not_passed_by_all():
    text = plain(run(FAILS))
    matrix = text.split("F fails")[0]
    assert "lost" in matrix
    assert "order" not in matrix
    assert "qwen3_thinking" not in matrix
    row = next(line for line in matrix.splitlines() if line.startswith("  glm45"))
    assert row.split() == ["glm45", "x", "a", ".", "."]
    row = next(line for line in matrix.splitlines() if line.startswith("  qwen3"))
    assert row.split() == ["qwen3", "F", ".", "?", "s"]


def test_the_rest_is_told_in_words():
    text = plain(run(FAILS))
    assert "dialects that pass all: deepseek_r1, qwen3_thinking" in text
    assert "checks passed by all: streamed-equals-split, whitespace-agrees," in text
    assert "F fails   x fails as expected   a advice   s skipped   ? not judged   . passes" in text


def test_a_run_without_trouble_is_three_lines():
    text = plain(run({}))
    assert "passed: 15 checks in 4 dialects" in text
    assert len(text.splitlines()) <= 5


def test_failures_of_a_kind_are_told_once_with_the_smallest_case():
    odd = {(d, "nothing-lost"): one(d, "nothing-lost", "fail", "failed") for d in DIALECTS}
    odd["qwen3", "order-kept"] = one("qwen3", "order-kept", "fail", "failed")
    text = plain(run(odd))
    assert "failures, 1 kind\n" in text
    assert "4 dialects, 2 checks, such as glm45  nothing-lost" in text
    assert text.count("'T' | '</think>' | 'a' | '<think>'") == 1


def test_expected_failures_are_counted_and_not_told_again():
    text = plain(run({("glm45", "nothing-lost"): FAILS["glm45", "nothing-lost"]}))
    assert "failures, " not in text
    assert "; 1 failure as expected" in text


def test_advice_is_told_apart_from_failures():
    text = plain(run({("glm45", "released-at-once"): FAILS["glm45", "released-at-once"]}))
    assert "advice: nothing fails by it" in text
    assert "failures, " not in text


def test_what_checks_share_is_counted_once_a_dialect():
    results = [replace(r, verdict=replace(r.verdict, skipped={"no tools": 7}, notes=("slow",))) for r in run({})]
    text = plain(results)
    assert "28  no tools" in text
    assert "40 outputs, 400 streams, 6.0 s of judging" in text
    assert text.count("slow") == 1
    assert "sglang deepseek_r1 and 3 more: slow" in text


def test_an_interrupted_sweep_shows_what_it_had_found():
    text = plain([], unfinished=[one("qwen3", "order-kept", "fail", "failed")])
    assert "found before the interruption" in text
    assert "qwen3  order-kept" in text


@pytest.mark.parametrize("width", [60, 80, 120, 300])
def test_no_line_is_wider_than_the_terminal(width):
    odd = {(d, c): one(d, c, "fail", "failed") for d in DIALECTS for c in CHECKS}
    text = plain(run(odd), width)
    assert max(map(cells, text.splitlines())) <= width
    assert all(CHECKS[check].head in text for check in CHECKS)


def test_plain_text_has_no_escapes_and_coloured_text_says_the_same(monkeypatch):
    coloured = Summary(80, colour=True).text(run(FAILS))
    text = plain(run(FAILS))
    assert "\x1b" not in text
    assert "\x1b" in coloured


def test_odd_reasons_are_escaped():
    odd = one("qwen3", "order-kept", "skip", "skipped", skipped={"\x1b[2J\ud800": 1}, notes=("\u202e",))
    text = plain([odd])
    text.encode()
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_every_standing_has_a_symbol():
    for standing in ("passed", "failed", "expected", "skipped", "unjudged", "listed pass", "listed skip"):
        assert cell(one("qwen3", "order-kept", standing=standing)) in SYMBOLS


def test_kinds_that_no_failure_shows_tell_their_case_where_asked():
    hidden = Violation("nothing-lost", "must", "qwen3", True, True, "stop", (), "qwen3:abc", kind_title="lone closer")
    results = run({("qwen3", "nothing-lost"): one("qwen3", "nothing-lost", "fail", "failed", others=(hidden,))})
    text = plain(results)
    assert "lone closer" in text
    assert "--case='qwen3:abc'" not in text
    assert "-v prints the --case" in text
    assert "--case='qwen3:abc'" in Summary(80, colour=False, cases=True).text(results)
