"""FreeToken's reasoning parsers, as its server calls them; install and findings: docs/adapters/freetoken.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from conformance.adapters._stand_ins import partial
from oracles.messages import Chunk, Finish, Message, Request, Unsupported

try:
    version: str = import_module("freetoken.version").__version__
    with partial(["freetoken.server"]):
        _parsers = import_module("freetoken.server.reasoning_parser")
except ImportError as error:
    raise ImportError(f"FreeToken: {error}; install it from source, or put its python/ on PYTHONPATH") from error

name = "freetoken"

# "Chunks are detokenizer deltas (roughly token-aligned)."
chunks = "tokens"

Values = dict[str, str | bool]

TAGS: Values = {
    # A closer is looked for where a thought is open, or an opener came.
    "stray_close": "text",
    "declined": "text",
    # The split deletes every opener.
    "echoed_open": "dropped",
    # "No DSML tool marker — reasoning ends at </think>."
    "calls_end_reasoning": False,
    # "reasoning was truncated before the end marker"
    "unclosed": "reasoning",
    "off": "read",
    # The split strips both channels.
    "space": "trimmed",
    # "prefix" and "reopen" are not declared: of words before an opener the split makes reasoning and the stream
    # content, and an opener in the answer is deleted by the split, which no value says.
}

# "tool_start_token ends reasoning at the first DSML marker", but "a later </think> reclaims it as reasoning", and a
# stream waits up to TOOL_HOLD_MAX characters for that. Neither value says so.
DSML = {axis: value for axis, value in TAGS.items() if axis != "calls_end_reasoning"}

MINIMAX_M3: Values = {
    # "later marker occurrences are data, and nothing is whitespace-trimmed"
    "reopen": "text",
    "echoed_open": "text",
    "space": "kept",
    # "prose before it stays content"
    "prefix": "content",
    # "a single leading closer ... is stripped", and "anything else before a closer keeps it visible"
    "declined": "dropped",
    "stray_close": "text",
    "unclosed": "reasoning",
    "off": "read",
    # "calls_end_reasoning" is not declared, as above.
}

GPT_OSS: Values = {
    # Every analysis segment is reasoning, wherever it stands; a new channel is a boundary of the one before.
    "reopen": "opens",
    "prefix": "content",
    "echoed_open": "dropped",
    "unclosed": "reasoning",
    "off": "read",
    # The split strips both channels.
    "space": "trimmed",
    # Text outside of segments is dropped, and so are closers and calls that no segment holds.
}


class Parser(NamedTuple):
    """Which parser reads a dialect, its policy, and values of ``opened`` that it ignores, with the reason."""

    name: str
    policy: Values
    refused: Mapping[bool, str] = MappingProxyType({})


PARSERS = {
    "deepseek_v32": Parser("deepseekv32", DSML),
    "deepseek_v4": Parser("deepseekv32", DSML),
    "gemma4": Parser("gemma4", TAGS),
    "glm45": Parser("glm", TAGS),
    "glm47": Parser("glm", TAGS),
    "gpt_oss": Parser("gpt_oss", GPT_OSS, {True: "reads channels alone and can't be told that one is open"}),
    "minimax_m2": Parser("minimax", TAGS, {False: "is forced to reasoning by the server, whatever is asked"}),
    "minimax_m3": Parser("minimax_m3", MINIMAX_M3),
    "qwen3": Parser("qwen3", TAGS),
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
