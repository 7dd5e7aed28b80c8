"""Every mutant, by its id."""

from __future__ import annotations

from mutants.listed import axes, costing, cutting, disagreeing, failing, misreading, rules, sharing, timing, undeclared
from mutants.mutant import Mutant

CONTROL = Mutant("control", "", "", "Nothing: the specified reader as it is.", "", {"declares": True})
"""The unpatched reader, which must pass everything."""

_ALL: tuple[Mutant, ...] = (
    *disagreeing.MUTANTS,
    *cutting.MUTANTS,
    *misreading.MUTANTS,
    *rules.MUTANTS,
    *axes.MUTANTS,
    *undeclared.MUTANTS,
    *timing.MUTANTS,
    *sharing.MUTANTS,
    *failing.MUTANTS,
    *costing.MUTANTS,
)

MUTANTS: dict[str, Mutant] = {mutant.id: mutant for mutant in _ALL}
"""Id to mutant, in the order of the matrix. A test holds that no id is taken twice."""
