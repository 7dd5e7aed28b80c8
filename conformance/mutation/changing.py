"""What mutmut's operators change in a source, without its trampolines."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import metadata
from pathlib import Path
from typing import Any

from conformance.mutation.outline import Outline
from conformance.mutation.results import Place

TOOL = "mutmut"
PINNED = "3.8.1"
"""The one release whose insides are known to fit."""

INSTALL = f"pip install 'llm-parser-conformance[mutate]', or pip install {TOOL}=={PINNED}"


class MakingError(Exception):
    """No mutants can be made; the text says why, and what to do."""


def tool_version() -> str:
    """The version of mutmut that is installed. Raises MakingError where it isn't the one that fits."""
    try:
        found = metadata.version(TOOL)
    except metadata.PackageNotFoundError:
        raise MakingError(f"mutants are made by {TOOL}, which is not installed: {INSTALL}") from None
    if found != PINNED:
        raise MakingError(f"mutants are made by the insides of {TOOL} {PINNED}, and {found} is installed: {INSTALL}")
    return found


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """What stands between two offsets of a source, and what stands there in a mutant."""

    start: int
    end: int
    original: str
    replacement: str


def changes(source: str, file: str, scratch: Path, outline: Outline, functions: Sequence[str]) -> Iterator[Change]:
    """What mutmut's operators change in the functions that are wanted."""
    tool_version()
    # It is an extra, and takes a while to import.
    from mutmut import configuration
    from mutmut.mutation import file_mutation as tool  # its insides: hence one release

    (scratch / "setup.cfg").write_text("[mutmut]\nsource_paths=.\n", encoding="utf-8")
    with contextlib.chdir(scratch):  # its settings are those of the folder it runs in
        configuration.reset_config()
        try:
            module, mutations, *_ = tool.create_mutations(file, source)
        except Exception as error:
            raise MakingError(f"{TOOL} can't read {file}: {type(error).__name__}: {error}") from None
    cst: Any = vars(tool)["cst"]
    wrapper = cst.metadata.MetadataWrapper(module, unsafe_skip_copy=True)
    places = wrapper.resolve(cst.metadata.WhitespaceInclusivePositionProvider)
    parts = _parts(module, source, file)
    # Behind a last line that nothing ends the tool sees another.
    starts = [0, *(at + 1 for at, sign in enumerate(source) if sign == "\n"), len(source)]
    for mutation in mutations:
        place = places[mutation.original_node]
        function = outline.function(_from_one(place.start), _from_one(place.end))
        if functions and not any(fnmatchcase(function, pattern) for pattern in functions):
            continue
        start, end = (min(starts[at.line - 1] + at.column, len(source)) for at in (place.start, place.end))
        old, new = (str(module.code_for_node(node)) for node in (mutation.original_node, mutation.mutated_node))
        if (
            source[start:end] != old
        ):  # of a node with lines of its own, which alone is written without their indentation
            start, part, old = next((at, part, code) for at, part, code in parts if start < at + len(code))
            changed: Any = part.deep_replace(mutation.original_node, mutation.mutated_node)
            end, new = start + len(old), str(changed.code)
        if old != new:
            yield _trimmed(source, start, end, new)


def _parts(module: Any, source: str, file: str) -> list[tuple[int, Any, str]]:
    """The statements of a module: where each begins, itself as a module, and its text. Raises MakingError."""
    whole = module.with_changes(header=[], footer=[], has_trailing_newline=True)
    parts = [whole.with_changes(body=[statement]) for statement in module.body]
    if parts:
        parts[-1] = parts[-1].with_changes(has_trailing_newline=module.has_trailing_newline)
    at = len(module.with_changes(body=[], footer=[], has_trailing_newline=True).code) if module.header else 0
    placed = []
    for part in parts:
        code = str(part.code)
        if source[at : at + len(code)] != code:
            raise MakingError(f"{TOOL} can't write {file} as it stands, so places in it can't be told")
        placed.append((at, part, code))
        at += len(code)
    return placed


def _from_one(at: Any) -> Place:
    return at.line, at.column + 1


def _trimmed(source: str, start: int, end: int, new: str) -> Change:
    """The change without what is the same at its ends, but whole words."""
    old = source[start:end]
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    tail = next((i for i in range(most - head) if old[-1 - i] != new[-1 - i]), most - head)
    first, last, words = start + head, end - tail, new[head : len(new) - tail]
    while first and _in_word(source[first - 1]):
        first -= 1
        words = source[first] + words
    while last < len(source) and _in_word(source[last]):
        words += source[last]
        last += 1
    return Change(first, last, source[first:last], words)


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
