"""How a family of models writes: markers by role, atoms, prompts, default policy; read from the corpora."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from oracles.policies import DEFAULT, Policy

ROLES = (
    "reasoning_open",
    "reasoning_close",
    "answer_open",
    "answer_close",
    "calls_open",
    "calls_close",
    "framing",
)
"""The roles a marker may hold, in the order in which they count (SEMANTICS section 2)."""


@dataclass(frozen=True)
class Dialect:
    """A dialect as its declaration gives it (corpora/schema/dialect.schema.json).

    ``markers``: role to its markers, a role that is absent holds none.
    ``atoms``: strings that always arrive whole.
    ``prompts``: ``"on"`` and ``"off"`` to what the prompt's tail leaves.
    ``policy``: the dialect's default, axis by axis.
    ``tentative``: why the declaration is less certain than others, "" where it isn't.
    """

    id: str
    title: str
    markers: Mapping[str, tuple[str, ...]]
    atoms: tuple[str, ...] = ()
    policy: Policy = DEFAULT
    models: tuple[str, ...] = ()
    sources: tuple[Mapping[str, str], ...] = ()
    prompts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    policy_reasons: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, Any] = field(default_factory=dict)
    tentative: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Dialect:
        """The dialect that a declaration describes, which must satisfy the schema.

        Raises PolicyError where a policy value doesn't exist.
        """
        return cls(
            id=data["id"],
            title=data["title"],
            markers={role: tuple(data["markers"][role]) for role in ROLES if data["markers"].get(role)},
            atoms=tuple(data.get("atoms", ())),
            policy=DEFAULT.with_values(data.get("policy", {})),
            models=tuple(data.get("models", ())),
            sources=tuple(data.get("sources", ())),
            prompts=data.get("prompts", {}),
            policy_reasons=data.get("policy_reasons", {}),
            calls=data.get("calls", {}),
            tentative=data.get("tentative", ""),
        )

    def of(self, role: str) -> tuple[str, ...]:
        """The markers that hold ``role``, perhaps none."""
        return self.markers.get(role, ())

    @cached_property
    def all_markers(self) -> tuple[str, ...]:
        """Every marker once, in the order of the roles."""
        return tuple(dict.fromkeys(marker for role in ROLES for marker in self.of(role)))

    @cached_property
    def longest(self) -> int:
        """The length of the longest marker, in code points."""
        return max(map(len, self.all_markers))


class UnknownDialect(LookupError):
    """No dialect has the id asked for; ``id`` is what was asked."""

    def __init__(self, id: str) -> None:
        super().__init__(f"no dialect is called {id!r}")
        self.id = id


def corpora() -> Path:
    """The folder of the corpora: package data in a wheel, the repository's own in a checkout."""
    packaged = Path(__file__).parent / "corpora"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "corpora"


class Registry:
    """The dialects that can be named: those of the corpora, each read once, and those added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loaded: dict[str, Dialect] = {}
        self._added: list[str] = []

    def ids(self) -> tuple[str, ...]:
        """Every known id, sorted."""
        declared = (path.parent.name for path in self._folder.glob("*/dialect.json"))
        return tuple(sorted({*declared, *self._added}))

    def get(self, id: str) -> Dialect:
        """The dialect with that id; raises UnknownDialect."""
        if id not in self._loaded:
            path = self._folder / id / "dialect.json"
            if not path.is_file():
                raise UnknownDialect(id)
            self._loaded[id] = Dialect.from_json(json.loads(path.read_text(encoding="utf-8")))
        return self._loaded[id]

    def add(self, dialect: Dialect) -> None:
        """Makes a dialect of the user's own known under its id; raises ValueError where the id is taken."""
        if dialect.id in self.ids():
            raise ValueError(f"a dialect is called {dialect.id!r} already")
        self._loaded[dialect.id] = dialect
        self._added.append(dialect.id)


REGISTRY = Registry(corpora())
"""The process's dialects. It grows by ``--dialect-file`` alone."""
