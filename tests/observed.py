"""Observations made by hand, for tests of single checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.chunkings import Chunker
from conformance.expectation import Readings
from conformance.observation import Failure, Observation, StreamRun, Texts
from oracles.dialects import REGISTRY
from oracles.messages import Finish, Request
from oracles.pieces import Output, Piece

OPEN, CLOSE, CALL = "<think>", "</think>", "<tool_call>"
"""Markers of qwen3."""

AC, EOM = "<|close|>response<|sep|>", "<|end_of_msg|>"
TC, TOOLS = "<|close|>think<|sep|>", "<|open|>tools<|sep|>"
"""Markers of kimi_k3."""

RAISED = Failure("raised", "ValueError: no")

Deltas = Sequence[tuple[str, str]]
Stream = tuple[Sequence[str], Sequence[Deltas]]
"""The chunks of a stream, and the deltas of each and of the end."""


def R(text: str) -> tuple[str, str]:
    """A delta of reasoning."""
    return "reasoning", text


def C(text: str) -> tuple[str, str]:
    """A delta of content."""
    return "content", text


def output(dialect: str, texts: Sequence[str]) -> Output:
    """An output: markers by their text, words of one letter, and other text."""
    markers = REGISTRY.get(dialect).all_markers

    def kind(text: str) -> str:
        return "marker" if text in markers else "word" if len(text) == 1 and text.isalpha() else "text"

    return Output(tuple(Piece(kind(text), text) for text in texts))


def run(dialect: str, chunks: Sequence[str], deltas: Sequence[Deltas] | Failure) -> StreamRun:
    """A stream of those chunks."""
    raw = "".join(chunks)
    ends = [len("".join(chunks[: number + 1])) for number in range(len(chunks))]
    chunking = Chunker(REGISTRY.get(dialect)).ending(Output((Piece("text", raw),)), ends)
    if isinstance(deltas, Failure):
        return StreamRun(chunking, failure=deltas)
    assert len(deltas) == len(chunks) + 1
    return StreamRun(chunking, tuple(tuple(each) for each in deltas))


def seen(
    texts: Sequence[str],
    split: Texts | Failure,
    *streams: tuple[Sequence[str], Sequence[Deltas] | Failure],
    dialect: str = "qwen3",
    opened: bool = True,
    finish: Finish = "stop",
    surfaces: Mapping[str, Any] | None = None,
    **declared: str | bool,
) -> Observation:
    """What was seen of an output under a declared policy."""
    whole = output(dialect, texts)
    request = Request(dialect, opened, True)
    readings = Readings(REGISTRY.get(dialect), declared)
    runs = [run(dialect, chunks, deltas) for chunks, deltas in streams]
    expectation = readings.expect(whole.raw, request)
    return Observation(whole, request, finish, readings, expectation, split, runs, surfaces=surfaces or {})
