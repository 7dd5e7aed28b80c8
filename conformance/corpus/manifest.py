"""The manifest of a corpus: its version, its files, a digest for each case, and the ids that are never given again."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from conformance.corpus.files import (
    MANIFEST,
    CorpusError,
    corpus_files,
    dialect_of,
    digest,
    kind_of,
    listed,
    parsed,
    read_bytes,
    sha256,
)
from conformance.corpus.writing import written
from oracles.dialects import corpora

SCHEMA = 1
"""The version of the manifest's form, corpora/schema/manifest.schema.json."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a corpus: its ``sha256``, and how many ``cases`` it holds, None where it is no file of cases."""

    sha256: str
    cases: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a corpus holds. ``files``: path to entry. ``cases``: id to digest. ``retired``: ids that are gone."""

    version: str
    files: Mapping[str, Entry]
    cases: Mapping[str, str]
    retired: tuple[str, ...] = ()

    @property
    def dialects(self) -> tuple[str, ...]:
        """The dialects that it has a file of, sorted."""
        return tuple(sorted({dialect_of(name) for name in self.files} - {""}))

    def restricted(self, dialects: Collection[str]) -> Manifest:
        """The manifest of a copy that holds only those dialects, and the documents and schemas."""

        def belongs(name: str) -> bool:
            return dialect_of(name) in ("", *dialects)

        return Manifest(
            self.version,
            {name: entry for name, entry in self.files.items() if belongs(name)},
            {id: digest for id, digest in self.cases.items() if belongs(id)},
            tuple(filter(belongs, self.retired)),
        )

    def text(self) -> str:
        """The manifest as its file has it: sorted, one line a case."""
        return written(
            {
                "schema": SCHEMA,
                "version": self.version,
                "files": {
                    name: {"sha256": entry.sha256} | ({} if entry.cases is None else {"cases": entry.cases})
                    for name, entry in sorted(self.files.items())
                },
                "cases": dict(sorted(self.cases.items())),
                "retired": sorted(self.retired),
            }
        )


def manifest_of(folder: Path, version: str, retired: Collection[str] = ()) -> Manifest:
    """The manifest of the files that stand in a folder. Raises CorpusError where a file of cases can't be read."""
    files: dict[str, Entry] = {}
    cases: dict[str, str] = {}
    for name, path in corpus_files(folder).items():
        content = read_bytes(path)
        count = None
        if kind_of(name) == "cases":
            found = cases_in(content, path)
            count = len(found)
            if twice := sorted(cases.keys() & found):
                raise CorpusError(f"{path}: the id {twice[0]!r} stands in another file too; give each case its own")
            cases |= {id: digest(case) for id, case in found.items()}
        files[name] = Entry(sha256(content), count)
    return Manifest(version, files, cases, tuple(sorted(retired)))


def cases_in(content: bytes, place: object) -> dict[str, Any]:
    """The cases of a file's content by their ids, as they stand there. Raises CorpusError where it holds none."""
    match parsed(content, place):
        case {"cases": [*cases]} if all(isinstance(case, dict) and isinstance(case.get("id"), str) for case in cases):
            found = {case["id"]: case for case in cases}
        case _:
            raise CorpusError(f"{place}: no list of cases with ids; schema/cases.schema.json says how they look")
    if len(found) < len(cases):
        ids = [case["id"] for case in cases]
        raise CorpusError(f"{place}: the id {max(ids, key=ids.count)!r} stands twice; give each case its own")
    return found


def read_manifest(folder: Path) -> Manifest:
    """The manifest that stands in a folder. Raises CorpusError where there is none, or one that can't be read."""
    path = folder / MANIFEST
    if not path.is_file():
        raise CorpusError(f"{folder}: no corpus stands there, it has no {MANIFEST}; name a folder that has one")
    return manifest_from(read_bytes(path), path)


def manifest_from(content: bytes, place: object) -> Manifest:
    """The manifest that a file's content gives. Raises CorpusError."""
    data = parsed(content, place)
    for error in _validator().iter_errors(data):
        raise CorpusError(
            f"{place}: no manifest at {error.json_path}: {error.message[:120]}; take it from the corpus anew"
        )
    files = {name: Entry(entry["sha256"], entry.get("cases")) for name, entry in data["files"].items()}
    return Manifest(data["version"], files, data["cases"], tuple(data["retired"]))


def renewed(folder: Path, version: str | None = None, gone: str = "") -> Manifest:
    """The manifest that a folder wants now, with the version and the retired ids of the one that it has.

    ``version``: another one, by default the newest of the changelog where there is no manifest yet. ``gone``: what
    becomes of ids that the folder has no more: "retire" them, or "forget" those that were never released. Raises
    CorpusError where ids are gone and nothing is said of them, and where a retired id is used again.
    """
    before = read_manifest(folder) if (folder / MANIFEST).is_file() else None
    wanted = version or (before.version if before else changelog_version(folder))
    if not re.fullmatch(r"\d+\.\d+\.\d+", wanted):
        raise CorpusError(f"{wanted!r} is no version; write three numbers, such as 1.2.0")
    retired = set(before.retired if before else ())
    now = manifest_of(folder, wanted, retired)
    if again := sorted(retired & now.cases.keys()):
        raise CorpusError(f"{listed(again)}: a retired id is used again; give the case an id of its own")
    lost = sorted((before.cases if before else {}).keys() - now.cases.keys())
    if lost and not gone:
        raise CorpusError(
            f"{listed(lost)}: the case is gone; say --retire, or --forget where no release has had the id"
        )
    return manifest_of(folder, wanted, retired | set(lost if gone == "retire" else ()))


def changelog_version(folder: Path) -> str:
    """The newest version of a corpus's changelog. Raises CorpusError where it names none."""
    path = folder / "CHANGELOG.md"
    found = re.search(r"^## (\d+\.\d+\.\d+)$", read_bytes(path).decode("utf-8", "replace"), re.MULTILINE)
    if not found:
        raise CorpusError(f"{path}: no heading with a version; write one such as '## 1.2.0', newest first")
    return found[1]


@cache
def _validator() -> Draft202012Validator:
    schema = corpora() / "schema" / "manifest.schema.json"
    return Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))
