"""A source's statements and functions, by place."""

from __future__ import annotations

import ast

from conformance.mutation.results import Place

COMPOUND = (
    *(ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def functions_of(source: str) -> list[str]:
    """The dotted names of a source's functions, in its order. Raises SyntaxError, ValueError."""
    return Outline(ast.parse(source), source).names


class Outline:
    """A source's statements and functions, by place."""

    def __init__(self, tree: ast.Module, source: str) -> None:
        self._all = frozenset(range(1, source.count("\n") + 2))
        self._lines = source.splitlines()
        self._statements: list[tuple[Place, Place, ast.stmt]] = []
        self._functions: list[tuple[Place, Place, str]] = []
        self._visit(tree, "")

    @property
    def names(self) -> list[str]:
        """The dotted names of the functions, in their order."""
        return list(dict.fromkeys(name for _, _, name in sorted(self._functions)))

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
