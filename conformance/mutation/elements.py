"""Mutation results in the form of mutation-testing-elements: the JSON, and a page that needs nothing else."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.mutation.results import MutantResult, MutationRun, Status

SCHEMA = (
    "https://raw.githubusercontent.com/stryker-mutator/mutation-testing-elements/master/packages/report-schema/src/"
    "mutation-testing-report-schema.json"
)
STATUS: Mapping[Status, str] = {
    "killed": "Killed",
    "timeout": "Timeout",
    "survived": "Survived",
    "equivalent": "Ignored",
    "not tried": "Pending",
}
"""A status of ours to the form's."""

THRESHOLDS = {"high": 95, "low": 80}

SCRIPT = Path("node_modules/mutation-testing-elements/dist/mutation-test-elements.js")
"""Where npm puts the viewer, from the folder it is run in."""


def elements_json(run: MutationRun) -> dict[str, Any]:
    """The results as mutation-testing-report-schema 2 has them; a check is a test."""
    files: dict[str, Any] = {
        file: {"language": "python", "source": source, "mutants": []} for file, source in run.sources.items()
    }
    for result in run.results:
        files[result.file]["mutants"].append(_mutant(result))
    killers = sorted({result.killed_by for result in run.results if result.killed_by})
    return {
        "$schema": SCHEMA,
        "schemaVersion": "2",
        "thresholds": THRESHOLDS,
        "files": files,
        "testFiles": {"checks": {"tests": [{"id": killer, "name": killer} for killer in killers]}},
        "framework": {"name": run.tool, "version": run.version},
        "config": {
            "implementation": f"{run.implementation} {run.implementation_version}",
            "profile": run.profile,
            "dialects": list(run.dialects),
            "complete": run.complete,
        },
    }


def _mutant(result: MutantResult) -> dict[str, Any]:
    mutant: dict[str, Any] = {
        "id": result.id,
        "mutatorName": result.description,
        "replacement": result.replacement,
        "location": {"start": _position(result.start), "end": _position(_end(result))},
        "status": "NoCoverage" if result.status == "survived" and not result.reached else STATUS[result.status],
        "duration": round(result.seconds * 1000),
        "static": False,
    }
    reason = ": ".join(part for part in (result.dialect, result.reason) if part)
    if result.status == "equivalent":
        reason = f"equivalent: {reason}"
    if reason:
        mutant["statusReason"] = reason
    if result.killed_by:
        mutant["killedBy"] = mutant["coveredBy"] = [result.killed_by]
    return mutant


def _end(result: MutantResult) -> tuple[int, int]:
    """Where it ends; what only inserts is given the width of a character, so that the viewer shows it."""
    return result.end if result.end > result.start else (result.start[0], result.start[1] + 1)


def _position(place: tuple[int, int]) -> dict[str, int]:
    return {"line": place[0], "column": place[1]}


def elements_html(run: MutationRun, script: str) -> str:
    """A page with the results and their viewer. ``script``: the text of mutation-test-elements.js."""
    title = html.escape(f"{run.implementation} {run.implementation_version}: {run.title}")
    viewer = script.replace("</script", "<\\/script")
    report = json.dumps(elements_json(run)).replace("<", "\\u003c")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<script>{viewer}</script>\n</head>\n<body>\n"
        f'<mutation-test-report-app title-postfix="{title}"></mutation-test-report-app>\n'
        f'<script>document.querySelector("mutation-test-report-app").report = {report};</script>\n'
        "</body>\n</html>\n"
    )
