"""A mutant: an adapter that is right but for one fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.adapter import Implementation, examined
from conformance.checks import CHECKS
from conformance.verdicts import Level
from mutants.adapter import Adapter
from mutants.patching import Patch

MADE = "made"
"""Where a fault was seen that no public report tells of."""


@dataclass(frozen=True)
class Mutant:
    """A wrong implementation.

    ``check``: the id of the check that was made for it, or that finds it first; ``dialect``: where it shows.
    ``fault``: what it does wrong, in a sentence. ``seen``: a public report with its number, or ``made``.
    ``names``: what makes its adapter, as ``Adapter`` takes it.
    """

    id: str
    check: str
    dialect: str
    fault: str
    seen: str
    names: Mapping[str, Any]

    @property
    def level(self) -> Level:
        """The level of its check: a should is found as advice."""
        return CHECKS[self.check].level

    @property
    def patches(self) -> tuple[Patch, ...]:
        """The patches of the specified reader's source that it is made by, none for a wrapper."""
        patches: tuple[Patch, ...] = self.names.get("patches", ())
        return patches

    def load(self) -> Implementation:
        """The mutant as ``--impl`` would load it. Raises PatchError, AdapterError, or what its source raises."""
        return examined(Adapter(self.id, **self.names), f"mutant {self.id}", f"mutants:{self.id}")


def mutant(id: str, check: str, dialect: str, fault: str, seen: str = MADE, **names: Any) -> Mutant:
    """A mutant that declares what it means to read, where ``names`` don't say otherwise."""
    names.setdefault("declares", True)
    return Mutant(id, check, dialect, fault, seen, names)


def patch(old: str, new: str, module: str = "reader") -> tuple[Patch, ...]:
    """The one patch of a mutant, as ``names`` hold it."""
    return (Patch(old, new, module),)
