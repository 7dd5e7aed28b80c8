"""Mutants of a source file: each a whole changed text, made by mutmut's operators."""

from __future__ import annotations

import ast
import difflib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.mutation.changing import MakingError, changes
from conformance.mutation.outline import Outline
from conformance.mutation.results import MutantResult, Place, Status

CONTEXT = 2
"""So many lines stand around a change in a diff."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed source. ``lines``: those of the statement that is changed, without the body that it may have."""

    id: str
    file: str
    text: str
    start: Place
    end: Place
    original: str
    replacement: str
    function: str
    lines: frozenset[int]
    diff: str

    @property
    def description(self) -> str:
        """The change in a line."""
        return f"{_short(self.original)} → {_short(self.replacement)}"

    def result(
        self,
        status: Status,
        reason: str,
        killed_by: str = "",
        dialect: str = "",
        seconds: float = 0.0,
        words: int = 0,
        reached: bool = True,
    ) -> MutantResult:
        """What became of it, as reports have it."""
        return MutantResult(
            id=self.id,
            description=self.description,
            file=self.file,
            start=self.start,
            end=self.end,
            replacement=self.replacement,
            original=self.original,
            diff=self.diff,
            function=self.function,
            status=status,
            killed_by=killed_by,
            dialect=dialect,
            reason=reason,
            seconds=seconds,
            words=words,
            reached=reached,
        )


def mutants_of(source: str, file: str, scratch: Path, functions: Sequence[str] = ()) -> list[Mutant]:
    """Every mutant of a source, in its order, each text once.

    ``functions``: patterns of dotted names, of which a mutant's function must fit one; none for all mutants.
    ``file``: what to call it. ``scratch``: a folder in which mutmut may look for its settings, and finds none of
    anybody's. Raises MakingError.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise MakingError(f"{file} is no Python that this interpreter reads: {error}") from None
    outline = Outline(tree, source)
    texts = {
        source[: one.start] + one.replacement + source[one.end :]: one
        for one in changes(source, file, scratch, outline, functions)
    }
    numbers: dict[str, int] = {}
    made: list[Mutant] = []
    for text, change in sorted(texts.items(), key=lambda each: each[1]):
        begin, stop = _place(source, change.start), _place(source, change.end)
        function = outline.function(begin, stop)
        numbers[function] = numbers.get(function, 0) + 1
        made.append(
            Mutant(
                id=f"{function or 'module'}#{numbers[function]}",
                file=file,
                text=text,
                start=begin,
                end=stop,
                original=change.original,
                replacement=change.replacement,
                function=function,
                lines=outline.lines(begin, stop),
                diff=_diff(source, text, file, begin[0], stop[0]),
            )
        )
    return made


def evenly(mutants: Sequence[Mutant], seed: int | None) -> list[Mutant]:
    """The mutants in an order of which every beginning is an even sample over functions."""
    chance = random.Random(seed or 0)
    groups: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        groups.setdefault(mutant.function, []).append(mutant)
    for group in groups.values():
        chance.shuffle(group)
    queues = list(groups.values())
    chance.shuffle(queues)
    ordered: list[Mutant] = []
    while queues:
        ordered += [queue.pop() for queue in queues]
        queues = [queue for queue in queues if queue]
    return ordered


def _place(source: str, offset: int) -> Place:
    before = source[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def _diff(source: str, text: str, file: str, first: int, last: int) -> str:
    """The unified diff of a change from line ``first`` to line ``last``, of a text that may be long."""
    old, new = source.splitlines(), text.splitlines()
    begin, rest = max(0, first - 1 - CONTEXT), max(0, len(old) - last - CONTEXT)
    lines = difflib.unified_diff(old[begin : len(old) - rest], new[begin : len(new) - rest], n=CONTEXT, lineterm="")
    shown = [f"--- {file}", f"+++ {file}", *list(lines)[2:]]
    for number, line in enumerate(shown):
        if found := re.fullmatch(r"@@ -(\d+)(.*) \+(\d+)(.*) @@", line):
            shown[number] = f"@@ -{int(found[1]) + begin}{found[2]} +{int(found[3]) + begin}{found[4]} @@"
    return "".join(f"{line}\n" for line in shown)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return (words if len(words) <= 40 else f"{words[:24]}…{words[-12:]}") or "nothing"
