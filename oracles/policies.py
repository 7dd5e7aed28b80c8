"""The ten axes where upstream projects legitimately differ, and a choice of values on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

AXES: dict[str, tuple[str | bool, ...]] = {
    "reopen": ("text", "opens"),
    "prefix": ("content", "text"),
    "stray_close": ("text", "dropped", "ends_thought"),
    "declined": ("dropped", "text"),
    "echoed_open": ("text", "dropped_first", "dropped"),
    "calls_end_reasoning": (True, False),
    "skipped_channel": ("stays", "replayed", "moved"),
    "unclosed": ("reasoning", "content_if_stopped"),
    "off": ("read", "text"),
    "space": ("kept", "trimmed"),
}
"""Axis to its values, the general default first (SEMANTICS section 5)."""

QUESTIONS: dict[str, str] = {
    "reopen": "a reasoning opener after reasoning has closed",
    "prefix": "an opener after words, before any reasoning",
    "stray_close": "a closer outside reasoning that is not among the first words",
    "declined": "a closer before any words",
    "echoed_open": "an opener inside open reasoning",
    "calls_end_reasoning": "a calls opener inside reasoning",
    "skipped_channel": "a reply written into the reasoning channel and ended by the answer's closer",
    "unclosed": "reasoning still open at the end of the output",
    "off": "reasoning markers where the caller asked for no reasoning and the prompt opened none",
    "space": "white space at the ends of a channel, when two results are compared",
}
"""Axis to the question it answers."""


class PolicyError(ValueError):
    """A policy names an axis or a value that doesn't exist; ``axis`` and ``value`` are the words given."""

    def __init__(self, message: str, axis: str, value: Any = None) -> None:
        super().__init__(message)
        self.axis = axis
        self.value = value


@dataclass(frozen=True, slots=True)
class Policy:
    """One value an axis; the fields' defaults are the general defaults of SEMANTICS section 5."""

    reopen: str = "text"
    prefix: str = "content"
    stray_close: str = "text"
    declined: str = "dropped"
    echoed_open: str = "text"
    calls_end_reasoning: bool = True
    skipped_channel: str = "stays"
    unclosed: str = "reasoning"
    off: str = "read"
    space: str = "kept"

    def with_values(self, values: Mapping[str, Any]) -> Policy:
        """The policy with ``values`` (axis to value) in place of its own. Raises PolicyError where there is none."""
        check_values(values)
        return replace(self, **values)

    def values(self) -> Iterator[tuple[str, str | bool]]:
        """Each axis with its value, in the order of ``AXES``."""
        for field in fields(self):
            yield field.name, getattr(self, field.name)


DEFAULT = Policy()


def check_values(values: Mapping[str, Any]) -> None:
    """Raises PolicyError for the first axis or value in ``values`` (axis to value) that doesn't exist."""
    for axis, value in values.items():
        if axis not in AXES:
            raise PolicyError(f"no policy axis is called {axis!r}; the axes are {', '.join(AXES)}", axis)
        if not any(type(value) is type(known) and value == known for known in AXES[axis]):
            listed = ", ".join(repr(known) for known in AXES[axis])
            raise PolicyError(f"axis {axis!r} has no value {value!r}; its values are {listed}", axis, value)


def one_at_a_time(policy: Policy = DEFAULT) -> Iterator[Policy]:
    """``policy`` itself, then each policy that differs from it in one axis."""
    yield policy
    for axis, values in AXES.items():
        for value in values:
            if value != getattr(policy, axis):
                yield policy.with_values({axis: value})
