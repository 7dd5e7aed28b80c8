"""A smoke test of a command: a short conversation that tells a wrong adapter from a wrong parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from conformance.chunkings import Chunker, Chunking
from conformance.implementation import GivenUp, Implementation, Question
from conformance.observation import Failure, Skipped
from conformance.wire.adapter import Wire
from conformance.wire.schema import what_is_wrong
from oracles.dialects import REGISTRY, Dialect
from oracles.messages import Chunk, Message, Request
from oracles.pieces import Output, Piece
from oracles.reader import Machine
from oracles.shape_table import shapes_of

LONG = 200_000
"""Characters of a line that is longer than many a language reads at once."""

NEXT = {
    "died": "run the command by hand with the line that was sent; catch what the parser raises, and answer it as error",
    "hung": "end each answer by a line feed and flush it; read one line at a time, not all of the input",
    "lost": "print answers alone to stdout, in the order of the requests, each with the seq of its request",
    "malformed": "answer in the shape that corpora/schema/wire.schema.json describes",
    "raised": "see what the parser raised: if the adapter called it wrongly, mend that",
}
"""What to do about a failure, by its kind."""

PROMPT = {True: "opened reasoning", False: "opened nothing"}
"""What the prompt did, by ``opened`` of the request."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a step of the conversation found. ``whose``: "", "adapter" or "parser", whose fault it is."""

    dialect: str
    what: str
    whose: str = ""
    sent: str = ""
    came: str = ""
    expected: str = ""
    because: str = ""
    then: str = ""
    prompt: str = ""


class Recorder:
    """Keeps the lines of the last step, and what the schema says of those that came."""

    def __init__(self, further: Callable[[str, bytes], None] | None) -> None:
        self.sent: list[str] = []
        self.came: list[str] = []
        self.wrong = ""
        self._further = further

    def __call__(self, direction: str, line: bytes) -> None:
        """Hears a line."""
        if self._further is not None:
            self._further(direction, line)
        text = line.decode("utf-8", "backslashreplace").rstrip("\n")
        (self.sent if direction == "->" else self.came).append(text)
        if direction == "<-" and not self.wrong:
            self.wrong = what_is_wrong(line, False, further=True)

    def begin(self) -> None:
        """A step begins."""
        self.sent, self.came, self.wrong = [], [], ""


class Smoke:
    """The conversation with an implementation. ``further``: hears each line too."""

    def __init__(self, implementation: Implementation, further: Callable[[str, bytes], None] | None = None) -> None:
        assert isinstance(implementation.adapter, Wire)
        self.implementation = implementation
        self._wire = implementation.adapter
        self._heard = Recorder(further)

    def brief(self) -> Iterator[Told]:
        """A plain output of each dialect, split and streamed; nothing more where something is wrong."""
        yield from self._until_wrong(self._plain)

    def whole(self) -> Iterator[Told]:
        """All there is to ask, in each dialect; nothing more of one where the adapter is wrong."""
        yield from self._until_wrong(self._everything)

    def _until_wrong(self, steps: Callable[[Dialect], Iterator[Told]]) -> Iterator[Told]:
        self._wire.told, before = self._heard, self._wire.told
        try:
            for id in self.implementation.dialects:
                for told in steps(REGISTRY.get(id)):
                    yield told
                    if told.whose == "adapter":
                        break
        except GivenUp as enough:
            yield Told(id, "the conversation", "adapter", because=str(enough), then=NEXT["died"])
        finally:
            self._wire.told = before

    def _plain(self, dialect: Dialect) -> Iterator[Told]:
        output, request = self._answered(dialect)
        yield self._split(dialect, "a plain output", output, request)
        chunks = [*output.raw]
        yield self._stream(dialect, "the same in chunks of a character", chunks, output, request)

    def _everything(self, dialect: Dialect) -> Iterator[Told]:
        yield from self._plain(dialect)
        output, request = self._answered(dialect)
        nothing = Output(())
        yield self._stream(dialect, "no chunk at all", [], nothing, request)
        yield self._stream(dialect, "empty chunks alone", ["", "", ""], nothing, request)
        yield self._stream(dialect, "empty chunks between others", ["", output.raw, ""], output, request)
        strange = Output((*output.pieces, Piece("text", " \u00e9\u65e5\u672c\U0001f600\u2028\0")))
        yield self._split(dialect, "characters of several bytes", strange, request)
        yield self._stream(dialect, "the same in chunks of a character", [*strange.raw], strange, request)
        long = Output((*output.pieces, Piece("text", "lorem ipsum " * (LONG // 12))))
        yield self._split(dialect, f"a line of {LONG:,} characters", long, request)
        yield self._many(dialect, output, request)
        if dialect.id == self.implementation.dialects[-1]:
            yield self._stop(dialect)

    def _answered(self, dialect: Dialect) -> tuple[Output, Request]:
        """A thought and an answer, and a request that fits it."""
        answered = next(shape for shape in shapes_of(dialect) if shape.id == "answered")
        output = answered.outputs(dialect)[0]
        return output, Request(dialect.id, bool(output.opened), True)

    def _split(self, dialect: Dialect, what: str, output: Output, request: Request) -> Told:
        question = Question(output.raw, request, "stop", None)
        return self._asked(dialect, f"split: {what}", question, self._meant(dialect, output, request))

    def _stream(self, dialect: Dialect, what: str, texts: Sequence[str], output: Output, request: Request) -> Told:
        meant = self._meant(dialect, output, request)
        if self.implementation.chunks == "tokens" and len(texts) > 1:
            chunking = Chunker(dialect, "tokens").at(output, range(1, len(output.raw)))
        else:
            chunks = tuple(Chunk(text, tuple(map(ord, text))) for text in texts)
            chunking = Chunking(what, chunks, tuple(accumulate(map(len, texts))), False, tuple)
        question = Question("", request, "stop", chunking)
        return self._asked(dialect, f"stream: {what}", question, meant)

    def _meant(self, dialect: Dialect, output: Output, request: Request) -> Message:
        return Machine(dialect, self.implementation.policy_for(dialect)).split(request, output.raw, "stop")

    def _asked(self, dialect: Dialect, what: str, question: Question, meant: Message) -> Told:
        self._heard.begin()
        answer = self._wire.answer(question)
        return self._judged(dialect, what, question, answer, meant)

    def _judged(self, dialect: Dialect, what: str, question: Question, answer: Any, meant: Message) -> Told:
        count = None if question.chunking is None else len(question.chunking.chunks)
        expected = _expected(count, meant)
        heard = self._heard
        opened = question.request.opened
        sent = next((line for line in heard.sent if not line.startswith('{"cmd":"start"')), "")
        came = heard.came[-1] if heard.came else "nothing"
        if isinstance(answer, Skipped):
            return Told(dialect.id, f"{what}: unsupported, {answer.reason}")
        if isinstance(answer, Failure):
            whose = "parser" if answer.kind == "raised" else "adapter"
            return Told(dialect.id, what, whose, sent, came, expected, answer.text, NEXT[answer.kind], PROMPT[opened])
        if heard.wrong:
            return Told(
                dialect.id, what, "adapter", sent, came, expected, heard.wrong, NEXT["malformed"], PROMPT[opened]
            )
        texts = answer if count is None else _joined(answer)
        if _same(texts, meant, self.implementation, dialect):
            return Told(dialect.id, what)
        if "".join(texts).isascii() != (meant.reasoning + meant.content).isascii():
            because, whose = "characters were changed on their way: read and write UTF-8", "adapter"
        else:
            because, whose = "the answer is well formed, and reads otherwise than the dialect means it", "parser"
        then = "if the parser gives the same when it is called by hand, it is the parser's: judge it with pytest --impl"
        return Told(dialect.id, what, whose, sent, came, expected, because, then, PROMPT[opened])

    def _many(self, dialect: Dialect, output: Output, request: Request) -> Told:
        """Several requests in flight: a command may not wait for an answer to be read, nor answer in another order."""
        self._heard.begin()
        meant = self._meant(dialect, output, request)
        chunkings = Chunker(dialect, self.implementation.chunks).full(output)[:20]
        questions = [Question("", request, "stop", chunking) for chunking in chunkings]
        self._wire.foresee(questions)
        what = f"{len(questions)} streams at once"
        for question in questions:
            answer = self._wire.answer(question)
            if isinstance(answer, Failure):
                return self._judged(dialect, what, question, answer, meant)
        return Told(dialect.id, what)

    def _stop(self, dialect: Dialect) -> Told:
        self._heard.begin()
        what = "stop: the command ends"
        if self._wire.stops():
            return Told(dialect.id, what)
        because = "it was still running a second after the stop and the end of its input"
        then = 'end at {"cmd":"stop"}, and at the end of the input'
        return Told(dialect.id, what, "adapter", '{"cmd":"stop"}', "nothing", "an end", because, then)


def _expected(chunks: int | None, meant: Message) -> str:
    if chunks is None:
        return f"reasoning {meant.reasoning!r}, content {meant.content!r}"
    return f"{chunks + 1} lists of deltas; put together, reasoning {meant.reasoning!r}, content {meant.content!r}"


def _joined(deltas: list[list[Any]]) -> tuple[str, str]:
    told = [delta for each in deltas for delta in each]
    reasoning = "".join(text for channel, text in told if channel == "reasoning")
    return reasoning, "".join(text for channel, text in told if channel == "content")


def _same(texts: tuple[str, str], meant: Message, implementation: Implementation, dialect: Dialect) -> bool:
    if implementation.policy_for(dialect).space == "trimmed":
        return texts[0].strip() == meant.reasoning.strip() and texts[1].strip() == meant.content.strip()
    return texts == (meant.reasoning, meant.content)
