"""Two reports of one implementation side by side: what got fixed, what broke, what fails in another way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from conformance.literals import escaped
from conformance.markup import code, plain
from conformance.report import Entry, Report
from conformance.verdicts import Verdict

State = Literal["passes", "fails", "is skipped", "is not judged"]


class NothingToCompare(ValueError):
    """The reports have no implementation in common; the text is one sentence."""


@dataclass(frozen=True)
class Change:
    """One item of both reports, or of one. ``before``, ``after``: None where the report lacks it.

    ``gone``, ``new``: the kinds of failure, in words, that only the first and only the second report has.
    """

    id: str
    before: Entry | None
    after: Entry | None
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """What changed, item by item, in the order of the reports.

    ``fixed``: failed, and no longer does. ``broke``: fails, or can't be judged, where it passed or was skipped.
    ``changed``: fails as before, by other kinds. ``appeared``, ``vanished``: in one report alone. ``other``: stands
    otherwise without passing or failing anew. ``same``: how many stand as before. ``notes``: what makes the reports
    less than alike, in sentences.
    """

    base: str
    head: str
    fixed: tuple[Change, ...] = ()
    broke: tuple[Change, ...] = ()
    changed: tuple[Change, ...] = ()
    appeared: tuple[Change, ...] = ()
    vanished: tuple[Change, ...] = ()
    other: tuple[Change, ...] = ()
    same: int = 0
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many of each."""
        return {name: len(getattr(self, name)) for name in GROUPS} | {"same": self.same}

    def text(self) -> str:
        """For a terminal."""
        lines = [f"{escaped(self.base)}  ->  {escaped(self.head)}"]
        lines += [f"note: {escaped(note)}" for note in self.notes]
        for name, title in GROUPS.items():
            changes: tuple[Change, ...] = getattr(self, name)
            if changes:
                lines += ["", f"{title}: {len(changes)}"]
                lines += [f"  {escaped(one.id)}{_told(one)}" for one in changes]
        return "\n".join([*lines, "", self._last()]) + "\n"

    def markdown(self) -> str:
        """For a comment on a change, or the summary of a CI step."""
        lines = [f"## {plain(self.base)} → {plain(self.head)}", "", plain(self._last())]
        lines += [f"\n{plain(note[:1].upper() + note[1:])}." for note in self.notes]
        for name, title in GROUPS.items():
            changes: tuple[Change, ...] = getattr(self, name)
            if changes:
                lines += ["", f"### {title[:1].upper()}{title[1:]}: {len(changes)}", ""]
                lines += [f"- {code(one.id)}: {plain(_told(one))}" for one in changes]
        return "\n".join(lines) + "\n"

    def _last(self) -> str:
        counts = {WORDS[name]: count for name, count in self.counts.items() if count or name in ("fixed", "broke")}
        return ", ".join(f"{count} {word}" for word, count in counts.items())


GROUPS = {
    "broke": "broke",
    "fixed": "got fixed",
    "changed": "fail in another way",
    "other": "stand otherwise",
    "appeared": "only in the second report",
    "vanished": "only in the first report",
}
"""The groups of a comparison in the order in which they are told, with their titles."""
WORDS = {
    "broke": "broke",
    "fixed": "got fixed",
    "changed": "changed kind",
    "other": "stand otherwise",
    "appeared": "appeared",
    "vanished": "vanished",
    "same": "as before",
}


PAST = {"passes": "passed", "fails": "failed", "is skipped": "was skipped", "is not judged": "was not judged"}


def compared(base: Report, head: Report) -> Comparison:
    """What changed from one report to the other. Raises NothingToCompare."""
    before, after = _items(base, head)
    groups: dict[str, list[Change]] = {name: [] for name in GROUPS}
    same = 0
    for id in [*before, *(id for id in after if id not in before)]:
        change = _change(id, before.get(id), after.get(id))
        group = _group(change)
        if group is None:
            same += 1
        else:
            groups[group].append(change)
    made = {name: tuple(changes) for name, changes in groups.items()}
    return Comparison(_title(base), _title(head), **made, same=same, notes=tuple(_notes(base.header, head.header)))


def state_of(entry: Entry) -> State:
    """How an item stands, whatever a list of expected failures says. Advice fails where it made the item fail."""
    verdict = entry.verdict
    if verdict.outcome == "fail" or (verdict.outcome == "advice" and entry.outcome in ("failed", "expected")):
        return "fails"
    return {"skip": "is skipped", "unjudged": "is not judged"}.get(verdict.outcome, "passes")  # type: ignore[return-value]


def _items(base: Report, head: Report) -> tuple[dict[str, Entry], dict[str, Entry]]:
    """Each report's items by an id that both have: without the implementation's name where each is of one alone."""
    names = [[one["id"] for one in report.header["implementations"]] for report in (base, head)]
    if len(names[0]) == len(names[1]) == 1:
        return {one.verdict.id: one for one in base.entries}, {one.verdict.id: one for one in head.entries}
    if not set(names[0]) & set(names[1]):
        told = " and ".join(", ".join(each) for each in names)
        raise NothingToCompare(f"the reports have no implementation in common: they are of {told}.")
    return {one.id: one for one in base.entries}, {one.id: one for one in head.entries}


def _change(id: str, before: Entry | None, after: Entry | None) -> Change:
    kinds = [{} if one is None else _kinds(one.verdict) for one in (before, after)]
    gone = tuple(title for kind, title in kinds[0].items() if kind not in kinds[1])
    new = tuple(title for kind, title in kinds[1].items() if kind not in kinds[0])
    return Change(id, before, after, gone, new)


def _kinds(verdict: Verdict) -> dict[str, str]:
    """The kinds of an item's failures, without those that only hold a smaller one, to their titles."""
    known = [one for one in (verdict.violation, *verdict.others) if one is not None and one.level == "must"]
    return {one.kind: one.kind_title or one.kind for one in known if not one.within}


def _group(change: Change) -> str | None:
    """The group of a change; None where the item stands as before."""
    if change.before is None:
        return "appeared"
    if change.after is None:
        return "vanished"
    before, after = state_of(change.before), state_of(change.after)
    if before == after:
        return "changed" if after == "fails" and (change.gone or change.new) else None
    if after == "passes" and before == "fails":
        return "fixed"
    if after in ("fails", "is not judged") and before in ("passes", "is skipped"):
        return "broke"
    return "other"


def _told(change: Change) -> str:
    """What there is to say of a change, behind its id."""
    before = None if change.before is None else state_of(change.before)
    after = None if change.after is None else state_of(change.after)
    if before is None or after is None:
        return f"  {after or before}" + _listed("by", change.new or change.gone)
    if before == after:
        return _listed("  no longer:", change.gone) + _listed("  new:", change.new)
    return f"  {PAST[before]} before, {after} now" + _listed("by", change.new if after == "fails" else ())


def _listed(word: str, kinds: tuple[str, ...]) -> str:
    if not kinds:
        return ""
    more = f"; and {len(kinds) - 3} more" if len(kinds) > 3 else ""
    return f"{'' if word.startswith(' ') else ' '}{word} {'; '.join(kinds[:3])}{more}"


def _title(report: Report) -> str:
    told = Counter(f"{one['name']} {one['version']}" for one in report.header["implementations"])
    return f"{', '.join(told)} ({report.header['started'][:10]})"


def _notes(base: Mapping[str, Any], head: Mapping[str, Any]) -> Iterator[str]:
    for field, what in (("suite", "suite"), ("profile", "profile"), ("seed", "seed")):
        if base[field] != head[field]:
            yield f"the {what} differs: {base[field]} before, {head[field]} now"
    names = [{one["name"] for one in header["implementations"]} for header in (base, head)]
    if not names[0] & names[1]:
        yield f"the implementations bear different names: {', '.join(names[0])} before, {', '.join(names[1])} now"
