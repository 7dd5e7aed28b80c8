"""The text state machine of MLX LM, as its server asks it; install and findings: docs/adapters/mlx_lm.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module, metadata
from typing import Any, NamedTuple

from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Finish, Message, Request, Unsupported

try:
    from mlx_lm.generate import TextStateMachine, make_text_state_machine
    from mlx_lm.tokenizer_utils import TokenizerWrapper
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
except ImportError as error:
    raise ImportError(f"MLX LM: {error}; pip install mlx-lm==0.32.2 'mlx[cpu]==0.32.4'") from error

name = "mlx_lm"
version = metadata.version("mlx-lm")

TOOL_PARSERS: dict[str, str | None] = {
    "deepseek_r1": None,
    "gemma4": "gemma4",
    "kimi_k3": "kimi_k3",
    "longcat": "longcat",
    "minimax_m2": "minimax_m2",
    "qwen3": "json_tools",
}
"""Dialect to the tool parser that MLX LM infers from the model's chat template, None where it infers none.

A machine is made of markers alone, so qwen3 stands for all whose markers are its own: GLM-4.5 and 4.7, Nemotron 3 and
the other Qwens.
"""

dialects = set(TOOL_PARSERS)

EDGES: dict[str, str | bool] = {
    # make_text_state_machine: the opener leads from "normal" to "reasoning" wherever it stands, as often as it does.
    "reopen": "opens",
    "prefix": "content",
    # In "normal" no closer is looked for.
    "stray_close": "text",
    "declined": "text",
    # In "reasoning" no opener is looked for.
    "echoed_open": "text",
    # What is not in "normal" is reasoning, also at the end.
    "skipped_channel": "stays",
    "unclosed": "reasoning",
    # "Choose the initial state among only reasoning or normal": by the prompt alone.
    "off": "read",
    # Nothing is stripped.
    "space": "kept",
}

policy = {
    # transitions["reasoning"].append((tokenizer.tool_call_start, "tool")), where there is a tool parser.
    dialect: EDGES | {"calls_end_reasoning": parser is not None}
    for dialect, parser in TOOL_PARSERS.items()
}

END_OF_MESSAGE = "<|end_of_msg|>"
"""Kimi-K3's token that ends a generation. The server stops there, and its text reaches no state machine."""


class Machine(NamedTuple):
    """A dialect's state machine, and the tokenizer that it was made for."""

    text: Any
    tokenizer: Any


def machine(dialect: str) -> Machine:
    """The state machine that the server makes for a model of this dialect.

    MLX LM infers the markers of reasoning from the vocabulary, so it is given a tokenizer that has the dialect's atoms.
    """
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    small = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[]))
    small.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    small.decoder = decoders.ByteLevel()
    small.add_special_tokens([*REGISTRY.get(dialect).atoms])
    parser = TOOL_PARSERS[dialect]
    tools = import_module(f"mlx_lm.tool_parsers.{parser}") if parser else None
    fast: Any = PreTrainedTokenizerFast
    tokenizer = TokenizerWrapper(
        fast(tokenizer_object=small),
        tool_call_start=tools and tools.tool_call_start,
        tool_call_end=tools and tools.tool_call_end,
        tool_parser=tools and tools.parse_tool_call,
    )
    return Machine(make_text_state_machine(tokenizer), tokenizer)


MACHINES = {dialect: machine(dialect) for dialect in dialects}


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output: the server collects the same segments that it would stream."""
    reader = Reader(request)
    deltas = [*reader.feed(Chunk(raw)), *reader.finish(finish)]
    reasoning, content = (
        "".join(text for channel, text in deltas if channel == wanted) for wanted in ("reasoning", "content")
    )
    return Message(reasoning=reasoning, content=content)


def stream(request: Request) -> Reader:
    """A new reader for one response."""
    return Reader(request)


class Reader:
    """One response: the segments of a state machine as deltas, calls as content with their markers."""

    def __init__(self, request: Request) -> None:
        self._machine = MACHINES[request.dialect]
        self._last = "reasoning" if request.opened else "normal"
        self._state = self._machine.text.make_state(self._last)

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The deltas of one chunk. Raises Unsupported where the generation would have ended before it did."""
        if END_OF_MESSAGE in chunk.text:
            raise Unsupported(f"{END_OF_MESSAGE} ends the generation, and is no text")
        self._state, segments = TextStateMachine.split(self._state, chunk.text)
        yield from self._deltas(segments)

    def finish(self, finish: Finish) -> Iterator[tuple[str, str]]:
        """What the server makes of held text: sent when the output was cut, and dropped when the model stopped."""
        if finish == "stop":
            self._state, _ = TextStateMachine.discard(self._state)
            return
        self._state, held, state = TextStateMachine.flush(self._state)
        yield from self._deltas([(state, held)])

    def _deltas(self, segments: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for state, text in segments:
            # The markers of calls are stripped; here they are put back.
            if state != self._last and "tool" in (state, self._last):
                tokenizer = self._machine.tokenizer
                yield "content", tokenizer.tool_call_start if state == "tool" else tokenizer.tool_call_end
            self._last = state
            yield "reasoning" if state == "reasoning" else "content", text


FIELDS = ("think_start", "think_end", "tool_call_start", "tool_call_end", "structural_markers", "response_transitions")
"""What a state machine is made of, beside whether there is any thinking and calling."""


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """A script that shows the same with MLX LM alone. ``chunks``: None where only the split matters."""
    tokenizer = MACHINES[request.dialect].tokenizer
    fields = {field: getattr(tokenizer, field) for field in ("has_thinking", "has_tool_calling", *FIELDS)}
    return f"""\
from types import SimpleNamespace

from mlx_lm.generate import TextStateMachine, make_text_state_machine

machine = make_text_state_machine(SimpleNamespace(**{fields!r}))
raw = {raw!r}
chunks = {None if chunks is None else list(chunks)!r}
finish = {finish!r}


def read(chunks):
    state = machine.make_state({"reasoning" if request.opened else "normal"!r})
    for chunk in chunks:
        state, segments = TextStateMachine.split(state, chunk)
        yield repr(chunk), segments
    if finish == "length":
        _, text, last = TextStateMachine.flush(state)
        yield "end", [(last, text)]
    else:  # as the server does
        _, last = TextStateMachine.discard(state)
        yield "end", [(last, "")]


for chunk, segments in read([raw]):
    print("split", chunk, segments)
for chunk, segments in read(chunks) if chunks is not None else ():
    print("stream", chunk, segments)
"""
