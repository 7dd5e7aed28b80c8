"""Survivors argued to be equal to what they mutate, read from ``mutants/equivalent.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants.mechanical.changes import Change


class EquivalentsError(ValueError):
    """The list of equivalents can't be used; the text says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A listed change, and the argument why no test can see it."""

    change: Change
    argument: str


def read_equivalents(path: Path) -> dict[Change, Equivalent]:
    """The list in a TOML file, by change. Raises EquivalentsError where it is missing, malformed or says a thing twice.

    It holds tables ``[[equivalent]]`` with ``function`` (dotted), ``argument``, and ``changes``: a list of tables with
    the lines that go (``minus``) and come (``plus``), indentation aside, and ``place`` where several mutants of the
    function have the same lines: which of them, from 1.
    """
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    except OSError as error:
        raise EquivalentsError(f"{path}: can't be read: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise EquivalentsError(f"{path}: no TOML: {error}") from None
    listed: dict[Change, Equivalent] = {}
    for number, entry in enumerate(entries, 1):
        try:
            function, argument = str(entry["function"]), str(entry["argument"]).strip()
            changes = [_change(function, given) for given in entry["changes"]]
        except (KeyError, TypeError, AttributeError) as error:
            raise EquivalentsError(f"{path}: entry {number} lacks or misspells {error}") from None
        if not argument or not changes:
            raise EquivalentsError(f"{path}: entry {number} ({function}) has no argument or no changes")
        for change in changes:
            if change in listed:
                raise EquivalentsError(f"{path}: entry {number} ({function}) lists a change a second time")
            listed[change] = Equivalent(change, argument)
    return listed


def _change(function: str, given: dict[str, Any]) -> Change:
    removed, added = (tuple(line.strip() for line in given[side].strip("\n").split("\n")) for side in ("minus", "plus"))
    return Change(function, removed if any(removed) else (), added if any(added) else (), int(given.get("place", 1)))
