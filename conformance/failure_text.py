"""A failure as a person reads it: the minimal case, what was compared, how to see it again (DESIGN section 7)."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from conformance.checks.catalogue import CHECKS
from conformance.literals import cells, chunks_fitted, common, escaped, fitted, place_of_difference
from conformance.results import Result
from conformance.telling import told_in_a_line
from conformance.verdicts import Row, Violation

WIDTH = 80
LABEL = 11  # the column of labels, as wide as "reasoning" and two spaces
REMARKS = 49  # the column where remarks begin, where there is room
ROWS = 9  # a failure stays within some 20 lines
OTHERS = 3  # further kinds that are named
STYLES: dict[str, dict[str, bool]] = {
    "must": {"red": True, "bold": True},
    "should": {"yellow": True, "bold": True},
    "strong": {"bold": True},
    "label": {"cyan": True},
    "differs": {"red": True, "bold": True},
    "faint": {"light": True},
    "plain": {},
}

Segment = tuple[str, str]
Line = list[Segment]


@dataclass(frozen=True)
class Crash:
    """The one line of a failure, where pytest and JUnit have room for no more."""

    message: str

    def __str__(self) -> str:
        return self.message


class FailureText:
    """What a failed item shows: plain as ``str``, in colour on a terminal."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.reprcrash = Crash(headline(result))

    def __str__(self) -> str:
        return "\n".join("".join(text for text, _ in line) for line in lines(self.result, WIDTH))

    def toterminal(self, tw: Any) -> None:
        """Writes the failure to a pytest terminal writer, as wide as it is."""
        for line in lines(self.result, max(60, min(tw.fullwidth, 120))):
            # The writer leaves markup out by itself where the terminal or NO_COLOR wants none.
            tw.line("".join(tw.markup(text, **STYLES[style]) for text, style in line))


def headline(result: Result) -> str:
    """The failure in one line."""
    violation = result.verdict.violation or result.verdict.advice
    if violation is None or result.standing not in ("failed", "expected"):
        return escaped(" ".join(_without_violation(result).split()))
    return told_in_a_line(violation)


def lines(result: Result, width: int) -> list[Line]:
    """The failure, line by line, each a list of (text, style)."""
    verdict = result.verdict
    check = CHECKS[verdict.check]
    violation = verdict.violation or verdict.advice
    if result.standing == "unjudged" or result.standing.startswith("listed"):
        violation = None
    level = violation.level if violation else check.level
    head = [(level.upper(), level), (f"  {escaped(verdict.dialect)}  ", "plain"), (check.id, "strong")]
    whose = f"{escaped(verdict.implementation)} {escaped(verdict.version)}"
    gap = width - sum(cells(text) for text, _ in head) - cells(whose)
    out: list[Line] = [[*head, (" " * max(gap, 2), "plain"), (whose, "strong")]]
    out += [[(f"  {text}", "plain")] for text in textwrap.wrap(check.requires, width - 2)]
    if violation is None:
        told = _without_violation(result)
        out += [[(f"  {text}", "plain")] for text in textwrap.wrap(escaped(" ".join(told.split())), width - 2)]
        return out
    out += _case(violation, width)
    out += _about(result, violation, width)
    return out


def _without_violation(result: Result) -> str:
    if result.standing == "unjudged":
        return f"not judged: {result.verdict.reason}"
    if not result.standing.startswith("listed"):
        return result.verdict.reason or result.standing
    what = "passes" if result.standing == "listed pass" else "is skipped"
    told = f"{result.listed} lists it as an expected failure, but it {what}"
    return f"{told}: remove the line, or run with --fix"


def _case(violation: Violation, width: int) -> Iterator[Line]:
    opened = "reasoning opened" if violation.opened else "reasoning not opened"
    prompt = f"{opened}, thinking {'on' if violation.thinking else 'off'}; finish: {escaped(violation.finish)}"
    if violation.surface is not None:
        prompt += f"; surface: {escaped(violation.surface)}"
    yield [*_label("prompt"), (prompt, "plain")]
    room = width - 4 - LABEL
    if violation.chunks is not None:
        for i, line in enumerate(chunks_fitted(violation.chunks, room)):
            yield [*_label("" if i else "chunks"), (line, "plain")]
    elif violation.raw is not None:
        yield [*_label("output"), (fitted(repr(violation.raw), room), "plain")]
    shown = violation.rows[:ROWS]
    whose = max((cells(escaped(row.whose)) + 2 for row in shown if row.whose), default=0)
    for of, group in groupby(shown, key=lambda row: row.of):
        yield from _group(escaped(of), list(group), whose, width)
    if len(violation.rows) > ROWS:
        yield [*_label(""), (f"… {len(violation.rows) - ROWS} more", "faint")]


def _label(text: str) -> Line:
    return [("    ", "plain"), (text.ljust(LABEL), "label")]


def _group(of: str, rows: Sequence[Row], whose: int, width: int) -> Iterator[Line]:
    """The rows of one thing compared: its name once, each value beside whose it is, unlike parts marked."""
    wide = len(of) + 2 > LABEL
    start = 4 + (len(of) + 2 if wide else LABEL)
    values = [row.value for row in rows]
    place = place_of_difference(values)
    shown = [fitted(row.value, max(width - start - whose, 20), place) for row in rows]
    # In a value that was shortened, characters don't stand for characters.
    whole = all(cut == escaped(value) for cut, value in zip(shown, values, strict=True))
    alike = common(shown) if whole and len(set(shown)) > 1 else None
    for i, (row, value) in enumerate(zip(rows, shown, strict=True)):
        name = escaped(row.whose)
        column = f"{name} " if wide and name else name.ljust(whose)
        label = [("    ", "plain"), (of.ljust(start - 4) if not i else " " * (start - 4), "label")]
        at = len(value) if alike is None else alike
        line: Line = [*label, (column, "plain"), (value[:at], "plain"), (value[at:], "differs")]
        used = start + cells(column) + cells(value)
        remark = escaped(row.remark)
        if remark:
            gap = max(REMARKS - used, 2)
            if used + gap + cells(remark) > width:
                gap = width - used - cells(remark)
            if gap < 2:
                yield line
                line = [(" " * (start + cells(column)), "plain"), (remark, "faint")]
            else:
                line += [(" " * gap, "plain"), (remark, "faint")]
        yield line


def _about(result: Result, violation: Violation, width: int) -> Iterator[Line]:
    facts = [("note", violation.note), ("shape", violation.kind_title or violation.kind)]
    facts.append(("known as", violation.known_as))
    others = [other for other in result.verdict.others if other.level == violation.level]
    own = [other for other in others if not other.within]
    if own:
        titles = "; ".join(other.kind_title or other.kind for other in own[:OTHERS])
        left = len(others) - len(own[:OTHERS])
        more = f"; and {left} more, which --report tells" if left else ""
        facts.append(("also", f"{titles}{more}"))
    if result.standing == "expected":
        facts.append(("expected", result.reason))
    for label, text in facts:
        for i, part in enumerate(textwrap.wrap(escaped(text), width - 2 - LABEL)):
            yield [("  ", "plain"), (("" if i else label).ljust(LABEL), "label"), (part, "plain")]
    yield [("  ", "plain"), ("reproduce".ljust(LABEL), "label"), (reproduce(result, violation), "plain")]


def reproduce(result: Result, violation: Violation) -> str:
    """The command that shows the violation again, ready for a shell."""
    return command(result.spec, violation.case, result.dialect_file)


def command(spec: str, case: str, dialect_file: str = "") -> str:
    """The command that asks a case again, ready for a shell."""
    words = [f"--impl={spec}"]
    if dialect_file:
        words.append(f"--dialect-file={dialect_file}")
    quoted = "".join(f" {shlex.quote(escaped(word))}" for word in words)
    return f"pytest{quoted} --case='{escaped(case)}'"
