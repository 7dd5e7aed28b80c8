"""Measuring: what a measurement objects to, and how steeply time grows with length."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from conformance.checks.fillers import Filler
from conformance.observation import Finding

EXPONENT = 1.5
"""Time that grows faster than the length to this power is no longer linear: a linear reader was never seen above 1.34,
a quadratic one not below 1.6 at the lengths that are tried (processor time, collector off, each thrice)."""

DOUBTFUL = 1.25
"""From this power on, the longest outputs are doubled once more before anything is said."""

MEASURABLE = 0.004
"""Seconds of processor time under which a growth says nothing."""


PATIENT = 10
"""By the clock a measurement may take so many times its seconds: processors are shared, and calls may wait."""


class Patience:
    """How long something may go on: seconds of processor time, which are the same whatever else runs."""

    def __init__(self, seconds: float, processor: Callable[[], float] = time.thread_time) -> None:
        """``processor``: seconds of processor time until now."""
        self._processor = processor
        self._until = processor() + seconds
        self._at_most = time.monotonic() + PATIENT * seconds

    @property
    def over(self) -> bool:
        """Whether it has gone on long enough."""
        return self._processor() > self._until or time.monotonic() > self._at_most


@dataclass(frozen=True, slots=True)
class Cost:
    """What a measurement objects to: the check, the output's filler and length, and the finding."""

    check: str
    filler: Filler
    length: int
    finding: Finding


def growth(times: tuple[float, float], factor: int) -> float:
    """The power of the length with which time grows, where the output is ``factor`` times as long; 0 where unknown."""
    small, large = times
    return math.log(large / small, factor) if small > 0 and large > MEASURABLE else 0.0
