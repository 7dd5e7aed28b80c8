"""The options of mechanical mutation."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options given, None for those of the command line. Ends the process where they are wrong, or for help."""
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
    parser.add_argument("--record", action="store_true", help="writes what is judged into mutants/mechanical.json")
    parser.add_argument("--walk", metavar="NAME", help="walks the reader and that mutant of it side by side")
    return parser.parse_args(arguments)


def _jobs(text: str) -> int:
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs; give 1 or more")
    return number
