"""Violations as they are found: kept by check, level and kind, the smallest of each, and told when all is done."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from conformance.asking import Asker
from conformance.case import Case
from conformance.case_answers import asked_again, own_script, unasked
from conformance.checks import CHECKS
from conformance.chunkings import Chunker, Chunking
from conformance.implementation import GivenUp
from conformance.observation import Failure, Finding, Skipped
from conformance.verdicts import Level, Row, Violation
from oracles.kinds import CUT_BY_CHUNK, Kind, kind_of
from oracles.messages import Finish, Request
from oracles.pieces import Output

MOST_KINDS = 24
"""So many kinds of a check are kept."""


@dataclass(frozen=True)
class Candidate:
    """A finding with all that names its case. ``within``: the kind of a smaller case that this one holds, or ""."""

    check: str
    level: Level
    kind: str
    title: str
    known_as: str
    output: Output
    request: Request
    finish: Finish
    chunking: Chunking | None
    finding: Finding
    rung: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    within: str = ""

    @property
    def size(self) -> tuple[int, ...]:
        """Smaller is simpler to read: pieces, characters, chunks, then the plainer request."""
        chunks = 0 if self.chunking is None else len(self.chunking.chunks)
        asked = (not self.request.thinking, self.finish != "stop")
        return (len(self.output.pieces), len(self.output.raw), chunks, *map(int, asked))


class First(NamedTuple):
    """When the first of a kind was found: seconds after the beginning of the sweep, and how many outputs were asked."""

    seconds: float = 0.0
    tried: int = 0


NOT_YET = First()


class Candidates:
    """The smallest candidate of each check, level and kind."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._kept: dict[tuple[str, str, str], Candidate] = {}
        self._began = time.monotonic()
        self._first: dict[tuple[str, str, str], First] = {}
        self._known: set[tuple[str, str]] = set()
        self._kinds: dict[tuple[str, bool, bool, str], Kind] = {}

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._kept.values())

    def kind(self, output: Output, request: Request, finish: Finish, chunking: Chunking | None = None) -> Kind:
        """What is special about an output, as the policy in force reads it, or else about how it is cut."""
        kind = self._kind(output, request, finish)
        return CUT_BY_CHUNK if kind.ordinary and chunking is not None and _cuts_a_marker(output, chunking) else kind

    def _kind(self, output: Output, request: Request, finish: Finish) -> Kind:
        key = (output.raw, request.opened, request.thinking, finish)
        if key not in self._kinds:
            if len(self._kinds) > 1 << 14:
                self._kinds.clear()
            readings = self._asker.readings
            self._kinds[key] = kind_of(readings.dialect, readings.policy, request, output.raw, finish)
        return self._kinds[key]

    def has(self, check: str, level: Level, kind: str, pieces: int) -> bool:
        """Whether a candidate is kept already that an output of so many pieces won't beat."""
        kept = self._kept.get((check, level, kind))
        return kept is not None and len(kept.output.pieces) <= pieces

    def has_any(self, check: str, level: Level) -> bool:
        """Whether any candidate of a check and level is kept."""
        return (check, level) in self._known

    def replace(self, old: Candidate, new: Candidate) -> None:
        """Keeps ``new`` in the place of ``old``, of the same check, level and kind."""
        self._kept[old.check, old.level, old.kind] = new

    def add(self, candidate: Candidate) -> bool:
        """Keeps a candidate where it is the smallest of its kind; whether it was kept."""
        key = (candidate.check, candidate.level, candidate.kind)
        kept = self._kept.get(key)
        if kept is None and sum(1 for check, level, _ in self._kept if (check, level) == key[:2]) >= MOST_KINDS:
            return False
        if kept is None or candidate.size < kept.size:
            self._kept[key] = candidate
            self._known.add(key[:2])
            self._first.setdefault(key, First(time.monotonic() - self._began, self._asker.outputs))
            return True
        return False

    def first(self, candidate: Candidate) -> First:
        """When the first of the candidate's kind was found."""
        return self._first.get((candidate.check, candidate.level, candidate.kind), NOT_YET)

    def failed(self) -> set[str]:
        """The checks of which a must is violated."""
        return {check for check, level, _ in self._kept if level == "must"}


def violation_of(
    candidate: Candidate, asker: Asker, chunker: Chunker, first: First = NOT_YET, *, answered: bool = False
) -> Violation:
    """The candidate as it is shown and reported. ``answered``: with what the case is answered, asked once more."""
    finding, request = candidate.finding, candidate.request
    rows = [_row(*values) for values in finding.values]
    if (
        candidate.chunking is not None
        and finding.run is not None
        and finding.run.failure is None
        and not candidate.extra
        and candidate.check != "chunks-do-not-matter"
    ):
        rows += _in_one_chunk(candidate, asker, chunker)
    case = Case(candidate.check, candidate.output, request, candidate.finish, candidate.chunking, candidate.extra)
    violation = Violation(
        check=candidate.check,
        level=candidate.level,
        dialect=request.dialect,
        opened=request.opened,
        thinking=request.thinking,
        finish=candidate.finish,
        rows=tuple(rows),
        case=case.text(),
        chunks=None if candidate.chunking is None else candidate.chunking.texts,
        raw=candidate.output.raw,
        surface=candidate.extra.get("surface"),
        note=finding.note,
        kind=candidate.kind,
        kind_title=candidate.title,
        known_as=candidate.known_as,
        size=candidate.size,
        seconds=round(first.seconds, 3),
        tried=first.tried,
        within=candidate.within,
        failure=str(finding.extra.get("failure", "")),
    )
    if not answered:
        return violation
    known = unasked(violation, asker.readings)
    asked = asked_again(violation, candidate.output, candidate.chunking, asker)
    script = own_script(violation, asker.implementation.script)
    return replace(violation, answers=None if known is None else known | asked, script=script)


def level_of(check: str, finding: Finding, settled: bool) -> Level:
    """A must where no undeclared axis could excuse the finding."""
    if finding.lenient or (finding.consults and not settled):
        return "should"
    return CHECKS[check].level


def _cuts_a_marker(output: Output, chunking: Chunking) -> bool:
    at = 0
    for piece in output.pieces:
        end = at + len(piece.whole)
        if piece.kind == "marker" and any(at < cut < end for cut in chunking.ends):
            return True
        at = end
    return False


def _row(of: str, whose: str, text: str, remark: str) -> Row:
    return Row(of, whose, repr(text) if of in ("reasoning", "content") else text, remark)


def _in_one_chunk(candidate: Candidate, asker: Asker, chunker: Chunker) -> list[Row]:
    """What a stream of one chunk gives, where the case's has more."""
    assert candidate.chunking is not None
    if len(candidate.chunking.chunks) <= 1:
        return []
    try:
        run = asker.stream(candidate.output, candidate.request, candidate.finish, chunker.whole(candidate.output))
    except GivenUp:
        return []
    if isinstance(run, Skipped):
        return []
    told = run.failure.text if isinstance(run.failure, Failure) else repr(run.texts)
    return [Row("in one chunk", "stream", told)]
