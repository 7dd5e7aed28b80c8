"""Making a case smaller: fewer pieces, shorter ones, fewer chunks, a plainer request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from conformance.candidates import Candidate
from conformance.chunkings import Chunker, Chunking
from oracles.messages import Finish, Request
from oracles.pieces import Output, Piece

Probe = Callable[[Output, Request, Finish, list[Chunking]], Candidate | None]
"""Asks again: the candidate of the same check, level and kind that those give, or None."""

MOST_TRIES = 200
DEAR = 2_000
"""A try of so many characters counts twice, of twice as many thrice."""


def shrunk(candidate: Candidate, probe: Probe, chunker: Chunker, tries: int = MOST_TRIES) -> Candidate:
    """The smallest candidate that greedy steps from ``candidate`` reach."""
    left = tries
    best = candidate
    moved = True
    while moved and left > 0:
        moved = False
        for output, request, finish, chunkings in _smaller(best, chunker):
            left -= 1 + len(output.raw) // DEAR
            if left <= 0:
                break
            found = probe(output, request, finish, chunkings)
            if found is not None and found.size < best.size:
                best, moved = found, True
                break
    return best


def _smaller(candidate: Candidate, chunker: Chunker) -> Iterator[tuple[Output, Request, Finish, list[Chunking]]]:
    request, finish, output = candidate.request, candidate.finish, candidate.output
    for smaller in _outputs(output):
        yield smaller, request, finish, _chunkings(smaller, candidate, chunker)
    if candidate.chunking is not None:
        ends = candidate.chunking.ends
        if not candidate.chunking.special:
            for size in (len(ends) // 2, len(ends) // 4, 1):
                for start in range(0, max(0, len(ends) - 1), size or 1):
                    kept = [*ends[:start], *ends[start + (size or 1) :]]
                    if not kept or kept[-1] != ends[-1]:
                        kept.append(ends[-1])
                    if len(kept) < len(ends):
                        yield output, request, finish, [chunker.whole(output), chunker.ending(output, kept)]
    same = [] if candidate.chunking is None else [chunker.whole(output), candidate.chunking]
    if not request.thinking:
        yield output, replace(request, thinking=True), finish, same
    if finish != "stop":
        yield output, request, "stop", same


def _outputs(output: Output) -> Iterator[Output]:
    """The output with a run of pieces left out, and with each piece made shorter."""
    pieces = output.pieces
    size = len(pieces) // 2
    while size:
        for start in range(0, len(pieces), size):
            yield replace(output, pieces=pieces[:start] + pieces[start + size :])
        size //= 2
    for place, piece in enumerate(pieces):
        for shorter in _shorter(piece):
            yield replace(output, pieces=(*pieces[:place], shorter, *pieces[place + 1 :]))


def _shorter(piece: Piece) -> Iterator[Piece]:
    if piece.times > 1:
        steps = (piece.times >> shift for shift in range(1, piece.times.bit_length()))
        for times in dict.fromkeys((1, *(piece.times - step for step in steps))):
            yield replace(piece, times=times)
    elif piece.kind != "marker" and len(piece.text) > 1:
        yield replace(piece, text=piece.text[:1])
        yield replace(piece, text=piece.text[: len(piece.text) // 2])
        yield replace(piece, text=piece.text[:-1])


def _chunkings(output: Output, candidate: Candidate, chunker: Chunker) -> list[Chunking]:
    """For a stream, coarse ways to cut a smaller output, the candidate's own kind of cut among them."""
    if candidate.chunking is None:
        return []
    every = chunker.full(output) if len(output.raw) <= 60 else chunker.long(output)
    name = candidate.chunking.name
    return [chunking for chunking in every if chunking.name == name or not chunking.special]
