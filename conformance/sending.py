"""Sending questions to an implementation that is answered elsewhere, ahead of the moment where they are asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from conformance.answers import Deltas, run_of
from conformance.chunkings import Chunking
from conformance.implementation import Question, Remote
from conformance.observation import Failure, Skipped, StreamRun, Texts
from oracles.messages import FINISHES, Finish, Request

AHEAD = 400
"""So many questions are sent before their answers are needed."""


class Sending:
    """Puts single questions to a remote adapter; it bounds them itself."""

    def __init__(self, remote: Remote) -> None:
        self.remote = remote

    def split(self, raw: str, request: Request, finish: Finish) -> Texts | Failure | Skipped:
        """The split's texts. Raises GivenUp."""
        answer: Texts | Failure | Skipped = self.remote.answer(Question(raw, request, finish, None))
        return answer

    def told(self, request: Request, finish: Finish, chunking: Chunking) -> Deltas | Failure | Skipped:
        """What a stream gives, put down chunk by chunk. Raises GivenUp."""
        answer: Deltas | Failure | Skipped = self.remote.answer(Question("", request, finish, chunking))
        return answer

    def run_of(self, chunking: Chunking, told: Deltas) -> StreamRun:
        """What the stream told, read."""
        return run_of(chunking, told)


def questions(raw: str, request: Request, chunkings: Sequence[Chunking], splits: bool) -> Iterator[Question]:
    """What an observation asks, in its order. ``splits``: the split is asked too."""
    for finish in FINISHES:
        if splits:
            yield Question(raw, request, finish, None)
        for chunking in chunkings:
            yield Question("", request, finish, chunking)


class Ahead:
    """Sends what will be asked, so far ahead that neither side waits for the other."""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote
        self._waiting: deque[int] = deque()
        self._count = 0

    def send(self, asked: Iterator[Question]) -> None:
        """Sends the questions of one step."""
        sent = list(asked)
        self._waiting.append(len(sent))
        self._count += len(sent)
        self._remote.foresee(sent)

    @property
    def far(self) -> bool:
        """Whether enough was sent, so that the first step may be asked."""
        return self._count > AHEAD

    def asked(self) -> None:
        """The first step that was sent is being asked."""
        self._count -= self._waiting.popleft()
