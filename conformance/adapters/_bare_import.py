"""How a module deep in a package is imported without running the package's own code, which wants a GPU's libraries."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


def bare(package: str) -> ModuleType:
    """An installed package whose submodules can be imported although its own code hasn't run. Raises ImportError."""
    parent = package.rpartition(".")[0]
    found = PathFinder.find_spec(package, import_module(parent).__path__ if parent else None)
    if found is None or found.submodule_search_locations is None:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    module = ModuleType(package)
    module.__path__ = list(found.submodule_search_locations)
    module.__spec__ = ModuleSpec(package, None, is_package=True)
    return module


@contextmanager
def entered(package: str) -> Iterator[None]:
    """While it lasts, a package can be entered without its own code; one that is imported already is left alone."""
    if package in sys.modules:
        yield
        return
    module = bare(package)
    sys.modules[package] = module
    try:
        yield
    finally:
        if sys.modules.get(package) is module:
            del sys.modules[package]
