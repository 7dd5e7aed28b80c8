"""What Dynamo's adapter declares: the reasoning parser of each dialect, and how it reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from types import MappingProxyType
from typing import Any, NamedTuple

from oracles.dialects import REGISTRY

LONGEST = 1_000
"""Characters of the longest output that is asked."""

Values = dict[str, str | bool]
"""Policy axis to value."""


class Parser(NamedTuple):
    """The parser of a dialect.

    ``name``: as ``--dyn-reasoning-parser`` has it. ``refused``: (opened, thinking) to the reason it can't be asked.
    ``loose``: text that the parser takes for a marker of the dialect, to what the dialect wants behind it.
    """

    name: str
    policy: Values
    refused: Mapping[tuple[bool, bool], str] = MappingProxyType({})
    loose: Mapping[str, str] = MappingProxyType({})


FORCED = "is forced to reasoning by Dynamo, whatever the prompt ends with"
SWITCHED_OFF = "is switched off with thinking, and Dynamo counts on a prompt that then opens nothing"
UNTOLD = "doesn't look at the prompt, and can't be told that it opened the thought"

BASIC: Values = {
    # "Extract all <think>...</think> pairs", and between them "look for the next reasoning open marker".
    "reopen": "opens",
    "prefix": "content",
    # "stray close marker (unmatched </think>) and strip it: parser-owned syntax must never reach normal_text"
    "stray_close": "dropped",
    "declined": "dropped",
    # Inside a thought nothing but its end is looked for: "inner <think> is just text within the reasoning block".
    "echoed_open": "text",
    # "If a model erroneously emits a tool call inside a <think> block, the tool call parser will not see it."
    "calls_end_reasoning": False,
    # "No end token -- rest is reasoning (truncated)"
    "unclosed": "reasoning",
    # The parser is made for the model; only some look at what the caller asked.
    "off": "read",
    # The frontend asks the streaming half alone, which trims nothing.
    "space": "kept",
}

# "When the gate fires, no reasoning parser runs; the model output is treated as plain content."
GATED = BASIC | {"off": "text"}

# with_tool_start_token: "force-exits reasoning mode when encountered inside a reasoning block"
KIMI = GATED | {"calls_end_reasoning": True}

# Before a thought it is open whether the prompt began one: a closer makes a thought of all before it, and after one
# closers are dropped, which no value of "stray_close" says.
MINIMAX_M3 = {axis: value for axis, value in KIMI.items() if axis != "stray_close"}

PARSERS = {
    "gemma4": Parser("gemma4", GATED, {(True, True): UNTOLD, (True, False): UNTOLD}, {"<|channel>": "thought\n"}),
    "kimi_k2": Parser("kimi_k25", KIMI, {(False, True): FORCED, (True, False): SWITCHED_OFF}),
    "minimax_m3": Parser("minimax_m3", MINIMAX_M3, {(True, False): SWITCHED_OFF}),
    "qwen3": Parser("qwen3", BASIC),
}
"""Dialect to its parser: one dialect a kind of parser, since each costs minutes.

glm45, nemotron_deci and basic are the parser of qwen3; deepseek_r1, step3 and nemotron_v3 are that of kimi_k25 without
its eye for calls.
"""


def told() -> dict[str, Any]:
    """The answer to the wire's start."""
    return {
        "version": 1,
        "implementation": {
            "name": "dynamo",
            "version": metadata.version("ai-dynamo-runtime"),
            "language": "Rust",
            "dialects": sorted(PARSERS),
            # The frontend detokenizes the worker's token ids, and a lone "<" is no reason for its parsers to wait:
            # "Require overlap >= 2 so a lone `<` passes through".
            "chunks": "tokens",
            "policy": {dialect: parser.policy for dialect, parser in PARSERS.items()},
        },
    }


def tail(dialect: str, opened: bool) -> str:
    """What the prompt ends with: as a template of the dialect would leave it, nothing where none does."""
    held = REGISTRY.get(dialect)
    for prompt in held.prompts.values():
        if prompt["opened"] == opened:
            return str(prompt["tail"])
    return held.of("reasoning_open")[0] if opened else ""


def refused(dialect: str, opened: bool, thinking: bool, raw: str) -> str:
    """Why an output can't be asked, "" where it can."""
    if len(raw) > LONGEST:
        return f"takes its tokens one by one over loopback, and isn't asked about more than {LONGEST:,} characters"
    for text, behind in PARSERS[dialect].loose.items():
        if raw.count(text) != raw.count(text + behind):
            return f"reads {text} for a marker whatever comes next"
    reason = PARSERS[dialect].refused.get((opened, thinking))
    return f"{PARSERS[dialect].name} {reason}" if reason else ""


def tokens_of(raw: str, dialect: str) -> list[str]:
    """An output as its engine would give it: each atom a token, and every other character one."""
    return [text for text in _splitter(dialect).split(raw) if text]


@cache
def _splitter(dialect: str) -> re.Pattern[str]:
    """What parts an output at its tokens."""
    atoms = sorted(REGISTRY.get(dialect).atoms, key=len, reverse=True)
    return re.compile(f"({'|'.join(map(re.escape, atoms))}|.)", re.DOTALL)
