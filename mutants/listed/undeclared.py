"""Mutants that declare a policy value and read by another, one for each value of each axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mutants.mutant import Mutant, mutant
from oracles.dialects import REGISTRY
from oracles.policies import AXES, DEFAULT


def _undone() -> Iterator[Mutant]:
    dialect = REGISTRY.get("hunyuan_a13b")
    for axis, values in AXES.items():
        for value in values:
            if axis == "space" or value == getattr(dialect.policy, axis):
                continue
            declares: Mapping[str, Any] = {**dict(DEFAULT.values()), axis: value}
            other = getattr(DEFAULT, axis)
            yield mutant(
                f"declares-{axis}-{value}".lower().replace("_", "-"),
                "reads-as-declared",
                dialect.id,
                f"`{axis}: {value}` is declared, and `{other}` is read.",
                reads={**declares, axis: other},
                declares=declares,
            )


MUTANTS: tuple[Mutant, ...] = tuple(_undone())
