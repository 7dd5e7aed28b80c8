"""How SGLang's reasoning parsers are imported without torch, transformers or xgrammar."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, metadata
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import Any

SMALL = "pip install pydantic openai==2.8.0 msgspec orjson partial-json-parser regex tqdm"
"""What the parsers need of what their distributions ask for; the rest is the engine's."""

MISSING = (
    "SGLang's parsers are not installed: pip install --no-deps llm-router-utils==0.8.1 "
    f"(or --no-deps sglang==0.5.23), then {SMALL}"
)

SOURCES = {"sglang": "sglang", "llm-router-utils": "llm_router_utils.sglang"}
"""Distribution to the package that holds its parsers, in the order they are preferred."""

NEEDS_TORCH = ("transformers", "xgrammar")
"""Packages that can't be imported without torch, installed or not, or complain of it on stderr."""

STAND_INS: dict[str, dict[str, tuple[str, ...]]] = {
    # An annotation of a tokenizer that the text detectors are never given.
    "transformers": {"transformers": ("PreTrainedTokenizerBase",)},
    # Building blocks of the grammars that constrain tool calls; no reasoning is read with them.
    "xgrammar": {
        "xgrammar": ("StructuralTag", "Grammar", "get_model_structural_tag"),
        "xgrammar.structural_tag": (
            *("AnyTextFormat", "AnyTokensFormat", "ConstStringFormat", "ExcludeTokenFormat", "Format"),
            *("JSONSchemaFormat", "OptionalFormat", "OrFormat", "RegexFormat", "SequenceFormat", "StarFormat"),
            *("StructuralTag", "TagFormat", "TagsWithSeparatorFormat", "TokenFormat", "TriggeredTagsFormat"),
        ),
    },
    # Imported at the top of sglang/utils.py, of which the parsers use one function that needs none of them.
    "numpy": {"numpy": ("ndarray",)},
    "pybase64": {"pybase64": ()},
    "requests": {"requests": ()},
    "IPython": {"IPython": (), "IPython.display": ("HTML", "display")},
}
"""Package to the modules that stand in for it, each with the names that parser code mentions and never uses."""


def load() -> tuple[type[Any], str]:
    """SGLang's ``ReasoningParser`` and the version to show for it.

    The real ``sglang`` where it is installed, otherwise ``llm-router-utils``, an extract with the same detectors.
    Raises ImportError, with what to install, where neither is there or a small dependency is missing.
    """
    for distribution, package in SOURCES.items():
        try:
            installed = metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
        with stand_ins(bare="sglang" if package == "sglang" else None):
            try:
                parser = import_module(f"{package}.srt.parser.reasoning_parser").ReasoningParser
            except ImportError as error:
                raise ImportError(f"the parsers of {distribution} {installed}: {error}; {SMALL}") from error
        return parser, _shown(distribution, installed)
    raise ImportError(MISSING)


def _shown(distribution: str, installed: str) -> str:
    """``"0.5.23"`` for sglang itself, ``"0.5.22 (llm-router-utils 0.8.1)"`` for the extract.

    The release it was extracted from stands in a table of the extract's description, and nowhere else.
    """
    if distribution == "sglang":
        return installed
    described = str(metadata.metadata(distribution).json.get("description"))
    row = re.search(rf"^\| `v{re.escape(installed)}` \| \[v([\d.]+)\]", described, re.MULTILINE)
    itself = f"{distribution} {installed}"
    return f"{row[1]} ({itself})" if row else itself


@contextmanager
def stand_ins(bare: str | None = None) -> Iterator[None]:
    """While it lasts, ``sys.modules`` holds stand-ins for what the parsers import and this environment can't.

    ``bare``: a package to be entered without running its ``__init__`` (SGLang's imports the engine, and torch).
    What is real is left alone, and afterwards nobody else finds a stand-in: the parsers keep the names they took.
    """
    added: dict[str, ModuleType] = {}
    if bare is not None and bare not in sys.modules:
        added[bare] = _bare(bare)
    for package, modules in STAND_INS.items():
        if not _importable(package):
            added.update({name: _stand_in(name, names) for name, names in modules.items()})
    sys.modules.update(added)
    try:
        yield
    finally:
        for name, module in added.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _importable(package: str) -> bool:
    """Whether the real package can be had here: it is imported, or can be, and won't miss torch."""
    if package in sys.modules:
        return True
    if package in NEEDS_TORCH and find_spec("torch") is None:
        return False
    return find_spec(package) is not None


def _bare(package: str) -> ModuleType:
    """An installed package whose submodules can be imported although its own code hasn't run."""
    found = PathFinder.find_spec(package)
    if found is None or found.submodule_search_locations is None:
        raise ImportError(MISSING)
    module = ModuleType(package)
    module.__path__ = list(found.submodule_search_locations)
    module.__spec__ = ModuleSpec(package, None, is_package=True)
    return module


class _Unused:
    """What a stand-in holds under a name: a class that may be named as a type, and as a field's of a pydantic model."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> dict[str, str]:
        return {"type": "any"}


def _stand_in(name: str, names: tuple[str, ...]) -> ModuleType:
    """A module that holds an unused class under each of ``names``."""
    module = ModuleType(name)
    module.__path__ = []
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    for attribute in names:
        setattr(module, attribute, type(attribute, (_Unused,), {"__module__": name}))
    return module
