"""Judging an adapter that is made in a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from conformance.adapter import Implementation, examined
from conformance.checks.cost import Cost, Costs
from conformance.judge import Options, Progress, judge
from conformance.profiles import PROFILES
from conformance.sweep import Sweep
from conformance.verdicts import Verdict
from conformance.watchdog import Unwatched
from mutants.adapter import Adapter
from oracles.dialects import REGISTRY


def implementation(adapter: Adapter) -> Implementation:
    """An adapter as ``--impl`` would load it."""
    return examined(adapter, "an adapter made in a test")


def judged(
    adapter: Adapter,
    dialect: str,
    checks: Iterable[str] | None = None,
    profile: str = "quick",
    seed: int | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> list[Verdict]:
    """The verdicts on an adapter, all of them or those of some checks, judged in this process. Raises Interrupted."""
    options = Options(
        profile=profile,
        seed=seed,
        checks=None if checks is None else frozenset(checks),
        hang_after=1.0,
        in_process=True,
    )
    return judge(implementation(adapter), dialect, options, progress)


def measured(adapter: Adapter, dialect: str, fillers: Sequence[str]) -> list[Cost]:
    """What the measurements of cost object to on some fillers, in the quick profile."""
    options, profile = Options(profile="quick"), PROFILES["quick"]
    sweep = Sweep(implementation(adapter), REGISTRY.get(dialect), options, Unwatched(), lambda _: None)
    return list(Costs(sweep.asker, sweep.chunker, profile.longest, profile.patience).measure(fillers))
