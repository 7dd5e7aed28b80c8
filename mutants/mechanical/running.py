"""The run of the tests over every mutant, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutants.mechanical.changes import Mutant
from mutants.mechanical.forking import PLAN
from mutants.mechanical.scratch import Scratch


class RunError(Exception):
    """The tests could not be run over the mutants; the text says why."""


@dataclass(frozen=True, slots=True)
class Clean:
    """The run of the tests without a mutant: how many passed or failed, and those that failed."""

    tests: int
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a mutant.

    ``status``: ``killed``, ``timeout``, ``survived`` or ``no tests`` (none calls its function). ``killer``: the test
    that failed. ``seconds``: by the clock.
    """

    mutant: Mutant
    status: str
    killer: str = ""
    seconds: float = 0.0

    @property
    def dead(self) -> bool:
        """Whether a test saw the mutant."""
        return self.status in ("killed", "timeout")


def judged(
    root: Path,
    scratch: Scratch,
    mutants: Sequence[Mutant],
    judges: Mapping[str, Sequence[str]],
    jobs: int,
    tell: Callable[[int], object],
) -> tuple[Clean, list[Result]]:
    """The clean run, and the result of each mutant; none where the clean run failed.

    ``judges``: path of a module to the files of its tests, all from the root of the tree on. ``tell`` is given the number of results so far, from time to time.
    Raises RunError where pytest can't run them at all.
    """
    results, log = scratch.folder / "results.jsonl", scratch.folder / "pytest.log"
    work = {each.name: (each.caller, judges[each.path]) for each in mutants}
    tests = sorted({test for _, files in work.values() for test in files})
    plan = {"mutants": work, "jobs": jobs, "results": str(results)}
    (scratch.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    command = [
        *(
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-s",
            "--tb=native",
            "-p",
            "mutants.mechanical.forking",
            "-p",
            "no:xdist",
        ),
        *("-p", "no:randomly", *tests),
    ]
    with log.open("w", encoding="utf-8") as written:
        process = subprocess.Popen(
            command, cwd=scratch.folder, env=_environment(root, scratch.folder), stdout=written, stderr=written
        )
        try:
            while process.poll() is None:
                time.sleep(0.1)
                tell(results.read_bytes().count(b"\n") if results.exists() else 0)
        finally:
            process.kill()
            process.wait()
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()] if results.exists() else []
    if not lines:
        raise RunError(f"pytest ended with {process.returncode} before any test ran:\n{log.read_text('utf-8')[-2000:]}")
    clean = Clean(lines[0]["tests"], tuple(lines[0]["failed"]))
    if lines[0]["tests"] < lines[0]["collected"] and not clean.failed:
        clean = Clean(clean.tests, (f"the run ended after {clean.tests} of {lines[0]['collected']} tests",))
    known = {mutant.name: mutant for mutant in mutants}
    return clean, [
        Result(known[line["name"]], line["status"], line["killer"], line["seconds"])
        for line in lines[1:]
        if line["kind"] == "mutant"
    ]


def _environment(root: Path, folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MUTANT"))}
    path = os.pathsep.join([str(folder), str(root)])
    hashed = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**kept, **hashed, "PYTHONPATH": path, PLAN: str(folder / "plan.json"), "MUTANT_UNDER_TEST": ""}
