"""The adapter to Xinference: what it asks, what it declares, and the divergences that are known."""

import subprocess
import sys
from importlib import metadata

import pytest

from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported
from oracles.policies import check_values
from tests.in_process import adapter_or_skip, split, stream


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("xinference")


def on(dialect):
    return Request(dialect, opened=True, thinking=True)


def test_importing_the_adapter_is_silent_and_leaves_no_bare_package_behind(adapter):
    script = (
        "import sys, conformance.adapters.xinference\n"
        "print([n for n in ('xinference', 'xinference.model', 'torch', 'xoscar') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


def test_the_version_is_the_installed_one(adapter):
    assert adapter.version == metadata.version("xinference")


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    assert adapter.dialects <= set(REGISTRY.ids())
    assert set(adapter.policy) == adapter.dialects
    for values in adapter.policy.values():
        check_values(values)


def test_the_tags_are_the_dialects_markers(adapter):
    for dialect, model in adapter.MODELS.items():
        declared = REGISTRY.get(dialect)
        assert declared.of("reasoning_open") == (model.reasoning_start_tag,), dialect
        assert declared.of("reasoning_close") == (model.reasoning_end_tag,), dialect


@pytest.mark.parametrize(
    ("dialect", "opened", "thinking"),
    [("qwen3", False, True), ("qwen3", True, False), ("deepseek_r1", False, False), ("kimi_k3", False, False)],
)
def test_what_a_caller_can_not_ask_is_unsupported_in_both_modes(adapter, dialect, opened, thinking):
    request = Request(dialect, opened=opened, thinking=thinking)
    with pytest.raises(Unsupported):
        adapter.split("a", request, "stop")
    with pytest.raises(Unsupported):
        adapter.stream(request)


def test_the_token_that_ends_a_generation_is_unsupported_in_both_modes(adapter):
    with pytest.raises(Unsupported):
        split(adapter, on("kimi_k3"), "a", "<|end_of_msg|>")
    with pytest.raises(Unsupported):
        stream(adapter, on("kimi_k3"), "a", "<|end_of_msg|>")


@pytest.mark.parametrize("dialect", ["gemma4", "kimi_k3", "qwen3"])
def test_ordinary_output_is_read_right_in_both_modes(adapter, dialect):
    opener, closer = (adapter.MODELS[dialect].reasoning_start_tag, adapter.MODELS[dialect].reasoning_end_tag)
    for texts in (["T", " U", closer, "A", " B"], [opener, "T", " U", closer, "A", " B"]):
        assert split(adapter, on(dialect), *texts) == ("T U", "A B")
        assert stream(adapter, on(dialect), *texts) == ("T U", "A B")


def test_with_thinking_off_everything_is_text(adapter):
    off = Request("qwen3", opened=False, thinking=False)
    texts = ["a", "</think>", "b"]
    assert split(adapter, off, *texts) == stream(adapter, off, *texts) == ("", "a</think>b")


def test_deltas_come_with_their_chunk(adapter):
    reader = adapter.stream(on("qwen3"))
    assert list(reader.feed(Chunk("T"))) == [("reasoning", "T")]
    assert list(reader.feed(Chunk(""))) == []
    assert list(reader.feed(Chunk("</think>"))) == []
    assert list(reader.feed(Chunk("A"))) == [("content", "A")]
    assert list(reader.finish("stop")) == []


# The divergences that are known, each (split, then stream)


DIVERGENCES = {
    "words before an opener": ("qwen3", ["a", "<think>", "b", "</think>", "c"], (("b", "c"), ("ab", "c"))),
    "a first character that an opener begins with": ("qwen3", ["<", "b", "</think>", "c"], (("<b", "c"), ("b", "c"))),
    "an opener cut by a chunk, after words": (
        "gemma4",
        ["a", "<|channel>", "thought\n", "b", "<channel|>", "c"],
        (("b", "c"), ("a<|channel>b", "c")),
    ),
    "an opener that the answer quotes, in the closer's chunk": (
        "qwen3",
        ["f</think><think>"],
        (("f", "<think>"), ("", "<think>")),
    ),
    "an opener that a call quotes": (
        "kimi_k3",
        ["<|close|>think<|sep|>", "<|open|>tools<|sep|>", "<|open|>think<|sep|>v"],
        (("", "<|open|>tools<|sep|><|open|>think<|sep|>v"), ("v", "<|open|>tools<|sep|><|open|>think<|sep|>v")),
    ),
    "words between the frames": (
        "kimi_k3",
        ["T", "<|close|>think<|sep|>", "a", "<|open|>response<|sep|>", "b"],
        (("T", "b"), ("T", "ab")),
    ),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    dialect, texts, (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, on(dialect), *texts) == whole
    assert stream(adapter, on(dialect), *texts) == streamed


def test_the_script_shows_the_same_without_the_suite(adapter, tmp_path):
    script = adapter.script(on("qwen3"), "f<think>é", ["f", "<think>", "é"], "stop")
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "'reasoning_content': 'f'" in done.stdout
    assert "split  {'role': 'assistant', 'content': '', 'reasoning_content': 'é'}" in done.stdout
