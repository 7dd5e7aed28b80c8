"""One answer as vLLM's server makes it: whole, and streamed by deltas of text and ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.adapters._fields import Fields, Told
from conformance.adapters.vllm.loading import Engine
from conformance.adapters.vllm.models import Model
from conformance.adapters.vllm.tokenizer import Tokenizer
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Finish, Request, Unsupported

ENDS = "ends the turn: the engine stops there, and gives no text for it"


class Server:
    """vLLM serving the model of one dialect, with a reasoning parser and no tool parser."""

    def __init__(self, engine: Engine, model: Model, tokenizer: Tokenizer) -> None:
        self.engine = engine
        self.model = model
        self.tokenizer = tokenizer
        self.parser_class = engine.get_parser(reasoning_parser_name=model.parser)
        self.reasoning_class = engine.get_reasoning_parser(model.parser)
        self._request = engine.Request(messages=[{"role": "user", "content": "x"}], model=model.parser)
        self._prompts: dict[tuple[bool, bool], tuple[dict[str, Any], list[int]]] = {}

    def asked(self, request: Request) -> tuple[dict[str, Any], list[int]]:
        """The template's arguments and the prompt's ids for a request; raises Unsupported."""
        key = (request.opened, request.thinking)
        if key not in self._prompts:
            arguments, prompt = self.model.asked(request)
            self._prompts[key] = arguments, self.tokenizer.encode(prompt)
        arguments, ids = self._prompts[key]
        return dict(arguments), list(ids)

    def parser(self, arguments: dict[str, Any]) -> tuple[Any, Any]:
        """A parser for one choice, and the request adjusted by it, as OpenAIServingChat makes them."""
        parser = self.parser_class(self.tokenizer, None, chat_template_kwargs=arguments, model_config=None)
        return parser, parser.adjust_request(self._request.model_copy())

    def split(self, raw: str, request: Request, finish: Finish) -> tuple[str | None, str | None]:
        """What the server answers when it doesn't stream; raises Unsupported."""
        arguments, prompt = self.asked(request)
        if self.tokenizer.eos_token in raw:
            raise Unsupported(f"{self.tokenizer.eos_token} {ENDS}")
        if request.surface:
            alone = self.reasoning_class(self.tokenizer, chat_template_kwargs=arguments, model_config=None)
            alone.set_prompt_token_ids(prompt)
            reasoning, content = alone.extract_reasoning(raw, self._request.model_copy())
            return reasoning, content
        parser, adjusted = self.parser(arguments)
        parser.set_prompt_token_ids(prompt)
        ids = [*self.tokenizer.encode(raw), *([self.tokenizer.eos_token_id] if finish == "stop" else [])]
        reasoning, content, _ = parser.parse(raw, adjusted, enable_auto_tools=False, model_output_token_ids=ids)
        return reasoning, content

    def stream(self, request: Request) -> Stream | Alone:
        """A new stream, as the server makes one for each choice of a request; raises Unsupported."""
        arguments, prompt = self.asked(request)
        if request.surface:
            return Alone(self, arguments, prompt, request.opened)
        parser, adjusted = self.parser(arguments)
        processor = self.engine.Processor(adjusted, parser, enable_auto_tools=False, parser_cls=self.parser_class)
        return Stream(self, processor, prompt, request.opened)


class Deltas:
    """What the engine puts out, of the chunks that the suite feeds.

    The engine puts out no text without a token: of tokens that come before their text the last is kept back, and comes
    with it. Nor does it put out nothing.
    """

    def __init__(self, model: Model, tokenizer: Tokenizer) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._kept: list[int] = []

    def of(self, chunk: Chunk) -> tuple[str, list[int]] | None:
        """The text and the ids that come out with a chunk, None where nothing does.

        Raises Unsupported for the token that ends a turn.
        """
        if self._tokenizer.eos_token_id in chunk.ids:
            raise Unsupported(f"{self._tokenizer.eos_token} {ENDS}")
        ids = [*self._kept, *self._model.chunk_ids(chunk, self._tokenizer)]
        kept = 0 if chunk.text else 1
        self._kept = ids[len(ids) - kept :]
        ids = ids[: len(ids) - kept]
        return (chunk.text, ids) if chunk.text or ids else None

    def last(self, finish: Finish) -> tuple[str, list[int]]:
        """What comes with the end: a model that stops by itself ends with a token that has no text."""
        return "", [*self._kept, *([self._tokenizer.eos_token_id] if finish == "stop" else [])]


class Stream:
    """One choice of a streamed chat."""

    def __init__(self, server: Server, processor: Any, prompt: list[int], opened: bool) -> None:
        self._out = Deltas(server.model, server.tokenizer)
        self._fields = Fields(REGISTRY.get(server.model.dialect), opened)
        self._step = processor.step
        self._prompt = prompt

    def feed(self, chunk: Chunk) -> Told:
        """What the server sends for one output of the engine."""
        self._fields.read(chunk.text)
        out = self._out.of(chunk)
        return _deltas(self._fields, self._step(*out, None, self._prompt).delta) if out else []

    def finish(self, finish: Finish) -> Told:
        """What the server sends with the end."""
        return _deltas(self._fields, self._step(*self._out.last(finish), finish, self._prompt).delta)


class Alone:
    """A reasoning parser driven by its older interface, as servers and plugins do that know no ``Parser``."""

    def __init__(self, server: Server, arguments: dict[str, Any], prompt: list[int], opened: bool) -> None:
        self._out = Deltas(server.model, server.tokenizer)
        self._fields = Fields(REGISTRY.get(server.model.dialect), opened)
        self._parser = server.reasoning_class(server.tokenizer, chat_template_kwargs=arguments, model_config=None)
        self._ended = self._parser.is_reasoning_end(prompt)
        if not self._ended:
            self._parser.adjust_initial_state_from_prompt(prompt)
        self._text = ""
        self._ids: list[int] = []

    def feed(self, chunk: Chunk) -> Told:
        """What the parser makes of one delta."""
        self._fields.read(chunk.text)
        out = self._out.of(chunk)
        return self._asked(*out) if out else []

    def finish(self, finish: Finish) -> Told:
        """What the parser makes of the last delta, and what it still held where it can be asked for that."""
        told = self._asked(*self._out.last(finish))
        if self._parser.engine_based_streaming and not self._ended:
            told += _deltas(self._fields, self._parser.finish_streaming())
        return told

    def _asked(self, text: str, ids: Sequence[int]) -> Told:
        before, ids_before = self._text, self._ids
        self._text, self._ids = before + text, [*ids_before, *ids]
        if self._ended:
            return [("content", text)]
        parser = self._parser
        message = parser.extract_reasoning_streaming(before, self._text, text, ids_before, self._ids, ids)
        return _deltas(self._fields, message)


def _deltas(fields: Fields, message: Any) -> Told:
    """The deltas of a message, which may be None."""
    return fields.told(message.reasoning, message.content) if message is not None else []
