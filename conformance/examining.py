"""Examining an adapter: what it says of itself is whole and well formed, or one clear sentence says what isn't."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.implementation import AdapterError, Implementation, nearest
from oracles.dialects import REGISTRY, Registry
from oracles.policies import AXES, PolicyError, check_values

EXAMPLES = {
    "name": '    name = "mypkg"',
    "version": '    version = "1.2.3"',
    "dialects": '    dialects = {"qwen3", "kimi_k3"}',
    "split": (
        "    def split(raw, request, finish):\n        reasoning, content = ...\n        return reasoning, content"
    ),
    "stream": (
        "    def stream(request):\n        return Reader(...)    "
        "# with feed(chunk) -> deltas and finish(finish) -> deltas"
    ),
}
"""What would satisfy each required name."""
OPTIONAL = {"chunks": "text", "policy": None, "surfaces": (), "surrogates": False, "script": None}
"""What an adapter may have, with what holds where it hasn't."""
MISSING = object()
"""What stands for a name that an adapter doesn't have."""


def examined(
    adapter: Any,
    where: str,
    spec: str = "",
    registry: Registry = REGISTRY,
    added: Sequence[str] = (),
    examples: Mapping[str, str] = EXAMPLES,
) -> Implementation:
    """An object found well formed as an adapter. ``where``: what an error calls it; ``spec``: what ``--impl`` said;
    ``examples``: what would satisfy each required name, as the adapter's language writes it.

    Raises AdapterError.
    """
    has = {name: given(adapter, name, where, OPTIONAL.get(name, MISSING)) for name in (*EXAMPLES, *OPTIONAL)}
    missing = [name for name in EXAMPLES if has[name] is MISSING]
    if missing:
        shown = "\n".join(examples[name] for name in missing)
        file = getattr(adapter, "__file__", None)
        held = f" ({file})" if isinstance(file, str) else ""
        raise AdapterError(f"{where}{held} has no {' and no '.join(missing)}; an adapter needs, for example:\n{shown}")
    for name in ("name", "version"):
        if not isinstance(value := has[name], str) or not value.strip():
            raise _malformed(examples[name], where, name, f"must be a text that isn't empty, not {_shown(value)}")
    for name in ("split", "stream"):
        if not callable(has[name]):
            raise _malformed(examples[name], where, name, f"must be callable, not {_shown(has[name])}")
    ids, dialects, notes = _dialects(has["dialects"], examples["dialects"], where, registry, added)
    chunks, surfaces, surrogates, script = (has[name] for name in ("chunks", "surfaces", "surrogates", "script"))
    if not isinstance(chunks, str) or chunks not in ("text", "tokens"):
        raise AdapterError(
            f"{where}: chunks is {_shown(chunks)}; "
            "it must be 'text' (a chunk may end anywhere) or 'tokens' (never inside an atom)"
        )
    named = () if isinstance(surfaces, str) else tuple(listed(surfaces, where, "surfaces"))
    if isinstance(surfaces, str) or not all(isinstance(name, str) and name for name in named):
        raise AdapterError(
            f"{where}: surfaces is {_shown(surfaces)}; it must be names of endpoints, such as ('chat', 'responses')"
        )
    if not isinstance(surrogates, bool):
        raise AdapterError(f"{where}: surrogates is {_shown(surrogates)}; it must be True or False")
    if script is not None and not callable(script):
        raise AdapterError(f"{where}: script is {_shown(script)}; it must be callable, and give a script's text")
    return Implementation(
        spec=spec,
        adapter=adapter,
        name=has["name"].strip(),
        version=has["version"].strip(),
        dialects=dialects,
        chunks=chunks,
        surfaces=tuple(dict.fromkeys(named)),
        surrogates=surrogates,
        declared=_policies(has["policy"], where, {*registry.ids(), *dialects, *ids}, dialects),
        notes=notes,
        script=script,
    )


def given(holder: Any, name: str, where: str, absent: Any = MISSING) -> Any:
    """What an object has under a name, ``absent`` where it has nothing."""
    try:
        return getattr(holder, name, absent)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AdapterError(f"{where}: reading its {name} failed: {in_a_line(error)}") from None


def in_a_line(error: BaseException) -> str:
    """An exception in one line, with the place where it was raised."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} ({error.filename}, line {error.lineno})"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    outside = [frame for frame in frames if Path(frame.filename) != Path(__file__)]
    place = f" ({outside[-1].filename}, line {outside[-1].lineno})" if outside else ""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}{': ' + text if text else ''}{place}"


def _shown(value: Any) -> str:
    """A value as it is shown in a sentence, in one line, cut where it is long; never raises."""
    try:
        text = repr(value).replace("\n", " ")
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= 80 else f"{text[:60]}…{text[-16:]}"


def _malformed(example: str, where: str, name: str, what: str) -> AdapterError:
    return AdapterError(f"{where}: {name} {what}; for example:\n{example}")


def listed(value: Any, where: str, name: str) -> list[Any]:
    """What an iterable holds. ``where``, ``name``: what an error calls it. Raises AdapterError."""
    try:
        return list(value)
    except Exception:
        told = f"{where}: {name} is {_shown(value)}; it must be a set, a list or a tuple of texts"
        raise AdapterError(told) from None


def _dialects(
    claimed: Any, example: str, where: str, registry: Registry, added: Sequence[str]
) -> tuple[list[str], tuple[str, ...], tuple[str, ...]]:
    """The ids that an adapter claims, those of them that are judged, and notes about the others."""
    if isinstance(claimed, str):
        raise _malformed(example, where, "dialects", f"must be a set of ids, not the text {_shown(claimed)}")
    ids = listed(claimed, where, "dialects")
    odd = [id for id in ids if not isinstance(id, str)]
    if odd:
        raise _malformed(example, where, "dialects", f"must hold ids, texts, not {_shown(odd[0])}")
    known = registry.ids()
    unknown = sorted(set(ids) - set(known))
    usable = sorted((set(ids) & set(known)) | set(added))
    if not usable:
        if not unknown:
            raise _malformed(example, where, "dialects", "is empty: there is nothing to judge")
        named = ", ".join(f"{id!r}{nearest(id, known)}" for id in unknown)
        all_of_them = f"`conformance dialects` lists the {len(known)} there are"
        raise AdapterError(f"{where}: no dialect is called {named}; {all_of_them}")
    notes = tuple(f"no dialect is called {id!r}{nearest(id, known)}: left out" for id in unknown)
    return ids, tuple(usable), notes


def _policies(
    declared: Any, where: str, claimed: set[str], dialects: tuple[str, ...]
) -> Mapping[str, Mapping[str, Any]]:
    """Dialect id to what is declared for it, from either form of an adapter's ``policy``."""
    if declared is None:
        return {}
    if not isinstance(declared, Mapping):
        raise AdapterError(
            f"{where}: policy is {_shown(declared)}; it must map axes to values, or dialects to such mappings"
        )
    nested = {key for key, value in declared.items() if isinstance(value, Mapping)}
    if nested and nested != set(declared):
        odd, dialect = (min(map(str, keys)) for keys in (set(declared) - nested, nested))
        raise AdapterError(f"{where}: policy mixes axes ({odd!r}) with dialects ({dialect!r}); use one form")
    if not nested:
        _check(declared, where)
        return {dialect: dict(declared) for dialect in dialects}
    for dialect, values in declared.items():
        if dialect not in claimed:
            if dialect in AXES:
                told = f"policy axis {dialect!r} has the value {_shown(values)}; {_values_of(dialect)}"
            else:
                told = f"policy names a dialect {dialect!r} that isn't known{nearest(dialect, claimed)}"
            raise AdapterError(f"{where}: {told}")
        _check(values, f"{where}, policy of {dialect}")
    return {dialect: dict(values) for dialect, values in declared.items()}


def _check(values: Mapping[str, Any], where: str) -> None:
    try:
        check_values(values)
    except PolicyError as error:
        hint = nearest(error.axis, AXES) if error.axis not in AXES else ""
        raise AdapterError(f"{where}: {error}{hint}") from None


def _values_of(axis: str) -> str:
    return "its values are " + ", ".join(repr(value) for value in AXES[axis])
