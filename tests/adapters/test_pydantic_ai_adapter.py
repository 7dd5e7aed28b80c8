"""The adapter to Pydantic AI: what it asks, what it declares, and the divergences that are known."""

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
    return adapter_or_skip("pydantic_ai")


QWEN3 = Request("qwen3", opened=False, thinking=True)
GLM45 = Request("glm45", opened=False, thinking=True)


def test_importing_the_adapter_is_silent(adapter):
    script = "import sys, conformance.adapters.pydantic_ai; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "False", "")


def test_the_version_is_the_installed_one(adapter):
    assert adapter.version == metadata.version("pydantic-ai-slim")


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    assert adapter.dialects <= set(REGISTRY.ids())
    assert set(adapter.policy) == adapter.dialects
    for values in adapter.policy.values():
        check_values(values)


def test_the_tags_are_the_dialects_markers_each_one_token_and_written_by_the_model(adapter):
    for dialect in adapter.dialects:
        opener, closer = adapter._tags(adapter.PROFILES[dialect])
        declared = REGISTRY.get(dialect)
        assert (declared.of("reasoning_open"), declared.of("reasoning_close")) == ((opener,), (closer,)), dialect
        assert {opener, closer} <= set(declared.atoms), dialect


def test_leading_space_is_ignored_where_the_profile_says_so(adapter):
    trimmed = {dialect for dialect in adapter.dialects if adapter.policy[dialect]["space"] == "trimmed"}
    assert trimmed == {"deepseek_r1", "kimi_k2", "qwen3"}


@pytest.mark.parametrize("dialect", ["deepseek_r1", "glm45", "kimi_k2", "qwen3"])
def test_an_opened_prompt_is_unsupported_in_both_modes(adapter, dialect):
    opened = Request(dialect, opened=True, thinking=True)
    with pytest.raises(Unsupported):
        adapter.split("a", opened, "stop")
    with pytest.raises(Unsupported):
        adapter.stream(opened)


@pytest.mark.parametrize("dialect", ["deepseek_r1", "glm45", "kimi_k2", "qwen3"])
@pytest.mark.parametrize(
    ("texts", "right"),
    [
        (["<think>", "T", " U", "</think>", "A", " B"], ("T U", "A B")),
        (["A", " B"], ("", "A B")),
        (["<think>", "</think>", "A"], ("", "A")),
        (["a", "<think>", "T", "</think>", "b"], ("T", "ab")),
        (["<think>", "T", "</think>", "a", "<think>", "U", "</think>", "b"], ("TU", "ab")),
        (["a", "</think>", "b"], ("", "a</think>b")),
        (["<think>", "T", "<think>", "U", "</think>", "A"], ("T<think>U", "A")),
    ],
)
def test_ordinary_output_is_read_right_in_both_modes(adapter, dialect, texts, right):
    request = Request(dialect, opened=False, thinking=True)
    assert split(adapter, request, *texts) == right
    assert stream(adapter, request, *texts) == right


def test_deltas_come_with_their_chunk(adapter):
    reader = adapter.stream(QWEN3)
    assert list(reader.feed(Chunk("<think>"))) == [("reasoning", "")]
    assert list(reader.feed(Chunk("T"))) == [("reasoning", "T")]
    assert list(reader.feed(Chunk(""))) == []
    assert list(reader.feed(Chunk("</think>"))) == []
    assert list(reader.feed(Chunk("A"))) == [("content", "A")]
    assert list(reader.feed(Chunk("B"))) == [("content", "B")]


@pytest.mark.parametrize("request_", [QWEN3, GLM45])
@pytest.mark.parametrize(
    "texts",
    [
        ["<think>", "T", " U", "</think>", "\n\n", "A", " B"],
        ["a", "<think>", "T", "</think>", " ", "b", "<think>", "U"],
        ["<think>", "</think>", "</think>", "a"],
        ["<th", "ink>", "T</think>", "a", "\n"],
    ],
)
def test_the_deltas_are_the_parts_that_the_manager_ends_up_with(adapter, request_, texts):
    reader = adapter.stream(request_)
    deltas = [delta for text in texts for delta in reader.feed(Chunk(text))]
    kinds = {"thinking": "reasoning", "text": "content"}
    parts = [(kinds[part.part_kind], part.content) for part in reader.parts.get_parts()]
    for wanted in ("reasoning", "content"):
        assert "".join(t for c, t in deltas if c == wanted) == "".join(t for c, t in parts if c == wanted)


# The divergences that are known, each (split, then stream)


DIVERGENCES = {
    "a tag in one chunk with words": (["<think>", "T</think>", "A"], (("T", "A"), ("T</think>A", ""))),
    "all in one chunk": (["<think>T</think>A"], (("T", "A"), ("", "<think>T</think>A"))),
    "a thought that was never closed": (["<think>", "T"], (("", "T"), ("T", ""))),
    "an opener quoted in the answer": (
        ["<think>", "T", "</think>", "a ", "<think>", " b"],
        (("T", "a  b"), ("T b", "a ")),
    ),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    texts, (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, GLM45, *texts) == whole
    assert stream(adapter, GLM45, *texts) == streamed


def test_white_space_between_two_texts_is_lost_in_the_stream_alone(adapter):
    texts = ["a", "<think>", "T", "</think>", "\n", "b"]
    assert split(adapter, QWEN3, *texts) == ("T", "a\nb")
    assert stream(adapter, QWEN3, *texts) == ("T", "ab")
    assert stream(adapter, GLM45, *texts) == ("T", "a\nb")


def test_the_script_prints_what_the_adapter_sees(adapter):
    chunks = ["<think>", "T</think>", "", "A"]
    text = adapter.script(QWEN3, "".join(chunks), chunks, "stop")
    assert "conformance" not in text
    done = subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "split thinking 'T'",
        "split text 'A'",
        "chunk '<think>'",
        "    thinking ''",
        "chunk 'T</think>'",
        "    thinking 'T</think>'",
        "chunk 'A'",
        "    thinking 'A'",
    ]
