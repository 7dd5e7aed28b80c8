"""The commands that read reports: what each is asked, and what it prints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.adapter import nearest
from conformance.case import CaseError, dialect_of
from conformance.comparing import Comparison, NothingToCompare, compared
from conformance.issues import issue_text
from conformance.literals import escaped
from conformance.report import Entry, Report, ReportError, read_report
from conformance.verdicts import Violation

COMMANDS = {
    "report-issue": "print a failure of a report as an issue for the implementation's tracker, in Markdown",
    "compare": "tell what got fixed and what broke between two reports",
}
"""The commands, with a line about each."""


class CommandError(Exception):
    """A command can't do what was asked; the text says why, and what next."""


def add_arguments(made: dict[str, Any]) -> None:
    """Gives the parsers of these commands their arguments. ``made``: command to its parser."""
    issue = made["report-issue"]
    issue.add_argument("report", type=Path, metavar="REPORT", help="what --report wrote")
    issue.add_argument(
        "case", metavar="CASE", help="an item, dialect::check, or the text behind --case= or how it begins"
    )
    issue.add_argument("-o", dest="out", type=Path, metavar="FILE", help="write the issue there")
    issue.set_defaults(act=_report_issue)
    compare = made["compare"]
    compare.add_argument("base", type=Path, metavar="BASE", help="the report before")
    compare.add_argument("head", type=Path, metavar="HEAD", help="the report now")
    compare.add_argument("--markdown", action="store_true", help="tell it in Markdown")
    compare.set_defaults(act=_compare)


def run(asked: Any) -> int:
    """Runs a command; its exit code. Raises CommandError."""
    try:
        code: int = asked.act(asked)
    except (ReportError, NothingToCompare) as error:
        raise CommandError(str(error)) from None
    return code


def found(report: Report, path: Path, wanted: str) -> tuple[Entry, Violation]:
    """The violation that ``wanted`` names: an item's own, or that of a case or of how one begins. Raises CommandError.

    ``path``: where the report is, for the error.
    """
    items = [entry for entry in report.entries if wanted in (entry.id, entry.verdict.id)]
    if len(items) > 1:
        ids = " or ".join(entry.id for entry in items)
        raise CommandError(f"{path} holds {wanted} of {len(items)} implementations; name one of them: {ids}")
    if items:
        return items[0], _own(items[0], path)
    begins = [(entry, one) for entry in report.entries for one in violations(entry) if one.case.startswith(wanted)]
    whole = [(entry, one) for entry, one in begins if one.case == wanted]
    match whole or begins if _is_case(wanted) else []:
        case []:
            raise CommandError(_unknown(report, path, wanted))
        case [only]:
            return only
        case several:
            ids = ", ".join(dict.fromkeys(entry.id for entry, _ in several))
            raise CommandError(
                f"{len(several)} cases of {path} begin with {_cut(wanted)!r}, of {ids}: give more of it, or an item"
            )


def violations(entry: Entry) -> Iterator[Violation]:
    """All violations of an item."""
    verdict = entry.verdict
    for one in (verdict.violation, verdict.advice, *verdict.others):
        if one is not None:
            yield one


def _own(entry: Entry, path: Path) -> Violation:
    verdict = entry.verdict
    one = verdict.violation or verdict.advice
    if one is not None:
        return one
    match verdict.outcome:
        case "pass":
            why = "passes: there is nothing to report"
        case "skip":
            why = f"was skipped ({verdict.reason}): there is nothing to report"
        case _:
            why = f"has no case: {verdict.reason}"
    raise CommandError(f"{entry.id} {why} ({path})")


def _is_case(wanted: str) -> bool:
    try:
        return "::" not in wanted and bool(dialect_of(wanted))
    except CaseError:
        return False


def _unknown(report: Report, path: Path, wanted: str) -> str:
    failing = [entry for entry in report.entries if next(violations(entry), None) is not None]
    if _is_case(wanted):
        told = f"no case of {path} begins with {_cut(wanted)!r}; it was found by another run, or is damaged"
    else:
        ids = [entry.id for entry in report.entries] + [entry.verdict.id for entry in report.entries]
        told = f"{path} has no item {wanted!r}{nearest(wanted, ids)}"
    if not failing:
        return f"{told}; nothing in it fails"
    shown = ", ".join(entry.id for entry in failing[:6])
    more = f" and {len(failing) - 6} more" if len(failing) > 6 else ""
    return f"{told}; with a case: {shown}{more}"


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


def _report_issue(asked: Any) -> int:
    report = read_report(asked.report)
    entry, violation = found(report, asked.report, asked.case)
    text = issue_text(report.header, entry, violation)
    if asked.out is None:
        print(text, end="")
        return 0
    try:
        asked.out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{asked.out} can't be written: {error.strerror}") from None
    print(f"{asked.out} holds the issue about {escaped(entry.id)}")
    return 0


def _compare(asked: Any) -> int:
    told = compared(read_report(asked.base), read_report(asked.head))
    print(told.markdown() if asked.markdown else told.text(), end="")
    return _code(told)


def _code(told: Comparison) -> int:
    return 1 if told.broke else 0
