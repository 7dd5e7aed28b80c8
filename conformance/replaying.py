"""Asking one case again, as ``--case`` names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.case import Case, read_case, read_track
from conformance.checks.cost import Costs
from conformance.checks.isolation import Isolation, Track
from conformance.collecting import Collector
from conformance.profiles import Profile


def replay(collector: Collector, text: str, profile: Profile) -> None:
    """Collects what the case's check objects to, on that case alone. Raises CaseError."""
    dialect = collector.asker.readings.dialect.id
    case = read_case(text, collector.chunker)
    collector.wanted = [case.check]
    if case.check == "requests-isolated":
        _isolation(collector, case.extra, dialect)
    elif case.check in ("cost-linear", "memory-bounded"):
        costs = Costs(collector.asker, collector.chunker, profile.longest, profile.patience)
        for cost in costs.measure([case.extra["filler"]]):
            collector.keep_cost(cost)
    else:
        _observation(collector, case)


def _observation(collector: Collector, case: Case) -> None:
    chunkings = [collector.chunker.whole(case.output)]
    if case.chunking is not None:
        chunkings.append(case.chunking)
    for seen in collector.observe(case.output, case.request, chunkings):
        if seen.finish == case.finish:
            collector.judge(seen, "case")


def _isolation(collector: Collector, extra: Mapping[str, Any], dialect: str) -> None:
    tracks: list[Track] = []
    for values in extra["tracks"]:
        output, request, finish, chunking = read_track(values, dialect, collector.chunker)
        tracks.append(Track(output, request, finish, chunking or collector.chunker.whole(output)))
    for disturbance in Isolation(collector.asker, tracks).disturbances([extra["scenario"]]):
        collector.keep_disturbance(disturbance)
