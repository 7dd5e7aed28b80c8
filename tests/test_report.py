"""Facts about reports."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from conformance.checks.catalogue import CHECKS
from conformance.report import ReportError, ReportFile, header, read_report
from conformance.results import Result
from conformance.verdicts import Row, Verdict, Violation
from oracles.dialects import corpora

HEADER = header(
    "0.1.0", [{"id": "mine", "name": "mine", "version": "1", "spec": "m.a"}], "quick", None, ["qwen3"], list(CHECKS)
)
VIOLATION = Violation(
    "nothing-lost", "must", "qwen3", True, False, "length", (Row("content", "split", "'\\ud800'"),), "qwen3:c",
    chunks=("\ud800", "b"), raw="\ud800b", size=(2, 1),
)  # fmt: skip
PASS = Result("mine", "m.a", Verdict("mine", "1", "qwen3", "order-kept", "pass", skipped={"no": 2}), "passed")
FAIL = Result("mine", "m.a", Verdict("mine", "1", "qwen3", "nothing-lost", "fail", VIOLATION), "expected", reason="why")


def written(path: Path, whole: bool = True) -> Path:
    report = ReportFile(path)
    report.begin(HEADER)
    report.add(PASS)
    report.add(FAIL)
    if whole:
        report.end(1.5)
    report.close()
    return path


def test_a_report_reads_back(tmp_path):
    report = read_report(written(tmp_path / "r.jsonl"))
    assert report.header == HEADER
    assert [(entry.id, entry.outcome) for entry in report.entries] == [
        ("mine::qwen3::order-kept", "passed"),
        ("mine::qwen3::nothing-lost", "expected"),
    ]
    assert report.entries[1].verdict == FAIL.verdict
    assert report.entries[1].reason == "why"
    assert report.footer["counts"] == {"passed": 1, "failed": 0, "expected": 1, "skipped": 0}


def test_a_report_is_ascii_so_lone_surrogates_survive(tmp_path):
    text = written(tmp_path / "r.jsonl").read_bytes()
    assert text.isascii()
    assert read_report(tmp_path / "r.jsonl").entries[1].verdict.violation.chunks == ("\ud800", "b")


def test_every_line_satisfies_the_schema(tmp_path):
    schema = json.loads((corpora() / "schema" / "report.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for line in written(tmp_path / "r.jsonl").read_text().splitlines():
        validator.validate(json.loads(line))
        with pytest.raises(jsonschema.ValidationError):
            validator.validate({**json.loads(line), "odd": 1})


def test_lines_are_there_as_soon_as_they_come(tmp_path):
    report = ReportFile(tmp_path / "r.jsonl")
    report.begin(HEADER)
    report.add(PASS)
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 2
    report.close()


def told(path: Path) -> str:
    with pytest.raises(ReportError) as raised:
        read_report(path)
    text = str(raised.value)
    assert text.startswith(str(path))
    assert "\n" not in text
    return text


def test_a_report_without_its_footer_is_not_whole(tmp_path):
    assert "is not whole" in told(written(tmp_path / "r.jsonl", whole=False))


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_report_whose_end_is_cut_is_not_whole(tmp_path, cut):
    path = written(tmp_path / "r.jsonl")
    path.write_bytes(path.read_bytes()[: -cut - 1])
    assert "not whole" in told(path)


def test_what_is_no_report_is_told_in_a_sentence(tmp_path):
    path = tmp_path / "r.jsonl"
    assert "can't be read" in told(path)
    path.write_text("")
    assert "is empty" in told(path)
    path.write_text("hello\n")
    assert "no JSON object" in told(path)
    path.write_text('{"kind": "footer", "whole": true}\n')
    assert "no report" in told(path)
    path.write_text('{"kind": "header", "format": 99}\n')
    assert "form 99" in told(path)
    path.write_bytes(b"\xff\xfe")
    assert "can't be read" in told(path)


def test_an_item_that_stands_twice_is_told(tmp_path):
    path = written(tmp_path / "r.jsonl")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], *lines[1:]]) + "\n")
    assert "second result for mine::qwen3::order-kept" in told(path)


def test_two_reports_in_one_file_are_told(tmp_path):
    path = written(tmp_path / "r.jsonl")
    path.write_text(path.read_text() * 2)
    assert "two reports in one file" in told(path)


def test_a_lost_line_is_told(tmp_path):
    path = written(tmp_path / "r.jsonl")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *lines[2:]]) + "\n")
    assert "1 results where its footer counts" in told(path)


def test_a_line_that_lacks_something_is_told(tmp_path):
    path = written(tmp_path / "r.jsonl")
    path.write_text(path.read_text().replace('"check"', '"chekc"'))
    assert "line 2 lacks" in told(path)


def test_a_full_disk_breaks_the_report_and_not_the_run():
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    report = ReportFile(Path("/dev/full"))
    report.begin(HEADER)
    report.add(replace(PASS))
    assert report.broken
    report.close()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("implementations", "none"),
        ("implementations", []),
        ("implementations", [1]),
        ("started", 12),
        ("checks", None),
    ],
)
def test_a_damaged_header_is_told(tmp_path, name, value):
    path = tmp_path / "r.jsonl"
    told = {"id": "x", "name": "x", "version": "1", "spec": "x"}
    first = header("0.1.0", [told], "quick", None, ["qwen3"], ["nothing-lost"]) | {name: value}
    last = {"kind": "footer", "whole": True, "counts": {}, "seconds": 0.0}
    path.write_text(f"{json.dumps(first)}\n{json.dumps(last)}\n", encoding="utf-8")
    with pytest.raises(ReportError, match=f"is damaged: its header's '{name}' is not what a report has there"):
        read_report(path)
