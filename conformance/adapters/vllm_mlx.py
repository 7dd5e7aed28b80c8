"""The reasoning parsers of vllm-mlx, as its server asks them; install and findings: docs/adapters/vllm_mlx.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import metadata
from inspect import cleandoc
from typing import Any

from oracles.messages import Chunk, Finish, Message, Request, Unsupported

try:
    from vllm_mlx.reasoning import get_parser
except ImportError as error:
    raise ImportError(
        f"vllm-mlx: {error}; pip install --no-deps vllm-mlx==0.6.0, then pip install huggingface_hub"
    ) from error

name = "vllm_mlx"
version = metadata.version("vllm-mlx")

# "special tokens, always whole" (Glm4ReasoningParser), "normally arrive whole" (DeepSeekV4ReasoningParser).
chunks = "tokens"

PARSERS = {
    "deepseek_r1": "deepseek_r1",
    "deepseek_v4": "deepseek_v4",
    "gemma4": "gemma4",
    "glm45": "glm4",
    "qwen3": "qwen3",
    "step35": "step3p5",
}
"""Dialect to vllm-mlx' name of its parser (--reasoning-parser).

qwen3 stands for Laguna and Mistral too: their parsers are Qwen's, Mistral's with other tags.
"""

dialects = set(PARSERS)

LENIENT: dict[str, str | bool] = {
    # "Only closing tag: reasoning</think>content (think in prompt)", whatever the prompt was.
    "stray_close": "ends_thought",
    # The same with nothing before it.
    "declined": "dropped",
    # "off" is read as any other: the parser isn't told.
    "off": "read",
    # The split strips thought and content where it finds a tag; a stream strips what begins the content.
    "space": "trimmed",
    # Not declared, because neither value is what the code does: "reopen" (blocks are read one behind the other, and
    # not after words), "prefix" (the split leaves it text where a closer follows, and loses the words where none
    # does), "echoed_open" (as the modes differ), "calls_end_reasoning" (closed calls move out of the thought, which
    # goes on behind them), "unclosed" (content or reasoning by dialect and mode, however the output ended).
}

policy = dict.fromkeys(PARSERS, LENIENT) | {
    # "An opening <｜DSML｜tool_calls> marker terminates the reasoning block even when </think> never arrives".
    "deepseek_v4": LENIENT | {"calls_end_reasoning": True},
    # The split cuts at the last closer ("degenerate cycling"), so neither is any of the values there.
    "gemma4": {"off": "read", "space": "trimmed"},
}

OFF = "with thinking off vllm-mlx' server drops a thought, and asks a parser where tags appear alone"
OPENED = "vllm-mlx' parser of Gemma 4 holds that no prompt opens a thought, and can't be told"
ALWAYS_OPENED = {
    # "The prompt encoder closes the generation prompt on <think>"; with thinking off the server doesn't.
    "deepseek_v4",
    # "Step chat templates seed generation with <think>".
    "step35",
}
"""Dialects whose parser holds that the prompt has opened the thought, as with thinking on its prompts do."""


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output. The parser is told neither what the prompt opened nor how the output ended."""
    reasoning, content = _parser(request).extract_reasoning(raw)
    return Message(reasoning=reasoning or "", content=content or "")


def stream(request: Request) -> Reader:
    """A new reader for one response."""
    return Reader(request)


class Reader:
    """One response as the server streams it."""

    def __init__(self, request: Request) -> None:
        self._parser = _parser(request)
        self._parser.reset_state(implicit_mode=request.opened)
        self._text = ""

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The deltas of one chunk. An empty one is not handed over, as in the server."""
        if not chunk.text:
            return iter(())
        before, self._text = self._text, self._text + chunk.text
        return _deltas(self._parser.extract_reasoning_streaming(before, self._text, chunk.text))

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """What the parser still held."""
        return _deltas(self._parser.finalize_stream())


def _parser(request: Request) -> Any:
    """A new parser; raises Unsupported where thinking is off, and where it can't be told what the prompt opened."""
    if not request.thinking:
        raise Unsupported(OFF)
    # "Gemma 4 doesn't inject tags in prompt"; the others read an output that begins inside a thought.
    if request.opened and request.dialect == "gemma4":
        raise Unsupported(OPENED)
    if not request.opened and request.dialect in ALWAYS_OPENED:
        raise Unsupported("vllm-mlx' parser of this dialect holds that the prompt has opened the thought")
    return get_parser(PARSERS[request.dialect])()


def _deltas(delta: Any) -> Iterator[tuple[str, str]]:
    if delta is not None:
        yield "reasoning", delta.reasoning or ""
        yield "content", delta.content or ""


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """A script that shows the same with vllm-mlx alone. ``chunks``: None where only the split matters."""
    text = f"""
        from vllm_mlx.reasoning import get_parser

        raw = {raw!r}
        chunks = {None if chunks is None else list(chunks)!r}

        print("split", get_parser({PARSERS[request.dialect]!r})().extract_reasoning(raw))
        if chunks is not None:
            parser = get_parser({PARSERS[request.dialect]!r})()
            parser.reset_state(implicit_mode={request.opened})
            text = ""
            for chunk in chunks:
                delta = parser.extract_reasoning_streaming(text, text + chunk, chunk)
                print("stream", repr(chunk), delta and (delta.reasoning, delta.content))
                text += chunk
            delta = parser.finalize_stream()
            print("stream", "end", delta and (delta.reasoning, delta.content))
    """
    return cleandoc(text) + "\n"
