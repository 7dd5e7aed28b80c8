"""Chat requests to the frontend over HTTP, and what their answers hold."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.adapters._fields import Fields

Delta = tuple[str, str]
FIELDS = (("reasoning_content", "reasoning"), ("content", "content"))


class RefusedError(Exception):
    """The frontend answered with an error."""


class Event(NamedTuple):
    """One event of a stream: its deltas, how many tokens had been read by then, and whether it tells of the end."""

    deltas: tuple[Delta, ...]
    tokens: int
    ended: bool


class Connection:
    """One connection, which is used again."""

    def __init__(self, host: str, port: int) -> None:
        self._place = (host, port)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def answered(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> str:
        """The body of an answer. Raises RefusedError for a status other than 200, OSError where there is none."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(*self._place, limit=1 << 26)
        reader, writer = self._streams
        sent = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nhost: {self._place[0]}\r\ncontent-type: application/json\r\n"
        try:
            writer.write(f"{head}content-length: {len(sent)}\r\n\r\n".encode() + sent)
            status, text = await _answer(reader)
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            raise
        if status != 200:
            raise RefusedError(f"HTTP {status}: {text[:2000]}")
        return text

    def close(self) -> None:
        """Closes it; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _answer(reader: asyncio.StreamReader) -> tuple[int, str]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    if "content-length" in fields:
        body = await reader.readexactly(int(fields["content-length"]))
    else:
        body = b"".join([part async for part in _parts(reader)])
    return int(head[0].split()[1]), body.decode()


async def _parts(reader: asyncio.StreamReader) -> Any:
    while size := int(await reader.readuntil(b"\r\n"), 16):
        yield (await reader.readexactly(size + 2))[:-2]
    await reader.readexactly(2)


def message_of(text: str) -> dict[str, str]:
    """The texts of a whole answer."""
    message = json.loads(text)["choices"][0]["message"]
    return {channel: message.get(field) or "" for field, channel in FIELDS}


def events_of(text: str) -> Iterator[Event]:
    """The events of a streamed answer. Raises RefusedError where one tells of an error."""
    for line in text.split("\n"):
        if line.startswith("event: error"):
            raise RefusedError(f"the stream broke off: {text[-2000:]}")
        if not line.startswith("data: ") or line == "data: [DONE]":
            continue
        told = json.loads(line.removeprefix("data: "))
        if "error" in told:
            raise RefusedError(f"the stream broke off: {line}")
        for choice in told.get("choices", ()):
            deltas = tuple((channel, choice["delta"][field]) for field, channel in FIELDS if choice["delta"].get(field))
            tokens = (told.get("usage") or {}).get("completion_tokens", 0)
            yield Event(deltas, tokens, choice.get("finish_reason") is not None)


def by_chunk(events: Iterator[Event], sizes: Sequence[int], texts: Sequence[str], fields: Fields) -> list[list[Delta]]:
    """Deltas by the chunk that released them, those of the end last. ``sizes``: tokens of each chunk, of ``texts``.

    ``fields``: says in which order an event with both texts tells them.
    """
    released: list[list[Delta]] = [[] for _ in (*sizes, 0)]
    chunk, read, shown = 0, 0, 0
    for event in events:
        # The frontend counts what it has read in every event, also where it releases nothing.
        while chunk < len(sizes) and read + sizes[chunk] < event.tokens:
            read += sizes[chunk]
            chunk += 1
        ended = event.ended or chunk == len(sizes)
        until = len(sizes) if ended else chunk + 1
        fields.read("".join(texts[shown:until]))
        shown = max(shown, until)
        told = dict(event.deltas)
        released[-1 if ended else chunk] += fields.told(told.get("reasoning"), told.get("content"))
    return released
