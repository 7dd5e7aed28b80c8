"""Forked children that do one task each, bounded in time and memory, a few at a time."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from hypothesis.configuration import set_hypothesis_home_dir

from conformance.forking import Frames, Teller, fork

try:
    import resource
except ImportError:  # no such limits on this system, and no fork either
    resource = None  # type: ignore[assignment]

MEMORY = 2 << 30
"""Bytes that a child may take beyond what it began with."""
WRITTEN = 256 << 20
"""Bytes that a file may have which a child writes."""

Key = TypeVar("Key")
Signals = set[int]


@dataclass(frozen=True)
class Task(Generic[Key]):
    """What a child is to do. ``key``: what it is about. ``seconds``: that it may take, by the clock and of a core."""

    key: Key
    work: Callable[[], Any]
    seconds: float


@dataclass(frozen=True)
class Ended(Generic[Key]):
    """How a child ended.

    ``how``: "" where ``value`` is its result; else ``exit``, ``crash``, ``hang``, ``memory``, or ``ours`` where the
    suite itself failed. ``text`` says it in a sentence.
    """

    key: Key
    value: Any
    how: str
    text: str
    seconds: float


@dataclass
class _Running(Generic[Key]):
    task: Task[Key]
    pid: int
    reading: int
    began: float
    frames: Frames = field(default_factory=Frames)
    status: int | None = None


def run_all(tasks: Iterable[Task[Key]], jobs: int, scratch: Path) -> Generator[Ended[Key], None, None]:
    """Does the tasks, ``jobs`` at a time, and tells how each ended, as they do.

    Tasks are taken when there is room for them. ``scratch``: a folder in which children may write. Where the iterator
    is closed, or interrupted, every child is ended, with all that it started.
    """
    waiting = iter(tasks)
    running: list[_Running[Key]] = []
    more = True
    try:
        while more or running:
            while more and len(running) < jobs:
                task = next(waiting, None)
                if task is None:
                    more = False
                else:
                    _start(task, scratch, running)
            if running:
                _listen(running)
            for child in [child for child in running if _is_over(child)]:
                with _held():
                    running.remove(child)
                    ended = _ended(child)
                yield ended
    finally:
        with _held():
            for child in running:
                _kill(child)
                os.close(child.reading)


@contextlib.contextmanager
def _held() -> Iterator[Signals]:
    """Within, no interruption comes between: it comes afterwards. Gives what was held before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(task: Task[Key], scratch: Path, running: list[_Running[Key]]) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    parent = os.getpid()
    with _held() as signals:
        pid = fork()
        if not pid:
            os.close(reading)
            _be_the_child(task, writing, parent, scratch, signals)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)  # the child does so too; whoever comes first
        running.append(_Running(task, pid, reading, time.monotonic()))
    os.close(writing)


def _listen(running: list[_Running[Key]]) -> None:
    """Reads what children have written, or waits a moment."""
    ready, _, _ = select.select([child.reading for child in running], [], [], 0.02)
    for child in running:
        if child.reading in ready:
            _read(child)


def _read(child: _Running[Key]) -> None:
    with contextlib.suppress(BlockingIOError):
        while data := os.read(child.reading, 1 << 16):
            child.frames.add(data)


def _is_over(child: _Running[Key]) -> bool:
    if child.status is None:
        done, status = os.waitpid(child.pid, os.WNOHANG)
        if done:
            child.status = status
            _read(child)  # what it wrote before its end; a process that it left behind may hold the pipe open
    return child.frames.whole() or child.status is not None or time.monotonic() - child.began > child.task.seconds


def _ended(child: _Running[Key]) -> Ended[Key]:
    seconds = time.monotonic() - child.began
    late = child.status is None
    status = _kill(child)
    os.close(child.reading)
    for how, value in child.frames.values():
        return Ended(child.task.key, None if how else value, how, value if how else "", seconds)
    how, text = (
        ("hang", f"it was still running after {round(child.task.seconds, 1):g} seconds") if late else _died(status)
    )
    return Ended(child.task.key, None, how, text, seconds)


def _died(status: int) -> tuple[str, str]:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return "hang", "it used up its time on the processor"
        known = number in [known.value for known in signal.Signals]
        return "crash", f"it was killed by {signal.Signals(number).name if known else f'signal {number}'}"
    return "exit", f"it left with exit code {os.waitstatus_to_exitcode(status)}"


def _kill(child: _Running[Key]) -> int:
    """Ends a child, where it hasn't by itself, and whatever it started; its status."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    if child.status is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)  # it may have left its group
        child.status = os.waitpid(child.pid, 0)[1]
    return child.status


def _be_the_child(task: Task[Key], writing: int, parent: int, scratch: Path, signals: Signals) -> None:
    """The child's whole life; never returns."""
    tell = Teller(writing)
    try:
        _settle_in(task.seconds, parent, scratch)
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        tell(("", task.work()))
    except MemoryError:
        tell(("memory", "it ran out of memory"))
    except BaseException:
        tell(("ours", traceback.format_exc()))
    finally:
        os._exit(0)


def _settle_in(seconds: float, parent: int, scratch: Path) -> None:
    """Makes the child a process group of its own, with limits, that reads nothing and writes where nobody looks."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if os.getppid() != parent:
        os._exit(0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    # The parent's own streams, or those of a capture, are no longer where they lead.
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    me = os.getpid()
    # A fault that forks at every call would fork in each of its forks, too: what it forked may not.
    os.register_at_fork(after_in_child=lambda: None if os.getppid() == me else os._exit(0))
    faulthandler.disable()  # it would write to a stream of the parent's
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(scratch / "hypothesis")
    set_hypothesis_home_dir(scratch / "hypothesis")
    _limit(resource.RLIMIT_CPU, int(seconds) + 1)
    _limit(resource.RLIMIT_FSIZE, WRITTEN)
    _limit(resource.RLIMIT_CORE, 0)
    with contextlib.suppress(OSError, ValueError, IndexError):  # elsewhere than on Linux nothing tells the size
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY)
    # What the parent loaded stays: no collection need look at it again.
    gc.freeze()


def _limit(what: int, most: int) -> None:
    """Limits the child, where it isn't limited more already."""
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(what, (most, hard))
