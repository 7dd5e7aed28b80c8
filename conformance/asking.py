"""Asking an implementation: one split, one stream, one observation; every answer, failure and refusal caught."""

from __future__ import annotations

import os
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from conformance.adapter import Implementation
from conformance.chunkings import Chunking
from conformance.expectation import Readings
from conformance.observation import Failure, Observation, Skipped, StreamRun, Texts, paired
from conformance.watchdog import Hang, Unwatched
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output
from oracles.reader import PIECE

Deltas = list[list[Any]]
OURS = os.path.join(os.path.dirname(__file__), "")
ADAPTERS = os.path.join(OURS, "adapters", "")


class Malformed(Exception):
    """An answer that the protocol doesn't allow; the text says what was returned."""


class Asker:
    """Asks one implementation about one dialect, and counts.

    ``journal``: called before each call with what is about to be asked, where a run must survive a crash.
    ``prompt``: streams are held to immediate release too, not only to timely release. ``told_splits``,
    ``told_streams``: how many gave an answer that can be judged.
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

    @property
    def answered(self) -> bool:
        """Whether any call gave an answer that can be judged."""
        return bool(self.told_splits or self.told_streams)

    def observe(self, output: Output, request: Request, chunkings: Sequence[Chunking]) -> list[Observation]:
        """An observation for each finish, none where the implementation can't be asked."""
        raw = output.raw
        self.outputs += 1
        expectation = self.readings.expect(raw, request)
        level = expectation.prompt_at if self.prompt else expectation.floor_at
        floors = [level(chunking) for chunking in chunkings]
        seen: list[Observation] = []
        for finish in FINISHES:
            split = self.split(output, request, finish)
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
        return observation.split == (ending.reasoning, ending.content) and len(observation.streams) <= 1

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


def run_of(chunking: Chunking, told: Deltas) -> StreamRun:
    """The stream that gave those deltas; a malformed one where a delta isn't one."""
    deltas: list[tuple[tuple[str, str], ...]] = []
    for number, given in enumerate(told):
        where = f"feed of chunk {number + 1}" if number < len(told) - 1 else "finish"
        try:
            deltas.append(tuple([delta_of(delta) for delta in given]))
        except Malformed as error:
            return StreamRun(chunking, failure=Failure("malformed", f"{where} gave {error}"))
        except Exception as error:
            text = f"{where} gave a delta that can't be read: {told_error(error)}"
            return StreamRun(chunking, failure=Failure("malformed", text))
    return StreamRun(chunking, tuple(deltas))


def delta_of(delta: Any) -> tuple[str, str]:
    """The (channel, text) of a delta: a sequence of two, or an object with the two names. Raises Malformed."""
    if hasattr(delta, "channel") and hasattr(delta, "text"):
        channel, text = delta.channel, delta.text
    else:
        try:
            channel, text = delta
        except (TypeError, ValueError):
            raise Malformed(f"{shown(delta)}, which is no delta; a delta is a pair (channel, text)") from None
    if channel not in ("reasoning", "content"):
        raise Malformed(f"a delta of an unknown channel, {shown(delta)}; the channels are 'reasoning' and 'content'")
    if not isinstance(text, str):
        raise Malformed(f"a delta whose text is {shown(text)}, in {shown(delta)}")
    return str(channel), text


def message_texts(message: Any) -> Texts:
    """The texts of a message: an object with the two names, or a pair. Raises Malformed."""
    if hasattr(message, "reasoning") and hasattr(message, "content"):
        reasoning, content = message.reasoning, message.content
    else:
        try:
            if isinstance(message, (str, bytes, dict, set, frozenset)):
                raise TypeError
            reasoning, content = message
        except (TypeError, ValueError):
            raise Malformed(
                f"{shown(message)}, which is no message; give a Message or a pair (reasoning, content)"
            ) from None
    for name, text in (("reasoning", reasoning), ("content", content)):
        if text is not None and not isinstance(text, str):
            raise Malformed(f"a message whose {name} is {shown(text)}, not a text")
    return paired(reasoning or ""), paired(content or "")


def shown(value: Any) -> str:
    """A value as it is shown in a sentence, cut where it is long; never raises."""
    try:
        text = ascii(value) if isinstance(value, str) else repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= 80 else f"{text[:60]}…{text[-16:]}"


def told_error(error: BaseException) -> str:
    """An exception in one line, with the place in the implementation's code where it was raised."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        if not path.startswith(OURS) or path.startswith(ADAPTERS):
            place = f" ({os.path.basename(path)}, line {line})"
    # One exception that is raised again and again would carry every traceback it ever had.
    error.__traceback__ = None
    text = error_text(error)
    return f"{type(error).__name__}{': ' + shown(text)[1:-1] if text else ''}{place}"


def error_text(error: BaseException) -> str:
    """The text of an exception, none where it has none to give; never raises."""
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return ""


def _iterable(value: Any) -> bool:
    return hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__")
