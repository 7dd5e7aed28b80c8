"""The survivors argued to be equal, as ``equivalent.toml`` lists them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "equivalent.toml"


class EquivalentsError(ValueError):
    """The list can't be read; the text says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class Equivalents:
    """``curated``: id of a mutant of the registry to the argument why it is equal."""

    curated: Mapping[str, str] = field(default_factory=dict)


def read(file: Path = FILE) -> Equivalents:
    """What the list says of curated mutants. Raises EquivalentsError."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise EquivalentsError(f"{file}: {error}") from None
    curated: dict[str, str] = {}
    for entry in data.get("curated", []):
        curated[_text(entry, "mutant", file)] = _text(entry, "because", file)
    return Equivalents(curated)


def _text(entry: Any, name: str, file: Path) -> str:
    value = entry.get(name) if isinstance(entry, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise EquivalentsError(f"{file}: an entry of [[curated]] has no {name}; it needs `mutant` and `because`")
    return value
