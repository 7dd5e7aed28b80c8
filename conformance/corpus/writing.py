"""How the corpus's JSON is written: what fits on a line stands on one, the rest is indented by two spaces."""

from __future__ import annotations

import json
from typing import Any

WIDTH = 120
"""The longest line of an object or a list that stands on one, in characters."""


def written(data: Any) -> str:
    """The text of a file: non-ASCII characters as they are, a newline at the end."""
    return _value(data, 0, 0) + "\n"


def _value(value: Any, indent: int, before: int) -> str:
    """A value's text. ``indent``: of the line it begins on; ``before``: characters that stand before it there."""
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or (indent and indent + before + len(short) < WIDTH):
        return short
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [
            f"{name}{_value(item, indent + 2, len(name))}"
            for key, item in value.items()
            for name in (f"{json.dumps(key, ensure_ascii=False)}: ",)
        ]
        return "{\n" + ",\n".join(inner + part for part in parts) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(inner + _value(item, indent + 2, 0) for item in value) + "\n" + " " * indent + "]"
