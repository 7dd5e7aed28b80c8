"""Facts about what a report tells of a case's answers."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from readers.judging import judged

from conformance.adapter import AdapterError, examined
from conformance.case_answers import own_script, unasked
from conformance.expectation import Readings
from conformance.judge import Options, judge
from conformance.ladder import Ladder
from conformance.profiles import PROFILES
from conformance.report import FORMAT, ReportFile, header, read_report, told_of
from conformance.results import Result
from conformance.verdicts import Verdict, Violation
from mutants.adapter import Adapter, Plain
from oracles.dialects import REGISTRY, corpora


class Shouting(Plain):
    """Streams the content in capitals."""

    def changed(self, deltas: Any) -> Any:
        return [(channel, text.upper() if channel == "content" else text) for channel, text in deltas]


WRONG = Adapter("shouts", wrap=Shouting)


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = Ladder.shapes
    small = replace(PROFILES["quick"], cut_words=1, words=2, core_words=2, edges=64, examples=3)
    monkeypatch.setitem(PROFILES, "quick", small)
    monkeypatch.setattr(Ladder, "shapes", lambda self: itertools.islice(shapes(self), 12))


def verdict_on(adapter: Adapter, check: str) -> Verdict:
    (verdict,) = judged(adapter, "qwen3", [check])
    return verdict


def told(adapter: Adapter, check: str) -> Violation:
    violation = verdict_on(adapter, check).violation
    assert violation is not None
    return violation


def test_a_stream_that_differs_is_told_chunk_by_chunk_beside_the_split_and_the_oracle():
    violation = told(WRONG, "streamed-equals-split")
    answers = violation.answers
    assert answers is not None
    assert answers["split"] == answers["oracle"] == {"reasoning": "", "content": violation.raw}
    deltas = answers["stream"]["deltas"]
    assert len(deltas) == len(violation.chunks) + 1
    assert "".join(text for given in deltas for _, text in given) == violation.raw.upper()


def test_where_no_stream_is_concerned_none_is_told():
    adapter = Adapter("loud split", message=lambda message: (message.reasoning, message.content + "!"))
    violation = told(adapter, "reads-as-declared")
    assert violation.chunks is None
    assert violation.answers == {
        "oracle": {"reasoning": "", "content": violation.raw},
        "split": {"reasoning": "", "content": violation.raw + "!"},
    }


def test_the_oracle_reads_by_the_policy_in_force():
    adapter = Adapter("trims", reads={"stray_close": "dropped"}, declares=True, wrap=Shouting)
    answers = [violation.answers for violation in every(verdict_on(adapter, "streamed-equals-split"))]
    assert answers
    assert all(each["oracle"] == each["split"] for each in answers)


def every(verdict: Verdict) -> list[Violation]:
    return [each for each in (verdict.violation, verdict.advice, *verdict.others) if each is not None]


def test_a_call_that_raises_is_told_as_a_failure():
    class Raising(Plain):
        def feed(self, chunk: Any) -> Any:
            raise ValueError("no")

    answers = told(Adapter("raises", wrap=Raising), "never-raises").answers
    assert answers is not None
    assert answers["stream"]["failure"].startswith("ValueError: no")
    assert answers["split"] == answers["oracle"]


def test_an_output_of_more_than_4000_characters_has_no_answers_nor_one_that_is_measured():
    violation = told(WRONG, "streamed-equals-split")
    readings = Readings(REGISTRY.get("qwen3"), {})
    for unread in (
        replace(violation, raw="x" * 4001),
        replace(violation, check="cost-linear"),
        replace(violation, raw=None),
    ):
        assert unasked(unread, readings) is None
        assert own_script(unread, lambda *_: "print()") is None
    assert unasked(replace(violation, raw="x" * 4000), readings) is not None


def test_asking_again_counts_for_nothing():
    verdicts = judged(WRONG, "qwen3", ["streamed-equals-split", "nothing-lost", "order-kept"])
    assert len({verdict.streams for verdict in verdicts}) == 1
    assert sum(verdict.violation is not None for verdict in verdicts) > 1


def test_a_call_that_never_ends_is_not_asked_again():
    class Hanging(Plain):
        def feed(self, chunk: Any) -> Any:
            if "</think>" in chunk.text:
                time.sleep(60)
            return super().feed(chunk)

    violation = in_a_child(Adapter("hangs", wrap=Hanging))
    assert violation.answers["stream"]["failure"] == violation.note
    assert "still running" in violation.note
    assert "split" not in violation.answers


def test_a_call_that_ends_the_process_has_the_oracle_s_reading_and_the_script():
    def split(*_: Any) -> Any:
        import os  # ends the process, as a crash in C would

        os._exit(3)

    adapter = SimpleNamespace(
        name="dies", version="1", dialects={"qwen3"}, split=split, stream=WRONG.stream, script=lambda *_: "import dies"
    )
    violation = in_a_child(adapter)
    assert violation.answers["split"] == {"failure": violation.note}
    assert "oracle" in violation.answers
    assert violation.script == "import dies"


def in_a_child(adapter: Any) -> Violation:
    """What never-raises tells of an adapter that is judged in a process of its own."""
    options = Options(profile="quick", checks=frozenset(["never-raises"]), hang_after=0.5)
    (verdict,) = judge(examined(adapter, "here"), "qwen3", options, lambda _: None)
    return verdict.violation


def test_an_adapter_s_script_is_given_the_case_and_kept():
    seen: list[Any] = []

    def script(request: Any, raw: str, chunks: Any, finish: str) -> str:
        seen.append((request.dialect, raw, chunks, finish))
        return f"print({raw!r})"

    adapter = Adapter("shouts", wrap=Shouting, script=script)
    violation = told(adapter, "streamed-equals-split")
    assert violation.script == f"print({violation.raw!r})"
    assert ("qwen3", violation.raw, list(violation.chunks), violation.finish) in seen


@pytest.mark.parametrize("answer", [None, "", 3])
def test_what_is_no_script_is_left_out(answer):
    assert told(Adapter("shouts", wrap=Shouting, script=lambda *_: answer), "streamed-equals-split").script is None


def test_a_script_that_raises_breaks_no_run():
    adapter = Adapter("shouts", wrap=Shouting, script=lambda: "")
    assert told(adapter, "streamed-equals-split").script is None


def test_a_script_that_is_no_function_is_refused():
    with pytest.raises(AdapterError, match="script is 'print'; it must be callable"):
        examined(Adapter("odd", script="print"), "adapter odd")


def test_a_header_tells_what_an_implementation_declares():
    one = examined(
        Adapter("mine", declares={"space": "trimmed"}, chunks="tokens", surfaces=["chat"]), "here", "mine.adapter"
    )
    assert told_of("m", one, ["qwen3"]) == {
        "id": "m",
        "name": "mine",
        "version": "1",
        "spec": "mine.adapter",
        "language": "Python",
        "wire": False,
        "dialects": list(REGISTRY.ids()),
        "chunks": "tokens",
        "surfaces": ["chat"],
        "policy": {"qwen3": {"space": "trimmed"}},
    }


def written(path: Path, violation: Violation) -> Path:
    verdict = Verdict("shouts", "1", "qwen3", violation.check, "fail", violation)
    report = ReportFile(path)
    report.begin(header("0", [told_of("shouts", examined(WRONG, "here"), ["qwen3"])], "quick", None, ["qwen3"], []))
    report.add(Result("shouts", "m", verdict, "failed"))
    report.end(1.0)
    return path


def test_answers_and_script_satisfy_the_schema_and_read_back(tmp_path):
    schema = json.loads((corpora() / "schema" / "report.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    violation = told(WRONG, "streamed-equals-split")
    failed = {**violation.answers, "split": {"failure": "\ud800"}, "stream": {"failure": ""}}
    for each in (violation, replace(violation, answers=failed, script="x")):
        path = written(tmp_path / "r.jsonl", each)
        for line in path.read_text().splitlines():
            validator.validate(json.loads(line))
        assert read_report(path).entries[0].verdict.violation == each
    without_oracle = {"split": violation.answers["split"]}
    line = json.loads(
        written(tmp_path / "r.jsonl", replace(violation, answers=without_oracle)).read_text().split("\n")[1]
    )
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(line)


def test_a_report_from_before_there_were_answers_is_read(tmp_path):
    path = written(tmp_path / "r.jsonl", told(WRONG, "streamed-equals-split"))
    first, result, last = map(json.loads, path.read_text().splitlines())
    for one in first["implementations"]:
        for field in ("language", "dialects", "chunks", "surfaces", "policy"):
            del one[field]
    for field in ("answers", "script"):
        del result["verdict"]["violation"][field]
    assert first["format"] == FORMAT
    path.write_text("".join(f"{json.dumps(line)}\n" for line in (first, result, last)))
    assert read_report(path).entries[0].verdict.violation.answers is None
