"""Checks that compare an implementation with itself: stream and split, chunking and chunking, surface and surface."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.observation import Failure, Finding, Observation, StreamRun, Texts, ends_off


def streamed_equals_split(seen: Observation) -> Finding | None:
    """Each channel of each stream equals the split's, white space at its ends aside."""
    split = seen.parted
    if split is None:
        return None
    for run in seen.told:
        if ends_off(run.texts) != ends_off(split):
            return Finding(run=run, values=tuple(compared(split, run.texts, "split", "stream")))
    return None


def whitespace_agrees(seen: Observation) -> Finding | None:
    """And byte for byte, where white space counts; what differs in more is another check's."""
    split = seen.parted
    if split is None or seen.trimmed:
        return None
    for run in seen.told:
        if run.texts != split and ends_off(run.texts) == ends_off(split):
            return Finding(run=run, values=tuple(compared(split, run.texts, "split", "stream")))
    return None


def chunks_do_not_matter(seen: Observation) -> Finding | None:
    """Every chunking folds to the same message."""
    first: StreamRun | None = None
    for run in seen.told:
        if first is None:
            first = run
        elif not seen.same(run.texts, first.texts):
            whose = "in one chunk" if len(first.chunking.chunks) == 1 else f"{len(first.chunking.chunks)} chunks"
            return Finding(run=run, other=first, values=tuple(compared(first.texts, run.texts, whose, "so cut")))
    return None


def surfaces_agree(seen: Observation) -> Finding | None:
    """Every surface, streamed or not, gives the message of the split that names none."""
    split = seen.parted
    if split is None:
        return None
    for name, answers in seen.surfaces.items():
        for chunking, answer in answers:
            if isinstance(answer, Failure) or seen.same(answer, split):
                continue
            run = None if chunking is None else StreamRun(chunking)
            whose = f"{name}, {'split' if chunking is None else 'stream'}"
            values = tuple(compared(split, answer, "split", whose))
            return Finding(run=run, values=values, extra={"surface": name, "streamed": chunking is not None})
    return None


def compared(one: Texts, other: Texts, whose: str, others: str) -> Iterator[tuple[str, str, str, str]]:
    """Rows (channel, whose, text, remark) for each channel that differs, and for the other where only one does."""
    for channel, left, right in zip(("reasoning", "content"), one, other, strict=True):
        remark = "" if left == right else f"first difference at {_first_difference(left, right)}"
        yield channel, whose, left, ""
        yield channel, others, right, remark


def _first_difference(one: str, other: str) -> int:
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))
