"""Listening to a conversation: each line is shown, and held to the schema."""

from __future__ import annotations

import contextlib
import os

from conformance.wire.schema import what_is_wrong
from conformance.wire.telling import cut

SHOWN = 2000
"""Characters of a line that are shown."""


class Listener:
    """Writes what it hears to a file descriptor. ``wrong``: how many messages broke the schema."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.wrong = 0

    def __call__(self, direction: str, line: bytes) -> None:
        """Hears a line. ``direction``: "->" where it was sent to the command, "<-" where it came from it."""
        text = cut(line.decode("utf-8", "backslashreplace"), SHOWN)
        self._write(f"wire {direction} {text}\n")
        wrong = what_is_wrong(line, direction == "->")
        if wrong:
            self.wrong += 1
            self._write(f"wire !! {wrong}\n")

    def _write(self, text: str) -> None:
        # One line is one write: several processes may share the terminal. It may be gone, which is no reason to fail.
        with contextlib.suppress(OSError):
            os.write(self._descriptor, text.encode("utf-8", "backslashreplace"))
