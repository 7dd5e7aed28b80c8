"""An adapter that speaks the wire to a command: questions in flight, answers in order, and a new start after an end."""

from __future__ import annotations

import contextlib
import time
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformance.implementation import GivenUp, Question, Remote
from conformance.observation import Failure, Skipped
from conformance.wire.handshake import LIMIT, NAMES, Refused, start
from conformance.wire.messages import STOP, Encoder, Wrong, read_answer, read_object
from conformance.wire.process import LONGEST, Broken, Process
from conformance.wire.stream import Whole
from oracles.messages import Finish, Request, Unsupported

MOST = {"hung": 3, "died": 24, "lost": 8}
"""After so many questions without an answer, by how it came, nothing more is asked. A command that lost its thread
shows no fault of a parser, one that died may."""
MOST_SECONDS = 30.0
"""After so many seconds of starting the command anew, nothing more is asked."""
GROWS = 64
"""So many times as long as its question a line may be."""
PATIENT = 1000
"""A stream has the limit on an answer once for so many chunks."""
UNSEEN: Any = object()

Told = Callable[[str, bytes], None]
"""What hears a line of the conversation: where it went, and the line."""


class Asked:
    """A question, whether it was sent to the running process, and its answer once that came."""

    __slots__ = ("answer", "flies", "question", "seq")

    def __init__(self, question: Question, seq: int) -> None:
        self.question = question
        self.seq = seq
        self.flies = False
        self.answer: Any = UNSEEN


class Unanswered(Exception):
    """A question got no usable answer; the text says why."""


class Wire(Remote):
    """A command that answers over the wire. It is started with the first question, in each process anew.

    What it says of itself are its names: ``name``, ``version``, ``dialects`` and those that may be absent. ``told``:
    called with each line of the conversation, and whether it was sent ("->") or received ("<-").
    """

    def __init__(self, command: Sequence[str], limit: float = LIMIT, told: Told | None = None) -> None:
        """``limit``: seconds that an answer may take."""
        self.command = tuple(command)
        self.limit = limit
        self.stumbles = dict.fromkeys(MOST, 0)
        self.told = told
        self._encoder = Encoder()
        self._process: Process | None = None
        self._seq = 0
        self._flying: deque[Asked] = deque()
        self._foreseen: OrderedDict[tuple[Any, ...], Asked] = OrderedDict()
        self._ends: dict[tuple[Any, ...], Failure] = {}
        self._last: Any = None
        self._starting = 0.0
        self._gave_up = ""

    def foresee(self, questions: Iterable[Question]) -> None:
        """Sends questions that will be asked. Raises GivenUp."""
        self._own()
        new: list[Asked] = []
        for question in questions:
            key = _key(question)
            if key not in self._foreseen and not (self._ends and _content(question) in self._ends):
                self._seq += 1
                asked = self._foreseen[key] = Asked(question, self._seq)
                new.append(asked)
        if new:
            self._send(new)

    def answer(self, question: Question) -> Any:
        """The texts of a message, lists of deltas, a Failure, or Skipped. Raises GivenUp."""
        self._own()
        if self._ends and (known := self._ends.get(_content(question))) is not None:
            return known
        key = _key(question)
        asked = self._foreseen.get(key)
        if asked is None:
            self._seq += 1
            asked = Asked(question, self._seq)
        else:
            # What was foreseen to come before it was not asked, and will not be.
            while self._foreseen.popitem(last=False)[1] is not asked:
                pass
        if asked.answer is UNSEEN:
            self._wait_for(asked)
        return asked.answer

    def split(self, raw: str, request: Request, finish: Finish) -> Any:
        """The texts of a whole output. Raises Unsupported, Unanswered and GivenUp."""
        return _told(self.answer(Question(raw, request, finish, None)))

    def stream(self, request: Request) -> Whole:
        """A stream that is sent whole, when it is finished."""
        return Whole(request, lambda question: _told(self.answer(question)))

    def seconds(self) -> float | None:
        """Processor time of the command and what it started; None where it can't be known."""
        return None if self._process is None else self._process.seconds()

    def close(self) -> None:
        """Ends the command; the next question starts it anew."""
        self._ground()
        self._end(STOP)

    def stops(self) -> bool:
        """Ends the command; whether it ended by itself."""
        process, self._process = self._running(), None
        if self.told is not None:
            self.told("->", STOP)
        return process.end(STOP)

    @property
    def hangs(self) -> int:
        """How many answers didn't come in time."""
        return self.stumbles["hung"]

    def introduce(self) -> None:
        """Starts the command, and takes in what it says of itself. Raises Refused."""
        said = self._start()
        for name in NAMES:
            if name in said:
                setattr(self, name, said[name])

    def _start(self) -> dict[str, Any]:
        self._end()
        process, said = start(self.command, self.limit, self.told)
        self._process = process
        self._last = weakref.finalize(self, _end_of, process)
        if self.started is not None:
            self.started(process.pid)
        return said

    def _end(self, last: bytes = b"") -> None:
        process, self._process = self._process, None
        if process is not None:
            if self._last is not None:
                self._last.detach()
            if last and process.ours and self.told is not None:
                self.told("->", last)
            process.end(last, 1.0 if last else 0.0)
            if process.ours and self.started is not None:
                self.started(0)

    def _own(self) -> None:
        """Forgets what another process was asking before it forked this one."""
        if self._process is not None and not self._process.ours:
            self._end()
            self._flying.clear()
            self._foreseen.clear()

    def _running(self) -> Process:
        """The process, started anew where there is none. Raises GivenUp."""
        if self._gave_up:
            raise GivenUp(self._gave_up)
        if self._process is None:
            began = time.monotonic()
            try:
                self._start()
            except Refused as refused:
                self._give_up(f"the command could not be started again: {refused}")
                raise GivenUp(self._gave_up) from None
            finally:
                self._starting += time.monotonic() - began
        assert self._process is not None
        return self._process

    def _send(self, asked: Sequence[Asked]) -> None:
        process = self._running()
        lines = [self._encoder.line(each.seq, each.question) for each in asked]
        for each, line in zip(asked, lines, strict=True):
            each.flies = True
            if self.told is not None:
                self.told("->", line)
        self._flying.extend(asked)
        process.limit = max(process.limit, LONGEST + GROWS * max(map(len, lines)))
        process.write(b"".join(lines))
        with contextlib.suppress(Broken):  # whoever waits for an answer is told
            process.exchange()

    def _wait_for(self, asked: Asked) -> None:
        """Waits until a question has its answer, or what stands for it. Raises GivenUp."""
        while asked.answer is UNSEEN:
            if not asked.flies:
                later = [each for each in self._foreseen.values() if not each.flies and each.answer is UNSEEN]
                self._send([asked, *later])
            try:
                self._take(self._running())
            except Broken as broken:
                self._recover(broken)

    def _take(self, process: Process) -> None:
        """Takes the answer to the first question in flight. Raises Broken."""
        first = self._flying[0]
        line = process.line(self._limit_of(first.question))
        if self.told is not None:
            self.told("<-", line)
        try:
            answer = read_object(line)
        except Wrong as wrong:
            raise Broken("lost", str(wrong)) from None
        seq = answer.get("seq")
        if type(seq) is not int or seq != first.seq:
            raise Broken("lost", self._wrong_seq(seq, first.seq))
        first.answer = read_answer(answer, first.question)
        self._flying.popleft()

    def _limit_of(self, question: Question) -> float:
        chunks = 0 if question.chunking is None else len(question.chunking.chunks)
        return self.limit * (1 + chunks // PATIENT)

    def _wrong_seq(self, seq: Any, due: int) -> str:
        if seq is None:
            return f"an answer has no seq where {due} was due"
        if seq in [asked.seq for asked in self._flying]:
            how = "answers must come in the order of their requests"
        elif type(seq) is int and 0 < seq < due:
            how = "that was answered before"
        else:
            how = "nothing was asked by that number"
        return f"the answer to seq {due} was due, and one to {seq!r:.40} came: {how}"

    def _ground(self) -> None:
        """No question is in flight any more."""
        for asked in self._flying:
            asked.flies = False
        self._flying.clear()

    def _recover(self, broken: Broken) -> None:
        """Blames the first question without an answer. The others are sent again once they are asked."""
        first = self._flying[0]
        self._ground()
        stderr, half = ("", "") if self._process is None else (self._process.stderr, self._process.half)
        self._end()
        text = str(broken)
        self.stumbles[broken.kind] += 1
        if broken.kind == "hung":
            what = "split" if first.question.chunking is None else "stream"
            text = f"{what} was still running after {self._limit_of(first.question):g} seconds{half}"
        else:
            text += (alone := self._alone(first))
        first.answer = Failure(broken.kind, text + (f"; its stderr ends: {stderr}" if stderr else ""))
        if broken.kind == "died" and not alone:
            self._ends[_content(first.question)] = first.answer  # it would end each process that it is asked of
        times = sum(self.stumbles.values())
        if self.stumbles[broken.kind] >= MOST[broken.kind] or self._starting > MOST_SECONDS:
            enough = (
                f"{times} calls hung" if self.hangs == times else f"after {times} questions it had to be started anew"
            )
            self._give_up(enough)

    def _alone(self, first: Asked) -> str:
        """What is to be said of a question that broke the conversation, once it was asked in a new process."""
        self._seq += 1
        again = Asked(first.question, self._seq)
        try:
            self._send([again])
            self._take(self._running())
        except (Broken, GivenUp):
            self._ground()
            self._end()
            return ""
        return "; asked alone, of a new process, it is answered: what was asked before or beside it matters"

    def _give_up(self, text: str) -> None:
        self._gave_up = self._gave_up or text
        self._ground()
        self._end()


def _key(question: Question) -> tuple[Any, ...]:
    raw, request, finish, chunking = question
    return (raw, request, finish, id(chunking)) if chunking is not None else (raw, request, finish)


def _content(question: Question) -> tuple[Any, ...]:
    raw, request, finish, chunking = question
    return (raw, request, finish) if chunking is None else (chunking.texts, request, finish)


def _told(answer: Any) -> Any:
    if isinstance(answer, Skipped):
        raise Unsupported(answer.reason)
    if isinstance(answer, Failure):
        raise Unanswered(answer.text)
    return answer


def _end_of(process: Process) -> None:
    """Ends what is left of a command when nobody can ask it any more."""
    if process.ours:
        process.end(STOP, 0.2)
