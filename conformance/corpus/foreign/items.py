"""What an importer reads of a foreign corpus: an output with what was known before it, or why it is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.corpus.files import CorpusError, read_bytes
from oracles.messages import Finish


@dataclass(frozen=True, slots=True)
class Item:
    """One output. ``name``: what its case is called after. ``source``: the case's, as its file has it.

    ``chunkings``: ways to cut it. ``reasoning``, ``content``: what the corpus itself expects, None where it says
    nothing; ``calls``: it says that the output calls tools, which it counts to no channel.
    """

    name: str
    dialect: str
    raw: str
    opened: bool
    thinking: bool
    finish: Finish
    source: dict[str, str]
    chunkings: list[list[str]] = field(default_factory=list)
    reasoning: str | None = None
    content: str | None = None
    calls: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """An output that becomes no case; ``reason`` is the same for all that are left out alike."""

    name: str
    reason: str


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Each line of a file of JSON lines that isn't blank: its number and its value. Raises CorpusError."""
    for number, line in enumerate(read_bytes(path).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise unread(path, number, f"not UTF-8 (byte {error.start} of the line)") from None
        except json.JSONDecodeError as error:
            raise unread(path, number, f"not JSON at column {error.colno} ({error.msg})") from None
        except (ValueError, RecursionError) as error:
            raise unread(path, number, f"not JSON ({error})") from None
        yield number, value


def unread(path: Path, number: int, what: str, remedy: str = "write one JSON value a line") -> CorpusError:
    """The error that tells of a line that can't be read."""
    return CorpusError(f"{path}, line {number}: {what}; {remedy}")
