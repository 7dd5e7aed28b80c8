"""The command line of mechanical mutation."""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from mutants.mechanical.changes import Change, Mutant
from mutants.mechanical.equivalents import Equivalent, EquivalentsError, read_equivalents
from mutants.mechanical.gate import Run, problems
from mutants.mechanical.needs import MUTMUT
from mutants.mechanical.options import parsed
from mutants.mechanical.record import RecordError, changed_functions, read_record, write_record
from mutants.mechanical.running import Clean, Result, RunError, judged
from mutants.mechanical.scratch import Scratch, scratch_copy
from mutants.mechanical.targets import JUDGED_BY, WALKED
from mutants.mechanical.telling import as_data, as_text
from mutants.mechanical.walking import walked

ROOT = TREE = Path(__file__).parent.parent.parent
EQUIVALENT = ROOT / "mutants" / "equivalent.toml"
RECORD = ROOT / "mutants" / "mechanical.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command: 0 where the gate passes, 1 where it fails, 2 for bad use, 130 for Ctrl-C."""
    options = parsed(arguments)
    if options.record and options.skip_listed:
        print("--record needs every mutant of a function judged: leave --skip-listed out", file=sys.stderr)
        return 2
    try:
        listed = read_equivalents(EQUIVALENT)
        record = read_record(RECORD) if options.changed else None
        modules = WALKED if options.walk else [*_modules(options.only)]
        with scratch_copy(TREE, modules, options.jobs) as scratch:
            if options.walk:
                return _walked(scratch, options.walk)
            asked = [each for each in scratch.mutants if fnmatch.fnmatchcase(each.change.function, options.only)]
            if not asked:
                print(f"--only {options.only}: no function is called so; try 'oracles.reader.*'", file=sys.stderr)
                return 2
            if record is not None:
                changed = changed_functions(record, scratch.digests, MUTMUT)
                asked = [each for each in asked if each.change.function in changed]
                print(f"{len(changed)} of {len(scratch.digests)} functions differ from the record")
                if not asked:
                    print(f"nothing to judge; the recorded score is {record['score']} %")
                    return 0
            return _gated(scratch, asked, listed, options)
    except (EquivalentsError, RecordError, RunError) as error:
        print(error, file=sys.stderr)
        return 1 if isinstance(error, RunError) else 2
    except KeyboardInterrupt:
        print("interrupted: nothing was judged to the end", file=sys.stderr)
        return 130


def _modules(only: str) -> Iterator[str]:
    """The modules that may have a function which matches."""
    literal = re.split(r"[*?\[]", only)[0]
    for module in JUDGED_BY:
        dotted = module.removesuffix(".py").replace("/", ".") + "."
        if dotted.startswith(literal) or literal.startswith(dotted):
            yield module


def _gated(
    scratch: Scratch, asked: Sequence[Mutant], listed: Mapping[Change, Equivalent], options: argparse.Namespace
) -> int:
    skipped = [each for each in asked if options.skip_listed and each.change in listed]
    judging = [each for each in asked if not options.skip_listed or each.change not in listed]
    begun = time.monotonic()
    clean, results = _judged(scratch, judging, options.jobs)
    run = Run(scratch.mutants, judging, scratch.bare, listed, clean, results, skipped, time.monotonic() - begun)
    found = list(problems(run, options.only))
    print("\n".join(as_text(run, found)))
    if options.json:
        options.json.write_text(json.dumps(as_data(run, found, MUTMUT), indent=1) + "\n", encoding="utf-8")
    if options.record and results:
        write_record(RECORD, run, scratch, MUTMUT)
    return 1 if found else 0


def _walked(scratch: Scratch, name: str) -> int:
    mutant = next((each for each in scratch.mutants if each.name == name), None)
    if mutant is None or mutant.path not in WALKED:
        print(f"--walk {name}: no mutant of the specified reader is called so; take a name from a run", file=sys.stderr)
        return 2
    print("\n".join(mutant.diff), flush=True)
    return walked(ROOT, scratch, name)


def _judged(scratch: Scratch, asked: Sequence[Mutant], jobs: int) -> tuple[Clean, list[Result]]:
    console = Console(stderr=True)
    with console.status("the clean run") as status:

        def tell(done: int) -> None:
            if done > 1:
                status.update(f"{done - 1:,} of {len(asked):,} mutants")

        return judged(ROOT, scratch, asked, JUDGED_BY, jobs, tell)
