"""The adapter to LiteLLM: what it asks, what it declares, and the divergences that are known."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import pytest

from conformance.adapter import load
from oracles.messages import Chunk, Request, Unsupported
from tests.in_process import adapter_or_skip

pytestmark = pytest.mark.filterwarnings("ignore:Item .* on TypedDict:UserWarning")
"""pydantic's, about LiteLLM's types."""

QWEN3 = Request("qwen3", opened=False, thinking=True)
GENERATE = Request("qwen3", opened=False, thinking=True, surface="ollama")


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("litellm")


def split(adapter, raw, request=QWEN3):
    message = adapter.split(raw, request, "stop")
    return message.reasoning, message.content


def stream(adapter, request, *texts, finish="stop"):
    reader = adapter.stream(request)
    deltas = [delta for text in texts for delta in reader.feed(Chunk(text))] + list(reader.finish(finish))
    return tuple("".join(text for channel, text in deltas if channel == wanted) for wanted in ("reasoning", "content"))


def test_the_adapter_is_well_formed(adapter):
    made = load("conformance.adapters.litellm")
    assert made.version == metadata.version("litellm")
    assert made.chunks == "tokens"
    assert made.surfaces == ("ollama_chat", "ollama")
    assert made.dialects == ("deepseek_r1", "phi4_reasoning", "qwen3")
    assert "unclosed" not in made.declared["qwen3"]


def test_the_split_reads_a_thought_at_the_beginning(adapter):
    assert split(adapter, "<think>a b</think>hello") == ("a b", "hello")
    assert split(adapter, "b<think>a</think>") == ("", "b<think>a</think>")


def test_a_streamed_thought_becomes_content_on_the_chat_surface(adapter):
    tokens = ("<think>", "a", " b", "</think>", "hello")
    assert stream(adapter, QWEN3, *tokens) == ("", "a bhello")
    assert stream(adapter, GENERATE, *tokens) == ("a b", "hello")


def test_markers_that_share_a_chunk_are_not_seen(adapter):
    assert stream(adapter, QWEN3, "<think>a</think>b") == ("", "ab")
    assert stream(adapter, GENERATE, "<think>a</think>b") == ("a</think>b", "")
    assert stream(adapter, GENERATE, "<think>a", " b</think>", "hello") == ("a", " bhello")


def test_a_marker_that_is_cut_leaks(adapter):
    assert stream(adapter, QWEN3, *"<think>a</think>b") == ("", "<think>a</think>b")


def test_a_thought_that_never_closes_keeps_its_opener_in_the_split_alone(adapter):
    assert split(adapter, "<think>a") == ("", "<think>a")
    assert stream(adapter, QWEN3, "<think>", "a") == ("", "a")


def test_what_litellm_does_on_purpose_is_not_asked(adapter):
    opened = Request("qwen3", opened=True, thinking=True)
    for ask in (lambda: split(adapter, "a", opened), lambda: stream(adapter, opened)):
        with pytest.raises(Unsupported, match="the prompt has opened"):
            ask()
    with pytest.raises(Unsupported, match="on purpose"):
        split(adapter, "<thinking>a</think>b")
    with pytest.raises(Unsupported, match="is a call"):
        stream(adapter, GENERATE, '{"name":"f","arguments":{}}')


def test_the_script_runs_without_the_suite(adapter):
    script = adapter.script(GENERATE, "<think>a</think>b", ["<think>a", "</think>", "", "b"], "length")
    done = subprocess.run([sys.executable, "-I", "-"], input=script, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "split: ('a', 'b')",
        "reasoning 'a' content None",
        "reasoning None content None",
        "reasoning None content 'b'",
        "content ''",
    ], done.stderr
    assert "chunk_parser" not in adapter.script(QWEN3, "a", None, "stop")
