"""A child process that sweeps, watched by its parent: its verdicts, its last words, and how it died."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import IO, Any

from conformance.adapter import Implementation
from conformance.board import Board
from conformance.candidates import Candidate, violation_of
from conformance.case import CaseError
from conformance.endings import how_it_ended, where_it_ended
from conformance.forking import Frames, Teller, fork
from conformance.settings import Options, Progress
from conformance.sweep import Sweep
from conformance.verdicts import Verdict, Violation
from conformance.watchdog import TooManyHangs, Watchdog
from oracles.dialects import Dialect

GRACE = 5.0
"""Seconds that a child has to end by itself, and that it may at most be silent beyond its limit on a call."""


@dataclass(frozen=True, slots=True)
class Died:
    """How a child ended without its verdicts, and the case it was at, where that was written down.

    ``hung``: by a call that didn't end. ``told``: all that is known of it was told before.
    """

    text: str
    violation: Violation | None = None
    hung: bool = False
    told: bool = False


class Child:
    """Runs ``ask`` on a sweep in a forked child.

    ``notes``: sentences about the child. ``found``: violations it told of before it ended. ``interrupted``: the run
    is to end.
    """

    def __init__(
        self,
        implementation: Implementation,
        dialect: Dialect,
        options: Options,
        progress: Callable[[Progress], None],
        ask: Callable[[Sweep], list[Verdict]],
    ) -> None:
        self.implementation = implementation
        self.dialect = dialect
        self.options = options
        self.progress = progress
        self.ask = ask
        self.notes: list[str] = []
        self.found: list[Violation] = []
        self.interrupted = False
        self._pid = 0
        self._status: int | None = None
        self._silent = False
        self._died: Died | None = None

    @staticmethod
    def possible() -> bool:
        """Whether this system can fork."""
        return hasattr(os, "fork")

    def run(self, *, careful: bool) -> list[Verdict] | Died:
        """Sweeps once. ``careful``: each case is written down before it is asked.

        Raises CaseError, and RuntimeError where the suite itself fails in the child.
        """
        with (
            self._interruptible(),
            Board() as board,
            tempfile.TemporaryFile() as printed,
            tempfile.TemporaryFile() as fault,
        ):
            reading, writing = os.pipe()
            self._status, self._silent, self._died = None, False, None
            self._pid = fork()
            if not self._pid:
                os.close(reading)
                _be_the_child(self, writing, board, printed, fault, careful)
            os.close(writing)
            try:
                told = self._listen(reading, board)
            finally:
                os.close(reading)
                status = self._end()
                board.end_started()
            self._note_printed(printed)
            if told is not None:
                return told
            if self._died is not None:
                return self._died
            hung = self._silent or board.stuck
            text = how_it_ended(status, hung, self.options.hang_after) + ("" if hung else where_it_ended(fault))
            return Died(text, board.violation(text, hung), hung)

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Within, Ctrl-C ends the child at once: what it found was told when it was found."""

        def interrupt(_signal: int, _frame: FrameType | None) -> None:
            self.interrupted = True

        if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not HANDLER:
            yield
            return
        signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, HANDLER)

    def _listen(self, reading: int, board: Board) -> list[Verdict] | None:
        """What the child tells until it ends; None where it ends without verdicts."""
        frames = Frames()
        beat, since = -1, time.monotonic()
        limit = self.options.hang_after + min(GRACE, 2 * self.options.hang_after)
        while not self.interrupted:
            ended = self._has_ended()  # asked before it is listened to: what it wrote before its end is read
            ready, _, _ = select.select([reading], [], [], 0 if ended else 0.1)
            if not ready:
                if ended:  # a process that it left behind may hold the pipe open
                    return None
                if board.beats != beat:
                    beat, since = board.beats, time.monotonic()
                elif time.monotonic() - since > limit:
                    self._silent = True
                    return None
                continue
            data = os.read(reading, 1 << 16)
            if not data:
                return None
            since = time.monotonic()
            frames.add(data)
            for what, value in frames.values():
                verdicts = self._take(what, value)
                if verdicts is not None:
                    return verdicts
        return None

    def _take(self, what: str, value: Any) -> list[Verdict] | None:
        if what == "progress":
            self.progress(value)
        elif what == "found":
            self.found.append(value)
        elif what == "died":
            self._died = value
        elif what == "case error":
            raise CaseError(value)
        elif what == "our error":
            raise RuntimeError(f"the suite itself failed, please report it:\n{value}")
        else:
            return list(value)
        return None

    def _has_ended(self) -> bool:
        if self._status is None:
            done, status = os.waitpid(self._pid, os.WNOHANG)
            if done:
                self._status = status
        return self._status is not None

    def _end(self) -> int:
        """Ends the child, where it doesn't by itself, and whatever it started; its status."""
        deadline = time.monotonic() + (0 if self.interrupted or self._silent else GRACE)
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(0.005)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)  # it may have no group of its own yet
            self._status = os.waitpid(self._pid, 0)[1]
        return self._status

    def _note_printed(self, printed: IO[bytes]) -> None:
        printed.seek(0)
        text = printed.read(1 << 20).decode("utf-8", "replace")
        lines = [line for line in text.splitlines() if line.strip()]
        if lines and not any(note.startswith(PRINTED) for note in self.notes):
            more = " or more" if printed.read(1) else ""
            count = f"{len(lines):,}{more} {'line' if len(lines) == 1 and not more else 'lines'}"
            self.notes.append(f"{PRINTED} {count} while it was asked, the first: {lines[0].strip()[:100]!r}")


HANDLER = signal.default_int_handler
PRINTED = "the adapter printed"


def _be_the_child(
    parent: Child, writing: int, board: Board, printed: IO[bytes], fault: IO[bytes], careful: bool
) -> None:
    """The child's whole life; never returns."""
    tell = Teller(writing)

    def send(what: str, value: Any) -> None:
        tell((what, value))

    parents = os.getppid()

    def beat() -> None:
        board.beat()
        if os.getppid() != parents:
            board.end_started()
            os._exit(0)

    def stuck() -> None:
        board.be_stuck()
        os.kill(tell.me, signal.SIGKILL)

    def hung() -> None:
        """The next call that hangs will be known by its case."""
        hanging.append(board.violation(f"a call was still running after {watchdog.limit:g} seconds", True))
        write_down()

    def write_down() -> None:
        sweep.asker.journal = board.write
        watchdog.ended = board.clear

    def note(candidate: Candidate) -> None:
        first = sweep.collector.candidates.first(candidate)
        violation = violation_of(candidate, sweep.asker, sweep.chunker, first)
        told.add(violation.check)
        send("found", violation)

    hanging: list[Violation | None] = []
    told: set[str] = set()
    try:
        _settle_in(printed, fault)
        watchdog = Watchdog(parent.options.hang_after, beat, hung, stuck)
        sweep = Sweep(
            parent.implementation,
            parent.dialect,
            parent.options,
            watchdog,
            lambda progress: send("progress", progress),
            note,
        )
        if sweep.asker.remote is not None:
            sweep.asker.remote.started = board.started
        if careful:
            write_down()
        with watchdog:
            verdicts = parent.ask(sweep)
        sweep.close()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        send("verdicts", verdicts)
    except CaseError as error:
        send("case error", str(error))
    except TooManyHangs as error:
        known = next((violation for violation in hanging if violation is not None), None)
        if known is not None and "never-raises" not in told:
            send("found", known)
        send("died", Died(str(error), hung=True, told=True))
    except KeyboardInterrupt:
        # The terminal's doesn't come here: an implementation raised it. Its case is on the board.
        text = "a call raised KeyboardInterrupt, which ends a process"
        send("died", Died(text, board.last(text)))
    except BaseException:
        send("our error", traceback.format_exc())
    finally:
        os._exit(0)


def _settle_in(printed: IO[bytes], fault: IO[bytes]) -> None:
    """Makes the child a process group of its own, that reads nothing, and that writes where it disturbs nobody."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(printed.fileno(), 1)
    os.dup2(printed.fileno(), 2)
    # pytest's own streams, or those of its capture, are no longer where they lead.
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    faulthandler.enable(fault.fileno())
    # What the parent loaded stays: no collection need look at it again.
    gc.freeze()
