"""The specified reader behind the adapter protocol: every dialect, each read by its default policy."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Finish, Message, Request
from oracles.reader import Machine, Reader

name = "reference"
version = "1"
dialects = REGISTRY.ids()


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output."""
    return _machine(request.dialect).split(request, raw, finish)


def stream(request: Request) -> Streamed:
    """A stream for one request."""
    return Streamed(_machine(request.dialect).start(request))


class Streamed:
    """One stream: feeds the reader the text of each chunk."""

    __slots__ = ("_feed", "finish")

    def __init__(self, reader: Reader) -> None:
        self._feed = reader.feed
        self.finish = reader.finish

    def feed(self, chunk: Chunk) -> Iterable[tuple[str, str]]:
        """The deltas that a chunk releases."""
        return self._feed(chunk.text)


@cache
def _machine(dialect: str) -> Machine:
    return Machine(REGISTRY.get(dialect))
