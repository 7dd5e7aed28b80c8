"""The adapter to vllm-mlx: what it asks, what it declares, and the divergences that are known."""

from importlib import metadata

import pytest

from oracles.dialects import REGISTRY
from oracles.messages import Unsupported
from tests.in_process import adapter_or_skip, declares_well, request_for, run_script, split, stream


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("vllm_mlx")


def test_the_version_is_the_installed_one(adapter):
    assert adapter.version == metadata.version("vllm-mlx")


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    declares_well(adapter)


def test_the_parsers_read_the_dialects_own_markers(adapter):
    for dialect in adapter.dialects:
        parser = adapter.get_parser(adapter.PARSERS[dialect])()
        declared = REGISTRY.get(dialect)
        assert declared.of("reasoning_open")[0].startswith(parser.start_token), dialect
        assert (parser.end_token,) == declared.of("reasoning_close"), dialect


@pytest.mark.parametrize(("dialect", "opened"), [("gemma4", True), ("deepseek_v4", False), ("step35", False)])
def test_a_parser_is_not_asked_of_prompts_that_its_server_never_gives_it(adapter, dialect, opened):
    for ask in (split, stream):
        with pytest.raises(Unsupported):
            ask(adapter, request_for(dialect, opened), "a")


def test_no_parser_is_asked_where_thinking_is_off(adapter):
    for ask in (split, stream):
        with pytest.raises(Unsupported):
            ask(adapter, request_for("qwen3", thinking=False), "a")


ORDINARY = [
    ("qwen3", False, ["<think>", "T", "</think>", "A"]),
    ("qwen3", True, ["T", "</think>", "A"]),
    ("glm45", False, ["A"]),
    ("gemma4", False, ["<|channel>", "thought\n", "T", "<channel|>", "A"]),
    ("step35", True, ["T", "\n", "</think>", "\n", "A"]),
    ("deepseek_v4", True, ["T", "</think>", "A"]),
]


@pytest.mark.parametrize(("dialect", "opened", "texts"), ORDINARY)
def test_ordinary_output_is_read_right_in_both_modes(adapter, dialect, opened, texts):
    right = ("T" if "T" in texts else "", "A")
    for ask in (split, stream):
        reasoning, content = ask(adapter, request_for(dialect, opened), *texts)
        assert (reasoning.strip(), content) == right


DIVERGENCES = {
    "a reply without tags": ("qwen3", False, ["hello world"], (("", "hello world"), ("hello world", ""))),
    "a thought that is cut": ("glm45", True, ["T"], (("", "T"), ("T", ""))),
    "words before the opener": (
        "qwen3",
        False,
        ["hey ", "<think>", "a", "</think>", "b"],
        (("", "hey <think>a</think>b"), ("hey a", "b")),
    ),
    "the same in one chunk": (
        "qwen3",
        False,
        ["hey <think>a</think>b"],
        (("", "hey <think>a</think>b"), ("a", "b")),
    ),
    "line feeds inside a thought": ("step35", True, ["a\n", "b", "</think>"], (("a\nb", ""), ("ab", ""))),
    "white space is stripped by the split alone": (
        "deepseek_r1",
        True,
        ["T\n", "</think>", "A\n"],
        (("T", "A"), ("T\n", "A\n")),
    ),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    dialect, opened, texts, (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, request_for(dialect, opened), *texts) == whole
    assert stream(adapter, request_for(dialect, opened), *texts) == streamed


def test_the_script_shows_the_same(adapter):
    shown = run_script(adapter, request_for("qwen3"), "hey ", "<think>a</think>b")
    assert "split (None, 'hey <think>a</think>b')" in shown
    assert "stream 'hey ' ('hey ', None)" in shown
