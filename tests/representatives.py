"""The dialects that stand for all where a test takes long: the ordinary run takes these, the slow run every one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from oracles.dialects import REGISTRY

REPRESENTATIVES = {
    "qwen3": "tags around reasoning and calls, as most dialects",
    "kimi_k3": "every role; a policy for the skipped channel",
    "gpt_oss": "a marker of two roles; markers that begin others; several blocks",
    "muse_glimmer": "white space that begins a marker; a policy for openers; the most markers",
    "gemma4": "white space that ends a marker",
    "minimax_m3": "markers without angle brackets at their ends",
    "apertus": "calls that don't end reasoning",
    "apriel15": "a closer without an opener, which makes all before it reasoning",
    "granite32": "markers of plain words; no closer of calls",
    "granite33": "an answer's frame, no closer of calls",
    "command_r7b": "an answer's frame",
    "phi4_reasoning": "no calls",
    "qwen3_coder": "no reasoning",
    "gigachat3": "no reasoning, framing",
    "llama3": "one marker",
}
"""Dialect to what it has that the others haven't."""


def each_dialect(argument: str, value: Callable[[str], object] = str) -> pytest.MarkDecorator:
    """Parametrizes by every dialect; those that represent none are slow. ``value``: what a test is given of an id."""
    return pytest.mark.parametrize(
        argument,
        [
            pytest.param(value(id), id=id, marks=() if id in REPRESENTATIVES else pytest.mark.slow)
            for id in REGISTRY.ids()
        ],
    )
