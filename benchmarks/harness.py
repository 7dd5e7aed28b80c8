"""Streams a second of a sweep, against a bare loop that feeds the same chunks to the same reader."""

from __future__ import annotations

import cProfile
import pstats
import sys
import time
from collections.abc import Callable
from typing import Any

from conformance.adapter import Implementation, load
from conformance.judge import judge
from conformance.settings import Options
from conformance.sweep import Sweep
from conformance.watchdog import Unwatched
from oracles.dialects import REGISTRY


def recorded(implementation: Implementation, dialect: str, options: Options) -> tuple[list[Any], list[Any]]:
    """Every split and every stream that a sweep asks for, in order."""
    splits: list[Any] = []
    streams: list[Any] = []

    def write_down(output: Any, request: Any, finish: Any, chunking: Any) -> None:
        if chunking is None:
            splits.append((output.raw, request, finish))
        else:
            streams.append((request, finish, chunking.chunks))

    sweep = Sweep(implementation, REGISTRY.get(dialect), options, Unwatched(), lambda progress: None)
    sweep.asker.journal = write_down
    sweep.climb()
    return splits, streams


def bare(implementation: Implementation, splits: list[Any], streams: list[Any]) -> float:
    """Seconds of a loop that only asks."""
    adapter = implementation.adapter
    start = time.perf_counter()
    for raw, request, finish in splits:
        adapter.split(raw, request, finish)
    for request, finish, chunks in streams:
        stream = adapter.stream(request)
        feed = stream.feed
        for chunk in chunks:
            feed(chunk)
        stream.finish(finish)
    return time.perf_counter() - start


def swept(implementation: Implementation, dialect: str, options: Options) -> float:
    """Seconds of a sweep, its start and its child process included."""
    start = time.perf_counter()
    verdicts = judge(implementation, dialect, options, lambda progress: None)
    assert all(verdict.outcome == "pass" for verdict in verdicts)
    return time.perf_counter() - start


def compare(dialect: str, profile: str) -> None:
    """The whole profile, and the part of it that asks for observations, against the bare loop."""
    implementation = load("conformance.adapters.reference")
    whole = Options(profile=profile)
    seconds = min(swept(implementation, dialect, whole) for _ in range(3))
    ladder = frozenset(OBSERVING)
    options = Options(profile=profile, checks=ladder)
    splits, streams = recorded(implementation, dialect, options)
    pairs = sorted((bare(implementation, splits, streams), swept(implementation, dialect, options)) for _ in range(5))
    loop, sweep = pairs[2]
    print(f"{dialect}, {profile}: {seconds:.2f} s with every check")
    print(
        f"  the checks that look at streams: {len(streams):,} streams and {len(splits):,} splits; bare loop "
        f"{len(streams) / loop:,.0f} streams a second, sweep {len(streams) / sweep:,.0f} ({loop / sweep:.0%} of it)"
    )


OBSERVING = (
    "streamed-equals-split",
    "whitespace-agrees",
    "chunks-do-not-matter",
    "nothing-lost",
    "markers-do-not-leak",
    "order-kept",
    "released-in-time",
    "released-at-once",
    "never-raises",
    "finish-respected",
    "reads-as-declared",
)


def where_the_rest_goes(dialect: str, profile: str) -> None:
    """A profile of the sweep, by module of ours."""
    implementation = load("conformance.adapters.reference")
    profiler = cProfile.Profile()
    call: Callable[[], Any] = lambda: judge(  # noqa: E731
        implementation, dialect, Options(profile=profile, in_process=True), lambda progress: None
    )
    profiler.runcall(call)
    stats: dict[str, float] = {}
    for (filename, _, _), (_, _, own, _, _) in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        parts = filename.replace("\\", "/").split("/")
        name = "/".join(parts[-2:]) if {"oracles", "conformance", "hypothesis"} & set(parts) else "the interpreter"
        name = "hypothesis" if "hypothesis" in parts else name
        stats[name] = stats.get(name, 0.0) + own
    total = sum(stats.values())
    print(f"{dialect}, {profile}: where the time goes (under a profiler, which makes short calls dearer)")
    for name, own in sorted(stats.items(), key=lambda item: -item[1])[:14]:
        print(f"  {own / total:6.1%}  {name}")


if __name__ == "__main__":
    names = sys.argv[1:] or ["qwen3", "kimi_k3"]
    for name in names:
        compare(name, "quick")
    where_the_rest_goes(names[0], "quick")
