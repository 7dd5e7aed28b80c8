"""The gate: the score of a run, and everything for which it fails."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mutants.mechanical.changes import Change, Mutant
from mutants.mechanical.equivalents import Equivalent
from mutants.mechanical.running import Clean, Result


@dataclass(frozen=True, slots=True)
class Score:
    """How many mutants there are, how many a test saw, how many a test did not, and how many are listed as equal."""

    mutants: int = 0
    killed: int = 0
    timeout: int = 0
    survived: int = 0
    equivalent: int = 0

    @property
    def percent(self) -> float:
        """Of the mutants not listed as equal, how many of a hundred a test saw; 0 where there are none."""
        counted = self.mutants - self.equivalent
        return 100 * (self.killed + self.timeout) / counted if counted else 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """A run: what was made, what was asked for, and what came of it.

    ``mutants``: all of the modules. ``asked``: those to be judged. ``bare``: modules that have functions and got no
    mutant. ``listed``: the equivalents. ``skipped``: those of them that were not run.
    """

    mutants: Sequence[Mutant]
    asked: Sequence[Mutant]
    bare: Sequence[str]
    listed: Mapping[Change, Equivalent]
    clean: Clean
    results: Sequence[Result]
    skipped: Sequence[Mutant] = ()
    seconds: float = 0.0

    def survivors(self) -> list[Result]:
        """The mutants that no test saw and that are not listed."""
        return [each for each in self.results if not each.dead and each.mutant.change not in self.listed]

    def score(self, module: str = "*") -> Score:
        """The counts over the modules that match."""
        of = [each for each in self.results if fnmatch.fnmatchcase(each.mutant.module, module)]
        skipped = sum(fnmatch.fnmatchcase(each.module, module) for each in self.skipped)
        alive = [each for each in of if not each.dead]
        return Score(
            mutants=len(of) + skipped,
            killed=sum(each.status == "killed" for each in of),
            timeout=sum(each.status == "timeout" for each in of),
            survived=sum(each.mutant.change not in self.listed for each in alive),
            equivalent=sum(each.mutant.change in self.listed for each in alive) + skipped,
        )


def problems(run: Run, only: str = "*") -> Iterator[str]:
    """Every reason for which the gate fails, a sentence or two each. ``only``: the functions that were asked for."""
    if run.clean.failed:
        failed = ", ".join(run.clean.failed[:5])
        yield f"The clean run failed, so nothing was judged: {failed}. Mend the tests, then run this again."
        return
    if not run.results:
        yield f"Nothing was judged: no mutant of a function that matches {only!r} was run."
        return
    for module in run.bare:
        yield f"{module} has functions and got no mutant: move the logic out of decorated functions, or drop it here."
    if missing := len(run.asked) - len(run.results):
        yield f"{missing} mutants got no result: the run ended early."
    if survivors := len(run.survivors()):
        yield f"{_several(survivors, 'mutant survives and is', 'mutants survive and are')} not listed as equal."
    for result in run.results:
        if result.dead and result.mutant.change in run.listed:
            yield f"A mutant listed as equal is killed, by {result.killer}: {told(result.mutant.change)}. Unlist it."
    known = {mutant.change for mutant in run.mutants}
    for change in run.listed:
        if change not in known and fnmatch.fnmatchcase(change.function, only):
            yield f"A mutant listed as equal doesn't exist: {told(change)}. Unlist it, or write it as the code is now."


def told(change: Change) -> str:
    """A change in one line."""
    place = f" (place {change.place})" if change.place > 1 else ""
    return f"{change.function}{place}: {' '.join(change.removed)!r} to {' '.join(change.added)!r}"


def per_module(run: Run) -> dict[str, Score]:
    """Module to its score, in order."""
    modules: Iterable[str] = {*(each.mutant.module for each in run.results), *(each.module for each in run.skipped)}
    return {module: run.score(module) for module in sorted(modules)}


def _several(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"
