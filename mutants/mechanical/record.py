"""The committed record: which source of each function was judged, and with what result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mutants.mechanical.gate import Run


class RecordError(ValueError):
    """The record can't be used; the text says what is wrong with it and what to do."""


def write_record(path: Path, run: Run, digests: Mapping[str, str], version: str) -> None:
    """Writes what a whole run found, function by function, without dates or times, so that it differs with the code."""
    functions: dict[str, dict[str, Any]] = {}
    for result in run.results:
        function = result.mutant.change.function
        counts = functions.setdefault(
            function, {"digest": digests[function], "mutants": 0, "killed": 0, "equivalent": 0}
        )
        counts["mutants"] += 1
        counts["killed"] += result.dead
        counts["equivalent"] += not result.dead and result.mutant.change in run.listed
    data = {"mutmut": version, "score": round(run.score().percent, 2), "functions": dict(sorted(functions.items()))}
    head, functions_text = json.dumps({**data, "functions": 0}), ""
    lines = [f"  {json.dumps(name)}: {json.dumps(counts)}" for name, counts in sorted(functions.items())]
    functions_text = "{\n" + ",\n".join(lines) + "\n}"
    path.write_text(head.replace('"functions": 0', f'"functions": {functions_text}') + "\n", encoding="utf-8")


def read_record(path: Path) -> dict[str, Any]:
    """The record. Raises RecordError where there is none, or it isn't one."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data["functions"], dict) or not isinstance(data["score"], int | float):
            raise ValueError("it lacks functions or a score")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path}: no usable record ({error}). Make one with --record, on a whole run.") from None
    return dict(data)


def changed_functions(record: Mapping[str, Any], digests: Mapping[str, str], version: str) -> set[str]:
    """The functions whose source is not the recorded one, or of which the record knows a survivor."""
    known = record["functions"] if record.get("mutmut") == version else {}
    return {function for function, digest in digests.items() if not _settled(known.get(function), digest)}


def _settled(counts: Mapping[str, Any] | None, digest: str) -> bool:
    if counts is None or counts["digest"] != digest:
        return False
    return bool(counts["killed"] + counts["equivalent"] == counts["mutants"])
