"""FreeToken's reasoning parsers, as its server calls them; install and findings: docs/adapters/freetoken.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from conformance.adapters._bare_import import entered
from oracles.messages import Chunk, Finish, Message, Request, Unsupported

try:
    with entered("freetoken.server"):
        _parsers = import_module("freetoken.server.reasoning_parser")
    version: str = import_module("freetoken.version").__version__
except ImportError as error:
    raise ImportError(f"FreeToken: {error}; install it from source, or put its python/ on PYTHONPATH") from error

name = "freetoken"

# "Chunks are detokenizer deltas (roughly token-aligned)."
chunks = "tokens"

Values = dict[str, str | bool]

BASE: Values = {}


class Parser(NamedTuple):
    """Which parser reads a dialect, its policy, and values of ``opened`` that it ignores, with the reason."""

    name: str
    policy: Values
    refused: Mapping[bool, str] = MappingProxyType({})


PARSERS = {
    "deepseek_v32": Parser("deepseekv32", BASE),
    "deepseek_v4": Parser("deepseekv32", BASE),
    "gemma4": Parser("gemma4", BASE),
    "glm45": Parser("glm", BASE),
    "glm47": Parser("glm", BASE),
    "gpt_oss": Parser("gpt_oss", BASE, {True: "reads channels alone and can't be told that one is open"}),
    "minimax_m2": Parser("minimax", BASE, {False: "is forced to reasoning by the server, whatever is asked"}),
    "minimax_m3": Parser("minimax_m3", BASE),
    "qwen3": Parser("qwen3", BASE),
}
"""Dialect to its parser."""

dialects = set(PARSERS)

policy = {dialect: parser.policy for dialect, parser in PARSERS.items()}


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output. The parser never learns how the output ended."""
    reasoning, content = _parser_for(request).parse_non_stream(raw)
    return Message(reasoning=reasoning, content=content)


def stream(request: Request) -> Reader:
    """A new reader for one response."""
    return Reader(_parser_for(request))


class Reader:
    """One response as the server streams it; what gives both fields gives the reasoning first."""

    def __init__(self, parser: Any) -> None:
        self._parser = parser

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The fields that a chunk gives."""
        return zip(("reasoning", "content"), self._parser.parse_stream_chunk(chunk.text), strict=True)

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """What the parser still held."""
        return zip(("reasoning", "content"), self._parser.flush(), strict=True)


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """A Python script that asks FreeToken alone; ``chunks`` is None where only the split matters."""
    made = f'ReasoningParser("{PARSERS[request.dialect].name}", force_reasoning={request.opened})'
    lines = [
        "from freetoken.server.reasoning_parser import ReasoningParser",
        "",
        f"raw = {raw!r}",
        f'print("split", {made}.parse_non_stream(raw))',
    ]
    if chunks is not None:
        lines += [
            "",
            f"parser = {made}",
            f"for chunk in {list(chunks)!r}:",
            '    print("chunk", repr(chunk), parser.parse_stream_chunk(chunk))',
            'print("end", parser.flush())',
        ]
    return "\n".join(lines) + "\n"


def _parser_for(request: Request) -> Any:
    """The parser for a request; raises Unsupported where it would ignore what the prompt opened."""
    parser = PARSERS[request.dialect]
    if request.opened in parser.refused:
        raise Unsupported(f"{parser.name} {parser.refused[request.opened]}")
    return _parsers.ReasoningParser(parser.name, force_reasoning=request.opened)
