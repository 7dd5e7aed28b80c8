"""How a run is told: as text, and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from mutants.mechanical.gate import Run, Score, per_module


def as_text(run: Run, problems: Sequence[str]) -> Iterator[str]:
    """Lines for a person: counts a module, each survivor with its diff, what the gate objects to, the score last."""
    scores = per_module(run)
    width = max(map(len, scores), default=6)
    yield f"{'module':{width}}  mutants  killed  timeout  survived  equal   score"
    for module, score in scores.items():
        yield f"{module:{width}}  {_row(score)}"
    for result in run.survivors():
        yield ""
        yield f"{result.status.upper()}  {result.mutant.change.function}  {result.mutant.name}"
        yield from (f"    {line}" for line in result.mutant.diff)
    yield ""
    if run.seconds and run.results:
        rate = len(run.results) / run.seconds
        yield f"{len(run.results):,} mutants in {run.seconds:.0f} s, {rate:.1f} a second; {run.clean.tests:,} tests"
    for problem in problems:
        yield f"FAIL  {problem}"
    yield last_line(run.score())


def last_line(score: Score) -> str:
    """The score in a line."""
    counted = score.mutants - score.equivalent
    seen = score.killed + score.timeout
    return (
        f"score {score.percent:.2f} %: {seen:,} of {counted:,} mutants seen, {score.equivalent:,} more listed as equal"
    )


def as_data(run: Run, problems: Sequence[str], version: str) -> dict[str, Any]:
    """The same for a program."""
    return {
        "tool": "mutmut",
        "version": version,
        "passed": not problems,
        "problems": list(problems),
        "seconds": round(run.seconds, 1),
        "tests": run.clean.tests,
        "total": _counts(run.score()),
        "modules": {module: _counts(score) for module, score in per_module(run).items()},
        "survivors": [
            {
                "name": result.mutant.name,
                "function": result.mutant.change.function,
                "status": result.status,
                "diff": list(result.mutant.diff),
            }
            for result in run.survivors()
        ],
    }


def _counts(score: Score) -> dict[str, Any]:
    return {**asdict(score), "percent": round(score.percent, 2)}


def _row(score: Score) -> str:
    return (
        f"{score.mutants:7,}  {score.killed:6,}  {score.timeout:7,}  {score.survived:8,}  {score.equivalent:5,}  "
        f"{score.percent:5.1f}%"
    )
