"""A module's source replaced by another text when it is imported, with nothing written anywhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType


class Placed(MetaPathFinder):
    """Finds the module that a file holds, with ``text`` for its source. ``used``: the names it was loaded by.

    Everything else of the module, its file name among it, is as it would be.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.used: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the other finders give, with our loader in it, where it is of the file; else None."""
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is None:
                continue
            if spec.origin is None or not spec.has_location or os.path.realpath(spec.origin) != self.path:
                return None
            spec.loader = Loader(fullname, spec.origin, self)
            return spec
        return None


class Loader(SourceFileLoader):
    """Loads a module from the text that is placed; nothing is cached."""

    def __init__(self, fullname: str, path: str, placed: Placed) -> None:
        super().__init__(fullname, path)
        self._placed = placed

    def get_source(self, fullname: str) -> str:
        """The text in place of the file's."""
        return self._placed.text

    def get_code(self, fullname: str) -> CodeType:
        """The text's code. Raises SyntaxError."""
        self._placed.used.append(fullname)
        code: CodeType = compile(self._placed.text, self._placed.path, "exec", dont_inherit=True)
        return code
