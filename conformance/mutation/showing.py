"""What a mutation run shows: how far it is, its survivors, and its score."""

from __future__ import annotations

import time
from collections import Counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from conformance.literals import escaped
from conformance.mutation.baseline import Baseline
from conformance.mutation.results import MutantResult, MutationRun, percent_text

OFTEN = 0.1
"""Seconds between two drawings."""
PLAINLY = 10.0
"""Seconds between two lines where nothing can be drawn anew."""


class Shown:
    """Shows how far a run is: a bar on a terminal, else a line now and then. A context manager."""

    def __init__(self, console: Console) -> None:
        self._console = console
        # Drawn by whoever tells: a thread of its own would not be there in forked children.
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            auto_refresh=False,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._what = ""
        self._drawn = 0.0

    def __enter__(self) -> Shown:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, what: str, done: int, of: int) -> None:
        """Shows that ``done`` of ``of`` steps of something are done."""
        now = time.monotonic()
        new = what != self._what
        if self._console.is_terminal:
            if new:
                if self._task is not None:
                    self._bar.remove_task(self._task)
                self._task = self._bar.add_task(what, total=of)
            elif now - self._drawn < OFTEN:
                return
            assert self._task is not None
            self._bar.update(self._task, completed=done, total=of)
            self._bar.refresh()
        elif new or now - self._drawn > PLAINLY:
            self._console.print(what if new else f"{what}: {done} of {of}", markup=False)
        else:
            return
        self._what, self._drawn = what, now


def show_run(console: Console, run: MutationRun, baseline: Baseline) -> None:
    """The survivors with their diffs, what killed, what is to be known, and the score."""
    for result in run.survivors:
        if result.reached:
            _survivor(console, result)
    for result in run.survivors:
        if not result.reached:
            told = f"{_where(result)}  {result.id}  {result.description}"
            console.print(Text.assemble(("unreached  ", "red"), escaped(told)), soft_wrap=True)
    killers = Counter(result.killed_by for result in run.results if result.killed_by)
    for check, count in killers.most_common():
        console.print(Text.assemble(("killed  ", "green"), f"{check}  {count}"), soft_wrap=True)
    score = run.score
    for note in _notes(run, baseline):
        console.print(f"note    {note}", markup=False, soft_wrap=True)
    counts = [f"{score.killed} killed"]
    counts += [f"{count} {word}" for count, word in _counts(run) if count]
    colour = "green" if not score.survived and score.judged else "red" if score.survived else "yellow"
    console.print(
        Text.assemble(
            (f"{percent_text(score)}", f"bold {colour}"),
            f"  {', '.join(counts)}, in {run.seconds:,.1f} s",
            "" if run.complete else "  (interrupted: not complete)",
        ),
        soft_wrap=True,
    )


def _counts(run: MutationRun) -> list[tuple[int, str]]:
    score = run.score
    timeouts = "timeout" if score.timeout == 1 else "timeouts"
    return [
        (score.timeout, timeouts),
        (score.survived, "survived"),
        (score.equivalent, "equivalent"),
        (score.not_tried, "not tried"),
    ]


def _survivor(console: Console, result: MutantResult) -> None:
    console.print(Text.assemble(("survived  ", "bold red"), f"{_where(result)}  {result.id}"), soft_wrap=True)
    for line in result.diff.splitlines()[2:]:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        console.print(Text(f"    {escaped(line)}", style), soft_wrap=True)
    console.print(f"    {result.reason}", markup=False, soft_wrap=True)
    console.print()


def _where(result: MutantResult) -> str:
    return f"{result.file}:{result.start[0]}:{result.start[1]}"


def _notes(run: MutationRun, baseline: Baseline) -> list[str]:
    notes = []
    score = run.score
    if score.unreached:
        rest = (
            "none is left" if score.percent_reached is None else f"of the others {score.percent_reached:g} % are caught"
        )
        notes.append(f"{score.unreached} survivors stand where nothing that was asked comes by; {rest}")
    if baseline.passing:
        notes.append(
            f"listed, and passing in the profile {run.profile}: {', '.join(baseline.passing)}; "
            "a mutant that fails there is killed"
        )
    measured = sorted(
        f"{dialect}::{check}"
        for dialect, checks in baseline.listed.items()
        for check in checks - baseline.compared[dialect]
    )
    if measured:
        notes.append(f"listed, but measured or not alike in two runs, so nothing is told by it: {', '.join(measured)}")
    if baseline.unsteady:
        notes.append(f"results differ from run to run in {', '.join(sorted(baseline.unsteady))}")
    return notes
