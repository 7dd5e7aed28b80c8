"""The check that every call gives an answer."""

from __future__ import annotations

from conformance.observation import Failure, Finding, Observation


def never_raises(seen: Observation) -> Finding | None:
    """No call raises, hangs, kills its process or answers what the protocol doesn't allow."""
    if isinstance(seen.split, Failure):
        return Finding(note=seen.split.text, extra={"failure": seen.split.kind})
    for run in seen.streams:
        if run.failure is not None:
            return Finding(run=run, note=run.failure.text, extra={"failure": run.failure.kind})
    for name, answers in seen.surfaces.items():
        for _, answer in answers:
            if isinstance(answer, Failure):
                return Finding(note=f"surface {name}: {answer.text}", extra={"failure": answer.kind, "surface": name})
    return None
