"""The kill matrix: every mutant judged by every check, on the dialect where it shows."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace

from conformance.checks import CHECKS
from conformance.judge import judge
from conformance.settings import Options, Progress
from conformance.verdicts import Verdict, Violation
from mutants.mutant import Mutant
from mutants.registry import CONTROL, MUTANTS

MEASURING = frozenset({"cost-linear", "memory-bounded"})
"""The checks that measure, which takes as long as all others together."""

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
    which is no kill. ``unjudged``: check id to why it said nothing. ``asked``: ids of the checks that looked.
    ``error``: why the mutant doesn't load, "" if it does. ``seconds``: of the whole sweep.
    """

    mutant: str
    dialect: str
    kills: Mapping[str, Kill] = field(default_factory=dict)
    advice: tuple[str, ...] = ()
    unjudged: Mapping[str, str] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()
    error: str = ""
    seconds: float = 0.0

    @property
    def judged(self) -> bool:
        """Whether any check gave a verdict."""
        return bool(self.asked - set(self.unjudged))

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
    """The row of a mutant, or of the control, on a dialect.

    What measures is asked where it matters: of the control, of a mutant that is made for it, and of one that no two
    other checks kill, which it may be the only killer of.
    """
    mutant = CONTROL if id == CONTROL.id else MUTANTS[id]
    try:
        implementation = mutant.load()
    except Exception as error:
        return Row(id, dialect, error=f"{type(error).__name__}: {error}")
    checks = frozenset(CHECKS) if options.checks is None else options.checks
    if mutant is CONTROL or mutant.check in MEASURING:
        return row_of(id, dialect, judge(implementation, dialect, options, _silent))
    verdicts = judge(implementation, dialect, replace(options, checks=checks - MEASURING), _silent)
    row = row_of(id, dialect, verdicts)
    if len(row.kills) > 1 or not checks & MEASURING:
        return row
    measured = row_of(id, dialect, judge(implementation, dialect, replace(options, checks=checks & MEASURING), _silent))
    return replace(
        row,
        kills={check: kill for check in CHECKS for kill in [{**row.kills, **measured.kills}.get(check)] if kill},
        unjudged={**row.unjudged, **measured.unjudged},
        asked=row.asked | measured.asked,
        seconds=row.seconds + measured.seconds,
    )


def row_of(mutant: str, dialect: str, verdicts: Iterable[Verdict]) -> Row:
    """The row that verdicts make. A check kills where it fails, a should where it advises."""
    kills: dict[str, Kill] = {}
    advice: list[str] = []
    unjudged: dict[str, str] = {}
    asked: set[str] = set()
    seconds = 0.0
    for verdict in verdicts:
        seconds = verdict.seconds
        asked.add(verdict.check)
        should = CHECKS[verdict.check].level == "should"
        found = verdict.violation or (verdict.advice if should else None)
        if verdict.outcome == "fail" or (should and found is not None):
            kills[verdict.check] = _kill(verdict, found)
        elif verdict.outcome == "advice":
            advice.append(verdict.check)
        elif verdict.outcome in ("skip", "unjudged"):
            unjudged[verdict.check] = verdict.reason
    return Row(mutant, dialect, kills, tuple(advice), unjudged, frozenset(asked), "", seconds)


def _kill(verdict: Verdict, found: Violation | None) -> Kill:
    if found is None:
        return Kill(verdict.check, verdict.seconds, verdict.outputs, None, "")
    first = min((one for one in (found, *verdict.others) if one.level == found.level), key=lambda one: one.seconds)
    return Kill(verdict.check, first.seconds, first.tried, found.raw, found.case)


def _silent(_: Progress) -> None:
    return None
