"""What is said of a command, in a sentence: how it ended, what its standard error held, what a line held."""

from __future__ import annotations

import signal

SHOWN = 5
"""Lines of standard error that are told."""
WIDE = 200
"""Characters of each."""


def how_it_ended(status: int | None) -> str:
    """A return code of ``subprocess``, in words; None where it is still running."""
    if status is None:
        return "the command closed its stdout and went on running"
    if status < 0:
        known = -status in [known.value for known in signal.Signals]
        return f"the command was killed by {signal.Signals(-status).name if known else f'signal {-status}'}"
    return f"the command ended with exit code {status}"


def told_lines(tail: bytes) -> str:
    """The last lines of a standard error, each cut where it is long, joined by bars; "" where there are none."""
    lines = [line.strip() for line in tail.decode("utf-8", "replace").splitlines()]
    return " | ".join(cut(line, WIDE) for line in [line for line in lines if line][-SHOWN:])


def cut(text: str, room: int) -> str:
    """``text``, in one line, without its middle where it is too long."""
    text = " ".join(text.split())
    return text if len(text) <= room else f"{text[: room - 20]}…{text[-19:]}"


def shown(line: bytes) -> str:
    """A line as it is shown in a sentence."""
    return ascii(cut(line[:2000].decode("utf-8", "replace"), 80))
