"""Mutation results as Markdown, for the summary of a CI step."""

from __future__ import annotations

import re
from collections import Counter

from conformance.literals import escaped
from conformance.mutation.results import MutantResult, MutationRun, percent_text

MOST = 50
"""So many survivors are listed."""


def summary_markdown(run: MutationRun) -> str:
    """The score, what killed, and the survivors with their lines."""
    score = run.score
    lines = [
        f"## {_cell(run.implementation)} {_cell(run.implementation_version)}: {run.title} {percent_text(score)}",
        "",
        "| killed | timeout | survived | equivalent | not tried | seconds |",
        "|--:|--:|--:|--:|--:|--:|",
        f"| {score.killed} | {score.timeout} | {score.survived} | {score.equivalent} | {score.not_tried} "
        f"| {run.seconds:,.0f} |",
    ]
    if score.unreached:
        lines += [
            "",
            f"{score.unreached} of the survivors stand where nothing that was asked comes by; "
            f"of the others {score.percent_reached or 0:g} % are caught.",
        ]
    if not run.complete:
        lines += ["", "**Not complete**: the run was interrupted."]
    killers = Counter(result.killed_by for result in run.results if result.killed_by)
    if killers:
        lines += ["", "| killed by | mutants |", "|---|--:|"]
        lines += [f"| {_cell(check)} | {count} |" for check, count in killers.most_common()]
    survivors = [result for result in run.survivors if result.reached]
    if survivors:
        lines += ["", "| survived | in | change | nearest |", "|---|---|---|---|"]
        lines += [_row(result) for result in survivors[:MOST]]
        if len(survivors) > MOST:
            lines += ["", f"{len(survivors) - MOST} more survived; the report holds them."]
    return "\n".join(lines) + "\n"


def _row(result: MutantResult) -> str:
    place = f"{result.file}:{result.start[0]}"
    change = f"{_code(result.original)} → {_code(result.replacement)}"
    return f"| {_cell(place)} | {_cell(result.function)} | {change} | {_cell(result.reason)} |"


def _code(text: str) -> str:
    """Text as code in a cell of a table, in one line and not too long."""
    text = " ".join(text.split())
    text = escaped(text if len(text) <= 60 else f"{text[:40]} … {text[-16:]}").replace("|", "\\|")
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}" if text else "nothing"


def _cell(text: str) -> str:
    """Text in a cell of a table, none of it read as markup."""
    return re.sub(r"([\\`*_|<>\[\]])", r"\\\1", escaped(" ".join(text.split())))
