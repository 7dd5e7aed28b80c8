"""Facts about two reports side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.comparing import NothingToCompare, compared
from conformance.report import ReportFile, header, read_report
from conformance.results import Result
from conformance.verdicts import Verdict, Violation

MINE = {"id": "mine", "name": "mine", "version": "1.0", "spec": "mine"}


def failing(*kinds: str, level: str = "must", within: str = "") -> dict[str, Any]:
    """A verdict's values where it fails by those kinds."""
    made = [
        Violation(
            "order-kept", level, "qwen3", False, True, "stop", (), f"qwen3:{kind}", kind=kind, kind_title=f"a {kind}",
            within=within,
        )
        for kind in kinds
    ]  # fmt: skip
    return {"outcome": "fail", "violation": made[0], "others": tuple(made[1:])}


PASS = {"outcome": "pass"}
ADVICE = {"outcome": "advice", "advice": failing("x", level="should")["violation"]}
SKIP = {"outcome": "skip", "reason": "why"}
UNJUDGED = {"outcome": "unjudged", "reason": "it died"}


def report(path: Path, items: dict[str, dict[str, Any]], *names: str, standing: str = "", **fields: Any) -> Path:
    """A report of items, ``dialect::check`` or with an implementation before it, to the values of their verdicts."""
    file = ReportFile(path)
    told = [{**MINE, "id": name, "name": name, "version": fields.pop("version", "1.0")} for name in names or ("mine",)]
    file.begin({**header("0.1", told, "quick", None, [], []), **fields})
    usual = {"pass": "passed", "advice": "passed", "skip": "skipped", "unjudged": "unjudged", "fail": "failed"}
    for id, values in items.items():
        *name, dialect, check = id.split("::")
        verdict = Verdict("mine", "1.0", dialect, check, **values)
        file.add(Result(name[0] if name else told[0]["id"], "mine", verdict, standing or usual[verdict.outcome]))
    file.end(1.0)
    return path


def change(tmp_path: Path, before: dict[str, Any] | None, after: dict[str, Any] | None) -> dict[str, int]:
    """The counts that aren't zero where one item goes from one verdict to another."""
    paths = [
        report(tmp_path / f"{number}.jsonl", {} if values is None else {"qwen3::order-kept": values})
        for number, values in enumerate((before, after))
    ]
    told = compared(*map(read_report, paths))
    return {name: count for name, count in told.counts.items() if count}


@pytest.mark.parametrize(
    ("before", "after", "group"),
    [
        (failing("a"), PASS, "fixed"),
        (failing("a"), ADVICE, "fixed"),
        (PASS, failing("a"), "broke"),
        (ADVICE, failing("a"), "broke"),
        (SKIP, failing("a"), "broke"),
        (PASS, UNJUDGED, "broke"),
        (failing("a"), UNJUDGED, "other"),
        (UNJUDGED, failing("a"), "other"),
        (UNJUDGED, PASS, "other"),
        (failing("a"), SKIP, "other"),
        (PASS, SKIP, "other"),
        (failing("a"), failing("b"), "changed"),
        (failing("a"), failing("a", "b"), "changed"),
        (failing("a"), failing("a"), "same"),
        (PASS, ADVICE, "same"),
        (None, failing("a"), "appeared"),
        (None, PASS, "appeared"),
        (PASS, None, "vanished"),
    ],
)
def test_an_item_is_in_the_group_of_its_change(tmp_path, before, after, group):
    assert change(tmp_path, before, after) == {group: 1}


def test_kinds_that_hold_a_smaller_one_and_advice_change_nothing(tmp_path):
    more = failing("a")
    held = failing("b", within="a")["violation"]
    should = failing("c", level="should")["violation"]
    assert change(tmp_path, failing("a"), {**more, "others": (held, should)}) == {"same": 1}


def test_advice_that_failed_the_run_counts_as_failing(tmp_path):
    strict = report(tmp_path / "1.jsonl", {"qwen3::order-kept": ADVICE}, standing="failed")
    lenient = report(tmp_path / "2.jsonl", {"qwen3::order-kept": PASS})
    assert compared(read_report(strict), read_report(lenient)).counts["fixed"] == 1


def test_a_list_of_expected_failures_plays_no_part(tmp_path):
    paths = [
        report(tmp_path / f"{standing}.jsonl", {"qwen3::order-kept": failing("a")}, standing=standing)
        for standing in ("expected", "failed")
    ]
    assert compared(*map(read_report, paths)).counts["same"] == 1


def test_one_implementation_under_two_names_is_compared_and_told(tmp_path):
    paths = [report(tmp_path / f"{name}.jsonl", {"qwen3::order-kept": PASS}, name) for name in ("mine", "fork")]
    told = compared(*map(read_report, paths))
    assert told.same == 1
    assert told.notes == ("the implementations bear different names: mine before, fork now",)


def test_of_several_implementations_each_is_compared_with_itself(tmp_path):
    both = report(tmp_path / "1.jsonl", {"a::qwen3::order-kept": PASS, "b::qwen3::order-kept": PASS}, "a", "b")
    one = report(tmp_path / "2.jsonl", {"b::qwen3::order-kept": failing("x")}, "b")
    told = compared(read_report(both), read_report(one))
    assert [each.id for each in told.broke] == ["b::qwen3::order-kept"]
    assert [each.id for each in told.vanished] == ["a::qwen3::order-kept"]


def test_reports_of_other_implementations_can_t_be_compared(tmp_path):
    both = report(tmp_path / "1.jsonl", {"a::qwen3::order-kept": PASS}, "a", "b")
    other = report(tmp_path / "2.jsonl", {"c::qwen3::order-kept": PASS}, "c")
    with pytest.raises(NothingToCompare, match="no implementation in common: they are of a, b and c"):
        compared(read_report(both), read_report(other))


@pytest.fixture
def two(tmp_path: Path) -> list[str]:
    before = {"qwen3::order-kept": PASS, "qwen3::nothing-lost": failing("a", "b"), "glm45::order-kept": failing("<c>")}
    after = {"qwen3::order-kept": failing("d"), "qwen3::nothing-lost": failing("b", "e"), "glm45::order-kept": PASS}
    return [
        str(report(tmp_path / "1.jsonl", before)),
        str(report(tmp_path / "2.jsonl", {**after, "gemma4::order-kept": SKIP}, version="1.1", profile="standard")),
    ]


def test_what_broke_is_told_first_and_ends_with_exit_code_1(two, capsys):
    assert main(["compare", *two]) == 1
    first, rest = capsys.readouterr().out.split("\n", 1)
    assert first.startswith("mine 1.0 (2")
    assert "  ->  mine 1.1 (2" in first
    assert rest == (
        "note: the profile differs: quick before, standard now\n"
        "\n"
        "broke: 1\n"
        "  qwen3::order-kept  passed before, fails now by a d\n"
        "\n"
        "got fixed: 1\n"
        "  glm45::order-kept  failed before, passes now\n"
        "\n"
        "fail in another way: 1\n"
        "  qwen3::nothing-lost  no longer: a a  new: a e\n"
        "\n"
        "only in the second report: 1\n"
        "  gemma4::order-kept  is skipped\n"
        "\n"
        "1 broke, 1 got fixed, 1 changed kind, 1 appeared\n"
    )


def test_what_got_fixed_alone_ends_with_exit_code_0(two, capsys):
    assert main(["compare", two[0], two[0]]) == 0
    assert capsys.readouterr().out.endswith("0 broke, 0 got fixed, 3 as before\n")


def test_a_comparison_is_markdown_where_that_is_asked_for(two, capsys):
    assert main(["compare", "--markdown", two[1], two[0]]) == 1
    text = capsys.readouterr().out
    assert text.startswith("## mine 1.1 (")
    assert "\n1 broke, 1 got fixed, 1 changed kind, 1 vanished\n" in text
    assert "\n### Broke: 1\n\n- `glm45::order-kept`: passed before, fails now by a \\<c\\>\n" in text


def test_a_report_that_is_not_whole_is_told_in_a_sentence(two, capsys):
    path = Path(two[0])
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert main(["compare", *two]) == 2
    assert capsys.readouterr().err == (
        f"conformance: {path} is not whole: the run that wrote it did not come to its end.\n"
    )
