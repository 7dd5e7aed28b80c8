"""``conformance mutate``: what it is asked, what it tells, and its exit code."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from conformance.adapter import nearest
from conformance.expected import ExpectedError, parse
from conformance.mutation.baseline import BaselineError
from conformance.mutation.judging import Asked, Probed
from conformance.mutation.making import MakingError, tool_version
from conformance.mutation.reports import NO_SCRIPT, ReportsError, viewer, write_reports
from conformance.mutation.session import Limits, Session
from conformance.mutation.showing import Shown, show_run
from conformance.options import listed
from conformance.profiles import PROFILES
from conformance.settings import Options

HANG_AFTER = 3.0
"""Seconds after which a call hangs: a right one takes thousandths."""
INTERRUPTED = 130
"""The exit code of a run that was interrupted, as shells have it."""


class MutateError(Exception):
    """It can't be done as asked; the text says what is wrong and what to do next."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options to its parser."""
    add = parser.add_argument
    add("--impl", required=True, metavar="MODULE[:OBJECT]", help="the adapter, as pytest --impl takes it")
    add("--source", required=True, metavar="FILE", help="the parser's source to mutate: a path, or a module's name")
    add("--dialect", action="append", default=[], metavar="ID", help="judge by this dialect only; repeatable")
    add(
        "--function",
        action="append",
        default=[],
        metavar="NAME",
        help="mutate it alone: Reader.feed, 'Reader.*'; repeatable",
    )
    add("--profile", choices=tuple(PROFILES), default="quick", help="how much is asked of each mutant")
    add("--expected-failures", metavar="FILE", help="what the parser is known to fail")
    add("--max", type=_positive, metavar="N", help="try so many mutants, an even sample over the functions")
    add("--time", type=_seconds, metavar="S", help="begin no mutant after so many seconds")
    add("--seed", type=int, metavar="N", help="another sample, and other outputs")
    add("--jobs", type=_positive, default=2, metavar="N", help="mutants judged side by side (2)")
    add("--report", metavar="DIR", help="write score.json, mutation.json, mutation.html, summary.md, badge.json")
    add("--elements", metavar="FILE", help="mutation-test-elements.js, the viewer of mutation.html")
    add("--fail-under", type=_percentage, metavar="PERCENT", help="exit with 1 where the score is lower")


def run(asked: argparse.Namespace, dialect_files: Sequence[str]) -> int:
    """Does what was asked; the exit code. ``dialect_files``: ids of dialects that files declare. Raises MutateError."""
    console = Console(highlight=False)
    try:
        return _run(asked, tuple(dialect_files), console)
    except (BaselineError, MakingError, ReportsError, ExpectedError) as error:
        raise MutateError(str(error)) from None
    except KeyboardInterrupt:
        raise MutateError("interrupted before any mutant was judged") from None


@dataclass(frozen=True)
class _Plan:
    dialects: tuple[str, ...]
    listed: frozenset[str]


def _run(asked: argparse.Namespace, added: tuple[str, ...], console: Console) -> int:
    if not hasattr(os, "fork"):
        raise MutateError("mutants are judged in forked children, and this system can't fork; use Linux or macOS")
    tool_version()
    script = viewer(asked.elements)
    options = Options(profile=asked.profile, seed=asked.seed, hang_after=HANG_AFTER)
    limits = Limits(asked.max, asked.time, asked.jobs, tuple(asked.function))
    with tempfile.TemporaryDirectory(prefix="conformance-mutate-") as folder, _endable(), Shown(console) as shown:
        session = Session(Asked(asked.impl, options, added), asked.source, limits, Path(folder), shown)
        plan = _plan(asked, session.probe())
        session.prepare()
        baseline = session.baseline(plan.dialects, plan.listed)
        session.run(baseline)
        result = session.outcome(plan.dialects)
    show_run(console, result, baseline)
    if asked.report is not None:
        written = write_reports(result, Path(asked.report), script)
        console.print(f"reports: {', '.join(map(str, written))}", soft_wrap=True, markup=False)
        if script is None:
            console.print(NO_SCRIPT, soft_wrap=True, markup=False)
    if not result.complete:
        return INTERRUPTED
    percent = result.score.percent
    if percent is None:
        return 1
    if asked.fail_under is not None and percent < asked.fail_under:
        console.print(f"{percent:g} % is under --fail-under={asked.fail_under:g}", markup=False)
        return 1
    return 0


def _plan(asked: argparse.Namespace, probed: Probed) -> _Plan:
    dialects = listed(asked.dialect) or list(probed.dialects)
    for dialect in dialects:
        if dialect not in probed.dialects:
            raise MutateError(
                f"--dialect={dialect}: {probed.name} is not judged by it{nearest(dialect, probed.dialects)}; "
                f"it claims {', '.join(probed.dialects)}"
            )
    ids: frozenset[str] = frozenset()
    if asked.expected_failures is not None:
        ids = frozenset(parse(_text(asked.expected_failures), probed.ids, asked.expected_failures).by_id)
    return _Plan(tuple(dialects), frozenset(id for id in ids if id.partition("::")[0] in dialects))


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8"
        raise MutateError(f"--expected-failures={path}: the file can't be read ({reason})") from None


@contextlib.contextmanager
def _endable() -> Iterator[None]:
    """Within, being asked to end is being interrupted: what was found is told, and nothing is left running."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def _seconds(text: str) -> float:
    return _number(text, float("inf"), "is no number of seconds")


def _percentage(text: str) -> float:
    return _number(text, 100.0, "is no percentage from 0 to 100")


def _number(text: str, most: float, wrong: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= most or number == float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} {wrong}")
    return number
