"""The adapter to MLX LM: what it asks, what it declares, and the divergences that are known."""

from importlib import metadata

import pytest

from oracles.dialects import REGISTRY
from oracles.messages import Unsupported
from tests.in_process import adapter_or_skip, declares_well, request_for, run_script, split, stream


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("mlx_lm")


def test_the_version_is_the_installed_one(adapter):
    assert adapter.version == metadata.version("mlx-lm")


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    declares_well(adapter)


def test_the_inferred_markers_are_the_dialects(adapter):
    """Gemma 4's opener lacks its line feed, which is a finding."""
    for dialect in adapter.dialects:
        tokenizer = adapter.MACHINES[dialect].tokenizer
        declared = REGISTRY.get(dialect)
        opener = tokenizer.think_start + ("\n" if dialect == "gemma4" else "")
        assert (opener,) == declared.of("reasoning_open"), dialect
        assert (tokenizer.think_end,) == declared.of("reasoning_close"), dialect
        if tokenizer.has_tool_calling:
            assert (tokenizer.tool_call_start,) == declared.of("calls_open"), dialect
            assert (tokenizer.tool_call_end,) == declared.of("calls_close"), dialect


ORDINARY = [
    ("qwen3", False, ["<thi", "nk>T</think", ">A"]),
    ("qwen3", True, ["T</think>A<tool_call>{}</tool_", "call>"]),
    ("qwen3", True, ["T", "<tool_call>{}</tool_call>"]),
    ("minimax_m2", False, ["<think>T</think>A<minimax:tool_call>x"]),
    ("kimi_k3", True, ["T<|close|>think<|sep|><|open|>response<|sep|>A<|close|>response<|sep|>"]),
]


@pytest.mark.parametrize(("dialect", "opened", "texts"), ORDINARY)
def test_ordinary_output_is_read_right_in_both_modes(adapter, dialect, opened, texts):
    """Calls stay in the content, with their markers."""
    rest = "".join(texts).rpartition("T")[2].removeprefix("</think>")
    right = ("T", "A" if dialect == "kimi_k3" else rest)
    assert split(adapter, request_for(dialect, opened), *texts) == right
    assert stream(adapter, request_for(dialect, opened), *texts) == right


def test_held_text_is_dropped_where_the_model_stopped(adapter):
    for text, left in (("a <", "a "), ("hi <thi", "hi ")):
        assert split(adapter, request_for("qwen3"), text, finish="stop") == ("", left)
        assert split(adapter, request_for("qwen3"), text, finish="length") == ("", text)


def test_what_looks_like_the_beginning_of_a_marker_is_held_again_and_again(adapter):
    reader = adapter.stream(request_for("qwen3", opened=True))
    begun = "</think" * 100
    assert "".join(text for _, text in reader.feed(adapter.Chunk(begun))) == ""
    assert "".join(text for _, text in reader.feed(adapter.Chunk("."))) == begun + "."


def test_the_line_feed_of_gemmas_opener_reaches_reasoning(adapter):
    texts = ["<|channel>thought\n", "T", "<channel|>", "A"]
    assert split(adapter, request_for("gemma4"), *texts) == ("\nT", "A")


def test_structural_markers_inside_a_thought_leak(adapter):
    texts = ["T", "<|open|>response<|sep|>", "A"]
    assert split(adapter, request_for("kimi_k3", opened=True), *texts) == ("".join(texts), "")


def test_what_ends_the_generation_is_refused(adapter):
    with pytest.raises(Unsupported):
        split(adapter, request_for("kimi_k3", opened=True), "T<|end_of_msg|>")


def test_the_script_shows_the_same(adapter):
    shown = run_script(adapter, request_for("qwen3"), "<think>a", "</think>b <")
    assert "split '<think>a</think>b <' [('normal', ''), ('reasoning', 'a'), ('normal', 'b ')]" in shown
    assert shown.endswith("stream end [('normal', '')]\n")
