"""Streams that fail."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from mutants.adapter import Deltas, Plain
from oracles.messages import Chunk, Finish, Message


def raising(change: Callable[[str], Any]) -> type[Plain]:
    """Streams that do something with each chunk, which may raise."""

    class Raising(Plain):
        def feed(self, chunk: Chunk) -> Deltas:
            change(chunk.text)
            return self.reader.feed(chunk.text)

    return Raising


class NeedsFeed(Plain):
    """The end fails where nothing was fed."""

    def feed(self, chunk: Chunk) -> Deltas:
        self.fed = True
        return self.reader.feed(chunk.text)

    def finish(self, finish: Finish) -> Deltas:
        return self.reader.finish(finish) if self.fed else []


class Hangs(Plain):
    """A look-alike at the end of a chunk is waited for without an end."""

    def feed(self, chunk: Chunk) -> Deltas:
        while chunk.text.endswith("</"):
            pass
        return self.reader.feed(chunk.text)


class Nothing(Plain):
    def changed(self, deltas: Deltas) -> Any:
        return deltas or None


class NoneText(Plain):
    def changed(self, deltas: Deltas) -> Any:
        return deltas or [("content", None)]


class OtherChannel(Plain):
    def changed(self, deltas: Deltas) -> Any:
        return [("thinking" if channel == "reasoning" else channel, text) for channel, text in deltas]


class Exits(Plain):
    def finish(self, finish: Finish) -> Deltas:
        if self.reader._held:
            sys.exit("a marker was cut")
        return self.reader.finish(finish)


def beyond_the_plane(text: str) -> None:
    if any(ord(sign) > 0xFFFF for sign in text):
        raise ValueError("a character takes two units")


def nested(text: str) -> int:
    """The length of a text, told by as many calls."""
    return 1 + nested(text[1:]) if text else 0


def as_mapping(message: Message) -> dict[str, str]:
    return {"reasoning": message.reasoning, "content": message.content}
