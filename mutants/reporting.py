"""The matrix as a mutation run, for the reports that scores are published by."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance.mutation.results import MutantResult, MutationRun, Place, Status
from mutants.equivalents import Equivalents
from mutants.matrix import Row
from mutants.mutant import Mutant
from mutants.patching import Patch
from mutants.registry import CONTROL

ROOT = Path(__file__).parent.parent
LISTED = Path(__file__).parent / "listed"


def run_of(
    rows: Sequence[Row],
    mutants: Mapping[str, Mutant],
    listed: Equivalents,
    *,
    version: str,
    profile: str,
    seconds: float,
) -> MutationRun:
    """The run that rows make. ``version``: the suite's. ``seconds``: that it took."""
    results = [_result(row, mutants[row.mutant], listed) for row in rows]
    files = sorted({result.file for result in results})
    return MutationRun(
        tool="mutants",
        version=version,
        implementation=CONTROL.id,
        implementation_version=version,
        sources={file: (ROOT / file).read_text(encoding="utf-8") for file in files},
        results=tuple(results),
        seconds=seconds,
        profile=profile,
        title="curated mutants",
        dialects=tuple(sorted({row.dialect for row in rows})),
    )


def _result(row: Row, mutant: Mutant, listed: Equivalents) -> MutantResult:
    first = row.first
    status: Status = "equivalent" if row.mutant in listed.curated and not first else "survived"
    reason = listed.curated.get(row.mutant, row.error)
    if first is not None:
        status, reason = "killed", f"killed by {', '.join(row.kills)}"
    patch = mutant.patches[0] if mutant.patches else None
    file, start, end, original = _place(mutant, patch)
    return MutantResult(
        id=row.mutant,
        description=mutant.fault,
        file=file,
        start=start,
        end=end,
        replacement=patch.new if patch else "",
        original=original,
        diff="\n".join(line for one in mutant.patches for line in _diff(one)),
        function="",
        status="not tried" if row.error else status,
        killed_by=first.check if first else "",
        dialect=row.dialect if first else "",
        reason=reason,
        seconds=first.seconds if first else row.seconds,
        words=first.tried if first else 0,
    )


def _place(mutant: Mutant, patch: Patch | None) -> tuple[str, Place, Place, str]:
    """The file, where in it, and what stands there: the patched text, or the line that lists the mutant."""
    if patch is not None:
        start, end = patch.span()
        return patch.file.relative_to(ROOT).as_posix(), start, end, patch.old
    for path in sorted(LISTED.glob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if f'"{mutant.id}"' in line or ("yield mutant(" in line and mutant.id.startswith("declares-")):
                begin = len(line) - len(line.lstrip()) + 1
                return path.relative_to(ROOT).as_posix(), (number, begin), (number, len(line) + 1), line.strip()
    raise LookupError(f"no module of mutants/listed names {mutant.id}")


def _diff(patch: Patch) -> list[str]:
    name = f"oracles/{patch.module}.py"
    return list(difflib.unified_diff(patch.old.splitlines(), patch.new.splitlines(), name, name, lineterm=""))
