"""LMDeploy's response parser, as its server asks it; install and findings: docs/adapters/lmdeploy.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import cleandoc
from typing import Any

from conformance.adapters._calls import CallsRefused
from conformance.adapters._lmdeploy_import import load
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Finish, Message, Request, Unsupported

ResponseParserManager, ChatCompletionRequest, version = load()
name = "lmdeploy"

# Tags are held to be single tokens (ReasoningParser.validate_tokenizer), and an opener in reasoning is dropped where
# it begins what has come.
chunks = "tokens"

PARSERS: dict[str, tuple[str, str | None]] = {
    "deepseek_r1": ("default", None),
    "deepseek_v31": ("deepseek-v3", None),
    "deepseek_v4": ("deepseek-v4", "deepseek-v4"),
    "kimi_k2": ("default", "kimi_k2"),
    "qwen3": ("default", "qwen3"),
}
"""Dialect to LMDeploy's names of its reasoning parser and tool parser, None where it has none for these calls.

Outputs with calls are refused, so qwen3 stands for all whose tags are its own: GLM-4.5 and 4.7 and the other Qwens.
"""

dialects = set(PARSERS)

BASE: dict[str, str | bool] = {
    # _consume_plain: an opener leads to reasoning wherever it stands, as often as it does.
    "reopen": "opens",
    # "Emits text before the tag as plain content".
    "prefix": "content",
    # In plain text "the earliest protocol opening tag" is looked for, and no closer.
    "stray_close": "text",
    "declined": "text",
    # What is in reasoning mode at the end is reasoning.
    "unclosed": "reasoning",
    # Nothing is stripped.
    "space": "kept",
    # "echoed_open" is not declared: an opener is dropped where what is held begins with it, which is as the chunks
    # fall. "off" is not declared: where thinking is off, tags are dropped and what stands between them is content.
    # "calls_end_reasoning": where there is a tool parser, a call suspends reasoning, which goes on behind it.
}

policy = {
    # Without a tool parser calls are not known.
    dialect: BASE if tools else BASE | {"calls_end_reasoning": False}
    for dialect, (_, tools) in PARSERS.items()
}


def _set_up(dialect: str) -> Any:
    """A class of response parsers for a dialect, of its own: a server sets the class up once, for its one model."""
    base = ResponseParserManager.get("default")
    own: Any = type(base.__name__, (base,), {})
    own.set_parsers(*PARSERS[dialect])
    return own


CLASSES = {dialect: _set_up(dialect) for dialect in dialects}

CALLS = "the tool parser takes calls out of the text, and what is judged here is text"


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output; LMDeploy's parser is told that it ended, not how. Raises Unsupported at calls."""
    calls(request).look(raw)
    content, _, reasoning = parser_for(request).parse_complete(raw)
    return Message(reasoning=reasoning or "", content=content or "")


def stream(request: Request) -> Reader:
    """A new reader for one response."""
    return Reader(parser_for(request), calls(request))


class Reader:
    """One response as the server streams it."""

    def __init__(self, parser: Any, calls: CallsRefused) -> None:
        self._parser = parser
        self._calls = calls

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The deltas of one step of the engine. Raises Unsupported where a call begins."""
        self._calls.look(chunk.text)
        return _deltas(self._parser.stream_chunk(chunk.text, [*chunk.ids], final=False))

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """The deltas of the engine's last step, which says that it is the last."""
        return _deltas(self._parser.stream_chunk("", [], final=True))


def calls(request: Request) -> CallsRefused:
    """What refuses the outputs that the dialect's tool parser would read."""
    known = PARSERS[request.dialect][1] is not None
    return CallsRefused(REGISTRY.get(request.dialect).of("calls_open") if known else (), CALLS)


def asked(request: Request) -> Mapping[str, bool]:
    """The caller's chat_template_kwargs; raises Unsupported where the parser would start elsewhere than the output.

    What the prompt opened is not asked: it follows from the parser's name and these.
    """
    parser, _ = PARSERS[request.dialect]
    thinks = request.opened and request.thinking
    if request.opened and not request.thinking:
        raise Unsupported("LMDeploy never starts in reasoning where thinking is off")
    if parser == "default" and request.thinking and not request.opened:
        raise Unsupported("LMDeploy's default parser always starts in reasoning where thinking isn't off")
    if thinks or not request.thinking:
        return {"enable_thinking": thinks}
    return {}


def parser_for(request: Request) -> Any:
    """LMDeploy's response parser for a request. Raises Unsupported where it can't be asked."""
    kwargs = {**asked(request)}
    return CLASSES[request.dialect](ChatCompletionRequest(model="", messages=[], chat_template_kwargs=kwargs))


def _deltas(steps: Sequence[tuple[Any, bool]]) -> Iterator[tuple[str, str]]:
    for delta, _ in steps:
        yield "reasoning", delta.reasoning_content or ""
        yield "content", delta.content or ""


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """A script that shows the same with LMDeploy alone. ``chunks``: None where only the split matters."""
    text = f"""
        import logging
        import sys
        from importlib.util import find_spec
        from types import ModuleType

        # LMDeploy's packages start the engine, which needs torch: they are entered without running their own code.
        place = find_spec("lmdeploy").submodule_search_locations[0]
        for name, path in (("lmdeploy", place), ("lmdeploy.serve", place + "/serve"), ("lmdeploy.utils", "")):
            sys.modules[name] = ModuleType(name)
            sys.modules[name].__path__ = [path]
        sys.modules["lmdeploy.utils"].get_logger = logging.getLogger

        from lmdeploy.serve.openai.protocol import ChatCompletionRequest
        from lmdeploy.serve.parsers import ResponseParserManager

        raw = {raw!r}
        chunks = {None if chunks is None else list(chunks)!r}
        request = ChatCompletionRequest(model="", messages=[], chat_template_kwargs={dict(asked(request))!r})
        parsers = ResponseParserManager.get("default")
        parsers.set_parsers(*{PARSERS[request.dialect]!r})

        content, _, reasoning = parsers(request).parse_complete(raw)
        print("split", (reasoning, content))
        if chunks is not None:
            parser = parsers(request)
            for chunk in [*chunks, None]:
                deltas = parser.stream_chunk(chunk or "", [], final=chunk is None)
                shown = "end" if chunk is None else repr(chunk)
                print("stream", shown, [(delta.reasoning_content, delta.content) for delta, _ in deltas])
    """
    return cleandoc(text) + "\n"
