"""The order of the two texts of one message."""

import pytest

from conformance.adapters._fields import Fields
from oracles.dialects import REGISTRY

QWEN3 = REGISTRY.get("qwen3")


def told(texts, reasoning, content, opened=False, dialect=QWEN3):
    fields = Fields(dialect, opened)
    for text in texts:
        fields.read(text)
    return fields.told(reasoning, content)


@pytest.mark.parametrize(
    ("text", "reasoning", "content", "opened", "first"),
    [
        ("b<think>f", "f", "b", False, "content"),
        (" <think> ", " ", " ", False, "content"),
        ("f</think>b", "f", "b", True, "reasoning"),
        ("<think>f</think>b", "f", "b", False, "reasoning"),
        ("<think> </think> ", " ", " ", False, "reasoning"),
        ("</think>b<think>f", "f", "b", True, "content"),
        ("<think>f</think><", "f", "<", False, "reasoning"),
        ("a<think>f</think>b", "a<think>f", "b", True, "reasoning"),
        (" <think>f</think>b", "f", "b", False, "reasoning"),
        ("</tool_call><think></tool_call>", "</tool_call>", "</tool_call>", False, "content"),
        ("</think> <tool_call><think>f", "f", "<tool_call>", True, "content"),
    ],
)
def test_one_run_a_channel_is_told_as_it_stands_in_the_output(text, reasoning, content, opened, first):
    assert told([text], reasoning, content, opened)[0][0] == first


def test_a_message_may_be_of_text_that_came_before_it():
    assert told(["</thi", "nk>b", "<think>", "f"], "f", "b", opened=True) == [("content", "b"), ("reasoning", "f")]


def test_three_runs_fit_no_order_and_are_told_from_the_first_on():
    assert told(["b<think>f</think>j"], "f", "bj") == [("content", "bj"), ("reasoning", "f")]
    assert told(["f</think>j<think>v"], "fv", "j", opened=True) == [("reasoning", "fv"), ("content", "j")]


def test_a_message_that_follows_another_goes_on_where_that_one_ended():
    fields = Fields(QWEN3, opened=True)
    fields.read("f</think>")
    assert fields.told("f", None) == [("reasoning", "f")]
    fields.read(" <think> ")
    assert fields.told(" ", " ") == [("content", " "), ("reasoning", " ")]


def test_the_beginning_of_a_marker_belongs_to_the_next_message():
    fields = Fields(QWEN3, opened=True)
    fields.read("f</thi")
    assert fields.told("f", None) == [("reasoning", "f")]
    fields.read("nk>b<think>v")
    assert fields.told("v", "b") == [("content", "b"), ("reasoning", "v")]


def test_an_empty_message_tells_nothing_and_forgets_nothing():
    fields = Fields(QWEN3, opened=True)
    fields.read("</think>b")
    assert fields.told(None, "") == []
    fields.read("<think>f")
    assert fields.told("f", "b") == [("content", "b"), ("reasoning", "f")]


def test_many_quoted_markers_take_no_square_of_time():
    text = "<think>" * 4000
    fields = Fields(QWEN3, opened=True)
    fields.read(text + "x")
    assert len(fields.told(text[: len(text) // 2] + "y", "z")) == 2


def test_text_that_was_held_longer_than_a_marker_belongs_to_the_message_that_tells_it():
    fields = Fields(QWEN3, opened=True)
    fields.read("b<f")
    assert fields.told("b", None) == [("reasoning", "b")]
    fields.read("</think>v")
    assert fields.told("<f", "v") == [("reasoning", "<f"), ("content", "v")]


def test_a_marker_that_is_text_is_told_like_text():
    fields = Fields(QWEN3, opened=True)
    fields.read("<think")
    assert fields.told("<think", None) == [("reasoning", "<think")]
    fields.read("></think><think")
    assert fields.told(">", "<think") == [("reasoning", ">"), ("content", "<think")]
