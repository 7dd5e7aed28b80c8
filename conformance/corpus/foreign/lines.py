"""Outputs as people log them: a JSON string a line, or a JSON object a line with what was known of the output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from conformance.corpus.foreign.items import Item, json_lines, unread
from oracles.dialects import Dialect
from oracles.messages import FINISHES, Finish

RAW = ("raw", "text", "output")
"""The keys under which a line may have its output."""
KEYS = (*RAW, "opened", "thinking", "finish", "chunks", "id", "url")


def items(path: Path, dialect: Dialect) -> Iterator[Item]:
    """The outputs of a file of JSON lines, all of one dialect. Raises CorpusError with the line that is malformed.

    What a line doesn't say: ``thinking`` is true, ``opened`` is what the dialect's prompt leaves, ``finish`` is stop.
    """
    for number, value in json_lines(path):
        line = {"raw": value} if isinstance(value, str) else value
        if not isinstance(line, dict):
            raise unread(path, number, "neither an object nor a string", 'write {"raw": "…"} or "…"')
        yield _item(path, number, line, dialect)


def _item(path: Path, number: int, line: dict[str, Any], dialect: Dialect) -> Item:
    given = [key for key in RAW if key in line]
    if len(given) != 1:
        told = f"both {given[0]!r} and {given[1]!r}" if given else "no output"
        raise unread(path, number, told, f"give the output once, as {', '.join(map(repr, RAW))}")
    for key in line:
        if key not in KEYS:
            raise unread(path, number, f"no key is called {key!r}", f"the keys are {', '.join(KEYS)}")
    raw = _typed(path, number, line, given[0], str, "")
    thinking = _typed(path, number, line, "thinking", bool, True)
    prompt = dialect.prompts.get("on" if thinking else "off", {})
    opened = _typed(path, number, line, "opened", bool, bool(prompt.get("opened", False)))
    finish = _typed(path, number, line, "finish", str, "stop")
    if finish not in FINISHES:
        raise unread(path, number, f"finish is {finish!r}", f"write one of {', '.join(FINISHES)}")
    chunks = _typed(path, number, line, "chunks", list, [])
    if not all(isinstance(chunk, str) for chunk in chunks) or (chunks and "".join(chunks) != raw):
        raise unread(path, number, "the chunks don't join to the output", "list the texts that the stream came in")
    url = _typed(path, number, line, "url", str, "")
    if url and not re.fullmatch(r"https://[^\s\ud800-\udfff]+", url):
        raise unread(path, number, f"url is {url!r:.40}", "write an address that begins with https://")
    # Only a case that says it was made up may lack an address.
    source = {"kind": "captured" if url else "generated", "name": f"{path.name}, line {number}"}
    return Item(
        name=_typed(path, number, line, "id", str, f"line-{number}"),
        dialect=dialect.id,
        raw=raw,
        opened=opened,
        thinking=thinking,
        finish=cast(Finish, finish),
        source={**source, "url": url} if url else source,
        chunkings=[chunks] if chunks else [],
    )


def _typed(path: Path, number: int, line: dict[str, Any], key: str, kind: type, absent: Any) -> Any:
    value = line.get(key, absent)
    if not isinstance(value, kind):
        named = {str: "a string", bool: "true or false", list: "a list of strings"}[kind]
        raise unread(path, number, f"{key} is {value!r:.40}", f"write {named}")
    return value
