"""What a reader costs that is fed by hand: a chunk after a long history, and the memory that it takes and keeps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from conformance.asking import Asker
from conformance.checks.fillers import Filler
from conformance.checks.measuring import EXPONENT, Cost, Patience
from conformance.checks.tracing import Traced
from conformance.chunkings import Chunker
from conformance.implementation import Stream
from conformance.observation import Finding
from oracles.messages import Chunk, Request
from oracles.pieces import Output, Piece

HISTORY = 4.0
"""How much dearer a chunk may be on a reader with a long history than on a fresh one. Linear readers stay at 1."""

LENGTH, BATCH, BATCHES = 16_384, 16, 24
"""Of so many characters so many chunks are timed together, at most so many times."""

RETAINED = 0.5
"""Bytes a character that a reader may keep of text which it needs no more."""


class History:
    """Measures an asker's implementation, in this process. ``longest``, ``patience``: as of ``Costs``."""

    def __init__(self, asker: Asker, chunker: Chunker, longest: int, patience: float) -> None:
        self.asker = asker
        self.chunker = chunker
        self.longest = longest
        self.patience = patience

    def measure(self, filler: Filler, request: Request) -> Iterator[Cost]:
        """Everything that is found with a filler."""
        for measure in (self._history, self._memory, self._retained):
            yield from measure(filler, request)

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
        chunks = self._chunks(raw[begin : begin + LENGTH], 4)
        patience = Patience(self.patience)
        watchdog = self.asker.watchdog
        watchdog.begin()
        try:
            start_with = self._chunks(raw[:begin], begin) if begin else []
            feed_old = self._fed(request, start_with)
            for chunk in self._chunks(raw[begin:], 8):
                watchdog.begin()
                [*feed_old(chunk)]
                if patience.over:
                    break
            costs: tuple[list[float], list[float]] = ([], [])
            # Whole tokens may be long, and a batch without chunks would compare nothing with nothing.
            batch = min(BATCH, len(chunks))
            for start in range(0, min(BATCHES, len(chunks) // batch) * batch, batch):
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


def _lower_quartile(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 4]
