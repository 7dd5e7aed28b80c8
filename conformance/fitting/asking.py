"""An implementation's answers to many questions, from a child process that may crash or hang."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from conformance.asking import Asker
from conformance.chunkings import Chunker, Chunking
from conformance.endings import how_it_ended
from conformance.expectation import Readings
from conformance.fitting.questions import Question
from conformance.forking import Frames, Teller, fork
from conformance.implementation import GivenUp, Implementation
from conformance.implementation import Question as Sent
from conformance.observation import Failure, Skipped, Texts
from conformance.watchdog import TooManyHangs, Watchdog
from oracles.dialects import Dialect

Answer = Texts | Failure | Skipped
Progress = Callable[[int], None]
"""Told how many questions have been asked."""

CRASHES = 3
"""After so many crashes no further question is asked."""
STUCK = 86
"""The exit code of a child that ends because a call can't be interrupted."""
SILENT = 60.0
"""Seconds that a child may be silent beyond the limit on a call: a command may have to be started anew."""
TOGETHER = 64
"""So many questions are sent to a command before their answers are waited for."""


@dataclass
class Told:
    """The answers to the first questions, as far as they were asked. ``note``: why the rest was not, or ""."""

    answers: list[Answer] = field(default_factory=list)
    note: str = ""


@dataclass(frozen=True)
class Asking:
    """How an implementation is asked: by its split, or, where ``streamed``, by its stream in one chunk."""

    implementation: Implementation
    dialect: Dialect
    hang_after: float
    streamed: bool = False

    def ask(self, questions: Sequence[Question], progress: Progress) -> Told:
        """The answers to all questions. A call that ends the process is an answer too, and the next child goes on."""
        told, ended = Told(), 0

        def tell(answer: Answer) -> None:
            told.answers.append(answer)
            progress(len(told.answers))

        if not hasattr(os, "fork") or self.implementation.threaded:
            told.note = self._ask(questions, tell)
            return told
        while len(told.answers) < len(questions) and not told.note:
            failure, told.note = self._in_child(questions[len(told.answers) :], tell)
            if failure is not None:
                tell(failure)
                ended += 1
                if ended == CRASHES:
                    told.note = f"{ended} calls ended the process"
        return told

    def _in_child(self, questions: Sequence[Question], tell: Callable[[Answer], None]) -> tuple[Failure | None, str]:
        """Tells a child's answers: how it ended if not by itself, and why it asked no more."""
        reading, writing = os.pipe()
        pid = fork()
        if not pid:
            os.close(reading)
            self._be_the_child(questions, writing)
        os.close(writing)
        note: str | None = None
        silent = True
        try:
            for read in _frames(reading, self.hang_after + SILENT):
                if isinstance(read, str):
                    note = read
                else:
                    tell(read)
            silent = False
        except TimeoutError:
            pass
        finally:
            os.close(reading)
            if note is None and (silent or sys.exc_info()[0]):
                os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
        if note is not None:
            return None, note
        stuck = silent or (os.WIFEXITED(status) and os.WEXITSTATUS(status) == STUCK)
        return Failure("hung" if stuck else "died", how_it_ended(status, stuck, self.hang_after)), ""

    def _be_the_child(self, questions: Sequence[Question], writing: int) -> NoReturn:
        """Asks, and leaves: nothing of the parent's is to be cleaned up here."""
        tell = Teller(writing)
        try:
            with open(os.devnull, "r+b") as nowhere, open(os.devnull, "w", encoding="utf-8") as nobody:
                for number in (0, 1, 2):
                    os.dup2(nowhere.fileno(), number)
                sys.stdout = sys.stderr = nobody
                tell(self._ask(questions, tell))
        finally:
            os._exit(0)

    def _ask(self, questions: Sequence[Question], tell: Callable[[Answer], None]) -> str:
        """Tells the answers to the questions. Why it asked no more, or ""."""
        chunker = Chunker(self.dialect, self.implementation.chunks)
        with Watchdog(self.hang_after, stuck=lambda: os._exit(STUCK)) as watchdog:
            asker = Asker(self.implementation, Readings(self.dialect, {}), watchdog)
            try:
                for start in range(0, len(questions), TOGETHER):
                    some = questions[start : start + TOGETHER]
                    chunkings = [chunker.whole(output) if self.streamed else None for output, _, _ in some]
                    if asker.remote is not None:
                        sent = zip(some, chunkings, strict=True)
                        asker.remote.foresee(
                            Sent(output.raw, request, finish, whole) for (output, request, finish), whole in sent
                        )
                    for question, whole in zip(some, chunkings, strict=True):
                        tell(_answer(asker, question, whole))
            except (TooManyHangs, GivenUp) as error:
                return str(error)
            finally:
                if asker.remote is not None:
                    asker.remote.close()
        return ""


def _answer(asker: Asker, question: Question, whole: Chunking | None) -> Answer:
    """The answer of the stream in one chunk, or of the split where there is none."""
    output, request, finish = question
    if whole is None:
        return asker.split(output, request, finish)
    run = asker.stream(output, request, finish, whole)
    return run if isinstance(run, Skipped) else run.failure or run.texts


def _frames(reading: int, patience: float) -> Iterator[Answer | str]:
    """What a child writes, until it closes its end. Raises TimeoutError where it is silent for too long."""
    frames = Frames()
    while True:
        yield from frames.values()
        if not select.select([reading], [], [], patience)[0]:
            raise TimeoutError
        more = os.read(reading, 1 << 16)
        if not more:
            return
        frames.add(more)
