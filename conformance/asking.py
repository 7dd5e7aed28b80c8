"""Asking an implementation: one split, one stream, one observation; every answer, failure and refusal caught."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from conformance.adapter import Implementation
from conformance.answers import Deltas, Malformed, error_text, message_texts, run_of, shown, told_error
from conformance.chunkings import Chunking
from conformance.expectation import Readings
from conformance.observation import Failure, Observation, Skipped, StreamRun, Texts
from conformance.watchdog import Hang, Unwatched
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output
from oracles.reader import PIECE


class Asker:
    """Asks one implementation about one dialect, and counts.

    ``journal``: called before each call with what is about to be asked, where a run must survive a crash.
    ``prompt``: streams are held to immediate release too, not only to timely release. ``told_splits``,
    ``told_streams``: how many gave an answer that can be judged. ``stream_only``: the split refuses every request and
    streams don't, so that streams are judged alone.
    """

    def __init__(self, implementation: Implementation, readings: Readings, watchdog: Unwatched) -> None:
        self.implementation = implementation
        self.adapter = implementation.adapter
        self.readings = readings
        self.watchdog = watchdog
        self.journal: Callable[[Output | None, Request, Finish, Chunking | None], None] | None = None
        self.prompt = True
        self.outputs = 0
        self.splits = 0
        self.streams = 0
        self.told_splits = 0
        self.told_streams = 0
        self.skipped: Counter[str] = Counter()
        self.stream_only = False

    @property
    def answered(self) -> bool:
        """Whether any call gave an answer that can be judged."""
        return bool(self.told_splits or self.told_streams)

    def find_modes(self, nothing: Output, requests: Sequence[Request], chunking: Chunking) -> None:
        """Finds out whether the implementation only streams, by an empty output under each of ``requests``."""
        refused = all(
            isinstance(self.split(nothing, request, finish), Skipped) for request in requests for finish in FINISHES
        )
        self.stream_only = refused and not all(
            isinstance(self.stream(nothing, request, "stop", chunking), Skipped) for request in requests
        )

    def observe(self, output: Output, request: Request, chunkings: Sequence[Chunking]) -> list[Observation]:
        """An observation for each finish, none where the implementation can't be asked."""
        raw = output.raw
        self.outputs += 1
        expectation = self.readings.expect(raw, request)
        expectation.prepare(chunkings)
        level = expectation.prompt_at if self.prompt else expectation.floor_at
        floors = [level(chunking) for chunking in chunkings]
        seen: list[Observation] = []
        for finish in FINISHES:
            split = None if self.stream_only else self.split(output, request, finish)
            if isinstance(split, Skipped):
                self.skipped[split.reason] += 1
                return []
            observation = Observation(output, request, finish, self.readings, expectation, split, [])
            if not hangs(split) and not self._stream_all(observation, chunkings, floors):
                return []
            seen.append(observation)
        seen[0].twin, seen[1].twin = seen[1], seen[0]
        return seen

    def clean(self, observation: Observation) -> bool:
        """Whether everything was as the oracle expects, so that no check can object."""
        ending = observation.ending
        right = observation.split is None or observation.split == (ending.reasoning, ending.content)
        return right and len(observation.streams) <= 1

    def split(self, output: Output, request: Request, finish: Finish) -> Texts | Failure | Skipped:
        """The split's texts."""
        self.splits += 1
        if self.journal is not None:
            self.journal(output, request, finish, None)
        hangs = self.watchdog.hangs
        self.watchdog.begin()
        try:
            texts = message_texts(self.adapter.split(output.raw, request, finish))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return self._hung("split") if self.watchdog.hangs > hangs else self._failed(error, "split")
        finally:
            self.watchdog.end()
        if self.watchdog.hangs > hangs:  # it swallowed the interruption
            return self._hung("split")
        self.told_splits += 1
        return texts

    def stream(
        self, output: Output | None, request: Request, finish: Finish, chunking: Chunking
    ) -> StreamRun | Skipped:
        """One stream, put down chunk by chunk."""
        told = self._told(output, request, finish, chunking)
        return told if isinstance(told, (StreamRun, Skipped)) else self._run_of(chunking, told)

    def _run_of(self, chunking: Chunking, told: Deltas) -> StreamRun:
        """What the stream told, read under the watchdog: deltas may be objects that do anything."""
        self.watchdog.begin()
        try:
            return run_of(chunking, told)
        except Hang:
            return StreamRun(chunking, failure=self._hung("stream"))
        finally:
            self.watchdog.end()

    def _told(
        self, output: Output | None, request: Request, finish: Finish, chunking: Chunking
    ) -> Deltas | StreamRun | Skipped:
        self.streams += 1
        if self.journal is not None:
            self.journal(output, request, finish, chunking)
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
                return StreamRun(
                    chunking,
                    failure=Failure("malformed", f"{where} returned {shown(deltas)}, not an iterable of deltas"),
                )
            failed = self._failed(error, "stream")
            return failed if isinstance(failed, Skipped) else StreamRun(chunking, failure=failed)
        finally:
            self.watchdog.end()
        if self.watchdog.hangs > hangs:  # it swallowed the interruption
            return StreamRun(chunking, failure=self._hung("stream"))
        return told

    def _stream_all(
        self, observation: Observation, chunkings: Sequence[Chunking], floors: Sequence[Sequence[int]]
    ) -> bool:
        """Streams every chunking; keeps what isn't as expected, and the first that is. False: can't be asked.

        After a call that hangs, the rest is not asked: each would take as long.
        """
        output, request, finish = observation.output, observation.request, observation.finish
        ending = observation.ending
        reasoning, content, runs = ending.reasoning, ending.content, ending.runs
        replayed = bool(ending.replays)
        streams = observation.streams
        calm = False
        for chunking, floor in zip(chunkings, floors, strict=True):
            told = self._told(output, request, finish, chunking)
            if type(told) is not list:
                if isinstance(told, Skipped):
                    self.skipped[told.reason] += 1
                    return False
                streams.append(told)  # type: ignore[arg-type]
                if hangs(told.failure):  # type: ignore[union-attr]
                    break
                continue
            if _as_expected(told, floor, reasoning, content, runs, replayed):
                self.told_streams += 1
                if not calm:
                    calm = True
                    streams.append(run_of(chunking, told))
            else:
                streams.append(self._run_of(chunking, told))
                self.told_streams += streams[-1].failure is None
        return True

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


def hangs(answer: object) -> bool:
    """Whether an answer is that there was none in time."""
    return isinstance(answer, Failure) and answer.kind == "hung"


def _as_expected(
    told: Deltas, floor: Sequence[int], reasoning: str, content: str, runs: list[tuple[str, int]], replayed: bool
) -> bool:
    """Whether a stream is just what the oracle expects, and never behind ``floor``; False also where unsure."""
    thoughts: list[str] = []
    answers: list[str] = []
    seen: list[tuple[str, int]] = []
    total = count = 0
    last = ""
    limit = len(floor)
    try:
        for deltas in told:
            for channel, text in deltas:
                size = len(text)
                if not size:
                    if channel not in ("reasoning", "content") or type(text) is not str:
                        return False
                    continue
                if channel != last:
                    if last:
                        seen.append((last, total))
                    last = channel
                total += size
                if channel == "reasoning":
                    thoughts.append(text)
                elif channel == "content":
                    if replayed and size > PIECE:
                        return False
                    answers.append(text)
                else:
                    return False
            if count < limit and total < floor[count]:
                return False
            count += 1
        if last:
            seen.append((last, total))
        return seen == runs and "".join(thoughts) == reasoning and "".join(answers) == content
    except Exception:  # an object that can't be read as a delta
        return False


def _iterable(value: Any) -> bool:
    return hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__")
