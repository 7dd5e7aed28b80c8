"""The line that shows how far a sweep is, where a terminal is attached; it leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import time
from typing import TextIO

from conformance.literals import cells, escaped
from conformance.settings import Progress

EVERY = 0.1  # seconds between two drawings
BAR = 16
# Room for a line below, made without leaving the column: pytest may stand in the middle of a line of its own.
BELOW = "\x1bD\x1b[A\x1b7\x1b[B"
BACK = "\r\x1b[2K\x1b8"


class ProgressLine:
    """A line below the cursor, drawn anew as a sweep goes on. A context manager: it is gone afterwards."""

    def __init__(self, stream: TextIO, place: str = "", colour: bool = True, counted: str = "streams") -> None:
        """``place``: which of how many sweeps it is, such as ``2/9``. ``counted``: what there are so many of."""
        self._stream = stream
        self._place = place
        self._colour = colour
        self._counted = counted
        self._began = time.monotonic()
        self._drawn = 0.0
        self._open = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open:
            self._write(BACK)
            self._open = False

    def __call__(self, progress: Progress) -> None:
        """Draws the line, unless it was drawn a moment ago."""
        now = time.monotonic()
        if self._open and now - self._drawn < EVERY:
            return
        self._drawn = now
        columns = shutil.get_terminal_size().columns - 1
        text = self._text(progress, now - self._began)
        while cells(text) > columns:
            text = text[:-1]
        if self._colour:
            text = text.replace("━" * self._filled(progress), f"\x1b[32m{'━' * self._filled(progress)}\x1b[0m", 1)
        self._write(("" if self._open else BELOW) + f"\r\x1b[2K{text}")
        self._open = True

    def _filled(self, progress: Progress) -> int:
        return round(max(0.0, min(progress.share, 1.0)) * BAR)

    def _text(self, progress: Progress, seconds: float) -> str:
        filled = self._filled(progress)
        place = f" ({self._place})" if self._place else ""
        failed = f"  {progress.failed} failed" if progress.failed else ""
        minutes, rest = divmod(int(seconds), 60)
        return (
            f"  {escaped(progress.dialect)}{place}  {'━' * filled}{'─' * (BAR - filled)} {progress.share:4.0%}  "
            f"{minutes}:{rest:02}  {escaped(progress.rung)}  {progress.streams:,} {self._counted}{failed}"
        )

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal is gone, or can't say it: progress is no reason to fail
            self._stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def shows_progress(stream: TextIO) -> bool:
    """Whether a line can be drawn anew on ``stream``: a terminal that knows how, and is no CI's."""
    if os.environ.get("TERM") in (None, "", "dumb") or os.environ.get("CI"):
        return False
    if (getattr(stream, "encoding", "") or "").lower().replace("-", "") != "utf8":
        return False
    try:
        return stream.isatty()
    except ValueError:
        return False
