"""Streams a second over the wire, with many in flight and one at a time, against a call in this process."""

from __future__ import annotations

import math
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from conformance.adapter import Implementation, Wiring, load
from conformance.asking import Asker
from conformance.chunkings import Chunker
from conformance.expectation import Readings
from conformance.implementation import Question, Remote
from conformance.watchdog import Unwatched
from oracles.dialects import REGISTRY
from oracles.messages import FINISHES, Request
from oracles.pieces import Output, Piece

STREAMS = 20_000
ROUNDS = 5
AHEAD = 200
TEMPLATES = Path(__file__).parent.parent / "examples" / "adapters"
TRIVIAL = """
import json, sys
start = {"version": 1, "implementation": {"name": "trivial", "version": "1", "dialects": ["qwen3"]}}
write, flush = sys.stdout.write, sys.stdout.flush
for line in sys.stdin.buffer:
    asked = json.loads(line)
    if asked["cmd"] == "start":
        told = start
    elif asked["cmd"] == "stream":
        told = {"seq": asked["seq"], "deltas": [*[[["content", chunk["text"]]] for chunk in asked["chunks"]], []]}
    elif asked["cmd"] == "split":
        told = {"seq": asked["seq"], "message": {"content": asked["raw"]}}
    else:
        break
    write(json.dumps(told) + "\\n")
    flush()
"""
QWEN3 = REGISTRY.get("qwen3")
REQUESTS = [Request("qwen3", opened, thinking) for opened in (True, False) for thinking in (True, False)]


def questions() -> list[Question]:
    """Streams of three to nine chunks, as a sweep asks them: each cut for both finishes and several requests."""
    asked: list[Question] = []
    chunker = Chunker(QWEN3)
    while len(asked) < STREAMS:
        words = (Piece("word", "abc"[len(asked) % 3]), Piece("marker", "<think>"), Piece("word", "d"))
        for chunking in chunker.full(Output(words)):
            asked += [Question("", request, finish, chunking) for request in REQUESTS for finish in FINISHES]
    return asked[:STREAMS]


def in_flight(remote: Remote, asked: list[Question]) -> float:
    """Seconds with many questions sent ahead."""
    began = time.perf_counter()
    remote.foresee(asked[:AHEAD])
    for start in range(0, len(asked), AHEAD):
        remote.foresee(asked[start + AHEAD : start + 2 * AHEAD])
        for question in asked[start : start + AHEAD]:
            remote.answer(question)
    return time.perf_counter() - began


def one_by_one(remote: Remote, asked: list[Question]) -> float:
    """Seconds where each question waits for the answer to the one before it."""
    began = time.perf_counter()
    for question in asked:
        remote.answer(question)
    return time.perf_counter() - began


def processor_time(remote: Remote, asked: list[Question]) -> tuple[float, float]:
    """Processor seconds of this process and of the command, with many questions sent ahead; of each the best."""
    ours, theirs = math.inf, math.inf
    for _ in range(ROUNDS):
        began, before = time.process_time(), remote.seconds()
        in_flight(remote, asked)
        after = remote.seconds()
        ours = min(ours, time.process_time() - began)
        if before is not None and after is not None:
            theirs = min(theirs, after - before)
    return ours, theirs


def called(implementation: Implementation, asked: list[Question]) -> float:
    """Seconds of the same streams by calls in this process."""
    asker = Asker(implementation, Readings(QWEN3, {}), Unwatched())
    output = Output(())
    began = time.perf_counter()
    for question in asked:
        assert question.chunking is not None
        asker.stream(output, question.request, question.finish, question.chunking)
    return time.perf_counter() - began


def measure(name: str, command: list[str], asked: list[Question], beside: Implementation) -> None:
    """Rounds in turn, of each the best: they share the machine with whatever else runs."""
    made = load(f"cmd:{shlex.join(command)}", wiring=Wiring(smokes=False))
    remote = made.adapter
    assert isinstance(remote, Remote)
    ways: dict[str, Callable[[], float]] = {
        "many in flight": lambda: in_flight(remote, asked),
        "one at a time": lambda: one_by_one(remote, asked),
        "called in process": lambda: called(beside, asked),
    }
    best = {way: min(run() for _ in range(ROUNDS)) for way, run in ways.items()}
    ours, theirs = processor_time(remote, asked)
    remote.close()
    rates = ", ".join(f"{way} {len(asked) / seconds:,.0f}" for way, seconds in best.items())
    gain = best["one at a time"] / best["many in flight"]
    print(f"{name}: streams a second: {rates}; in flight {gain:.1f} times one at a time")
    bound = len(asked) / max(ours, theirs)
    print(
        f"  processor time of a stream in flight: the suite {ours / len(asked) * 1e6:.0f} µs, the command "
        f"{theirs / len(asked) * 1e6:.0f} µs; a core for each would do {bound:,.0f} streams a second"
    )


def main() -> None:
    """Measures a trivial child in Python, and the templates whose language is here."""
    asked, beside = questions(), load("conformance.adapters.reference")
    measure("trivial, Python", [sys.executable, "-c", TRIVIAL], asked, beside)
    measure("template, Python", [sys.executable, str(TEMPLATES / "adapter.py")], asked, beside)
    if shutil.which("node"):
        measure("template, JavaScript", ["node", str(TEMPLATES / "adapter.mjs")], asked, beside)
    if shutil.which("c++"):
        with tempfile.TemporaryDirectory() as folder:
            target = str(Path(folder) / "adapter")
            source = str(TEMPLATES / "adapter.cpp")
            if not subprocess.run(["c++", "-std=c++17", "-O2", source, "-o", target], check=False).returncode:
                measure("template, C++", [target], asked, beside)


if __name__ == "__main__":
    main()
