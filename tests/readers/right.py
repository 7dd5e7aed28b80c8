"""The right adapters: every style, and every policy that can be declared."""

from __future__ import annotations

import itertools
import random
from typing import Any

from mutants.adapter import Adapter, Plain, Values
from oracles.policies import AXES
from readers import styles

TRIMMED = {"space": "trimmed"}
DEFAULTS = {axis: values[0] for axis, values in AXES.items()}

STYLES: dict[str, Adapter] = {
    adapter.name: adapter
    for adapter in (
        Adapter("plain"),
        Adapter("generator feeds", wrap=styles.Generator),
        Adapter("one delta a character", wrap=styles.CharacterByCharacter),
        Adapter("code units", wrap=styles.CodeUnits),
        Adapter("deltas as lists", wrap=styles.Lists, message=lambda message: [message.reasoning, message.content]),
        Adapter("deltas as Delta", wrap=styles.Named, message=lambda message: (message.reasoning, message.content)),
        Adapter("deltas as objects", wrap=styles.Objects, message=styles.duck),
        Adapter(
            "tuples of deltas",
            wrap=styles.Tuples,
            message=lambda message: (message.reasoning or None, message.content or None),
        ),
        Adapter("views and deques", wrap=styles.Views),
        Adapter("one list, reused", wrap=styles.Reused),
        Adapter("empty deltas", wrap=styles.Empties),
        Adapter("merged deltas", wrap=styles.Merged),
        Adapter("tokens", chunks="tokens"),
        Adapter("replay, a character a piece", wrap=styles.replay_pieces(1)),
        Adapter("replay in pieces of 7", wrap=styles.replay_pieces(7)),
        Adapter("replay in pieces of 4,095", wrap=styles.replay_pieces(4095)),
        Adapter("cut marker behind the replay", wrap=styles.CutLast),
        Adapter(
            "trimmed in both modes", wrap=styles.Trimming, message=styles.stripped, reads=TRIMMED, declares=TRIMMED
        ),
        Adapter("trimmed in the split", message=styles.stripped, reads=TRIMMED, declares=TRIMMED),
        Adapter("trimmed in the stream", wrap=styles.Trimming, reads=TRIMMED, declares=TRIMMED),
        Adapter("trimmed at the beginning", wrap=styles.Leading, reads=TRIMMED, declares=TRIMMED),
        Adapter("nothing trimmed, though it counts for nothing", reads=TRIMMED, declares=TRIMMED),
        Adapter("slow", wrap=styles.Slow),
        Adapter("work each 4,096 feeds", wrap=styles.Amortised),
        Adapter("work at each doubling", wrap=styles.Doubling),
        Adapter("a lock for all streams", wrap=styles.Locked),
        Adapter("refuses a prompt that opened reasoning", wrap=styles.refusing(lambda request: request.opened)),
        Adapter("refuses where thinking is off", wrap=styles.refusing(lambda request: not request.thinking)),
        Adapter("refuses a text in feed", wrap=styles.RefusingFeed),
        Adapter("raises TypeError for a chunk without text", wrap=styles.TypeErrors),
        Adapter("takes a chunk without text", wrap=styles.Forgiving),
        Adapter("surfaces that agree", surfaces=("chat", "responses")),
        Adapter("declares every default", declares=True),
        Adapter("declares in the short form", reads=DEFAULTS, declares=DEFAULTS),
    )
}
"""Adapters of which no check may complain, by name."""

LATE: dict[str, Adapter] = {
    adapter.name: adapter
    for adapter in (
        Adapter("late by one character", wrap=styles.LittleLate),
        Adapter("late by the longest marker less one", wrap=styles.Late),
        Adapter("late by changing counts", wrap=styles.SometimesLate),
        Adapter("late, trimmed", wrap=styles.Late, reads=TRIMMED, declares=TRIMMED),
    )
}
"""Adapters that hold more than they need, and no more than they may: advice of ``released-at-once`` alone."""


CYCLED: tuple[type[Plain], ...] = (
    styles.Generator,
    styles.Lists,
    styles.CodeUnits,
    styles.Named,
    styles.Objects,
    styles.Tuples,
    styles.Views,
    styles.Reused,
    styles.Empties,
    styles.Merged,
    styles.CutLast,
    styles.replay_pieces(1000),
)


def cycling(name: str, kinds: tuple[type[Plain], ...] = CYCLED, **names: Any) -> Adapter:
    """An adapter whose every stream has another style."""
    turns = itertools.cycle(kinds)
    return Adapter(name, wrap=lambda reader, request: next(turns)(reader, request), **names)


def declaring(values: Values, nested: str = "", style: type[Plain] = Plain) -> Adapter:
    """An adapter that reads by ``values`` and declares them, for all dialects or (``nested``) for one."""
    told = ", ".join(f"{axis} {value}" for axis, value in values.items())
    return Adapter(told or "nothing", reads=values, declares={nested: values} if nested else values, wrap=style)


def undeclared(values: Values) -> Adapter:
    """An adapter that reads by ``values`` and declares nothing."""
    return Adapter("undeclared: " + ", ".join(f"{axis} {value}" for axis, value in values.items()), reads=values)


def single_values() -> list[dict[str, Any]]:
    """Each axis with each of its values, alone."""
    return [{axis: value} for axis, values in AXES.items() for value in values]


HOLDING = ("ends_thought", "moved", "content_if_stopped")
"""The values that a reader can't have together with immediate release."""


def drawn_values(draw: random.Random) -> dict[str, Any]:
    """A value for each of some axes."""
    return {axis: draw.choice(values) for axis, values in AXES.items() if draw.random() < 0.6}
