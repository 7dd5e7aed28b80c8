"""What llama.cpp's adapter declares: the template of each dialect, and how its parser reads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from conformance.adapters.llama_cpp.place import VERSION
from oracles.dialects import REGISTRY

Values = dict[str, str | bool]
"""Policy axis to value."""


class Template(NamedTuple):
    """The shipped template of a dialect.

    ``file``: its name in llama.cpp's ``models/templates``.
    ``ends``: markers that are tokens which end the generation, to whether the parser is shown their text.
    ``refused``: text that an output may not hold, to the reason. ``loose``: text that the parser takes for a marker of
    the dialect, to what the dialect wants behind it. ``form``: how an output must be made of messages to be asked.
    """

    file: str
    policy: Values
    ends: Mapping[str, bool] = MappingProxyType({})
    refused: Mapping[str, str] = MappingProxyType({})
    loose: Mapping[str, str] = MappingProxyType({})
    form: Mapping[str, Any] | None = None


SPACE: Values = {
    # "Discard whitespace-only reasoning content"; space() behind the prompt and behind most openers, and a prompt
    # that ends in white space lends it to what follows.
    "space": "trimmed",
    # "until" takes all there is where the closer never comes, however the output ended.
    "unclosed": "reasoning",
    # Inside a thought only what ends it is looked for.
    "echoed_open": "text",
}

TAGS = SPACE | {
    # optional(start + reasoning(until(end)) + end) + content(rest()): the thought comes first or not at all, and what
    # follows it, or stands there without one, is content to the end.
    "reopen": "text",
    "prefix": "text",
    "stray_close": "text",
    "declined": "text",
    # Without tools nothing looks for calls.
    "calls_end_reasoning": False,
}

# The parser reads the prompt's last words with the output: where thinking is off they hold the one thought it reads.
CLOSED = TAGS | {"off": "text"}

# Where thinking is off they hold a closer, or nothing is different, and an opener of the output's own is read.
READ = TAGS | {"off": "read"}

# until_one_of({ "</think>", "<tool_call>" }), until_one_of({ THINK_END, CALL_START }), with tools and without.
CALLS_END: Values = {"calls_end_reasoning": True}

KIMI_K3 = SPACE | {
    "reopen": "text",
    # until_one_of({ THINK_END, RESP_START })
    "calls_end_reasoning": False,
    # "skipped_channel" is not declared: the answer's closer is text of an open thought, which no value says.
}

GEMMA4 = SPACE | {
    # one_or_more(thought + content): "Consume all complete reasoning blocks".
    "reopen": "opens",
    "prefix": "content",
    "calls_end_reasoning": False,
    "off": "read",
    # "stray_close" and "declined" are not declared: "stop at the first unmatched <channel|> token" takes the rest of
    # the output with it, and one that comes first fails.
}

MINIMAX_M3 = TAGS | {
    # optional(choice({ block, literal(THINK_END) })): "a bare </mm:think>, written either by the generation prompt or
    # by the model itself".
    "declined": "dropped",
    # "off" is not declared: a thought that comes although thinking is off is neither read nor text, but dropped.
}

GPT_OSS = SPACE | {
    # zero_or_more(start + (preamble | analysis)): "GPT OSS can have more than 1 reasoning block, so concatenate here";
    # a preamble is content.
    "reopen": "opens",
    "prefix": "content",
    "calls_end_reasoning": False,
    "skipped_channel": "stays",
    "off": "read",
}

HARMONY = {
    "headers": [f"<|channel|>{channel}<|message|>" for channel in ("analysis", "commentary", "final")],
    "end": "<|end|>",
    "last": "<|return|>",
    "next": "<|start|>assistant",
}
"""What openai-harmony promises to read: it refuses text outside messages too, and keeps headers inside them as text."""

UNSOLICITED = {" to=": "an unsolicited call is consumed on purpose", "<|call|>": "generation ends at <|call|>"}

TEMPLATES = {
    "deepseek_r1": Template("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B.jinja", CLOSED),
    "deepseek_v31": Template("deepseek-ai-DeepSeek-V3.1.jinja", CLOSED),
    "deepseek_v4": Template("deepseek-ai-DeepSeek-V4.jinja", CLOSED),
    # literal("<|channel>thought") + space()
    "gemma4": Template("google-gemma-4-31B-it.jinja", GEMMA4, loose={"<|channel>thought": "\n"}),
    "glm45": Template("GLM-4.6.jinja", CLOSED),
    "glm47": Template("GLM-4.7-Flash.jinja", READ),
    # "These special tokens are required to parse properly": <|return|> is not among them.
    "gpt_oss": Template("openai-gpt-oss-120b.jinja", GPT_OSS, {"<|return|>": False}, UNSOLICITED, form=HARMONY),
    "kimi_k2": Template("Kimi-K2-Thinking.jinja", READ | CALLS_END),
    # "the EOG token after the message closer reaches the parser as text"
    "kimi_k3": Template("Kimi-K3.jinja", KIMI_K3, {"<|end_of_msg|>": True}),
    "ling3": Template("inclusionai-ling-3.0-flash.jinja", CLOSED | CALLS_END),
    "minimax_m2": Template("MiniMax-M2.jinja", TAGS),
    "minimax_m3": Template("MiniMax-M3.jinja", MINIMAX_M3),
    "mistral": Template("mistralai-Ministral-3-14B-Reasoning-2512.jinja", READ),
    "qwen3": Template("Qwen-Qwen3-0.6B.jinja", CLOSED),
    "qwen35": Template("Qwen3.5-4B.jinja", CLOSED | CALLS_END),
}
"""Dialect to its template."""


def told(templates: str) -> dict[str, Any]:
    """What the driver is told. ``templates``: the folder that holds llama.cpp's templates."""
    return {
        "implementation": {
            "name": "llama_cpp",
            "version": VERSION,
            "language": "C++",
            "dialects": sorted(TEMPLATES),
            "chunks": "text",
            "policy": {dialect: template.policy for dialect, template in TEMPLATES.items()},
        },
        "templates": templates,
        "dialects": {
            dialect: {
                "template": template.file,
                "opens": REGISTRY.get(dialect).of("reasoning_open"),
                "closes": REGISTRY.get(dialect).of("reasoning_close"),
                "ends": dict(template.ends),
                "refused": dict(template.refused),
                "loose": dict(template.loose),
                "form": template.form,
                "atoms": REGISTRY.get(dialect).atoms,
            }
            for dialect, template in TEMPLATES.items()
        },
    }
