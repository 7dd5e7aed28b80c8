"""The two readers agree on every short word, under every policy value, and on long outputs of the grammar."""

from __future__ import annotations

import itertools
import os
import random

import pytest
from representatives import each_dialect

from oracles import second
from oracles.dialects import REGISTRY, Dialect
from oracles.messages import FINISHES, Request
from oracles.pieces import Pieces
from oracles.policies import AXES, DEFAULT, Policy, one_at_a_time
from oracles.reader import Machine
from oracles.shape_table import shapes_of

LONGEST = int(os.environ.get("CONFORMANCE_WORDS", "3"))
"""The longest words that are read; 4 in the slower environment."""

MANY = 2000
"""So many words are read under a policy that isn't the default in the ordinary run."""

DIALECTS = ("kimi_k3", "qwen3", "gpt_oss", "minimax_m3")


def requests(dialect: Dialect, policy: Policy) -> list[Request]:
    """Opened and not; and where the policy asks about it, with thinking off."""
    thinking = (True, False) if policy.off == "text" else (True,)
    return [Request(dialect.id, opened, wanted) for opened in (True, False) for wanted in thinking]


def differences(dialect: Dialect, policy: Policy, raws: list[str]) -> list[object]:
    """What the two readers read otherwise."""
    machine = Machine(dialect, policy)
    return [
        (raw, policy, request, finish)
        for request in requests(dialect, policy)
        for raw in raws
        for finish in FINISHES
        if machine.split(request, raw, finish) != second.read(dialect, policy, request, raw, finish).message
    ]


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("axis", AXES)
def test_agree_on_every_short_word(name: str, axis: str) -> None:
    """Words over the alphabet of pieces, for every value of the axis (the default with the first axis alone).

    By the default, and where CONFORMANCE_SLOW is set, every word is read; else of large alphabets a part.
    """
    dialect = REGISTRY.get(name)
    pieces = Pieces(dialect)
    words = [
        pieces.output(symbols).raw
        for length in range(LONGEST + 1)
        for symbols in itertools.product(pieces.alphabet, repeat=length)
    ]
    policies = [policy for policy in one_at_a_time() if getattr(policy, axis) != getattr(DEFAULT, axis)]
    if axis == next(iter(AXES)):
        assert differences(dialect, DEFAULT, words) == []
    if len(words) > MANY and not os.environ.get("CONFORMANCE_SLOW"):
        words = random.Random(axis).sample(words, MANY)

    for policy in policies:
        assert differences(dialect, policy, words) == []


@each_dialect("name")
def test_agree_on_every_shape(name: str) -> None:
    """Outputs of the grammar up to 6,000 characters, under the dialect's default and each single difference."""
    dialect = REGISTRY.get(name)
    raws = sorted({output.raw for shape in shapes_of(dialect) for output in shape.outputs(dialect)})
    short = [raw for raw in raws if len(raw) < 100]

    assert differences(dialect, dialect.policy, [raw for raw in raws if len(raw) < 6000][::7]) == []
    for policy in one_at_a_time(dialect.policy):
        assert differences(dialect, policy, short[::11]) == []


@each_dialect("name")
def test_agree_on_long_soup_under_any_policy(name: str) -> None:
    """Random sequences of 5 to 60 pieces, under policies drawn on all axes."""
    dialect = REGISTRY.get(name)
    pieces = Pieces(dialect)
    draw = random.Random(name)
    symbols = [
        *pieces.alphabet,
        *pieces.look_alikes,
        *pieces.foreign,
        *(c for m in pieces.markers for c in pieces.cuts(m)),
    ]
    for _ in range(150):
        raw = pieces.output(draw.choices(symbols, k=draw.randint(5, 60))).raw
        policy = Policy(**{axis: draw.choice(values) for axis, values in AXES.items()})

        assert differences(dialect, policy, [raw]) == []


@each_dialect("name")
def test_the_intended_meaning_of_a_shape_is_what_both_read_whatever_the_policy(name: str) -> None:
    """Where the grammar knows what it wrote, both readers say so under the dialect's, the general and any policy."""
    dialect = REGISTRY.get(name)
    draw = random.Random(name)
    for shape in shapes_of(dialect):
        for output in shape.outputs(dialect)[:12]:
            policies = [dialect.policy, DEFAULT, *_any_policies(draw)]
            for opened, meant in output.intended.items():
                for policy, finish in zip(policies, itertools.cycle(FINISHES)):
                    request = Request(dialect.id, opened, True)
                    first = Machine(dialect, policy).split(request, output.raw, finish)
                    again = second.read(dialect, policy, request, output.raw, finish).message

                    assert first == again
                    assert (first.reasoning, first.content) == meant, (shape.id, output.raw, policy)


def _any_policies(draw: random.Random) -> list[Policy]:
    return [Policy(**{axis: draw.choice(values) for axis, values in AXES.items()}) for _ in range(6)]
