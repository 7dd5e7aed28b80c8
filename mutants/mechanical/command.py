"""The command line of mechanical mutation."""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from mutants.mechanical.changes import Mutant
from mutants.mechanical.equivalents import EquivalentsError, read_equivalents
from mutants.mechanical.gate import Run, problems
from mutants.mechanical.needs import MUTMUT
from mutants.mechanical.record import RecordError, changed_functions, read_record, write_record
from mutants.mechanical.running import Clean, Result, RunError, judged
from mutants.mechanical.scratch import Scratch, scratch_copy
from mutants.mechanical.targets import JUDGED_BY
from mutants.mechanical.telling import as_data, as_text

ROOT = Path(__file__).parent.parent.parent
EQUIVALENT = ROOT / "mutants" / "equivalent.toml"
RECORD = ROOT / "mutants" / "mechanical.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command: 0 where the gate passes, 1 where it fails, 2 for bad use."""
    options = _parser().parse_args(arguments)
    if options.record and (options.changed or options.only != "*" or options.skip_listed):
        print("--record needs a whole run: leave --changed, --only and --skip-listed out", file=sys.stderr)
        return 2
    try:
        listed = read_equivalents(EQUIVALENT)
        record = read_record(RECORD) if options.changed else None
        with scratch_copy(ROOT, JUDGED_BY, options.jobs) as scratch:
            asked = [each for each in scratch.mutants if fnmatch.fnmatchcase(each.change.function, options.only)]
            if not asked:
                print(
                    f"--only {options.only}: no function is called so; give one such as 'oracles.reader.*'",
                    file=sys.stderr,
                )
                return 2
            if record is not None:
                changed = changed_functions(record, scratch.digests, MUTMUT)
                print(f"{len(changed)} of {len(scratch.digests)} functions differ from the record")
                asked = [each for each in asked if each.change.function in changed]
                if not asked:
                    print(f"nothing to judge; the recorded score is {record['score']} %")
                    return 0
            skipped = [each for each in asked if options.skip_listed and each.change in listed]
            asked = [each for each in asked if each not in skipped]
            begun = time.monotonic()
            clean, results = _judged(scratch, asked, options.jobs)
            seconds = time.monotonic() - begun
            run = Run(scratch.mutants, asked, scratch.bare, listed, clean, results, skipped, seconds)
            return _told(run, scratch, options)
    except (EquivalentsError, RecordError, RunError) as error:
        print(error, file=sys.stderr)
        return 1 if isinstance(error, RunError) else 2


def _judged(scratch: Scratch, asked: Sequence[Mutant], jobs: int) -> tuple[Clean, list[Result]]:
    console = Console(stderr=True)
    with console.status("the clean run") as status:

        def tell(done: int) -> None:
            if done > 1:
                status.update(f"{done - 1:,} of {len(asked):,} mutants")

        return judged(ROOT, scratch, asked, JUDGED_BY, jobs, tell)


def _told(run: Run, scratch: Scratch, options: argparse.Namespace) -> int:
    only = options.only if not options.changed else ""
    found = list(problems(run, only))
    print("\n".join(as_text(run, found)))
    if options.json:
        options.json.write_text(json.dumps(as_data(run, found, MUTMUT), indent=1) + "\n", encoding="utf-8")
    if options.record and not found:
        write_record(RECORD, run, scratch.digests, MUTMUT)
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mutants.mechanical",
        description="Mutates our own code with mutmut, and fails where no test sees it.",
    )
    parser.add_argument(
        "--only", metavar="GLOB", default="*", help="the functions that match, such as 'oracles.reader.*'"
    )
    parser.add_argument("--jobs", metavar="N", type=_jobs, default=os.cpu_count() or 1, help="mutants at a time")
    parser.add_argument("--json", metavar="FILE", type=Path, help="the result as data")
    parser.add_argument("--skip-listed", action="store_true", help="doesn't run what is listed as equal")
    parser.add_argument(
        "--changed", action="store_true", help="only functions that differ from mutants/mechanical.json"
    )
    parser.add_argument("--record", action="store_true", help="writes mutants/mechanical.json, if the gate passes")
    return parser


def _jobs(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs; give 1 or more")
    return number
