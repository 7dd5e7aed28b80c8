"""The files of the page, made of reports and written whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined

from conformance.page.cases import dialect_cases
from conformance.page.runs import Run, dialects_of
from conformance.page.states import SEEN, STATES
from conformance.page.summary import folder_of, summary

TEMPLATES = "conformance.page"
SCRIPTS = ("parts", "text", "output", "store", "filter", "table", "case", "panel", "views", "keys", "main")
"""The page's script, in the order in which its files are put together."""
MARK = '<meta name="generator" content="conformance page">'
"""What stands in a page of this command, whose folder may be replaced."""


class PageError(Exception):
    """The page can't be written; the text is one sentence."""


def site(runs: Sequence[Run], title: str) -> dict[str, str]:
    """Every file of the page by its path in the folder; the same for the same reports."""
    made = {"index.html": _index(runs, title)}
    for run in runs:
        for dialect in run.dialects:
            path = folder_of(run, dialect)
            made[path] = f"conformanceData({_json(path)},{_json(dialect_cases(run, dialect))});\n"
    return made


def write_site(made: Mapping[str, str], folder: Path) -> None:
    """Writes the files beside ``folder`` and moves them there, in the place of an earlier page. Raises PageError."""
    try:
        if folder.is_dir() and any(folder.iterdir()) and not _is_page(folder / "index.html"):
            raise PageError(f"{folder} holds other files, which a page would replace; name an empty or a new folder.")
        if folder.exists() and not folder.is_dir():
            raise PageError(f"{folder} is a file; the page wants a folder.")
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise PageError(f"{folder} can't be written: {error.strerror or error}.") from None
    try:
        new = beside / "new"
        for path, text in made.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_text(text, encoding="utf-8", newline="\n")
        if folder.exists():
            os.replace(folder, beside / "old")
        os.replace(new, folder)
    except OSError as error:
        if not folder.exists() and (beside / "old").exists():
            os.replace(beside / "old", folder)
        raise PageError(f"{folder} can't be written: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _is_page(path: Path) -> bool:
    return path.is_file() and MARK in path.read_text(encoding="utf-8", errors="replace")[:2000]


def _index(runs: Sequence[Run], title: str) -> str:
    text = {name: _template(name) for name in ("index.html.j2", "page.css", *(f"js/{name}.js" for name in SCRIPTS))}
    script = "".join(text[f"js/{name}.js"] for name in SCRIPTS)
    script = f'(function () {{\n"use strict";\n{script}}})();\n'
    style = text["page.css"]
    environment = Environment(
        loader=DictLoader({"index": text["index.html.j2"]}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    page = environment.get_template("index").render(
        title=title,
        runs=runs,
        dialects=dialects_of(runs),
        states=[STATES[state] for state in SEEN],
        summary=_inline(_json(summary(runs))),
        script=script,
        style=style,
        script_hash=_hash(script),
        style_hash=_hash(style),
        cells=_cells,
    )
    return re.sub("[\ud800-\udfff]", lambda lone: f"U+{ord(lone[0]):04X}", page)


def _cells(run: Run, dialect: str) -> str:
    """A dialect of a run in words, for who reads without script."""
    if dialect not in run.dialects:
        state = run.state(dialect, "")
        return STATES[state].head
    counts = run.counts(dialect)
    return ", ".join(f"{count} {STATES[state].head}" for state, count in counts.items() if count)


def _template(name: str) -> str:
    return (files(TEMPLATES) / "templates" / name).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    """JSON in ASCII: no script stumbles over a line separator, and lone surrogates survive."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _inline(text: str) -> str:
    """JSON without the sign that could end the element it stands in."""
    return text.replace("<", "\\u003c")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
