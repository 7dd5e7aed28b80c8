"""The clean implementation: what its sweeps saw, which failures are expected, which lines they execute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.expected import standing
from conformance.mutation.judging import Judged, Probed
from conformance.mutation.seeing import MEASURED, Seen

MOST = 12
"""So many failures are named."""


class BaselineError(Exception):
    """Mutants can't be judged, since the clean implementation can't be; the text says why, and what to do."""


@dataclass(frozen=True)
class Baseline:
    """What mutants are compared with.

    ``clean``: dialect to what its sweep saw. ``listed``: dialect to the checks whose failure is expected;
    ``compared``: those of them that must go on failing as they do. ``unsteady``: dialects in which no two sweeps are
    alike. ``passing``: ids that are listed and pass. ``lines``: dialect to the lines that its sweep executes;
    ``importing``: those that loading executes.
    """

    clean: Mapping[str, Seen]
    listed: Mapping[str, frozenset[str]]
    compared: Mapping[str, frozenset[str]]
    unsteady: frozenset[str]
    passing: tuple[str, ...]
    lines: Mapping[str, frozenset[int]]
    importing: frozenset[int]
    loading: float

    @classmethod
    def of(cls, probed: Probed, plain: Sequence[Judged], traced: Sequence[Judged], listed: frozenset[str]) -> Baseline:
        """The baseline that two sweeps of each dialect make. Raises BaselineError where it isn't one to compare with.

        ``listed``: ids that are expected to fail.
        """
        for judged in (*plain, *traced):
            if judged.killed_by:
                raise BaselineError(
                    f"{probed.name} itself fails {judged.dialect or 'to load'}: {judged.told}; mend that first"
                )
            if not judged.placed:
                raise BaselineError(
                    f"{probed.module} is loaded by other means than an import, so no mutant can take its place"
                )
        clean = {one.dialect: one for judged in plain for one in judged.seen}
        again = {one.dialect: one for judged in traced for one in judged.seen}
        _refuse(probed, clean, listed)
        failing = {
            dialect: frozenset(check for check, outcome in one.outcomes.items() if outcome == "fail")
            for dialect, one in clean.items()
        }
        compared = {
            dialect: frozenset(
                check
                for check in checks - MEASURED
                if again[dialect].kinds.get((check, "must")) == clean[dialect].kinds.get((check, "must"))
            )
            for dialect, checks in failing.items()
        }
        return cls(
            clean=clean,
            listed=failing,
            compared=compared,
            unsteady=frozenset(
                dialect
                for dialect, one in clean.items()
                if (one.results, one.timing) != (again[dialect].results, again[dialect].timing)
            ),
            passing=tuple(id for id in sorted(listed) if not _fails(clean, id)),
            lines={one.dialect: one.lines for one in again.values()},
            importing=frozenset().union(*(judged.importing for judged in traced)),
            loading=max((judged.loading for judged in plain), default=0.0),
        )

    def reached(self, lines: frozenset[int]) -> list[str]:
        """The dialects in which any of some lines is executed, those judged fastest first."""
        fastest = sorted(self.clean, key=lambda dialect: self.clean[dialect].seconds)
        if lines & self.importing:
            return fastest
        return [dialect for dialect in fastest if lines & self.lines[dialect]]

    def seconds(self, dialects: Sequence[str]) -> float:
        """How long the clean implementation takes to be loaded and judged by some dialects."""
        return self.loading + sum(self.clean[dialect].seconds for dialect in dialects)


def _refuse(probed: Probed, clean: Mapping[str, Seen], listed: frozenset[str]) -> None:
    """Raises BaselineError where the clean implementation fails what isn't listed."""
    wrong = [
        f"{dialect}::{check}  ({one.told.get(check) or one.reasons.get(check, outcome)})"
        for dialect, one in clean.items()
        for check, outcome in one.outcomes.items()
        if standing(outcome, f"{dialect}::{check}" in listed) in ("failed", "unjudged")
    ]
    if wrong:
        more = f"\n  and {len(wrong) - MOST} more" if len(wrong) > MOST else ""
        raise BaselineError(
            f"{probed.name} fails before anything is mutated, so no mutant can be told from it:\n  "
            + "\n  ".join(wrong[:MOST])
            + f"{more}\nMend that, or list it: pytest --impl=… --profile=… --expected-failures=FILE --fix writes the "
            "list, and --expected-failures=FILE takes it here."
        )


def _fails(clean: Mapping[str, Seen], id: str) -> bool:
    """Whether a listed item fails; one of a dialect that isn't judged is left alone."""
    dialect, _, check = id.partition("::")
    return dialect not in clean or clean[dialect].outcomes.get(check) == "fail"
