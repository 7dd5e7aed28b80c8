"""A script that asks SGLang's parsers alone what the adapter asks them."""

from __future__ import annotations

from collections.abc import Sequence

ABSENT = '''\
import importlib.machinery
import importlib.util
import sys
import types


class Absent(types.ModuleType):
    """Stands for a package of the engine: the parsers mention its names and don't use them."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__get_pydantic_core_schema__": classmethod(lambda *_: {"type": "any"})})


if importlib.util.find_spec("torch") is None:
    for name in ("numpy", "pybase64", "requests", "IPython"):
        if importlib.util.find_spec(name) is None:
            sys.modules.update({name: Absent(name), name + ".display": Absent(name + ".display")})
    for name in ("transformers", "xgrammar", "xgrammar.structural_tag"):
        sys.modules[name] = Absent(name)
    found = importlib.machinery.PathFinder.find_spec("sglang")
    if found is not None:  # its own __init__ imports torch
        sys.modules["sglang"] = types.ModuleType("sglang")
        sys.modules["sglang"].__path__ = list(found.submodule_search_locations)

'''
"""What lets the parsers be imported where the engine isn't installed."""


def script_of(
    module: str, model_type: str, opened: bool, stream_reasoning: bool, raw: str, chunks: Sequence[str] | None
) -> str:
    """The script. ``module``: of ``ReasoningParser``; ``chunks``: None where only the split matters."""
    lines = [
        f"{ABSENT}from {module} import ReasoningParser",
        "",
        f"raw = {raw!r}",
        f'parser = ReasoningParser("{model_type}", stream_reasoning=False, force_reasoning={opened})',
        'print("split", parser.parse_non_stream(raw))',
    ]
    if chunks is not None:
        lines += [
            "",
            f"chunks = {list(chunks)!r}",
            f'parser = ReasoningParser("{model_type}", stream_reasoning={stream_reasoning}, force_reasoning={opened})',
            "for chunk in chunks:",
            '    print("chunk", repr(chunk), parser.parse_stream_chunk(chunk))',
            'print("end", parser.parse_stream_end())',
        ]
    return "\n".join(lines) + "\n"
