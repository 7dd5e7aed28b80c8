"""How LMDeploy's response parsers are imported without torch and the engine."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, metadata
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

SMALL = "pip install mmengine-lite pydantic shortuuid"
"""What the parsers need of what LMDeploy asks for; the rest is the engine's."""

MISSING = f"LMDeploy's parsers are not installed: pip install --no-deps lmdeploy==0.18.0, then {SMALL}"

BARE = ("lmdeploy", "lmdeploy.serve")
"""Packages whose own code starts the engine; they are entered without running it."""

UTILS = "lmdeploy.utils"
"""A module that imports torch, and of which the parsers use ``get_logger`` alone."""


def load() -> tuple[Any, type[Any], str]:
    """The registry of response parsers, the class of chat requests, and the version.

    Raises ImportError, with what to install, where LMDeploy isn't there or a small dependency is missing.
    """
    try:
        version = metadata.version("lmdeploy")
    except metadata.PackageNotFoundError as error:
        raise ImportError(MISSING) from error
    with stand_ins():
        try:
            manager = import_module("lmdeploy.serve.parsers").ResponseParserManager
            # set_parsers imports them when it is called, and by then the stand-ins are gone.
            import_module("lmdeploy.serve.parsers.reasoning_parser")
            import_module("lmdeploy.serve.parsers.tool_parser")
            request = import_module("lmdeploy.serve.openai.protocol").ChatCompletionRequest
        except ImportError as error:
            raise ImportError(f"the parsers of LMDeploy {version}: {error}; {SMALL}") from error
    return manager, request, version


@contextmanager
def stand_ins() -> Iterator[None]:
    """While it lasts, ``sys.modules`` holds stand-ins for what can't be imported without the engine.

    What is imported already is left alone, and afterwards nobody else finds a stand-in.
    """
    added = {package: _bare(package) for package in BARE if package not in sys.modules}
    if UTILS not in sys.modules:
        utils = ModuleType(UTILS)
        utils.get_logger = logging.getLogger  # type: ignore[attr-defined]
        added[UTILS] = utils
    sys.modules.update(added)
    try:
        yield
    finally:
        for name, module in added.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _bare(package: str) -> ModuleType:
    """An installed package whose submodules can be imported although its own code hasn't run."""
    first, *rest = package.split(".")
    found = PathFinder.find_spec(first)
    if found is None or found.submodule_search_locations is None:
        raise ImportError(MISSING)
    module = ModuleType(package)
    module.__path__ = ["/".join([place, *rest]) for place in found.submodule_search_locations]
    module.__spec__ = ModuleSpec(package, None, is_package=True)
    return module
