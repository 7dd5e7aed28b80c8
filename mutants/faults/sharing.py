"""Requests that touch each other."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

from mutants.adapter import RIGHT, Deltas, Plain
from oracles.messages import Chunk, Finish, Request
from oracles.reader import Reader


class OneForAll(Plain):
    """The state is the class's, begun anew with each request."""

    current: Reader

    def __init__(self, reader: Reader, request: Request) -> None:
        OneForAll.current = reader

    def feed(self, chunk: Chunk) -> Deltas:
        return OneForAll.current.feed(chunk.text)

    def finish(self, finish: Finish) -> Deltas:
        return OneForAll.current.finish(finish)


class LeftByError(Plain):
    """After an error the next request begins with what was held."""

    left = ""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self.reader._held, LeftByError.left = LeftByError.left, ""

    def feed(self, chunk: Chunk) -> Deltas:
        try:
            return self.reader.feed(chunk.text)
        except Exception:
            LeftByError.left = "("
            raise


class BusyAfterError(Plain):
    """A flag that an error leaves set makes every later request wait for nothing."""

    busy = False

    def feed(self, chunk: Chunk) -> Deltas:
        if BusyAfterError.busy:
            return []
        BusyAfterError.busy = True
        deltas = self.reader.feed(chunk.text)
        BusyAfterError.busy = False
        return deltas


class LeftByGivenUp(Plain):
    """A stream that isn't finished leaves to the next what it held."""

    left: tuple[tuple[str, str], ...] = ()

    def feed(self, chunk: Chunk) -> Deltas:
        deltas = self.reader.feed(chunk.text)
        LeftByGivenUp.left = tuple(deltas[-1:])
        return deltas

    def finish(self, finish: Finish) -> Deltas:
        LeftByGivenUp.left = ()
        return self.reader.finish(finish)


class TakesLeft(LeftByGivenUp):
    """Begins with what a stream that was given up left."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._first, LeftByGivenUp.left = LeftByGivenUp.left, ()

    def feed(self, chunk: Chunk) -> Deltas:
        first, self._first = self._first, ()
        return [*first, *super().feed(chunk)]


class SharedScratch(Plain):
    """A place that all threads write to holds the chunk while it is read."""

    scratch = ""

    def feed(self, chunk: Chunk) -> Deltas:
        SharedScratch.scratch = chunk.text
        for _ in range(400):
            pass
        return self.reader.feed(SharedScratch.scratch)


class ThreadsOwn(Plain):
    """The state is the thread's, made where the module was imported."""

    local = threading.local()
    local.buffer = ""

    def feed(self, chunk: Chunk) -> Deltas:
        return self.reader.feed(ThreadsOwn.local.buffer + chunk.text)


class FinishBefore(Plain):
    """The finish of the request before counts."""

    before: Finish = "stop"

    def finish(self, finish: Finish) -> Deltas:
        before, FinishBefore.before = FinishBefore.before, finish
        return self.reader.finish(before)


def remembering(request: Request) -> Any:
    """The same stream for equal requests."""
    return _remembered(request)


_remembered = lru_cache(RIGHT.stream)
