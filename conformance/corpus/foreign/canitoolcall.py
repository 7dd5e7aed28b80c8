"""The fixtures of canitoolcall: outputs with the tool calls, the reasoning and the content that they were made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.corpus.files import CorpusError, parsed, read_bytes
from conformance.corpus.foreign.items import Item, Skipped, json_lines, unread
from oracles.dialects import Dialect, Registry, UnknownDialect

PROJECT = "https://github.com/redd34/canitoolcall"

DIALECTS: tuple[tuple[str, str, str], ...] = (
    ("deepseek", r"DeepSeek-V3-0324|DeepSeek-R1", "deepseek_r1"),
    ("deepseek", r"DeepSeek-V3\.1", "deepseek_v31"),
    ("deepseek", r"DeepSeek-V3\.2", "deepseek_v32"),
    ("deepseek", r"DeepSeek-V4(?!\.)", "deepseek_v4"),
    ("gemma4", r"gemma-4", "gemma4"),
    ("glm", r"GLM-4\.[56]", "glm45"),
    ("glm", r"GLM-4\.7|GLM-5", "glm47"),
    ("gpt-oss", r"gpt-oss", "gpt_oss"),
    ("kimi", r"Kimi-K2", "kimi_k2"),
    ("kimi", r"Kimi-K3", "kimi_k3"),
    ("llama", r"Llama-3", "llama3"),
    ("llama", r"Llama-4", "llama4"),
    ("mistral", r"Magistral-Small-2506", ""),
    ("mistral", r".", "mistral"),
    ("qwen3-hermes", r"Thinking-2507", "qwen3_thinking"),
    ("qwen3-hermes", r"Qwen3-", "qwen3"),
    ("qwen3-xml", r"Qwen3-Coder", "qwen3_coder"),
    ("qwen3-xml", r"Qwen3\.", "qwen35"),
)
"""A family, how the first model of a fixture is called, and the dialect it writes; "" for one that none is.

Magistral-Small-2506 thinks in tags of plain text, unlike every later model of its family.
"""


def items(path: Path, registry: Registry) -> Iterator[Item | Skipped]:
    """The fixtures of a file of JSON lines. Raises CorpusError with the line that is malformed.

    A prompt that a fixture doesn't give is the one that ``family.json`` beside the file has for its model.
    """
    prompts = _prompts(path.parent / "family.json")
    for number, fixture in json_lines(path):
        try:
            found = _item(fixture, prompts, registry)
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            what = f"no fixture of canitoolcall ({type(error).__name__}: {error})"
            raise unread(path, number, what, "name files of its fixtures folder") from None
        yield found


def _item(fixture: Any, prompts: Mapping[str, str], registry: Registry) -> Item | Skipped:
    id, family, model, raw = fixture["id"], fixture["family"], fixture["models"][0], fixture["raw_output"]
    if not all(isinstance(text, str) for text in (id, family, model, raw)):
        raise TypeError("id, family, models and raw_output are texts")
    known = [entry for entry in DIALECTS if entry[0] == family]
    if not known:
        return Skipped(id, f"the family {family} is unknown")
    dialect = next((dialect for _, form, dialect in known if re.search(form, model)), "")
    if not dialect:
        return Skipped(id, f"no dialect is that of {model}")
    try:
        declared = registry.get(dialect)
    except UnknownDialect:
        return Skipped(id, f"the corpus has no dialect {dialect}")
    thinking = fixture.get("thinking")
    provenance, expected = fixture["provenance"], fixture.get("expected") or {}
    url = provenance["source_url"]
    reasoning, content = ((expected[key] or "") if expected else None for key in ("reasoning_content", "content"))
    if not all(isinstance(text, str | None) for text in (reasoning, content)):
        raise TypeError("content and reasoning_content are texts")
    return Item(
        name=id.partition("/")[2],
        dialect=dialect,
        raw=raw,
        opened=_opened(fixture.get("generation_prompt") or prompts.get(model), declared, thinking),
        thinking=thinking is not False,
        finish="length" if "truncated" in fixture["tags"] else "stop",
        source={
            "kind": "captured",
            "name": f"canitoolcall {id} ({provenance['license']})",
            "url": url if re.fullmatch(r"https://\S+", url) else PROJECT,
        },
        reasoning=reasoning,
        content=content,
        calls=bool(expected.get("tool_calls")),
    )


def _opened(prompt: str | None, dialect: Dialect, thinking: bool | None) -> bool:
    """Whether a prompt leaves reasoning open; one that nobody gives is the dialect's own."""
    if prompt is None:
        return bool(dialect.prompts.get("off" if thinking is False else "on", {}).get("opened", False))
    opens = max((prompt.rfind(marker) for marker in dialect.of("reasoning_open")), default=-1)
    ends = [*dialect.of("reasoning_close"), *dialect.of("answer_open")]
    return opens > max((prompt.rfind(marker) for marker in ends), default=-1)


def _prompts(path: Path) -> dict[str, str]:
    """Model to the prompt that its fixtures have where they don't say; empty where nothing tells."""
    if not path.is_file():
        return {}
    try:
        models = parsed(read_bytes(path), path)["reference_models"]
        return {model["repo"]: model["default_generation_prompt"] for model in models}
    except (KeyError, TypeError) as error:
        raise CorpusError(f"{path}: no family of canitoolcall ({error}); name files of its fixtures folder") from None
