"""Checks that nothing is lost, doubled, leaked or out of order."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.checks.equality import compared
from conformance.expectation import Ending, ends_aside
from conformance.observation import Finding, Observation, StreamRun, Texts, paired
from oracles.messages import WHITE_SPACE

Segments = list[tuple[str, str]]


def nothing_lost(seen: Observation) -> Finding | None:
    """Every word arrives, once, in order within its channel; twice only where the policy in force replays.

    No policy loses a word, so no undeclared axis excuses it (SEMANTICS section 6).
    """
    twice = seen.readings.policy.skipped_channel == "replayed"
    excusable: Finding | None = None
    for run, texts in answers(seen):
        if texts == (seen.ending.reasoning, seen.ending.content):
            continue
        lost = next((word for word in seen.output.words if _is_lost(word, texts)), None)
        if lost is not None:
            return Finding(run=run, note=f"the word {lost!r} is lost", values=tuple(told(texts, run)))
        trouble = _trouble(seen.output.words, texts, twice)
        if trouble and excusable is None:
            excusable = Finding(run=run, note=trouble, consults=True, values=tuple(told(texts, run)))
    return excusable


def markers_do_not_leak(seen: Observation) -> Finding | None:
    """No channel holds a marker that carries no text oftener than the oracle's does.

    An undeclared axis excuses it where some value of it would let the marker be text, and where the text around other
    markers makes it: what becomes of those may be neither value.
    """
    right = (seen.ending.reasoning, seen.ending.content)
    excusable: Finding | None = None
    for run, texts in answers(seen):
        for marker, channel in _leaks(seen, texts, right):
            note = f"the marker {marker!r} carries no text here, and reached {channel}"
            excused = _is_made_of_text(marker, seen) or not all(
                (marker, channel) in _leaks(seen, texts, (other.reasoning, other.content))
                for other in seen.readings.others(seen.output.raw, seen.request, seen.finish)
            )
            found = Finding(run=run, note=note, consults=excused, values=tuple(told(texts, run)))
            if not excused:
                return found
            excusable = excusable or found
    return excusable


def order_kept(seen: Observation) -> Finding | None:
    """Where the message is right, its parts came in the order of the output."""
    ending = seen.ending
    right = (ending.reasoning, ending.content)
    for run in seen.told:
        if not seen.same(run.texts, right) or run.runs == ending.runs:
            continue
        allowed = [segments_of(ending)]
        if ending.cut:
            allowed.append(_cut_last(allowed[0], ending.cut))
        got = _segments(run)
        if seen.trimmed:
            got, allowed = _without_ends(got), [_without_ends(segments) for segments in allowed]
        if got not in allowed:
            values = [("order", "oracle", _in_line(allowed[0]), ""), ("order", "stream", _in_line(got), "")]
            return Finding(run=run, consults=True, values=tuple(values))
    return None


def answers(seen: Observation) -> Iterator[tuple[StreamRun | None, Texts]]:
    """The split's texts, and each stream's."""
    if seen.parted is not None:
        yield None, seen.parted
    for run in seen.told:
        yield run, run.texts


def told(texts: Texts, run: StreamRun | None) -> Iterator[tuple[str, str, str, str]]:
    """Rows (channel, whose, text, remark) that show one message."""
    whose = "split" if run is None else "stream"
    yield "reasoning", whose, texts[0], ""
    yield "content", whose, texts[1], ""


def differing(right: Texts, texts: Texts, run: StreamRun | None) -> tuple[tuple[str, str, str, str], ...]:
    """Rows that hold a message against the oracle's."""
    return tuple(compared(right, texts, "oracle", "split" if run is None else "stream"))


def segments_of(ending: Ending) -> Segments:
    """The oracle's message as it comes: channel and text, run by run."""
    rest = {"reasoning": ending.reasoning, "content": ending.content}
    segments: Segments = []
    start = 0
    for channel, end in ending.runs:
        size = end - start
        segments.append((channel, rest[channel][:size]))
        rest[channel] = rest[channel][size:]
        start = end
    return segments


def _leaks(seen: Observation, texts: Texts, right: Texts) -> Iterator[tuple[str, str]]:
    """The markers that a message holds too often, each with the channel, where ``right`` is read."""
    if texts == right:
        return
    for marker in seen.readings.dialect.all_markers:
        there = seen.output.raw.count(marker)
        if not there or sum(text.count(marker) for text in right) >= there:
            continue
        for channel, text, allowed in zip(("reasoning", "content"), texts, right, strict=True):
            if text.count(marker) > allowed.count(marker):
                yield marker, channel


def _is_made_of_text(marker: str, seen: Observation) -> bool:
    """Whether the output without its markers holds one that was cut by others."""
    return marker in "".join([piece.whole for piece in seen.output.pieces if piece.kind != "marker"])


def _trouble(words: tuple[str, ...], texts: Texts, twice: bool) -> str:
    reasoning, content = texts
    for word in words:
        there = (reasoning.count(word), content.count(word))
        if max(there) > 1 or (sum(there) > 1 and not twice):
            return f"the word {word!r} arrives {sum(there)} times"
    for channel, text in zip(("reasoning", "content"), texts, strict=True):
        places = [text.find(word) for word in words if word in text]
        if places != sorted(places):
            return f"the words of {channel} are out of order"
    return ""


def _is_lost(word: str, texts: Texts) -> bool:
    """Whether a word is in no channel; one of several letters that two channels share is misplaced, not lost."""
    if any(word in text for text in texts):
        return False
    cuts = range(1, len(word))
    return not any(word[:cut] in one and word[cut:] in other for cut in cuts for one in texts for other in texts)


def _segments(run: StreamRun) -> Segments:
    segments: Segments = []
    for deltas in run.deltas:
        for channel, text in deltas:
            if not text:
                continue
            if segments and segments[-1][0] == channel:
                segments[-1] = (channel, segments[-1][1] + text)
            else:
                segments.append((channel, text))
    return [(channel, paired(text)) for channel, text in segments]


def _cut_last(segments: Segments, cut: int) -> Segments:
    """The order in which a cut marker comes behind the replay instead of before it.

    What is replayed stands before the cut marker in one run, so there is text before it.
    """
    *before, (channel, text), replay = segments
    return [*before, (channel, text[:-cut]), replay, (channel, text[-cut:])]


def _without_ends(segments: Segments) -> Segments:
    """Runs without the white space that ``space: trimmed`` lets go, blank ones left out."""
    merged: Segments = []
    for channel, text in segments:
        if not ends_aside(text):
            continue
        if merged and merged[-1][0] == channel:
            merged[-1] = (channel, merged[-1][1] + text)
        else:
            merged.append((channel, text))
    return [(channel, "".join(sign for sign in text if sign not in WHITE_SPACE)) for channel, text in merged]


def _in_line(segments: Segments) -> str:
    return ", ".join(f"{channel} {text}" for channel, text in segments)
