"""The checks of cost: time and memory against the length of the output."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from conformance.asking import Asker
from conformance.checks.fillers import Filler, fillers
from conformance.checks.history import History
from conformance.checks.measuring import DOUBTFUL, EXPONENT, Cost, Patience, growth
from conformance.chunkings import Chunker, Chunking
from conformance.observation import Failure, Finding, Skipped, Texts, ends_off
from oracles.messages import Request
from oracles.pieces import Output

__all__ = ["Cost", "Costs"]

Ask = Callable[[Output, Request, Chunking], Failure | Skipped | None]
"""Asks, and tells of the answer only where there is none."""

READ = {"split": None, "one feed": 0, "512 characters a chunk": 512, "7 characters a chunk": 7}
"""How long outputs are read: the name of the way, and the characters of a chunk."""

FED = 32
"""Characters of a chunk where an output can't be fed by hand: so few that a chunk's cost shows, so many that what is
said of it does not hide it."""

SHORT = 2_000
"""The length of outputs that a long one is held against."""


class Way(NamedTuple):
    """How a whole output is put: the name, the call, and the characters of a chunk, 0 for all."""

    name: str
    ask: Ask
    size: int


class Costs:
    """Measures an asker's implementation.

    ``longest``: the length up to which outputs grow. ``patience``: seconds of processor time that a filler
    may take.
    """

    def __init__(self, asker: Asker, chunker: Chunker, longest: int, patience: float) -> None:
        self.asker = asker
        self.chunker = chunker
        self.longest = longest
        self.patience = patience
        self._ways = [Way("one feed", self._streamed, 0), Way("split", self._split, 0)]
        self._read = False
        self._by_hand: list[Callable[[Filler, Request], Iterator[Cost]]] = []
        self._clock: Callable[[], float] = time.thread_time
        if asker.remote is None:
            self._by_hand.append(History(asker, chunker, longest, patience).measure)
        else:
            self._ways.append(Way(f"{FED} characters a chunk", self._streamed, FED))
            seconds = asker.remote.seconds
            self._clock = lambda: seconds() or 0.0

    def measure(self, only: Sequence[str] | None = None) -> Iterator[Cost]:
        """Everything that is found, filler by filler (or of those named)."""
        dialect = self.asker.readings.dialect
        if self.asker.remote is not None:
            self.asker.leave_out("memory-bounded", "how much memory a command takes is not measured")
            if not self._sees_time():
                self.asker.leave_out("cost-linear", "the processor time of a command can't be seen here")
                return
        for filler in fillers(dialect):
            if only is not None and filler.name not in only:
                continue
            request = Request(dialect.id, filler.opened, True)
            for measure in (self._reading, self._whole, *self._by_hand):
                yield from measure(filler, request)
        if not self._read:
            for check in ("cost-linear", "memory-bounded"):
                self.asker.leave_out(check, "it takes none of the outputs that are measured")

    def _reading(self, filler: Filler, request: Request) -> Iterator[Cost]:
        """A long output is read as a short one of its kind is."""
        lengths = (SHORT, self.longest // 4)
        first, last = (self._read_right(filler.whole(length), request) for length in lengths)
        self._read = self._read or bool(first)
        for name, trouble in last.items():
            if trouble is not None and first.get(name, "") is None:
                note = f"{filler.name}, {name}: read right at {lengths[0]:,} characters, not at {lengths[1]:,}{trouble}"
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

    def _sees_time(self) -> bool:
        """Whether the processor time of the command is known.

        That it has used some is enough: the kernel may count what it uses only when it next waits, or a tick later.
        """
        asker, dialect = self.asker, self.asker.readings.dialect
        if asker.remote is None:
            return False
        filler = fillers(dialect)[0]
        asker.split(filler.whole(SHORT), Request(dialect.id, filler.opened, True), "length")
        return bool(asker.remote.seconds())

    def _whole(self, filler: Filler, request: Request) -> Iterator[Cost]:
        """Processor time of whole outputs, n to 4n."""
        for way in self._ways:
            name = way.name
            length = self.longest // 256
            patience = Patience(self.patience, self._clock)
            while 4 * length <= self.longest:
                try:
                    factor, times = 4, self._pair(way, filler, request, length, 4)
                    if 16 * length > self.longest and growth(times, 4) > DOUBTFUL:
                        # Cheap copies are outweighed by what is linear until an output is long enough.
                        length, factor = 4 * length, 2
                        times = self._pair(way, filler, request, length, factor)
                    steep = growth(times, factor) > EXPONENT and all(
                        growth(self._pair(way, filler, request, length, factor), factor) > EXPONENT for _ in range(2)
                    )
                except _Unanswered as failed:
                    # Where the shortest fails too, the other rungs tell of it.
                    if failed.length > len(filler.whole(self.longest // 256).raw):
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
                if patience.over:
                    break
                length *= 4

    def _pair(self, way: Way, filler: Filler, request: Request, length: int, factor: int) -> tuple[float, float]:
        """Processor seconds of ``length`` characters, and of ``factor`` times as many."""
        small, large = filler.whole(length), filler.whole(factor * length)
        return self._processor_time(way, small, request), self._processor_time(way, large, request)

    def _processor_time(self, way: Way, output: Output, request: Request) -> float:
        best = math.inf
        cuts = range(way.size, len(output.raw), way.size) if way.size else ()
        chunking = self.chunker.at(output, cuts)
        collecting = gc.isenabled()
        gc.disable()
        try:
            for _ in range(2):
                start = self._clock()
                answer = way.ask(output, request, chunking)
                if isinstance(answer, Skipped):
                    return 0.0
                if isinstance(answer, Failure):
                    raise _Unanswered(answer.text, len(output.raw))
                best = min(best, self._clock() - start)
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


class _Unanswered(Exception):
    """A call gave no answer; the text says why."""

    def __init__(self, text: str, length: int) -> None:
        super().__init__(text)
        self.length = length
