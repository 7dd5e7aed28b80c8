"""How an output is cut into the chunks of a stream (DESIGN section 5)."""

from __future__ import annotations

import itertools
import random
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from oracles.dialects import Dialect
from oracles.messages import Chunk
from oracles.pieces import Output
from oracles.vocabulary import Vocabulary

SIZES = (4096, 64, 11, 7, 5, 3, 2)
SHORT = 48
"""Outputs up to this length are cut in two at every offset, longer ones at several offsets a stream."""


@dataclass(frozen=True, slots=True)
class Chunking:
    """The chunks of one stream.

    ``ends``: the offset in the output that is reached after each chunk. ``special``: the ids don't come with their
    text.
    """

    name: str
    chunks: tuple[Chunk, ...]
    ends: tuple[int, ...]
    special: bool
    pick: Callable[[Sequence[Any]], Any] = field(repr=False, compare=False)
    """Takes from a sequence over offsets what stands at each of ``ends``; a tuple where there are two or more."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the chunks."""
        return tuple(chunk.text for chunk in self.chunks)


class Chunker:
    """Cuts outputs of a dialect. ``unit``: ``"text"``, or ``"tokens"`` for chunks that never end inside an atom."""

    def __init__(self, dialect: Dialect, unit: str = "text", seed: int = 0) -> None:
        self.unit = unit
        self.seed = seed
        self.longest = dialect.longest
        self.vocabulary = Vocabulary(dialect)
        self._made: dict[tuple[str, tuple[int, ...]], Chunk] = {}
        self._last: tuple[str, tuple[tuple[int, ...], Sequence[int]]] = ("", ((), []))

    def brief(self, output: Output) -> list[Chunking]:
        """A few chunkings, coarse to fine: whole, a piece, a token and a character a chunk."""
        return self._all(output, self._brief(output))

    def coarse(self, output: Output) -> list[Chunking]:
        """Whole, a piece and a token a chunk."""
        return self._all(output, itertools.islice(self._brief(output), 3))

    def cut(self, output: Output) -> list[Chunking]:
        """The brief ones, and every marker cut at each of its offsets."""
        return self._all(output, self._cuts(output))

    def full(self, output: Output) -> list[Chunking]:
        """Every chunking of DESIGN section 5, coarse to fine, each once."""
        return self._all(output, self._full(output), special=True)

    def edges(self, output: Output) -> list[Chunking]:
        """Whole, in large chunks, and a piece a chunk."""
        return self._all(output, self._edges(output))

    def long(self, output: Output, everywhere: bool = True) -> list[Chunking]:
        """Chunkings for outputs of thousands of characters: coarse ones, cuts about each marker, and ``everywhere``."""
        turns = self._in_turn(output) if everywhere else ()
        return self._all(output, itertools.chain(self._long(output), turns))

    def at(self, output: Output, cuts: Iterable[int], name: str = "as given") -> Chunking:
        """The chunking with those cuts, without those its unit forbids."""
        return self._cut(output.raw, tuple(cuts), name, *self._tokens(output.raw))

    def whole(self, output: Output) -> Chunking:
        """The chunking of one chunk."""
        raw = output.raw
        return self._made_of("whole", [(raw, self._vocabulary_of(raw)[0])], [len(raw)])

    def ending(self, output: Output, ends: Sequence[int], name: str = "as given") -> Chunking:
        """The chunking whose chunks end exactly there, the last at the end of the output; no ends, no chunk."""
        raw = output.raw
        if list(ends) != sorted(ends) or (ends[-1] if ends else 0) != len(raw) or (ends and ends[0] < 0):
            raise ValueError(f"chunks that end at {list(ends)!r} don't make up {len(raw)} characters")
        tokens, before = self._ids(raw)
        parts: list[tuple[str, tuple[int, ...]]] = []
        start = 0
        for end in ends:
            parts.append((raw[start:end], tokens[before[start] : before[end]]))
            start = end
        return self._made_of(name, parts, ends)

    def reported(self, output: Output, texts: Sequence[str]) -> Chunking | None:
        """The chunking whose chunks are those texts, which join to the output; None where its unit forbids it."""
        ends = list(itertools.accumulate(map(len, texts)))
        forbidden, _ = self._tokens(output.raw)
        return None if forbidden & {*ends} else self.ending(output, ends, "as reported")

    def special(self, output: Output) -> list[Chunking]:
        """Text that lags its ids, by a piece and by everything."""
        forbidden, (tokens, before) = self._tokens(output.raw)
        raw = output.raw
        cuts = [edge for edge in output.edges if edge not in forbidden]
        lagging: list[tuple[str, tuple[int, ...]]] = []
        ends: list[int] = []
        for start, end in itertools.pairwise(cuts):
            own = tokens[before[start] : before[end]]
            for number in own[:-1]:
                lagging.append(("", (number,)))
                ends.append(start)
            lagging.append((raw[start:end], own[-1:]))
            ends.append(end)
        return [
            self._made_of("text lags its ids", lagging, ends, True),
            self._made_of("all ids before the text", [("", tokens), (raw, ())], [0, len(raw)], True),
        ]

    def _all(self, output: Output, kinds: Iterator[tuple[str, Iterable[int]]], special: bool = False) -> list[Chunking]:
        raw = output.raw
        forbidden, ids = self._tokens(raw)
        seen: dict[tuple[int, ...], str] = {}
        length = len(raw)
        for name, cuts in kinds:
            kept = tuple(sorted({cut for cut in cuts if 0 < cut < length} - forbidden))
            seen.setdefault(kept, name)
        chunkings = [self._cut(raw, cuts, name, set(), ids) for cuts, name in seen.items()]
        if not raw:
            whole = chunkings.pop()
            chunkings += [
                self._made_of("no chunk", [], []),
                whole,
                self._made_of("empty chunks", [("", ())] * 3, [0] * 3),
            ]
        elif special:
            between = self._with_empty("empty chunks between", raw, output.edges, forbidden, ids)
            everywhere = self._with_empty("empty chunks everywhere", raw, range(length + 1), forbidden, ids)
            chunkings += [between] if length > SHORT or everywhere.ends == between.ends else [between, everywhere]
            chunkings += self.special(output)
        return chunkings

    def _with_empty(
        self, name: str, raw: str, cuts: Iterable[int], forbidden: set[int], ids: tuple[tuple[int, ...], Sequence[int]]
    ) -> Chunking:
        """Chunks that end at ``cuts``, an empty one behind each, and one before the first."""
        twice = [cut for cut in cuts if cut not in forbidden for _ in range(2)]
        return self._cut(raw, twice[:-1], name, set(), ids)

    def _brief(self, output: Output) -> Iterator[tuple[str, Iterable[int]]]:
        yield "whole", ()
        yield "a piece a chunk", output.edges
        yield "a token a chunk", self._token_ends(output.raw)
        yield "a character a chunk", range(1, len(output.raw))

    def _cuts(self, output: Output) -> Iterator[tuple[str, Iterable[int]]]:
        yield "whole", ()
        yield from self._marker_cuts(output)
        yield from self._brief(output)

    def _full(self, output: Output) -> Iterator[tuple[str, Iterable[int]]]:
        raw, edges = output.raw, output.edges
        length = len(raw)
        yield "whole", ()
        if length <= SHORT:
            for cut in range(1, length):
                yield "cut in two", (cut,)
        yield from self._sizes(length, SIZES[:-1])
        yield "a piece a chunk", edges
        yield "before marker edges", [edge - 1 for edge in edges]
        yield "after marker edges", [edge + 1 for edge in edges]
        yield "around marker edges", [edge + step for edge in edges for step in (-1, 0, 1)]
        if length > SHORT:
            yield from self._in_turn(output)
        yield from self._marker_cuts(output)
        draw = random.Random(zlib.crc32(raw.encode("utf-8", "surrogatepass")) ^ self.seed)
        ends = self._token_ends(raw)
        for _ in range(2):
            yield "several tokens a chunk", list(_groups(ends, draw))
        for share in (0.15, 0.5):
            yield "random", [cut for cut in range(1, length) if draw.random() < share]
        yield "a token a chunk", ends
        yield from self._sizes(length, SIZES[-1:])
        yield "a character a chunk", range(1, length)

    def _in_turn(self, output: Output) -> Iterator[tuple[str, Iterable[int]]]:
        """Every offset is cut once, several a stream, so far apart that no marker is cut twice."""
        stride = 2 * self.longest + 1
        for start in range(1, stride + 1):
            yield "cut at every offset in turn", range(start, len(output.raw), stride)

    def _edges(self, output: Output) -> Iterator[tuple[str, Iterable[int]]]:
        yield "whole", ()
        yield from self._sizes(len(output.raw), SIZES[:2])
        yield "a piece a chunk", output.edges

    def _long(self, output: Output) -> Iterator[tuple[str, Iterable[int]]]:
        length = len(output.raw)
        yield from self._edges(output)
        yield from self._marker_cuts(output)
        draw = random.Random(length ^ self.seed)
        yield "random", [cut for cut in range(1, length) if draw.random() < 0.02]

    def _marker_cuts(self, output: Output) -> Iterator[tuple[str, Iterable[int]]]:
        """Every marker of the output cut at the same offset, for each offset."""
        markers: list[tuple[int, int]] = []
        at = 0
        for piece in output.pieces:
            size = len(piece.whole)
            if piece.kind in ("marker", "cut"):
                markers.append((at, size))
            at += size
        for offset in range(1, max((size for _, size in markers), default=0)):
            yield "markers cut", [start + offset for start, size in markers if offset < size]

    @staticmethod
    def _sizes(length: int, sizes: Sequence[int]) -> Iterator[tuple[str, Iterable[int]]]:
        for size in sizes:
            if size < length:
                yield f"{size} characters a chunk", range(size, length, size)

    def _tokens(self, raw: str) -> tuple[set[int], tuple[tuple[int, ...], Sequence[int]]]:
        forbidden = self.vocabulary.inside(raw) if self.unit == "tokens" else set()
        return forbidden, self._ids(raw)

    def _ids(self, raw: str) -> tuple[tuple[int, ...], Sequence[int]]:
        """The ids of a text, and for each offset how many tokens have ended there."""
        ids, ends = self._vocabulary_of(raw)
        if len(ids) == len(raw):
            return ids, range(len(raw) + 1)
        before = [0] * (len(raw) + 1)
        count = 0
        start = 0
        for end in ends:
            if end - start > 1:
                before[start:end] = [count] * (end - start)
            else:
                before[start] = count
            count += 1
            start = end
        before[start:] = [count] * (len(raw) + 1 - start)
        return ids, before

    def _token_ends(self, raw: str) -> Sequence[int]:
        return self._vocabulary_of(raw)[1]

    def _vocabulary_of(self, raw: str) -> tuple[tuple[int, ...], Sequence[int]]:
        if self._last[0] != raw:
            self._last = (raw, self.vocabulary.tokens(raw))
        return self._last[1]

    def _cut(
        self, raw: str, cuts: Sequence[int], name: str, forbidden: set[int], ids: tuple[tuple[int, ...], Sequence[int]]
    ) -> Chunking:
        tokens, before = ids
        if forbidden:
            cuts = [cut for cut in cuts if cut not in forbidden]
        ends = [*cuts, len(raw)]
        parts: list[tuple[str, tuple[int, ...]]] = []
        start = 0
        for end in ends:
            parts.append((raw[start:end], tokens[before[start] : before[end]]))
            start = end
        return self._made_of(name, parts, ends)

    def _made_of(
        self, name: str, parts: Sequence[tuple[str, tuple[int, ...]]], ends: Sequence[int], special: bool = False
    ) -> Chunking:
        made = self._made
        chunks: list[Chunk] = []
        for part in parts:
            chunk = made.get(part)
            if chunk is None:
                chunk = Chunk(*part)
                if len(part[0]) <= 4:
                    made[part] = chunk
            chunks.append(chunk)
        return Chunking(name, tuple(chunks), tuple(ends), special, itemgetter(*ends) if ends else _nothing)


def _nothing(_: Sequence[Any]) -> tuple[()]:
    return ()


def _groups(ends: Sequence[int], draw: random.Random) -> Iterator[int]:
    at = 0
    while at < len(ends):
        at += draw.randint(1, 8)
        yield ends[min(at, len(ends)) - 1]
