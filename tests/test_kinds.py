"""Facts about kinds: what is special about an output, told from how it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from representatives import each_dialect

from conformance.adapter import Implementation
from conformance.asking import Asker
from conformance.candidates import Candidates
from conformance.chunkings import Chunker
from conformance.expectation import Readings
from conformance.watchdog import Unwatched
from oracles.dialects import REGISTRY
from oracles.kinds import CUT_BY_CHUNK, EMPTY, KINDS, PLAIN, Kind, kind_of
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output, Piece
from oracles.second import RULES, Span
from oracles.shape_table import written

QWEN = {"O": "<think>", "C": "</think>", "[": "<tool_call>", "]": "</tool_call>"}
KIMI = {
    "O": "<|open|>think<|sep|>",
    "C": "<|close|>think<|sep|>",
    "(": "<|open|>response<|sep|>",
    ")": "<|close|>response<|sep|>",
    "[": "<|open|>tools<|sep|>",
    "]": "<|close|>tools<|sep|>",
    "!": "<|close|>message<|sep|>",
}
"""One sign for each marker of a dialect, so that an output is read at a glance."""


@dataclass(frozen=True)
class Example:
    """An output, in signs, and its kind. ``opened``: by the prompt. ``policy``: axes that are read otherwise."""

    kind: str
    signs: str
    opened: bool = True
    thinking: bool = True
    finish: Finish = "stop"
    policy: dict[str, Any] = field(default_factory=dict)

    @property
    def signed(self) -> str:
        """How the example is called."""
        return f"{self.kind}: {'on' if self.opened else 'off'} {self.signs!r} {self.finish}"


OF_QWEN = (
    Example("empty", ""),
    Example("plain", "a", opened=False),
    Example("plain", " \n", opened=False),
    Example("answered", "aCb"),
    Example("answered", "Ca"),
    Example("answered", "aC"),
    Example("answered", "OaCb", opened=False),
    Example("unclosed", "a"),
    Example("unclosed", "Oa", opened=False),
    Example("unclosed", "O", opened=False),
    Example("second-block", "aCbO"),
    Example("second-block", "aCbOcCd"),
    Example("second-block", "aCbO", policy={"reopen": "opens"}),
    Example("second-block", "OaC O", opened=False),
    Example("calls-opener-then-closer", "a[bC"),
    Example("calls-opener-then-closer", "a[bC", policy={"calls_end_reasoning": False}),
    Example("calls-opener-then-closer", "a[b]C"),
    Example("calls-opener-inside", "a[b]"),
    Example("calls-opener-inside", "a[b", policy={"calls_end_reasoning": False}),
    Example("marker-in-call", "[aO]", opened=False),
    Example("marker-in-call", "[aC]b", opened=False),
    Example("call", "[a]b", opened=False),
    Example("call", "aCb[c]"),
    Example("call", "[a[b]", opened=False),
    Example("opener-repeated", "Oa"),
    Example("opener-repeated", "aOb", policy={"echoed_open": "dropped"}),
    Example("opener-repeated", "OOaCb", opened=False),
    Example("opener-after-words", "aObC", opened=False),
    Example("opener-after-words", "aOb", opened=False, policy={"prefix": "text"}),
    Example("space-before-opener", "\nOaC", opened=False),
    Example("opener-off", "OaCb", opened=False, thinking=False, policy={"off": "text"}),
    Example("opener-off", "aC", opened=False, thinking=False, policy={"off": "text"}),
    Example("answered", "OaCb", opened=False, thinking=False),
    Example("closer-in-answer", "aCbC"),
    Example("closer-in-answer", "aCbC", policy={"stray_close": "dropped"}),
    Example("stray-closer", "aCb", opened=False),
    Example("stray-closer", "aCb", opened=False, policy={"stray_close": "ends_thought"}),
    Example("declined", "Ca", opened=False),
    Example("declined", "\nCa", opened=False, policy={"declined": "text"}),
    Example("calls-closer-alone", "a]", opened=False),
    Example("cut-at-end", "a</thin"),
    Example("cut-at-end", "a<", opened=False),
    Example("plain", "a<b", opened=False),
)

OF_KIMI = (
    Example("skipped-channel", "a)"),
    Example("skipped-channel", "a)\n!"),
    Example("skipped-channel", "a)", policy={"skipped_channel": "stays"}),
    Example("skipped-channel", "a)<|open|>resp"),
    Example("skipped-channel-call", "a)[b]"),
    Example("skipped-channel-call", "a)[b]", finish="length"),
    Example("answer-closer-length", "a)", finish="length"),
    Example("answer-closer-gone-past", "a)b"),
    Example("answer-closer-gone-past", "a)b", finish="length"),
    Example("answer-closer-exited", "a)Cb"),
    Example("answer-closer-exited", "a)(b)"),
    Example("answer-opener-inside", "a(b)!"),
    Example("answer-frame", "(a)", opened=False),
    Example("answer-frame", "aC(b)!"),
    Example("framing-in-thought", "a!bC"),
    Example("framing", "a!", opened=False),
    Example("marker-in-call", "[a)]", opened=False),
    Example("marker-in-call", "[a!]", opened=False),
)


def kind(dialect_id: str, signs: dict[str, str], example: Example) -> Kind:
    """The kind of an example in a dialect."""
    dialect = REGISTRY.get(dialect_id)
    raw = "".join(signs.get(sign, sign) for sign in example.signs)
    request = Request(dialect_id, example.opened, example.thinking)
    return kind_of(dialect, dialect.policy.with_values(example.policy), request, raw, example.finish)


@pytest.mark.parametrize("example", OF_QWEN, ids=lambda example: example.signed)
def test_an_output_of_inline_tags_is_of_its_kind(example):
    assert kind("qwen3", QWEN, example).id == example.kind


@pytest.mark.parametrize("example", OF_KIMI, ids=lambda example: example.signed)
def test_an_output_of_channels_is_of_its_kind(example):
    assert kind("kimi_k3", KIMI, example).id == example.kind


def test_every_kind_has_an_example():
    assert {example.kind for example in (*OF_QWEN, *OF_KIMI)} == {each.id for each in (*KINDS, PLAIN, EMPTY)}


def test_a_chunk_that_cuts_a_marker_is_the_kind_of_an_output_that_has_none_of_its_own():
    """Where a stream is concerned; what is special about the output itself is told before how it is cut."""
    dialect, request = REGISTRY.get("qwen3"), Request("qwen3", True, True)
    made = Implementation("", None, "", "1", ("qwen3",))  # type: ignore[arg-type]
    candidates = Candidates(Asker(made, Readings(dialect, {}), Unwatched()))
    closer, word = Piece("marker", "</think>", "reasoning_close"), Piece("text", "a")
    chunker = Chunker(dialect)
    answered = Output((word, closer, word))
    for cuts, kind in (([3], CUT_BY_CHUNK.id), ([1, 9], "answered"), ([], "answered")):
        assert candidates.kind(answered, request, "stop", chunker.at(answered, cuts)).id == kind
    assert candidates.kind(answered, request, "stop").id == "answered"
    quoted = Output((word, closer, word, closer))
    assert candidates.kind(quoted, request, "stop", chunker.at(quoted, [3])).id == "closer-in-answer"
    text = Output((word, word))
    assert candidates.kind(text, request, "stop", chunker.at(text, [1])).id == "unclosed"


def test_kinds_are_told_apart_by_id_and_by_title():
    every = [*KINDS, PLAIN, EMPTY, CUT_BY_CHUNK]
    assert len({each.id for each in every}) == len({each.title for each in every}) == len(every)


def test_the_kind_of_the_example_in_the_design_has_its_title_and_its_report():
    found = kind("qwen3", QWEN, Example("", "TCaOb"))
    assert (found.title, found.known_as) == (
        "second block: a reasoning opener after reasoning closed",
        "FreeToken #711",
    )


@each_dialect("id")
def test_every_output_of_the_grammar_has_a_kind_and_one_with_a_marker_is_not_plain(id):
    dialect = REGISTRY.get(id)
    for outputs in written(dialect).values():
        for output in outputs[:6]:
            for opened in (True, False):
                for finish in FINISHES:
                    found = kind_of(dialect, dialect.policy, Request(id, opened, True), output.raw, finish)
                    plain = found in (PLAIN, EMPTY)
                    assert not plain or not (opened and output.raw), output.raw
                    assert not plain or not any(marker in output.raw for marker in dialect.all_markers), output.raw


def test_every_rule_of_the_reading_that_a_marker_can_follow_decides_a_kind():
    """Each rule about a marker is named by a kind, but for those that go without saying."""
    silent = {"calls-closer", "calls-opener-in-calls"}
    plain = {rule for rule in RULES if rule.startswith(("text-", "skipped-", "unclosed-"))} | {"cut-marker"}
    named = set()
    for rule in set(RULES) - plain - silent:
        if any(each.holds([_span(rule)], "a") for each in KINDS):
            named.add(rule)
    assert named == set(RULES) - plain - silent


def _span(rule: str) -> Span:
    return Span(0, 1, "AFTER", None, "dropped", rule)
