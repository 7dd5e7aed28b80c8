"""A small corpus that tests may change: two dialects, three cases, and its manifest."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from conformance.corpus.lint import written
from conformance.corpus.manifest import renewed
from oracles.dialects import corpora


def case(id: str, raw: str, reasoning: str, content: str) -> dict[str, Any]:
    """A must of a prompt that opened reasoning."""
    return {
        "id": id,
        "description": f"The output of {id}.",
        "level": "must",
        "source": {"kind": "generated", "name": "made up"},
        "request": {"opened": True, "thinking": True},
        "finish": "stop",
        "raw": raw,
        "expected": {"reasoning": reasoning, "content": content},
    }


CASES = {
    "qwen3/mine": [
        case("qwen3/mine/answered", "plan</think>Hi", "plan", "Hi"),
        case("qwen3/mine/blank", "\n</think>日本", "\n", "日本"),
    ],
    "kimi_k3/mine": [
        case("kimi_k3/mine/answered", "a<|close|>think<|sep|><|open|>response<|sep|>b", "a", "b"),
    ],
}


def write(path: Path, data: Any) -> None:
    """Writes a JSON file in the corpus's form, and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(written(data).encode())


def cases_file(place: str, cases: list[dict[str, Any]]) -> dict[str, Any]:
    """The file of cases that stands at ``<dialect>/<group>``."""
    dialect, _, group = place.partition("/")
    return {"schema": 1, "dialect": dialect, "group": group, "about": "Made up.", "cases": cases}


def small_corpus(folder: Path) -> Path:
    """Makes the corpus in a folder that isn't there yet, and returns it."""
    shutil.copytree(corpora() / "schema", folder / "schema")
    for name in ("README.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(corpora() / name, folder / name)
    for place, cases in CASES.items():
        dialect = place.partition("/")[0]
        write(folder / f"{place}.json", cases_file(place, cases))
        shutil.copy(corpora() / dialect / "dialect.json", folder / dialect / "dialect.json")
    renew(folder)
    return folder


def renew(folder: Path, **how: Any) -> None:
    """Writes the manifest that the corpus wants now."""
    (folder / "manifest.json").write_bytes(renewed(folder, **how).text().encode())
