"""The rules that the kill matrix must satisfy, and which of them it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from conformance.checks import CHECKS
from mutants.equivalents import Equivalents
from mutants.matrix import Row
from mutants.mutant import Mutant
from mutants.registry import CONTROL


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that is broken. ``rule``: its short name; ``text``: what breaks it, in a sentence."""

    rule: str
    text: str


def only_killers(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Check id to the mutants that it alone kills, for every check of the catalogue."""
    alone: dict[str, list[str]] = {check: [] for check in CHECKS}
    for row in rows:
        if len(row.kills) == 1:
            alone[next(iter(row.kills))].append(row.mutant)
    return alone


def broken(
    rows: Sequence[Row], control: Sequence[Row], mutants: Mapping[str, Mutant], listed: Equivalents, whole: bool
) -> list[Broken]:
    """The rules that are broken, in the order of DESIGN section 9.

    ``control``: the rows of the unpatched reader. ``mutants``: those that were to be judged. ``listed``: what is
    argued to be equal. ``whole``: all mutants were judged by all checks, so that the rules about checks can be asked.
    """
    return [
        *_control(control),
        *_mutants(rows, mutants, listed),
        *(_checks(rows) if whole else ()),
        *_judged(rows, control, mutants),
    ]


def _control(control: Sequence[Row]) -> Iterable[Broken]:
    for row in control:
        if row.error:
            yield Broken("control", f"{CONTROL.id} doesn't load: {row.error}")
        for check in (*row.kills, *row.advice):
            yield Broken("control", f"the unpatched reader fails {check} on {row.dialect}: a right reader never fails")


def _mutants(rows: Sequence[Row], mutants: Mapping[str, Mutant], listed: Equivalents) -> Iterable[Broken]:
    for row in rows:
        mutant = mutants[row.mutant]
        if row.error:
            yield Broken("load", f"{row.mutant} doesn't load: {row.error}")
        elif not row.kills and row.mutant not in listed.curated:
            yield Broken("survivor", f"{row.mutant} survives on {row.dialect}: {mutant.fault}")
        elif row.kills and row.mutant in listed.curated:
            killers = ", ".join(row.kills)
            yield Broken(
                "listed", f"{row.mutant} is listed as equivalent, and killed by {killers}: take it off the list"
            )
        elif row.kills and mutant.check not in row.kills:
            yield Broken("made for", f"{row.mutant} was made for {mutant.check}, which doesn't kill it")
    for id in listed.curated:
        if id not in mutants:
            yield Broken("listed", f"{id} is listed as equivalent, and no mutant is called so: take it off the list")


def _checks(rows: Sequence[Row]) -> Iterable[Broken]:
    alone = only_killers(rows)
    for check in CHECKS:
        if not any(check in row.kills for row in rows):
            yield Broken("idle check", f"{check} kills nothing")
        elif not alone[check]:
            yield Broken("redundant check", f"{check} is the only killer of no mutant: merge it, or find its own fault")


def _judged(rows: Sequence[Row], control: Sequence[Row], mutants: Mapping[str, Mutant]) -> Iterable[Broken]:
    done = {row.mutant for row in rows if row.judged}
    if not done or not any(row.judged for row in control):
        yield Broken("judged", "nothing was judged")
    for id in mutants:
        if id not in done and not any(row.mutant == id and row.error for row in rows):
            yield Broken("judged", f"{id} was not judged")
