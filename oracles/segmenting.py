"""Any text as an output of pieces, as though the grammar had written it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from oracles.dialects import Dialect
from oracles.messages import WHITE_SPACE
from oracles.pieces import Output, Piece, Pieces

MOST_WORDS = 256
"""So many words of an output are told apart: each is looked for in every answer."""
MOST_PIECES = 2_000
"""Of a text with more, what stands between those words is one piece."""

_RUNS = re.compile(r"(.)\1{31,}", re.DOTALL)
_TOKENS = re.compile(rf"(?P<space>[{WHITE_SPACE}]+)|(?P<word>\w+)|(?P<text>[^\w{WHITE_SPACE}]+)")


def segmented(dialect: Dialect, raw: str, known_as: str = "") -> Output:
    """The output whose text is ``raw``: markers (leftmost, then longest), words, white space, and text.

    A word is a run of letters and digits that stands in ``raw`` once and that no dropped marker could spell. A run of
    one character is one piece, repeated; the beginning of a marker at the very end is a cut one.
    ``known_as``: where the output was reported, or "".
    """
    pieces = [piece for kind, text, role in _marked(dialect, raw) for piece in _parted(kind, text, role)]
    kept = _kept_words(pieces, raw)
    pieces = [
        Piece("text", piece.text) if piece.kind == "word" and piece.text not in kept else piece for piece in pieces
    ]
    return Output(tuple(_merged(pieces) if len(pieces) > MOST_PIECES else pieces), known_as=known_as)


def _marked(dialect: Dialect, raw: str) -> Iterator[tuple[str, str, str]]:
    """Kind, text and role of each marker, of the cut one at the end, and of what stands between."""
    roles, pattern = _markers(dialect.all_markers, tuple(piece.role for piece in Pieces(dialect).markers))
    at = 0
    for match in pattern.finditer(raw):
        yield "", raw[at : match.start()], ""
        yield "marker", match.group(), roles[match.group()]
        at = match.end()
    rest = raw[at:]
    cuts = [(rest[-length:], role) for marker, role in roles.items() for length in _cut_lengths(marker, rest)]
    cut, role = max(cuts, key=lambda found: len(found[0]), default=("", ""))
    yield "", rest[: len(rest) - len(cut)], ""
    yield "cut", cut, role


@lru_cache(maxsize=64)
def _markers(markers: tuple[str, ...], roles: tuple[str, ...]) -> tuple[dict[str, str], re.Pattern[str]]:
    longest_first = sorted(markers, key=len, reverse=True)
    return dict(zip(markers, roles, strict=True)), re.compile("|".join(map(re.escape, longest_first)))


def _cut_lengths(marker: str, text: str) -> Iterator[int]:
    return (length for length in range(1, len(marker)) if text.endswith(marker[:length]))


def _parted(kind: str, text: str, role: str) -> Iterator[Piece]:
    if kind:
        if text:
            yield Piece(kind, text, role)
        return
    at = 0
    for run in _RUNS.finditer(text):
        yield from _tokens(text[at : run.start()])
        sign = run.group(1)
        yield Piece("space" if sign in WHITE_SPACE else "text", sign, times=len(run.group()))
        at = run.end()
    yield from _tokens(text[at:])


def _tokens(text: str) -> Iterator[Piece]:
    for match in _TOKENS.finditer(text):
        yield Piece(match.lastgroup or "text", match.group())


def _kept_words(pieces: list[Piece], raw: str) -> set[str]:
    """The words that can be told apart, evenly over the output where there are many."""
    words = [
        text for text, count in Counter(piece.text for piece in pieces if piece.kind == "word").items() if count == 1
    ]
    words = words[:: len(words) // MOST_WORDS + 1]
    unmarked = "".join(piece.whole for piece in pieces if piece.kind != "marker")
    return {word for word in words if raw.count(word) == 1 and unmarked.count(word) == 1}


def _merged(pieces: list[Piece]) -> Iterator[Piece]:
    between: list[str] = []
    for piece in pieces:
        if piece.kind in ("text", "space") and piece.times == 1:
            between.append(piece.text)
            continue
        if between:
            yield Piece("text", "".join(between))
            between = []
        yield piece
    if between:
        yield Piece("text", "".join(between))
