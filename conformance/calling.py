"""Calling an implementation in this process, each call under the watchdog; every answer, failure and refusal caught."""

from __future__ import annotations

from typing import Any

from conformance.answers import Deltas, Malformed, error_text, message_texts, run_of, shown, told_error
from conformance.chunkings import Chunking
from conformance.implementation import Adapter
from conformance.observation import Failure, Skipped, StreamRun, Texts
from conformance.watchdog import Hang, Unwatched
from oracles.messages import Finish, Request


class Calling:
    """Calls an adapter's ``split`` and ``stream``."""

    def __init__(self, adapter: Adapter, watchdog: Unwatched) -> None:
        self.adapter = adapter
        self.watchdog = watchdog

    def split(self, raw: str, request: Request, finish: Finish) -> Texts | Failure | Skipped:
        """The split's texts."""
        hangs = self.watchdog.hangs
        self.watchdog.begin()
        try:
            texts = message_texts(self.adapter.split(raw, request, finish))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return self._hung("split") if self.watchdog.hangs > hangs else self._failed(error, "split")
        finally:
            self.watchdog.end()
        if self.watchdog.hangs > hangs:  # it swallowed the interruption
            return self._hung("split")
        return texts

    def told(self, request: Request, finish: Finish, chunking: Chunking) -> Deltas | Failure | Skipped:
        """What a stream gives, put down chunk by chunk."""
        told: Deltas = []
        hangs = self.watchdog.hangs
        self.watchdog.begin(told)
        deltas: Any = ()
        try:
            stream = self.adapter.stream(request)
            feed = stream.feed
            for chunk in chunking.chunks:
                deltas = feed(chunk)
                told.append([*deltas])
            deltas = stream.finish(finish)
            told.append([*deltas])
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if isinstance(error, TypeError) and not _iterable(deltas):
                where = "finish" if len(told) == len(chunking.chunks) else "feed"
                return Failure("malformed", f"{where} returned {shown(deltas)}, not an iterable of deltas")
            return self._failed(error, "stream")
        finally:
            self.watchdog.end()
        if self.watchdog.hangs > hangs:  # it swallowed the interruption
            return self._hung("stream")
        return told

    def run_of(self, chunking: Chunking, told: Deltas) -> StreamRun:
        """What the stream told, read under the watchdog: deltas may be objects that do anything."""
        self.watchdog.begin()
        try:
            return run_of(chunking, told)
        except Hang:
            return StreamRun(chunking, failure=self._hung("stream"))
        finally:
            self.watchdog.end()

    def _failed(self, error: BaseException, what: str) -> Failure | Skipped:
        if isinstance(error, Hang):
            return self._hung(what)
        if isinstance(error, Malformed):
            return Failure("malformed", f"{what} returned {error}")
        if isinstance(error, Exception) and any(kind.__name__ == "Unsupported" for kind in type(error).__mro__):
            return Skipped(error_text(error) or "no reason given")
        return Failure("raised", told_error(error))

    def _hung(self, what: str) -> Failure:
        return Failure("hung", f"{what} was still running after {self.watchdog.limit:g} seconds")


def _iterable(value: Any) -> bool:
    return hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__")
