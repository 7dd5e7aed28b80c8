"""Commands that crash, hang, flood and misspeak: the run ends, and never-raises says what happened."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import commands
import pytest

from conformance.wire.adapter import MOST

pytestmark = pytest.mark.usefixtures("tiny")

ALONE = "; asked alone, of a new process, it is answered: what was asked before or beside it matters"

FLEET = {
    "crash_every_third": (
        f"the command ended with exit code 3{ALONE}; its stderr ends: "
        r"panic: index out of range \| goroutine 1 \[running\]",
        f"after {MOST['died']} questions it had to be started anew",
    ),
    "flood": (
        r"its stdout is flooded: a line has more than [\d,]+ bytes, 'x+'…" + ALONE,
        f"after {MOST['lost']} questions it had to be started anew",
    ),
    "flood_of_lines": (
        f"its stdout holds 'debug', which is no JSON{ALONE}",
        f"after {MOST['lost']} questions it had to be started anew",
    ),
    "out_of_order": (
        r"the answer to seq \d+ was due, and one to \d+ came: answers must come in the order of their requests" + ALONE,
        f"after {MOST['lost']} questions it had to be started anew",
    ),
    "wrong_seq": (r"the answer to seq \d+ was due, and one to \d+ came: nothing was asked by that number", ""),
    "no_seq": (r"an answer has no seq where \d+ was due", ""),
    "twice": (r"the answer to seq \d+ was due, and one to \d+ came: that was answered before" + ALONE, ""),
    "noise": ("its stdout holds 'parsing \\.\\.\\.', which is no JSON", ""),
    "no_object": (r"its stdout holds '\[.*\]', which is no JSON object", ""),
    "invalid_utf8": (r"its stdout holds '.*', which is no UTF-8 \(byte \d+\)", ""),
    "exits_silently": (f"the command ended with exit code 0{ALONE}", ""),
    "half_a_line_and_end": ('the command ended with exit code 1, half a line before it: \'{"seq": 1, "mess\'', ""),
    "closes_stdout": ("the command closed its stdout and went on running", ""),
    "leaves_a_child": ("the command ended with exit code 4", ""),
}
"""Fault to what never-raises says, as a regular expression, and why the rest is not judged to the end."""


@pytest.mark.parametrize("fault", FLEET)
def test_what_a_command_does_is_told(fault: str) -> None:
    note, why = FLEET[fault]
    verdicts = commands.judged(fault)
    verdict = verdicts["never-raises"]
    assert verdict.outcome == "fail"
    assert verdict.violation is not None
    assert re.fullmatch(note, verdict.violation.note), verdict.violation.note
    assert verdict.violation.case.startswith("qwen3:")
    assert verdicts["nothing-lost"].outcome == "unjudged"
    assert why in verdicts["nothing-lost"].reason
    assert "see never-raises" in verdicts["nothing-lost"].reason


def test_an_answer_that_never_comes_is_told_and_little_more_is_asked() -> None:
    verdicts = commands.judged("hang", hang_after=0.5)
    violation = verdicts["never-raises"].violation
    assert violation is not None
    assert re.fullmatch(
        r"(split|stream) was still running after 0.5 seconds; its stderr ends: waiting for a lock", violation.note
    )
    assert verdicts["nothing-lost"].reason == "not judged to the end: 2 calls hung; see never-raises"


def test_half_an_answer_is_shown() -> None:
    violation = commands.judged("half_a_line", hang_after=0.5)["never-raises"].violation
    assert violation is not None
    assert violation.note == 'split was still running after 0.5 seconds, half a line before it: \'{"seq": 1, "mess\''


def test_a_crash_that_one_text_brings_about_is_blamed_on_it_and_the_rest_is_judged() -> None:
    verdicts = commands.judged("killed_at_a_closer")
    violation = verdicts["never-raises"].violation
    assert violation is not None
    assert violation.note == "the command was killed by SIGSEGV"
    assert violation.raw == "</think>"
    assert verdicts["nothing-lost"].outcome == "pass"


@pytest.mark.parametrize(
    ("fault", "note"),
    [
        (
            "too_few_lists",
            r"stream answered \d+ lists? of deltas to \d+ chunks?; one a chunk is wanted, and one more .*",
        ),
        ("deltas_in_one", r"stream answered .*"),
        ("other_names", "split answered a message with 'reasoning_content'; a message has reasoning and content"),
        ("errors", "ValueError: unexpected closer"),
    ],
)
def test_a_wrong_answer_is_told_and_the_rest_is_judged(fault: str, note: str) -> None:
    verdicts = commands.judged(fault)
    violation = verdicts["never-raises"].violation
    assert violation is not None
    assert re.fullmatch(note, violation.note), violation.note
    assert "started anew" not in verdicts["nothing-lost"].reason


@pytest.mark.parametrize("fault", ["none", "huge_stderr", "deaf"])
def test_what_a_command_does_beside_answering_rightly_is_no_fault(fault: str) -> None:
    assert {verdict.outcome for verdict in commands.judged(fault).values()} == {"pass"}


def test_what_is_unsupported_is_skipped_and_counted() -> None:
    verdicts = commands.judged("unsupported")
    assert {verdict.outcome for verdict in verdicts.values()} == {"pass"}
    assert verdicts["never-raises"].skipped["it can't be told what the prompt opened"] > 10


# What is left behind


RUNS: list[subprocess.Popen[str]] = []
"""The runs that a test started."""


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    """A run that a failed test leaves behind is ended."""
    yield
    while RUNS:
        with RUNS.pop() as run:
            run.kill()


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A run of pytest on a command, in a session of its own."""
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--impl={commands.spec_of()}", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(commands.ROOT), "COLUMNS": "120", "CI": ""},
    )  # fmt: skip
    RUNS.append(run)
    return run


def running(session: int, what: str = "") -> list[str]:
    """The processes of a session, those alone whose command line holds ``what``."""
    asks = ["ps", "-ww", "-o", "pid=,stat=,args=", "-s", str(session)]  # -ww: whole lines, whatever COLUMNS says
    listed = subprocess.run(asks, capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if line.split()[1][0] != "Z" and what in line]


def is_asked(run: subprocess.Popen[str]) -> None:
    """Waits until a command of the run is being asked by a sweep: load has ended by then."""
    deadline = time.monotonic() + 60
    seen: set[str] = set()
    while len(seen) < 2:
        seen |= {line.split()[0] for line in running(run.pid, "fleet.py none") if "pytest" not in line}
        assert time.monotonic() < deadline
        assert run.poll() is None
        time.sleep(0.02)


def leaves_nothing(run: subprocess.Popen[str]) -> None:
    """Waits for the end of a run, and of all that it started."""
    try:
        run.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGABRT)  # pytest then says where it stands
        pytest.fail(f"it goes on running:\n{run.communicate()[0]}")
    deadline = time.monotonic() + 10
    while left := running(run.pid):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


@pytest.mark.parametrize("arguments", [(), ("-n", "2"), ("--in-process",)])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_no_command_behind(
    tmp_path: Path, arguments: tuple[str, ...], number: signal.Signals
) -> None:
    run = started(tmp_path, "--check=never-raises", *arguments)
    is_asked(run)
    if number == signal.SIGINT:
        os.killpg(run.pid, number)
    else:
        run.kill()
    leaves_nothing(run)


def test_a_sweep_that_is_killed_leaves_no_command_behind(tmp_path: Path) -> None:
    run = started(tmp_path, "--check=never-raises", "--profile=deep")
    is_asked(run)
    sweep = next(line.split()[0] for line in running(run.pid, "pytest") if line.split()[0] != str(run.pid))
    asked = {line.split()[0] for line in running(run.pid, "fleet.py none") if "pytest" not in line}
    os.kill(int(sweep), signal.SIGKILL)
    deadline = time.monotonic() + 20
    while asked & {line.split()[0] for line in running(run.pid)}:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    run.kill()
    leaves_nothing(run)
