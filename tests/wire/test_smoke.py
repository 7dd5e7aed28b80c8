"""The smoke test tells a wrong adapter from a wrong parser; --wire-debug shows the conversation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import commands
import pytest

from conformance.case import Case
from oracles.messages import Request
from oracles.pieces import Output


def smoke(fault: str, *arguments: str) -> tuple[int, str, str]:
    """What ``conformance smoke`` ends with, prints, and prints to stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "smoke", commands.spec_of(fault), "--hang-after=2", *arguments],
        capture_output=True, text=True, check=False, cwd=commands.ROOT,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_a_right_adapter_is_told_so() -> None:
    code, printed, _ = smoke("none")
    assert code == 0
    assert "the adapter answers as it should; judge the parser" in printed
    assert "adapter  " not in printed


@pytest.mark.parametrize(
    ("fault", "because", "then"),
    [
        ("too_few_lists", "stream answered 10 lists of deltas to 10 chunks", "answer in the shape that"),
        ("wrong_seq", "the answer to seq 1 was due, and one to 2 came", "in the order of the requests"),
        ("noise", "its stdout holds 'parsing ...', which is no JSON", "print answers alone to stdout"),
        ("invalid_utf8", "which is no UTF-8", "print answers alone to stdout"),
        ("half_a_line", "split was still running after 2 seconds, half a line before it", "flush it"),
        ("out_of_order", "answers must come in the order of their requests", "in the order of the requests"),
        ("deaf", "it was still running a second after the stop and the end of its input", 'end at {"cmd":"stop"}'),
    ],
)
def test_a_wrong_adapter_is_told_with_what_was_sent_what_came_and_what_to_do(
    fault: str, because: str, then: str
) -> None:
    code, printed, _ = smoke(fault)
    assert code == 1
    told = " ".join(printed.split())
    assert because in told
    assert then in told
    assert "sent " in printed
    assert "the adapter is wrong: mend what is marked adapter" in printed


def test_a_wrong_parser_is_told_from_a_wrong_adapter() -> None:
    code, printed, _ = smoke("errors")
    assert code == 0
    assert "parser    qwen3  split: a plain output" in printed
    assert "because   ValueError: unexpected closer" in printed
    assert 'sent      {"cmd":"split"' in printed
    assert 'sent      {"cmd":"start"' not in printed
    assert "the adapter answers as it should" in printed


def test_debug_shows_the_conversation_and_what_breaks_the_schema() -> None:
    _, _, shown = smoke("other_names", "--wire-debug")
    assert 'wire -> {"cmd":"start","version":1}' in shown
    assert 'wire <- {"version": 1, "implementation"' in shown
    assert "wire !! message: Additional properties are not allowed ('reasoning_content' was unexpected)" in shown


@pytest.mark.parametrize("spec", ["conformance.adapters.reference", "cmd:no-such-command", "no_such_module"])
def test_what_is_no_command_is_told_in_a_sentence(spec: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "smoke", spec], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("conformance: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [(), ("--in-process",), ("-n", "1")])
def test_a_run_shows_the_conversation_on_stderr_where_that_is_wanted(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    case = Case("never-raises", Output(()), Request("qwen3", True, True), "stop", None).text()
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--impl={commands.spec_of()}", "--wire-debug",
         f"--case={case}", *arguments],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
    assert 'wire -> {"cmd":"split","seq":' in run.stderr
    assert "wire !!" not in run.stderr
