"""A violation in one line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from conformance.checks.catalogue import CHECKS
from conformance.literals import escaped, fitted
from conformance.verdicts import Row, Violation


def told_in_a_line(violation: Violation) -> str:
    """The violation's kind, and what differs."""
    title = violation.kind_title or violation.kind or CHECKS[violation.check].requires
    told = violation.note or _difference(violation.rows)
    if told.startswith(title):
        return escaped(" ".join(told.split()))
    return escaped(" ".join(f"{title}: {told}".split()) if told else " ".join(title.split()))


def _difference(rows: Sequence[Row]) -> str:
    """The first two values that differ, in a few words."""
    for of, group in groupby(rows, key=lambda row: row.of):
        values = list(group)
        other = next((row for row in values if row.value != values[0].value), None)
        if other is not None:
            return f"{of} {values[0].whose} {fitted(values[0].value, 40)}, {other.whose} {fitted(other.value, 40)}"
    return ""
