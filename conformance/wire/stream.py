"""A stream over the wire, fed by hand: it is sent whole, when it is finished."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from conformance.chunkings import Chunking
from conformance.implementation import Question
from oracles.messages import Chunk, Finish, Request


class Whole:
    """Keeps what it is fed, and asks when it is finished: all deltas come then."""

    def __init__(self, request: Request, ask: Callable[[Question], Any]) -> None:
        self._request = request
        self._ask = ask
        self._chunks: list[Chunk] = []

    def feed(self, chunk: Chunk) -> list[Any]:
        """Nothing yet."""
        self._chunks.append(chunk)
        return []

    def finish(self, finish: Finish) -> list[Any]:
        """Every delta of the stream. Raises what ``ask`` does."""
        ends = tuple(accumulate(len(chunk.text) for chunk in self._chunks))
        chunking = Chunking("as given", tuple(self._chunks), ends, False, tuple)
        told = self._ask(Question("", self._request, finish, chunking))
        return [delta for deltas in told for delta in deltas]
