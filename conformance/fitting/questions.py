"""What is asked for a fit: every short word, under every request, with both finishes."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from oracles.dialects import Dialect
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output, Pieces


class Question(NamedTuple):
    """A word, under a request, with a finish."""

    output: Output
    request: Request
    finish: Finish


def words(dialect: Dialect, length: int) -> list[Output]:
    """Every word of at most ``length`` pieces over the dialect's alphabet, shortest first, each text once."""
    pieces = Pieces(dialect)
    found: dict[str, Output] = {}
    for size in range(length + 1):
        for symbols in itertools.product(pieces.alphabet, repeat=size):
            output = pieces.output(symbols)
            found.setdefault(output.raw, output)
    return list(found.values())


def questions(dialect: Dialect, outputs: list[Output]) -> list[Question]:
    """Each word under each of the four requests, with both finishes, in the order of the words."""
    requests = [Request(dialect.id, opened, thinking) for thinking in (True, False) for opened in (False, True)]
    return [Question(output, request, finish) for output in outputs for request in requests for finish in FINISHES]
