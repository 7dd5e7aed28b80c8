"""The command ``conformance page``: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from conformance.page.runs import read_runs
from conformance.page.site import PageError, site, write_site
from conformance.report import ReportError
from conformance.report_commands import CommandError

HELP = "make a static page of reports: implementations × dialects × checks, with every minimal case"
TITLE = "Conformance of reasoning parsers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("reports", nargs="+", metavar="REPORT", help="a whole report, as --report writes it")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where the page goes")
    parser.add_argument("--title", default=TITLE, help=f"the page's title (default: {TITLE})")


def run(asked: Any) -> int:
    """Makes the page; 0. Raises CommandError with one sentence."""
    folder = Path(os.path.realpath(asked.output))
    try:
        runs = read_runs([Path(path) for path in asked.reports])
        made = site(runs, asked.title)
        write_site(made, folder)
    except (ReportError, PageError) as error:
        raise CommandError(str(error)) from None
    size = sum(map(len, made.values()))
    told = f"{len(runs)} runs" if len(runs) > 1 else "1 run"
    print(f"{asked.output}: {told}, {_size(len(made['index.html']))} the page, {_size(size)} in all")
    return 0


def _size(count: int) -> str:
    return f"{count / 1_000_000:,.1f} MB" if count >= 1_000_000 else f"{count / 1000:,.0f} kB"
