"""What the page knows at once: the runs, their cells as signs, the kinds of failure, what changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.checks.catalogue import CHECKS
from conformance.comparing import GROUPS
from conformance.page.changes import changes, pairs
from conformance.page.runs import Run, checks_of, dialects_of, safe
from conformance.page.states import STATES, violations
from oracles.dialects import REGISTRY, ROLES

Values = dict[str, Any]


def summary(runs: Sequence[Run]) -> Values:
    """The page's summary as JSON values. A cell is a letter a check, the state's place in ``states`` from ``a``."""
    checks, dialects = checks_of(runs), dialects_of(runs)
    kinds = _Kinds()
    return {
        "checks": [_check(id) for id in checks],
        "states": [{"id": one.id, "sign": one.sign, "head": one.head, "words": one.words} for one in STATES.values()],
        "roles": list(ROLES),
        "dialects": [_dialect(id) for id in dialects],
        "runs": [_run(run, dialects, checks, kinds) for run in runs],
        "changes": [_pair(runs, base, head) for base, head in pairs(runs)],
        "sorts": GROUPS,
        "kinds": kinds.all,
    }


class _Kinds:
    """Kinds of failure, each once: id, title, where its like was reported."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self.all: list[list[str]] = []

    def place(self, id: str, title: str, known_as: str) -> int:
        if id not in self._places:
            self._places[id] = len(self.all)
            self.all.append([id, title, known_as])
        known = self.all[self._places[id]]
        known[2] = known[2] or known_as
        return self._places[id]


def letter(state: str) -> str:
    """The letter that stands for a state in a cell."""
    return chr(ord("a") + list(STATES).index(state))


def folder_of(run: Run, dialect: str) -> str:
    """Where the cases of a dialect of a run stand, from the page."""
    return f"data/{run.slug}/{safe(dialect)}.js"


def _check(id: str) -> Values:
    check = CHECKS.get(id)
    if check is None:
        return {"id": id, "level": "must", "requires": "", "head": id}
    return {"id": id, "level": check.level, "requires": check.requires, "head": check.head}


def _dialect(id: str) -> Values:
    if id not in REGISTRY.ids():
        return {"id": id, "title": "", "models": []}
    dialect = REGISTRY.get(id)
    return {"id": id, "title": dialect.title, "models": list(dialect.models)}


def _run(run: Run, dialects: Sequence[str], checks: Sequence[str], kinds: _Kinds) -> Values:
    cells: Values = {}
    for dialect in dialects:
        cell: Values = {"states": "".join(letter(run.state(dialect, check)) for check in checks)}
        if dialect in run.dialects:
            cell["file"] = folder_of(run, dialect)
            cell["kinds"] = _kinds_of(run, dialect, checks, kinds)
        cells[dialect] = cell
    told = {name: run.told.get(name) for name in ("id", "name", "version", "spec", "language", "chunks", "surfaces")}
    head = {name: run.header.get(name) for name in ("profile", "seed", "suite", "python", "started")}
    return {
        "slug": run.slug,
        "key": safe(run.id),
        **told,
        **head,
        "latest": run.latest,
        "outputs": run.amount("outputs"),
        "streams": run.amount("streams"),
        "judging": round(run.amount("seconds"), 1),
        "seconds": run.footer.get("seconds"),
        "counts": run.counts(),
        "cells": cells,
    }


def _kinds_of(run: Run, dialect: str, checks: Sequence[str], kinds: _Kinds) -> dict[str, list[int]]:
    """Place of a check to places of the kinds that violate it, musts before shoulds."""
    found: dict[str, list[int]] = {}
    for place, check in enumerate(checks):
        entry = run.entries.get((dialect, check))
        if entry is None:
            continue
        several = [
            kinds.place(one.kind or "plain", one.kind_title or one.kind or "plain text", one.known_as)
            for one in violations(entry.verdict)
        ]
        if several:
            found[str(place)] = list(dict.fromkeys(several))
    return found


def _pair(runs: Sequence[Run], base: Run, head: Run) -> Values:
    found = changes(base, head)
    return {
        "base": runs.index(base),
        "head": runs.index(head),
        "items": [
            [one.what, one.dialect, one.check, one.before, one.after, list(one.gone), list(one.new)] for one in found
        ],
    }
