"""The ladder: which outputs are tried, under which requests, cut how; words, then shapes, then recorded cases."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from conformance.checks.fillers import fillers
from conformance.chunkings import Chunker, Chunking
from conformance.profiles import Profile
from oracles.cases import RecordedCase
from oracles.dialects import Dialect
from oracles.messages import Request
from oracles.pieces import Output, Piece, Pieces
from oracles.segmenting import segmented
from oracles.shape_table import written
from oracles.shapes import Shape

REPEATED = 400
"""Characters of a repetition."""

LONG = 1000
"""Outputs from this length on are cut in few ways."""


@dataclass(frozen=True, slots=True)
class Step:
    """One output to try: under these requests, cut in these ways. ``rung``: where on the ladder it stands."""

    rung: str
    output: Output
    requests: tuple[Request, ...]
    chunkings: tuple[Chunking, ...]


class Ladder:
    """The steps for one dialect. ``recorded``: its cases."""

    def __init__(
        self,
        dialect: Dialect,
        chunker: Chunker,
        profile: Profile,
        recorded: Sequence[RecordedCase] = (),
        without: frozenset[str] = frozenset(),
    ) -> None:
        """``without``: ids of shapes that are left out."""
        self.dialect = dialect
        self.recorded = recorded
        self.chunker = chunker
        self.profile = profile
        self.pieces = Pieces(dialect)
        self._without = without
        pairs = [Request(dialect.id, opened, thinking) for opened in (True, False) for thinking in (True, False)]
        self.pairs = tuple(pairs)
        self.thinking = tuple(request for request in pairs if request.thinking)
        self.idle = tuple(request for request in pairs if not request.thinking)

    @cached_property
    def written(self) -> dict[Shape, list[Output]]:
        """The shapes, each with its outputs."""
        return {shape: outputs for shape, outputs in written(self.dialect).items() if shape.id not in self._without}

    @cached_property
    def told(self) -> list[tuple[RecordedCase, Output]]:
        """The recorded cases, each with its output; a generated one names no report."""
        return [(case, segmented(self.dialect, case.raw, _named(case))) for case in self.recorded]

    def words(self) -> Iterator[Step]:
        """Every short word over the alphabet of pieces, shortest first, then longer ones over the core alphabet."""
        profile, pieces, chunker = self.profile, self.pieces, self.chunker
        for length in range(profile.words + 1):
            pairs = self.pairs if length <= profile.paired_words else self.thinking
            for symbols in itertools.product(pieces.alphabet, repeat=length):
                output = pieces.output(symbols)
                if length <= 1:
                    yield Step("words", output, pairs, tuple(chunker.full(output)))
                elif length <= profile.cut_words:
                    yield Step("words", output, self.thinking, tuple(chunker.cut(output)))
                    yield Step("words", output, self.idle, tuple(chunker.brief(output)))
                else:
                    yield Step("words", output, pairs, tuple(chunker.brief(output)))
        for length in range(profile.words + 1, profile.core_words + 1):
            for symbols in itertools.product(pieces.core, repeat=length):
                output = pieces.output(symbols)
                yield Step("words", output, self.thinking, tuple(chunker.coarse(output)))

    def shapes(self) -> Iterator[Step]:
        """Each shape at its boundary values."""
        for shape, outputs in self.written.items():
            for output in self._some(outputs) if shape.id == "across-4096" else outputs:
                if shape.cut == "edges" and self.profile.shapes == "own":
                    yield Step("shapes", output, self.thinking, tuple(self.chunker.edges(output)))
                elif len(output.raw) >= LONG:
                    yield Step("shapes", output, self.thinking, tuple(self.chunker.long(output, shape.cut != "edges")))
                elif shape.cut != "full":
                    yield Step("shapes", output, self.thinking, tuple(self.chunker.brief(output)))
                else:
                    yield from self._in_every_way(output)

    def repetitions(self) -> Iterator[Step]:
        """Outputs in which one thing comes again and again, as those have whose cost is measured."""
        for filler in fillers(self.dialect):
            output = filler.whole(REPEATED)
            yield Step("shapes", output, self.thinking, tuple(self.chunker.edges(output)))

    def cases(self) -> Iterator[Step]:
        """Each recorded case: cut as it was reported, and in every way, then in a few ways for the other requests."""
        asked = self.thinking if self.profile.shapes == "own" else self.pairs
        for case, output in self.told:
            long = len(output.raw) >= LONG
            whole, *usual = self.chunker.long(output) if long else self.chunker.full(output)
            reported = [self.chunker.reported(output, chunks) for chunks in case.chunkings]
            chunkings = (whole, *(chunking for chunking in reported if chunking is not None), *usual)
            yield Step("cases", output, (case.request,), chunkings)
            rest = tuple(request for request in asked if request != case.request)
            yield Step("cases", output, rest, tuple(self.chunker.edges(output) if long else self.chunker.brief(output)))

    def _in_every_way(self, output: Output) -> Iterator[Step]:
        """An output cut in every way for the requests that the profile names, in a few ways for the others."""
        full = {"all": self.pairs, "thinking": self.thinking}.get(self.profile.shapes)
        if full is None:
            full = tuple(request for request in self.thinking if output.opened in (None, request.opened))
        asked = self.thinking if self.profile.shapes == "own" else self.pairs
        rest = tuple(request for request in asked if request not in full)
        yield Step("shapes", output, full, tuple(self.chunker.full(output)))
        if rest:
            yield Step("shapes", output, rest, tuple(self.chunker.brief(output)))

    def _some(self, outputs: Sequence[Output]) -> list[Output]:
        """Of the offsets of each marker the first, the last, and every so many-th."""
        by_marker: dict[str, list[Output]] = {}
        for output in outputs:
            marker = next(piece.text for piece in output.pieces if piece.kind == "marker")
            by_marker.setdefault(marker, []).append(output)
        step = self.profile.edges
        return [
            output
            for group in by_marker.values()
            for place, output in enumerate(group)
            if place % step == 0 or place == len(group) - 1
        ]


def _named(case: RecordedCase) -> str:
    return "" if case.id.split("/")[1] == "generated" else f"{case.source.name} ({case.id})"


def symbols_of(pieces: Pieces) -> tuple[Piece, ...]:
    """The symbols that bytes are decoded to, words and markers first, so that smaller bytes mean simpler outputs."""
    first = (*pieces.alphabet, *pieces.look_alikes, *pieces.foreign)
    return tuple(dict.fromkeys(first))
