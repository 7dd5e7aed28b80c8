"""A folder of reports of a mutation run, each file written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from conformance.mutation.badges import badge_json
from conformance.mutation.elements import SCRIPT, elements_html, elements_json
from conformance.mutation.markdown import summary_markdown
from conformance.mutation.results import MutationRun
from conformance.mutation.scores import score_json

NO_SCRIPT = (
    "mutation.html is not written: its viewer isn't here; `npm install mutation-testing-elements@3.9.0` puts it into "
    f"./{SCRIPT.parent.parent}, or name the file with --elements"
)
"""What to say where the page's viewer isn't at hand."""


class ReportsError(Exception):
    """Reports can't be written; the text says which, why, and what to do."""


def viewer(named: str | None = None) -> str | None:
    """The text of the page's viewer: the file that is named, or npm's, None where there is none.

    Raises ReportsError where the named file can't be read.
    """
    path = SCRIPT if named is None else Path(named)
    if named is None and not path.is_file():
        return None
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise ReportsError(
            f"--elements={path}: the file can't be read ({reason}); it is mutation-test-elements.js "
            "of npm's mutation-testing-elements"
        ) from None


def write_reports(run: MutationRun, folder: Path, script: str | None) -> list[Path]:
    """Writes score.json, mutation.json, summary.md and badge.json, and mutation.html where ``script`` is at hand.

    ``folder`` is made where it isn't there; files of earlier runs in it are replaced, and an earlier page is removed
    where none is written. Gives the paths written. Raises ReportsError.
    """
    texts = {
        "score.json": _json(score_json(run)),
        "mutation.json": _json(elements_json(run)),
        "summary.md": summary_markdown(run),
        "badge.json": _json(badge_json(run)),
    }
    if script is not None:
        texts["mutation.html"] = elements_html(run, script)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if script is None:
            (folder / "mutation.html").unlink(missing_ok=True)
        for name, text in texts.items():
            _write(folder / name, text)
    except OSError as error:
        raise ReportsError(
            f"--report={folder}: the reports can't be written ({error.strerror or error}); name another folder"
        ) from None
    return [folder / name for name in texts]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _write(path: Path, text: str) -> None:
    """Writes a file beside ``path`` and puts it in its place. Raises OSError."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
