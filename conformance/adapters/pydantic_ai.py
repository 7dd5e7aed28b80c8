"""Pydantic AI's splitter of think tags, as its models call it; install and findings: docs/adapters/pydantic_ai.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from typing import Any

from oracles.messages import Chunk, Finish, Message, Request, Unsupported

try:
    from pydantic_ai._parts_manager import ModelResponsePartsManager
    from pydantic_ai._thinking_part import split_content_into_text_and_thinking
    from pydantic_ai.messages import (
        PartDeltaEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
        ThinkingPart,
        ThinkingPartDelta,
    )
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.profiles import DEFAULT_THINKING_TAGS
    from pydantic_ai.profiles.deepseek import deepseek_model_profile
    from pydantic_ai.profiles.moonshotai import moonshotai_model_profile
    from pydantic_ai.profiles.qwen import qwen_model_profile
    from pydantic_ai.profiles.zai import zai_model_profile
except ImportError as error:
    raise ImportError(f"Pydantic AI: {error}; pip install pydantic-ai-slim==2.68.0") from error

name = "pydantic_ai"
version = metadata.version("pydantic-ai-slim")

# "When we see a thinking start tag (which is a single token)": a tag is seen where it is a chunk of its own. A chunk
# of several tokens is legal all the same, and providers send them.
chunks = "tokens"

PROFILES: dict[str, Mapping[str, Any]] = {
    "deepseek_r1": deepseek_model_profile("deepseek-r1") or {},
    "glm45": zai_model_profile("glm-4.5") or {},
    "kimi_k2": moonshotai_model_profile("kimi-k2-thinking") or {},
    "qwen3": qwen_model_profile("qwen3-32b") or {},
}
"""Dialect to the profile of a model that writes it, through a server that leaves the tags in the text.

These are the models that open their thought themselves, each tag one token. Where the prompt opens it, the output
holds a closer alone, which Pydantic AI doesn't read; where a tag is several tokens, it never arrives whole.
"""

dialects = set(PROFILES)

POLICY: dict[str, str | bool] = {
    # The split looks for the next opener after every closer, and a tag of its own opens a part wherever text stood.
    "reopen": "opens",
    # "before_think" becomes a TextPart.
    "prefix": "content",
    # Closers are looked for behind an opener alone.
    "stray_close": "text",
    "declined": "text",
    # Between the tags nothing but the closer is looked for.
    "echoed_open": "text",
    "calls_end_reasoning": False,
    # Nobody is told that thinking was switched off.
    "off": "read",
    # "unclosed" is not declared: the split makes text of it ("We lose the `<think>` tag, but it shouldn't matter"),
    # however the output ended, and the stream thinking. Neither value says that.
}


def _space(profile: Mapping[str, Any]) -> str:
    """``trimmed`` where the profile has "ignore leading whitespace when streaming a response"."""
    return "trimmed" if profile.get("ignore_streamed_leading_whitespace") else "kept"


policy = {dialect: POLICY | {"space": _space(profile)} for dialect, profile in PROFILES.items()}


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output: the texts of its parts, joined by kind."""
    parts = split_content_into_text_and_thinking(raw, _tags(_profile(request)))
    return Message(
        reasoning="".join(part.content for part in parts if isinstance(part, ThinkingPart)),
        content="".join(part.content for part in parts if isinstance(part, TextPart)),
    )


def stream(request: Request) -> Reader:
    """A new reader for one response."""
    return Reader(_profile(request))


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """A Python script that asks Pydantic AI alone; ``chunks`` is None where only the split matters."""
    profile = _profile(request)
    ignored = bool(profile.get("ignore_streamed_leading_whitespace", False))
    lines = [
        "from pydantic_ai._parts_manager import ModelResponsePartsManager",
        "from pydantic_ai._thinking_part import split_content_into_text_and_thinking",
        "from pydantic_ai.models import ModelRequestParameters",
        "",
        f"raw = {raw!r}",
        f"tags = {_tags(profile)!r}",
        "for part in split_content_into_text_and_thinking(raw, tags):",
        '    print("split", part.part_kind, repr(part.content))',
    ]
    if chunks is not None:
        lines += [
            "",
            f"chunks = {list(chunks)!r}",
            "parts = ModelResponsePartsManager(model_request_parameters=ModelRequestParameters())",
            "for chunk in filter(None, chunks):",
            '    print("chunk", repr(chunk))',
            "    for event in parts.handle_text_delta(",
            '        vendor_part_id="content", content=chunk, thinking_tags=tags,',
            f"        ignore_leading_whitespace={ignored},",
            "    ):",
            '        told = getattr(event, "part", None) or event.delta',
            '        kind = "thinking" if "Thinking" in type(told).__name__ else "text"',
            '        print("   ", kind, repr(getattr(told, "content", None) or getattr(told, "content_delta", "")))',
        ]
    return "\n".join(lines) + "\n"


class Reader:
    """One streamed response: the events of a parts manager as deltas. ``parts`` is the manager."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        self.parts = ModelResponsePartsManager(model_request_parameters=ModelRequestParameters())
        self._tags = _tags(profile)
        self._ignore_space = profile.get("ignore_streamed_leading_whitespace", False)

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The deltas of one chunk. An empty one is nothing to read, as in every model that streams."""
        if not chunk.text:
            return
        for event in self.parts.handle_text_delta(
            vendor_part_id="content",
            content=chunk.text,
            thinking_tags=self._tags,
            ignore_leading_whitespace=self._ignore_space,
        ):
            yield _delta(event)

    def finish(self, finish: Finish) -> tuple[()]:
        """Nothing: a parts manager holds nothing and isn't told of the end."""
        return ()


def _delta(event: Any) -> tuple[str, str]:
    """The text that an event adds, with its channel."""
    match event:
        case PartStartEvent(part=ThinkingPart(content=text)):
            return "reasoning", text
        case PartStartEvent(part=TextPart(content=text)):
            return "content", text
        case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)):
            return "reasoning", text or ""
        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return "content", text
    raise TypeError(f"an event that is neither text nor thinking: {event!r}")


def _tags(profile: Mapping[str, Any]) -> tuple[str, str]:
    """Opener and closer, as every model takes them from its profile."""
    tags: tuple[str, str] = profile.get("thinking_tags", DEFAULT_THINKING_TAGS)
    return tags


def _profile(request: Request) -> Mapping[str, Any]:
    """The profile that answers a request; raises Unsupported where the prompt has opened the thought."""
    if request.opened:
        raise Unsupported("Pydantic AI can't be told that the prompt has opened the thought")
    return PROFILES[request.dialect]
