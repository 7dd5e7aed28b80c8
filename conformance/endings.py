"""How a child process ended, in words."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import IO


def how_it_ended(status: int, hung: bool, limit: float) -> str:
    """A sentence from a wait status; ``hung``: it was killed, ``limit`` seconds after it should have answered."""
    if hung:
        return f"a call was still running after {limit:g} seconds and could not be interrupted"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        known = number in [known.value for known in signal.Signals]
        return f"a call ended the process: killed by {signal.Signals(number).name if known else f'signal {number}'}"
    return f"a call ended the process: exit code {os.waitstatus_to_exitcode(status)}"


def where_it_ended(fault: IO[bytes]) -> str:
    """Where in the implementation's code the process ended, if the interpreter could say."""
    fault.seek(0)
    text = fault.read(1 << 16).decode("utf-8", "replace")
    for path, line in re.findall(r'^  File "(.*)", line (\d+)', text, re.MULTILINE):
        if not path.startswith("<") and Path(os.__file__).parent not in Path(path).parents[:2]:
            return f" ({Path(path).name}, line {line})"
    return ""
