"""The score as JSON, as corpora/schema/score.schema.json describes it."""

from __future__ import annotations

from typing import Any

from conformance.mutation.results import MutationRun

FORMAT = 1
"""The version of the form."""


def score_json(run: MutationRun) -> dict[str, Any]:
    """What ``score.json`` holds."""
    score = run.score
    return {
        "format": FORMAT,
        "title": run.title,
        "tool": run.tool,
        "version": run.version,
        "implementation": {"name": run.implementation, "version": run.implementation_version},
        "profile": run.profile,
        "dialects": list(run.dialects),
        "files": sorted(run.sources),
        "counts": {
            "killed": score.killed,
            "timeout": score.timeout,
            "survived": score.survived,
            "equivalent": score.equivalent,
            "not_tried": score.not_tried,
            "unreached": score.unreached,
            "total": score.total,
        },
        "percent": score.percent,
        "percent_reached": score.percent_reached,
        "seconds": round(run.seconds, 3),
        "complete": run.complete,
    }
