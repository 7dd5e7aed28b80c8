"""A limit on how long one call may take."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sized
from types import FrameType
from typing import Any

NOTHING: tuple[()] = ()
MOST_HANGS = 3
"""After so many calls that hang, none is begun any more."""
TRIES = 3
"""So often a call that hangs is interrupted; one that goes on all the same is stuck."""
LOOK = 64
"""Every so many calls the alarm is looked after: an implementation may have set one of its own."""


class Hang(BaseException):
    """Raised inside a call that outlasts the limit. No Exception, so that most handlers let it pass."""


class TooManyHangs(BaseException):
    """Raised in place of a further call; the text says how many hung."""


class Unwatched:
    """A watchdog that watches nothing, for calls in threads: signals reach the main thread alone.

    ``hangs``: how many calls it interrupted, those too that swallowed the interruption.
    """

    limit = float("inf")
    hangs = 0

    def begin(self, progress: Sized = NOTHING) -> None:
        """A call begins. ``progress``: grows with each of its steps, each of which has the limit for itself."""

    def end(self) -> None:
        """The call is over."""


class Watchdog(Unwatched):
    """Interrupts calls that take longer than ``limit`` seconds.

    ``begin`` and ``end`` bound what one call, or one stream, does; of a stream, each chunk has the limit anew.
    It works by a signal, so in a main thread alone; elsewhere, and inside code that never returns to the
    interpreter, it can't interrupt, and whoever runs the process must watch ``beat``.

    ``ended``: called after each call. ``hung``: called before a call is interrupted for the first time. ``stuck``:
    called where a call goes on although it was interrupted.
    """

    def __init__(
        self,
        limit: float,
        beat: Callable[[], None] | None = None,
        hung: Callable[[], None] | None = None,
        stuck: Callable[[], None] | None = None,
    ) -> None:
        """``beat``: called some times in every limit as long as the interpreter runs."""
        self.limit = limit
        self.ended: Callable[[], None] | None = None
        self._beat = beat
        self._hung = hung
        self._stuck = stuck
        self._calls = 0
        self._look = LOOK
        self._running = False
        self._progress: Sized = NOTHING
        self._seen: tuple[int, int] = (0, 0)
        self._since = 0.0
        self._tries = 0
        self._before: Any = None
        self._pause = min(1.0, self.limit / 5)
        self._works = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Watchdog:
        if self._works:
            self._before = signal.signal(signal.SIGALRM, self._tick)
            signal.setitimer(signal.ITIMER_REAL, self._pause, self._pause)
        return self

    def __exit__(self, *_: object) -> None:
        if self._works:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    def begin(self, progress: Sized = NOTHING) -> None:
        """A call begins. ``progress``: grows with each of its steps, each of which has the limit for itself.

        Raises TooManyHangs.
        """
        self._calls += 1
        if self._calls >= self._look:
            self._look_after()
        self._progress = progress
        self._running = True

    def end(self) -> None:
        """The call is over."""
        self._running = False
        if self.ended is not None:
            self.ended()

    def _look_after(self) -> None:
        if self.hangs >= MOST_HANGS:
            raise TooManyHangs(f"{self.hangs} calls hung")
        self._look = self._calls + LOOK
        if not self._works:
            return
        if signal.getsignal(signal.SIGALRM) != self._tick:
            signal.signal(signal.SIGALRM, self._tick)
        if not signal.getitimer(signal.ITIMER_REAL)[1]:
            signal.setitimer(signal.ITIMER_REAL, self._pause, self._pause)

    def _tick(self, _signal: int, _frame: FrameType | None) -> None:
        if self._beat is not None:
            self._beat()
        now = time.monotonic()
        at = (self._calls, len(self._progress))
        if not self._running or at != self._seen:
            self._seen, self._since, self._tries = at, now, 0
        elif now - self._since >= self.limit:
            self._interrupt()

    def _interrupt(self) -> None:
        """Interrupts the call; again at every tick, where it goes on."""
        if not self._tries:
            self.hangs += 1
            if self._hung is not None:
                self._hung()
            if self.hangs >= MOST_HANGS:
                self._look = 0
        self._tries += 1
        if self._tries > TRIES and self._stuck is not None:
            self._stuck()
        raise Hang
