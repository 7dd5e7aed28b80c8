"""The rules of a whole corpus: its files, their form, its dialects, its manifest and its changelog."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from conformance.corpus.drift import drift
from conformance.corpus.files import (
    MANIFEST,
    CorpusError,
    corpus_files,
    dialect_of,
    files_in,
    kind_of,
    parsed,
    read_bytes,
)
from conformance.corpus.formatting import unformatted
from conformance.corpus.lint import Complaint
from conformance.corpus.making import Maker
from conformance.corpus.manifest import changelog_version, read_manifest
from conformance.corpus.vendoring import PACKAGE, VENDORED
from oracles.cases import CaseFileError, read_cases
from oracles.dialects import REGISTRY, corpora


def inspect(folder: Path) -> list[Complaint]:
    """Every complaint about a corpus that isn't about what its cases say, which conformance.corpus.lint looks at.

    A folder without a manifest is held to the rules of its single files. Raises CorpusError where it isn't there.
    """
    return [complaint for rule in RULES for complaint in rule(folder)]


def _strange(folder: Path) -> Iterator[Complaint]:
    for name, path in files_in(folder).items():
        if name not in (MANIFEST, VENDORED, PACKAGE) and not kind_of(name):
            yield Complaint(path, "", "no file of a corpus has such a name; rename it, or put it elsewhere")


def _form(folder: Path) -> Iterator[Complaint]:
    try:
        for path, _ in unformatted(folder):
            yield Complaint(path, "", "the file isn't in form; run `conformance corpus format`")
    except CorpusError as error:
        yield Complaint(folder, "", str(error))


def _dialects(folder: Path) -> Iterator[Complaint]:
    for name, path in corpus_files(folder).items():
        if kind_of(name) != "dialect":
            continue
        try:
            data = parsed(read_bytes(path), path)
        except CorpusError:
            continue  # the form says it
        for error in _published().iter_errors(data):
            yield Complaint(path, "", f"{error.json_path}: {error.message[:200]}")
        if isinstance(data, dict) and data.get("id") != path.parent.name:
            yield Complaint(path, "", f"the id is {data.get('id')!r} and the folder {path.parent.name!r}; mend one")


def _manifest(folder: Path) -> Iterator[Complaint]:
    if not (folder / MANIFEST).is_file():
        return
    try:
        manifest = read_manifest(folder)
        newest = changelog_version(folder)
    except CorpusError as error:
        yield Complaint(folder / MANIFEST, "", str(error))
        return
    if newest != manifest.version:
        told = f"its version is {manifest.version}, and the changelog's newest {newest}; mend one"
        yield Complaint(folder / MANIFEST, "", told)
    for each in drift(folder, manifest, (VENDORED, PACKAGE)):
        yield Complaint(folder / MANIFEST, "", f"{each}; run `conformance corpus manifest`")
    for id in sorted(set(manifest.retired) & manifest.cases.keys()):
        yield Complaint(folder / MANIFEST, id, "a retired id is used again; give the case an id of its own")


def _spaces(folder: Path) -> Iterator[Complaint]:
    makers: dict[str, Maker] = {}
    for name, path in corpus_files(folder).items():
        if kind_of(name) != "cases" or dialect_of(name) not in REGISTRY.ids():
            continue
        try:
            cases = read_cases(path).cases
        except CaseFileError:
            continue  # the rules of its cases say it
        maker = makers.setdefault(dialect_of(name), Maker(REGISTRY.get(dialect_of(name))))
        for case in cases:
            if maker.space_decides(case.request, case.finish, case.raw):
                told = "a space-like character decides how it is read, on which languages disagree; take another"
                yield Complaint(path, case.id, told)


RULES: tuple[Callable[[Path], Iterator[Complaint]], ...] = (_strange, _form, _dialects, _spaces, _manifest)
"""What is asked of a folder."""


@cache
def _published() -> Any:
    """What validates a dialect of the corpus."""
    schema = json.loads((corpora() / "schema" / "dialect.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator(schema).evolve(schema=schema["$defs"]["published"])
