"""ROCm/ATOM's separation of reasoning, as its chat endpoint calls it; install and findings: docs/adapters/atom.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module, metadata
from typing import Any

from conformance.adapters._stand_ins import partial
from oracles.messages import Chunk, Finish, Message, Request

try:
    with partial(["atom"]):
        _reasoning = import_module("atom.entrypoints.openai.reasoning")
except ImportError as error:
    raise ImportError(f"ATOM: {error}; install it from source, or put a checkout on PYTHONPATH") from error

name = "atom"
try:
    version = metadata.version("atom")
except metadata.PackageNotFoundError:
    version = "a checkout"

# No "chunks": the filter holds back "a partial trailing marker so it isn't split across chunks".

dialects = {"deepseek_r1", "kimi_k2", "kimi_k3", "minimax_m2", "qwen3"}
"""Kimi-K3's channels, and models that "<think>...</think> (DeepSeek-R1, Qwen3, Kimi-K2, MiniMax, ...)" speaks of."""

TAGS: dict[str, str | bool] = {
    # State 2 is final, and the split cuts once.
    "reopen": "text",
    # "the model started reasoning without one (template injected the opener)"
    "stray_close": "ends_thought",
    # In a thought the closer alone is looked for.
    "calls_end_reasoning": False,
    "off": "read",
    # The split strips both channels.
    "space": "trimmed",
    # "prefix" is not declared: the split takes an opener for one at the very beginning alone and forgets it where a
    # closer comes, the stream takes it anywhere. Nor "unclosed": the split isn't told what the prompt opened, so that
    # a thought that never closes is content there, however the output ended. Nor "declined": a closer before any words
    # ends an empty thought, which is both values' reading but for white space. Nor "echoed_open": the split drops an
    # opener at the very beginning, the stream drops none where the prompt gave one.
}

KIMI_K3: dict[str, str | bool] = {
    "reopen": "text",
    "stray_close": "ends_thought",
    "calls_end_reasoning": False,
    "off": "read",
    "space": "trimmed",
    # output_open_marker is None: "template-injected; not emitted in output". So openers of reasoning are text, for
    # which "prefix" and "echoed_open" have no common word. A skipped channel is not known to it.
}

policy = {dialect: KIMI_K3 if dialect == "kimi_k3" else TAGS for dialect in dialects}

CHANNELS = {"reasoning_content": "reasoning", "content": "content"}


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output. The endpoint doesn't tell the split what the prompt opened."""
    reasoning, content = _reasoning.separate_reasoning(raw)
    return Message(reasoning=reasoning or "", content=content)


def stream(request: Request) -> Reader:
    """A new filter, as the endpoint makes one for each choice of a request."""
    return Reader(_reasoning.ReasoningFilter(starts_thinking=request.opened))


class Reader:
    """One response as the endpoint streams it, before its tool parser."""

    def __init__(self, filter: Any) -> None:
        self._filter = filter

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The fields that a chunk gives."""
        return ((CHANNELS[field], text) for field, text in self._filter.process(chunk.text))

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """What the filter still held."""
        return ((CHANNELS[field], text) for field, text in self._filter.flush())


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """A Python script that asks ATOM alone; ``chunks`` is None where only the split matters."""
    lines = [
        "from atom.entrypoints.openai.reasoning import ReasoningFilter, separate_reasoning",
        "",
        f"raw = {raw!r}",
        'print("split", separate_reasoning(raw))',
    ]
    if chunks is not None:
        lines += [
            "",
            f"filter = ReasoningFilter(starts_thinking={request.opened})",
            f"for chunk in {list(chunks)!r}:",
            '    print("chunk", repr(chunk), filter.process(chunk))',
            'print("end", filter.flush())',
        ]
    return "\n".join(lines) + "\n"
