"""The adapter protocol: loading a module or an object that says what it is, and asking it."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from oracles.dialects import REGISTRY, Dialect, Registry
from oracles.messages import Chunk, Finish, Request
from oracles.policies import AXES, Policy, PolicyError, check_values

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


class AdapterError(Exception):
    """An adapter can't be used; the text says what is wrong, where, and what to do next."""


class Stream(Protocol):
    """One streamed answer: an adapter's ``stream(request)`` returns one."""

    def feed(self, chunk: Chunk) -> Iterable[Any]:
        """The deltas that a chunk releases."""

    def finish(self, finish: Finish) -> Iterable[Any]:
        """The deltas that the end releases; called once, last."""


class Adapter(Protocol):
    """What a module, or an object in it, must have to be judged (DESIGN section 2)."""

    name: str
    version: str
    dialects: Iterable[str]

    def split(self, raw: str, request: Request, finish: Finish) -> Any:
        """The message of a whole output: a Message, or a (reasoning, content) pair."""

    def stream(self, request: Request) -> Stream:
        """A new stream for one request."""


@dataclass(frozen=True)
class Implementation:
    """An adapter that was loaded and found well formed.

    ``spec``: what ``--impl`` said. ``dialects``: the ids to judge, sorted. ``notes``: sentences for the summary.
    ``chunks``: ``"text"`` or ``"tokens"``. ``declared``: dialect id to axis to value. ``threaded``: it started threads
    when it was imported, which would not be there in a forked child. ``language``: what it is written in, "" where
    nobody said. ``script``: the adapter's function of that name.
    """

    spec: str
    adapter: Adapter
    name: str
    version: str
    dialects: tuple[str, ...]
    chunks: str = "text"
    surfaces: tuple[str, ...] = ()
    surrogates: bool = False
    declared: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    threaded: bool = False
    language: str = "Python"
    script: Callable[..., Any] | None = None

    def values_for(self, dialect: Dialect) -> Mapping[str, Any]:
        """The axes it declares for a dialect, with their values."""
        return self.declared.get(dialect.id, {})

    def policy_for(self, dialect: Dialect) -> Policy:
        """The policy in force: the dialect's default, where nothing is declared."""
        return dialect.policy.with_values(self.values_for(dialect))


def load(spec: str, registry: Registry = REGISTRY, added: Sequence[str] = ()) -> Implementation:
    """Loads ``module`` or ``module:object``. ``added``: ids of ``--dialect-file``, judged whatever the adapter claims.

    Raises AdapterError.
    """
    threads = set(threading.enumerate())
    adapter, where = _find(spec)
    made = examined(adapter, where, spec, registry, added)
    return replace(made, threaded=bool(set(threading.enumerate()) - threads))


def examined(
    adapter: Any, where: str, spec: str = "", registry: Registry = REGISTRY, added: Sequence[str] = ()
) -> Implementation:
    """An object found well formed as an adapter. ``where``: what an error calls it; ``spec``: what ``--impl`` said.

    Raises AdapterError.
    """
    given = {name: _given(adapter, name, where, OPTIONAL.get(name, MISSING)) for name in (*EXAMPLES, *OPTIONAL)}
    missing = [name for name in EXAMPLES if given[name] is MISSING]
    if missing:
        shown = "\n".join(EXAMPLES[name] for name in missing)
        file = getattr(adapter, "__file__", None)
        held = f" ({file})" if isinstance(file, str) else ""
        raise AdapterError(f"{where}{held} has no {' and no '.join(missing)}; an adapter needs, for example:\n{shown}")
    for name in ("name", "version"):
        if not isinstance(value := given[name], str) or not value.strip():
            raise _malformed(where, name, f"must be a text that isn't empty, not {_shown(value)}")
    for name in ("split", "stream"):
        if not callable(given[name]):
            raise _malformed(where, name, f"must be callable, not {_shown(given[name])}")
    ids, dialects, notes = _dialects(given["dialects"], where, registry, added)
    chunks, surfaces, surrogates, script = (given[name] for name in ("chunks", "surfaces", "surrogates", "script"))
    if not isinstance(chunks, str) or chunks not in ("text", "tokens"):
        raise AdapterError(
            f"{where}: chunks is {_shown(chunks)}; "
            "it must be 'text' (a chunk may end anywhere) or 'tokens' (never inside an atom)"
        )
    named = () if isinstance(surfaces, str) else tuple(_listed(surfaces, where, "surfaces"))
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
        name=given["name"].strip(),
        version=given["version"].strip(),
        dialects=dialects,
        chunks=chunks,
        surfaces=tuple(dict.fromkeys(named)),
        surrogates=surrogates,
        declared=_policies(given["policy"], where, {*registry.ids(), *dialects, *ids}, dialects),
        notes=notes,
        script=script,
    )


def nearest(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)``, or nothing where no known word is near."""
    close = difflib.get_close_matches(str(word), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _find(spec: str) -> tuple[Any, str]:
    """The object a spec names and how to call it in an error."""
    name, _, path = spec.partition(":")
    if name.endswith(".py") or not all(part.isidentifier() for part in name.split(".")):
        parts = Path(name.removesuffix(".py")).parts
        meant = ".".join(parts) if parts and all(part.isidentifier() for part in parts) else "mypkg.adapter"
        raise AdapterError(
            f"--impl={spec}: {name!r} is no module name; write it as in an import, {meant} or {meant}:object"
        )
    found: Any = _module(name, spec)
    for attribute in path.split(".") if path else ():
        holder, found = found, _given(found, attribute, f"--impl={spec}")
        if found is MISSING:
            public = [known for known in dir(holder) if not known.startswith("_")]
            raise AdapterError(f"--impl={spec}: {name} has no object {attribute!r}{nearest(attribute, public)}")
    if isinstance(found, type):
        try:
            found = found()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise AdapterError(
                f"--impl={spec}: {path} is a class that can't be made without arguments "
                f"({_told(error)}); name an object instead"
            ) from None
    return found, f"adapter {spec}"


def _given(holder: Any, name: str, where: str, absent: Any = MISSING) -> Any:
    """What an object has under a name, ``absent`` where it has nothing."""
    try:
        return getattr(holder, name, absent)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AdapterError(f"{where}: reading its {name} failed: {_told(error)}") from None


def _module(name: str, spec: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise AdapterError(
                f"--impl={spec}: there is no module {error.name!r}; "
                "run from the folder that holds it, or install its package"
            ) from None
        raise AdapterError(f"--impl={spec}: importing it failed: {_told(error)}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AdapterError(f"--impl={spec}: importing it failed: {_told(error)}") from None


def _told(error: BaseException) -> str:
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


def _malformed(where: str, name: str, what: str) -> AdapterError:
    return AdapterError(f"{where}: {name} {what}; for example:\n{EXAMPLES[name]}")


def _listed(value: Any, where: str, name: str) -> list[Any]:
    try:
        return list(value)
    except Exception:
        told = f"{where}: {name} is {_shown(value)}; it must be a set, a list or a tuple of texts"
        raise AdapterError(told) from None


def _dialects(
    claimed: Any, where: str, registry: Registry, added: Sequence[str]
) -> tuple[list[str], tuple[str, ...], tuple[str, ...]]:
    """The ids that an adapter claims, those of them that are judged, and notes about the others."""
    if isinstance(claimed, str):
        raise _malformed(where, "dialects", f"must be a set of ids, not the text {_shown(claimed)}")
    ids = _listed(claimed, where, "dialects")
    odd = [id for id in ids if not isinstance(id, str)]
    if odd:
        raise _malformed(where, "dialects", f"must hold ids, texts, not {_shown(odd[0])}")
    known = registry.ids()
    unknown = sorted(set(ids) - set(known))
    usable = sorted((set(ids) & set(known)) | set(added))
    if not usable:
        if not unknown:
            raise _malformed(where, "dialects", "is empty: there is nothing to judge")
        named = ", ".join(f"{id!r}{nearest(id, known)}" for id in unknown)
        listed = f"`conformance dialects` lists the {len(known)} there are"
        raise AdapterError(f"{where}: no dialect is called {named}; {listed}")
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
