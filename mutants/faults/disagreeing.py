"""Faults of one mode, so that stream and split disagree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mutants.adapter import RIGHT, Deltas, Plain, markers_of
from oracles.messages import WHITE_SPACE, Chunk, Finish, Message, Request, Unsupported
from oracles.reader import Replay, fold
from oracles.watch import AFTER, INSIDE


def reading(change: Callable[[str], str], stream: bool = True, split: bool = True) -> dict[str, Any]:
    """Names for an adapter that changes text before it is read: a chunk at a time in the stream, whole in the split."""

    class Changed(Plain):
        def feed(self, chunk: Chunk) -> Deltas:
            return self.reader.feed(change(chunk.text))

    names: dict[str, Any] = {"wrap": Changed} if stream else {}
    if split:
        names["split"] = lambda raw, request, finish: RIGHT.split(change(raw), request, finish)
    return names


def deleting_openers(raw: str, request: Request, finish: Finish) -> Message:
    """The split deletes openers from the content."""
    message = RIGHT.read(raw, request, finish)
    content = message.content
    for marker in markers_of(request, "reasoning_open"):
        content = content.replace(marker, "")
    return Message(message.reasoning, content)


def first_closer(raw: str, request: Request, finish: Finish) -> Message:
    """The split parts at the first closer, whatever stands before it."""
    return _parting(str.partition, raw, request, finish)


def last_closer(raw: str, request: Request, finish: Finish) -> Message:
    """The split parts at the last closer."""
    return _parting(str.rpartition, raw, request, finish)


def _parting(part: Callable[[str, str], tuple[str, str, str]], raw: str, request: Request, finish: Finish) -> Message:
    closer = markers_of(request, "reasoning_close")[0]
    if not request.opened or closer not in raw:
        return RIGHT.read(raw, request, finish)
    reasoning, _, content = part(raw, closer)
    return Message(reasoning, content)


def prose_is_thought(raw: str, request: Request, finish: Finish) -> Message:
    """The split reads words before an opener as reasoning."""
    opener = markers_of(request, "reasoning_open")[0]
    if request.opened or opener not in raw:
        return RIGHT.read(raw, request, finish)
    before, _, rest = raw.partition(opener)
    message = RIGHT.read(rest, replace(request, opened=True), finish)
    return Message(before + message.reasoning, message.content)


def unclosed_is_content_at_length(raw: str, request: Request, finish: Finish) -> Message:
    """The split takes unclosed reasoning for content where the output was cut."""
    message = RIGHT.read(raw, request, finish)
    return Message("", message.reasoning) if finish == "length" and not message.content else message


def by_text(read: Callable[[str, Request, Finish], Message]) -> Callable[[str, Request, Finish], Message]:
    """A split that remembers its answers by the text alone."""
    known: dict[str, Message] = {}

    def split(raw: str, request: Request, finish: Finish) -> Message:
        if raw not in known:
            known[raw] = read(raw, request, finish)
        return known[raw]

    return split


class LeavesOutNewline(Plain):
    """A newline that begins the content is left out in the stream."""

    begun = False

    def changed(self, deltas: Deltas) -> Deltas:
        out: Deltas = []
        for channel, text in deltas:
            if channel == "content" and not self.begun:
                text = text.lstrip("\n")
                self.begun = bool(text)
            out.append((channel, text))
        return out


class RepliesTwice(Plain):
    """The stream gives the replay once more."""

    def finish(self, finish: Finish) -> Deltas:
        deltas = self.reader.finish(finish)
        return [*deltas, *(delta for delta in deltas if isinstance(delta, Replay))]


class LastTwice(Plain):
    """The last delta comes once more at the end."""

    last: tuple[tuple[str, str], ...] = ()

    def feed(self, chunk: Chunk) -> Deltas:
        deltas = self.reader.feed(chunk.text)
        self.last = tuple(deltas[-1:]) or self.last
        return deltas

    def finish(self, finish: Finish) -> Deltas:
        return [*self.last, *self.reader.finish(finish)]


class LosesBehindCloser(Plain):
    """Content that comes in the closer's own chunk is lost."""

    def feed(self, chunk: Chunk) -> Deltas:
        before = self.reader._state
        deltas = self.reader.feed(chunk.text)
        if before == INSIDE and self.reader._state == AFTER:
            return [delta for delta in deltas if delta[0] == "reasoning"]
        return deltas


class OneSurface(Plain):
    """The endpoint for responses strips."""

    def changed(self, deltas: Deltas) -> Deltas:
        if self.request.surface != "responses":
            return deltas
        return [(channel, text.strip(WHITE_SPACE)) for channel, text in deltas]


def reading_again(raw: str, request: Request, finish: Finish) -> Message:
    """The split searches its own content once more for a closer that dropped markers brought together."""
    stream = RIGHT.stream(request)
    deltas = [*stream.feed(Chunk(raw)), *stream.finish(finish)]
    parts = [text for channel, text in deltas if channel == "content"]
    content = "".join(parts)
    for marker in markers_of(request, "reasoning_close"):
        if content.count(marker) > sum(part.count(marker) for part in parts):
            content = content.replace(marker, "")
    return Message(fold(deltas).reasoning, content)


def refusing(raw: str, request: Request, finish: Finish) -> Message:
    """There is no split."""
    raise Unsupported("only streams are answered")
