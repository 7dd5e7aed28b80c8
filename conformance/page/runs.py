"""The runs that a page shows: one implementation of one report each, in order, with a name for links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.checks.catalogue import CHECKS
from conformance.page.states import SEEN, state_of
from conformance.report import Entry, Report, ReportError, read_report

SURFACES = "surfaces-agree"
"""The check that is asked only of implementations that name surfaces."""
HEADER = ("suite", "implementations", "profile", "started", "python")
TOLD = ("id", "name", "version", "spec")
"""What a page needs of a header, and of an implementation there."""


@dataclass(frozen=True)
class Run:
    """One implementation of one report.

    ``slug``: its name in links and files. ``told``: what the header says of the implementation. ``entries``: its
    results by dialect and check. ``latest``: no later run of the same implementation is shown.
    """

    slug: str
    header: Mapping[str, Any]
    told: Mapping[str, Any]
    footer: Mapping[str, Any]
    entries: Mapping[tuple[str, str], Entry]
    latest: bool = True

    @property
    def id(self) -> str:
        """The name under which its results were collected."""
        return str(self.told["id"])

    @cached_property
    def dialects(self) -> tuple[str, ...]:
        """The dialects that it was judged by, in the report's order."""
        return tuple(dict.fromkeys(dialect for dialect, _ in self.entries))

    @property
    def declared(self) -> frozenset[str] | None:
        """The dialects that the implementation names; None where the report doesn't say."""
        told = self.told.get("dialects")
        return None if told is None else frozenset({*map(str, told), *self.dialects})

    def state(self, dialect: str, check: str) -> str:
        """A key of ``STATES``."""
        entry = self.entries.get((dialect, check))
        if entry is not None:
            return state_of(entry)
        if dialect not in self.dialects:
            if self.declared is None:
                return "untold"
            return "unasked" if dialect in self.declared else "undeclared"
        if check == SURFACES and not self.told.get("surfaces"):
            return "unnamed"
        return "unasked"

    def counts(self, dialect: str | None = None) -> dict[str, int]:
        """How many checks are in each state that a run reports, of a dialect or of all."""
        found = Counter(state_of(entry) for (of, _), entry in self.entries.items() if dialect in (None, of))
        return {state: found[state] for state in SEEN}

    def amount(self, what: str) -> float:
        """``outputs``, ``streams`` or ``seconds`` of all dialects; the checks of a dialect share them."""
        return sum(
            float(max(getattr(entry.verdict, what) for (of, _), entry in self.entries.items() if of == dialect))
            for dialect in self.dialects
        )


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """The runs of some reports, by implementation and then as they were begun.

    Raises ReportError where a report can't be read, or is given twice.
    """
    reports: dict[Path, Report] = {}
    for path in paths:
        report = read_report(path)
        same = next((other for other, earlier in reports.items() if earlier == report), None)
        if same is not None:
            raise ReportError(f"{path} is the same report as {same}; name it once.")
        _hold(path, report)
        reports[path] = report
    found: list[tuple[Report, Mapping[str, Any]]] = []
    for report in reports.values():
        known = {str(one["id"]): one for one in report.header["implementations"]}
        found += [(report, known[id]) for id in dict.fromkeys(entry.implementation for entry in report.entries)]
    found.sort(key=lambda one: (str(one[1]["id"]).lower(), str(one[1]["id"]), str(one[0].header["started"])))
    slugs: set[str] = set()
    runs = []
    for place, (report, told) in enumerate(found):
        later = any(other["id"] == told["id"] for _, other in found[place + 1 :])
        slug = _slug(report, told, slugs)
        slugs.add(slug)
        entries = {
            (entry.verdict.dialect, entry.verdict.check): entry
            for entry in report.entries
            if entry.implementation == told["id"]
        }
        runs.append(Run(slug, report.header, told, report.footer, entries, latest=not later))
    return runs


def checks_of(runs: Sequence[Run]) -> list[str]:
    """The ids of all checks that some run reports, ours in our order, then any that this version doesn't know."""
    seen = {check for run in runs for _, check in run.entries}
    return [*(check for check in CHECKS if check in seen), *sorted(seen - set(CHECKS))]


def dialects_of(runs: Sequence[Run]) -> list[str]:
    """The ids of all dialects that some run reports, in order."""
    return sorted({dialect for run in runs for dialect in run.dialects})


def safe(text: str) -> str:
    """``text`` as a name for a file and a link: letters, digits, points, lines and underscores."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "unnamed"


def _hold(path: Path, report: Report) -> None:
    """Raises ReportError where a report lacks what a page needs."""
    if not report.entries:
        raise ReportError(f"{path} holds no result; a page has nothing to show of it.")
    lacking = [name for name in HEADER if name not in report.header]
    one: Mapping[str, Any]
    for one in report.header.get("implementations", ()):
        lacking += [f"{name} of an implementation" for name in TOLD if name not in one]
    if lacking:
        raise ReportError(f"{path}, line 1 lacks {lacking[0]}, which every report's header has.")
    known = {str(one["id"]) for one in report.header["implementations"]}
    odd = next((entry.implementation for entry in report.entries if entry.implementation not in known), None)
    if odd is not None:
        raise ReportError(f"{path} has results of {odd!r}, which its header doesn't name.")


def _slug(report: Report, told: Mapping[str, Any], taken: set[str]) -> str:
    """The id and the version; the time too where that isn't enough, and a number where nothing is."""
    plain = safe(f"{told['id']}-{told['version']}")[:80]
    dated = safe(f"{plain}-{report.header['started'].partition('+')[0]}")
    for slug in (plain, dated, *(f"{dated}-{number}" for number in range(2, 1000))):
        if slug.lower() not in {one.lower() for one in taken}:
            return slug
    raise ReportError(f"{told['id']} {told['version']} stands in too many reports of one time.")
