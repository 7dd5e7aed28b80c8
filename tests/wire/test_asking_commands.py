"""How a command is asked: ahead, in order, with every text as it is; and what is left out."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import commands
import pytest

from conformance.adapter import Wiring, load
from conformance.asking import Asker
from conformance.checks.cost import Costs
from conformance.chunkings import Chunker
from conformance.expectation import Readings
from conformance.implementation import Implementation, Question
from conformance.observation import Skipped
from conformance.watchdog import Unwatched
from conformance.wire.adapter import Wire
from conformance.wire.process import Process
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported
from oracles.pieces import Output, Piece

QWEN3 = REGISTRY.get("qwen3")
OPENED = Request("qwen3", True, True)


def asking(made: Implementation) -> Asker:
    return Asker(made, Readings(QWEN3, made.values_for(QWEN3)), Unwatched())


def text(*texts: str) -> Output:
    return Output(tuple(Piece("text", each) for each in texts))


def test_an_observation_is_sent_before_its_first_answer_is_awaited() -> None:
    heard: list[str] = []
    made = load(commands.spec_of(), wiring=Wiring(5.0, lambda direction, _: heard.append(direction), smokes=False))
    heard.clear()
    output = text("a", "</think>", "b")
    chunkings = Chunker(QWEN3).full(output)
    first, second = asking(made).observe(output, OPENED, chunkings)
    made.adapter.close()  # type: ignore[attr-defined]
    assert (first.split, second.split) == (("a", "b"), ("a", "b"))
    sent = len(list(itertools.takewhile(lambda direction: direction == "->", heard[2:])))
    assert sent == 2 + 2 * len(chunkings)


@pytest.mark.parametrize("raw", ["\U0001f600\u2028\x00\r\n\x7f\ufeff", "\ud83d", "\udc00\ud800", "e\u0301" * 40_000])
def test_any_text_comes_back_as_it_was_sent(raw: str) -> None:
    asker = asking(commands.loaded())
    assert asker.split(text(raw), OPENED, "stop") == (raw, "")
    run = asker.stream(text(raw), OPENED, "stop", Chunker(QWEN3).at(text(raw), range(1, len(raw), 997)))
    assert not isinstance(run, Skipped)
    assert run.texts == (raw, "")


def test_what_was_sent_and_is_not_asked_is_passed_over() -> None:
    wire = commands.loaded().adapter
    assert isinstance(wire, Wire)
    questions = [Question(letter, OPENED, "stop", None) for letter in "abcdef"]
    wire.foresee(questions)
    assert wire.answer(questions[3]) == ("d", "")
    assert wire.answer(Question("z", OPENED, "stop", None)) == ("z", "")
    assert wire.answer(questions[4]) == ("e", "")
    assert wire.answer(questions[0]) == ("a", "")


def test_a_command_answers_as_an_adapter_in_python_does() -> None:
    made = commands.loaded()
    assert made.adapter.split("a</think>b", OPENED, "stop") == ("a", "b")
    stream = made.adapter.stream(OPENED)
    assert [*stream.feed(Chunk("a</th")), *stream.feed(Chunk("ink>b"))] == []
    assert [*stream.finish("stop")] == [["reasoning", "a"], ["content", "b"]]
    with pytest.raises(Unsupported, match="it can't be told what the prompt opened"):
        commands.loaded("unsupported").adapter.split("a", OPENED, "stop")


def test_a_command_that_is_quadratic_in_its_chunks_is_found_and_a_linear_one_is_not() -> None:
    for fault, steep in (("quadratic", True), ("none", False)):
        asker = asking(commands.loaded(fault))
        costs = Costs(asker, Chunker(QWEN3), 100_000, 5.0)
        notes = [cost.finding.note for cost in costs.measure(["plain text in reasoning"])]
        assert bool(notes) == steep, notes
        assert all("plain text in reasoning, 32 characters a chunk" in note for note in notes)


def test_processor_time_that_is_told_late_is_measured_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the kernel counts by ticks, and the first outputs are refused at once."""
    told = Process.seconds
    monkeypatch.setattr(Process, "seconds", lambda self: (told(self) or 0.0) // 0.02 * 0.02)
    asker = asking(commands.loaded("unsupported"))
    assert [*Costs(asker, Chunker(QWEN3), 4000, 0.05).measure(["plain text before reasoning"])] == []
    assert "cost-linear" not in asker.left_out


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("told", [None, 0.0])
def test_processor_time_that_is_not_told_is_a_reason_to_skip(
    told: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Process, "seconds", lambda self: told)
    verdict = commands.judged("none", "cost-linear")["cost-linear"]
    assert (verdict.outcome, verdict.reason) == ("skip", "the processor time of a command can't be seen here")


@pytest.mark.usefixtures("tiny")
def test_what_can_t_be_asked_is_counted_with_its_reason() -> None:
    verdicts = commands.judged("none", "requests-isolated memory-bounded never-raises")
    assert {check: verdict.outcome for check, verdict in verdicts.items()} == {
        "requests-isolated": "pass", "memory-bounded": "skip", "never-raises": "pass",
    }  # fmt: skip
    assert verdicts["memory-bounded"].reason == "how much memory a command takes is not measured"
    left = verdicts["requests-isolated"].skipped
    assert left["a command is sent a stream whole: not interleaved, chunk by chunk"] > 10
    assert verdicts["never-raises"].skipped == {}


@pytest.mark.usefixtures("tiny")
def test_a_request_that_another_dialect_s_spoils_is_found() -> None:
    violation = commands.judged("remembers_dialect", "requests-isolated")["requests-isolated"].violation
    assert violation is not None
    assert violation.note == "scenario: beside requests of other dialects"


# The templates


def built(template: str, folder: Path) -> str:
    """The command of a template, built where it must be; skips where its language isn't here."""
    source = str(commands.TEMPLATES / template)
    if template.endswith(".py"):
        return f"{sys.executable} {source}"
    tool = {".mjs": "node", ".go": "go", ".cpp": "c++"}[Path(template).suffix]
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} isn't here")
    if tool == "node":
        return f"node {source}"
    target = str(folder / "adapter")
    build = {"go": ["go", "build", "-o", target, source], "c++": ["c++", "-std=c++17", "-O1", source, "-o", target]}
    done = subprocess.run(build[tool], capture_output=True, text=True, check=False)
    if "nlohmann/json.hpp" in done.stderr:
        pytest.skip("nlohmann's json.hpp isn't here")
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.parametrize("template", ["adapter.py", "adapter.mjs", "adapter.go", "adapter.cpp"])
def test_a_template_passes_the_suite(template: str, tmp_path: Path) -> None:
    command = built(template, tmp_path)
    smoke = subprocess.run(
        [sys.executable, "-m", "conformance", "smoke", f"cmd:{command}"], capture_output=True, text=True, check=False
    )
    assert (smoke.returncode, smoke.stdout.count("ok  ")) == (0, 10), smoke.stdout + smoke.stderr
    report = tmp_path / "report"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--impl=cmd:{command}", "--profile=quick",
         f"--report={report}"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    outcomes = {line["verdict"]["check"]: line["outcome"] for line in lines if line["kind"] == "result"}
    assert {check for check, outcome in outcomes.items() if outcome != "passed"} == {"memory-bounded"}


def test_the_template_in_dart_says_that_it_was_never_run() -> None:
    assert "This file was never run" in (commands.TEMPLATES / "adapter.dart").read_text(encoding="utf-8")
