"""The beginning of a conversation: a command is started, and says what it is."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

from conformance.wire.messages import START, VERSION, Wrong, read_object
from conformance.wire.process import Broken, Process
from conformance.wire.telling import shown

PATIENCE = 3
"""A command has so many times the limit on an answer to start: some load a great deal."""


LIMIT = 10.0
"""Seconds that an answer may take, where nothing else is said."""

NAMES = ("name", "version", "dialects", "language", "chunks", "policy", "surfaces", "surrogates")
"""What an implementation may say of itself."""

MISSPELT = 0.8
"""So alike a name is to a known one that it was meant; others are left alone."""

SAID = {
    "name": '    "name": "mypkg"',
    "version": '    "version": "1.2.3"',
    "dialects": '    "dialects": ["qwen3", "kimi_k3"]',
    "split": "",
    "stream": "",
}
"""What would satisfy each name that an adapter needs, as an answer to the start says it."""


class Refused(Exception):
    """A command can't be spoken with; the text says why."""


def start(
    command: Sequence[str], limit: float, told: Callable[[str, bytes], None] | None = None
) -> tuple[Process, dict[str, Any]]:
    """A command's process, and what it says of its implementation. ``told``: hears every line. Raises Refused."""
    process = _started(command)
    try:
        if told is not None:
            told("->", START)
        process.write(START)
        try:
            line = process.line(PATIENCE * limit)
        except Broken as broken:
            raise Refused(_unanswered(broken, PATIENCE * limit) + _stderr(process)) from None
        if told is not None:
            told("<-", line)
        try:
            answer = read_object(line)
        except Wrong as wrong:
            raise Refused(
                f"before it answered the start, {wrong}; stdout is for answers alone, print to stderr{_stderr(process)}"
            ) from None
        return process, _introduced(answer, line)
    except BaseException:
        process.end(wait=0.0)
        raise


def _started(command: Sequence[str]) -> Process:
    if not command or not command[0].strip():
        raise Refused("it names no command; write, for example, --impl='cmd:node adapter.mjs'")
    if os.name != "posix":
        raise Refused("commands can be asked on POSIX systems alone")
    try:
        return Process(command)
    except FileNotFoundError:
        what = "is no file here" if os.sep in command[0] else "is not on the PATH"
        raise Refused(f"there is no command {command[0]!r}: it {what}") from None
    except PermissionError:
        raise Refused(f"{command[0]!r} can't be run: it is not executable") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Refused(f"{command[0]!r} can't be run: {reason}") from None


def _unanswered(broken: Broken, seconds: float) -> str:
    if broken.kind == "hung":
        within = f"within {seconds:g} seconds" if math.isfinite(seconds) else "in time"
        return f"it didn't answer the start {within}; it must end each answer by a line feed, and flush it"
    return f"{broken}, before it answered the start"


def _stderr(process: Process) -> str:
    return f"; its stderr ends: {process.stderr}" if process.stderr else ""


def _introduced(answer: dict[str, Any], line: bytes) -> dict[str, Any]:
    version = answer.get("version")
    if type(version) is not int or version != VERSION:
        has = f"speaks version {version!r:.40} of the wire" if "version" in answer else "names no version of the wire"
        raise Refused(f"it {has}, and {VERSION} is spoken here: it answered the start with {shown(line)}")
    said = answer.get("implementation")
    if type(said) is not dict:
        raise Refused(f"its answer to the start has no object called implementation: {shown(line)}")
    for name in sorted(said.keys() - {*NAMES}):
        if difflib.get_close_matches(name, NAMES, n=1, cutoff=MISSPELT):
            raise Refused(f"it says {name!r} of its implementation; known are {', '.join(NAMES)}")
    language = said.get("language", "")
    if type(language) is not str:
        raise Refused(f"the language of its implementation is {language!r:.40}; it must be a text")
    return said
