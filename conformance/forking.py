"""Forking children, and what they tell their parents: pickled values, framed by their length."""

from __future__ import annotations

import os
import pickle
import struct
import sys
import warnings
from collections.abc import Iterator
from typing import Any

LENGTH = struct.Struct("<Q")


def fork() -> int:
    """Forks as ``os.fork`` does; what this process has printed is not printed again by the child."""
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child uses no other thread of ours
        return os.fork()


class Teller:
    """Tells a child's parent values, by ``writing``, its end of a pipe; made in the child.

    A process that the child forked, and that came back into its code, is ended instead.
    """

    def __init__(self, writing: int) -> None:
        self.writing = writing
        self.me = os.getpid()

    def __call__(self, value: Any) -> None:
        """Tells a value. Raises OSError where nobody listens any more."""
        if os.getpid() != self.me:
            os._exit(0)
        data = pickle.dumps(value)
        data = LENGTH.pack(len(data)) + data
        while data:
            data = data[os.write(self.writing, data) :]


class Frames:
    """What has come of a child's values."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def add(self, data: bytes) -> None:
        """Takes what was read of the pipe."""
        self._buffer += data

    def whole(self) -> bool:
        """Whether a value has come whole."""
        return len(self._buffer) >= LENGTH.size and len(self._buffer) >= self._end()

    def values(self) -> Iterator[Any]:
        """Gives the values that have come whole, each once."""
        while self.whole():
            end = self._end()
            frame = bytes(self._buffer[LENGTH.size : end])
            del self._buffer[:end]
            yield pickle.loads(frame)

    def _end(self) -> int:
        return LENGTH.size + int(LENGTH.unpack_from(self._buffer)[0])
