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
    """None stands for no deltas."""

    def changed(self, deltas: Deltas) -> Any:
        return deltas or None


class NoneText(Plain):
    """A delta without text stands for no deltas."""

    def changed(self, deltas: Deltas) -> Any:
        return deltas or [("content", None)]


class OtherChannel(Plain):
    """Reasoning has another name."""

    def changed(self, deltas: Deltas) -> Any:
        return [("thinking" if channel == "reasoning" else channel, text) for channel, text in deltas]


class Exits(Plain):
    """A marker that is cut at the end exits."""

    def finish(self, finish: Finish) -> Deltas:
        if self.reader._held:
            sys.exit("a marker was cut")
        return self.reader.finish(finish)


def beyond_the_plane(text: str) -> None:
    """Raises where a character takes two units of UTF-16."""
    if any(ord(sign) > 0xFFFF for sign in text):
        raise ValueError("a character takes two units")


def nested(text: str) -> int:
    """The length of a text, told by as many calls."""
    return 1 + nested(text[1:]) if text else 0


def as_mapping(message: Message) -> dict[str, str]:
    """A message as a mapping."""
    return {"reasoning": message.reasoning, "content": message.content}
