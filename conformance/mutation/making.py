"""Mutants of a source file: each a whole changed text, made by mutmut's operators."""

from __future__ import annotations

import ast
import contextlib
import difflib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from conformance.mutation.results import MutantResult, Place, Status

TOOL = "mutmut"
PINNED = "3.8.1"
"""The one release whose insides are known to fit."""

INSTALL = f"pip install 'llm-parser-conformance[mutate]', or pip install {TOOL}=={PINNED}"

COMPOUND = (
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class MakingError(Exception):
    """No mutants can be made; the text says why, and what to do."""


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


def mutants_of(source: str, file: str, scratch: Path) -> list[Mutant]:
    """Every mutant of a source, in its order, each text once.

    ``file``: what to call it. ``scratch``: a folder in which mutmut may look for its settings, and finds none of
    anybody's. Raises MakingError.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise MakingError(f"{file} is no Python that this interpreter reads: {error}") from None
    texts = dict.fromkeys(text for text in _texts(source, file, scratch) if text != source)
    outline = Outline(tree, source)
    numbers: dict[str, int] = {}
    made: list[Mutant] = []
    for (start, end), original, replacement, text in sorted(_changed(source, text) for text in texts):
        begin, stop = _place(source, start), _place(source, end)
        function = outline.function(begin, stop)
        numbers[function] = numbers.get(function, 0) + 1
        made.append(
            Mutant(
                id=f"{function or 'module'}#{numbers[function]}",
                file=file,
                text=text,
                start=begin,
                end=stop,
                original=original,
                replacement=replacement,
                function=function,
                lines=outline.lines(begin, stop),
                diff=_diff(source, text, file),
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


def tool_version() -> str:
    """The version of mutmut that is installed. Raises MakingError where it isn't the one that fits."""
    try:
        found = metadata.version(TOOL)
    except metadata.PackageNotFoundError:
        raise MakingError(f"mutants are made by {TOOL}, which is not installed: {INSTALL}") from None
    if found != PINNED:
        raise MakingError(f"mutants are made by the insides of {TOOL} {PINNED}, and {found} is installed: {INSTALL}")
    return found


def _texts(source: str, file: str, scratch: Path) -> Iterator[str]:
    tool_version()
    # It is an extra, and takes a while to import.
    from mutmut import configuration
    from mutmut.mutation.file_mutation import create_mutations

    (scratch / "setup.cfg").write_text("[mutmut]\nsource_paths=.\n", encoding="utf-8")
    with contextlib.chdir(scratch):  # its settings are those of the folder it runs in
        configuration.reset_config()
        try:
            module, mutations, *_ = create_mutations(file, source)
        except Exception as error:
            raise MakingError(f"{TOOL} can't read {file}: {type(error).__name__}: {error}") from None
    for mutation in mutations:
        changed = module.deep_replace(mutation.original_node, mutation.mutated_node)
        yield str(changed.code)


def _changed(source: str, text: str) -> tuple[tuple[int, int], str, str, str]:
    """Where a text differs from the source, what stood there, and what stands there now: whole words."""
    most = min(len(source), len(text))
    start = next((i for i in range(most) if source[i] != text[i]), most)
    tail = next((i for i in range(most - start) if source[-1 - i] != text[-1 - i]), most - start)
    while start and _in_word(source[start - 1]):
        start -= 1
    while tail and _in_word(source[len(source) - tail]):
        tail -= 1
    end = len(source) - tail
    return (start, end), source[start:end], text[start : len(text) - tail], text


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _place(source: str, offset: int) -> Place:
    before = source[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def _diff(source: str, text: str, file: str) -> str:
    lines = difflib.unified_diff(source.splitlines(), text.splitlines(), file, file, n=2, lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return (words if len(words) <= 40 else f"{words[:24]}…{words[-12:]}") or "nothing"


class Outline:
    """A source's statements and functions, by place."""

    def __init__(self, tree: ast.Module, source: str) -> None:
        self._all = frozenset(range(1, source.count("\n") + 2))
        self._lines = source.splitlines()
        self._statements: list[tuple[Place, Place, ast.stmt]] = []
        self._functions: list[tuple[Place, Place, str]] = []
        self._visit(tree, "")

    def function(self, start: Place, end: Place) -> str:
        """The dotted name of the innermost function around a place, or ""."""
        around = [(begin, name) for begin, stop, name in self._functions if begin <= start and end <= stop]
        return max(around)[1] if around else ""

    def lines(self, start: Place, end: Place) -> frozenset[int]:
        """The lines of the innermost statement around a place, without its body; all lines where there is none."""
        around = [
            (begin, -index, statement)
            for index, (begin, stop, statement) in enumerate(self._statements)
            if begin <= start and end <= stop
        ]
        if not around:
            return self._all
        statement = max(around, key=lambda each: (each[0], -each[1]))[2]
        last = statement.end_lineno or statement.lineno
        if isinstance(statement, COMPOUND):
            last = max(statement.lineno, statement.body[0].lineno - 1)
        elif isinstance(statement, ast.Match):
            last = statement.cases[0].pattern.lineno
        return frozenset(range(_first_line(statement), last + 1))

    def _visit(self, node: ast.AST, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = inside
            if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                name = f"{inside}.{child.name}" if inside else child.name
            if isinstance(child, ast.stmt):
                begin, stop = self._span(child)
                self._statements.append((begin, stop, child))
                if isinstance(child, FUNCTIONS):
                    self._functions.append((begin, stop, name))
            self._visit(child, name)

    def _span(self, node: ast.stmt) -> tuple[Place, Place]:
        """Where a statement begins and ends, in characters from 1; ``ast`` counts bytes from 0."""
        end = node.end_lineno or node.lineno
        column = 1 if _first_line(node) < node.lineno else self._column(node.lineno, node.col_offset)
        return (_first_line(node), column), (end, self._column(end, node.end_col_offset or 0))

    def _column(self, line: int, offset: int) -> int:
        return len(self._lines[line - 1].encode()[:offset].decode(errors="replace")) + 1


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])
