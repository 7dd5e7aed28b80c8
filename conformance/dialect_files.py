"""Reads a dialect that a user declares in a file of their own, and says clearly what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from oracles.dialects import ROLES, Dialect, corpora
from oracles.policies import AXES, QUESTIONS


class DialectFileError(ValueError):
    """A file declares no dialect; the text says what is wrong, where, and what to do next."""


def load_dialect_file(path: str | Path) -> Dialect:
    """The dialect that a JSON file declares; raises DialectFileError.

    The file follows corpora/schema/dialect.schema.json: ``schema``, ``id`` and ``markers`` are enough.
    """
    data = _read(path)
    errors = sorted(_validator().iter_errors(data), key=_rank)
    if errors:
        raise _error(path, f"at {_place(errors[0].absolute_path)}: {_sentence(errors[0])}")
    return Dialect.from_json({"title": data["id"], **data})


def _error(path: str | Path, text: str) -> DialectFileError:
    return DialectFileError(_printable(f"{path}: {text}"))


class _Duplicate(ValueError):
    pass


def _read(path: str | Path) -> Any:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _error(path, f"the file is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    except FileNotFoundError:
        raise _error(path, "there is no such file. Check the path.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _error(path, f"the file can't be read ({reason}). Name a JSON file.") from None
    try:
        return json.loads(text, object_pairs_hook=_object)
    except _Duplicate as error:
        raise _error(path, f"the key {error} stands twice in one object. Keep one, with both contents.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        hint = "JSON wants double quotes, no comments and no comma after the last entry."
        raise _error(path, f"not JSON at {place}: {error.msg}. {hint}") from None
    except (RecursionError, ValueError):
        raise _error(
            path, "not a dialect: it nests too deep, or holds a number too long. Compare it with one of the corpora."
        ) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Duplicate(_shown(key))
        found[key] = value
    return found


@cache
def _validator() -> Draft202012Validator:
    schema = corpora() / "schema" / "dialect.schema.json"
    return Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))


def _rank(error: ValidationError) -> tuple[int, str]:
    """The most telling error first: a misspelt key before the key that is missing for it."""
    order = {"additionalProperties": 0, "required": 2}
    rank = 3 if "allOf" in error.absolute_schema_path else order.get(str(error.validator), 1)
    return rank, _place(error.absolute_path)


def _sentence(error: ValidationError) -> str:
    """What is wrong, and what to do."""
    path, value, rule = list(error.absolute_path), error.instance, error.validator_value
    role = path[0] == "markers" if path else False
    axis = path[1] if len(path) == 2 and path[0] == "policy" else None
    if "allOf" in error.absolute_schema_path:
        return _reason(error)
    if axis is not None:
        values = ", ".join(_shown(known) for known in AXES[axis])
        return f"axis {axis!r} ({QUESTIONS[axis]}) has no value {_shown(value)}. Its values are {values}."
    match error.validator:
        case "additionalProperties":
            return _unknown(path, [key for key in value if key not in error.schema["properties"]], error.schema)
        case "required":
            missing = next(key for key in rule if key not in value)
            return f"the key {missing!r} is missing. Add {_EXAMPLES.get(missing, missing)}."
        case "dependentRequired":
            return "'calls_close' closes what no 'calls_open' opens. Add the opener, or leave the closer out."
        case "const":
            return f"version {_shown(value)} of the schema is not known. Write {_EXAMPLES['schema']}."
        case "type":
            kind = _KINDS[rule]
            if rule == "array" and isinstance(value, str):
                return f"{_shown(value)} is not {kind}. Put it in brackets: [{_shown(value)}]."
            return f"{_shown(value)} is not {kind}. Write {kind} here."
        case "pattern":
            if path[-1] == "url":
                return f"{_shown(value)} is not an address. Write one that begins with https://."
            return f"{_shown(value)} can't be a name. Use small letters a to z, digits and _, a letter first."
        case "minLength":
            if role:
                return "the marker is empty. Write the literal text of the marker, or remove the entry."
            return "the text is empty. Write it, or remove the entry."
        case "minItems":
            return f"{path[-1]!r} lists nothing. Name at least one, or leave {path[-1]!r} out."
        case "minProperties":
            if role:
                return f"the dialect has no marker. Add at least one role, such as {_EXAMPLES['reasoning_open']}."
            return f"{path[-1]!r} holds nothing. Leave it out."
        case "uniqueItems":
            twice = next(item for index, item in enumerate(value) if item in value[:index])
            return f"{_shown(twice)} stands twice in one list. Remove one."
    return str(error.message)


def _unknown(path: list[Any], unknown: list[str], schema: Any) -> str:
    """An unknown key, with the nearest known one."""
    known = list(schema["properties"])
    noun, nouns = {"markers": ("role", "roles"), "policy": ("axis", "axes"), "policy_reasons": ("axis", "axes")}.get(
        path[-1] if path else "", ("key", "keys")
    )
    near = get_close_matches(unknown[0], known, 1) or get_close_matches(unknown[0].lower(), known, 1)
    if near:
        return f"no {noun} is called {_shown(unknown[0])}. Did you mean {near[0]!r}?"
    if not path and unknown[0] in ROLES:
        return f"no {noun} is called {_shown(unknown[0])}. Roles stand inside 'markers'."
    if not path and unknown[0] in AXES:
        return f"no {noun} is called {_shown(unknown[0])}. Axes stand inside 'policy'."
    return f"no {noun} is called {_shown(unknown[0])}. The {nouns} are {', '.join(known)}."


def _reason(error: ValidationError) -> str:
    """A policy value without its reason, or a reason without its value."""
    axis = list(AXES)[list(error.absolute_schema_path)[1]]
    if error.validator == "required":
        return f"policy.{axis} has no reason. Add {axis!r} to 'policy_reasons', with a sentence that says why."
    return f"a reason for {axis!r}, but 'policy' has no value for it. Add the value, or remove the reason."


_KINDS = {"object": "an object", "array": "a list", "string": "a string", "boolean": "true or false"}

_EXAMPLES = {
    "schema": '"schema": 1',
    "id": '"id": "my_dialect"',
    "markers": '"markers": {"reasoning_open": ["<think>"], "reasoning_close": ["</think>"]}',
    "reasoning_open": '"reasoning_open": ["<think>"]',
    "url": '"url": "https://…", the page',
    "shows": '"shows": "…", what the page shows',
    "tail": '"tail": "…", how the prompt ends',
    "opened": '"opened": true where that tail opens reasoning, else false',
    "syntax": '"syntax": "…", the name of the syntax',
}


def _place(path: Iterable[Any]) -> str:
    """A JSON path, such as ``$.markers.reasoning_open[0]``."""
    place = "$"
    for step in path:
        if isinstance(step, int):
            place += f"[{step}]"
        elif step.isidentifier():
            place += f".{step}"
        else:
            place += f"[{_shown(step)}]"
    return place


def _shown(value: Any) -> str:
    """A value as the file writes it, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
