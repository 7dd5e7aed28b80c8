"""The end of a run: dialects × checks, failures by kind, advice, what was skipped, how much stands behind it."""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.checks.catalogue import CHECKS
from conformance.literals import cells, chunks_fitted, escaped, fitted
from conformance.results import Result
from conformance.verdicts import Violation

SYMBOLS: dict[str, tuple[str, str, str]] = {
    "failed": ("F", "bold red", "fails"),
    "expected": ("x", "yellow", "fails as expected"),
    "advice": ("a", "yellow", "advice"),
    "skipped": ("s", "cyan", "skipped"),
    "unjudged": ("?", "bold magenta", "not judged"),
    "listed": ("!", "bold red", "no longer fails as listed"),
    "missing": ("-", "dim", "not run"),
    "passed": (".", "green", "passes"),
}
"""What became of a cell: its symbol, its colour, and its words."""
KINDS = 15  # kinds and advice are listed up to so many lines


class Summary:
    """Writes a summary as text, ``width`` columns wide, coloured or plain."""

    def __init__(self, width: int, colour: bool, cases: bool = False) -> None:
        """``cases``: tell how to reproduce the kinds that no failure shows."""
        self._cases = cases
        self._width = max(60, min(width, 120))
        self._out = Console(
            file=io.StringIO(),
            width=self._width,
            force_terminal=colour,
            color_system="standard" if colour else None,
            no_color=not colour,
            highlight=False,
            soft_wrap=False,
        )

    def text(self, results: Sequence[Result], unfinished: Sequence[Result] = (), notes: Sequence[str] = ()) -> str:
        """The whole summary. ``unfinished``: what an interrupted sweep had found. ``notes``: of the run as a whole."""
        for implementation in dict.fromkeys(result.implementation for result in [*results, *unfinished]):
            self._implementation([result for result in results if result.implementation == implementation])
        found = [result for result in unfinished if result.verdict.outcome in ("fail", "advice")]
        if found:
            self._out.print("found before the interruption:", style="bold")
        self._kinds([*results, *found])
        self._advice([*results, *found])
        self._skipped(results)
        self._notes(results, notes)
        self._totals([*results, *unfinished])
        text = self._out.file.getvalue()  # type: ignore[attr-defined]
        return "".join(f"{line.rstrip()}\n" for line in text.splitlines())

    def _implementation(self, results: Sequence[Result]) -> None:
        """A matrix of the dialects and checks that aren't all passed, and words for those that are."""
        if not results:
            return
        verdict = results[0].verdict
        name = f"{escaped(results[0].implementation)} {escaped(verdict.version)}"
        self._out.print(Text.assemble((name, "bold"), (f"  {escaped(results[0].spec)}", "dim")))
        became = {(one.verdict.dialect, one.verdict.check): cell(one) for one in results}
        dialects = list(dict.fromkeys(dialect for dialect, _ in became))
        checks = [check for check in CHECKS if any(check == known for _, known in became)]
        rows = [
            dialect
            for dialect in dialects
            if any(became.get((dialect, check), "passed") != "passed" for check in checks)
        ]
        columns = [
            check for check in checks if any(became.get((dialect, check), "passed") != "passed" for dialect in rows)
        ]
        if not columns:
            told = f"  passed: {_count(len(checks), 'check')} in {_count(len(dialects), 'dialect')}"
            self._out.print(told, style="green")
        elif len(rows) == 1:
            for check in columns:
                symbol, style, words = SYMBOLS[became.get((rows[0], check), "missing")]
                self._out.print(Text.assemble("  ", (symbol, style), f"  {rows[0]}  {check}: ", (words, style)))
        else:
            for part in self._parts(columns, max(map(cells, rows))):
                self._matrix(rows, part, became)
            self._legend({became.get((row, check), "missing") for row in rows for check in columns})
        if columns:
            self._listing("checks passed by all", [check for check in checks if check not in columns])
            self._listing("dialects that pass all", [dialect for dialect in dialects if dialect not in rows])
        self._out.print()

    def _parts(self, columns: Sequence[str], first: int) -> Iterable[list[str]]:
        """The columns in as many tables as the width asks for."""
        part: list[str] = []
        used = first + 2
        for check in columns:
            wide = cells(CHECKS[check].head) + 2
            if part and used + wide > self._width:
                yield part
                part, used = [], first + 2
            part.append(check)
            used += wide
        yield part

    def _matrix(self, rows: Sequence[str], columns: Sequence[str], became: dict[tuple[str, str], str]) -> None:
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        table.add_column("")
        for check in columns:
            table.add_column(CHECKS[check].head, justify="center", no_wrap=True)
        for dialect in rows:
            symbols = [SYMBOLS[became.get((dialect, check), "missing")] for check in columns]
            table.add_row("  " + escaped(dialect), *[Text(symbol, style) for symbol, style, _ in symbols])
        self._out.print(table)
        self._listing("", [f"{CHECKS[check].head}={check}" for check in columns], dim=True)

    def _legend(self, used: set[str]) -> None:
        words = [f"{symbol} {meaning}" for key, (symbol, _, meaning) in SYMBOLS.items() if key in used]
        self._out.print("  " + "   ".join(words), style="dim")

    def _listing(self, title: str, words: Sequence[str], dim: bool = False) -> None:
        """``title: a, b, c``, wrapped under its own beginning."""
        if not words:
            return
        indent = 2
        line = " " * indent + (f"{title}: " if title else "")
        for i, word in enumerate(words):
            piece = escaped(word) + ("," if i < len(words) - 1 else "")
            if cells(line) + cells(piece) > self._width and line.strip():
                self._line(line, dim)
                line = " " * (indent + 2)
            line += piece + " "
        self._line(line, dim)

    def _line(self, text: str, dim: bool = False) -> None:
        self._out.print(Text(text.rstrip(), style="dim" if dim else ""), overflow="fold")

    def _kinds(self, results: Sequence[Result]) -> None:
        """Failures that are one thing, told once, with the smallest case."""
        groups: dict[str, list[Violation]] = defaultdict(list)
        shown: list[Violation | None] = []
        within: set[str] = set()
        for result in results:
            if cell(result) == "failed":
                violation = result.verdict.violation or result.verdict.advice
                others = [other for other in result.verdict.others if violation and other.level == violation.level]
                for one in [violation, *others] if violation else []:
                    if one.within:
                        within.add(one.kind_title)
                    else:
                        groups[one.kind_title or CHECKS[one.check].requires].append(one)
                shown.append(violation)
        if not groups:
            return
        self._out.print(f"failures, {_count(len(groups), 'kind')}", style="bold")
        ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
        more = False
        for title, violations in ordered[: None if self._cases else KINDS]:
            hidden = not any(one in shown for one in violations)
            self._kind(title, violations, "red", case=hidden and self._cases)
            more = more or (hidden and not self._cases)
        if len(ordered) > KINDS and not self._cases:
            self._line(f"  … {_count(len(ordered) - KINDS, 'kind')} more")
        beyond = len(within - set(groups))
        if beyond:
            self._line(f"  {_count(beyond, 'kind')} more, each with a smaller failing case of these in it", dim=True)
        if more:
            self._line("  -v prints the --case of kinds that no failure above shows", dim=True)
        self._out.print()

    def _advice(self, results: Sequence[Result]) -> None:
        groups: dict[tuple[str, str], list[Violation]] = defaultdict(list)
        for result in results:
            violation = result.verdict.advice
            if violation is not None and cell(result) != "failed" and result.standing != "expected":
                groups[violation.check, violation.kind_title].append(violation)
        if not groups:
            return
        self._out.print("advice: nothing fails by it, unless run with --strict", style="bold")
        for (check, title), violations in list(groups.items())[:KINDS]:
            self._kind(f"{check}: {title or CHECKS[check].requires}", violations, "yellow")
        if len(groups) > KINDS:
            self._line(f"  … {len(groups) - KINDS} more")
        self._out.print()

    def _kind(self, title: str, violations: Sequence[Violation], style: str, case: bool = False) -> None:
        """A kind and its smallest case. ``case``: no failure above tells how to reproduce it."""
        dialects = len({violation.dialect for violation in violations})
        checks = len({violation.check for violation in violations})
        one = min(violations, key=lambda violation: violation.size or (1 << 30,))
        self._out.print(Text.assemble("  ", (escaped(title), style)), overflow="fold")
        counts = [_count(dialects, "dialect")] if dialects > 1 else []
        counts += [_count(checks, "check")] if checks > 1 else []
        told = f"    {', '.join(counts)}, such as " if counts else "    "
        told += f"{escaped(one.dialect)}  {one.check}  {'opened' if one.opened else 'not opened'}"
        example = self._example(one, self._width - cells(told) - 2)
        if cells(told) + 2 + cells(example) <= self._width and "…" not in example:
            self._line(f"{told}  {example}")
        else:
            self._line(told)
            self._line("      " + self._example(one, self._width - 6))
        if case:
            self._out.print(f"      --case='{escaped(one.case)}'", style="dim", soft_wrap=True)

    def _example(self, violation: Violation, room: int) -> str:
        """The smallest case in a line."""
        if violation.chunks is not None:
            return chunks_fitted(violation.chunks, max(room, 20), 1)[0]
        return "" if violation.raw is None else fitted(repr(violation.raw), max(room, 20))

    def _skipped(self, results: Sequence[Result]) -> None:
        """Skipped requests by reason. Checks share a sweep, so a dialect counts once."""
        counts: Counter[str] = Counter()
        for group in _by_dialect(results).values():
            most: dict[str, int] = {}
            for result in group:
                for reason, count in result.verdict.skipped.items():
                    most[reason] = max(most.get(reason, 0), count)
            counts.update(most)
        if not counts:
            return
        self._out.print("skipped requests, as the implementation says", style="bold")
        for reason, count in counts.most_common(KINDS):
            self._line(f"  {count:>7,}  {escaped(reason) or 'no reason given'}")
        self._out.print()

    def _notes(self, results: Sequence[Result], notes: Sequence[str]) -> None:
        said: dict[str, list[str]] = defaultdict(list)
        for result in results:
            for note in result.verdict.notes:
                where = f"{result.implementation} {result.verdict.dialect}"
                if where not in said[note]:
                    said[note].append(where)
        told = [*notes]
        for note, places in said.items():
            more = f" and {len(places) - 1} more" if len(places) > 1 else ""
            told.append(f"{places[0]}{more}: {note}")
        for note in told:
            self._out.print(Text.assemble(("note  ", "bold"), escaped(note)), overflow="fold")

    def _totals(self, results: Sequence[Result]) -> None:
        groups = _by_dialect(results).values()
        outputs = sum(max(result.verdict.outputs for result in group) for group in groups)
        streams = sum(max(result.verdict.streams for result in group) for group in groups)
        seconds = sum(max(result.verdict.seconds for result in group) for group in groups)
        listed = sum(result.standing == "expected" for result in results)
        told = f"{_count(outputs, 'output')}, {_count(streams, 'stream')}, {seconds:,.1f} s of judging"
        if listed:
            told += f"; {_count(listed, 'failure')} as expected"
        self._line(told)


def cell(result: Result) -> str:
    """The key of SYMBOLS for a result."""
    if result.standing.startswith("listed"):
        return "listed"
    if result.standing == "passed" and result.verdict.outcome == "advice":
        return "advice"
    return result.standing


def _by_dialect(results: Sequence[Result]) -> dict[tuple[str, str], list[Result]]:
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.implementation, result.verdict.dialect].append(result)
    return groups


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
