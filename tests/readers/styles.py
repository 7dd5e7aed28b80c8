"""Streams that are right, each in a style of its own."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from mutants.adapter import Deltas, Plain, longest
from mutants.faults.timing import Late
from oracles.messages import CHANNELS, WHITE_SPACE, Chunk, Delta, Finish, Message, Request
from oracles.reader import Reader, Replay


class Generator(Plain):
    def changed(self, deltas: Deltas) -> Iterable[tuple[str, str]]:
        yield from deltas


class CharacterByCharacter(Plain):
    def changed(self, deltas: Deltas) -> Deltas:
        return [(channel, sign) for channel, text in deltas for sign in text]


class CodeUnits(Plain):
    """Astral characters come as two surrogates, each in a delta, as JavaScript's iteration by index gives them."""

    def changed(self, deltas: Deltas) -> Deltas:
        units: Deltas = []
        for channel, text in deltas:
            data = text.encode("utf-16-le", "surrogatepass")
            units += [(channel, chr(data[at] | data[at + 1] << 8)) for at in range(0, len(data), 2)]
        return units


class Lists(Plain):
    def changed(self, deltas: Deltas) -> list[list[str]]:
        return [list(delta) for delta in deltas]


class Named(Plain):
    def changed(self, deltas: Deltas) -> list[Delta]:
        return [Delta(*delta) for delta in deltas]


class Objects(Plain):
    def changed(self, deltas: Deltas) -> list[SimpleNamespace]:
        return [SimpleNamespace(channel=channel, text=text, index=0) for channel, text in deltas]


class Tuples(Plain):
    def changed(self, deltas: Deltas) -> tuple[tuple[str, str], ...]:
        return tuple(deltas)


class Views(Plain):
    """A view of a mapping, channel to text: one delta a channel, so only where the order allows it."""

    def changed(self, deltas: Deltas) -> Any:
        channels = [channel for channel, _ in deltas]
        return dict(deltas).items() if len(channels) == len(set(channels)) else deque(deltas)


class Reused(Plain):
    """One list for every answer, emptied before it is filled anew."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._own: Deltas = []

    def changed(self, deltas: Deltas) -> Deltas:
        self._own.clear()
        self._own += deltas
        return self._own


class Empties(Plain):
    def changed(self, deltas: Deltas) -> Deltas:
        padded = [("content", ""), ("reasoning", "")]
        for delta in deltas:
            padded += [delta, ("reasoning", ""), ("content", "")]
        return padded


class Merged(Plain):
    """Neighbours of one channel come as one delta, replays in pieces still."""

    def changed(self, deltas: Deltas) -> Deltas:
        merged: Deltas = []
        for delta in deltas:
            if merged and merged[-1][0] == delta[0] and not isinstance(delta, Replay):
                merged[-1] = (delta[0], merged[-1][1] + delta[1])
            else:
                merged.append((delta[0], delta[1]))
        return merged


def replay_pieces(size: int) -> type[Plain]:
    """Streams that cut a replay into pieces of ``size`` characters."""

    class Cut(Plain):
        def changed(self, deltas: Deltas) -> Deltas:
            out: Deltas = []
            for delta in deltas:
                if isinstance(delta, Replay):
                    out += [(delta[0], delta[1][start : start + size]) for start in range(0, len(delta[1]), size)]
                else:
                    out.append(delta)
            return out

    return Cut


class CutLast(Plain):
    """A marker that the end cut short comes behind the replay."""

    def finish(self, finish: Finish) -> Deltas:
        deltas = self.reader.finish(finish)
        cut = self.reader.cut
        if not cut or not deltas or not isinstance(deltas[-1], Replay):
            return deltas
        first = next(place for place, delta in enumerate(deltas) if isinstance(delta, Replay))
        channel, text = deltas[first - 1]
        return [*deltas[: first - 1], (channel, text[: -len(cut)]), *deltas[first:], (channel, cut)]


class LittleLate(Late):
    def holds(self, request: Request) -> int:
        return 1


class SometimesLate(Late):
    """Holds now more, now fewer characters, as many as are allowed at most."""

    def holds(self, request: Request) -> int:
        self._draw = random.Random(7)
        return 0

    def feed(self, chunk: Chunk) -> Deltas:
        self._most = self._draw.randrange(longest(self.request))
        return super().feed(chunk)


class Trimming(Plain):
    """Drops white space at the ends of a channel; holds a run of it until words follow."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._runs: dict[str, list[str]] = {channel: [] for channel in CHANNELS}
        self._begun = dict.fromkeys(CHANNELS, False)

    def changed(self, deltas: Deltas) -> Deltas:
        out: Deltas = []
        for channel, text in deltas:
            run = self._runs[channel]
            words = text.rstrip(WHITE_SPACE)
            if words:
                words = "".join([*run, words]) if self._begun[channel] else words.lstrip(WHITE_SPACE)
                self._begun[channel] = True
                out.append((channel, words))
                run.clear()
            run.append(text[len(text.rstrip(WHITE_SPACE)) :])
        return out


class Leading(Trimming):
    """Drops white space at a channel's beginning alone."""

    def changed(self, deltas: Deltas) -> Deltas:
        out: Deltas = []
        for channel, text in deltas:
            if not self._begun[channel]:
                text = text.lstrip(WHITE_SPACE)
            if text:
                self._begun[channel] = True
                out.append((channel, text))
        return out


def stripped(message: Message) -> Message:
    """The message without white space at the ends of its channels."""
    return Message(message.reasoning.strip(WHITE_SPACE), message.content.strip(WHITE_SPACE))


class Slow(Plain):
    """Every character costs some twenty times as much."""

    def feed(self, chunk: Chunk) -> Deltas:
        for _ in range(20):
            sum(map(ord, chunk.text))
        return self.reader.feed(chunk.text)


class Amortised(Plain):
    """A buffer of 64 KiB is written anew every 4,096 feeds."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._feeds = 0
        self._buffer = bytearray()

    def feed(self, chunk: Chunk) -> Deltas:
        self._feeds += 1
        if self._feeds % 4096 == 0:
            self._buffer = bytearray(b"x" * (1 << 16))
        return self.reader.feed(chunk.text)


class Doubling(Plain):
    """Work for all of the text each time that it has grown to twice its length."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._count, self._limit = 0, 64

    def feed(self, chunk: Chunk) -> Deltas:
        self._count += len(chunk.text)
        if self._count >= self._limit:
            sum(range(self._count))
            self._limit *= 2
        return self.reader.feed(chunk.text)


_LOCK = threading.Lock()
_SCRATCH: Deltas = []


class Locked(Plain):
    """Every stream takes one lock for each chunk, and notes what it reads in a place that the lock guards."""

    def feed(self, chunk: Chunk) -> Deltas:
        with _LOCK:
            _SCRATCH[:] = self.reader.feed(chunk.text)
            return [*_SCRATCH]


class Threaded(Plain):
    """Every chunk is read in a thread of its own."""

    def feed(self, chunk: Chunk) -> Deltas:
        out: Deltas = []
        thread = threading.Thread(target=lambda: out.extend(self.reader.feed(chunk.text)))
        thread.start()
        thread.join()
        return out


class Unsupported(Exception):
    """An implementation's own; its name is what counts."""


def refusing(refuses: Callable[[Request], bool]) -> Callable[[Reader, Request], Plain]:
    """Streams that are refused for some requests."""

    def wrap(reader: Reader, request: Request) -> Plain:
        if refuses(request):
            raise Unsupported("this request is not supported")
        return Plain(reader, request)

    return wrap


class RefusingFeed(Plain):
    """Refuses a text at the chunk that shows it can't be read."""

    def feed(self, chunk: Chunk) -> Deltas:
        if not chunk.text.isascii():
            raise Unsupported("text beyond ASCII")
        return self.reader.feed(chunk.text)


class TypeErrors(Plain):
    """Says at once what is wrong with a chunk without text."""

    def feed(self, chunk: Chunk) -> Deltas:
        if chunk.text is None:
            raise TypeError("a chunk needs text")
        return self.reader.feed(chunk.text)


class Forgiving(Plain):
    """Takes a chunk without text for an empty one."""

    def feed(self, chunk: Chunk) -> Deltas:
        return self.reader.feed(chunk.text or "")


def duck(message: Message) -> SimpleNamespace:
    """A message of another class, with None for an empty channel."""
    return SimpleNamespace(reasoning=message.reasoning or None, content=message.content or None, role="assistant")
