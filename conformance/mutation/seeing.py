"""What a sweep saw of an implementation, in a form that two of them can be compared by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.expected import standing
from conformance.observation import Observation, StreamRun
from conformance.telling import told_in_a_line
from conformance.verdicts import Level, Outcome, Verdict, Violation

MEASURED = frozenset({"cost-linear", "memory-bounded"})
"""Checks that measure: no two runs measure alike."""

Kinds = frozenset[tuple[str, str]]
"""Kinds of violations, each with its smallest case."""

MODULUS = 1 << 128


@dataclass(frozen=True)
class Seen:
    """A dialect's sweep.

    ``outcomes``: check to outcome; ``kinds``: (check, level) to what it found; ``told``: check to the violation of its
    outcome, in a line; ``reasons``: check to why it was skipped or not judged. ``results``, ``timing``: sums over
    whatever isn't as the oracle expects it, of the messages and of how late text came. ``outputs``: how many were
    asked.
    """

    dialect: str
    outcomes: Mapping[str, Outcome]
    kinds: Mapping[tuple[str, Level], Kinds]
    told: Mapping[str, str]
    reasons: Mapping[str, str]
    results: int
    timing: int
    outputs: int
    seconds: float = 0.0
    lines: frozenset[int] = field(default=frozenset())


class Eye:
    """Sums up observations; the order in which they come doesn't matter."""

    def __init__(self) -> None:
        self.results = 0
        self.timing = 0

    def __call__(self, seen: Observation) -> None:
        """Looks at one observation. What is as the oracle expects adds nothing."""
        right = (seen.ending.reasoning, seen.ending.content)
        asked = (seen.output.raw, seen.request.opened, seen.request.thinking, seen.finish)
        if seen.split != right:
            self.results = _added(self.results, asked, None, seen.split)
        for run in seen.streams:
            if run.failure is not None or run.texts != right or run.runs != seen.ending.runs:
                said = run.failure or (run.texts, run.runs)
                self.results = _added(self.results, asked, run.chunking.texts, said)
            elif late := _lateness(seen, run):
                self.timing = _added(self.timing, asked, run.chunking.texts, late)


def _lateness(seen: Observation, run: StreamRun) -> tuple[tuple[int, int], ...]:
    """Chunks after which the stream is behind the oracle, and by how much."""
    due = seen.expectation.prompt_at(run.chunking)
    behind = enumerate(wanted - released for wanted, released in zip(due, run.released, strict=True))
    return tuple((chunk, count) for chunk, count in behind if count > 0)


def _added(total: int, *values: Any) -> int:
    text = repr(values).encode("utf-8", "backslashreplace")
    return (total + int.from_bytes(hashlib.blake2b(text, digest_size=16).digest())) % MODULUS


def seen_of(
    dialect: str, verdicts: Iterable[Verdict], eye: Eye, seconds: float = 0.0, lines: Iterable[int] = ()
) -> Seen:
    """What the verdicts of a sweep say, and what an eye saw meanwhile."""
    verdicts = list(verdicts)
    kinds: dict[tuple[str, Level], set[tuple[str, str]]] = {}
    for verdict in verdicts:
        for one in _violations(verdict):
            kinds.setdefault((verdict.check, one.level), set()).add((one.kind, one.case))
    shown = {verdict.check: verdict.violation or verdict.advice for verdict in verdicts}
    return Seen(
        dialect=dialect,
        outcomes={verdict.check: verdict.outcome for verdict in verdicts},
        kinds={key: frozenset(found) for key, found in kinds.items()},
        told={check: told_in_a_line(one) for check, one in shown.items() if one is not None},
        reasons={verdict.check: verdict.reason for verdict in verdicts if verdict.reason},
        results=eye.results,
        timing=eye.timing,
        outputs=max((verdict.outputs for verdict in verdicts), default=0),
        seconds=seconds,
        lines=frozenset(lines),
    )


def _violations(verdict: Verdict) -> list[Violation]:
    return [one for one in (verdict.violation, verdict.advice, *verdict.others) if one is not None]


def kill_in(clean: Seen, now: Seen, compared: frozenset[str]) -> tuple[str, str] | None:
    """The check by which a whole sweep tells a mutant from the clean implementation, and how; None where none does.

    ``compared``: the checks whose failure is expected, and must stay as it was.
    """
    for check, outcome in now.outcomes.items():
        before = clean.outcomes.get(check, "pass")
        if check in compared:
            if outcome != before:
                what = now.told.get(check) or now.reasons.get(check, "")
                return check, f"a listed failure is now: {outcome}{f' ({what})' if what and outcome != 'pass' else ''}"
            if now.kinds.get((check, "must")) != clean.kinds.get((check, "must")):
                return check, f"a listed failure shows by other cases: {now.told.get(check, '')}"
        elif before not in ("fail", "unjudged") and standing(outcome, False) in ("failed", "unjudged"):
            return check, now.told.get(check) or now.reasons.get(check, outcome)
    return None
