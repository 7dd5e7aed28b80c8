"""The kill matrix: every mutant judged by every check, on the dialect where it shows."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from conformance.checks import CHECKS
from conformance.judge import judge
from conformance.settings import Options, Progress
from conformance.verdicts import Verdict, Violation
from mutants.mutant import Mutant
from mutants.registry import CONTROL, MUTANTS

HANG_AFTER = 5.0
"""Seconds after which a call of a mutant counts as hanging; a right call takes a small part of that."""


@dataclass(frozen=True, slots=True)
class Kill:
    """What a check found in a mutant: after how many seconds and outputs, and the case as ``--case`` takes it."""

    check: str
    seconds: float
    tried: int
    raw: str | None
    case: str


@dataclass(frozen=True, slots=True)
class Row:
    """A mutant and what the checks say of it.

    ``kills``: check id to what it found, in the order of the catalogue. ``advice``: ids of musts that only advise,
    which is no kill. ``unjudged``: check id to why it said nothing. ``error``: why the mutant doesn't load, "" if it
    does. ``seconds``: of the whole sweep.
    """

    mutant: str
    dialect: str
    kills: Mapping[str, Kill] = field(default_factory=dict)
    advice: tuple[str, ...] = ()
    unjudged: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    seconds: float = 0.0

    @property
    def judged(self) -> bool:
        """Whether any check gave a verdict."""
        return not self.error and len(self.unjudged) < len(CHECKS)

    @property
    def first(self) -> Kill | None:
        """The kill that came first, None for a survivor."""
        return min(self.kills.values(), key=lambda kill: kill.seconds, default=None)


def matrix(mutants: Iterable[Mutant], options: Options, jobs: int) -> Iterator[Row]:
    """A row for each mutant, as they are done; ``jobs`` are judged at a time."""
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        done = [pool.submit(judged, mutant.id, mutant.dialect, options) for mutant in mutants]
        try:
            for future in as_completed(done):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def judged(id: str, dialect: str, options: Options) -> Row:
    """The row of a mutant, or of the control, on a dialect."""
    mutant = CONTROL if id == CONTROL.id else MUTANTS[id]
    try:
        implementation = mutant.load()
    except Exception as error:
        return Row(id, dialect, error=f"{type(error).__name__}: {error}")
    return row_of(id, dialect, judge(implementation, dialect, options, _silent))


def row_of(mutant: str, dialect: str, verdicts: Iterable[Verdict]) -> Row:
    """The row that verdicts make. A check kills where it fails, a should where it advises."""
    kills: dict[str, Kill] = {}
    advice: list[str] = []
    unjudged: dict[str, str] = {}
    seconds = 0.0
    for verdict in verdicts:
        seconds = verdict.seconds
        should = CHECKS[verdict.check].level == "should"
        found = verdict.violation or (verdict.advice if should else None)
        if verdict.outcome == "fail" or (should and found is not None):
            kills[verdict.check] = _kill(verdict, found)
        elif verdict.outcome == "advice":
            advice.append(verdict.check)
        elif verdict.outcome in ("skip", "unjudged"):
            unjudged[verdict.check] = verdict.reason
    return Row(mutant, dialect, kills, tuple(advice), unjudged, "", seconds)


def _kill(verdict: Verdict, found: Violation | None) -> Kill:
    if found is None:
        return Kill(verdict.check, verdict.seconds, verdict.outputs, None, "")
    first = min((one for one in (found, *verdict.others) if one.level == found.level), key=lambda one: one.seconds)
    return Kill(verdict.check, first.seconds, first.tried, found.raw, found.case)


def _silent(_: Progress) -> None:
    return None
