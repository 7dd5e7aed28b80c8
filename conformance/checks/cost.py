"""The checks of cost: time and memory against the length of the output."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.adapter import Stream
from conformance.asking import Asker
from conformance.checks.fillers import Filler, fillers
from conformance.checks.tracing import Traced
from conformance.chunkings import Chunker, Chunking
from conformance.observation import Failure, Finding, Skipped, Texts, ends_off
from oracles.messages import Chunk, Request
from oracles.pieces import Output, Piece

Ask = Callable[[Output, Request, Chunking], Failure | Skipped | None]
"""Asks, and tells of the answer only where there is none."""

EXPONENT = 1.5
"""Time that grows faster than the length to this power is no longer linear: a linear reader was never seen above 1.34,
a quadratic one not below 1.6 at the lengths that are tried (processor time, collector off, each thrice)."""

DOUBTFUL = 1.25
"""From this power on, the longest outputs are doubled once more before anything is said."""

HISTORY = 4.0
"""How much dearer a chunk may be on a reader with a long history than on a fresh one. Linear readers stay at 1."""

MEASURABLE = 0.004
"""Seconds of processor time under which a growth says nothing."""

READ = {"split": None, "one feed": 0, "512 characters a chunk": 512, "7 characters a chunk": 7}
"""How long outputs are read: the name of the way, and the characters of a chunk."""

SHORT = 2_000
"""The length of outputs that a long one is held against."""

RETAINED = 0.5
"""Bytes a character that a reader may keep of text which it needs no more."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a measurement objects to: the check, the output's filler and length, and the finding."""

    check: str
    filler: Filler
    length: int
    finding: Finding


class Costs:
    """Measures an asker's implementation.

    ``longest``: the length up to which outputs grow. ``patience``: seconds that a filler may take.
    """

    def __init__(self, asker: Asker, chunker: Chunker, longest: int, patience: float) -> None:
        self.asker = asker
        self.chunker = chunker
        self.longest = longest
        self.patience = patience

    def measure(self, only: Sequence[str] | None = None) -> Iterator[Cost]:
        """Everything that is found, filler by filler (or of those named)."""
        dialect = self.asker.readings.dialect
        for filler in fillers(dialect):
            if only is not None and filler.name not in only:
                continue
            request = Request(dialect.id, filler.opened, True)
            for measure in (self._reading, self._one_feed, self._history, self._memory, self._retained):
                yield from measure(filler, request)

    def _reading(self, filler: Filler, request: Request) -> Iterator[Cost]:
        """A long output is read as a short one of its kind is."""
        lengths = (SHORT, self.longest // 4)
        first, last = (self._read_right(filler.whole(length), request) for length in lengths)
        for name, trouble in last.items():
            if trouble is not None and first.get(name, "") is None:
                note = f"{filler.name}, {name}: read right at 200 characters, not at {lengths[1]:,}{trouble}"
                yield Cost("cost-linear", filler, lengths[1], Finding(note=note, consults=not trouble))
                return

    def _read_right(self, output: Output, request: Request) -> dict[str, str | None]:
        """What is wrong with how the split and streams read an output, None where nothing is: "" or how they failed."""
        readings = self.asker.readings
        ending = readings.expect(output.raw, request).endings["length"]
        right = (ending.reasoning, ending.content)
        troubles: dict[str, str | None] = {}
        for name, size in READ.items():
            told: Texts | Failure | Skipped
            if size is None:
                told = self.asker.split(output, request, "length")
            else:
                cuts = range(size, len(output.raw), size) if size else ()
                run = self.asker.stream(output, request, "length", self.chunker.at(output, cuts))
                told = run if isinstance(run, Skipped) else run.failure or run.texts
            if isinstance(told, Failure):
                troubles[name] = f": {told.text}"
            elif not isinstance(told, Skipped):
                same = told == right or (readings.trimmed and ends_off(told) == ends_off(right))
                troubles[name] = None if same else ""
        return troubles

    def _one_feed(self, filler: Filler, request: Request) -> Iterator[Cost]:
        """Processor time of one feed and of a split, n to 4n."""
        for name, ask in (("one feed", self._streamed), ("split", self._split)):
            length = self.longest // 256
            deadline = time.monotonic() + self.patience
            while 4 * length <= self.longest:
                try:
                    factor, times = 4, self._pair(ask, filler, request, length, 4)
                    if 16 * length > self.longest and _growth(times, 4) > DOUBTFUL:
                        # Cheap copies are outweighed by what is linear until an output is long enough.
                        length, factor = 4 * length, 2
                        times = self._pair(ask, filler, request, length, factor)
                    steep = _growth(times, factor) > EXPONENT and all(
                        _growth(self._pair(ask, filler, request, length, factor), factor) > EXPONENT for _ in range(2)
                    )
                except _Unanswered as failed:
                    # Where the shortest fails too, the other rungs tell of it.
                    if failed.length > self.longest // 256:
                        note = f"{filler.name}, {name}, {failed.length:,} characters: {failed}"
                        yield Cost("cost-linear", filler, failed.length, Finding(note=note))
                    break
                if steep:
                    small, large = times
                    note = (
                        f"{filler.name}, {name}: {length:,} characters take {small * 1e3:.1f} ms, "
                        f"{factor * length:,} take {large * 1e3:.1f} ms ({large / small:.1f} times as long)"
                    )
                    yield Cost("cost-linear", filler, length, Finding(note=note))
                    return
                if time.monotonic() > deadline:
                    break
                length *= 4

    def _pair(self, ask: Ask, filler: Filler, request: Request, length: int, factor: int) -> tuple[float, float]:
        """Processor seconds of ``length`` characters, and of ``factor`` times as many."""
        small, large = filler.whole(length), filler.whole(factor * length)
        return self._processor_time(ask, small, request), self._processor_time(ask, large, request)

    def _processor_time(self, ask: Ask, output: Output, request: Request) -> float:
        best = math.inf
        chunking = self.chunker.whole(output)
        collecting = gc.isenabled()
        gc.disable()
        try:
            for _ in range(2):
                start = time.thread_time()
                answer = ask(output, request, chunking)
                if isinstance(answer, Skipped):
                    return 0.0
                if isinstance(answer, Failure):
                    raise _Unanswered(answer.text, len(output.raw))
                best = min(best, time.thread_time() - start)
        finally:
            if collecting:
                gc.enable()
        return best

    def _streamed(self, output: Output, request: Request, chunking: Chunking) -> Failure | Skipped | None:
        run = self.asker.stream(output, request, "length", chunking)
        return run if isinstance(run, Skipped) else run.failure

    def _split(self, output: Output, request: Request, chunking: Chunking) -> Failure | Skipped | None:
        answer = self.asker.split(output, request, "length")
        return answer if isinstance(answer, (Skipped, Failure)) else None

    def _history(self, filler: Filler, request: Request) -> Iterator[Cost]:
        """What a chunk costs on a reader with a long history, against a fresh one."""
        ratios: list[float] = []
        for _ in range(3):
            ratio = self._history_ratio(filler, request)
            ratios.append(ratio)
            if ratio <= HISTORY:
                return
        note = (
            f"{filler.name}: a chunk costs {min(ratios):.0f} times as much after {self.longest // 4:,} characters "
            "as at the beginning"
        )
        yield Cost("cost-linear", filler, self.longest // 4, Finding(note=note))

    def _history_ratio(self, filler: Filler, request: Request) -> float:
        raw = filler.output(self.longest // 4).raw
        begin = len("".join(piece.whole for piece in filler.begin))
        chunks = self._chunks(raw[begin : begin + 4096], 4)
        deadline = time.monotonic() + self.patience
        watchdog = self.asker.watchdog
        watchdog.begin()
        try:
            start_with = self._chunks(raw[:begin], begin) if begin else []
            feed_old = self._fed(request, start_with)
            for chunk in self._chunks(raw[begin:], 8):
                watchdog.begin()
                [*feed_old(chunk)]
                if time.monotonic() > deadline:
                    break
            costs: tuple[list[float], list[float]] = ([], [])
            batch = 16
            for start in range(0, 24 * batch, batch):
                feed_new = self._fed(request, [*start_with, *chunks[:batch]])
                for feed, cost in ((feed_old, costs[0]), (feed_new, costs[1])):
                    watchdog.begin()
                    began = time.perf_counter()
                    for chunk in chunks[start : start + batch]:
                        [*feed(chunk)]
                    cost.append(time.perf_counter() - began)
        except KeyboardInterrupt:
            raise
        except BaseException:
            return 0.0  # the other rungs tell of calls that raise or hang
        finally:
            watchdog.end()
        return _lower_quartile(costs[0]) / max(_lower_quartile(costs[1]), 1e-9)

    def _fed(self, request: Request, chunks: Sequence[Chunk]) -> Callable[[Chunk], Iterable[Any]]:
        """The feed of a new reader that has read those chunks."""
        feed = self._reader(request).feed
        for chunk in chunks:
            self.asker.watchdog.begin()
            [*feed(chunk)]
        return feed

    def _memory(self, filler: Filler, request: Request) -> Iterator[Cost]:
        """The peak of memory while one output is fed in many chunks, n to 4n."""
        small = self._peak(filler, request, self.longest // 16)
        large = self._peak(filler, request, self.longest // 4)
        if small > 0 and large > 4_000_000 and math.log(large / small, 4) > EXPONENT:
            grown = f"from {small / 1e6:.1f} to {large / 1e6:.1f} MB"
            note = f"{filler.name}: the peak of memory grows {grown} with four times the length"
            yield Cost("cost-linear", filler, self.longest // 4, Finding(note=note))

    def _peak(self, filler: Filler, request: Request, length: int) -> int:
        chunks = self._chunks(filler.output(length).raw, 64)
        with Traced() as traced:
            if self._feed_all(request, chunks, True) is None:
                return 0
            return traced.peak()

    def _retained(self, filler: Filler, request: Request) -> Iterator[Cost]:
        """Text that is kept although nothing needs it, where markers don't come in between."""
        if filler.marked or self._must_keep(filler):
            return
        kept: list[int] = []
        lengths = (self.longest // 16, self.longest // 4)
        for length in lengths:
            chunks = self._chunks(filler.output(length).raw, 1024)
            with Traced() as traced:
                stream = self._feed_all(request, chunks, False)
                if stream is None:
                    return
                kept.append(traced.current())
                del stream
        share = (kept[1] - kept[0]) / (lengths[1] - lengths[0])
        if share > RETAINED:
            note = f"{filler.name}: of each character fed, {share:.1f} bytes are kept; the policy in force needs none"
            yield Cost("memory-bounded", filler, lengths[1], Finding(note=note))

    def _must_keep(self, filler: Filler) -> bool:
        """Whether the policy in force has text of the filler's state kept."""
        policy, dialect = self.asker.readings.policy, self.asker.readings.dialect
        if filler.state == "INSIDE":
            skips = policy.skipped_channel != "stays" and bool(dialect.of("answer_close"))
            blank = policy.space == "trimmed" and filler.name.startswith("white space")
            return skips or blank or policy.unclosed == "content_if_stopped"
        return filler.state == "BEFORE" and policy.stray_close == "ends_thought"

    def _feed_all(self, request: Request, chunks: Sequence[Chunk], finish: bool) -> Stream | None:
        watchdog = self.asker.watchdog
        watchdog.begin()
        try:
            stream = self._reader(request)
            for chunk in chunks:
                watchdog.begin()
                for _ in stream.feed(chunk):
                    pass
            if finish:
                for _ in stream.finish("length"):
                    pass
        except KeyboardInterrupt:
            raise
        except BaseException:
            return None
        finally:
            watchdog.end()
        return stream

    def _reader(self, request: Request) -> Stream:
        self.asker.streams += 1
        return self.asker.adapter.stream(request)

    def _chunks(self, raw: str, size: int) -> list[Chunk]:
        """``raw`` in chunks of about ``size`` characters that the implementation's engine could deliver."""
        output = Output((Piece("text", raw),))
        return list(self.chunker.at(output, range(size, len(raw), size)).chunks)


class _Unanswered(Exception):
    """A call gave no answer; the text says why."""

    def __init__(self, text: str, length: int) -> None:
        super().__init__(text)
        self.length = length


def _growth(times: tuple[float, float], factor: int) -> float:
    """The power of the length with which time grows, where the output is ``factor`` times as long; 0 where unknown."""
    small, large = times
    return math.log(large / small, factor) if small > 0 and large > MEASURABLE else 0.0


def _lower_quartile(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 4]
