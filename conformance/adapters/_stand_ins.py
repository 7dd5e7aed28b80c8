"""Importing part of a package without what the rest of it needs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


@contextmanager
def partial(
    packages: Sequence[str] = (), stand_ins: Mapping[str, Mapping[str, object]] | None = None
) -> Iterator[None]:
    """While it lasts, ``sys.modules`` lets part of a package be imported; afterwards nobody finds what it added.

    ``packages``: those that are entered without running their own code, parents before children. ``stand_ins``: module
    to the names it holds, for modules that needn't be real. What is imported already is left alone. Raises ImportError
    where one of ``packages`` isn't installed.
    """
    added: list[str] = []
    try:
        for name in packages:
            if name not in sys.modules:
                sys.modules[name] = _bare(name)
                added.append(name)
        for name, names in (stand_ins or {}).items():
            if name not in sys.modules:
                sys.modules[name] = _stand_in(name, names)
                added.append(name)
        yield
    finally:
        for name in added:
            sys.modules.pop(name, None)


def _bare(package: str) -> ModuleType:
    """An installed package whose submodules can be imported although its own code hasn't run."""
    parent = package.rpartition(".")[0]
    found = PathFinder.find_spec(package, list(sys.modules[parent].__path__) if parent else None)
    if found is None or found.submodule_search_locations is None:
        raise ImportError(f"no package {package}")
    return _module(package, list(found.submodule_search_locations))


def _stand_in(name: str, names: Mapping[str, object]) -> ModuleType:
    module = _module(name, [])
    vars(module).update(names)
    return module


def _module(name: str, path: list[str]) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = path
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    return module
