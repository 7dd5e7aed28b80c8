"""A stream that is fed by hand, and what is read of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.answers import run_of, told_error
from conformance.chunkings import Chunking
from conformance.implementation import Adapter
from conformance.observation import Failure, StreamRun, Texts
from conformance.watchdog import Hang, Unwatched
from oracles.messages import Chunk, Finish, Request
from oracles.pieces import Output

Answer = Texts | Failure


@dataclass(frozen=True)
class Track:
    """One request that is to be answered, and the stream that asks it."""

    output: Output
    request: Request
    finish: Finish
    chunking: Chunking


class Stepper:
    """A stream that is fed by hand, one chunk at a time."""

    def __init__(self, adapter: Adapter, track: Track, watchdog: Unwatched) -> None:
        self.track = track
        self._watchdog = watchdog
        self._told: list[list[Any]] = []
        self._failure: Failure | None = None
        self._left = list(track.chunking.chunks)
        self._stream: Any = None
        self._guard(lambda: setattr(self, "_stream", adapter.stream(track.request)))

    def step(self) -> bool:
        """Feeds the next chunk; False when none was left."""
        if not self._left or self._failure:
            return False
        self.feed(self._left.pop(0))
        return True

    def feed(self, chunk: Chunk) -> None:
        """Feeds a chunk, the track's or another."""
        self._put(lambda: self._stream.feed(chunk))

    def end(self) -> Answer:
        """Feeds what is left, finishes, and tells what was read."""
        while self.step():
            pass
        self._put(lambda: self._stream.finish(self.track.finish))
        return self._failure or answer_of(run_of(self.track.chunking, self._told))

    def _put(self, call: Callable[[], Any]) -> None:
        if self._failure is None:
            self._guard(lambda: self._told.append([*call()]))

    def _guard(self, call: Callable[[], object]) -> None:
        self._watchdog.begin(self._told)
        try:
            call()
        except KeyboardInterrupt:
            raise
        except Hang:
            self._failure = Failure("hung", f"a call was still running after {self._watchdog.limit:g} seconds")
        except BaseException as error:
            self._failure = Failure("raised", told_error(error))
        finally:
            self._watchdog.end()


def answer_of(run: StreamRun) -> Answer:
    """What a stream gave: its texts, or how it failed."""
    return run.failure if run.failure is not None else run.texts
