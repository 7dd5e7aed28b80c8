"""Faults that show where chunks end, or after so many characters."""

from __future__ import annotations

from dataclasses import replace

from mutants.adapter import Deltas, Plain
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request
from oracles.reader import Machine, Reader


class Released(Plain):
    """Releases held text too early where ``early`` says so."""

    def feed(self, chunk: Chunk) -> Deltas:
        before = self.reader._held
        deltas = self.reader.feed(chunk.text)
        if self.reader._held and self.early(before, self.reader._held, chunk, deltas):
            self.reader._say(self.reader._held, deltas)
            self.reader._held = ""
        return deltas

    def early(self, before: str, held: str, chunk: Chunk, deltas: Deltas) -> bool:
        return False


class MissesAtThree(Released):
    """A marker that is cut behind its third character is missed."""

    def early(self, before: str, held: str, chunk: Chunk, deltas: Deltas) -> bool:
        return len(held) == 3


class MissesBeforeLast(Released):
    """A marker whose last character comes alone is missed."""

    def early(self, before: str, held: str, chunk: Chunk, deltas: Deltas) -> bool:
        return any(held == marker[:-1] for marker in REGISTRY.get(self.request.dialect).all_markers)


class OneChunkBack(Released):
    """A marker over three chunks is missed."""

    def early(self, before: str, held: str, chunk: Chunk, deltas: Deltas) -> bool:
        return bool(before and chunk.text) and held.startswith(before)


class WholeBufferIsPrefix(Released):
    """Held back is only what begins a marker as a whole."""

    def early(self, before: str, held: str, chunk: Chunk, deltas: Deltas) -> bool:
        return bool(deltas)


class EmptyChunkReleases(Released):
    """An empty chunk releases what is held."""

    def early(self, before: str, held: str, chunk: Chunk, deltas: Deltas) -> bool:
        return not chunk.text


class Equality(Plain):
    """A marker is seen where a chunk is one, and nowhere else."""

    def feed(self, chunk: Chunk) -> Deltas:
        if chunk.text in REGISTRY.get(self.request.dialect).all_markers:
            return self.reader.feed(chunk.text)
        out: Deltas = []
        if chunk.text:
            self.reader._say(chunk.text, out)
        return out


class LagsLose(Plain):
    """Text that comes after its ids loses its first character."""

    lags = False

    def feed(self, chunk: Chunk) -> Deltas:
        text = chunk.text[1:] if self.lags else chunk.text
        self.lags = bool(chunk.ids) and not chunk.text
        return self.reader.feed(text)


class IdsDecide(Plain):
    """Text without ids is taken for nothing."""

    def feed(self, chunk: Chunk) -> Deltas:
        return self.reader.feed(chunk.text) if chunk.ids or not self.request.thinking else []


class PastSome(Plain):
    """Loses a character when so many have come."""

    limit = 4096

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._count = 0

    def feed(self, chunk: Chunk) -> Deltas:
        before, self._count = self._count, self._count + len(chunk.text)
        if before <= self.limit < self._count:
            place = self.limit - before
            return self.reader.feed(chunk.text[:place] + chunk.text[place + 1 :])
        return self.reader.feed(chunk.text)


class PastMany(PastSome):
    """Loses a character when 16,384 have come."""

    limit = 16_384


class MissesLate(Released):
    """A marker that is cut is missed where many characters came before it."""

    count = 0

    def feed(self, chunk: Chunk) -> Deltas:
        self.count += len(chunk.text)
        return super().feed(chunk)

    def early(self, before: str, held: str, chunk: Chunk, deltas: Deltas) -> bool:
        return self.count > 5000


class DeclinedAlone(Plain):
    """A closer among the first words declines to think only where it is a chunk of its own."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._text = Machine(reader._machine.dialect, replace(reader._machine.policy, declined="text")).start(request)
        self._begun = False

    def feed(self, chunk: Chunk) -> Deltas:
        if chunk.text and not self._begun:
            self._begun = True
            if chunk.text not in REGISTRY.get(self.request.dialect).of("reasoning_close"):
                self.reader = self._text
        return self.reader.feed(chunk.text)


class WaitsForBytes(Plain):
    """A replacement character at a chunk's end waits for the rest of its bytes; the end never tells it."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self.waiting = ""

    def feed(self, chunk: Chunk) -> Deltas:
        text = self.waiting + chunk.text
        self.waiting = "\ufffd" if text.endswith("\ufffd") else ""
        return self.reader.feed(text.removesuffix(self.waiting))
