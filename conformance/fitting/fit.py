"""A fit: an implementation's answers to a dialect's short words, held to every policy."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.fitting.asking import Answer, Asking
from conformance.fitting.choosing import Answered, Answers, Choice, answered, differences, explains
from conformance.fitting.meanings import Oracle
from conformance.fitting.questions import Question, questions, words
from conformance.implementation import Implementation
from conformance.observation import Failure, Skipped, Texts
from oracles.dialects import Dialect
from oracles.kinds import Kind, kind_of
from oracles.policies import AXES, Policy

Progress = Callable[[int, int, str], None]
"""Told how many of how many are done, and of what."""


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A reading that the best policy doesn't explain, the first of its kind, and how many of the kind there are.

    ``expected``: the best policy's message. ``nearest``: the policy whose message is most like the answer;
    ``like``: that message. ``by``: the policy that explains the answer, None where none does.
    """

    question: Question
    kind: str
    title: str
    answer: Texts | Failure
    expected: Texts
    nearest: Policy
    like: Texts
    by: Policy | None
    count: int


@dataclass
class Fit:
    """What a dialect's words say of an implementation.

    ``mode``: ``split`` or ``stream``. ``words``: how many there are; ``readings``: how many questions were answered.
    ``refused``: reason to how many weren't. ``choice``: the best policy. ``declared``: what is declared today;
    ``declared_explains``: how many readings that explains, with the best policy's values where it says nothing, and
    white space compared as under the best policy.
    ``unexplained``: by no policy first. ``note``: why not everything was asked, or "".
    """

    dialect: Dialect
    mode: str
    words: int
    readings: int
    refused: Mapping[str, int]
    choice: Choice
    declared: Mapping[str, Any]
    declared_explains: int
    failures: Mapping[str, int] = field(default_factory=dict)
    unexplained: tuple[Unexplained, ...] = ()
    note: str = ""

    @property
    def explained(self) -> int:
        """How many readings the best policy explains."""
        return self.choice.explained


def fit(
    implementation: Implementation,
    dialect: Dialect,
    length: int,
    hang_after: float,
    streamed: bool,
    progress: Progress,
) -> Fit:
    """Fits a policy to an implementation's split, or to its stream where ``streamed`` or where it refuses every split.

    ``progress``: told how far it is, in asking and then in reading.
    """
    outputs = words(dialect, length)
    asked = questions(dialect, outputs)
    asking = Asking(implementation, dialect, hang_after, streamed)
    if not streamed and _refuses(asking.ask(asked[:8], _silent).answers):
        asking = Asking(implementation, dialect, hang_after, True)
    told = asking.ask(asked, lambda done: progress(done, len(asked), "asking"))
    oracle = Oracle(dialect)
    refused: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    seen: list[tuple[Question, Texts | Failure, Answered]] = []
    for done, (question, answer) in enumerate(zip(asked, told.answers, strict=False)):
        progress(done, len(asked), "reading")
        if isinstance(answer, Skipped):
            refused[answer.reason] += 1
            continue
        if isinstance(answer, Failure):
            failures[answer.kind] += 1
        texts = None if isinstance(answer, Failure) else answer
        seen.append((question, answer, answered(oracle.meanings(question), texts)))
    answers = Answers(dialect, oracle.axes, (each for _, _, each in seen))
    choice = answers.best()
    declared = {axis: value for axis, value in implementation.values_for(dialect).items() if axis in oracle.axes}
    return Fit(
        dialect=dialect,
        mode="stream" if asking.streamed else "split",
        words=len(outputs),
        readings=len(seen),
        refused=refused,
        choice=choice,
        declared=declared,
        declared_explains=answers.explained(choice.policy.with_values(declared | {"space": choice.policy.space})),
        failures=failures,
        unexplained=tuple(_unexplained(dialect, oracle, choice.policy, seen)),
        note=told.note,
    )


def _refuses(answers: list[Answer]) -> bool:
    """Whether every one of some requests was refused."""
    return all(isinstance(answer, Skipped) for answer in answers)


def _silent(_done: int) -> None:
    """Tells nobody."""


def _unexplained(
    dialect: Dialect, oracle: Oracle, policy: Policy, seen: list[tuple[Question, Texts | Failure, Answered]]
) -> Iterator[Unexplained]:
    """The first reading of each kind that the policy doesn't explain, those that no policy explains first."""
    first: dict[tuple[bool, str, str], tuple[Question, Texts | Failure, Kind, Policy | None]] = {}
    counts: Counter[tuple[bool, str, str]] = Counter()
    for question, answer, each in seen:
        if explains(each, policy):
            continue
        kind = kind_of(dialect, policy, question.request, question.output.raw, question.finish)
        by = _explaining(each, policy)
        key = (by is not None, kind.id, answer.kind if isinstance(answer, Failure) else "")
        first.setdefault(key, (question, answer, kind, by))
        counts[key] += 1
    for key in sorted(first, key=lambda key: key[0]):
        question, answer, kind, by = first[key]
        near = policy if isinstance(answer, Failure) else _nearest(oracle, question, answer, policy)
        meanings = oracle.meanings(question)
        yield Unexplained(
            question, kind.id, kind.title, answer, meanings.at(policy), near, meanings.at(near), by, counts[key]
        )


def _explaining(each: Answered, policy: Policy) -> Policy | None:
    """The policy nearest to the given one that explains an answer."""
    found = [other for other in _around(each.axes, policy) if explains(each, other)]
    return min(found, key=lambda other: differences(other, policy), default=None)


def _nearest(oracle: Oracle, question: Question, answer: Texts, policy: Policy) -> Policy:
    """The policy whose message is most like an answer; of several, the nearest to the given one."""
    meanings = oracle.meanings(question)

    def unlike(other: Policy) -> tuple[float, int]:
        meant = meanings.at(other)
        alike = sum(
            difflib.SequenceMatcher(None, one, two, autojunk=False).ratio()
            for one, two in zip(meant, answer, strict=True)
        )
        return -alike, differences(other, policy)

    return min(_around(meanings.axes, policy), key=unlike)


def _around(axes: tuple[str, ...], policy: Policy) -> Iterator[Policy]:
    """Every policy that differs from the given one in some of the axes alone, and in how spaces are compared."""
    found = [policy]
    for axis in (*axes, "space"):
        found = [other.with_values({axis: value}) for other in found for value in AXES[axis]]
    yield from found
