"""MLX Omni Server's chat generator; install and findings: docs/adapters/mlx_omni_server.md."""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from types import SimpleNamespace
from typing import Any

from conformance.adapters._stand_ins import partial
from oracles.messages import Chunk, Finish, Message, Request, Unsupported


def _engine(answer: Iterator[Any], **asked: Any) -> Iterator[Any]:
    """What ``stream_generate`` of mlx-lm is to the server: the responses of a model, one for each token."""
    return answer


STAND_INS: Mapping[str, Mapping[str, object]] = {
    # The engine: named by the server's code, and never asked to compute anything here.
    "mlx": {},
    "mlx.core": {},
    "mlx.nn": {"Module": object},
    "mlx_lm": {},
    "mlx_lm.generate": {"stream_generate": _engine},
    "mlx_lm.sample_utils": {"make_sampler": object},
    "mlx_lm.tokenizer_utils": {"TokenizerWrapper": object},
    "mlx_lm.utils": {"load": None, "load_config": None, "hf_repo_to_path": None},
    # It makes a folder for logs where one happens to be.
    "mlx_omni_server.utils.logger": {"logger": logging.getLogger("mlx_omni_server")},
}

try:
    with partial(packages=("mlx_omni_server", "mlx_omni_server.utils"), stand_ins=STAND_INS):
        from mlx_omni_server.chat.mlx import chat_generator
        from mlx_omni_server.chat.mlx.tools.chat_template import ChatTemplate
except ImportError as error:
    raise ImportError(f"MLX Omni Server: {error}; pip install --no-deps mlx-omni-server==0.5.3") from error

chat_generator.stream_generate = _engine
logging.getLogger("mlx_omni_server").setLevel(logging.CRITICAL)

name = "mlx_omni_server"
version = metadata.version("mlx-omni-server")

# "Special case: text exactly equals the start tag": a response is one token, and the tags are tokens.
chunks = "tokens"

MODELS = {"glm45": "glm4_moe", "qwen3": "qwen3"}
"""Dialect to the ``model_type`` of a model that writes it."""

dialects = set(MODELS)

policy: dict[str, str | bool] = {
    # A chunk that is a tag is taken away, wherever it stands.
    "stray_close": "dropped",
    "echoed_open": "dropped",
    "calls_end_reasoning": False,
    # Nothing is parsed.
    "off": "text",
    # Thinking and content of an answer that is not streamed are stripped.
    "space": "trimmed",
    # "reopen" is not declared: an opener in the answer is taken away, and content goes on. "unclosed" is not either:
    # such a thought is given as thinking and as content at once. Neither is a value.
}

MOST = 2_000
"""More tags than these are not asked of a text: with each response the decoder copies and searches all before it, and
an answer that takes longer than a run waits would be told as one that never comes."""

PIECES = re.compile("(</?think>)")


class Tokenizer:
    """What the server asks of a tokenizer: a prompt, and its ids, which nobody looks at here."""

    def apply_chat_template(self, **asked: Any) -> str:
        """The end of a prompt."""
        return "<|im_start|>assistant\n"

    def encode(self, prompt: str) -> list[int]:
        """No ids."""
        return []


def _served(model_type: str) -> Any:
    """A generator as the server keeps one for each model, and shares it between requests."""
    tokenizer = Tokenizer()
    model = SimpleNamespace(
        tokenizer=tokenizer, chat_template=ChatTemplate(model_type, tokenizer), model=None, draft_model=None
    )
    return chat_generator.ChatGenerator(model)


SERVED = {dialect: _served(model_type) for dialect, model_type in MODELS.items()}


SCRIPT = """\
# pip install --no-deps mlx-omni-server==0.5.3
import logging
import re
import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

# The engine isn't needed, so it needn't be installed: its answer is given below.
for engine in ("mlx", "mlx.core", "mlx.nn", "mlx_lm", *("mlx_lm." + part for part in {parts})):
    sys.modules[engine] = MagicMock()

from mlx_omni_server.chat.mlx import chat_generator
from mlx_omni_server.chat.mlx.tools.chat_template import ChatTemplate

logging.disable()
raw = {raw}
chunks = {chunks}
finish = {finish}
chat_generator.stream_generate = lambda answer, **asked: answer
tokenizer = MagicMock()
tokenizer.apply_chat_template.return_value = "<|im_start|>assistant\\n"
template = ChatTemplate({model!r}, tokenizer)
model = SimpleNamespace(tokenizer=tokenizer, chat_template=template, model=None, draft_model=None)


def answer(texts):
    # A token is a response of the engine, and a tag is a token.
    pieces = [piece for text in texts for piece in re.split("(</?think>)", text) if piece]
    for text, reason in [*((piece, None) for piece in pieces), ("", finish)]:
        stats = dict.fromkeys(("prompt_tokens", "generation_tokens", "prompt_tps", "generation_tps", "peak_memory"), 0)
        yield SimpleNamespace(text=text, token=0, finish_reason=reason, from_draft=False, **stats)


generator = chat_generator.ChatGenerator(model)
asked = {{"messages": [{{"role": "user", "content": "q"}}], "template_kwargs": {{"enable_thinking": {thinking}}}}}
for result in generator.generate_stream(**asked, answer=answer(chunks)):
    print("stream", result.content)
content = generator.generate(**asked, answer=answer([raw])).content
print("split ", {{"reasoning": content.reasoning, "text": content.text}})
"""


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """Python that shows an answer, whole and streamed, of the server alone; ``chunks`` None: the whole one matters."""
    return SCRIPT.format(
        raw=ascii(raw),
        chunks=ascii([raw] if chunks is None else list(chunks)),
        finish=ascii(finish),
        model=MODELS[request.dialect],
        parts=("generate", "sample_utils", "tokenizer_utils", "utils"),
        thinking=request.thinking,
    )


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of an answer that is not streamed."""
    generator, asked = _asked(request)
    content = generator.generate(**asked, answer=iter([*_responses(raw), _response("", finish)])).content
    return Message(reasoning=content.reasoning or "", content=content.text or "")


def stream(request: Request) -> Reader:
    """A new reader for one answer that is streamed."""
    return Reader(*_asked(request))


class Reader:
    """One streamed answer: each response of the engine gives one result of the server."""

    def __init__(self, generator: Any, asked: Mapping[str, Any]) -> None:
        self._waiting: deque[Any] = deque()
        self._results = generator.generate_stream(**asked, answer=iter(self._waiting.popleft, None))

    def feed(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The deltas of a chunk: of each of its tokens, since the engine gives them one by one."""
        for response in _responses(chunk.text):
            self._waiting.append(response)
            content = next(self._results).content
            if content.reasoning_delta is not None:
                yield "reasoning", content.reasoning_delta
            if content.text_delta is not None:
                yield "content", content.text_delta

    def finish(self, finish: Finish) -> tuple[()]:
        """Nothing: at the last response the server stops."""
        self._waiting.append(_response("", finish))
        for result in self._results:
            raise TypeError(f"a result after the end: {result!r}")
        return ()


def _responses(text: str) -> list[Any]:
    """The responses of an engine for a text: each tag one, and what lies between. Raises Unsupported."""
    pieces = PIECES.split(text)
    if len(pieces) > 2 * MOST:
        raise Unsupported("too many tags in one answer, or in one chunk")
    return [_response(piece, None) for piece in pieces if piece]


def _response(text: str, finish: Finish | None) -> Any:
    """A response of mlx-lm."""
    return SimpleNamespace(
        text=text, token=0, finish_reason=finish, prompt_tokens=0, generation_tokens=0,
        prompt_tps=0.0, generation_tps=0.0, peak_memory=0.0, from_draft=False,
    )  # fmt: skip


def _asked(request: Request) -> tuple[Any, Mapping[str, Any]]:
    """The generator that answers a request, and what it is called with.

    Raises Unsupported for what a caller can't ask.
    """
    if request.dialect not in SERVED:
        raise Unsupported(f"no model is known for the dialect {request.dialect}")
    if request.thinking != request.opened:
        raise Unsupported("with enable_thinking the server opens the thought in the prompt, and without it never")
    template = {"enable_thinking": request.thinking}
    return SERVED[request.dialect], {"messages": [{"role": "user", "content": "q"}], "template_kwargs": template}
