"""Transformers' response parser, by its own templates and by ours; findings: docs/adapters/transformers.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any

from conformance.adapters._calls import CallsRefused
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Finish, Message, Request, Unsupported

try:
    from transformers.cli.serving.utils import _RESPONSE_TEMPLATE_FALLBACKS
    from transformers.utils.chat_parsing import ResponseParser, parse_response
except ImportError as error:
    raise ImportError(f"Transformers: {error}; pip install transformers==5.24.0") from error

name = "transformers"
version = metadata.version("transformers")

Template = dict[str, Any]
"""A response template, as tokenizer.response_template holds it."""

SHIPPED = {
    "gemma4": "gemma4",
    "qwen3": "qwen3",
    "qwen35": "qwen3_5",
}
"""Dialect to the model type whose template Transformers ships ("transformers serve" falls back on it)."""

EMITTED = ("glm45", "phi4_reasoning")
"""Dialects whose template is made of their declaration: a few, for all are read by the same machine.

A template has regions with an opener and a closer and one region for all else, so dialects with markers for the answer
or for framing can't be among them.
"""

dialects = {*SHIPPED, *EMITTED}

REGIONS: dict[str, str | bool] = {
    # A region may open whenever none is open, as often as it is written.
    "reopen": "opens",
    "prefix": "content",
    # _watchlist: closers are looked for inside their region alone.
    "stray_close": "text",
    "declined": "text",
    # "the close of the currently-open explicit region": inside one nothing else is looked for.
    "echoed_open": "text",
    "calls_end_reasoning": False,
    # finalize closes the open region: what it holds is the field's.
    "unclosed": "reasoning",
    # Nobody is told that thinking was switched off.
    "off": "read",
}

policy = {
    # content_args "strip", true by default: a chunk is "the verbatim body text (modulo whitespace)".
    **{dialect: REGIONS | {"space": "trimmed"} for dialect in SHIPPED},
    # Emitted templates set it to false.
    **{dialect: REGIONS | {"space": "kept"} for dialect in EMITTED},
}

ANCHOR = "<assistant>"
"""Where the message begins in the prompt, for emitted templates: a dialect doesn't declare what stands before."""

SEEN_BY_MORE = {"gemma4", "qwen35"}
"""Dialects whose shipped template sees a call by what follows its opener, so that no call is like those judged here."""

CALLS = "the template takes calls out of the text, and what is judged here is text"


def emitted(dialect: str) -> Template:
    """The response template that a dialect's declaration gives.

    Text is kept byte for byte ("strip"), and a field's regions are put together ("join").
    """
    declared = REGISTRY.get(dialect)
    text: dict[str, Any] = {"content": "text", "content_args": {"strip": False}, "repeats": True}

    def region(role: str) -> dict[str, Any]:
        anchors = {anchor: [*declared.of(f"{role}_{anchor}")] for anchor in ("open", "close")}
        return {anchor: markers for anchor, markers in anchors.items() if markers} | text

    fields = {"reasoning_content": {"join": ""} | region("reasoning"), "content": {"join": ""} | text}
    if declared.of("calls_open"):
        fields["tool_calls"] = region("calls")
    return {"start_anchor": ANCHOR, "fields": fields}


def _shipped(model_type: str) -> Template:
    return next(template for types, template in _RESPONSE_TEMPLATE_FALLBACKS.items() if model_type in types)


TEMPLATES: dict[str, Template] = {
    **{dialect: _shipped(model_type) for dialect, model_type in SHIPPED.items()},
    **{dialect: emitted(dialect) for dialect in EMITTED},
}


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output. Raises Unsupported where it holds calls, ValueError where Transformers does."""
    calls(request).look(raw)
    message = parse_response(raw, TEMPLATES[request.dialect], prefix=prefix(request))
    if "tool_calls" in message:
        raise Unsupported(CALLS)
    return Message(reasoning=message.get("reasoning_content", ""), content=message.get("content", ""))


def stream(request: Request) -> Reader:
    """A new reader for one response."""
    return Reader(request)


class Reader:
    """One streamed response: the chunks of a ResponseParser's regions as deltas."""

    def __init__(self, request: Request) -> None:
        self._parser = ResponseParser(TEMPLATES[request.dialect], prefix=prefix(request))
        self._calls = calls(request)

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The deltas of one chunk. Raises Unsupported where a call closes."""
        self._calls.look(chunk.text)
        return _deltas(self._parser.feed(chunk.text))

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """What was still held; Transformers' parser isn't told how the output ended."""
        return _deltas(self._parser.finalize()[1])


def calls(request: Request) -> CallsRefused:
    """What refuses outputs with a calls opener, where the template would see no call in them and a model's it would."""
    openers = REGISTRY.get(request.dialect).of("calls_open") if request.dialect in SEEN_BY_MORE else ()
    return CallsRefused(openers, CALLS)


def prefix(request: Request) -> str:
    """The end of the prompt: where the message begins, and the opener where the prompt has written it."""
    anchor = TEMPLATES[request.dialect]["start_anchor"]
    opener = REGISTRY.get(request.dialect).of("reasoning_open")[0] if request.opened else ""
    return (anchor if isinstance(anchor, str) else anchor[0]) + opener


def _deltas(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The text of the regions that are text. What a call's region holds comes when it closes, as a value."""
    for event in events:
        match event:
            case {"type": "region_chunk", "field": "reasoning_content", "text": text}:
                yield "reasoning", text
            case {"type": "region_chunk", "field": "content", "text": text}:
                yield "content", text
            case {"type": "region_close", "field": "tool_calls"}:
                raise Unsupported(CALLS)


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """A script that shows the same with Transformers alone. ``chunks``: None where only the split matters."""
    return f"""\
from transformers.utils.chat_parsing import ResponseParser, parse_response

template = {TEMPLATES[request.dialect]!r}
prefix = {prefix(request)!r}
raw = {raw!r}
chunks = {None if chunks is None else list(chunks)!r}

try:
    print("split", parse_response(raw, template, prefix=prefix))
except ValueError as error:
    print("split", repr(error))
if chunks is not None:
    parser = ResponseParser(template, prefix=prefix)
    try:
        for chunk in chunks:
            print("stream", repr(chunk), [(e["field"], e["text"]) for e in parser.feed(chunk) if "text" in e])
        print("stream", "end", [(e["field"], e["text"]) for e in parser.finalize()[1] if "text" in e])
    except ValueError as error:
        print("stream", repr(error))
"""
