"""The adapter to MLX Omni Server: what it asks, what it declares, and the divergences that are known."""

import subprocess
import sys
from importlib import metadata

import pytest

from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported
from oracles.policies import check_values
from tests.in_process import adapter_or_skip, split

ON = Request("qwen3", opened=True, thinking=True)


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("mlx_omni_server")


def deltas(reader, *texts):
    return [delta for text in texts for delta in reader.feed(Chunk(text))]


def stream(adapter, request, *texts):
    reader = adapter.stream(request)
    told = [*deltas(reader, *texts), *reader.finish("stop")]
    return tuple("".join(text for channel, text in told if channel == wanted) for wanted in ("reasoning", "content"))


def test_importing_the_adapter_is_silent_and_leaves_nothing_behind(adapter, tmp_path):
    script = "import sys, conformance.adapters.mlx_omni_server; print('mlx_lm' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "False", "")
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_the_installed_one(adapter):
    assert adapter.version == metadata.version("mlx-omni-server")


def test_every_dialect_is_known_and_the_policy_exists(adapter):
    assert adapter.dialects <= set(REGISTRY.ids())
    check_values(adapter.policy)


def test_the_tags_are_the_dialects_markers_each_one_token(adapter):
    for dialect in adapter.dialects:
        declared = REGISTRY.get(dialect)
        tags = (*declared.of("reasoning_open"), *declared.of("reasoning_close"))
        assert tags == ("<think>", "</think>"), dialect
        assert set(tags) <= set(declared.atoms), dialect


@pytest.mark.parametrize(("opened", "thinking"), [(False, True), (True, False)])
def test_what_a_caller_can_not_ask_is_unsupported_in_both_modes(adapter, opened, thinking):
    request = Request("qwen3", opened=opened, thinking=thinking)
    with pytest.raises(Unsupported):
        adapter.split("a", request, "stop")
    with pytest.raises(Unsupported):
        adapter.stream(request)


@pytest.mark.parametrize("texts", [["T", " U", "</think>", "A", " B"], ["T U</think>A B"], ["T U", "</think>A B"]])
def test_ordinary_output_is_read_right_in_both_modes(adapter, texts):
    assert split(adapter, ON, *texts) == ("T U", "A B")
    assert stream(adapter, ON, *texts) == ("T U", "A B")


def test_with_thinking_off_everything_is_text(adapter):
    off = Request("qwen3", opened=False, thinking=False)
    assert split(adapter, off, "a</think>b") == stream(adapter, off, "a</think>b") == ("", "a</think>b")


# The divergences that are known


def test_a_thought_that_was_never_closed_is_thinking_and_content_at_once(adapter):
    assert split(adapter, ON, "abc") == ("abc", "abc")
    assert stream(adapter, ON, "abc") == ("abc", "")


def test_an_opener_quoted_in_the_answer_is_lost(adapter):
    assert split(adapter, ON, "T</think>the tag <think>x") == ("T", "the tag x")
    assert stream(adapter, ON, "T</think>the tag <think>x") == ("T", "the tag x")


def test_an_answer_without_a_token_raises(adapter):
    with pytest.raises(RuntimeError, match="No tokens generated"):
        split(adapter, ON, "")


def test_a_request_that_begins_while_another_streams_takes_its_place(adapter):
    one, two = adapter.stream(ON), adapter.stream(ON)
    assert deltas(one, "a", "</think>") == [("reasoning", "a"), ("content", "")]
    assert deltas(two, "b") == [("reasoning", "b")]
    assert deltas(one, "A") == [("reasoning", "A")]


def test_the_script_shows_the_same_without_the_suite(adapter, tmp_path):
    script = adapter.script(ON, "abc", ["a", "bc"], "stop")
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "reasoning_delta='bc'" in done.stdout
    assert "split  {'reasoning': 'abc', 'text': 'abc'}" in done.stdout
