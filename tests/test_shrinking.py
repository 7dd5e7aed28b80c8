"""Facts about shrinking: what was found becomes as small as can be, and stays what was found."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from conformance.adapter import Implementation
from conformance.asking import Asker
from conformance.candidates import Candidate
from conformance.chunkings import Chunker
from conformance.collecting import Collector
from conformance.expectation import Readings
from conformance.ladder import Step
from conformance.shrinking import shrunk
from conformance.watchdog import Unwatched
from mutants.adapter import Adapter
from mutants.faults import cutting, disagreeing, failing, misreading, timing
from oracles.dialects import REGISTRY
from oracles.messages import Message, Request
from oracles.pieces import Output, Piece, Pieces

NAMES = {
    "O": "reasoning_open",
    "C": "reasoning_close",
    "(": "answer_open",
    ")": "answer_close",
    "[": "calls_open",
    "]": "calls_close",
    "!": "framing",
}
"""Sign to the role of the marker it stands for; ``w`` is a word, others stand for themselves."""


def output(dialect: str, signs: str) -> Output:
    """An output in signs."""
    pieces = Pieces(REGISTRY.get(dialect))
    symbols = []
    for sign in signs:
        if sign in NAMES:
            symbols.append(Piece("marker", REGISTRY.get(dialect).of(NAMES[sign])[0], NAMES[sign]))
        elif sign == "w":
            symbols.append(Piece("word", ""))
        else:
            symbols.append(Piece("space" if sign.isspace() else "text", sign))
    return pieces.output(symbols)


class Hunt:
    """What one check finds in an adapter."""

    def __init__(self, adapter: Adapter, dialect: str, check: str) -> None:
        declared = getattr(adapter, "policy", {}).get(dialect, {})
        made = Implementation("", adapter, adapter.name, "1", (dialect,), declared={dialect: declared})
        self.chunker = Chunker(REGISTRY.get(dialect))
        self.asker = Asker(made, Readings(REGISTRY.get(dialect), declared), Unwatched())
        self.collector = Collector(self.asker, self.chunker, [check])

    def found(self, output: Output, *requests: Request) -> list[Candidate]:
        """The candidates of an output, asked in every way."""
        cut = self.chunker.full if len(output.raw) < 1000 else self.chunker.edges
        self.collector.step(Step("shapes", output, requests, tuple(cut(output))))
        return list(self.collector.candidates)

    def shrunk(self, candidate: Candidate) -> Candidate:
        """The candidate made smaller."""
        return shrunk(candidate, self.collector.probe(candidate), self.chunker)


@dataclass(frozen=True)
class Fault:
    """A wrong reader, a large output that shows its fault to a check, and the smallest that does."""

    fault: str
    check: str
    signs: str
    smallest: str
    chunks: tuple[str, ...] | None
    kind: str
    dialect: str = "qwen3"
    opened: bool = True
    finish: str = "stop"
    names: dict[str, Any] = field(default_factory=dict)


END = "<|close|>response<|sep|>"

FAULTS = (
    Fault(
        "re-enters reasoning, in the stream", "streamed-equals-split", "w\nwCw wOw\nwCw",
        "</think><think>", ("</think><think>",), "second-block", names={"streams": {"reopen": "opens"}},
    ),
    Fault(
        "prose before an opener is reasoning, in the split", "streamed-equals-split", "w w\nwO wwC\nw",
        "w<think>", ("w<think>",), "opener-after-words", opened=False, names={"split": disagreeing.prose_is_thought},
    ),
    Fault(
        "loses a character past 4,096, in the stream", "streamed-equals-split", "ww" + "." * 30,
        "." * 4097, ("." * 4097,), "plain", opened=False, names={"wrap": cutting.PastSome},
    ),
    Fault(
        "strips, in the split", "whitespace-agrees", "w\nwww\n\n",
        "\n", ("\n",), "plain", opened=False,
        names={"message": lambda message: Message(message.reasoning.strip(), message.content.strip())},
    ),
    Fault(
        "misses a marker cut behind its third character", "chunks-do-not-matter", "www wCww\nw",
        "</think>", ("</t", "hink>"), "marker-cut-by-chunk", names={"wrap": cutting.MissesAtThree},
    ),
    Fault(
        "compares a chunk with a marker", "chunks-do-not-matter", "www ww\nwC",
        "w</think>", ("w", "</think>"), "answered", names={"wrap": cutting.Equality},
    ),
    Fault(
        "an empty chunk releases what was held", "chunks-do-not-matter", "wwCw",
        "</think>", ("</think", "", ">"), "marker-cut-by-chunk", names={"wrap": cutting.EmptyChunkReleases},
    ),
    Fault(
        "sends the reply twice, in the stream", "nothing-lost", "ww ww)!!",
        f"w{END}", (f"w{END}",), "skipped-channel", "kimi_k3", names={"wrap": disagreeing.RepliesTwice},
    ),
    Fault(
        "content comes before reasoning of the same chunk", "order-kept", "wwwCwww",
        "w</think>w", ("w</think>w",), "answered", names={"wrap": timing.ContentFirst},
    ),
    Fault(
        "releases line by line", "released-in-time", "www ww" + "." * 20 + "ww",
        "." * 12, ("." * 12,), "plain", opened=False, names={"wrap": timing.ByLine},
    ),
    Fault(
        "raises beyond the basic plane", "never-raises", "ww \U0001f600\nww",
        "\U0001f600", ("\U0001f600",), "plain", opened=False, names={"wrap": failing.raising(failing.beyond_the_plane)},
    ),
    Fault(
        "gives a mapping for a message", "never-raises", "wwCw w",
        "</think>", None, "answered", names={"message": failing.as_mapping},
    ),
    Fault(
        "loses what was held at the end", "reads-as-declared", "w w\nw<",
        "<", None, "cut-at-end", opened=False, names={"reader": misreading.DropsHeld},
    ),
    Fault(
        "replays at length", "reads-as-declared", "ww ww)!!",
        f"w{END}", None, "answer-closer-length", "kimi_k3", finish="length",
        names={"reader": misreading.ReplaysAtLength},
    ),
    Fault(
        "declares that a second block opens, and reads it as text", "reads-as-declared", "ww wCw wOwCw",
        "</think><think>", None, "second-block", names={"declares": {"qwen3": {"reopen": "opens"}}},
    ),
)  # fmt: skip


def in_signs(candidate: Candidate, text: str) -> str:
    """A text with ``w`` for each word."""
    return "".join("w" if sign in candidate.output.words else sign for sign in text)


def hunt(fault: Fault) -> tuple[Hunt, Candidate]:
    """What the check finds in the large output of a fault, of the fault's kind."""
    names = {"declares": True, **fault.names}
    hunt = Hunt(Adapter(fault.fault, **names), fault.dialect, fault.check)
    large = output(fault.dialect, fault.signs)
    if "4,096" in fault.fault:
        large = Output((*large.pieces, Piece("text", ".", times=9000), *large.pieces))
    request = Request(fault.dialect, fault.opened, False)
    found = [candidate for candidate in hunt.found(large, request) if candidate.kind == fault.kind]
    assert len(found) == 1, [candidate.kind for candidate in hunt.collector.candidates]
    return hunt, found[0]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.fault)
def test_a_fault_is_shown_by_the_smallest_output_that_shows_it(fault):
    hunted, candidate = hunt(fault)
    small = hunted.shrunk(candidate)
    assert in_signs(small, small.output.raw) == fault.smallest
    texts = None if small.chunking is None else tuple(in_signs(small, text) for text in small.chunking.texts)
    assert texts == fault.chunks
    assert (small.request.opened, small.request.thinking, small.finish) == (fault.opened, True, fault.finish)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.fault)
def test_what_was_made_smaller_is_still_what_was_found(fault):
    """The same check, level and kind; and asked again it is found again, on its own chunks."""
    hunted, candidate = hunt(fault)
    small = hunted.shrunk(candidate)
    assert (small.check, small.level, small.kind) == (candidate.check, candidate.level, candidate.kind)
    assert small.size < candidate.size
    assert (small.chunking is None) == (candidate.chunking is None)
    again = Hunt(hunted.asker.implementation.adapter, fault.dialect, fault.check)
    chunkings = [again.chunker.whole(small.output), *([small.chunking] if small.chunking else [])]
    again.collector.step(Step("case", small.output, (small.request,), tuple(chunkings)))
    kept = [
        one
        for one in again.collector.candidates
        if (one.level, one.kind, one.finish) == (small.level, small.kind, small.finish)
    ]
    assert kept


@pytest.mark.parametrize("dialect", ["qwen3", "kimi_k3", "gpt_oss"])
def test_no_random_find_grows_or_becomes_another(dialect):
    """Of a reader that misses markers cut behind their third character, in outputs of any pieces."""
    pieces, draw = Pieces(REGISTRY.get(dialect)), random.Random(dialect)
    made = Adapter("", wrap=cutting.MissesAtThree, declares=True)
    for check in ("streamed-equals-split", "reads-as-declared", "markers-do-not-leak"):
        hunted = Hunt(made, dialect, check)
        for _ in range(4):
            large = pieces.output(draw.choices(pieces.alphabet, k=8))
            hunted.found(large, *(Request(dialect, opened, False) for opened in (True, False)))
        for candidate in list(hunted.collector.candidates)[:4]:
            small = hunted.shrunk(candidate)
            assert (small.check, small.level, small.kind) == (check, candidate.level, candidate.kind)
            assert small.size <= candidate.size
            assert len(small.output.pieces) <= 4


def test_what_shows_once_and_never_again_stays_as_it_was_found():
    hunted = Hunt(
        Adapter("", split=disagreeing.by_text(Adapter("").read), declares=True), "qwen3", "streamed-equals-split"
    )
    (candidate, *_) = hunted.found(output("qwen3", "wwCw"), Request("qwen3", True, True), Request("qwen3", False, True))
    assert hunted.shrunk(candidate) == candidate


def test_tries_are_counted():
    """No more questions than are allowed; what was reached by then is what is told."""
    fault = FAULTS[0]
    hunted, candidate = hunt(fault)
    asked = []
    probe = hunted.collector.probe(candidate)

    def counted(*question: Any) -> Candidate | None:
        asked.append(question)
        return probe(*question)

    assert shrunk(candidate, counted, hunted.chunker, tries=1) == candidate
    assert asked == []
    small = shrunk(candidate, counted, hunted.chunker, tries=6)
    assert len(asked) <= 5
    assert small.size <= candidate.size
