"""Expected failures: reading the list, holding verdicts to it, writing it anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from conformance.adapter import nearest
from conformance.telling import told_in_a_line
from conformance.verdicts import Outcome, Verdict

Standing = Literal["passed", "failed", "expected", "skipped", "unjudged", "listed pass", "listed skip"]
"""What an item is once the list was asked. Only ``passed``, ``expected`` and ``skipped`` don't fail a run."""


class ExpectedError(ValueError):
    """A list of expected failures can't be read; the text names every bad line."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the list. ``id`` is None for a comment or a blank line, whose text is kept as it stands."""

    number: int
    text: str
    id: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class ExpectedFailures:
    """The list, line by line; ``by_id`` holds the lines that name a failure."""

    lines: tuple[Line, ...] = ()
    by_id: Mapping[str, Line] = field(default_factory=dict)


def parse(text: str, known: Collection[str], source: str = "expected failures") -> ExpectedFailures:
    """The list in ``text``: ``dialect::check  # reason`` lines, comments, blank lines.

    ``known``: every id that the implementation can be judged by. ``source``: the file's name, for errors.
    Raises ExpectedError for lines of another form, ids that aren't known and ids that stand twice.
    """
    lines: list[Line] = []
    by_id: dict[str, Line] = {}
    wrong: list[str] = []
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        body, _, reason = raw.partition("#")
        id = body.strip()
        line = Line(number, raw.rstrip(), id or None, reason.strip())
        lines.append(line)
        if line.id is None:
            continue
        problem = _problem(id, known)
        if not problem and id in by_id:
            problem = f"{id} stands on line {by_id[id].number} already; keep one of the two"
        if problem:
            wrong.append(f"{source}, line {number}: {problem}")
        else:
            by_id[id] = line
    if wrong:
        raise ExpectedError("\n".join(wrong))
    return ExpectedFailures(tuple(lines), by_id)


def _problem(id: str, known: Collection[str]) -> str:
    if id in known:
        return ""
    dialect, colons, check = id.partition("::")
    if not colons or not dialect or not check or len(id.split()) != 1:
        return f"{id!r} is no id; write dialect::check  # reason"
    dialects = {one.partition("::")[0] for one in known}
    if dialect not in dialects:
        return f"the implementation is not judged by a dialect {dialect!r}{nearest(dialect, sorted(dialects))}"
    checks = sorted(one.partition("::")[2] for one in known if one.startswith(f"{dialect}::"))
    return f"{dialect} has no check {check!r}{nearest(check, checks)}"


def standing(outcome: Outcome, listed: bool, strict: bool = False) -> Standing:
    """What an item is, from its verdict's outcome and whether the list names it. ``strict``: advice fails too."""
    match outcome:
        case "fail":
            return "expected" if listed else "failed"
        case "advice" if strict:
            return "expected" if listed else "failed"
        case "unjudged":
            return "unjudged"
        case "skip":
            return "listed skip" if listed else "skipped"
    return "listed pass" if listed else "passed"


FIXED: Mapping[Standing, Standing] = {"failed": "expected", "listed pass": "passed", "listed skip": "skipped"}
"""What an item is when its line is being put right by ``--fix``."""


def rewrite(expected: ExpectedFailures, found: Mapping[str, Verdict], strict: bool = False) -> str:
    """The list's text, true to ``found`` (id to verdict, of a whole run).

    Comments, reasons and the order stay; a new line stands behind the others of its dialect, with its violation in a
    few words for a reason; lines of what no longer fails go.
    """
    failing = {id for id, verdict in found.items() if standing(verdict.outcome, False, strict) == "failed"}
    kept = [line for line in expected.lines if line.id is None or line.id in failing or line.id not in found]
    texts = [(line.id, line.text) for line in kept]
    for id in found:
        if id not in failing or id in expected.by_id:
            continue
        dialect = id.partition("::")[0]
        beside = [i for i, (known, _) in enumerate(texts) if known and known.startswith(f"{dialect}::")]
        texts.insert(beside[-1] + 1 if beside else len(texts), (id, f"{id}  # {_reason(found[id])}"))
    return "".join(f"{text}\n" for _, text in texts)


def _reason(verdict: Verdict) -> str:
    violation = verdict.violation or verdict.advice
    words = told_in_a_line(violation) if violation else verdict.reason
    return " ".join(words.split()) or "reason not known yet"


def changes(expected: ExpectedFailures, text: str) -> tuple[int, int]:
    """How many ids ``text`` has that ``expected`` lacks, and how many it lacks that ``expected`` has."""
    ids = {line.partition("#")[0].strip() for line in text.splitlines()} - {""}
    return len(ids - set(expected.by_id)), len(set(expected.by_id) - ids)
