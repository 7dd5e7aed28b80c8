"""The report of a run: JSON lines, a header, a result an item, a footer; whole only with its footer."""

from __future__ import annotations

import contextlib
import gzip
import json
import platform
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from conformance.implementation import Implementation, Remote
from conformance.results import Result
from conformance.verdicts import Verdict

FORMAT = 1
"""The version of the report's form (corpora/schema/report.schema.json)."""
GZIP = b"\x1f\x8b"
"""What a compressed file begins with."""


HEADER = {"suite": str, "implementations": list, "profile": str, "dialects": list, "checks": list, "started": str}
"""What every reader of a report takes from its header, by type."""


class ReportError(ValueError):
    """A report can't be read, or isn't whole; the text is one sentence."""


@dataclass(frozen=True)
class Entry:
    """One result of a report.

    ``implementation``: the name under which it was collected. ``standing``: the outcome, or more than it says.
    """

    implementation: str
    outcome: str
    verdict: Verdict
    reason: str = ""
    standing: str = ""

    @property
    def id(self) -> str:
        """``implementation::dialect::check``."""
        return f"{self.implementation}::{self.verdict.id}"


@dataclass(frozen=True)
class Report:
    """A whole report. ``header`` and ``footer`` as the schema describes them."""

    header: Mapping[str, Any]
    entries: tuple[Entry, ...]
    footer: Mapping[str, Any]


def header(
    suite: str,
    implementations: Sequence[Mapping[str, Any]],
    profile: str,
    seed: int | None,
    dialects: Sequence[str],
    checks: Sequence[str],
) -> dict[str, Any]:
    """A report's first line. ``implementations``: what the schema has for each, of ``told_of``."""
    return {
        "kind": "header",
        "format": FORMAT,
        "suite": suite,
        "implementations": [dict(one) for one in implementations],
        "profile": profile,
        "seed": seed,
        "dialects": list(dialects),
        "checks": list(checks),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
    }


def told_of(id: str, implementation: Implementation, dialects: Sequence[str]) -> dict[str, Any]:
    """What a header says of an implementation. ``id``: the name of its results; ``dialects``: those it is judged by."""
    return {
        "id": id,
        "name": implementation.name,
        "version": implementation.version,
        "spec": implementation.spec,
        "language": implementation.language,
        "wire": isinstance(implementation.adapter, Remote),
        "dialects": list(implementation.dialects),
        "chunks": implementation.chunks,
        "surfaces": list(implementation.surfaces),
        "policy": {dialect: dict(implementation.declared.get(dialect, {})) for dialect in dialects},
    }


class ReportFile:
    """A report being written, each line as it comes. Raises OSError where it can't be."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken = ""
        self._counts: Counter[str] = Counter()
        self._file: TextIO | None = path.open("w", encoding="ascii", newline="\n")

    def begin(self, header: Mapping[str, Any]) -> None:
        """Writes the header."""
        self._write(header)

    def add(self, result: Result) -> None:
        """Writes one item's result."""
        self._counts[result.outcome] += 1
        line = {"kind": "result", "implementation": result.implementation, "outcome": result.outcome}
        if result.standing != result.outcome or result.reason:
            line |= {"standing": result.standing, "reason": result.reason}
        self._write({**line, "verdict": result.verdict.to_json()})

    def end(self, seconds: float) -> None:
        """Writes the footer, which says that the report is whole, and closes the file."""
        counts = {outcome: self._counts[outcome] for outcome in ("passed", "failed", "expected", "skipped")}
        self._write({"kind": "footer", "whole": True, "counts": counts, "seconds": round(seconds, 3)})
        self.close()

    def close(self) -> None:
        """Closes the file; without a footer before it, the report stays in pieces."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # what could not be written was told when it was written
                self._file.close()
            self._file = None

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._file is None or self.broken:
            return
        try:
            self._file.write(json.dumps(line) + "\n")  # ASCII: lone surrogates survive
            self._file.flush()
        except OSError as error:  # a full disk ends the report, not the run
            self.broken = error.strerror or str(error)


def read_report(path: Path) -> Report:
    """The whole report in a file, plain or compressed by gzip.

    Raises ReportError where it isn't one, isn't whole, or names an item twice.
    """
    try:
        data = path.read_bytes()
        lines = (gzip.decompress(data) if data[:2] == GZIP else data).decode().split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ReportError(f"{path} can't be read: {getattr(error, 'strerror', None) or error}.") from None
    if lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise ReportError(f"{path} is empty: no run has written a report there.")
    records = [_record(path, number, line, number == len(lines)) for number, line in enumerate(lines, 1)]
    first, last = records[0], records[-1]
    if first.get("kind") != "header":
        raise ReportError(f"{path} is no report: its first line is not a report's header.")
    if first.get("format") != FORMAT:
        raise ReportError(f"{path} has the form {first.get('format')!r}, and this version reads form {FORMAT}.")
    _check_header(path, first)
    if last.get("kind") != "footer" or last.get("whole") is not True:
        raise ReportError(f"{path} is not whole: the run that wrote it did not come to its end.")
    entries: dict[str, Entry] = {}
    for number, record in enumerate(records[1:-1], 2):
        if record.get("kind") != "result":
            raise ReportError(f"{path}, line {number} is not a result; two reports in one file can't be told apart.")
        entry = _entry(path, number, record)
        if entry.id in entries:
            raise ReportError(f"{path}, line {number} gives a second result for {entry.id}.")
        entries[entry.id] = entry
    if sum(last.get("counts", {}).values()) != len(entries):
        raise ReportError(f"{path} has {len(entries)} results where its footer counts {last.get('counts')}.")
    return Report(first, tuple(entries.values()), last)


def _check_header(path: Path, header: Mapping[str, Any]) -> None:
    """Raises ReportError where a header isn't what its readers rely on."""
    wrong = [name for name, kind in HEADER.items() if not isinstance(header.get(name), kind)]
    told = [] if wrong else header["implementations"]
    if wrong or not told or not all(isinstance(one, dict) for one in told):
        what = wrong[0] if wrong else "implementations"
        raise ReportError(f"{path} is damaged: its header's {what!r} is not what a report has there; run it again.")
    lacking = [name for one in told for name in ("id", "name", "version", "spec") if type(one.get(name)) is not str]
    if lacking:
        raise ReportError(f"{path} is damaged: an implementation of its header lacks {lacking[0]}; run it again.")


def _record(path: Path, number: int, line: str, last: bool) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        if last and number > 1:
            raise ReportError(f"{path} is not whole: its last line is cut.")
        raise ReportError(f"{path}, line {number} is no JSON object.")
    return record


def _entry(path: Path, number: int, record: Mapping[str, Any]) -> Entry:
    try:
        verdict = Verdict.from_json(record["verdict"])
        outcome = record["outcome"]
        standing = record.get("standing", outcome)
        return Entry(record["implementation"], outcome, verdict, record.get("reason", ""), standing)
    except (KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"{path}, line {number} lacks what a result needs ({error}).") from None
