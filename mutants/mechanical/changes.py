"""Mutants: which small change to which function each is, made by mutmut's generator."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mutmut.mutation.data import LineSpan
from mutmut.mutation.file_mutation import MutatedFile, mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name, orig_function_and_class_names_from_key


@dataclass(frozen=True, slots=True)
class Change:
    """What a mutant changes.

    ``function``: dotted, with its module. ``removed``, ``added``: the changed lines without their indentation.
    ``place``: the first (1), second … of the mutants of that function that have the same lines.
    """

    function: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    place: int = 1


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutant: mutmut's name for it, the path of its module, what it changes, and the diff that shows it."""

    name: str
    path: str
    change: Change
    diff: tuple[str, ...]

    @property
    def module(self) -> str:
        """The dotted name of its module."""
        return self.path.removesuffix(".py").replace("/", ".")

    @property
    def caller(self) -> str:
        """The name by which mutmut records that a test calls the mutant's function."""
        return self.name.partition("__mutmut_")[0]


@dataclass(frozen=True, slots=True)
class Mutated:
    """A module with all its mutants in it: its new text, the mutants, and function to the digest of its source."""

    text: str
    mutants: tuple[Mutant, ...]
    digests: dict[str, str]


def mutated(path: Path, text: str) -> Mutated:
    """The module at ``path`` (from the root of the tree) with every mutant in it."""
    made = mutate_file_contents(str(path), text)
    module = ".".join(path.with_suffix("").parts)
    digests = {f"{module}.{_plain(key)}": digest for key, digest in made.hash_by_function_name.items()}
    return Mutated(made.code, tuple(_mutants(path, module, made)), digests)


def _mutants(path: Path, module: str, made: MutatedFile) -> Iterator[Mutant]:
    lines = made.code.splitlines()
    seen: Counter[Change] = Counter()
    for name in made.mutant_names:
        whole = name.partition("__mutmut_")[0] + "__mutmut_orig"
        function = f"{module}.{_plain(name)}"
        before, after = (_source(lines, made.line_span_by_function_name[each], each) for each in (whole, name))
        diff = [*difflib.unified_diff(before, after, lineterm="", n=2)][2:]
        change = Change(function, _lines(diff, "-"), _lines(diff, "+"))
        seen[change] += 1
        placed = Change(change.function, change.removed, change.added, seen[change])
        yield Mutant(get_mutant_name(path, name), path.as_posix(), placed, tuple(diff))


def _source(lines: list[str], span: LineSpan, name: str) -> list[str]:
    """The lines of a generated function, called as it was."""
    own = lines[span.start - 1 : span.end]
    while own and not own[0].strip():
        own = own[1:]
    plain = _plain(name).rpartition(".")[2]
    return [line.replace(f"def {name}(", f"def {plain}(") for line in own]


def _lines(diff: list[str], sign: str) -> tuple[str, ...]:
    return tuple(line[1:].strip() for line in diff if line.startswith(sign))


def _plain(key: str) -> str:
    """The function's name behind mutmut's, with its class."""
    name, of = orig_function_and_class_names_from_key(key if "__mutmut_" in key else f"{key}__mutmut_")
    return f"{of}.{name}" if of else name
