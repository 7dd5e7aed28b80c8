"""What an output can mean: its message under every combination of the policy values that concern it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

from conformance.expectation import Readings
from conformance.fitting.questions import Question
from oracles.dialects import Dialect
from oracles.messages import Message, Request
from oracles.policies import AXES, Policy
from oracles.reader import Machine


@dataclass(frozen=True, slots=True)
class Meanings:
    """The different messages of one question.

    ``axes``: those that its reading turns on. ``messages``: the messages there are, each once. ``chosen``: for each
    combination of the axes' values, in the order of their product, the place of its message.
    """

    axes: tuple[str, ...]
    messages: tuple[tuple[str, str], ...]
    chosen: tuple[int, ...]

    def at(self, policy: Policy) -> tuple[str, str]:
        """The message under a policy."""
        return self.messages[self.chosen[place(self.axes, policy)]]


def place(axes: tuple[str, ...], policy: Policy) -> int:
    """The place of a policy's values in the product of the axes' values."""
    at = 0
    for axis in axes:
        at = at * len(AXES[axis]) + AXES[axis].index(getattr(policy, axis))
    return at


class Oracle:
    """Reads a dialect's questions under every policy, space aside: it says how messages are compared."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._readings = Readings(dialect, {})
        self._machines: dict[tuple[tuple[str, Any], ...], Machine] = {}
        self._known: dict[tuple[str, bool, bool, str], Meanings] = {}

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that can have an effect in the dialect, in the order of ``AXES``; ``space`` is one of them."""
        everything = "".join(self.dialect.all_markers)
        concerned: set[str] = {"space"}
        for opened in (True, False):
            concerned |= {*self._readings.concerned(everything, Request(self.dialect.id, opened, False), "stop")}
        return tuple(axis for axis in AXES if axis in concerned)

    def meanings(self, question: Question) -> Meanings:
        """The messages of a question. What the caller asked for matters only where the prompt opened nothing."""
        raw, request, finish = question.output.raw, question.request, question.finish
        key = (raw, request.opened, request.thinking or request.opened, finish)
        if key not in self._known:
            self._known[key] = self._off(question) if not any(key[1:3]) else self._read(question)
        return self._known[key]

    def _read(self, question: Question) -> Meanings:
        """The messages of a question that ``off`` doesn't concern."""
        output, request, finish = question
        axes = tuple(self._readings.concerned(output.raw, request, finish))
        told: list[tuple[str, str]] = []
        for values in itertools.product(*(AXES[axis] for axis in axes)):
            message: Message = self._machine(axes, values).split(request, output.raw, finish)
            told.append((message.reasoning, message.content))
        return _reduced(axes, told)

    def _off(self, question: Question) -> Meanings:
        """The messages of a question that the caller asked with no reasoning, where the prompt opened none.

        Under ``off: read`` it is read as where reasoning was asked for. Under ``off: text`` no reasoning begins, and
        all other axes speak of reasoning alone.
        """
        output, request, finish = question
        read = self.meanings(Question(output, replace(request, thinking=True), finish))
        message = self._machine(("off",), ("text",)).split(request, output.raw, finish)
        told = [read.messages[at] for at in read.chosen]
        return _reduced(
            (*read.axes, "off"), [each for one in told for each in (one, (message.reasoning, message.content))]
        )

    def _machine(self, axes: tuple[str, ...], values: tuple[Any, ...]) -> Machine:
        key = tuple(zip(axes, values, strict=True))
        if key not in self._machines:
            self._machines[key] = Machine(self.dialect, self.dialect.policy.with_values(dict(key)))
        return self._machines[key]


def _reduced(axes: tuple[str, ...], told: list[tuple[str, str]]) -> Meanings:
    """Without the axes on which no message depends."""
    if len(set(told)) == 1:
        return Meanings((), (told[0],), (0,))
    kept = list(axes)
    for axis in axes:
        sizes = [len(AXES[known]) for known in kept]
        at = kept.index(axis)
        inner = _product(sizes[at + 1 :])
        block = inner * sizes[at]
        parts = [[told[start + step * inner : start + (step + 1) * inner] for step in range(sizes[at])]
                 for start in range(0, len(told), block)]  # fmt: skip
        if all(part == first for first, *rest in parts for part in rest):
            told = [message for first, *_ in parts for message in first]
            kept.remove(axis)
    messages = tuple(dict.fromkeys(told))
    numbers = {message: number for number, message in enumerate(messages)}
    return Meanings(tuple(kept), messages, tuple(numbers[message] for message in told))


def _product(sizes: list[int]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total
