"""What the command prints: progress, the kill matrix, only killers, broken rules, the score."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.checks import CHECKS
from mutants.equivalents import Equivalents
from mutants.gate import Broken, only_killers
from mutants.matrix import Row
from mutants.mutant import Mutant

KILLED, ALONE, ADVICE, NOTHING, MISSING, UNASKED = "x", "X", "a", "·", "-", ""
"""A check in the matrix: one of several killers, the only one, only advising, silent, without a verdict, not asked."""


class Shown:
    """Prints to standard output, progress to standard error where that is a terminal."""

    def __init__(self) -> None:
        self.out = Console(soft_wrap=True, highlight=False)
        self.err = Console(stderr=True, highlight=False)

    def progress(self, done: int, of: int, row: Row) -> None:
        """Tells that a mutant is judged."""
        if self.err.is_terminal:
            self.err.print(f"{done}/{of} {row.mutant} {row.seconds:.1f} s    ", end="\r")

    def say(self, text: str) -> None:
        """Prints a sentence."""
        self.out.print(Text(text))

    def interrupted(self, done: int, of: int) -> None:
        """Tells that the run was broken off."""
        self.out.print(f"interrupted: {done} of {of} mutants were judged, so there is no score")

    def matrix(self, rows: Sequence[Row], mutants: Mapping[str, Mutant]) -> None:
        """Prints a line a mutant: which checks kill it, the first kill's seconds and outputs."""
        table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="")
        table.add_column("mutant", no_wrap=True)
        table.add_column("dialect", no_wrap=True)
        for check in CHECKS.values():
            table.add_column(check.head, justify="center", no_wrap=True)
        for head in ("s", "tried"):
            table.add_column(head, justify="right", no_wrap=True)
        table.add_column("seen", no_wrap=True)
        for row in rows:
            first = row.first
            told = (f"{first.seconds:.2f}", f"{first.tried:,}") if first else ("", "")
            cells = [_cell(row, check) for check in CHECKS]
            table.add_row(row.mutant, row.dialect, *cells, *told, mutants[row.mutant].seen)
        width = max(self.out.width, 180)
        Console(file=self.out.file, width=width, highlight=False, no_color=self.out.no_color).print(table)
        self.out.print(
            f"{KILLED} kills, {ALONE} kills alone, {ADVICE} only advises, {NOTHING} finds nothing, "
            f"{MISSING} gives no verdict, empty is not asked; s: seconds to the first kill, tried: outputs until then"
        )

    def alone(self, rows: Sequence[Row]) -> None:
        """Prints for each check how many mutants it kills, and those that it alone kills."""
        self.out.print()
        for check, ids in only_killers(rows).items():
            kills = sum(check in row.kills for row in rows)
            self.out.print(f"{check} kills {kills}, alone {len(ids)}: {', '.join(ids) or 'none'}")

    def verdict(
        self,
        rows: Sequence[Row],
        control: Sequence[Row],
        mutants: Mapping[str, Mutant],
        listed: Equivalents,
        found: Sequence[Broken],
        seconds: float,
    ) -> None:
        """Prints the broken rules, and a last line with the score."""
        self.out.print()
        for one in found:
            self.out.print(Text(f"{one.rule}: {one.text}", style="red"))
        killed = [row.first for row in rows if row.first is not None]
        equal = sum(row.mutant in listed.curated for row in rows)
        counted = len(rows) - equal
        score = f"{100 * len(killed) / counted:.1f} %" if counted else "no score"
        median = f"{statistics.median(kill.seconds for kill in killed):.2f} s" if killed else "-"
        dialects = ", ".join(row.dialect for row in control)
        rules = "every rule holds" if not found else f"{len(found)} broken"
        self.out.print(
            f"score {score}: {len(killed)} of {counted} mutants killed, {equal} listed as equivalent; "
            f"median {median} to the first kill; {seconds:.0f} s; control on {dialects}; {rules}"
        )


def _cell(row: Row, check: str) -> str:
    if check in row.kills:
        return ALONE if len(row.kills) == 1 else KILLED
    if check in row.advice:
        return ADVICE
    if check not in row.asked:
        return UNASKED
    return MISSING if check in row.unjudged else NOTHING
