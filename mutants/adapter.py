"""The specified reader as an adapter, open to being changed in any of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mutants.patching import Patch, patched
from oracles.dialects import REGISTRY, Dialect
from oracles.messages import Chunk, Finish, Message, Request
from oracles.policies import Policy
from oracles.reader import Machine, Reader, fold

Deltas = list[tuple[str, str]]
Values = Mapping[str, Any]


class Plain:
    """A stream over the specified reader; what is built on it says how it differs."""

    def __init__(self, reader: Reader, request: Request) -> None:
        self.reader = reader
        self.request = request

    def feed(self, chunk: Chunk) -> Any:
        """What a chunk releases."""
        return self.changed(self.reader.feed(chunk.text))

    def finish(self, finish: Finish) -> Any:
        """What the end releases."""
        return self.changed(self.reader.finish(finish))

    def changed(self, deltas: Deltas) -> Any:
        """What becomes of the deltas that the reader gives."""
        return deltas


class Adapter:
    """The specified reader as an adapter.

    ``reads``: axes by which it reads otherwise than a dialect's default; ``streams``: those of its streams, where they
    differ. ``declares``: its ``policy``; True for every axis of every dialect as it is read. ``patches``: of the
    specified reader's source. ``compiled``: makes the machine of a dialect and a policy, ``reader`` the reader of a
    request. ``wrap``: makes the stream around one. ``message``: what becomes of a split's message. Further names
    become attributes. Raises PatchError where a patch doesn't fit.
    """

    version = "1"
    dialects = REGISTRY.ids()

    def __init__(
        self,
        name: str,
        *,
        reads: Values | None = None,
        streams: Values | None = None,
        declares: Values | bool | None = None,
        patches: Sequence[Patch] = (),
        compiled: Callable[[Dialect, Policy], Machine] | None = None,
        reader: Callable[[Machine, Request], Reader] | None = None,
        wrap: Callable[[Any, Request], Any] = Plain,
        message: Callable[[Message], Any] = lambda message: message,
        **names: Any,
    ) -> None:
        self.name = name
        self._reads = dict(reads or {})
        self._streams = self._reads if streams is None else dict(streams)
        self._compiled = compiled or (patched(patches) if patches else Machine)
        self._reader = reader or (lambda machine, request: machine.start(request))
        self._wrap, self._message = wrap, message
        self._machines: dict[tuple[str, int], Machine] = {}
        if declares is True:
            self.policy: Any = {id: dict(self._policy(REGISTRY.get(id), self._reads).values()) for id in REGISTRY.ids()}
        elif declares:
            self.policy = declares
        for key, value in names.items():
            setattr(self, key, value)

    def split(self, raw: str, request: Request, finish: Finish) -> Any:
        """The message of a whole output, as the adapter answers it."""
        return self._message(self.read(raw, request, finish))

    def read(self, raw: str, request: Request, finish: Finish) -> Message:
        """The message of a whole output."""
        reader = self._reader(self.machine(request, self._reads), request)
        return fold([*reader.feed(raw), *reader.finish(finish)])

    def stream(self, request: Request) -> Any:
        """A new stream."""
        return self._wrap(self._reader(self.machine(request, self._streams), request), request)

    def machine(self, request: Request, values: Values) -> Machine:
        """The machine of a request, by the values that its mode reads by: ``_reads`` or ``_streams``."""
        key = (request.dialect, id(values))
        if key not in self._machines:
            dialect = REGISTRY.get(request.dialect)
            self._machines[key] = self._compiled(dialect, self._policy(dialect, values))
        return self._machines[key]

    @staticmethod
    def _policy(dialect: Dialect, values: Values) -> Policy:
        return dialect.policy.with_values(values)


def longest(request: Request) -> int:
    """The length of the longest marker of a request's dialect."""
    return REGISTRY.get(request.dialect).longest


def markers_of(request: Request, *roles: str) -> tuple[str, ...]:
    """The markers of a request's dialect that hold one of some roles."""
    dialect = REGISTRY.get(request.dialect)
    return tuple(marker for role in roles for marker in dialect.of(role))


RIGHT = Adapter("right")
"""The specified reader as it is."""
