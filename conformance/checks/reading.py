"""Checks against the oracle: the declared policy, and what the finish reason may change."""

from __future__ import annotations

from conformance.checks.conservation import answers, differing
from conformance.checks.equality import compared
from conformance.observation import Finding, Observation, Texts, ends_off


def reads_as_declared(seen: Observation) -> Finding | None:
    """The message, streamed or not, is the one that the policy in force gives."""
    right = (seen.ending.reasoning, seen.ending.content)
    lenient: Finding | None = None
    for run, texts in answers(seen):
        if seen.same(texts, right):
            continue
        excused = seen.readings.space_is_free and ends_off(texts) == ends_off(right)
        finding = Finding(run=run, consults=True, lenient=excused, values=differing(right, texts, run))
        if not excused:
            return finding
        lenient = lenient or finding
    return lenient


def finish_respected(seen: Observation) -> Finding | None:
    """Where the oracle reads both finishes alike, so does the implementation."""
    twin = seen.twin
    if twin is None or (seen.ending.reasoning, seen.ending.content) != (twin.ending.reasoning, twin.ending.content):
        return None
    one, other = seen.parted, twin.parted
    if one is not None and other is not None and not seen.same(one, other):
        return Finding(consults=True, twin=True, values=_both(seen, twin, one, other))
    others = {run.chunking: run.texts for run in twin.told}
    right: Texts = (twin.ending.reasoning, twin.ending.content)
    failed = {run.chunking for run in twin.streams if run.failure is not None}
    for run in seen.told:
        if run.chunking in failed:
            continue
        texts = others.get(run.chunking, right)
        if not seen.same(run.texts, texts):
            return Finding(run=run, consults=True, twin=True, values=_both(seen, twin, run.texts, texts))
    return None


def _both(seen: Observation, twin: Observation, one: Texts, other: Texts) -> tuple[tuple[str, str, str, str], ...]:
    return tuple(compared(one, other, f"at {seen.finish}", f"at {twin.finish}"))
