"""The pytest plugin that judges mutants: it collects once, and forks a process for each mutant."""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state

PLAN = "MECHANICAL_PLAN"
"""The variable that names the file with what is to be judged, as JSON: ``jobs``; ``results``, a file that is written;
``mutants``: name to the caller and the files of tests that judge it."""

PATIENCE = 3.0
"""How much dearer than in the clean run a test may be, in processor time, before it counts as endless."""

FLOOR = 1.0
"""Seconds that every test may take more than that."""

IDLE = 30.0
"""Seconds, by the clock, that a mutant may take beside its processor time before it counts as waiting for ever."""

MEMORY = 1 << 31
"""Bytes of address space that a mutant may take beyond what the clean run had."""


class Timed(NamedTuple):
    """A test's place among the collected, and its seconds in the clean run."""

    place: int
    seconds: float


@dataclass
class Running:
    """A child that judges a mutant: the mutant, the pipe with the test that failed, and when it is given up."""

    name: str
    caller: str
    pipe: int
    started: float
    until: float


@dataclass
class Forking:
    """Judges each mutant of the plan in a forked child and writes a line of JSON about each."""

    plan: dict[str, Any]
    failed: bool = False
    callers: dict[str, list[Timed]] = field(default_factory=lambda: defaultdict(list))
    killers: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes that a test failed."""
        self.failed = self.failed or report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of one run of the tests: one in order, then one a mutant."""
        if session.testsfailed:
            raise session.Interrupted("a test file could not be collected")
        sys.stdout.flush()
        gc.collect()
        gc.freeze()
        with open(self.plan["results"], "w", encoding="utf-8", buffering=1) as results:
            tell = lambda **fields: results.write(json.dumps(fields) + "\n")  # noqa: E731
            if self._clean(session, tell):
                self._judge(session, tell)
        return True

    def _clean(self, session: pytest.Session, tell: Callable[..., object]) -> bool:
        """Runs everything unchanged, and learns which functions each test calls. False where something fails."""
        read, write = os.pipe()
        if not os.fork():
            _alone(lambda: self._all(session, write))
        os.close(write)
        with os.fdopen(read, encoding="utf-8") as pipe:
            lines = [json.loads(line) for line in pipe]
        os.wait()
        failed = [line["test"] for line in lines if line["failed"]]
        tell(kind="clean", tests=len(lines), collected=len(session.items), failed=failed)
        for place, line in enumerate(lines):
            for caller in line["callers"]:
                self.callers[caller].append(Timed(place, line["seconds"]))
        return not failed and len(lines) == len(session.items)

    def _all(self, session: pytest.Session, pipe: int) -> int:
        set_mutant_under_test("stats")
        with os.fdopen(pipe, "w", encoding="utf-8") as told:
            for place, item in enumerate(session.items):
                self.failed, begun = False, time.process_time()
                state()._stats.clear()
                _run(session, item, session.items[place + 1 : place + 2])
                seconds = time.process_time() - begun
                line = {"test": item.nodeid, "failed": self.failed, "seconds": seconds, "callers": [*state()._stats]}
                told.write(json.dumps(line) + "\n")
        return 0

    def _judge(self, session: pytest.Session, tell: Callable[..., object]) -> None:
        running: dict[int, Running] = {}
        # The dearest last: by then it is known which tests kill.
        files = [item.nodeid.partition("::")[0] for item in session.items]
        work = [
            (name, caller, [test for test in self.callers[caller] if files[test.place] in judges])
            for name, (caller, judges) in self.plan["mutants"].items()
        ]
        for name, caller, tests in sorted(work, key=lambda each: sum(test.seconds for test in each[2])):
            if not tests:
                tell(kind="mutant", name=name, status="no tests", killer="", seconds=0.0)
                continue
            while len(running) >= self.plan["jobs"]:
                self._reap(session, running, tell)
            pid, child = self._start(session, name, caller, tests)
            running[pid] = child
        while running:
            self._reap(session, running, tell)

    def _start(self, session: pytest.Session, name: str, caller: str, tests: list[Timed]) -> tuple[int, Running]:
        order = {place: number for number, place in enumerate(self.killers[caller])}
        ordered = sorted(tests, key=lambda test: (order.get(test.place, len(order)), test.seconds))
        read, write = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(read)
            _alone(lambda: self._mutant(session, name, ordered, write))
        os.close(write)
        now = time.monotonic()
        allowed = PATIENCE * sum(test.seconds for test in tests) + IDLE
        return pid, Running(name, caller, read, now, now + allowed)

    def _mutant(self, session: pytest.Session, name: str, tests: Sequence[Timed], pipe: int) -> int:
        _limit_memory()
        set_mutant_under_test(name)
        for number, test in enumerate(tests):
            signal.setitimer(signal.ITIMER_PROF, PATIENCE * test.seconds + FLOOR)
            after = [session.items[other.place] for other in tests[number + 1 : number + 2]]
            os.write(pipe, b"%d\n" % test.place)
            _run(session, session.items[test.place], after)
            if self.failed:
                return 1
        return 0

    def _reap(self, session: pytest.Session, running: dict[int, Running], tell: Callable[..., object]) -> None:
        """Waits until a child ends, and tells of its mutant."""
        pid, status = os.waitpid(-1, os.WNOHANG)
        while not pid:
            late = [each for each, child in running.items() if child.until < time.monotonic()]
            for each in late:
                os.kill(each, signal.SIGPROF)
            time.sleep(0.002)
            pid, status = os.waitpid(-1, os.WNOHANG)
        child = running.pop(pid)
        with os.fdopen(child.pipe, encoding="utf-8") as pipe:
            tried = pipe.read().split()
        ended = _status(os.waitstatus_to_exitcode(status))
        killer = int(tried[-1]) if ended != "survived" and tried else None
        if killer is not None:
            known = self.killers[child.caller]
            known[:] = [killer, *(place for place in known if place != killer)]
        seconds = time.monotonic() - child.started
        test = "" if killer is None else session.items[killer].nodeid
        tell(kind="mutant", name=child.name, status=ended, killer=test, seconds=round(seconds, 4))


def pytest_configure(config: pytest.Config) -> None:
    """Registers the judging of the plan that the environment names."""
    plan = json.loads(Path(os.environ[PLAN]).read_text(encoding="utf-8"))
    config.pluginmanager.register(Forking(plan), "mechanical-forking")


def _run(session: pytest.Session, item: pytest.Item, after: Iterable[pytest.Item]) -> None:
    item.ihook.pytest_runtest_protocol(item=item, nextitem=next(iter(after), None))


def _alone(work: Callable[[], int]) -> None:
    """Does the work of a child, which says nothing, and ends it there."""
    code = 3
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        code = work()
    finally:
        os._exit(code)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _status(code: int) -> str:
    if code == 0:
        return "survived"
    return "timeout" if code == -signal.SIGPROF else "killed"
