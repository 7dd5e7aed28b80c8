"""The policy in force of a dialect of a run: each axis with its value, and who chose it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oracles.dialects import REGISTRY
from oracles.policies import AXES, DEFAULT, QUESTIONS, Policy, PolicyError


class Policies:
    """What a run's header says of a dialect's policy, on top of the dialect's own.

    ``policy``: the policy in force; None where the report doesn't say what was declared, or the dialect isn't known
    here. ``told``: whether the report says what was declared.
    """

    def __init__(self, told: Mapping[str, Any], dialect: str) -> None:
        declared = told.get("policy")
        self.told = isinstance(declared, Mapping)
        self._declared: Mapping[str, Any] = declared.get(dialect, {}) if isinstance(declared, Mapping) else {}
        self._own = REGISTRY.get(dialect).policy if dialect in REGISTRY.ids() else None
        self.policy = self._in_force()

    def _in_force(self) -> Policy | None:
        if self._own is None or not self.told:
            return None
        try:
            return self._own.with_values(self._declared)
        except PolicyError:  # a report of another version may name what this one doesn't know
            return None

    def rows(self) -> list[list[Any]]:
        """Axis, value, who chose it (``declared``, ``dialect``, ``default``; ``""``: nobody knows) and question."""
        rows = []
        for axis in AXES:
            value, who = self._value(axis)
            rows.append([axis, str(value).lower(), who, QUESTIONS[axis]])
        return rows

    def _value(self, axis: str) -> tuple[Any, str]:
        if axis in self._declared:
            return self._declared[axis], "declared"
        if self._own is None:
            return getattr(DEFAULT, axis), ""
        value = getattr(self._own, axis)
        who = "default" if value == getattr(DEFAULT, axis) else "dialect"
        return value, who if self.told else ""
