"""Further case files for a run: a folder of the corpora's form, read and held to the dialects before anything runs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from conformance.corpus.lint import misread
from oracles.cases import CaseFileError, CaseRegistry, RecordedCase
from oracles.dialects import REGISTRY


@dataclass(frozen=True)
class Further:
    """Cases for a run. ``skipped``: a sentence about those of dialects that aren't known, "" where there are none."""

    cases: tuple[RecordedCase, ...]
    skipped: str = ""


def further(folder: Path, dialects: Collection[str]) -> Further:
    """The cases that stand in ``folder`` as ``<dialect>/<group>.json``, of the ``dialects`` that are known.

    Raises CaseFileError for a folder without such files, for one that is malformed, and for a case whose message no
    reader of the dialect gives.
    """
    registry = CaseRegistry(folder)
    if not folder.is_dir():
        raise CaseFileError(f"{folder}: there is no such folder. Name one with case files, <dialect>/<group>.json.")
    if not registry.dialects:
        raise CaseFileError(f"{folder}: no case files stand there. Put them at <dialect>/<group>.json.")
    cases: list[RecordedCase] = []
    unknown: dict[str, int] = {}
    for id in registry.dialects:
        if id not in dialects:
            unknown[id] = len(registry.cases(id))
            continue
        for file in registry.files(id):
            if file.dialect != id:
                raise CaseFileError(f"{file.path}: its dialect is {file.dialect!r}, its folder {id!r}. Mend one.")
            for case in file.cases:
                if trouble := misread(case, REGISTRY.get(id)):
                    raise CaseFileError(f"{file.path}: {case.id}: {trouble}. Correct what the case expects.")
        cases += registry.cases(id)
    count = sum(unknown.values())
    told = f"{folder}: {count} {'case' if count == 1 else 'cases'} skipped, of dialects that aren't known here: "
    return Further(tuple(cases), f"{told}{', '.join(unknown)}" if unknown else "")
