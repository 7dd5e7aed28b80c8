"""The adapter to Transformers: what it asks, what it declares, and the divergences that are known."""

from importlib import metadata

import pytest

from oracles.dialects import REGISTRY
from oracles.messages import Unsupported
from tests.in_process import adapter_or_skip, declares_well, request_for, run_script, split, stream


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("transformers")


def test_the_version_is_the_installed_one(adapter):
    assert adapter.version == metadata.version("transformers")


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    declares_well(adapter)


def test_the_templates_regions_are_the_dialects_markers(adapter):
    for dialect, template in adapter.TEMPLATES.items():
        field = template["fields"]["reasoning_content"]
        declared = REGISTRY.get(dialect)
        for anchor, role in (("open", "reasoning_open"), ("close", "reasoning_close")):
            literals = [field[anchor]] if isinstance(field[anchor], str) else field[anchor]
            assert tuple(literals) == declared.of(role), dialect


def test_no_dialect_has_a_role_that_a_template_can_not_say(adapter):
    for dialect in adapter.dialects:
        declared = REGISTRY.get(dialect)
        assert not any(declared.of(role) for role in ("answer_open", "answer_close", "framing")), dialect


def test_an_output_with_a_call_is_refused_in_both_modes(adapter):
    calls = {
        "qwen3": '<tool_call>{"name":"f","arguments":{}}</tool_call>',
        "glm45": "<tool_call>f",
    }
    for dialect, call in calls.items():
        for ask in (split, stream):
            with pytest.raises(Unsupported):
                ask(adapter, request_for(dialect), call)


ORDINARY = [
    ("qwen3", False, ["<think>", "T", "</think>", "A"]),
    ("qwen35", True, ["T", "</think>", "A"]),
    ("gemma4", False, ["<|channel>", "thought\n", "T", "<channel|>", "A"]),
    ("glm45", False, ["<thi", "nk>T</th", "ink>A"]),
    ("phi4_reasoning", True, ["T", "</think>", "A"]),
]


@pytest.mark.parametrize(("dialect", "opened", "texts"), ORDINARY)
def test_ordinary_output_is_read_right_in_both_modes(adapter, dialect, opened, texts):
    assert split(adapter, request_for(dialect, opened), *texts) == ("T", "A")
    assert stream(adapter, request_for(dialect, opened), *texts) == ("T", "A")


DIVERGENCES = {
    "text before the thought is lost": (
        ("qwen3", ["hey ", "<think>", "a", "</think>", "b"]),
        (("a", "b"), ("a", "hey b")),
    ),
    "a second thought takes the place of the first": (
        ("qwen3", ["<think>a</think>", "b", "<think>d</think>", "e"]),
        (("d", "e"), ("ad", "be")),
    ),
    "the same in Gemma 4's template": (
        ("gemma4", ["<|channel>thought\na<channel|>", "b", "<|channel>thought\nc<channel|>", "d"]),
        (("c", "d"), ("ac", "bd")),
    ),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    (dialect, texts), (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, request_for(dialect), *texts) == whole
    assert stream(adapter, request_for(dialect), *texts) == streamed


def test_a_call_that_is_cut_raises_in_both_modes(adapter):
    texts = ["<think>", "plan", "</think>", "ok ", '<tool_call>{"name":"f","arg']
    for ask in (split, stream):
        with pytest.raises(ValueError, match="could not parse region as JSON"):
            ask(adapter, request_for("qwen3"), *texts)


def test_an_emitted_template_that_joins_loses_nothing(adapter):
    texts = ["hey ", "<think>a</think>", "b", "<think>d</think>", "e\n"]
    assert split(adapter, request_for("glm45"), *texts) == ("ad", "hey be\n")
    assert stream(adapter, request_for("glm45"), *texts) == ("ad", "hey be\n")


def test_the_script_shows_the_same(adapter):
    shown = run_script(adapter, request_for("qwen3"), "hey ", "<think>a", "</think>b")
    assert "split {'role': 'assistant', 'content': 'b', 'reasoning_content': 'a'}" in shown
    assert "stream 'hey ' [('content', 'hey')]" in shown


def test_the_script_shows_an_error(adapter):
    assert "ValueError" in run_script(adapter, request_for("qwen3", opened=True), "T</think>", "<tool_call>")
