"""Recipes of generated cases: outputs written by role, that any dialect with those roles can take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from oracles.dialects import ROLES
from oracles.messages import Finish
from oracles.pieces import Output, Piece, Pieces

FILE = Path(__file__).parent / "recipes.json"
"""The recipes that were chosen for the mutants they kill (``python -m mutants.cover`` chooses them)."""

Part = tuple[Any, ...]
"""A piece by role: ``("word",)``, ``("marker", role, place)``, ``("cut", role, place, length)``, or a kind with its
text and how often it is repeated. A length is a number, ``"half"``, or negative: so many less than the whole."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """An output by role, and the request and finish it is asked under. ``about``: what is special about it."""

    about: str
    opened: bool
    thinking: bool
    finish: Finish
    parts: tuple[Part, ...]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Recipe:
        """The recipe that ``to_json`` gave."""
        parts = tuple(tuple(part) for part in data["parts"])
        return cls(data["about"], data["opened"], data["thinking"], data["finish"], parts)

    def to_json(self) -> dict[str, Any]:
        """The recipe as JSON values."""
        return {
            "about": self.about,
            "opened": self.opened,
            "thinking": self.thinking,
            "finish": self.finish,
            "parts": [list(part) for part in self.parts],
        }

    def written(self, pieces: Pieces) -> Output | None:
        """The output in a dialect, None where it lacks a marker that is asked for."""
        symbols: list[Piece] = []
        for part in self.parts:
            piece = _piece(part, pieces)
            if piece is None:
                return None
            symbols.append(piece)
        return pieces.output(symbols)


def recipe_parts(output: Output, pieces: Pieces) -> tuple[Part, ...]:
    """An output's pieces by role."""
    return tuple(_part(piece, pieces) for piece in output.pieces)


@cache
def chosen() -> tuple[Recipe, ...]:
    """The recipes of the generated cases, in their order."""
    return tuple(Recipe.from_json(entry) for entry in json.loads(FILE.read_text(encoding="utf-8"))["recipes"])


def recipes_text(recipes: Iterable[Recipe]) -> str:
    """The text of the file of recipes, a line each."""
    lines = ",\n".join(json.dumps(recipe.to_json(), ensure_ascii=True) for recipe in recipes)
    return f'{{"recipes": [\n{lines}\n]}}\n'


def _part(piece: Piece, pieces: Pieces) -> Part:
    if piece.kind == "word":
        return ("word",)
    if piece.kind == "marker":
        return ("marker", piece.role, pieces.dialect.of(piece.role).index(piece.text))
    if piece.kind == "cut":
        place, whole = next(
            (place, marker)
            for place, marker in enumerate(pieces.dialect.of(piece.role))
            if marker.startswith(piece.text)
        )
        return ("cut", piece.role, place, _length(len(piece.text), len(whole)))
    return (piece.kind, piece.text, piece.times)


def _length(length: int, whole: int) -> int | str:
    if length == whole // 2:
        return "half"
    return length - whole if whole - length <= 2 else length


def _piece(part: Part, pieces: Pieces) -> Piece | None:
    kind, *rest = part
    if kind == "word":
        return Piece("word", "")
    if kind in ("marker", "cut"):
        marker = _marker(pieces, rest[0], rest[1])
        if marker is None or kind == "marker":
            return marker
        text = marker.text[: len(marker.text) // 2] if rest[2] == "half" else marker.text[: rest[2]]
        return Piece("cut", text, rest[0]) if text and text != marker.text else None
    text, times = rest
    own = any(marker in text for marker in pieces.dialect.all_markers)
    return None if kind in ("alike", "foreign") and own else Piece(kind, text, times=times)


def _marker(pieces: Pieces, role: str, place: int) -> Piece | None:
    """The marker at a place among those that hold a role, as a piece of the first role it holds."""
    markers = pieces.dialect.of(role)
    if place >= len(markers):
        return None
    return next(piece for piece in pieces.markers if piece.text == markers[place])


def straddles(pieces: Pieces) -> Iterator[Recipe]:
    """Each marker across a 4,096-character edge, and one closer behind 16,384 characters, in open reasoning and out."""
    word: Part = ("word",)
    for role in ROLES:
        for place, marker in enumerate(pieces.dialect.of(role)):
            before: Part = ("text", ".", 4096 - len(marker) // 2 - 1)
            about = f"the marker of role {role} across a 4,096-character edge"
            for opened in (True, False):
                if (opened, role) not in ((False, "reasoning_close"), (True, "reasoning_open")):
                    yield Recipe(about, opened, True, "stop", (word, before, ("marker", role, place), word))
    for role in ("reasoning_close", "calls_open"):
        if pieces.dialect.of(role):
            long: tuple[Part, ...] = (word, ("text", ".", 16_400), ("marker", role, 0), word)
            yield Recipe("a marker behind 16,384 characters", True, True, "stop", long)
            break
