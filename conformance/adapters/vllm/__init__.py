"""vLLM's parsers, as its server asks them; install and findings: docs/adapters/vllm.md."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from conformance.adapters.vllm.loading import load
from conformance.adapters.vllm.models import MODELS
from conformance.adapters.vllm.policies import POLICIES
from conformance.adapters.vllm.scripting import script_of
from conformance.adapters.vllm.serving import Alone, Server, Stream
from oracles.messages import Finish, Message, Request

ENGINE = load({model.parser for model in MODELS.values()})

name = "vllm"
version = ENGINE.version
chunks = "tokens"
dialects = set(MODELS)
surfaces = ("reasoning_parser",)
policy = POLICIES


@cache
def server(dialect: str) -> Server:
    """The server of a dialect's model."""
    model = MODELS[dialect]
    return Server(ENGINE, model, model.tokenizer())


def split(raw: str, request: Request, finish: Finish) -> Message:
    """The message of a whole output; raises Unsupported where vLLM is never asked so."""
    reasoning, content = server(request.dialect).split(raw, request, finish)
    return Message(reasoning=reasoning or "", content=content or "")


def script(request: Request, raw: str, chunks: Sequence[str] | None, finish: Finish) -> str:
    """A script that repeats with vLLM alone what the adapter does with an output; raises Unsupported."""
    return script_of(server(request.dialect), request, raw, chunks, finish)


def stream(request: Request) -> Stream | Alone:
    """A new stream, as the server makes one for each choice of a request; raises Unsupported, as its feed does."""
    return server(request.dialect).stream(request)
