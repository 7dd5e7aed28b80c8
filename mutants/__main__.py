"""The command line: judges every mutant, prints the kill matrix and the score, and fails where a rule is broken."""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
import time
from collections.abc import Collection, Sequence
from importlib.metadata import version
from pathlib import Path

from conformance.adapter import nearest
from conformance.checks import CHECKS
from conformance.corpus.further import further
from conformance.mutation.reports import NO_SCRIPT, ReportsError, viewer, write_reports
from conformance.profiles import PROFILES
from conformance.settings import Options
from mutants import equivalents
from mutants.gate import broken
from mutants.matrix import HANG_AFTER, Row, matrix
from mutants.mutant import Mutant
from mutants.registry import CONTROL, MUTANTS
from mutants.reporting import run_of
from mutants.showing import Shown
from oracles.cases import CaseFileError
from oracles.dialects import REGISTRY
from oracles.shape_table import SHAPES


class Failed(Exception):
    """What was asked can't be done; the text is one sentence."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the matrix; 0 where every rule holds, 1 where one is broken, 2 where the command is wrong."""
    chosen = _parser().parse_args(arguments)
    shown = Shown()
    try:
        mutants = _chosen(chosen.only)
        options = Options(
            profile=chosen.profile,
            seed=chosen.seed,
            checks=frozenset(CHECKS) - _known(chosen.without_check, CHECKS, "check"),
            without=_known(chosen.without_shape, [shape.id for shape in SHAPES], "shape"),
            hang_after=HANG_AFTER,
            shrink=False,
            corpus_only=chosen.corpus_only or bool(chosen.corpus),
            own_cases=not chosen.corpus,
            cases=tuple(case for folder in chosen.corpus for case in further(Path(folder), REGISTRY.ids()).cases),
        )
        listed = equivalents.read()
        script = viewer(chosen.elements) if chosen.report else None
    except (Failed, CaseFileError, equivalents.EquivalentsError, ReportsError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    controls = [Mutant(CONTROL.id, "", dialect, CONTROL.fault, "", CONTROL.names) for dialect in _dialects(mutants)]
    began = time.monotonic()
    control: list[Row] = []
    rows: list[Row] = []
    try:
        for row in matrix([*controls, *mutants.values()], options, chosen.jobs):
            (control if row.mutant == CONTROL.id else rows).append(row)
            shown.progress(len(rows) + len(control), len(mutants) + len(controls), row)
    except KeyboardInterrupt:
        shown.interrupted(len(rows), len(mutants))
        return 130
    order = list(mutants)
    rows.sort(key=lambda row: order.index(row.mutant))
    whole = len(mutants) == len(MUTANTS) and not options.corpus_only
    found = broken(rows, control, mutants, listed, whole)
    seconds = time.monotonic() - began
    shown.matrix(rows, mutants)
    shown.alone(rows)
    if chosen.report:
        run = run_of(
            rows,
            mutants,
            listed,
            version=version("llm-parser-conformance"),
            profile=chosen.profile,
            seconds=seconds,
        )
        try:
            write_reports(run, Path(chosen.report), script)
        except ReportsError as error:
            print(f"mutants: {error}", file=sys.stderr)
            return 2
        if script is None:
            shown.say(NO_SCRIPT)
    shown.verdict(rows, control, mutants, listed, found, seconds)
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="mutants by id; repeatable")
    parser.add_argument("--profile", choices=list(PROFILES), default="quick")
    parser.add_argument("--seed", type=int, metavar="N", help="other ground than that of every run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="mutants judged at a time")
    parser.add_argument("--corpus-only", action="store_true", help="judge by the corpora's cases and nothing else")
    parser.add_argument(
        "--corpus", action="append", default=[], metavar="DIR", help="judge by this folder's cases alone; repeatable"
    )
    parser.add_argument(
        "--report", metavar="DIR", help="write score.json, mutation.json and .html, summary.md, badge.json"
    )
    parser.add_argument("--elements", metavar="FILE", help="the page's viewer, mutation-test-elements.js")
    parser.add_argument(
        "--without-check", action="append", default=[], metavar="ID", help="leave a check out, to see what gets away"
    )
    parser.add_argument(
        "--without-shape", action="append", default=[], metavar="ID", help="leave a shape out, to see what gets away"
    )
    return parser


def _chosen(globs: Sequence[str]) -> dict[str, Mutant]:
    for glob in globs:
        if not fnmatch.filter(MUTANTS, glob):
            raise Failed(f"no mutant is called {glob!r}{nearest(glob, MUTANTS)}; without --only all are judged")
    return {id: mutant for id, mutant in MUTANTS.items() if not globs or any(fnmatch.fnmatch(id, g) for g in globs)}


def _known(ids: Sequence[str], known: Collection[str], what: str) -> frozenset[str]:
    for id in ids:
        if id not in known:
            raise Failed(f"no {what} is called {id!r}{nearest(id, known)}")
    return frozenset(ids)


def _dialects(mutants: dict[str, Mutant]) -> list[str]:
    """Where the mutants show, and so where the control must pass."""
    used = {mutant.dialect for mutant in mutants.values()}
    return [id for id in REGISTRY.ids() if id in used]


if __name__ == "__main__":
    sys.exit(main())
