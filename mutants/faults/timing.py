"""Faults of order and of time."""

from __future__ import annotations

from collections import deque

from mutants.adapter import Deltas, Plain, longest
from oracles.dialects import REGISTRY
from oracles.messages import WHITE_SPACE, Chunk, Finish, Request
from oracles.reader import Reader, Replay
from oracles.watch import BEFORE, CALLS, INSIDE


class ContentFirst(Plain):
    """Of one chunk, content comes before reasoning."""

    def changed(self, deltas: Deltas) -> Deltas:
        return sorted(deltas, key=lambda delta: delta[0])


class ReasoningLags(Plain):
    """The last character of reasoning comes when more of it does, or at the end."""

    held = ""

    def changed(self, deltas: Deltas) -> Deltas:
        out: Deltas = []
        for channel, text in deltas:
            if channel == "reasoning" and text:
                text = self.held + text
                text, self.held = text[:-1], text[-1]
            out.append((channel, text))
        return out

    def finish(self, finish: Finish) -> Deltas:
        return [*super().finish(finish), ("reasoning", self.held)]


class Withheld(Plain):
    """Holds deltas while ``waits`` says so, and lets go of all of them at once."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._deltas: Deltas = []

    def feed(self, chunk: Chunk) -> Deltas:
        self._deltas += self.reader.feed(chunk.text)
        if self.waits(chunk):
            return []
        deltas, self._deltas = self._deltas, []
        return deltas

    def finish(self, finish: Finish) -> Deltas:
        return [*self._deltas, *self.reader.finish(finish)]

    def waits(self, chunk: Chunk) -> bool:
        return True


class UntilOpener(Withheld):
    def waits(self, chunk: Chunk) -> bool:
        return self.reader._state == BEFORE


class UntilCloser(Withheld):
    def waits(self, chunk: Chunk) -> bool:
        return self.reader._state == INSIDE


class UntilCallEnds(Withheld):
    def waits(self, chunk: Chunk) -> bool:
        return self.reader._state == CALLS


class ByLine(Withheld):
    def waits(self, chunk: Chunk) -> bool:
        return "\n" not in chunk.text


class BySize(Withheld):
    """Lets go when there are 64 characters or more."""

    def waits(self, chunk: Chunk) -> bool:
        return sum(len(text) for _, text in self._deltas) < 64


class OneBracket(Withheld):
    """From a ``<`` on everything waits for the end."""

    seen = False

    def waits(self, chunk: Chunk) -> bool:
        self.seen = self.seen or any("<" in text for _, text in self._deltas)
        return self.seen


class SpaceWaits(Withheld):
    """White space waits for words, however much of it there is."""

    def waits(self, chunk: Chunk) -> bool:
        return not any(text.strip(WHITE_SPACE) for _, text in self._deltas)


class Late(Plain):
    """Holds the last characters of what is released, ``less`` fewer than the longest marker has, whatever they are."""

    less = 1

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._most = self.holds(request)
        self._queue: deque[tuple[str, str]] = deque()

    def holds(self, request: Request) -> int:
        return longest(request) - self.less

    def feed(self, chunk: Chunk) -> Deltas:
        self._queue += [(channel, sign) for channel, text in self.reader.feed(chunk.text) for sign in text]
        return [self._queue.popleft() for _ in range(len(self._queue) - self._most)]

    def finish(self, finish: Finish) -> Deltas:
        return [*self._queue, *self.reader.finish(finish)]


class OneTooLate(Late):
    less = 0


class OneReplay(Plain):
    def finish(self, finish: Finish) -> Deltas:
        deltas = self.reader.finish(finish)
        replay = "".join(text for delta in deltas if isinstance(delta, Replay) for text in delta[1:])
        return [*(delta for delta in deltas if not isinstance(delta, Replay)), ("content", replay)]


class AnyBeginning(Plain):
    """The beginning of any marker is held, watched or not."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._last: Deltas = []

    def feed(self, chunk: Chunk) -> Deltas:
        deltas = [*self._last, *self.reader.feed(chunk.text)]
        self._last = []
        markers = REGISTRY.get(self.request.dialect).all_markers
        while deltas and any(marker.startswith(deltas[-1][1]) for marker in markers):
            self._last.insert(0, deltas.pop())
        return deltas

    def finish(self, finish: Finish) -> Deltas:
        return [*self._last, *self.reader.finish(finish)]
