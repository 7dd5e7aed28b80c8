"""Makes files of cases of what the importers read, and counts what becomes of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.corpus.files import MANIFEST, CorpusError, parsed, read_bytes
from conformance.corpus.foreign.items import Item, Skipped
from conformance.corpus.formatting import formatted
from conformance.corpus.making import Maker, Unfit
from oracles.cases import SCHEMA
from oracles.dialects import Dialect, Registry
from oracles.messages import WHITE_SPACE, Request

ABOUT = "Imported outputs with the message that each one means by the oracle."


@dataclass(frozen=True)
class Imported:
    """What became of a foreign corpus. ``files``: path to the text of a file of cases. ``skipped``: reason to count."""

    read: int
    cases: int
    differing: int
    files: Mapping[str, str]
    skipped: Mapping[str, int]


def imported(items: Iterable[Item | Skipped], group: str, registry: Registry) -> Imported:
    """Makes cases of items, in a file a dialect called after ``group``. Raises what ``items`` raises."""
    importer = _Importer(group, registry)
    for item in items:
        importer.take(item)
    return importer.done()


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes files of cases below a folder, over those of an earlier import alone. Raises CorpusError."""
    if (folder / MANIFEST).exists():
        raise CorpusError(f"{folder}: a corpus stands there, which imports are no part of; name another folder")
    for name in files:
        path = folder / name
        if path.exists() and not _ours(path):
            raise CorpusError(f"{path}: it isn't an imported file, and would be lost; name another folder")
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(errors="backslashreplace"))


class _Importer:
    def __init__(self, group: str, registry: Registry) -> None:
        self._group = group
        self._registry = registry
        self._makers: dict[str, Maker] = {}
        self._cases: dict[str, list[dict[str, Any]]] = {}
        self._ids: set[str] = set()
        self._asked: set[Any] = set()
        self._skipped: Counter[str] = Counter()
        self._read = self._differing = 0

    def take(self, item: Item | Skipped) -> None:
        self._read += 1
        if isinstance(item, Skipped):
            self._skipped[item.reason] += 1
            return
        question = (item.dialect, item.raw, item.opened, item.thinking, item.finish)
        if question in self._asked:
            self._skipped["asks the same as an earlier one"] += 1
            return
        self._asked.add(question)
        if item.dialect not in self._makers:
            self._makers[item.dialect] = Maker(self._registry.get(item.dialect))
        maker = self._makers[item.dialect]
        try:
            fields = maker.made(Request(item.dialect, item.opened, item.thinking), item.finish, item.raw)
        except Unfit as error:
            self._skipped[str(error)] += 1
            return
        id = self._id(item)
        differs = _differs(item, fields["expected"], maker.dialect)
        self._differing += bool(differs)
        case = {"id": id, "description": _sentence(len(self._ids), item.name, differs), "source": item.source, **fields}
        if item.chunkings:
            case["chunkings"] = item.chunkings
        self._cases.setdefault(item.dialect, []).append(case)

    def done(self) -> Imported:
        files = {}
        for dialect, cases in sorted(self._cases.items()):
            name = f"{dialect}/{self._group}.json"
            data = {"schema": SCHEMA, "dialect": dialect, "group": self._group, "about": ABOUT, "cases": cases}
            files[name] = formatted(name, data)
        count = sum(map(len, self._cases.values()))
        return Imported(self._read, count, self._differing, files, dict(self._skipped.most_common()))

    def _id(self, item: Item) -> str:
        """An id that nothing else here has: the item's name, a number behind it where the name isn't new."""
        stem = f"{item.dialect}/{self._group}/{slug(item.name) or 'output'}"
        id = stem
        number = 1
        while id in self._ids:
            number += 1
            id = f"{stem}-{number}"
        self._ids.add(id)
        return id


def slug(text: str) -> str:
    """A text as a part of an id: small letters, digits and hyphens; "" where nothing is left."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _differs(item: Item, expected: Mapping[str, str], dialect: Dialect) -> str:
    """What a foreign corpus expects where it isn't what the oracle does, white space at the ends aside; "" else.

    Calls regions are content here and no channel there, so they are left out.
    """
    if item.reasoning is None or item.content is None:
        return ""
    content = expected["content"]
    if item.calls:
        content = _without_calls(content, dialect)
    ours = (expected["reasoning"].strip(WHITE_SPACE), content.strip(WHITE_SPACE))
    theirs = (item.reasoning.strip(WHITE_SPACE), item.content.strip(WHITE_SPACE))
    return "" if ours == theirs else f"reasoning {theirs[0][:30]!a}, content {theirs[1][:30]!a}"


def _without_calls(content: str, dialect: Dialect) -> str:
    opens = "|".join(map(re.escape, dialect.of("calls_open")))
    ends = "|".join([*map(re.escape, dialect.of("calls_close")), r"\Z"])
    return re.sub(f"(?:{opens}).*?(?:{ends})", "", content, flags=re.DOTALL) if opens else content


def _sentence(number: int, name: str, differs: str) -> str:
    """A description, unlike every other of the import; the schema bounds its length, and doesn't take one word."""
    told = f"Output {number}, {slug(name)[:50]}, as the oracle reads it"
    if differs:
        told += f"; its corpus has {re.sub('should', 'sh…', differs, flags=re.IGNORECASE)}"
    return told[:158].rstrip() + "."


def _ours(path: Path) -> bool:
    try:
        data = parsed(read_bytes(path), path)
    except CorpusError:
        return False
    return isinstance(data, dict) and data.get("about") == ABOUT
