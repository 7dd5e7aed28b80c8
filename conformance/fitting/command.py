"""``conformance fit``: what it is asked, and what it tells."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from rich.console import Console

from conformance.adapter import AdapterError, load, nearest
from conformance.fitting.fit import Fit, fit
from conformance.fitting.showing import as_json, show_fit, show_policies
from conformance.options import listed
from conformance.progress import ProgressLine, shows_progress
from conformance.settings import Progress, seconds
from oracles.dialects import REGISTRY

EVERY = 64
"""So many readings lie between two looks at the progress line."""
INTERRUPTED = 130
"""The exit code of a fit that was interrupted, as shells have it."""


class FitError(Exception):
    """It can't be done as asked; the text says what is wrong and what to do next."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options to its parser."""
    add = parser.add_argument
    add("--impl", required=True, metavar="MODULE[:OBJECT]", help="the adapter, as pytest --impl takes it")
    add("--dialect", action="append", default=[], metavar="ID", help="fit this dialect only; repeatable")
    add("--length", type=_counted, default=3, metavar="N", help="ask words of at most so many pieces (3)")
    add("--stream", action="store_true", help="ask the stream, whole in one chunk, instead of the split")
    add("--kinds", type=_counted, default=12, metavar="N", help="show so many kinds of unexplained readings (12)")
    add("--hang-after", type=seconds, default=10.0, metavar="SECONDS", help="a call that takes longer hangs (10)")
    add("--json", action="store_true", help="print JSON")


def run(asked: argparse.Namespace, dialect_files: Sequence[str]) -> int:
    """Does what was asked; the exit code. ``dialect_files``: ids of dialects that files declare. Raises FitError."""
    try:
        implementation = load(asked.impl, added=tuple(dialect_files))
    except AdapterError as error:
        raise FitError(str(error)) from None
    dialects = listed(asked.dialect) or list(implementation.dialects)
    for id in dialects:
        if id not in implementation.dialects:
            known = ", ".join(implementation.dialects)
            hint = nearest(id, implementation.dialects)
            raise FitError(f"--dialect={id}: {implementation.name} is not judged by it{hint}; it claims {known}")
    console = Console(highlight=False)
    fits: list[Fit] = []
    try:
        for number, id in enumerate(dialects, 1):
            with _Line(id, f"{number}/{len(dialects)}") as line:
                found = fit(implementation, REGISTRY.get(id), asked.length, asked.hang_after, asked.stream, line)
            fits.append(found)
            if not asked.json:
                show_fit(console, implementation, found, asked.kinds)
    except KeyboardInterrupt:
        print("conformance: interrupted", file=sys.stderr)
        return INTERRUPTED
    if asked.json:
        print(json.dumps(as_json(implementation, fits), indent=2))
    else:
        show_policies(console, fits)
    return 0


class _Line:
    """The progress line of a dialect, where a terminal is attached."""

    def __init__(self, dialect: str, place: str) -> None:
        self._dialect = dialect
        self._line = ProgressLine(sys.stderr, place, counted="readings") if shows_progress(sys.stderr) else None

    def __enter__(self) -> _Line:
        return self

    def __exit__(self, *details: object) -> None:
        if self._line is not None:
            self._line.__exit__(*details)

    def __call__(self, done: int, whole: int, what: str) -> None:
        if self._line is not None and done % EVERY == 0:
            self._line(Progress(self._dialect, what, done, done, done / whole, 0))


def _counted(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 on")
    return int(text)
