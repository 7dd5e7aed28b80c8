"""The one form of the corpus's JSON: keys in the order of the schemas, two spaces, a newline at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from conformance.corpus.files import CorpusError, corpus_files, kind_of, parsed, read_bytes
from conformance.corpus.writing import written
from oracles.dialects import corpora


def formatted(name: str, data: Any) -> str:
    """The text of a JSON file of the corpus. ``name``: its path there, which says what schema orders its keys."""
    schema = _schema(kind_of(name))
    return written(_ordered(data, schema, schema))


def unformatted(folder: Path) -> Iterator[tuple[Path, str]]:
    """The JSON files of a folder that aren't in form, each with the text that it wants. Raises CorpusError."""
    for name, path in corpus_files(folder).items():
        if path.suffix == ".json":
            content = read_bytes(path)
            text = formatted(name, parsed(content, path))
            if content != text.encode("utf-8", "surrogatepass"):
                if any("\ud800" <= sign <= "\udfff" for sign in text):
                    raise CorpusError(f"{path}: a text holds a lone surrogate, which UTF-8 can't write; leave it out")
                yield path, text


def _ordered(value: Any, schema: Any, root: Any) -> Any:
    """The value with the keys of its objects as the schema lists its properties; those it doesn't list stay behind."""
    while "$ref" in schema:
        schema = _found(root, schema["$ref"])
    match value:
        case dict():
            known = schema.get("properties", {})
            keys = [*(key for key in known if key in value), *(key for key in value if key not in known)]
            others = _object(schema.get("additionalProperties"))
            return {key: _ordered(value[key], known.get(key, others), root) for key in keys}
        case list():
            items = _object(schema.get("items"))
            return [_ordered(item, items, root) for item in value]
        case _:
            return value


def _object(schema: Any) -> Mapping[str, Any]:
    return schema if isinstance(schema, dict) else {}


def _found(root: Any, reference: str) -> Any:
    for step in reference.removeprefix("#/").split("/"):
        root = root[step]
    return root


@cache
def _schema(kind: str) -> Any:
    """The schema of a kind of file; that of a schema orders nothing."""
    path = corpora() / "schema" / f"{kind}.schema.json"
    return json.loads(path.read_text(encoding="utf-8")) if kind in ("cases", "dialect") else {}
