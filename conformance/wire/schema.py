"""The schema of the wire's messages: what is wrong with one, in a sentence."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from conformance.wire.telling import cut
from oracles.dialects import corpora

ANSWERS = ("started", "message", "deltas", "unsupported", "error")
"""The messages that a command may send."""


@cache
def wire_schema() -> dict[str, Any]:
    """The schema as it stands in the corpora."""
    path = corpora() / "schema" / "wire.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def what_is_wrong(line: bytes, sent: bool, further: bool = False) -> str:
    """What breaks the schema in a line that the suite ``sent``, or the command; "" where nothing does.

    ``further``: names that no message has are left alone, as they are where they are read.
    """
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return "it is no UTF-8"
    except (ValueError, RecursionError):
        return "it is no JSON"
    if not isinstance(value, dict):
        return "it is no JSON object"
    name = value.get("cmd") if sent else _meant(value)
    if name not in wire_schema()["$defs"]:
        return f"it is none of {', '.join(ANSWERS)}"
    errors = _validator(str(name)).iter_errors(value)
    error = best_match(each for each in errors if not (further and _is_further(each)))
    if error is None:
        return ""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path).lstrip(".")
    return f"{path + ': ' if path else ''}{cut(error.message, 200)}"


def _is_further(error: ValidationError) -> bool:
    """Whether an error is about a name beside those of an answer, or of an implementation."""
    return error.validator == "additionalProperties" and list(error.absolute_path) in ([], ["implementation"])


def _meant(value: dict[str, Any]) -> str:
    if "implementation" in value or ("version" in value and "seq" not in value):
        return "started"
    return next((name for name in ANSWERS[1:] if name in value), "message" if "seq" in value else "")


@cache
def _validator(name: str) -> Draft202012Validator:
    schema = wire_schema()
    return Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{name}"})
