"""Facts about the second reader: which rule it gives each stretch of an output, by example."""

from __future__ import annotations

import pytest
from test_semantics import AC, AO, CC, CO, KIMI, MC, TAGS, TC, TO

from oracles.dialects import Dialect
from oracles.messages import Finish, Request
from oracles.policies import DEFAULT
from oracles.second import Reading, Span, read


def reading(
    dialect: Dialect,
    raw: str,
    opened: bool = True,
    finish: Finish = "stop",
    thinking: bool = True,
    **policy: str | bool,
) -> Reading:
    """How an output is read under a policy."""
    return read(dialect, DEFAULT.with_values(policy), Request(dialect.id, opened, thinking), raw, finish)


def rules(*given: object, **policy: object) -> list[str]:
    """The rule of each span."""
    return [span.rule for span in reading(*given, **policy).spans]  # type: ignore[arg-type]


def test_spans_have_their_place_their_state_their_role_and_their_fate() -> None:
    assert reading(TAGS, "t</think>a</call></thi").spans == (
        Span(0, 1, "INSIDE", None, "reasoning", "text-inside"),
        Span(1, 9, "INSIDE", "reasoning_close", "dropped", "closer"),
        Span(9, 10, "AFTER", None, "content", "text-after"),
        Span(10, 17, "AFTER", "calls_close", "content", "calls-closer-after"),
        Span(17, 22, "AFTER", None, "content", "text-after"),
    )
    assert reading(TAGS, "a<call>b</call><thi", opened=False).spans == (
        Span(0, 1, "BEFORE", None, "content", "text-before"),
        Span(1, 7, "BEFORE", "calls_open", "content", "calls-opener-before"),
        Span(7, 8, "CALLS", None, "content", "text-in-calls"),
        Span(8, 15, "CALLS", "calls_close", "content", "calls-closer"),
        Span(15, 19, "AFTER", None, "content", "text-after"),
    )
    assert reading(TAGS, "t</thi").spans[-1] == Span(1, 6, "INSIDE", None, "reasoning", "cut-marker", True)
    assert reading(TAGS, "").spans == ()


def test_a_replay_is_told() -> None:
    assert reading(KIMI, f"a{AC}", skipped_channel="replayed").replayed
    assert not reading(KIMI, f"a{AC}", skipped_channel="moved").replayed
    assert not reading(KIMI, "a", skipped_channel="replayed").replayed


@pytest.mark.parametrize(
    ("value", "before", "after"),
    [
        ("text", "stray-closer", "stray-closer-after"),
        ("dropped", "stray-closer-dropped", "stray-closer-after-dropped"),
        ("ends_thought", "ends-thought", "stray-closer-after-thought"),
    ],
)
def test_a_stray_closer_has_the_rule_of_its_policy(value: str, before: str, after: str) -> None:
    assert before in rules(TAGS, "a</think>", opened=False, stray_close=value)
    assert rules(TAGS, "</think></think>", stray_close=value) == ["closer", after]


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({}, "declined"),
        ({"declined": "text"}, "declined-text"),
        ({"declined": "text", "stray_close": "dropped"}, "declined-stray-dropped"),
        ({"declined": "text", "stray_close": "ends_thought"}, "declined-ends-thought"),
        ({"stray_close": "ends_thought"}, "declined"),
    ],
)
def test_a_closer_before_words_has_the_rule_of_its_policy(values: dict[str, str], rule: str) -> None:
    assert rules(TAGS, "</think>", opened=False, **values) == [rule]


@pytest.mark.parametrize(
    ("values", "first", "later"),
    [
        ({}, "echoed-opener", "echoed-opener"),
        ({"echoed_open": "dropped"}, "echoed-opener-dropped", "echoed-opener-dropped"),
        ({"echoed_open": "dropped_first"}, "echoed-opener-first", "echoed-opener-after-words"),
    ],
)
def test_an_echoed_opener_has_the_rule_of_its_policy(values: dict[str, str], first: str, later: str) -> None:
    assert rules(TAGS, "<think>a<think>", **values)[::2] == [first, later]


def test_an_opener_has_the_rule_of_where_it_stands() -> None:
    assert rules(TAGS, "<think>", opened=False) == ["opener"]
    assert rules(TAGS, "a<think>", opened=False) == ["text-before", "opener-past-words"]
    assert rules(TAGS, "a<think>", opened=False, prefix="text") == ["text-before", "opener-after-words"]
    assert rules(TAGS, "</think><think>") == ["closer", "opener-after-close"]
    assert rules(TAGS, "</think><think>", reopen="opens") == ["closer", "reopened"]
    off = {"opened": False, "thinking": False, "off": "text"}
    assert rules(TAGS, "<think></think>", **off) == ["opener-off", "closer-off"]
    assert rules(TAGS, "<think>", opened=False, thinking=False) == ["opener"]


def test_every_other_marker_has_the_rule_of_its_state() -> None:
    every = [AO, AC, CC, MC]
    assert rules(KIMI, AC + CC + MC, opened=False) == ["answer-closer-before", "calls-closer-before", "framing-before"]
    assert rules(KIMI, AO + "".join(every), opened=False) == [
        "answer-opener-before", "answer-opener-after", "answer-closer-after", "calls-closer-after", "framing-after",
    ]  # fmt: skip
    assert rules(KIMI, CC + MC + AO) == ["calls-closer-inside", "framing-inside", "answer-opener-inside"]
    assert rules(KIMI, CO + "".join([TO, TC, AO, AC, CO, MC, CC])) == [
        "calls-opener-inside",
        "opener-in-calls", "closer-in-calls", "answer-opener-in-calls", "answer-closer-in-calls",
        "calls-opener-in-calls", "framing-in-calls",
        "calls-closer",
    ]  # fmt: skip
    assert rules(KIMI, TC + CO) == ["closer", "calls-opener-after"]
    assert rules(KIMI, CO, opened=False) == ["calls-opener-before"]
    assert rules(KIMI, CO, calls_end_reasoning=False) == ["calls-opener-in-thought"]


@pytest.mark.parametrize(
    ("raw", "finish", "closer", "text"),
    [
        (f"a{AC}", "stop", "answer-closer-last", "skipped-stays"),
        (f"a{AC}{CO}", "length", "answer-closer-last", "skipped-stays"),
        (f"a{AC}", "length", "answer-closer-length", "unclosed-reasoning"),
        (f"a{AC}{TC}", "stop", "answer-closer-exited", "text-inside"),
        (f"a{AC}{AO}", "stop", "answer-closer-exited", "text-inside"),
        (f"a{AC}b", "stop", "answer-closer-gone-past", "unclosed-reasoning"),
    ],
)
def test_an_answer_closer_in_reasoning_has_the_rule_of_what_follows(
    raw: str, finish: Finish, closer: str, text: str
) -> None:
    assert rules(KIMI, raw, finish=finish)[:2] == [text, closer]


def test_text_of_reasoning_has_the_rule_of_how_it_ended() -> None:
    held = {"unclosed": "content_if_stopped"}
    assert rules(TAGS, "a") == ["unclosed-reasoning"]
    assert rules(TAGS, "a", **held) == ["unclosed-content"]
    assert rules(TAGS, "a", finish="length", **held) == ["unclosed-length"]
    assert rules(TAGS, "a</think><think>b", reopen="opens", **held)[-1] == "unclosed-later-block"
    assert rules(TAGS, "a</think>b", **held) == ["text-inside", "closer", "text-after"]
    for value in ("replayed", "moved"):
        assert rules(KIMI, f"a{AC}", skipped_channel=value)[0] == f"skipped-{value}"
    assert rules(TAGS, "a</think>b", opened=False, stray_close="ends_thought") == [
        "text-of-thought", "ends-thought", "text-after",
    ]  # fmt: skip
