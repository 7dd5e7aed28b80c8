"""Generated cases: the frozen output of the grammar, chosen so that few of them kill much."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.corpus.formatting import formatted
from conformance.corpus.recipes import Recipe, chosen, straddles
from conformance.expectation import Readings
from oracles import second
from oracles.cases import SCHEMA, cases_of
from oracles.dialects import REGISTRY, Dialect
from oracles.kinds import kind_of
from oracles.messages import Finish, Message, Request
from oracles.pieces import Output, Piece, Pieces
from oracles.policies import AXES, Policy
from oracles.reader import Machine

GROUP = "generated"
ABOUT = (
    "Outputs of the grammar, chosen for the wrong parsers they tell apart. "
    "`conformance corpus generate` writes this file; it is never edited by hand."
)
SOURCE = {"kind": "generated", "name": "the grammar of llm-parser-conformance"}
FLAGS = {
    "short": {"class": "reading", "about": "A few pieces: words, white space, markers whole and cut short."},
    "straddle": {
        "class": "long output",
        "about": "A marker across an edge of 4,096 characters, or far behind the beginning.",
    },
}


NAMES = {
    "reasoning_open": "opener",
    "reasoning_close": "closer",
    "answer_open": "answer opener",
    "answer_close": "answer closer",
    "calls_open": "calls opener",
    "calls_close": "calls closer",
    "framing": "framing",
}
"""What descriptions call the markers of a role."""

Values = tuple[tuple[str, Any], ...]
"""A choice of values: pairs of an axis and its value."""


class Disagreement(Exception):
    """The two readers read a generated output differently; the text says which and how."""


def case_file(dialect: Dialect) -> dict[str, Any]:
    """The file of a dialect's generated cases, as JSON values (corpora/schema/cases.schema.json).

    Raises Disagreement.
    """
    writer = Writer(dialect)
    cases = list(writer.cases())
    used = {flag for case in cases for flag in case["flags"]}
    return {
        "schema": SCHEMA,
        "dialect": dialect.id,
        "group": GROUP,
        "about": ABOUT,
        "flags": {name: flag for name, flag in FLAGS.items() if name in used},
        "cases": cases,
    }


class Writer:
    """Writes the generated cases of one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.pieces = Pieces(dialect)
        self.readings = Readings(dialect, {})
        self._machines: dict[Policy, Machine] = {}

    def cases(self) -> Iterator[dict[str, Any]]:
        """Every case once: the chosen recipes that the dialect can take, then the straddles; none that is recorded."""
        recorded = (case for case in cases_of(self.dialect.id) if case.source.kind != "generated")
        asked = {(case.request, case.finish, case.raw) for case in recorded}
        for flag, recipes in (("short", chosen()), ("straddle", tuple(straddles(self.pieces)))):
            for recipe in recipes:
                output = recipe.written(self.pieces)
                if output is None:
                    continue
                request = Request(self.dialect.id, recipe.opened, recipe.thinking)
                key: tuple[Request, Finish, str] = (request, recipe.finish, output.raw)
                if key not in asked:
                    asked.add(key)
                    yield self._case(recipe, output, request, flag)

    def _case(self, recipe: Recipe, output: Output, request: Request, flag: str) -> dict[str, Any]:
        raw, finish = output.raw, recipe.finish
        kind = kind_of(self.dialect, self.dialect.policy, request, raw, finish)
        axes, read = self._axes(request, raw, finish)
        expected = self._agreed({}, request, raw, finish)
        case: dict[str, Any] = {
            "id": f"{self.dialect.id}/{GROUP}/{kind.id}-{_digest(request, finish, raw)}",
            "description": f"{kind.title[:1].upper()}{kind.title[1:]}: {_told(output, request, finish, self.dialect)}.",
            "level": "should" if axes else "must",
            "source": SOURCE,
            "flags": [flag],
            "request": {"opened": request.opened, "thinking": request.thinking},
            "finish": finish,
            "raw": _text(raw, output),
            "chunkings": _chunkings(output),
            "expected": self._message(expected, output),
        }
        if axes:
            case["axes"] = axes
            case["policies"] = [
                {"policy": dict(values), "expected": self._message(message, output)}
                for values, message in _entries(read, tuple(axes))
                if message != expected
            ]
            for values in read:
                self._agreed(dict(values), request, raw, finish)
        return case

    def _axes(self, request: Request, raw: str, finish: Finish) -> tuple[list[str], dict[Values, Message]]:
        """The axes that change a reading, alone or together, and the message for every choice of their values."""
        able = self.readings.concerned(raw, request, finish)
        messages = {_key(values): self._read(values, request, raw, finish) for values in _choices(able)}
        axes = [axis for axis in able if any(len(group) > 1 for group in _grouped(messages, axis))]
        return axes, {_key(values): self._read(values, request, raw, finish) for values in _choices(axes)}

    def _read(self, values: Mapping[str, Any], request: Request, raw: str, finish: Finish) -> Message:
        policy = self.dialect.policy.with_values(values)
        if policy not in self._machines:
            self._machines[policy] = Machine(self.dialect, policy)
        return self._machines[policy].split(request, raw, finish)

    def _agreed(self, values: Mapping[str, Any], request: Request, raw: str, finish: Finish) -> Message:
        """What both readers read. Raises Disagreement."""
        one = self._read(values, request, raw, finish)
        other = second.read(self.dialect, self.dialect.policy.with_values(values), request, raw, finish).message
        if one != other:
            told = f"{self.dialect.id}, {request}, finish {finish}, {dict(values)}: {raw[:200]!r}"
            raise Disagreement(
                f"{told} is read {one} by one reader and {other} by the other; mend the one that is wrong"
            )
        return one

    def _message(self, message: Message, output: Output) -> dict[str, Any]:
        return {"reasoning": _text(message.reasoning, output), "content": _text(message.content, output)}


def generated_text(dialect: Dialect) -> str:
    """The text of a dialect's file of generated cases. Raises Disagreement."""
    return formatted(f"{dialect.id}/{GROUP}.json", case_file(dialect))


def _digest(request: Request, finish: str, raw: str) -> str:
    asked = json.dumps([request.opened, request.thinking, finish, raw])
    return hashlib.sha256(asked.encode("utf-8")).hexdigest()[:8]


def _told(output: Output, request: Request, finish: str, dialect: Dialect) -> str:
    asked = f"{'opened' if request.opened else 'not opened'}, thinking {'on' if request.thinking else 'off'}, {finish}"
    return f"{', '.join(_named(piece, dialect) for piece in output.pieces) or 'nothing'}; {asked}"


def _named(piece: Piece, dialect: Dialect) -> str:
    if piece.kind == "word":
        return "word"
    if piece.kind in ("marker", "cut"):
        place = next(n for n, marker in enumerate(dialect.of(piece.role), 1) if marker.startswith(piece.text))
        name = NAMES[piece.role] if place == 1 else f"{NAMES[piece.role]} {place}"
        return name if piece.kind == "marker" else f"{name} cut at {len(piece.text)}"
    return ascii(piece.text) + (f" x {piece.times:,}" if piece.times > 1 else "")


def _key(values: Mapping[str, Any]) -> Values:
    return tuple(values.items())


def _grouped(messages: Mapping[Values, Message], axis: str) -> Iterable[set[Message]]:
    """The messages of the choices that differ in one axis alone."""
    groups: dict[Values, set[Message]] = {}
    for values, message in messages.items():
        groups.setdefault(tuple(pair for pair in values if pair[0] != axis), set()).add(message)
    return groups.values()


def _entries(messages: Mapping[Values, Message], axes: tuple[str, ...]) -> list[tuple[Values, Message]]:
    """Few choices that name only the values they need, no two of which fit one policy, each with its message."""
    if len(set(messages.values())) == 1:
        return [((), next(iter(messages.values())))]
    found: list[list[tuple[Values, Message]]] = []
    for axis in axes:
        rest = tuple(other for other in axes if other != axis)
        found.append(
            [
                (tuple(pair for pair in ((axis, value), *values)), message)
                for value in AXES[axis]
                for values, message in _entries(
                    {key: told for key, told in messages.items() if (axis, value) in key}, rest
                )
            ]
        )
    best = min(found, key=len)
    return [(tuple(sorted(values, key=lambda pair: list(AXES).index(pair[0]))), message) for values, message in best]


def _choices(axes: Sequence[str]) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*(AXES[axis] for axis in axes)):
        yield dict(zip(axes, values, strict=True))


def _chunkings(output: Output) -> list[list[Any]]:
    """A piece a chunk, and each marker cut in the middle: what one chunk and single characters don't show."""
    pieces = [piece for piece in output.pieces if piece.whole]
    by_piece = [_repeated(piece.text, piece.times) for piece in pieces]
    halves: list[Any] = [""]
    for piece in pieces:
        if piece.kind in ("marker", "cut") and len(piece.text) > 1:
            half = len(piece.text) // 2
            halves[-1:] = [_joined(halves[-1], piece.text[:half]), piece.text[half:]]
        else:
            halves[-1] = _joined(halves[-1], _repeated(piece.text, piece.times))
    found = [chunks for chunks in (by_piece, halves) if len(chunks) > 1]
    return found if len(found) < 2 or found[0] != found[1] else found[:1]


def _joined(one: Any, other: Any) -> Any:
    if isinstance(one, str) and isinstance(other, str):
        return one + other
    parts = [*([one] if isinstance(one, str) else one), *([other] if isinstance(other, str) else other)]
    return [part for part in parts if part]


def _repeated(text: str, times: int) -> Any:
    return [[text, times]] if times > 1 else text


def _text(text: str, output: Output) -> Any:
    """A text as cases write it: the output's long runs as repetitions."""
    for piece in output.pieces:
        if piece.times > 1 and piece.whole in text:
            before, _, after = text.partition(piece.whole)
            parts: list[Any] = [before, [piece.text, piece.times], after]
            return [part for part in parts if part]
    return text


def regenerated(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files of generated cases of a corpus that differ from what the grammar gives now, each with that text.

    Raises Disagreement.
    """
    for id in REGISTRY.ids():
        if (folder / id).is_dir():
            path = folder / id / f"{GROUP}.json"
            text = generated_text(REGISTRY.get(id))
            if not path.is_file() or path.read_bytes() != text.encode("utf-8"):
                yield path, text
