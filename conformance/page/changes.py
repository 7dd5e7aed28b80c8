"""What got fixed and what broke between two runs of one implementation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from conformance.comparing import GROUPS, compared
from conformance.page.runs import Run
from conformance.report import Report


@dataclass(frozen=True)
class Change:
    """A check of a dialect that is not as it was. ``what``: a key of ``GROUPS``. ``before``, ``after``: its states.

    ``gone``, ``new``: titles of the kinds of failure.
    """

    what: str
    dialect: str
    check: str
    before: str
    after: str
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


def pairs(runs: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Each run with the next later one of the same implementation."""
    return [(one, other) for one, other in pairwise(runs) if one.id == other.id]


def changes(base: Run, head: Run) -> list[Change]:
    """What differs between two runs of one implementation, in the order of ``GROUPS``."""
    comparison = compared(_alone(base), _alone(head))
    found = []
    for what in GROUPS:
        for one in getattr(comparison, what):
            entry = one.after or one.before
            dialect, check = entry.verdict.dialect, entry.verdict.check
            states = base.state(dialect, check), head.state(dialect, check)
            found.append(Change(what, dialect, check, *states, one.gone, one.new))
    return found


def _alone(run: Run) -> Report:
    """A run as a report of one implementation."""
    return Report({**run.header, "implementations": [run.told]}, tuple(run.entries.values()), run.footer)
