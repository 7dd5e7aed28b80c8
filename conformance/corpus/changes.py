"""What changed between two versions of the corpus, and whether it is what their versions promise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.corpus.files import CorpusError, asked, corpus_files, digest, kind_of, read_bytes
from conformance.corpus.manifest import cases_in, read_manifest


@dataclass(frozen=True, slots=True)
class Change:
    """A case's id or a file's path, how it changed, and the promise that this breaks, "" where it breaks none."""

    place: str
    how: str
    broken: str = ""

    def __str__(self) -> str:
        return f"{self.how:8} {self.place}{': ' + self.broken if self.broken else ''}"


def changes(old: Path, new: Path) -> list[Change]:
    """What changed from one corpus to another, file by file and case by case. Raises CorpusError."""
    before, after = read_manifest(old), read_manifest(new)
    first, last = _cases(old), _cases(new)
    found = [*_of_files(old, new), *_of_cases(first, last, after.retired)]
    found += [
        Change(id, "lost", "an id once retired stays retired") for id in before.retired if id not in after.retired
    ]
    least = _least(before.version, found)
    if found and _number(after.version) < least:
        told = f"the version is {after.version} and wants to be {'.'.join(map(str, least))} at least"
        found.append(Change("manifest.json", "changed", told))
    return found


def _of_files(old: Path, new: Path) -> Iterator[Change]:
    before, after = corpus_files(old), corpus_files(new)
    for name in sorted(before.keys() | after.keys()):
        if kind_of(name) == "cases":
            continue
        if name not in before or name not in after:
            yield Change(name, "new" if name in after else "gone")
        elif read_bytes(before[name]) != read_bytes(after[name]):
            yield Change(name, "changed")


def _of_cases(first: dict[str, Any], last: dict[str, Any], retired: tuple[str, ...]) -> Iterator[Change]:
    for id in sorted(first.keys() | last.keys()):
        if id not in first:
            yield Change(id, "new", "the id was retired" if id in retired else "")
        elif id not in last:
            yield Change(id, "gone" if id not in retired else "retired", "" if id in retired else "it isn't retired")
        elif digest(first[id]) != digest(last[id]):
            same = asked(first[id]) == asked(last[id])
            yield Change(id, "changed", "" if same else "its raw, request, finish or expected; give it a new id")


def _least(version: str, found: list[Change]) -> tuple[int, ...]:
    """The lowest version that may follow, by semantic versioning; before 1.0.0 each part stands for the one above."""
    major, minor, patch = _number(version)
    gone = any(change.how in ("gone", "retired") for change in found)
    more = any(change.how == "new" for change in found)
    if gone:
        return (major + 1, 0, 0) if major else (0, minor + 1, 0)
    if more and major:
        return (major, minor + 1, 0)
    return (major, minor, patch + 1)


def _number(version: str) -> tuple[int, int, int]:
    major, minor, patch = map(int, version.split("."))
    return major, minor, patch


def _cases(folder: Path) -> dict[str, Any]:
    """Every case of a corpus by its id. Raises CorpusError."""
    found: dict[str, Any] = {}
    for name, path in corpus_files(folder).items():
        if kind_of(name) == "cases":
            cases = cases_in(read_bytes(path), path)
            for id, case in cases.items():
                try:
                    asked(case)
                except (KeyError, AttributeError, TypeError, ValueError) as error:
                    told = f"{path}: {id}: no whole case ({error}); `conformance corpus lint` tells more"
                    raise CorpusError(told) from None
            found |= cases
    return found
