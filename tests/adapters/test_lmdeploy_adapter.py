"""The adapter to LMDeploy: what it asks, what it declares, and the divergences that are known."""

import sys
from importlib import metadata

import pytest

from conformance.adapters import _lmdeploy_import
from oracles.dialects import REGISTRY
from oracles.messages import Unsupported
from tests.in_process import adapter_or_skip, declares_well, request_for, run_script, split, stream

# LMDeploy reads a field that it has deprecated itself.
pytestmark = pytest.mark.filterwarnings("ignore:max_tokens is deprecated:DeprecationWarning")


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("lmdeploy")


def test_what_to_install_is_said_where_nothing_is_installed(monkeypatch):
    def absent(distribution):
        raise metadata.PackageNotFoundError(distribution)

    monkeypatch.setattr(metadata, "version", absent)
    with pytest.raises(ImportError, match="pip install --no-deps lmdeploy"):
        _lmdeploy_import.load()


def test_nobody_finds_a_stand_in_after_the_import(adapter):
    assert not {*_lmdeploy_import.BARE, *_lmdeploy_import.STAND_INS} & {*sys.modules}


def test_the_parser_is_the_installed_one(adapter):
    module = sys.modules["lmdeploy.serve.parsers.response_parser"]
    place = metadata.distribution("lmdeploy").locate_file("lmdeploy/serve/parsers/response_parser.py")
    assert module.__file__ == str(place)
    assert all(issubclass(own, module.BaseResponseParser) for own in adapter.CLASSES.values())
    assert adapter.version == metadata.version("lmdeploy")


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    declares_well(adapter)


def test_the_parsers_read_the_dialects_own_markers(adapter):
    for dialect, own in adapter.CLASSES.items():
        declared = REGISTRY.get(dialect)
        assert (own.reasoning_parser_cls.get_reasoning_open_tag(),) == declared.of("reasoning_open"), dialect
        assert (own.reasoning_parser_cls.get_reasoning_close_tag(),) == declared.of("reasoning_close"), dialect
        if own.tool_parser_cls is not None:
            assert own.tool_parser_cls.get_tool_open_tag().strip() in declared.of("calls_open"), dialect


def test_each_dialect_has_a_class_of_its_own(adapter):
    assert adapter.CLASSES["deepseek_r1"].tool_parser_cls is None
    assert adapter.CLASSES["qwen3"].tool_parser_cls is not None


@pytest.mark.parametrize(
    ("dialect", "opened", "thinking"),
    [("qwen3", True, False), ("qwen3", False, True), ("deepseek_v31", True, False)],
)
def test_what_can_not_be_asked_is_unsupported_in_both_modes(adapter, dialect, opened, thinking):
    for ask in (split, stream):
        with pytest.raises(Unsupported):
            ask(adapter, request_for(dialect, opened, thinking), "a")


def test_a_call_is_refused_where_a_tool_parser_reads_it_whatever_the_chunks(adapter):
    request = request_for("kimi_k2", opened=True)
    opener = "<|tool_calls_section_begin|>"
    for size in (1, 5, len(opener)):
        texts = ["T</think>", *(opener[at : at + size] for at in range(0, len(opener), size))]
        with pytest.raises(Unsupported):
            stream(adapter, request, *texts)


ORDINARY = [
    ("qwen3", True, ["T", "</think>", "A"]),
    ("qwen3", True, ["<think>", "T", "</think>", "A"]),
    ("deepseek_v31", False, ["<think>", "T", "</think>", "A"]),
    ("deepseek_r1", True, ["T</think>A"]),
]


@pytest.mark.parametrize(("dialect", "opened", "texts"), ORDINARY)
def test_ordinary_output_is_read_right_in_both_modes(adapter, dialect, opened, texts):
    assert split(adapter, request_for(dialect, opened), *texts) == ("T", "A")
    assert stream(adapter, request_for(dialect, opened), *texts) == ("T", "A")


DIVERGENCES = {
    "an opener behind white space": (["  ", "<think>", "a", "</think>", "b"], (("  <think>a", "b"), ("  a", "b"))),
    "an opener in the thought": (["a", "<think>", "b", "</think>", "hi"], (("a<think>b", "hi"), ("ab", "hi"))),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    texts, (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, request_for("qwen3", opened=True), *texts) == whole
    assert stream(adapter, request_for("qwen3", opened=True), *texts) == streamed


def test_what_is_held_comes_with_the_end(adapter):
    assert stream(adapter, request_for("qwen3", opened=True), "a", "</thi") == ("a</thi", "")


def test_the_script_shows_the_same(adapter):
    shown = run_script(adapter, request_for("qwen3", opened=True), "a", "<think>")
    assert "split ('a<think>', None)" in shown
    assert "stream '<think>' []" in shown
