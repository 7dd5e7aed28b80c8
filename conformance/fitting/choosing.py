"""Which policy explains an implementation's answers best, and what the words say of each axis."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conformance.expectation import ends_aside
from conformance.fitting.meanings import Meanings, place
from oracles.dialects import Dialect
from oracles.policies import AXES, Policy

STRAY_SPACE = 0.1
"""So much of what only white space at a channel's ends tells apart may differ before ``space`` is ``trimmed``."""
LEAST = 3
"""A value is what an implementation does where it explains one in so many of the readings that turn on its axis."""

CLEARLY = 2
"""For each reading that another value explains alone, a value must alone explain more than so many."""


class Answered(NamedTuple):
    """An answer beside the meanings of its question.

    ``exact``: the meaning that it equals to the letter, None for none. ``aside``: those that it equals but for white
    space at a channel's ends. ``spaced``: the meanings that have white space there.
    """

    axes: tuple[str, ...]
    chosen: tuple[int, ...]
    exact: int | None
    aside: frozenset[int]
    spaced: frozenset[int]


def answered(meanings: Meanings, answer: tuple[str, str] | None) -> Answered:
    """An answer, None for a failure, beside the meanings of its question."""
    axes, messages, chosen = meanings.axes, meanings.messages, meanings.chosen
    bares = [(ends_aside(reasoning), ends_aside(content)) for reasoning, content in messages]
    spaced = frozenset(number for number, bare in enumerate(bares) if bare != messages[number])
    if answer is None:
        return Answered(axes, chosen, None, frozenset(), spaced)
    exact = messages.index(answer) if answer in messages else None
    bare = (ends_aside(answer[0]), ends_aside(answer[1]))
    return Answered(axes, chosen, exact, frozenset(at for at, known in enumerate(bares) if known == bare), spaced)


def explains(each: Answered, policy: Policy) -> bool:
    """Whether a policy gives that answer."""
    meaning = each.chosen[place(each.axes, policy)]
    return meaning == each.exact or (policy.space == "trimmed" and meaning in each.aside)


@dataclass(frozen=True, slots=True)
class Axis:
    """What the words say of an axis, the others standing as they were chosen.

    ``value``: of the best policy. ``turning``: how many readings turn on the axis; ``explicable``: how many of those
    some policy explains; ``explained``: value to how many it explains. ``against``: each other value to how many of
    them ``value`` explains and it doesn't, and the other way round. ``best``: the values of all policies that explain
    as much.
    """

    name: str
    value: Any
    turning: int
    explicable: int
    explained: Mapping[Any, int]
    against: Mapping[Any, tuple[int, int]]
    best: tuple[Any, ...]

    @property
    def verdict(self) -> str:
        """``decided``, or why not.

        ``undecided``: no reading turns on it. ``neither``: no value is what it does. ``tied``: another value does as
        well. ``unclear``: readings speak for another value too.
        """
        if not self.turning:
            return "undecided"
        explained = self.explained[self.value]
        if 2 * explained < self.explicable or LEAST * explained < self.turning:
            return "neither"
        if len(self.best) > 1:
            return "tied"
        clear = all(won > CLEARLY * lost for won, lost in self.against.values())
        return "decided" if clear or self.name == "space" else "unclear"


@dataclass(frozen=True)
class Choice:
    """The policy that explains most. ``explained``: how many readings; ``axes``: what they say of each axis."""

    policy: Policy
    explained: int
    axes: tuple[Axis, ...] = field(default=())

    @property
    def values(self) -> dict[str, Any]:
        """What to declare: the axes that the words decide, with their values."""
        return {axis.name: axis.value for axis in self.axes if axis.verdict == "decided"}


class Answers:
    """All answers of an implementation to a dialect's questions, those counted once that say the same."""

    def __init__(self, dialect: Dialect, axes: Iterable[str], told: Iterable[Answered]) -> None:
        self.dialect = dialect
        self.axes = tuple(axes)
        self.counted = Counter(told)
        self._tables: dict[tuple[str, ...], tuple[list[int], list[int]]] = {}
        for each, count in self.counted.items():
            exact, aside = self._tables.setdefault(each.axes, ([0] * len(each.chosen), [0] * len(each.chosen)))
            for at, meaning in enumerate(each.chosen):
                exact[at] += count * (meaning == each.exact)
                aside[at] += count * (meaning in each.aside)

    def explained(self, policy: Policy) -> int:
        """How many readings a policy explains."""
        trimmed = policy.space == "trimmed"
        return sum(table[trimmed][place(axes, policy)] for axes, table in self._tables.items())

    def best(self) -> Choice:
        """The policy that explains most; of several, the one nearest to the dialect's default."""
        chosen = {space: self._best(space) for space in AXES["space"]}
        space = self._space(chosen["trimmed"][0])
        policies = chosen[space.value]
        axes = [space if axis == "space" else self._axis(axis, policies) for axis in self.axes]
        return Choice(policies[0], self.explained(policies[0]), tuple(axes))

    def _best(self, space: Any) -> list[Policy]:
        """The policies with a value of ``space`` that explain most, the nearest to the dialect's default first."""
        most = -1
        found: list[Policy] = []
        for policy in self._policies(space):
            count = self.explained(policy)
            if count > most:
                most, found = count, []
            if count == most:
                found.append(policy)
        return sorted(found, key=lambda policy: differences(policy, self.dialect.policy))

    def _policies(self, space: Any) -> Iterator[Policy]:
        axes = [axis for axis in self.axes if axis != "space"]
        for values in itertools.product(*(AXES[axis] for axis in axes)):
            yield self.dialect.policy.with_values(dict(zip(axes, values, strict=True)) | {"space": space})

    def _space(self, policy: Policy) -> Axis:
        """What the words say of white space: trimmed where more than a few readings differ in it alone."""
        turning = kept = 0
        for each, count in self.counted.items():
            meaning = each.chosen[place(each.axes, policy)]
            if meaning in each.aside and (meaning in each.spaced or meaning != each.exact):
                turning += count
                kept += count * (meaning == each.exact)
        value = "trimmed" if turning - kept > STRAY_SPACE * turning else "kept"
        return Axis("space", value, turning, turning, {"kept": kept, "trimmed": turning}, {}, (value,))

    def _axis(self, axis: str, best: list[Policy]) -> Axis:
        """What the words say of an axis."""
        policy = best[0]
        policies = {value: policy.with_values({axis: value}) for value in AXES[axis]}
        chosen = getattr(policy, axis)
        turning = explicable = 0
        explained: dict[Any, int] = dict.fromkeys(policies, 0)
        against = {value: (0, 0) for value in policies if value != chosen}
        for each, count in self.counted.items():
            if axis not in each.axes:
                continue
            if len({each.chosen[place(each.axes, other)] for other in policies.values()}) == 1:
                continue
            turning += count
            explicable += count * (each.exact is not None or (policy.space == "trimmed" and bool(each.aside)))
            does = {value: explains(each, other) for value, other in policies.items()}
            for value in does:
                explained[value] += count * does[value]
            for value, (won, lost) in against.items():
                against[value] = (
                    won + count * (does[chosen] and not does[value]),
                    lost + count * (does[value] and not does[chosen]),
                )
        values = tuple(dict.fromkeys(getattr(known, axis) for known in best))
        return Axis(axis, chosen, turning, explicable, explained, against, values)


def differences(policy: Policy, other: Policy) -> int:
    """In how many axes two policies differ."""
    return sum(value != getattr(other, axis) for axis, value in policy.values())
