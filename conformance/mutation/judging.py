"""What a child does with an implementation: loads it, looks what it is, judges it until a mutant is killed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from conformance.adapter import AdapterError, Implementation, load
from conformance.candidates import Candidate, violation_of
from conformance.mutation.placing import Placed
from conformance.mutation.seeing import MEASURED, Eye, Seen, kill_in, seen_of
from conformance.mutation.tracing import Lines
from conformance.settings import Options, Progress
from conformance.sweep import Sweep, wanted_checks
from conformance.telling import told_in_a_line
from conformance.watchdog import TooManyHangs, Watchdog
from oracles.dialects import REGISTRY

HUNG = "hung"


@dataclass(frozen=True)
class Asked:
    """What is judged, and how. ``added``: ids of dialects that a file declares."""

    spec: str
    options: Options
    added: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probed:
    """What an adapter is, and which of the modules that it imports the source is.

    ``error``: why it can't be loaded, "" where it can. ``ids``: of every item, ``dialect::check``. ``module``: "" where
    no module is the source's; ``early``: the suite itself had imported it; ``beside``: files that were imported from
    the same folder.
    """

    error: str = ""
    name: str = ""
    version: str = ""
    dialects: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    module: str = ""
    path: str = ""
    early: bool = False
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judged:
    """What became of one that was judged.

    ``killed_by``: a check, ``load``, or "" for one that came through; ``told``: how; ``dialect``: where. ``hung``: a
    call didn't end. ``seen``: the sweeps that were whole. ``placed``: the names by which the source was loaded.
    ``importing``: the lines executed before any sweep, where lines were traced. ``loading``: seconds that took.
    """

    killed_by: str = ""
    dialect: str = ""
    told: str = ""
    hung: bool = False
    seen: tuple[Seen, ...] = ()
    words: int = 0
    placed: tuple[str, ...] = ()
    importing: frozenset[int] = frozenset()
    loading: float = 0.0


class Caught(KeyboardInterrupt):
    """A must is violated, so nothing more need be asked. No handler of an exception keeps it."""

    def __init__(self, candidate: Candidate) -> None:
        super().__init__()
        self.candidate = candidate


def probe(asked: Asked, source: str) -> Probed:
    """Loads the adapter and looks for the source: a path, or the dotted name of a module."""
    before = set(sys.modules)
    try:
        implementation = load(asked.spec, added=asked.added)
    except AdapterError as error:
        return Probed(str(error))
    wanted = wanted_checks(implementation, asked.options)
    found = Probed(
        name=implementation.name,
        version=implementation.version,
        dialects=implementation.dialects,
        ids=tuple(f"{dialect}::{check}" for dialect in implementation.dialects for check in wanted),
    )
    path = os.path.realpath(source)
    if not os.path.isfile(path) and source in sys.modules:
        path = _file_of(source)
    files = {name: _file_of(name) for name in list(sys.modules)}
    names = [name for name, file in files.items() if file == path and name != "__main__"]
    if names:
        return replace(found, module=names[0], path=path, early=bool(set(names) & before))
    folder = os.path.dirname(path)
    beside = sorted(file for name, file in files.items() if name not in before and os.path.dirname(file) == folder)
    return replace(found, path=path, beside=tuple(beside))


def _file_of(name: str) -> str:
    file = getattr(sys.modules[name], "__file__", None)
    return os.path.realpath(file) if isinstance(file, str) else ""


def judge_all(
    asked: Asked,
    placed: Placed,
    dialects: Sequence[str],
    clean: Mapping[str, Seen] | None = None,
    listed: Mapping[str, frozenset[str]] | None = None,
    compared: Mapping[str, frozenset[str]] | None = None,
    traced: bool = False,
) -> Judged:
    """Judges what ``placed`` makes of an implementation by ``dialects``, one after another.

    Where ``clean`` is given, by what the sweeps of the clean one saw, and only until a check tells the two apart;
    without it every sweep is whole. ``listed``: dialect to checks whose failure is expected. ``compared``: those of
    them that must fail as they did. ``traced``: notes which lines are executed.
    """
    sys.meta_path.insert(0, placed)
    lines = Lines(placed.path)
    parent = os.getppid()

    def beat() -> None:
        if os.getppid() != parent:
            os._exit(0)

    with lines if traced else nullcontext():
        began = time.monotonic()
        try:
            implementation = load(asked.spec, added=asked.added)
        except AdapterError as error:
            return Judged(killed_by="load", told=str(error), placed=tuple(placed.used))
        judged = Judged(placed=tuple(placed.used), importing=lines.taken(), loading=time.monotonic() - began)
        for dialect in dialects:
            one = _judge(
                asked, implementation, dialect, beat, lines,
                None if clean is None else clean[dialect], (listed or {}).get(dialect, frozenset()),
                (compared or {}).get(dialect, frozenset()),
            )  # fmt: skip
            judged = replace(one, seen=judged.seen + one.seen, words=judged.words + one.words, placed=judged.placed,
                             importing=judged.importing, loading=judged.loading)  # fmt: skip
            if judged.killed_by:
                break
        return judged


def _judge(
    asked: Asked,
    implementation: Implementation,
    dialect: str,
    beat: Callable[[], None],
    lines: Lines,
    clean: Seen | None,
    listed: frozenset[str],
    compared: frozenset[str],
) -> Judged:
    def note(candidate: Candidate) -> None:
        if clean is not None and candidate.level == "must" and candidate.check not in listed:
            raise Caught(candidate)

    options = asked.options
    if clean is not None and listed & MEASURED:
        # What is measured and expected to fail can tell nothing.
        options = replace(options, checks=frozenset(wanted_checks(implementation, options)) - (listed & MEASURED))
    began = time.monotonic()
    eye = Eye()
    with Watchdog(options.hang_after, beat) as watchdog:
        sweep = Sweep(implementation, REGISTRY.get(dialect), options, watchdog, _silent, note)
        sweep.collector.saw = eye
        try:
            verdicts = sweep.climb()
        except Caught as caught:
            return _caught(sweep, dialect, caught.candidate)
        except TooManyHangs as error:
            return Judged("never-raises", dialect, str(error), hung=True, words=sweep.asker.outputs)
        except KeyboardInterrupt:  # the terminal's doesn't come here
            told = "a call raised KeyboardInterrupt, which ends a process"
            return Judged("never-raises", dialect, told, words=sweep.asker.outputs)
    seen = seen_of(dialect, verdicts, eye, time.monotonic() - began, lines.taken())
    kill = None if clean is None else kill_in(clean, seen, compared)
    if kill is None:
        return Judged(seen=(seen,), words=seen.outputs)
    return Judged(kill[0], dialect, kill[1], seen=(seen,), words=seen.outputs)


def _caught(sweep: Sweep, dialect: str, candidate: Candidate) -> Judged:
    hung = candidate.finding.extra.get("failure") == HUNG
    try:
        violation = violation_of(candidate, sweep.asker, sweep.chunker)
        told = f"{told_in_a_line(violation)}; --case={violation.case}"
    except TooManyHangs as error:  # it is asked once more, in one chunk
        told = f"{candidate.title}: {error}"
    return Judged(candidate.check, dialect, told, hung, words=sweep.asker.outputs)


def _silent(_: Progress) -> None:
    return None
