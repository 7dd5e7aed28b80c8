"""The sweeps of a run: each dialect of each implementation is judged once, for all of its items."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance import judge
from conformance.expected import FIXED, standing
from conformance.options import Chosen, Judged
from conformance.progress import ProgressLine, shows_progress
from conformance.results import Result
from conformance.verdicts import Verdict

IMPATIENT = 2.0
"""Seconds that a call may take of an implementation that hung in another dialect: it was given its time there."""


class Printed(io.TextIOBase):
    """Takes what an implementation prints, remembers how it began, and forgets the rest."""

    KEPT = 200

    def __init__(self) -> None:
        self.begin = ""
        self.count = 0

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Takes ``text``; how much of it was taken."""
        self.begin += text[: self.KEPT - len(self.begin)]
        self.count += len(text)
        return len(text)


class Sweeps:
    """Runs sweeps when they are first needed, and keeps their verdicts."""

    def __init__(self, chosen: Chosen, draws: bool, colour: bool = True) -> None:
        """``draws``: whether a line may show the progress, where there is a terminal."""
        self._chosen = chosen
        self._draws = draws
        self._colour = colour
        self._verdicts: dict[tuple[str, str], dict[str, Verdict]] = {}
        self._faults: set[tuple[str, str]] = set()
        self._hanging: set[str] = set()
        self._count = sum(len(one.plan) for one in chosen.judged)
        self.unfinished: list[Result] = []
        self.seconds: dict[tuple[str, str], float] = {}

    def need(self, judged: Judged, dialect: str) -> None:
        """Judges a dialect of an implementation, unless that was done. Raises judge.Interrupted."""
        key = (judged.id, dialect)
        if key in self._verdicts:
            return
        printed = Printed()
        try:
            # Warnings would be errors under many people's filters, and then no fault of the parser's.
            with self._progress(len(self._verdicts) + 1) as progress, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                # A child process says itself what was printed there.
                # With -s, and for one case, the terminal is for a debugger in the adapter.
                alone = self._chosen.options.in_process or judged.implementation.threaded or not hasattr(os, "fork")
                kept = alone and not self._chosen.debugs
                with contextlib.redirect_stdout(printed) if kept else contextlib.nullcontext():
                    verdicts = self._judge(judged, dialect, progress)
        except judge.Interrupted as stopped:
            self.unfinished += [self._result(judged, verdict) for verdict in stopped.verdicts]
            raise
        except (Exception, pytest.fail.Exception) as error:
            verdicts = self._faulted(judged, dialect, error)
        if printed.count:
            first = printed.begin.strip().partition("\n")[0]
            note = f"it printed {printed.count:,} characters to stdout, which were kept away: {first!r}"
            verdicts = [replace(verdict, notes=(*verdict.notes, note)) for verdict in verdicts]
        self._verdicts[key] = {verdict.check: verdict for verdict in verdicts}

    def result(self, judged: Judged, dialect: str, check: str) -> Result:
        """An item's result."""
        self.need(judged, dialect)
        verdict = self._verdicts[judged.id, dialect].get(check)
        if verdict is None:
            implementation = judged.implementation
            reason = "the sweep gave no verdict"
            verdict = Verdict(implementation.name, implementation.version, dialect, check, "unjudged", reason=reason)
        return self._result(judged, verdict)

    def _judge(self, judged: Judged, dialect: str, progress: Callable[[judge.Progress], None]) -> list[Verdict]:
        chosen = self._chosen
        if chosen.case is not None:
            return [judge.judge_case(judged.implementation, chosen.case, chosen.options)]
        options = replace(chosen.options, checks=judged.wanted(dialect))
        if judged.id in self._hanging:
            options = replace(options, hang_after=min(options.hang_after, IMPATIENT))
        verdicts = judge.judge(judged.implementation, dialect, options, progress)
        if any(one.violation is not None and "still running" in one.violation.note for one in verdicts):
            self._hanging.add(judged.id)
        return verdicts

    def _progress(self, number: int) -> contextlib.AbstractContextManager[Callable[[judge.Progress], None]]:
        # pytest's capture is not on between items: sys.stdout is the terminal.
        if not self._draws or not shows_progress(sys.stdout):
            return contextlib.nullcontext(lambda _: None)
        return ProgressLine(sys.stdout, f"{number}/{self._count}" if self._count > 1 else "", self._colour)

    def _faulted(self, judged: Judged, dialect: str, error: BaseException) -> list[Verdict]:
        """No verdict but the reason: the sweep itself failed, which is no fault of the implementation's."""
        last = traceback.extract_tb(error.__traceback__)[-1]
        reason = (
            f"the suite itself failed: {type(error).__name__}: {error} ({last.filename}, line {last.lineno}). "
            "That is no fault of the implementation; please report it."
        )
        self._faults.add((judged.id, dialect))
        named = judged.implementation
        checks = judged.plan[dialect]
        return [Verdict(named.name, named.version, dialect, check, "unjudged", reason=reason) for check in checks]

    def _result(self, judged: Judged, verdict: Verdict) -> Result:
        chosen = self._chosen
        line = chosen.expected.by_id.get(verdict.id) if chosen.expected else None
        if chosen.options.corpus_only and standing(verdict.outcome, False, chosen.strict) != "failed":
            line = None  # what is listed may need more than recorded cases to be found
        if chosen.expected is None:
            stands = standing(verdict.outcome, False, chosen.strict)
        else:
            stands = standing(verdict.outcome, line is not None, chosen.strict)
            stands = FIXED.get(stands, stands) if chosen.fix else stands
        return Result(
            implementation=judged.id,
            spec=judged.implementation.spec,
            verdict=verdict,
            standing=stands,
            listed=f"{chosen.expected_path}:{line.number}" if line else "",
            reason=(line.reason if line else "newly listed by --fix") if stands == "expected" else "",
            dialect_file=chosen.files.get(verdict.dialect, ""),
            fault=(judged.id, verdict.dialect) in self._faults,
        )
