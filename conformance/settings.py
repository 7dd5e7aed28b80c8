"""What a run was asked for, and what it tells while it goes on."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from oracles.cases import RecordedCase


@dataclass(frozen=True, slots=True)
class Options:
    """How to judge.

    ``profile``: quick, standard or deep. ``seed``: None for the same ground on every run.
    ``checks``: the ids wanted, None for all. ``hang_after``: seconds after which a call counts as hanging.
    ``without``: ids of shapes that are left out. ``in_process``: no child process; a crash then ends the run.
    ``corpus_only``: the corpora's cases are tried and nothing else. ``cases``: further ones beside them;
    ``own_cases``: False leaves those of the corpora out. ``shrink``: what is found is
    made smaller; where it isn't, the first violation of a check is enough.
    """

    profile: str = "standard"
    seed: int | None = None
    checks: frozenset[str] | None = None
    hang_after: float = 10.0
    without: frozenset[str] = frozenset()
    in_process: bool = False
    corpus_only: bool = False
    own_cases: bool = True
    shrink: bool = True
    cases: tuple[RecordedCase, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sweep is: its rung, how much it has tried, the share that is done (0 to 1), checks failed so far."""

    dialect: str
    rung: str
    outputs: int
    streams: int
    share: float
    failed: int


def seconds(text: str) -> float:
    """An option's number of seconds. Raises argparse.ArgumentTypeError where it is none, or none above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return number
