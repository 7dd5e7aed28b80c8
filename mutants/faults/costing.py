"""Work and memory that grow faster than the output."""

from __future__ import annotations

import re

from mutants.adapter import RIGHT, Deltas, Plain
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Finish, Message, Request
from oracles.reader import Reader


class HandsBack(Plain):
    """At each marker the rest is copied."""

    def feed(self, chunk: Chunk) -> Deltas:
        rest = chunk.text
        for marker in REGISTRY.get(self.request.dialect).all_markers:
            while marker in rest:
                rest = rest.partition(marker)[2]
            rest = chunk.text
        return self.reader.feed(chunk.text)


class Rejoins(Plain):
    """Everything is put together at each chunk."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._chunks: list[str] = []

    def feed(self, chunk: Chunk) -> Deltas:
        self._chunks.append(chunk.text)
        "".join(self._chunks)
        return self.reader.feed(chunk.text)


class SearchesAll(Plain):
    """The whole text is searched at each chunk."""

    text = ""

    def feed(self, chunk: Chunk) -> Deltas:
        self.text += chunk.text
        self.text.find("\0\0")
        return self.reader.feed(chunk.text)


class KeepsSnapshots(Plain):
    """What was read so far is kept, at each chunk anew."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._snapshots = [""]

    def feed(self, chunk: Chunk) -> Deltas:
        self._snapshots.append(self._snapshots[-1] + chunk.text)
        return self.reader.feed(chunk.text)


class KeepsAll(Plain):
    """The text is kept although nothing needs it."""

    def __init__(self, reader: Reader, request: Request) -> None:
        super().__init__(reader, request)
        self._chunks: list[str] = []

    def feed(self, chunk: Chunk) -> Deltas:
        self._chunks.append("".join(reversed(chunk.text)))
        return self.reader.feed(chunk.text)


def slicing(raw: str, request: Request, finish: Finish) -> Message:
    """The split takes a character off the front of the text at a time."""
    rest = raw
    while rest:
        rest = rest[1:]
    return RIGHT.read(raw, request, finish)


def stripping(raw: str, request: Request, finish: Finish) -> Message:
    """The split looks for white space at the end with a pattern that begins anew at each character."""
    re.sub(r"\s+$", "", raw)
    return RIGHT.read(raw, request, finish)


def rescanning(raw: str, request: Request, finish: Finish) -> Message:
    """The split looks for white space before a closer with a pattern that begins anew at each character."""
    re.search(r"\s+</think>", raw)
    return RIGHT.read(raw, request, finish)
