"""An implementation that was loaded: the adapter protocol, and what an adapter says of itself."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from oracles.dialects import Dialect
from oracles.messages import Chunk, Finish, Request
from oracles.policies import Policy

if TYPE_CHECKING:
    from conformance.chunkings import Chunking


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


class Question(NamedTuple):
    """One output to be answered. ``chunking``: of the stream, None for the split."""

    raw: str
    request: Request
    finish: Finish
    chunking: Chunking | None


class GivenUp(Exception):
    """Nothing more can be asked; the text says why."""


class Remote(ABC):
    """An adapter that is answered elsewhere: it takes whole questions, and many at a time."""

    language: str = ""
    limit: float = float("inf")
    """Seconds that an answer may take."""
    started: Callable[[int], None] | None = None
    """Called with the id of each process that it starts, which leads a group of its own, and with 0 once that ended."""

    @abstractmethod
    def foresee(self, questions: Iterable[Question]) -> None:
        """Questions that will be asked next, most likely in this order; their answers may be worked out meanwhile."""

    @abstractmethod
    def answer(self, question: Question) -> Any:
        """The texts of a message for a split, lists of deltas for a stream, a Failure, or Skipped. Raises GivenUp."""

    @abstractmethod
    def seconds(self) -> float | None:
        """Processor time that it has used so far; None where that can't be known."""

    @property
    @abstractmethod
    def hangs(self) -> int:
        """How many answers didn't come in time."""

    @abstractmethod
    def close(self) -> None:
        """Ends whatever answers; the next question starts it anew."""


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


def nearest(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)``, or nothing where no known word is near."""
    close = difflib.get_close_matches(str(word), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
