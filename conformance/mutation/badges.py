"""A badge of the score, as the endpoint of shields.io reads it."""

from __future__ import annotations

from typing import Any

from conformance.mutation.results import MutationRun, percent_text

COLOURS = ((95.0, "brightgreen"), (85.0, "green"), (70.0, "yellow"), (50.0, "orange"), (0.0, "red"))
"""From which percentage on a badge has which colour."""


def badge_json(run: MutationRun) -> dict[str, Any]:
    """What ``badge.json`` holds. A run that isn't complete has no colour to be proud of."""
    percent = run.score.percent
    if percent is None or not run.complete:
        colour = "lightgrey"
    else:
        colour = next(colour for least, colour in COLOURS if percent >= least)
    message = percent_text(run.score) if run.complete else f"{percent_text(run.score)} (not complete)"
    return {"schemaVersion": 1, "label": run.title, "message": message, "color": colour}
