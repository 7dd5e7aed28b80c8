"""What got fixed and what broke between two runs of one implementation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.page.runs import Run
from conformance.page.states import BROKEN, violations

WORDS = {
    "broke": "broke",
    "worse": "fails in more ways",
    "other": "fails otherwise",
    "better": "fails in fewer ways",
    "fixed": "got fixed",
    "came": "asked for the first time",
    "went": "asked no more",
}
"""What may become of a check, in the order in which it is shown."""


@dataclass(frozen=True)
class Change:
    """A check of a dialect that is not as it was. ``gone``, ``new``: titles of the kinds of failure."""

    what: str
    dialect: str
    check: str
    before: str
    after: str
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


def pairs(runs: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Each run with the next later one of the same implementation."""
    return [(one, other) for one, other in zip(runs, runs[1:], strict=False) if one.id == other.id]


def changes(base: Run, head: Run) -> list[Change]:
    """What differs between two runs, in the order of ``WORDS``."""
    items = dict.fromkeys([*base.entries, *head.entries])
    found = [change for item in items for change in _change(base, head, *item)]
    order = list(WORDS)
    return sorted(found, key=lambda one: order.index(one.what))


def counts(found: Sequence[Change]) -> dict[str, int]:
    """How many changes there are of each sort."""
    counted = Counter(change.what for change in found)
    return {what: counted[what] for what in WORDS}


def _change(base: Run, head: Run, dialect: str, check: str) -> Iterator[Change]:
    item = (dialect, check)
    before, after = base.state(dialect, check), head.state(dialect, check)
    was, is_ = _kinds(base, item), _kinds(head, item)
    gone = tuple(title for kind, title in was.items() if kind not in is_)
    new = tuple(title for kind, title in is_.items() if kind not in was)
    what = ""
    if item not in base.entries or item not in head.entries:
        what = "came" if item in head.entries else "went"
    elif "skipped" in (before, after):
        what = "" if before == after else "came" if before == "skipped" else "went"
    elif (before in BROKEN) != (after in BROKEN):
        what = "broke" if after in BROKEN else "fixed"
    elif after in BROKEN and (gone or new):
        what = "other" if gone and new else "better" if gone else "worse"
    if what:
        yield Change(what, dialect, check, before, after, gone, new)


def _kinds(run: Run, item: tuple[str, str]) -> dict[str, str]:
    """The kinds of musts that an item of a run violates, each with its title."""
    entry = run.entries.get(item)
    if entry is None:
        return {}
    return {one.kind: one.kind_title or one.kind for one in violations(entry.verdict) if one.level == "must"}
