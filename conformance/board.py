"""A page of memory that outlives a child process: its heartbeats, the case it is at, and what it started."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import signal
import struct
from typing import Any

from conformance.case import Case
from conformance.chunkings import Chunking
from conformance.verdicts import Violation
from oracles.messages import Finish, Request
from oracles.pieces import Output

NUMBER = struct.Struct("<Q")
ROOM = 1 << 20
BEATS, STUCK, GROUP, SIZE, CASE = 0, 8, 16, 24, 32
"""Where what stands."""


class Board:
    """Shared by a process and the child that it forks. A context manager."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, ROOM)
        self._last: dict[str, Any] = {}

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *_: object) -> None:
        self._page.close()

    @property
    def beats(self) -> int:
        """How often the child's heart has beaten."""
        return int(NUMBER.unpack_from(self._page, BEATS)[0])

    def beat(self) -> None:
        """One more heartbeat."""
        NUMBER.pack_into(self._page, BEATS, self.beats + 1)

    @property
    def stuck(self) -> bool:
        """Whether the child ends itself because a call goes on although it was interrupted."""
        return bool(NUMBER.unpack_from(self._page, STUCK)[0])

    def be_stuck(self) -> None:
        """A call goes on although it was interrupted."""
        NUMBER.pack_into(self._page, STUCK, 1)

    def started(self, group: int) -> None:
        """The child started a process that leads a group of its own; 0 where that has ended."""
        NUMBER.pack_into(self._page, GROUP, group)

    def end_started(self) -> None:
        """Ends what the child started, if it still runs."""
        group = int(NUMBER.unpack_from(self._page, GROUP)[0])
        if group:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)

    def write(self, output: Output | None, request: Request, finish: Finish, chunking: Chunking | None) -> None:
        """Writes down what is about to be asked."""
        if output is None:
            return
        self._last = {
            "dialect": request.dialect,
            "opened": request.opened,
            "thinking": request.thinking,
            "finish": finish,
            "surface": request.surface,
            "case": Case("never-raises", output, request, finish, chunking).text(),
            "chunks": None if chunking is None else list(chunking.texts),
            "raw": output.raw,
            "size": [len(output.pieces), len(output.raw), 0 if chunking is None else len(chunking.chunks)],
        }
        data = json.dumps(self._last).encode()
        if len(data) > ROOM - CASE:
            data = json.dumps({**self._last, "chunks": None, "raw": None, "case": ""}).encode()
        self.clear()
        self._page[CASE : CASE + len(data)] = data
        NUMBER.pack_into(self._page, SIZE, len(data))

    def clear(self) -> None:
        """The call is over: what happens from now on is of no case."""
        NUMBER.pack_into(self._page, SIZE, 0)

    def violation(self, text: str, hung: bool) -> Violation | None:
        """``text`` about the case that is being asked, None where none is known."""
        size = NUMBER.unpack_from(self._page, SIZE)[0]
        return _violation(json.loads(self._page[CASE : CASE + size]), text, hung) if size else None

    def last(self, text: str) -> Violation | None:
        """``text`` about the last case that this process has written down, whether or not its call is over."""
        return _violation(self._last, text, False) if self._last else None


def _violation(told: dict[str, Any], text: str, hung: bool) -> Violation:
    chunks, size = told["chunks"], told["size"]
    return Violation(
        **{**told, "chunks": None if chunks is None else tuple(chunks), "size": tuple(size)},
        check="never-raises",
        level="must",
        rows=(),
        note=text,
        kind="hung" if hung else "died",
        failure="hung" if hung else "died",
        kind_title="a call that does not end" if hung else "a call that ends the process",
    )
