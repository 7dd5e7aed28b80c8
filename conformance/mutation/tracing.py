"""Which lines of one file are executed."""

from __future__ import annotations

import sys
import threading
from types import CodeType, FrameType
from typing import Any


class Lines:
    """Notes the lines of a file that are executed, in every thread. A context manager."""

    def __init__(self, path: str) -> None:
        """``path``: as the code that is compiled from the file names it."""
        self.seen: set[int] = set()
        self._path = path
        self._left: dict[CodeType, set[int]] = {}

    def __enter__(self) -> Lines:
        threading.settrace(self._call)
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def taken(self) -> frozenset[int]:
        """The lines noted so far, which are then forgotten."""
        lines = frozenset(self.seen)
        self.seen.clear()
        self._left.clear()
        return lines

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code.co_filename != self._path:
            return None
        left = self._left.get(code)
        if left is None:
            left = self._left[code] = {line for _, _, line in code.co_lines() if line is not None}
            # The call itself is no line, and nothing more is to be known of it.
            left.discard(code.co_firstlineno)
            self.seen.add(code.co_firstlineno)
        return self._line if left else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.seen.add(frame.f_lineno)
            left = self._left.get(frame.f_code)
            if left is not None:
                left.discard(frame.f_lineno)
        return self._line
