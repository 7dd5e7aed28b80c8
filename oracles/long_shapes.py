"""Shapes that no pattern can say: edges, prefixes, joined neighbours, every marker in one output."""

from __future__ import annotations

from collections.abc import Iterator

from oracles.pieces import WORD, Output, Piece, Pieces


def prefix_pairs(pieces: Pieces) -> Iterator[Output]:
    """Each marker that is a proper beginning of another: alone, with words behind it, and grown to the other."""
    texts = {marker.text: marker for marker in pieces.markers}
    for short in pieces.markers:
        for long in pieces.markers:
            if long.text == short.text or not long.text.startswith(short.text):
                continue
            for length in range(len(short.text) + 1, len(long.text)):
                if long.text[:length] in texts:
                    continue
                grown = Piece("cut", long.text[:length], long.role)
                yield pieces.output([grown])
                yield pieces.output([WORD, grown, WORD])
            yield pieces.output([WORD, short])
            yield pieces.output([short, WORD])
            yield pieces.output([WORD, long, WORD])


def joined_neighbours(pieces: Pieces) -> Iterator[Output]:
    """A marker's two halves with a dropped marker between them: together they are text."""
    openers = [marker for marker in pieces.markers if marker.role == "reasoning_open"]
    closers = [marker for marker in pieces.markers if marker.role == "reasoning_close"]
    framing = [marker for marker in pieces.markers if marker.role == "framing"]
    for marker in (*openers, *closers):
        half = max(1, len(marker.text) // 2)
        head, tail = Piece("cut", marker.text[:half], marker.role), Piece("text", marker.text[half:])
        for opener in openers[:1]:
            for closer in closers[:1]:
                yield pieces.output([head, opener, WORD, closer, tail])
                yield pieces.output([opener, WORD, closer, head, opener, tail])
        for frame in framing[:1]:
            yield pieces.output([WORD, head, frame, tail, WORD])


def across_64(pieces: Pieces) -> Iterator[Output]:
    """Each marker at each offset across a 64-character edge."""
    for marker in pieces.markers:
        for offset in range(1, min(len(marker.text), 64)):
            yield pieces.output([filler(pieces, 64 - offset), marker, WORD])


def across_4096(pieces: Pieces) -> Iterator[Output]:
    """A text over 4,096 characters with each marker at each offset across the edge."""
    for marker in pieces.markers:
        for offset in range(1, len(marker.text)):
            yield pieces.output([filler(pieces, 4096 - offset), marker, WORD])


def long_replay(pieces: Pieces) -> Iterator[Output]:
    """Skipped channels whose text is around and over the size of a replay's piece, alone and before a call."""
    closers = [marker for marker in pieces.markers if marker.role == "answer_close"][:1]
    calls = [marker for marker in pieces.markers if marker.role == "calls_open"][:1]
    for closer in closers:
        for length in (4095, 4096, 4097, 9000):
            yield pieces.output([WORD, filler(pieces, length - 1), closer])
        for call in calls:
            yield pieces.output([WORD, filler(pieces, 5000), closer, call, WORD])


def long_space(pieces: Pieces) -> Iterator[Output]:
    """A run of white space that is longer than the longest marker, between words and at the end, in every state."""
    space = Piece("space", " ", times=pieces.dialect.longest + 1)
    closers = [marker for marker in pieces.markers if marker.role == "reasoning_close"][:1]
    yield pieces.output([WORD, space, WORD, *closers, WORD, space, WORD])
    yield pieces.output([WORD, space])


def everything(pieces: Pieces) -> Iterator[Output]:
    """Every marker, with words and without between them, in order and in reverse, once and twice."""
    for markers in (pieces.markers, pieces.markers[::-1]):
        spread = [symbol for marker in markers for symbol in (WORD, marker)]
        yield pieces.output(spread)
        yield pieces.output([*spread, Piece("space", "\n"), *spread])
        yield pieces.output(markers)
        yield pieces.output([*spread, filler(pieces, 300), *spread])


def filler(pieces: Pieces, length: int) -> Piece:
    """``length`` characters that stand in no marker and in no word."""
    taken = {sign for text in (*pieces.dialect.all_markers, *pieces.dialect.atoms) for sign in text}
    return Piece("text", next(sign for sign in ".-+~·" if sign not in taken), times=length)
