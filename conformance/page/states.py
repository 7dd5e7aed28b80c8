"""What became of a check of a dialect, in one word that is never mixed with another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.report import Entry
from conformance.verdicts import Verdict, Violation


@dataclass(frozen=True, slots=True)
class State:
    """A state's id, the sign that stands for it (colour alone never does), its head in a table, and its sentence."""

    id: str
    sign: str
    head: str
    words: str


STATES: dict[str, State] = {
    state.id: state
    for state in (
        State("failed", "F", "failed", "fails"),
        State("errored", "E", "errored", "crashed, hung, or could not be judged to the end"),
        State("listed", "!", "no longer fails", "is listed as an expected failure, and no longer fails"),
        State("expected", "x", "known", "fails, and is listed as an expected failure"),
        State("advice", "a", "advice", "passes, with advice: a should is not met"),
        State("passed", "✓", "passed", "passes"),
        State("skipped", "s", "skipped", "was skipped: the implementation can't be asked"),
        State("unasked", "–", "not asked", "was not asked: the run left it out"),
        State("untold", "·", "not in the report", "is not in the report, which does not say whether it was declared"),
        State("undeclared", " ", "not declared", "is not declared: the implementation names no such dialect"),
        State("unnamed", " ", "no surfaces", "does not apply: the implementation names no surfaces"),
    )
}
"""State id to state, the worst first."""
SEEN = ("failed", "errored", "listed", "expected", "advice", "passed", "skipped")
"""The states of what a run reported."""
BROKEN = ("failed", "errored", "expected")
"""The states of what is not as it must be."""
ENDINGS = ("died", "hung", "lost")
"""How a call ends that never answers, as a violation's failure; as its kind in reports that tell no failures."""


def state_of(entry: Entry) -> str:
    """The state of a reported item, a key of ``STATES``."""
    verdict = entry.verdict
    if entry.standing.startswith("listed"):
        return "listed"
    if verdict.outcome == "unjudged" or any(
        one.failure in ENDINGS or one.kind in ENDINGS for one in violations(verdict)
    ):
        return "errored"
    if entry.outcome in ("failed", "expected", "skipped"):
        return entry.outcome
    return "advice" if verdict.outcome == "advice" else "passed"


def violations(verdict: Verdict) -> Iterator[Violation]:
    """Everything that a verdict found, the first must first, then the first should, then further kinds."""
    for violation in (verdict.violation, verdict.advice, *verdict.others):
        if violation is not None:
            yield violation
