"""Asking an implementation: one split, one stream, one observation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from conformance.answers import Deltas, run_of
from conformance.calling import Calling
from conformance.chunkings import Chunking
from conformance.expectation import Readings
from conformance.implementation import Implementation, Remote
from conformance.observation import UNANSWERED, Failure, Observation, Skipped, StreamRun, Texts
from conformance.sending import Sending, questions
from conformance.watchdog import Unwatched
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output
from oracles.reader import PIECE


class Asker:
    """Asks one implementation about one dialect, and counts.

    ``journal``: called before each call with what is about to be asked, where a run must survive a crash.
    ``prompt``: streams are held to immediate release too, not only to timely release. ``told_splits``,
    ``told_streams``: how many gave an answer that can be judged. ``stream_only``: the split refuses every request and
    streams don't, so that streams are judged alone. ``remote``: the adapter, where it is answered elsewhere;
    ``stumbled``: called with a question that it gave no answer to, and how. ``left_out``: check to what of it could
    not be asked, and how often.
    """

    def __init__(self, implementation: Implementation, readings: Readings, watchdog: Unwatched) -> None:
        self.implementation = implementation
        self.adapter = adapter = implementation.adapter
        self.readings = readings
        self.watchdog = watchdog
        self.remote = adapter if isinstance(adapter, Remote) else None
        self._way: Calling | Sending = Calling(adapter, watchdog)
        if self.remote is not None:
            self.remote.limit = watchdog.limit
            self._way = Sending(self.remote)
        self.stumbled: Callable[[Output, Request, Finish, Chunking | None, Failure], None] | None = None
        self.journal: Callable[[Output | None, Request, Finish, Chunking | None], None] | None = None
        self.prompt = True
        self.outputs = 0
        self.splits = 0
        self.streams = 0
        self.told_splits = 0
        self.told_streams = 0
        self.skipped: Counter[str] = Counter()
        self.left_out: dict[str, Counter[str]] = {}
        self.stream_only = False

    def leave_out(self, check: str, reason: str, times: int = 1) -> None:
        """Something of a check can't be asked of this implementation."""
        self.left_out.setdefault(check, Counter())[reason] += times

    @property
    def hung(self) -> bool:
        """Whether a call took so long that each further one may."""
        return bool(self.watchdog.hangs or (self.remote is not None and self.remote.hangs))

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
        if self.remote is not None:
            self.remote.foresee(questions(raw, request, chunkings, not self.stream_only))
        seen: list[Observation] = []
        for finish in FINISHES:
            split = None if self.stream_only else self.split(output, request, finish)
            if isinstance(split, Skipped):
                self.skipped[split.reason] += 1
                return []
            observation = Observation(output, request, finish, self.readings, expectation, split, [])
            if not unanswered(split) and not self._stream_all(observation, chunkings, floors):
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
        texts = self._way.split(output.raw, request, finish)
        if isinstance(texts, tuple):
            self.told_splits += 1
        elif self.remote is not None and unanswered(texts):
            self._stumble(output, request, finish, None, texts)
        return texts

    def stream(
        self, output: Output | None, request: Request, finish: Finish, chunking: Chunking
    ) -> StreamRun | Skipped:
        """One stream, put down chunk by chunk."""
        told = self._told(output, request, finish, chunking)
        if isinstance(told, Failure):
            return StreamRun(chunking, failure=told)
        if isinstance(told, Skipped):
            return told
        run = self._way.run_of(chunking, told)
        self.told_streams += run.failure is None
        return run

    def _told(
        self, output: Output | None, request: Request, finish: Finish, chunking: Chunking
    ) -> Deltas | Failure | Skipped:
        self.streams += 1
        if self.journal is not None:
            self.journal(output, request, finish, chunking)
        told = self._way.told(request, finish, chunking)
        if self.remote is not None and unanswered(told):
            self._stumble(output, request, finish, chunking, told)
        return told

    def _stumble(
        self, output: Output | None, request: Request, finish: Finish, chunking: Chunking | None, failure: Any
    ) -> None:
        if self.stumbled is not None and output is not None:
            self.stumbled(output, request, finish, chunking, failure)

    def _stream_all(
        self, observation: Observation, chunkings: Sequence[Chunking], floors: Sequence[Sequence[int]]
    ) -> bool:
        """Streams every chunking; keeps what isn't as expected, and the first that is. False: can't be asked.

        After a call that gives no answer, the rest is not asked: each would take as long.
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
                streams.append(StreamRun(chunking, failure=told))  # type: ignore[arg-type]
                if unanswered(told):
                    break
                continue
            if _as_expected(told, floor, reasoning, content, runs, replayed):
                self.told_streams += 1
                if not calm:
                    calm = True
                    streams.append(run_of(chunking, told))
            else:
                streams.append(self._way.run_of(chunking, told))
                self.told_streams += streams[-1].failure is None
        return True


def unanswered(answer: object) -> bool:
    """Whether an answer is that there was none: in time, or at all."""
    return isinstance(answer, Failure) and answer.kind in UNANSWERED


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
