"""Xinference's reasoning parsers, as its chat answers call them; install and findings: docs/adapters/xinference.md."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from types import SimpleNamespace
from typing import Any

from conformance.adapters._stand_ins import partial
from oracles.messages import Chunk, Finish, Message, Request, Unsupported

SMALL = "pip install pydantic openai==2.8.0 orjson pillow tqdm"
"""What the chat code needs of what its distribution asks for; the rest is the cluster's and the engines'."""

try:
    # Their own code starts workers and registers every engine.
    with partial(packages=("xinference", "xinference.core", "xinference.model", "xinference.model.llm")):
        from xinference.model.llm.core import LLM, chat_context_var
        from xinference.model.llm.utils import ChatModelMixin
except ImportError as error:
    raise ImportError(f"Xinference: {error}; pip install --no-deps xinference==4.1.0, then {SMALL}") from error

name = "xinference"
version = metadata.version("xinference")

# The engines detokenize, and their special tokens arrive whole; "the tag may be split in previous and delta" is said
# of the one opener that is several tokens (gemma4).
chunks = "tokens"


@dataclass(frozen=True)
class Model:
    """What a model's description says. ``hybrid``: it can be asked not to think; ``stop``: the marker that ends it."""

    model_name: str
    reasoning_start_tag: str
    reasoning_end_tag: str
    hybrid: bool = True
    stop: str | None = None

    @property
    def model_ability(self) -> list[str]:
        """The abilities that reading depends on."""
        return ["chat", "reasoning", *(["hybrid"] if self.hybrid else [])]


THINK = ("<think>", "</think>")

MODELS = {
    "deepseek_r1": Model("deepseek-r1", *THINK, hybrid=False),
    "gemma4": Model("gemma-4", "<|channel>thought\n", "<channel|>"),
    "kimi_k3": Model("Kimi-K3", "<|open|>think<|sep|>", "<|close|>think<|sep|>", hybrid=False, stop="<|end_of_msg|>"),
    "qwen3": Model("qwen3", *THINK),
}
"""Dialect to a model that writes it, as ``model/llm/models`` describes it."""

dialects = set(MODELS)

TAGS: dict[str, str | bool] = {
    # Only the first closer counts; what follows it is content.
    "reopen": "text",
    # "A start token after the end token is part of the content"; a closer after the first one too.
    "stray_close": "text",
    "calls_end_reasoning": False,
    # "reasoning content continues", and the split: the output, "".
    "unclosed": "reasoning",
    # With thinking off nothing is parsed.
    "off": "text",
    "space": "kept",
    # "echoed_open" is not declared: one opener is taken away, wherever it stands, and a second one is text.
}
"""What the code of the parser for a pair of tags means."""

KIMI_K3: dict[str, str | bool] = {
    "reopen": "text",
    "stray_close": "text",
    "calls_end_reasoning": False,
    "skipped_channel": "stays",
    "unclosed": "reasoning",
    "space": "kept",
    # "echoed_open": as with a pair of tags.
}
"""What that of ``KimiK3ReasoningParser`` means."""


def _policy(dialect: str) -> dict[str, str | bool]:
    if dialect == "kimi_k3":
        return KIMI_K3
    # A model that always thinks gets its opener with a line feed behind it, where it wrote none.
    return TAGS if MODELS[dialect].hybrid else TAGS | {"space": "trimmed"}


policy = {dialect: _policy(dialect) for dialect in MODELS}

COMMON = {"id": "cmpl-1", "model": "model", "created": 0, "object": "text_completion"}
"""What a completion has and no parser looks at."""


SCRIPT = """\
# pip install --no-deps xinference==4.1.0; pip install pydantic openai==2.8.0 orjson pillow tqdm
import asyncio
import sys
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

# Only the chat code is imported; with the cluster's and the engines' packages installed, this is not needed.
root = find_spec("xinference").submodule_search_locations[0]
for path in ("", "/core", "/model", "/model/llm"):
    package = ModuleType("xinference" + path.replace("/", "."))
    package.__path__ = [root + path]
    sys.modules[package.__name__] = package

from xinference.model.llm.core import LLM, chat_context_var
from xinference.model.llm.utils import ChatModelMixin

raw = {raw}
chunks = {chunks}
finish = {finish}
family = SimpleNamespace(
    model_name={model.model_name!r},
    reasoning_start_tag={model.reasoning_start_tag!r},
    reasoning_end_tag={model.reasoning_end_tag!r},
    model_ability={model.model_ability!r},
)
context = {{"enable_thinking": {thinking}}}
served = SimpleNamespace(model_family=family)
LLM.prepare_parse_reasoning_content(served, True, enable_thinking={thinking})
parser = served.reasoning_parser


def completion(text, finish_reason):
    choice = {{"index": 0, "text": text, "logprobs": None, "finish_reason": finish_reason}}
    common = {{"id": "1", "model": "m", "created": 0, "object": "text_completion", "usage": None}}
    return {{**common, "choices": [choice]}}


async def engine():
    for text in chunks:
        yield completion(text, None)
    yield completion("", finish)


async def stream():
    async for chunk in ChatModelMixin._async_to_chat_completion_chunks(engine(), parser, context):
        print("stream", chunk["choices"][0]["delta"])


chat_context_var.set(context)
print("split ", ChatModelMixin._to_chat_completion(completion(raw, finish), parser)["choices"][0]["message"])
asyncio.run(stream())
"""


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """Python that shows a split and a stream of Xinference alone; ``chunks`` is None where the split matters."""
    return SCRIPT.format(
        raw=ascii(raw),
        chunks=ascii([raw] if chunks is None else list(chunks)),
        finish=ascii(finish),
        model=MODELS[request.dialect],
        thinking=request.thinking,
    )


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a chat completion."""
    parser, context = _asked(request)
    _refuse(raw, request)
    chat_context_var.set(context)
    completion = {**COMMON, "choices": [_choice(raw, finish)], "usage": None}
    message = ChatModelMixin._to_chat_completion(completion, parser)["choices"][0]["message"]
    return Message(reasoning=message.get("reasoning_content") or "", content=message["content"] or "")


def stream(request: Request) -> Reader:
    """A new reader for one chat completion that is streamed."""
    return Reader(request)


class Reader:
    """One streamed chat completion: the engine's chunks go in, those of the answer come out."""

    def __init__(self, request: Request) -> None:
        parser, context = _asked(request)
        self._request = request
        self._waiting: deque[dict[str, Any] | None] = deque()
        self._answer = ChatModelMixin._async_to_chat_completion_chunks(self._engine(), parser, context)
        self._step: Any = None

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The deltas of the chunks that an engine's chunk gives. Raises Unsupported at the model's stop."""
        _refuse(chunk.text, self._request)
        return self._given({**COMMON, "choices": [_choice(chunk.text, None)]})

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """The deltas of the last chunk, which has a finish reason and no text."""
        yield from self._given({**COMMON, "choices": [_choice("", finish)]})
        yield from self._given(None)

    def _given(self, chunk: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
        self._waiting.append(chunk)
        while True:
            if self._step is None:
                self._step = self._answer.__anext__()
            try:
                self._step.send(None)
            except StopIteration as answered:
                self._step = None
                delta = answered.value["choices"][0]["delta"]
                for field, channel in (("reasoning_content", "reasoning"), ("content", "content")):
                    if text := delta.get(field):
                        yield channel, text
            except StopAsyncIteration:
                return
            else:
                return

    async def _engine(self) -> AsyncIterator[dict[str, Any]]:
        while True:
            while not self._waiting:
                await _Pause()
            chunk = self._waiting.popleft()
            if chunk is None:
                return
            yield chunk


class _Pause:
    """Awaited, it gives control back to whoever drives the stream by hand."""

    def __await__(self) -> Generator[None, None, None]:
        yield


def _choice(text: str, finish: Finish | None) -> dict[str, Any]:
    return {"index": 0, "text": text, "logprobs": None, "finish_reason": finish}


def _refuse(text: str, request: Request) -> None:
    """Raises Unsupported at the model's stop: an engine ends there, and its text reaches no parser."""
    stop = MODELS[request.dialect].stop
    if stop and stop in text:
        raise Unsupported(f"{stop} ends the generation, and is no text")


def _asked(request: Request) -> tuple[Any, dict[str, Any]]:
    """The parser that a server makes for the model, and the context of the request.

    Raises Unsupported for what a caller can't ask.
    """
    model = MODELS[request.dialect]
    if request.thinking != request.opened:
        # "We assume the reasoning content is always at the start."
        raise Unsupported("with thinking on, Xinference reads an output as though its thought was opened; off, as text")
    if not request.thinking and not model.hybrid:
        raise Unsupported("enable_thinking cannot be disabled for non hybrid model")
    served = SimpleNamespace(model_family=model)
    LLM.prepare_parse_reasoning_content(served, reasoning_content=True, enable_thinking=request.thinking)
    return served.reasoning_parser, {"enable_thinking": request.thinking}
