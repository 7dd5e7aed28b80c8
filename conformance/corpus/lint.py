"""Rules of the corpora's case files, beyond their schema: what is said of a case that breaks one."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from conformance.corpus.writing import written
from conformance.expectation import Readings
from oracles import second
from oracles.cases import CaseFile, CaseFileError, RecordedCase, read_cases
from oracles.dialects import REGISTRY, Dialect, UnknownDialect, corpora
from oracles.messages import Message
from oracles.policies import AXES, Policy
from oracles.reader import Machine


@dataclass(frozen=True, slots=True)
class Complaint:
    """A rule that a file breaks: where, in which case ("" for the file), and what to mend."""

    path: Path
    case_id: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.case_id + ': ' if self.case_id else ''}{self.text}"


def lint(folder: Path, dialect: str = "*") -> list[Complaint]:
    """Every complaint about the case files of a folder like ``corpora/``, of one dialect or of all, file by file."""
    complaints: list[Complaint] = []
    files: list[CaseFile] = []
    for path in sorted(folder.glob(f"{dialect}/*.json")):
        if path.name == "dialect.json" or path.name.endswith(".schema.json"):
            continue
        complaints += _form(path)
        try:
            files.append(read_cases(path))
        except CaseFileError as error:
            complaints.append(Complaint(path, "", str(error).removeprefix(f"{path}: ")))
    for file in files:
        complaints += [complaint for rule in RULES for complaint in rule(file)]
    return complaints + list(_twins(files))


def misread(case: RecordedCase, dialect: Dialect) -> str:
    """What a case says that the two readers don't, under each policy it speaks of; "" where they agree."""
    for values in _choices(case.axes):
        policy = dialect.policy.with_values(values)
        wanted = case.expected_under(policy)
        for name, read in (("specified", _specified), ("second", _second)):
            found = read(dialect, policy, case)
            if found != wanted:
                under = f"under {values}" if values else "under the dialect's default"
                return f"{under} the case expects {_told(wanted)}, and the {name} reader gives {_told(found)}"
        if sum(reading.fits(policy) for reading in case.readings) > 1:
            return f"more than one entry of policies fits {values}"
    return ""


def missing_axes(case: RecordedCase, dialect: Dialect) -> list[str]:
    """The axes that change a case's reading, whatever the others are, and that it doesn't list."""
    able = Readings(dialect, {}).concerned(case.raw, case.request, case.finish)
    others = [axis for axis in able if axis not in case.axes]
    for values in _choices(others):
        changed = dialect.policy.with_values(values)
        for own in _choices(case.axes):
            if _specified(dialect, changed.with_values(own), case) != case.expected_under(changed.with_values(own)):
                return [axis for axis in others if getattr(changed, axis) != getattr(dialect.policy, axis)]
    return []


def idle_axes(case: RecordedCase, dialect: Dialect) -> list[str]:
    """The axes that a case lists and that never change its reading."""
    idle = []
    for axis in case.axes:
        rest = [other for other in case.axes if other != axis]
        policies = (dialect.policy.with_values(values) for values in _choices(rest))
        if all(
            len({case.expected_under(policy.with_values({axis: value})) for value in AXES[axis]}) == 1
            for policy in policies
        ):
            idle.append(axis)
    return idle


def _form(path: Path) -> Iterator[Complaint]:
    """What breaks the schema, and a text that isn't as the tools write it."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return  # reading the file says it
    for error in _validator().iter_errors(data):
        place = list(error.absolute_path)
        id = data["cases"][place[1]].get("id", "") if place[:1] == ["cases"] and len(place) > 1 else ""
        yield Complaint(path, str(id), f"{error.json_path}: {error.message[:200]}")
    if text != written(data):
        yield Complaint(path, "", "the file isn't formatted as the others; `conformance corpus format` writes the form")


def _place(file: CaseFile) -> Iterator[Complaint]:
    folder, name = file.path.parent.name, file.path.stem
    if file.dialect != folder or file.group != name:
        wanted = f"{folder}/{name}"
        yield Complaint(file.path, "", f"the file says {file.dialect}/{file.group} and stands at {wanted}; mend one")


def _ids(file: CaseFile) -> Iterator[Complaint]:
    for id, count in Counter(case.id for case in file.cases).items():
        if count > 1:
            yield Complaint(file.path, id, f"{count} cases have this id; give each its own")


def _descriptions(file: CaseFile) -> Iterator[Complaint]:
    counts = Counter(case.description for case in file.cases)
    for case in file.cases:
        if counts[case.description] > 1:
            yield Complaint(file.path, case.id, "another case of the file has the same description; tell them apart")


def _flags(file: CaseFile) -> Iterator[Complaint]:
    used = {flag for case in file.cases for flag in case.flags}
    for flag in file.flags:
        if flag.id not in used:
            yield Complaint(file.path, "", f"no case has the flag {flag.id!r}; remove it")


def _keys_in_order(file: CaseFile) -> Iterator[Complaint]:
    data = json.loads(file.path.read_text(encoding="utf-8"))
    schema = _validator().schema
    for value, known in ((data, schema), *((case, schema["$defs"]["case"]) for case in data["cases"])):
        if list(value) != [key for key in known["properties"] if key in value]:
            yield Complaint(file.path, str(value.get("id", "")), "its keys don't stand in the order of the schema")


def _readings(file: CaseFile) -> Iterator[Complaint]:
    try:
        dialect = REGISTRY.get(file.dialect)
    except UnknownDialect as error:
        yield Complaint(file.path, "", f"{error}; declare it in {file.dialect}/dialect.json")
        return
    for case in file.cases:
        if trouble := misread(case, dialect):
            yield Complaint(file.path, case.id, trouble)
        elif missing := missing_axes(case, dialect):
            yield Complaint(file.path, case.id, f"axes lacks {', '.join(missing)}, which change its reading")
        elif idle := idle_axes(case, dialect):
            yield Complaint(file.path, case.id, f"axes lists {', '.join(idle)}, which never change its reading")
        if (case.level == "must") == bool(case.axes):
            yield Complaint(file.path, case.id, "a case is a must where no axis changes its reading, and else a should")
        if list(case.axes) != [axis for axis in AXES if axis in case.axes]:
            yield Complaint(file.path, case.id, "its axes don't stand in the order of the axes")


RULES: tuple[Callable[[CaseFile], Iterator[Complaint]], ...] = (
    _place,
    _ids,
    _descriptions,
    _flags,
    _keys_in_order,
    _readings,
)
"""What is asked of each file by itself."""


def _twins(files: Sequence[CaseFile]) -> Iterator[Complaint]:
    """Cases of a dialect that ask the same."""
    known: dict[Any, str] = {}
    for file in files:
        for case in file.cases:
            first = known.setdefault((case.request, case.finish, case.raw), case.id)
            if first != case.id:
                yield Complaint(file.path, case.id, f"{first} asks the same; leave one out")


def _choices(axes: Sequence[str]) -> Iterator[dict[str, str | bool]]:
    """Every choice of values on those axes."""
    for values in itertools.product(*(AXES[axis] for axis in axes)):
        yield dict(zip(axes, values, strict=True))


def _specified(dialect: Dialect, policy: Policy, case: RecordedCase) -> Message:
    return _machine(dialect.id, policy).split(case.request, case.raw, case.finish)


def _second(dialect: Dialect, policy: Policy, case: RecordedCase) -> Message:
    return second.read(dialect, policy, case.request, case.raw, case.finish).message


@cache
def _machine(dialect: str, policy: Policy) -> Machine:
    return Machine(REGISTRY.get(dialect), policy)


@cache
def _validator() -> Draft202012Validator:
    schema = corpora() / "schema" / "cases.schema.json"
    return Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))


def _told(message: Message) -> str:
    return f"reasoning {message.reasoning[:60]!a}, content {message.content[:60]!a}"
