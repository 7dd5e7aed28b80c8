"""Recorded cases: outputs with the message each one means, read from the corpora's case files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

from oracles.dialects import corpora
from oracles.messages import FINISHES, Finish, Message, Request
from oracles.policies import Policy, PolicyError, check_values

SCHEMA = 1
"""The version of the form (corpora/schema/cases.schema.json) that is read."""
LONGEST = 10_000_000
"""No text of a case is longer, repetitions written out."""
KINDS = ("issue", "spec", "captured", "generated")
"""What a case may come from."""
LEVELS = ("must", "should")

Level = Literal["must", "should"]


class CaseFileError(ValueError):
    """A file holds no cases that can be read; the text says what is wrong, where, and what to do next."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a case comes from: the ``kind`` of place, its ``name`` as people cite it, its ``url`` or ""."""

    kind: str
    name: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    """What a flag stands for: the ``fault`` class that its cases show, and a sentence ``about`` it."""

    id: str
    fault: str
    about: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a case means to whoever declares ``values`` (axis to value)."""

    values: Mapping[str, str | bool]
    expected: Message

    def fits(self, policy: Policy) -> bool:
        """Whether the policy has all of the values."""
        return all(getattr(policy, axis) == value for axis, value in self.values.items())


@dataclass(frozen=True)
class RecordedCase:
    """One output and the message it means.

    ``chunkings``: ways to cut it that once mattered, each as its chunks' texts.
    ``axes``: the policy axes that change its reading. ``readings``: where another policy reads another message.
    """

    id: str
    description: str
    level: Level
    source: Source
    flags: tuple[str, ...]
    request: Request
    finish: Finish
    raw: str = field(repr=False)
    expected: Message = field(repr=False)
    chunkings: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    axes: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = field(default=(), repr=False)

    def expected_under(self, policy: Policy) -> Message:
        """The message that a reader with that policy gives."""
        return next((reading.expected for reading in self.readings if reading.fits(policy)), self.expected)


@dataclass(frozen=True)
class CaseFile:
    """A file of cases of one dialect."""

    path: Path
    dialect: str
    group: str
    about: str
    flags: tuple[Flag, ...]
    cases: tuple[RecordedCase, ...]


def text_of(value: Any) -> str:
    """The text that a value stands for: a string, or a list of strings and [string, count] pairs. Raises ValueError."""
    if not isinstance(value, str | list):
        raise ValueError(f"{_shown(value)} is no text; write a string, or a list of strings and [string, count] pairs")
    listed = [value] if isinstance(value, str) else value
    parts = [(part, 1) if isinstance(part, str) else _repeated(part) for part in listed]
    if sum(len(text) * count for text, count in parts) > LONGEST:
        raise ValueError(f"its text is longer than {LONGEST:,} characters; make it shorter")
    text = "".join(text * count for text, count in parts)
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ValueError("its text holds a lone surrogate, which no detokenizer emits; write the whole character")
    return text


def read_cases(path: Path) -> CaseFile:
    """The cases of a file (corpora/schema/cases.schema.json says how it is written). Raises CaseFileError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise CaseFileError(f"{path}: not JSON at line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except UnicodeDecodeError as error:
        raise CaseFileError(f"{path}: the file is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CaseFileError(f"{path}: the file can't be read ({reason}). Name a file of cases.") from None
    try:
        return _file(path, data)
    except (ValueError, PolicyError) as error:
        raise CaseFileError(f"{path}: {error}. corpora/schema/cases.schema.json says how cases are written.") from None


def case_paths(folder: Path, dialect: str) -> list[Path]:
    """The files of cases that a folder like ``corpora/`` has of a dialect, sorted."""
    return sorted(path for path in (folder / dialect).glob("*.json") if path.name != "dialect.json")


class CaseRegistry:
    """The case files of a folder like ``corpora/``, each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, tuple[CaseFile, ...]] = {}

    @cached_property
    def dialects(self) -> tuple[str, ...]:
        """The ids of the dialects that have cases, sorted."""
        paths = [path for path in self.folder.glob("*/*.json") if path.name != "dialect.json"]
        return tuple(sorted({path.parent.name for path in paths if not path.name.endswith(".schema.json")}))

    def files(self, dialect: str) -> tuple[CaseFile, ...]:
        """The files of a dialect, in the order of their names, perhaps none. Raises CaseFileError."""
        if dialect not in self._read:
            self._read[dialect] = tuple(read_cases(path) for path in case_paths(self.folder, dialect))
        return self._read[dialect]

    def cases(self, dialect: str) -> tuple[RecordedCase, ...]:
        """The cases of a dialect, file by file, perhaps none. Raises CaseFileError."""
        return tuple(case for file in self.files(dialect) for case in file.cases)


REGISTRY = CaseRegistry(corpora())
"""The cases of the corpora."""


def cases_of(dialect: str) -> tuple[RecordedCase, ...]:
    """The recorded cases of a dialect, by its id, file by file, perhaps none."""
    return REGISTRY.cases(dialect)


def _repeated(part: Any) -> tuple[str, int]:
    match part:
        case [str(text), int(count)] if text and count > 0 and not isinstance(count, bool):
            return text, count
    raise ValueError(f"{_shown(part)} is no part of a text; write a string, or [string, count] with a count from 1 on")


def _file(path: Path, data: Any) -> CaseFile:
    _keys(data, "the file", ("schema", "dialect", "group", "about", "cases"), ("flags",))
    if data["schema"] != SCHEMA or isinstance(data["schema"], bool):
        raise ValueError(f'version {_shown(data["schema"])} of the form is not known; write "schema": {SCHEMA}')
    dialect, group = _string(data, "dialect", "the file"), _string(data, "group", "the file")
    flags = data.get("flags", {})
    if not isinstance(flags, dict):
        raise ValueError("the file's flags are no object; write each flag's name with its class and what it is about")
    cases = data["cases"]
    if not isinstance(cases, list) or not cases:
        raise ValueError("the file has no list of cases; write at least one")
    return CaseFile(
        path,
        dialect,
        group,
        _string(data, "about", "the file"),
        tuple(_flag(id, value) for id, value in flags.items()),
        tuple(_case(value, number, f"{dialect}/{group}/", flags) for number, value in enumerate(cases, 1)),
    )


def _flag(id: str, value: Any) -> Flag:
    place = f"the flag {id!r}"
    _keys(value, place, ("class", "about"))
    return Flag(id, _string(value, "class", place), _string(value, "about", place))


def _case(data: Any, number: int, prefix: str, flags: Mapping[str, Any]) -> RecordedCase:
    id = data.get("id") if isinstance(data, dict) else None
    place = id if isinstance(id, str) else f"case {number}"
    needed = ("id", "description", "level", "source", "request", "finish", "raw", "expected")
    _keys(data, place, needed, ("flags", "chunkings", "axes", "policies"))
    if not _string(data, "id", place).startswith(prefix):
        raise ValueError(f"{place}: the id of a case in this file begins with {prefix!r}")
    _one_of(data, "level", LEVELS, place)
    _one_of(data, "finish", FINISHES, place)
    raw = _text(data["raw"], f"{place}, raw")
    axes = _strings(data.get("axes", []), f"{place}, axes")
    used = _strings(data.get("flags", []), f"{place}, flags")
    for flag in used:
        if flag not in flags:
            raise ValueError(f"{place}: the flag {flag!r} isn't described; describe it in the file's flags")
    return RecordedCase(
        id=data["id"],
        description=_string(data, "description", place),
        level=data["level"],
        source=_source(data["source"], f"{place}, source"),
        flags=used,
        request=_request(data["request"], prefix.partition("/")[0], f"{place}, request"),
        finish=data["finish"],
        raw=raw,
        expected=_message(data["expected"], f"{place}, expected"),
        chunkings=_chunkings(data.get("chunkings", []), raw, place),
        axes=axes,
        readings=_readings(data.get("policies", []), axes, place),
    )


def _source(data: Any, place: str) -> Source:
    _keys(data, place, ("kind", "name"), ("url",))
    _one_of(data, "kind", KINDS, place)
    return Source(data["kind"], _string(data, "name", place), _string(data, "url", place) if "url" in data else "")


def _request(data: Any, dialect: str, place: str) -> Request:
    _keys(data, place, ("opened", "thinking"))
    for key in ("opened", "thinking"):
        if not isinstance(data[key], bool):
            raise ValueError(f"{place}: {key} is {_shown(data[key])}; write true or false")
    return Request(dialect, data["opened"], data["thinking"])


def _message(data: Any, place: str) -> Message:
    _keys(data, place, ("reasoning", "content"))
    return Message(_text(data["reasoning"], place), _text(data["content"], place))


def _chunkings(data: Any, raw: str, place: str) -> tuple[tuple[str, ...], ...]:
    if not isinstance(data, list) or not all(isinstance(chunks, list) for chunks in data):
        raise ValueError(f"{place}: chunkings is no list of lists; write each chunking as the list of its chunks")
    found = tuple(tuple(_text(chunk, f"{place}, chunkings") for chunk in chunks) for chunks in data)
    for chunks in found:
        if "".join(chunks) != raw:
            raise ValueError(f"{place}: the chunks {_shown(list(chunks))} don't join to raw; correct one of both")
    return found


def _readings(data: Any, axes: Sequence[str], place: str) -> tuple[Reading, ...]:
    if not isinstance(data, list):
        raise ValueError(f"{place}: policies is no list; write one entry a policy that reads another message")
    readings = []
    for entry in data:
        _keys(entry, f"{place}, policies", ("policy", "expected"))
        values = entry["policy"]
        if not isinstance(values, dict) or not values:
            raise ValueError(f"{place}: a policy of policies is {_shown(values)}; write at least one axis with a value")
        check_values(values)
        for axis in values:
            if axis not in axes:
                raise ValueError(f"{place}: policies speak of {axis!r}, which axes doesn't list; add it there")
        readings.append(Reading(values, _message(entry["expected"], f"{place}, policies")))
    return tuple(readings)


def _keys(data: Any, place: str, needed: Sequence[str], more: Sequence[str] = ()) -> None:
    if not isinstance(data, dict):
        raise ValueError(f"{place} is {_shown(data)}; write an object with the keys {', '.join(needed)}")
    for key in needed:
        if key not in data:
            raise ValueError(f"{place}: the key {key!r} is missing; add it")
    for key in data:
        if key not in needed and key not in more:
            raise ValueError(f"{place}: no key is called {key!r}; the keys are {', '.join((*needed, *more))}")


def _string(data: Mapping[str, Any], key: str, place: str) -> str:
    value = data[key]
    if not isinstance(value, str) or not value:
        raise ValueError(f"{place}: {key} is {_shown(value)}; write a text that isn't empty")
    return value


def _strings(data: Any, place: str) -> tuple[str, ...]:
    if not isinstance(data, list) or not all(isinstance(item, str) for item in data):
        raise ValueError(f"{place}: {_shown(data)} is no list of strings")
    return tuple(cast("list[str]", data))


def _one_of(data: Mapping[str, Any], key: str, known: Sequence[str], place: str) -> None:
    if data[key] not in known:
        raise ValueError(f"{place}: {key} is {_shown(data[key])}; write one of {', '.join(known)}")


def _text(value: Any, place: str) -> str:
    try:
        return text_of(value)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
