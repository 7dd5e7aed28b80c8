"""LiteLLM's readers of think tags in what Ollama answers; install and findings: docs/adapters/litellm.md."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any

from oracles.messages import Chunk, Finish, Message, Request, Unsupported

# Without it, the import asks the network for a table of prices.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
try:
    from litellm.litellm_core_utils.prompt_templates.common_utils import parse_content_for_reasoning
    from litellm.llms.ollama.chat.transformation import OllamaChatCompletionResponseIterator
    from litellm.llms.ollama.completion.transformation import OllamaTextCompletionResponseIterator
except ImportError as error:
    raise ImportError(f"LiteLLM: {error}; pip install litellm==1.110.2") from error

name = "litellm"
version = metadata.version("litellm")

# Ollama sends the text of a token, or of several where it waited for the end of a character or of a stop sequence.
chunks = "tokens"

dialects = {"deepseek_r1", "phi4_reasoning", "qwen3"}
"""Those with <think> and </think> whose models open the thought themselves and are in Ollama's library."""

surfaces = ("ollama_chat", "ollama")
"""Ollama's /api/chat and /api/generate, by LiteLLM's names of the providers; the first answers where none is named."""

policy = {
    # parse_content_for_reasoning looks at the beginning of the text alone, and all behind the first closer is content.
    "reopen": "text",
    "prefix": "text",
    "stray_close": "text",
    "declined": "text",
    # Up to the first closer, whatever stands there.
    "echoed_open": "text",
    "calls_end_reasoning": False,
    # Nobody is told that thinking was switched off.
    "off": "read",
    # Nothing is stripped.
    "space": "kept",
    # "unclosed" is not declared: the split gives the whole text as content, the opener with it, however the output
    # ended. Neither value says that.
}


FOREIGN = re.compile("</?(?:budget:)?thinking>")
"""Tags of other models that the split knows too, and that are words in these dialects."""


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole answer: ``transform_response`` of both providers asks this of the text."""
    _refuse(request)
    if FOREIGN.search(raw):
        raise Unsupported("LiteLLM's split takes <thinking> and <budget:thinking> for <think>, on purpose")
    reasoning, content = parse_content_for_reasoning(raw)
    return Message(reasoning or "", content or "")


def stream(request: Request) -> Reader:
    """A new iterator for one answer."""
    _refuse(request)
    made, event = ROUTES[request.surface or surfaces[0]]
    return Reader(made(streaming_response=iter([]), sync_stream=True), event)


class Reader:
    """One streamed answer: the events of Ollama, parsed one by one. ``iterator`` is LiteLLM's."""

    def __init__(self, iterator: Any, event: Callable[[str, Finish | None], dict[str, Any]]) -> None:
        self.iterator = iterator
        self._event = event

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The delta of one event. Ollama sends none that is empty but the last."""
        return _deltas(self.iterator.chunk_parser(self._event(chunk.text, None))) if chunk.text else iter(())

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """The delta of the last event."""
        return _deltas(self.iterator.chunk_parser(self._event("", finish)))


def _deltas(parsed: Any) -> Iterator[tuple[str, str]]:
    """The text of a ModelResponseStream, or of the GenericStreamingChunk that ends /api/generate."""
    if isinstance(parsed, dict):
        if parsed.get("tool_use"):
            raise Unsupported("an answer that is a JSON object with a name and arguments is a call, whose text is gone")
        yield "content", parsed["text"]
        return
    delta = parsed.choices[0].delta
    yield "reasoning", getattr(delta, "reasoning_content", None) or ""
    yield "content", delta.content or ""


def _chat(text: str, finish: Finish | None) -> dict[str, Any]:
    end = {"done": False} if finish is None else {"done": True, "done_reason": finish}
    return {"model": "m", "created_at": CREATED, "message": {"role": "assistant", "content": text}, **end}


def _generate(text: str, finish: Finish | None) -> dict[str, Any]:
    end = {"done": False} if finish is None else {"done": True, "done_reason": finish}
    return {"model": "m", "created_at": CREATED, "response": text, **end}


CREATED = "2025-05-24T02:12:05.859654Z"
ROUTES: dict[str, tuple[Any, Callable[[str, Finish | None], dict[str, Any]]]] = {
    "ollama_chat": (OllamaChatCompletionResponseIterator, _chat),
    "ollama": (OllamaTextCompletionResponseIterator, _generate),
}
"""Surface to the iterator that reads it, and the form of its events."""


def _refuse(request: Request) -> None:
    if request.opened:
        raise Unsupported("LiteLLM can't be told that the prompt has opened the thought")


def script(request: Request, raw: str, chunks: list[str] | None, finish: Finish) -> str:
    """A script that shows one case with LiteLLM alone."""
    text = SCRIPT.format(raw=raw)
    if chunks is None:
        return text
    made, event = ROUTES[request.surface or surfaces[0]]
    events = [event(chunk, None) for chunk in chunks if chunk] + [event("", finish)]
    lines = "".join(f"    {event!r},\n" for event in events)
    return text + STREAMED.format(module=made.__module__, made=made.__name__, events=lines)


SCRIPT = """\
# pip install litellm==1.110.2
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
from litellm.litellm_core_utils.prompt_templates.common_utils import parse_content_for_reasoning

raw = {raw!r}
print("split:", parse_content_for_reasoning(raw))
"""
"""Shows the split."""

STREAMED = """
from {module} import {made}

iterator = {made}(streaming_response=iter([]), sync_stream=True)
for event in [
{events}]:
    parsed = iterator.chunk_parser(event)
    if isinstance(parsed, dict):
        print("content", repr(parsed["text"]))
    else:
        delta = parsed.choices[0].delta
        print("reasoning", repr(getattr(delta, "reasoning_content", None)), "content", repr(delta.content))
"""
"""And the stream."""
