"""Judging a dialect of an implementation in a child process, so that no crash or hang of an adapter ends the run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from conformance.adapter import Implementation
from conformance.candidates import Candidate, violation_of
from conformance.case import case_names, dialect_of, read_case
from conformance.case_answers import ENDINGS, own_script, unasked
from conformance.child import Child, Died
from conformance.chunkings import Chunker
from conformance.expectation import Readings
from conformance.settings import Options, Progress
from conformance.sweep import Sweep, wanted_checks
from conformance.verdicts import Verdict, Violation
from conformance.watchdog import TooManyHangs, Watchdog
from oracles.dialects import REGISTRY

__all__ = ["Interrupted", "Options", "Progress", "case_names", "judge", "judge_case", "refuse_damaged"]


class Interrupted(KeyboardInterrupt):
    """The run was interrupted; ``verdicts`` hold what was found so far, none of them a pass."""

    # pytest's last line names what interrupted it.
    __module__ = "builtins"
    __qualname__ = "KeyboardInterrupt"

    def __init__(self, verdicts: list[Verdict]) -> None:
        super().__init__()
        self.verdicts = verdicts


def judge(
    implementation: Implementation, dialect: str, options: Options, progress: Callable[[Progress], None]
) -> list[Verdict]:
    """A verdict for every check of ``options.checks``, in the order of the catalogue. Raises Interrupted."""
    return _judged(implementation, dialect, options, progress, lambda sweep: sweep.climb())


def judge_case(implementation: Implementation, case: str, options: Options) -> Verdict:
    """The verdict of the one check that a case (the text behind ``--case=``) names, on that case alone.

    Raises CaseError.
    """
    dialect, check = case_names(case)
    options = replace(options, checks=frozenset([check]))
    return _judged(implementation, dialect, options, _silent, lambda sweep: [sweep.replay(case)])[0]


def refuse_damaged(implementation: Implementation, case: str) -> None:
    """Raises CaseError where a case's text can't be read."""
    read_case(case, Chunker(REGISTRY.get(dialect_of(case)), implementation.chunks))


def _judged(
    implementation: Implementation,
    dialect: str,
    options: Options,
    progress: Callable[[Progress], None],
    ask: Callable[[Sweep], list[Verdict]],
) -> list[Verdict]:
    began = time.monotonic()
    told = _Told(implementation, dialect, options, progress)
    # A fork has no thread but the one that forks: what waits for one that the import started would wait for ever.
    alone = options.in_process or implementation.threaded or not Child.possible()
    judged = _in_process if alone else _in_child
    verdicts = judged(told, ask)
    seconds = time.monotonic() - began
    return [replace(verdict, seconds=seconds) for verdict in verdicts]


def _in_process(told: _Told, ask: Callable[[Sweep], list[Verdict]]) -> list[Verdict]:
    def note(candidate: Candidate) -> None:
        first = sweep.collector.candidates.first(candidate)
        told.found.append(violation_of(candidate, sweep.asker, sweep.chunker, first))

    with Watchdog(told.options.hang_after) as watchdog:
        sweep = Sweep(told.implementation, REGISTRY.get(told.dialect), told.options, watchdog, told.progress, note)
        try:
            return ask(sweep)
        except KeyboardInterrupt:
            raise Interrupted(told.verdicts("interrupted")) from None
        except TooManyHangs as error:
            return told.verdicts(f"{error}; see never-raises", str(error))
        finally:
            sweep.close()


def _in_child(told: _Told, ask: Callable[[Sweep], list[Verdict]]) -> list[Verdict]:
    child = Child(told.implementation, REGISTRY.get(told.dialect), told.options, told.progress, ask)
    told.found = child.found
    first = verdicts = child.run(careful=False)
    if isinstance(first, Died) and not first.told and not child.interrupted:
        verdicts = child.run(careful=True)
    if child.interrupted:
        raise Interrupted(told.verdicts("interrupted"))
    if isinstance(verdicts, Died):
        died = verdicts
        if died.violation is not None:
            told.found.append(_confirmed(child, died, died.violation))
        verdicts = told.verdicts(f"{died.text}; see never-raises", died.text)
    elif isinstance(first, Died):
        verdicts = _shaken(verdicts, first)
    return [replace(verdict, notes=verdict.notes + tuple(child.notes)) for verdict in verdicts]


def _confirmed(child: Child, died: Died, violation: Violation) -> Violation:
    """The violation, with a remark where its case alone doesn't end the process."""
    if died.hung or not violation.case:
        return violation

    def ask(sweep: Sweep) -> list[Verdict]:
        return [sweep.replay(violation.case)]

    alone = Child(child.implementation, child.dialect, child.options, _silent, ask)
    if isinstance(alone.run(careful=False), Died) or alone.interrupted:
        return violation
    return replace(violation, note=f"{violation.note}; asked alone it does not: what was asked before matters")


class _Told:
    """What a sweep tells of while it goes on, for verdicts where it doesn't come to its end."""

    def __init__(
        self, implementation: Implementation, dialect: str, options: Options, progress: Callable[[Progress], None]
    ) -> None:
        self.implementation = implementation
        self.dialect = dialect
        self.options = options
        self.found: list[Violation] = []
        self._progress = progress
        self._last = Progress(dialect, "", 0, 0, 0.0, 0)
        self._began = time.monotonic()

    def progress(self, progress: Progress) -> None:
        """Hears how far the sweep is, and passes it on."""
        self._last = progress
        self._progress(progress)

    def verdicts(self, why: str, died: str = "") -> list[Verdict]:
        """A verdict for every check: failed where a must was violated so far, else unjudged.

        ``died``: never-raises failed in any case.
        """
        return [self._verdict(check, why, died) for check in wanted_checks(self.implementation, self.options)]

    def _verdict(self, check: str, why: str, died: str) -> Verdict:
        smallest: dict[tuple[str, str], Violation] = {}
        for violation in self.found:
            key = (violation.level, violation.kind)
            if violation.check == check and (key not in smallest or violation.size < smallest[key].size):
                smallest[key] = violation
        known = map(self._answered, smallest.values())
        violations = sorted(known, key=lambda one: (one.level != "must", one.kind not in ENDINGS, one.size))
        must = next((violation for violation in violations if violation.level == "must"), None)
        should = next((violation for violation in violations if violation.level == "should"), None)
        fails = must is not None or (check == "never-raises" and bool(died))
        reason = died if check == "never-raises" and died else f"not judged to the end: {why}"
        return Verdict(
            implementation=self.implementation.name,
            version=self.implementation.version,
            dialect=self.dialect,
            check=check,
            outcome="fail" if fails else "unjudged",
            violation=must,
            advice=should,
            others=tuple(violation for violation in violations if violation not in (must, should)),
            reason="" if must is not None else reason,
            outputs=self._last.outputs,
            streams=self._last.streams,
            seconds=time.monotonic() - self._began,
        )

    def _answered(self, violation: Violation) -> Violation:
        """With what can be said of its case without asking once more."""
        implementation, dialect = self.implementation, REGISTRY.get(self.dialect)
        answers = unasked(violation, Readings(dialect, implementation.values_for(dialect)))
        return replace(violation, answers=answers, script=own_script(violation, implementation.script))


def _shaken(verdicts: list[Verdict], died: Died) -> list[Verdict]:
    """Verdicts where the child died once and then didn't."""
    reason = f"{died.text}, and not when everything was asked again"
    return [
        replace(verdict, outcome="fail", reason=reason)
        if verdict.check == "never-raises" and verdict.outcome != "fail"
        else verdict
        for verdict in verdicts
    ]


def _silent(_: Progress) -> None:
    return None
