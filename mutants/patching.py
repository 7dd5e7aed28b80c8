"""Patches of the specified reader's source, and the machines that come of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from oracles import reader, watch
from oracles.reader import Machine

SOURCES = {"reader": reader, "watch": watch}
"""The modules that a patch may change, by the name it gives them."""


class PatchError(ValueError):
    """A patch doesn't fit the source; the text says which, and what was found."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A change of source text. ``old``: what stands there, exactly once. ``module``: ``reader`` or ``watch``."""

    old: str
    new: str
    module: str = "reader"

    @property
    def file(self) -> Path:
        """The source file it changes."""
        return Path(str(SOURCES[self.module].__file__))

    def applied(self, source: str) -> str:
        """The changed source. Raises PatchError where ``old`` isn't there exactly once."""
        count = source.count(self.old)
        if count != 1:
            raise PatchError(
                f"a patch of oracles/{self.module}.py asks for {self.old!r} once, and it is there {count} times; "
                "follow the source"
            )
        return source.replace(self.old, self.new)

    def span(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Where ``old`` begins and ends, as (line, column), both from 1. Raises PatchError."""
        source = self.file.read_text(encoding="utf-8")
        self.applied(source)
        begin = source.index(self.old)
        return _place(source, begin), _place(source, begin + len(self.old))


def patched(patches: Sequence[Patch]) -> type[Machine]:
    """The specified reader's machine, from its source with patches. Raises PatchError, and what the source raises."""
    changed = _module("watch", patches)
    machine = _module("reader", patches)
    for name, value in vars(watch).items():
        if vars(reader).get(name) is value and name in vars(changed) and not name.startswith("__"):
            setattr(machine, name, getattr(changed, name))
    made: type[Machine] = machine.Machine
    return made


def _module(name: str, patches: Sequence[Patch]) -> ModuleType:
    file = Path(str(SOURCES[name].__file__))
    source = file.read_text(encoding="utf-8")
    for patch in patches:
        if patch.module == name:
            source = patch.applied(source)
    module = ModuleType(SOURCES[name].__name__)  # its dataclasses look their own module up by this name
    exec(compile(source, str(file), "exec"), vars(module))
    return module


def _place(source: str, offset: int) -> tuple[int, int]:
    before = source[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
