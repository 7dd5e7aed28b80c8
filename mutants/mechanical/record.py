"""The committed record: which source of each function was judged, and with what result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mutants.mechanical.gate import Run
from mutants.mechanical.scratch import Scratch

Functions = dict[str, dict[str, Any]]
"""Function to the digest of its source, and how many of its mutants there are, were seen, and are listed as equal."""


class RecordError(ValueError):
    """The record can't be used; the text says what is wrong with it and what to do."""


def write_record(path: Path, run: Run, scratch: Scratch, version: str) -> None:
    """Writes what a run found, function by function, beside what the record says of functions that are as they were.

    Without dates or times, so that it differs where the code or a result does.
    """
    known, made = _known(path, version), tuple(f"{module}." for module in scratch.modules)
    functions = {
        name: counts
        for name, counts in known.items()
        if not name.startswith(made) or counts["digest"] == scratch.digests.get(name)
    }
    functions |= _found(run, scratch.digests)
    counted = sum(counts["mutants"] - counts["equivalent"] for counts in functions.values())
    score = 100 * sum(counts["killed"] for counts in functions.values()) / counted if counted else 0
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(counts)}" for name, counts in sorted(functions.items()))
    head = f'"mutmut": {json.dumps(version)},\n"score": {round(score, 2)},\n"functions"'
    path.write_text(f"{{\n{head}: {{\n{lines}\n}}\n}}\n", encoding="utf-8")


def read_record(path: Path) -> dict[str, Any]:
    """The record. Raises RecordError where there is none, or it isn't one."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data["functions"], dict) or not isinstance(data["score"], int | float):
            raise ValueError("it lacks functions or a score")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path}: no usable record ({error}). Make one with --record.") from None
    return dict(data)


def changed_functions(record: Mapping[str, Any], digests: Mapping[str, str], version: str) -> set[str]:
    """The functions whose source is not the recorded one, or of which the record knows a survivor."""
    known = record["functions"] if record.get("mutmut") == version else {}
    return {function for function, digest in digests.items() if not _settled(known.get(function), digest)}


def _known(path: Path, version: str) -> Functions:
    try:
        record = read_record(path)
    except RecordError:
        return {}
    return dict(record["functions"]) if record.get("mutmut") == version else {}


def _found(run: Run, digests: Mapping[str, str]) -> Functions:
    functions: Functions = {}
    for result in run.results:
        name = result.mutant.change.function
        none = {"digest": digests[name], "mutants": 0, "killed": 0, "equivalent": 0}
        counts = functions.setdefault(name, none)
        counts["mutants"] += 1
        counts["killed"] += result.dead
        counts["equivalent"] += not result.dead and result.mutant.change in run.listed
    return functions


def _settled(counts: Mapping[str, Any] | None, digest: str) -> bool:
    if counts is None or counts["digest"] != digest:
        return False
    return bool(counts["killed"] + counts["equivalent"] == counts["mutants"])
