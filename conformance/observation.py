"""What was seen: an output, how the split read it, and what each stream released when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from conformance.chunkings import Chunking
from conformance.expectation import Ending, Expectation, Readings, Runs, ends_aside
from oracles.messages import Finish, Request
from oracles.pieces import Output

Texts = tuple[str, str]
"""The reasoning and the content of a message."""

UNANSWERED = ("hung", "died", "lost")
"""The kinds of failure after which nothing more is asked in the same way: each would take as long."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that gave no usable answer; ``text`` says how.

    ``kind``: ``raised``, ``malformed``, ``hung``; of a command also ``died``, and ``lost`` where it no longer answers
    what it was asked.
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A request that the implementation can't be asked, with its reason."""

    reason: str


@dataclass(frozen=True)
class StreamRun:
    """One stream: its chunking, and the deltas of each chunk, the last after finish; or how it failed."""

    chunking: Chunking
    deltas: tuple[tuple[tuple[str, str], ...], ...] = ()
    failure: Failure | None = None

    @cached_property
    def texts(self) -> Texts:
        """The stream put together."""
        told = [delta for deltas in self.deltas for delta in deltas]
        reasoning = "".join([text for channel, text in told if channel == "reasoning"])
        return paired(reasoning), paired("".join([text for channel, text in told if channel == "content"]))

    @cached_property
    def runs(self) -> Runs:
        """The order across channels: each run of deltas of one channel, and the total released up to its end."""
        runs: Runs = []
        total = 0
        for deltas in self.deltas:
            for channel, text in deltas:
                if not text:
                    continue
                total += len(text)
                if runs and runs[-1][0] == channel:
                    runs[-1] = (channel, total)
                else:
                    runs.append((channel, total))
        return runs

    @cached_property
    def released(self) -> list[int]:
        """How many characters had been released after each chunk."""
        totals: list[int] = []
        total = 0
        for deltas in self.deltas[:-1]:
            total += sum(len(text) for _, text in deltas)
            totals.append(total)
        return totals

    def told_after(self) -> Iterator[Texts]:
        """The reasoning and the content released after each chunk."""
        told = {"reasoning": "", "content": ""}
        for deltas in self.deltas[:-1]:
            for channel, text in deltas:
                told[channel] += text
            yield told["reasoning"], told["content"]


@dataclass
class Observation:
    """All that was seen of one output under one request and one finish.

    ``split``: the texts, why there are none, or None where the implementation only streams. ``streams``: those that
    differ in anything from what the oracle expects, and the coarsest that doesn't, coarse to fine. ``twin``: the same
    output and request at the other finish. ``surfaces``: a surface's name to its answers, each with the chunking it was
    given, None for the split.
    """

    output: Output
    request: Request
    finish: Finish
    readings: Readings
    expectation: Expectation
    split: Texts | Failure | None
    streams: list[StreamRun]
    twin: Observation | None = None
    surfaces: Mapping[str, Sequence[tuple[Chunking | None, Texts | Failure]]] = field(default_factory=dict)

    @property
    def ending(self) -> Ending:
        """What the oracle expects at this finish."""
        return self.expectation.endings[self.finish]

    @property
    def parted(self) -> Texts | None:
        """The split's texts, None where it gave none."""
        return None if isinstance(self.split, Failure) else self.split

    @property
    def trimmed(self) -> bool:
        """Whether white space at a channel's ends counts for nothing."""
        return self.readings.trimmed

    @cached_property
    def settled(self) -> bool:
        """Whether no undeclared axis changes the reading of this output."""
        return self.readings.settled(self.output.raw, self.request, self.finish)

    @property
    def told(self) -> Iterator[StreamRun]:
        """The streams that gave an answer."""
        return (run for run in self.streams if run.failure is None)

    def same(self, one: Texts, other: Texts) -> bool:
        """Whether two messages are equal under the policy in force."""
        return one == other or (self.trimmed and ends_off(one) == ends_off(other))


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check objects to in an observation.

    ``run``: the stream that shows it, None for the split. ``note``: a sentence, where values alone don't say it.
    ``consults``: the oracle was consulted, so undeclared axes may excuse it; ``twin``: for both finishes.
    ``lenient``: only white space at a channel's ends differs, which the undeclared axis ``space`` excuses.
    ``values``: rows (of what, whose, text, remark). ``extra``: whatever else ``--case`` must repeat.
    """

    run: StreamRun | None = None
    note: str = ""
    consults: bool = False
    twin: bool = False
    lenient: bool = False
    other: StreamRun | None = None
    values: tuple[tuple[str, str, str, str], ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


def ends_off(texts: Texts) -> Texts:
    """A message without the white space at the ends of its channels."""
    return ends_aside(texts[0]), ends_aside(texts[1])


def paired(text: str) -> str:
    """``text`` with the surrogate pairs joined that two deltas split."""
    if text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
