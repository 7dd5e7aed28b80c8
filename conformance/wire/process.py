"""A command's process: what is written to it and read from it without ever waiting for it in vain, and its end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # no POSIX system, where no command is started
    fcntl = None  # type: ignore[assignment]

from conformance.wire.telling import how_it_ended, told_lines

ROOM = 1 << 20
"""Bytes that a pipe holds, where the system lets it."""
READ = 1 << 18
"""Bytes that are read at a time."""
LONGEST = 1 << 16
"""Bytes that a line may have whatever was asked."""
TAIL = 1 << 13
"""Bytes of standard error that are remembered, the last ones."""
BRIEFLY = 1.0
"""Seconds that a process has to end by itself, and again when it was told to."""


class Broken(Exception):
    """The conversation can't go on. ``kind``: ``died``, ``hung`` or ``lost``; the text says how."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Process:
    """A running command.

    ``lines``: what it wrote to standard output and nobody took yet. ``limit``: bytes that its next line may have.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """Starts it, in a process group of its own that ends with this process. Raises OSError."""
        self.lines: deque[bytes] = deque()
        self.limit = LONGEST
        self._owner = os.getpid()
        self._unsent: deque[memoryview] = deque()
        self._begun = bytearray()
        self._tail = bytearray()
        self._closed = False
        # A Ctrl-C that comes during a fork would be raised, and lost, in what Python calls after one.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads: what follows is brief
                self._process = subprocess.Popen(
                    list(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    process_group=0,
                    preexec_fn=_begins(os.getpid(), before),
                )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._in, self._out, self._err = (
            self._process.stdin.fileno(),
            self._process.stdout.fileno(),
            self._process.stderr.fileno(),
        )
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError, AttributeError):
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, ROOM)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._writes = False

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self._process.pid

    @property
    def ours(self) -> bool:
        """Whether this process started it; a fork only inherits it."""
        return os.getpid() == self._owner

    @property
    def stderr(self) -> str:
        """The last lines of its standard error, as they are told in a sentence; "" where there are none."""
        return told_lines(bytes(self._tail))

    @property
    def half(self) -> str:
        """The line that it began and didn't end, for a sentence; "" where there is none."""
        begun = bytes(self._begun[:60]).decode("utf-8", "replace")
        return f", half a line before it: {begun!r}" if begun else ""

    def seconds(self) -> float | None:
        """Processor time that it and what it started have used, of what still runs; None where it can't be known."""
        if not sys.platform.startswith("linux"):
            return None
        total, found = 0.0, [self.pid]
        while found:
            pid = found.pop()
            try:
                total += time.clock_gettime((~pid << 3) | 2)
                for children in Path(f"/proc/{pid}/task").glob("*/children"):
                    found += map(int, children.read_text().split())
            except OSError:  # it has ended meanwhile
                continue
        return total

    def write(self, data: bytes) -> None:
        """Has ``data`` written as soon as the process takes it. Never waits."""
        self._unsent.append(memoryview(data))
        self._send()

    def line(self, seconds: float) -> bytes:
        """The next line of its standard output. Raises Broken where none comes in time, or none ever will."""
        end = time.monotonic() + seconds
        while not self.lines:
            left = end - time.monotonic()
            if left <= 0:
                raise Broken("hung", "")
            self.exchange(min(left, 0.1))
        return self.lines.popleft()

    def exchange(self, seconds: float = 0.0) -> None:
        """Writes and reads what can be, waiting at most so long for either. Raises Broken."""
        wants = bool(self._unsent)
        if wants != self._writes:
            self._writes = wants
            if wants:
                self._poll.register(self._in, select.POLLOUT)
            else:
                self._poll.unregister(self._in)
        ready = self._poll.poll(seconds * 1000)
        for pipe, _ in ready:
            if pipe == self._in:
                self._send()
            elif pipe == self._out:
                self._read()
            else:
                self._read_stderr()
        if not ready and seconds and self._process.poll() is not None:
            # A process of its own that it left behind may hold the pipes open: no end of file comes then.
            self._fail()
        if self._closed:
            self._fail()

    def end(self, last: bytes = b"", wait: float = BRIEFLY) -> bool:
        """Ends it and whatever it started: by its last words, by the end of its input, by a signal, by force.

        Whether it ended by itself.
        """
        if not self.ours:
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                with contextlib.suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
            self._process.returncode = 0  # it is another process's to wait for
            return False
        by_itself = self._process.poll() is not None
        if not by_itself and wait:
            with contextlib.suppress(OSError):
                os.write(self._in, last)
            with contextlib.suppress(OSError):
                self._process.stdin.close()  # type: ignore[union-attr]
            by_itself = self._ends_within(wait)
            if not by_itself:
                self._signal(signal.SIGTERM)
                self._ends_within(wait)
        self._signal(signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        return by_itself

    def _ends_within(self, seconds: float) -> bool:
        """Whether it ends by itself in time; what it still writes is read, so that it can."""
        end = time.monotonic() + seconds
        pipes = [self._out, self._err]
        while self._process.poll() is None:
            if time.monotonic() > end:
                return False
            for pipe in select.select(pipes, [], [], 0.005)[0]:
                if not (data := os.read(pipe, READ)):
                    pipes.remove(pipe)
                elif pipe == self._err:
                    self._remember(data)
            if not pipes:
                time.sleep(0.002)
        return True

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _send(self) -> None:
        while self._unsent:
            data = self._unsent[0]
            try:
                sent = os.write(self._in, data)
            except BlockingIOError:
                return
            except OSError:  # it reads no more; how it ended is told by what is read
                self._unsent.clear()
                return
            if sent == len(data):
                self._unsent.popleft()
            else:
                self._unsent[0] = data[sent:]

    def _read(self) -> None:
        try:
            data = os.read(self._out, READ)
        except BlockingIOError:
            return
        if not data:
            self._closed = True
            return
        first, *rest = data.split(b"\n")
        self._begun += first
        if rest:
            self.lines.append(bytes(self._begun))
            self.lines.extend(rest[:-1])
            self._begun = bytearray(rest[-1])
        if len(self._begun) > self.limit:
            begin = bytes(self._begun[:60]).decode("utf-8", "replace")
            raise Broken("lost", f"its stdout is flooded: a line has more than {self.limit:,} bytes, {begin!r}…")

    def _read_stderr(self) -> None:
        try:
            data = os.read(self._err, READ)
        except BlockingIOError:
            return
        if data:
            self._remember(data)
        else:
            self._poll.unregister(self._err)

    def _remember(self, data: bytes) -> None:
        self._tail = (self._tail + data)[-TAIL:]

    def _fail(self) -> None:
        """Raises Broken, once all lines that it wrote were taken, and says how it ended."""
        if self.lines:
            return
        self._ends_within(BRIEFLY / 4)
        status = self._process.poll()
        with contextlib.suppress(OSError, ValueError):
            for _ in range(64):
                if not (data := os.read(self._err, READ)):
                    break
                self._remember(data)
        raise Broken("lost" if status is None else "died", how_it_ended(status) + self.half)


def _begins(parent: int, signals: set[Any]) -> Callable[[], None]:
    """What a new process calls first: it takes ``signals`` as blocked, and ends when its parent does, on Linux."""
    prctl = None
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            prctl = ctypes.CDLL(None).prctl

    def begin() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        if prctl is not None:
            prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            if os.getppid() != parent:
                os._exit(1)

    return begin
