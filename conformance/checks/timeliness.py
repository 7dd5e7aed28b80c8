"""Checks of when text is released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.expectation import Expectation, Readings, ends_aside
from conformance.observation import Finding, Observation, StreamRun
from oracles.reader import PIECE


def released_in_time(seen: Observation) -> Finding | None:
    """After each chunk at most the longest marker less one character is held beyond what the oracle holds."""
    slack = seen.readings.dialect.longest - 1
    return _late(seen, seen.readings.latest, slack) or _replay_in_one_piece(seen)


def released_at_once(seen: Observation) -> Finding | None:
    """After each chunk nothing is held beyond what the oracle holds."""
    return _late(seen, seen.readings, 0)


def _late(seen: Observation, readings: Readings, slack: int) -> Finding | None:
    right = (seen.ending.reasoning, seen.ending.content)
    expected = readings.expect(seen.output.raw, seen.request)
    for run in seen.told:
        if not seen.same(run.texts, right):
            continue
        late = next(_lags(expected, readings.trimmed, run, slack), None)
        if late:
            chunk, behind = late
            allowed = f"at most {slack} may be" if slack else "none need be"
            sign = "character is" if behind == 1 else "characters are"
            where = f"after chunk {chunk + 1} of {len(run.chunking.chunks)}"
            note = f"{where}, {behind} {sign} held that the oracle has released; {allowed}"
            values = [
                (f"after {chunk + 1}", whose, repr((reasoning, content)), "")
                for whose, (reasoning, content) in (
                    ("oracle", _nth(expected.texts_at(run.chunking), chunk)),
                    ("stream", _nth(run.told_after(), chunk)),
                )
            ]
            return Finding(run=run, note=note, consults=True, values=tuple(values), extra={"chunk": chunk})
    return None


def _lags(expectation: Expectation, trimmed: bool, run: StreamRun, slack: int) -> Iterator[tuple[int, int]]:
    """The chunks after which too much is held, and how much."""
    if not trimmed:
        for chunk, (due, released) in enumerate(zip(expectation.prompt_at(run.chunking), run.released, strict=True)):
            if released < due - slack:
                yield chunk, due - released
        return
    expected = expectation.texts_at(run.chunking)
    for chunk, (due_texts, texts) in enumerate(zip(expected, run.told_after(), strict=True)):
        due = sum(len(ends_aside(text[: max(0, len(text) - slack)])) for text in due_texts)
        released = sum(len(ends_aside(text)) for text in texts)
        if released < due:
            yield chunk, sum(len(ends_aside(text)) for text in due_texts) - released


def _replay_in_one_piece(seen: Observation) -> Finding | None:
    if not seen.ending.replays:
        return None
    right = (seen.ending.reasoning, seen.ending.content)
    start, end = seen.ending.replays[0][0], seen.ending.replays[-1][1]
    for run in seen.told:
        if run.texts != right:
            continue
        at = 0
        for deltas in run.deltas:
            for channel, text in deltas:
                if channel != "content":
                    continue
                inside = min(end, at + len(text)) - max(start, at)
                at += len(text)
                if inside > PIECE:
                    note = f"a replay comes in a piece of {inside} characters; at most {PIECE} are allowed"
                    return Finding(run=run, note=note, consults=True)
    return None


def _nth(texts: Iterator[tuple[str, str]], number: int) -> Sequence[str]:
    return next(text for place, text in enumerate(texts) if place == number)
