"""What the oracle expects of an output: its message, its order, and how much is released when."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from conformance.chunkings import Chunking
from oracles.dialects import Dialect
from oracles.messages import FINISHES, WHITE_SPACE, Finish, Message, Request
from oracles.policies import AXES, Policy
from oracles.reader import Machine, Replay

PROFILED = 600
"""Outputs up to this length are read character by character once; longer ones anew for each chunking."""

FEW = 6
"""So many chunks are read as they are, where no finer chunking asks for every character."""

Runs = list[tuple[str, int]]
"""A channel and how many characters have been released up to where its run ends, run by run."""


@dataclass(frozen=True, slots=True)
class Ending:
    """An output's message at one finish.

    ``runs``: the order across channels. ``cut``: the length of a cut marker that stands before a replay at the end.
    ``replays``: where in the content replayed text stands, piece by piece, as (start, end).
    """

    reasoning: str
    content: str
    runs: Runs
    cut: int = 0
    replays: tuple[tuple[int, int], ...] = ()


class Expectation:
    """What is expected of one output under one request, and one policy.

    ``endings``: finish to its ending. A timely reader is never behind the oracle by more than the longest marker less
    one character.
    """

    __slots__ = ("_machine", "_prompt", "_raw", "_request", "endings")

    def __init__(self, machine: Machine, raw: str, request: Request) -> None:
        self._machine = machine
        self._raw = raw
        self._request = request
        self._prompt: list[int] | None = None
        self.endings: dict[str, Ending] = {finish: self._ending(finish) for finish in FINISHES}

    @property
    def prompt(self) -> list[int] | None:
        """How much the oracle has released after so many characters; None for long outputs."""
        if self._prompt is None and len(self._raw) <= PROFILED:
            self._prompt = [0, *self._released(list(self._raw))]
        return self._prompt

    @property
    def floor(self) -> list[int] | None:
        """How much a timely reader has released at least after so many characters; None for long outputs."""
        return None if self.prompt is None else self._lowered(self.prompt)

    def prompt_at(self, chunking: Chunking) -> Sequence[int]:
        """For each chunk, how much the oracle has released after it."""
        if self._prompt is None and len(chunking.chunks) <= FEW:
            return self._released(chunking.texts)
        prompt = self.prompt
        if prompt is None:
            return self._released(chunking.texts)
        picked = chunking.pick(prompt)
        return picked if type(picked) is tuple else (picked,)

    def prepare(self, chunkings: Sequence[Chunking]) -> None:
        """Reads every character once where that is less work than reading each of ``chunkings``."""
        if self._prompt is None and sum([len(chunking.chunks) for chunking in chunkings]) > len(self._raw):
            self._prompt = self.prompt

    def floor_at(self, chunking: Chunking) -> Sequence[int]:
        """For each chunk, how much a timely reader has released after it."""
        return self._lowered(self.prompt_at(chunking))

    def _lowered(self, released: Sequence[int]) -> list[int]:
        slack = self._machine.dialect.longest - 1
        return [count - slack for count in released]

    def texts_at(self, chunking: Chunking) -> Iterator[tuple[str, str]]:
        """For each chunk, the reasoning and the content that the oracle has released after it."""
        reader = self._machine.start(self._request)
        told = {"reasoning": "", "content": ""}
        for text in chunking.texts:
            for channel, released in reader.feed(text):
                told[channel] += released
            yield told["reasoning"], told["content"]

    def _released(self, texts: Sequence[str]) -> list[int]:
        reader = self._machine.start(self._request)
        released: list[int] = []
        total = 0
        for text in texts:
            for _, told in reader.feed(text):
                total += len(told)
            released.append(total)
        return released

    def _ending(self, finish: Finish) -> Ending:
        reader = self._machine.start(self._request)
        deltas = reader.feed(self._raw)
        deltas += reader.finish(finish)
        told: dict[str, list[str]] = {"reasoning": [], "content": []}
        runs: Runs = []
        total = content = 0
        replays: list[tuple[int, int]] = []
        for delta in deltas:
            channel, text = delta
            told[channel].append(text)
            total += len(text)
            if channel == "content":
                if isinstance(delta, Replay):
                    replays.append((content, content + len(text)))
                content += len(text)
            if runs and runs[-1][0] == channel:
                runs[-1] = (channel, total)
            else:
                runs.append((channel, total))
        cut = len(reader.cut) if deltas and isinstance(deltas[-1], Replay) else 0
        return Ending("".join(told["reasoning"]), "".join(told["content"]), runs, cut, tuple(replays))


class Readings:
    """An implementation's readings of a dialect: the policy in force, and which outputs an undeclared axis changes.

    ``latest``: the readings by which text is to be released at the latest.
    """

    latest: Readings

    def __init__(self, dialect: Dialect, declared: Mapping[str, Any]) -> None:
        self.dialect = dialect
        self.declared = declared
        self.policy = dialect.policy.with_values(declared)
        self.machine = Machine(dialect, self.policy)
        self.trimmed = self.policy.space == "trimmed"
        self.space_is_free = "space" not in declared
        self._free = [axis for axis in AXES if axis not in declared and axis != "space"]
        self._machines: dict[Policy, Machine] = {self.policy: self.machine}
        self.settled = lru_cache(maxsize=1 << 16)(self._settled)
        self._expected: dict[tuple[str, bool, bool], Expectation] = {}
        self.latest = self

    def hold(self, values: Mapping[str, Any]) -> None:
        """Streams were seen to read by these values of undeclared axes, which hold text: ``latest`` reads by them."""
        self.latest = Readings(self.dialect, {**self.declared, **values})

    def expect(self, raw: str, request: Request) -> Expectation:
        """What the policy in force expects. Requests that differ in nothing it looks at share the answer."""
        off = self.policy.off == "text" and not request.thinking and not request.opened
        key = (raw, request.opened, off)
        if key not in self._expected:
            if len(self._expected) >= 64:
                self._expected.clear()
            self._expected[key] = Expectation(self.machine, raw, request)
        return self._expected[key]

    def _settled(self, raw: str, request: Request, finish: Finish) -> bool:
        """Whether no undeclared axis changes the reading of an output."""
        wanted = self.machine.split(request, raw, finish)
        return all(message == wanted for message in self.others(raw, request, finish))

    def others(self, raw: str, request: Request, finish: Finish) -> Iterator[Message]:
        """The messages of an output under every other policy that undeclared axes allow."""
        axes = self.concerned(raw, request, finish)
        for policy in self._choices(axes):
            if policy not in self._machines:
                self._machines[policy] = Machine(self.dialect, policy)
            yield self._machines[policy].split(request, raw, finish)

    def concerned(self, raw: str, request: Request, finish: Finish) -> list[str]:
        """The undeclared axes that may have an effect on the reading of an output; ``space`` has none."""
        return [axis for axis in self._free if self._concerns(axis, raw, request, finish)]

    def _choices(self, axes: Sequence[str]) -> Iterator[Policy]:
        """The policies that differ from the one in force in ``axes`` alone: single differences first, then all."""
        for axis in axes:
            for value in AXES[axis]:
                yield self.policy.with_values({axis: value})
        for values in itertools.product(*(AXES[axis] for axis in axes)):
            yield self.policy.with_values(dict(zip(axes, values, strict=True)))

    def _concerns(self, axis: str, raw: str, request: Request, finish: Finish) -> bool:
        """Whether an axis can have an effect at all: the markers it speaks of are there, and the request allows it."""

        def there(role: str) -> bool:
            return any(marker in raw for marker in self.dialect.of(role))

        def cut(role: str) -> bool:
            # Behind an answer's closer a cut marker is no words, unless it isn't watched: then it cancels the skip.
            beginnings = (marker[:length] for marker in self.dialect.of(role) for length in range(1, len(marker)))
            return there("answer_close") and raw.endswith(tuple(beginnings))

        if axis == "reopen":
            return there("reasoning_open")
        if axis == "echoed_open":
            return there("reasoning_open") or cut("reasoning_open")
        if axis == "prefix":
            return there("reasoning_open") and not request.opened
        if axis in ("stray_close", "declined"):
            return there("reasoning_close")
        if axis == "calls_end_reasoning":
            return there("calls_open") or cut("calls_open")
        if axis == "skipped_channel":
            return there("answer_close")
        if axis == "unclosed":
            return finish == "stop" and (request.opened or there("reasoning_open"))
        return not request.thinking and not request.opened and (there("reasoning_open") or there("reasoning_close"))


def ends_aside(text: str) -> str:
    """A channel's text without the white space at its ends."""
    return text.strip(WHITE_SPACE)
