"""Loading an adapter: a module, an object in one, or a command that speaks the wire."""

from __future__ import annotations

import importlib
import shlex
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from conformance.examining import EXAMPLES, MISSING, OPTIONAL, examined, given, in_a_line, listed
from conformance.implementation import Adapter, AdapterError, Implementation, Stream, nearest
from conformance.wire.adapter import Told, Wire
from conformance.wire.handshake import LIMIT, SAID, Refused
from conformance.wire.smoke import Smoke
from oracles.dialects import REGISTRY, Registry

__all__ = [
    "EXAMPLES",
    "OPTIONAL",
    "Adapter",
    "AdapterError",
    "Implementation",
    "Stream",
    "Wiring",
    "examined",
    "load",
    "nearest",
]


COMMAND = "cmd:"
"""What a spec begins with that is a command, not a module."""

WORDS = """    command = ("node", "adapter.mjs")"""
"""What would satisfy the name ``command``."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """How a command is spoken with.

    ``limit``: seconds that an answer may take. ``told``: hears each line. ``smokes``: a plain output of each dialect is
    asked when it is loaded, and what the adapter does wrong then is a note.
    """

    limit: float = LIMIT
    told: Told | None = None
    smokes: bool = True


def load(
    spec: str, registry: Registry = REGISTRY, added: Sequence[str] = (), wiring: Wiring | None = None
) -> Implementation:
    """Loads ``module``, ``module:object`` or ``cmd:words of a command``.

    ``added``: ids of ``--dialect-file``, judged whatever the adapter claims. ``wiring``: where it is a command. Raises
    AdapterError.
    """
    wiring = wiring or Wiring()
    if spec.startswith(COMMAND):
        return _introduced(_words(spec), spec, spec, registry, added, wiring)
    threads = set(threading.enumerate())
    adapter, where = _find(spec)
    command = given(adapter, "command", where)
    if command is not MISSING and given(adapter, "split", where) is MISSING:
        words = () if isinstance(command, str) else tuple(listed(command, where, "command"))
        if not words or not all(isinstance(word, str) for word in words):
            raise AdapterError(f"{where}: command must be a tuple of words; for example:\n{WORDS}")
        made = _introduced(words, f"{where} ({shlex.join(words)})", spec, registry, added, wiring)
        return replace(made, script=given(adapter, "script", where, None))
    made = examined(adapter, where, spec, registry, added)
    return replace(made, threaded=bool(set(threading.enumerate()) - threads))


def _words(spec: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(spec.removeprefix(COMMAND)))
    except ValueError as error:
        raise AdapterError(f"--impl={spec}: the command can't be split into words: {error}") from None


def _introduced(
    words: Sequence[str], where: str, spec: str, registry: Registry, added: Sequence[str], wiring: Wiring
) -> Implementation:
    """The implementation behind a command, by what it says of itself."""
    wire = Wire(words, wiring.limit, wiring.told)
    try:
        wire.introduce()
        made = replace(examined(wire, where, spec, registry, added, SAID), language=wire.language)
        return replace(made, notes=(*made.notes, *_smoke(made))) if wiring.smokes else made
    except Refused as refused:
        raise AdapterError(f"{where}: {refused}") from None
    finally:
        wire.close()


def _smoke(made: Implementation) -> Iterator[str]:
    """What the adapter does wrong with plain outputs, for the summary: it is judged all the same."""
    for told in Smoke(made).brief():
        if told.whose == "adapter":
            yield f"wrong on {told.dialect}, {told.what}: {told.because}; `conformance smoke` tells more"
            return


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
        holder, found = found, given(found, attribute, f"--impl={spec}")
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
                f"({in_a_line(error)}); name an object instead"
            ) from None
    return found, f"adapter {spec}"


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
        raise AdapterError(f"--impl={spec}: importing it failed: {in_a_line(error)}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AdapterError(f"--impl={spec}: importing it failed: {in_a_line(error)}") from None
