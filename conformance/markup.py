"""Text in Markdown, none of it read as markup."""

from __future__ import annotations

import re

from conformance.literals import escaped


def plain(text: str) -> str:
    """Text as it is, in one line: for headings, sentences and cells."""
    return re.sub(r"([\\`*|<>\[\]#&~]|(?<![^\W_])_|_(?![^\W_]))", r"\\\1", escaped(" ".join(text.split())))


def code(text: str) -> str:
    """Text as code, in one line: for sentences and lists. Not for cells, which a bar would end."""
    text = escaped(" ".join(text.split()))
    ticks = "`" * (_longest_run(text) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}" if text else ""


def fenced(text: str, language: str = "text") -> str:
    """Lines as they are, behind a fence that nothing inside can end."""
    ticks = "`" * max(3, _longest_run(text) + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{ticks}{language}\n{text}{end}{ticks}\n"


def stands_in_a_fence(text: str) -> bool:
    """Whether a fenced block shows a text as it is: printable, with no line that a reader couldn't see."""
    return bool(text.strip()) and all(sign.isprintable() or sign == "\n" for sign in text)


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
