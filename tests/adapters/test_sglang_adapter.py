"""The adapter to SGLang: what it asks, what it declares, and the divergences that are known."""

import subprocess
import sys
from importlib import metadata

import pytest

from conformance.adapters import _sglang_import
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported
from oracles.policies import check_values
from tests.in_process import adapter_or_skip, request_for, split, stream


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("sglang")


# The import


def test_what_to_install_is_said_where_nothing_is_installed(monkeypatch):
    def absent(distribution):
        raise metadata.PackageNotFoundError(distribution)

    monkeypatch.setattr(metadata, "version", absent)
    with pytest.raises(ImportError, match="pip install --no-deps llm-router-utils"):
        _sglang_import.load()


def test_stand_ins_last_as_long_as_the_import():
    before = dict(sys.modules)
    with _sglang_import.stand_ins():
        stood = {name for name in sys.modules if name not in before}
    assert not stood & set(sys.modules)


def test_what_is_already_imported_is_left_alone(monkeypatch):
    real = object()
    monkeypatch.setitem(sys.modules, "transformers", real)
    with _sglang_import.stand_ins():
        assert sys.modules["transformers"] is real
    assert sys.modules["transformers"] is real


def test_importing_the_adapter_is_silent_and_leaves_no_stand_in_behind(adapter):
    script = (
        "import sys, conformance.adapters.sglang\n"
        f"names = ['sglang', *{sorted(_sglang_import.STAND_INS)!r}]\n"
        "print([n for n in names if n in sys.modules and not getattr(sys.modules[n], '__file__', None)])\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


@pytest.mark.skipif(_sglang_import._importable("torch"), reason="torch is installed here")
def test_no_torch_is_needed(adapter):
    assert "torch" not in sys.modules
    assert "xgrammar" not in sys.modules


def test_the_version_is_the_installed_one(adapter):
    module = adapter.ReasoningParser.__module__.partition(".")[0]
    distribution = {"sglang": "sglang", "llm_router_utils": "llm-router-utils"}[module]
    assert metadata.version(distribution) in adapter.version


# What it declares


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    assert adapter.dialects
    assert adapter.dialects <= set(REGISTRY.ids())
    assert set(adapter.policy) == adapter.dialects
    for values in adapter.policy.values():
        check_values(values)


def test_the_detectors_read_the_dialects_own_markers(adapter):
    for dialect in adapter.dialects:
        detector = adapter.ReasoningParser(adapter.DETECTORS[dialect].model_type).detector
        declared = REGISTRY.get(dialect)
        assert detector.think_start_token + detector.think_start_self_label in declared.of("reasoning_open"), dialect
        assert detector.think_end_token in declared.of("reasoning_close"), dialect


OWN_LOOP = {"apertus", "cohere2_moe", "gpt_oss", "inkling"}
"""Dialects whose detectors read in a loop of their own, and not by the base class's fields."""


def test_calls_end_reasoning_where_the_detector_has_the_dialects_calls_opener(adapter):
    for dialect in adapter.dialects - OWN_LOOP:
        detector = adapter.ReasoningParser(adapter.DETECTORS[dialect].model_type).detector
        ends = detector.tool_start_token in REGISTRY.get(dialect).of("calls_open")
        if ends and getattr(detector, "tool_start_at_line_start", False):
            assert "calls_end_reasoning" not in adapter.policy[dialect], dialect
        else:
            assert adapter.policy[dialect]["calls_end_reasoning"] is ends, dialect


def test_opened_is_refused_where_the_detector_ignores_it(adapter):
    for dialect in adapter.dialects - OWN_LOOP:
        model_type, _, refused, *_ = adapter.DETECTORS[dialect]
        for opened in (True, False):
            asked = adapter.ReasoningParser(model_type, force_reasoning=opened).detector._in_reasoning
            assert (asked != opened) == (opened in refused), (dialect, opened)


@pytest.mark.parametrize(
    ("dialect", "opened"),
    [
        ("deepseek_r1", False),
        ("qwen3_thinking", False),
        ("minimax_m2", False),
        ("step35", False),
        ("gpt_oss", True),
        ("apertus", True),
        ("inkling", True),
        ("cohere2_moe", False),
    ],
)
def test_what_can_not_be_asked_is_unsupported_in_both_modes(adapter, dialect, opened):
    with pytest.raises(Unsupported):
        adapter.split("a", request_for(dialect, opened), "stop")
    with pytest.raises(Unsupported):
        adapter.stream(request_for(dialect, opened))


@pytest.mark.parametrize(("dialect", "other"), [("apertus", True), ("inkling", True), ("cohere2_moe", False)])
def test_a_detector_that_reads_in_its_own_loop_reads_alike_whatever_it_is_told(adapter, dialect, other):
    def answers(opened):
        parser = adapter.ReasoningParser(adapter.DETECTORS[dialect].model_type, force_reasoning=opened)
        return parser.parse_non_stream("a"), parser.parse_stream_chunk("a"), parser.parse_stream_end()

    assert answers(other) == answers(not other)


@pytest.mark.parametrize(
    ("raw", "read"),
    [
        ("<|message_model|><|content_text|>A<|end_message|>", True),
        ("<|content_thinking|>T<|end_message|><|message_model|><|content_text|>A", True),
        ("<|message_model|>name<|content_invoke_tool_json|>{}<|end_message|>", False),
        ("<|content_text|>A<|message_model|>", False),
    ],
)
def test_a_header_with_words_in_it_and_one_inside_a_block_are_not_asked(adapter, raw, read):
    assert bool(adapter.INKLING_HEADERS.search(raw)) is not read


# What it reads


ORDINARY = [
    ("qwen3", False, ["<think>", "T", "</think>", "A"]),
    ("qwen3", True, ["T", "</think>", "A"]),
    ("qwen3", False, ["A"]),
    ("qwen3", True, ["T", "</think>", "A", "<tool_call>", "{}", "</tool_call>"]),
    ("deepseek_r1", True, ["T", "</think>", "A"]),
    ("deepseek_v31", True, ["T", "</think>", "A"]),
    ("deepseek_v4", True, ["T", "</think>", "A"]),
    ("gemma4", False, ["<|channel>", "thought", "\n", "T", "<channel|>", "A"]),
    ("gpt_oss", False, ["<|channel|>", "analysis", "<|message|>", "T", "<|end|>"]),
    ("kimi_k2", False, ["<think>", "T", "</think>", "A"]),
    ("minimax_m3", True, ["T", "</mm:think>", "A"]),
    ("mistral", False, ["[THINK]", "T", "[/THINK]", "A"]),
    ("step35", True, ["T", "</think>", "A"]),
]


@pytest.mark.parametrize(("dialect", "opened", "texts"), ORDINARY)
def test_ordinary_output_is_read_right_in_both_modes(adapter, dialect, opened, texts):
    right = ("T" if "T" in texts else "", "".join(texts[texts.index("A") :]) if "A" in texts else "")
    assert split(adapter, request_for(dialect, opened), *texts) == right
    assert stream(adapter, request_for(dialect, opened), *texts) == right


def test_the_token_that_ends_a_turn_gives_no_text_and_has_none_behind_it(adapter):
    for dialect, opened, end in (("gpt_oss", False, "<|return|>"), ("kimi_k3", True, "<|end_of_msg|>")):
        asked = request_for(dialect, opened)
        for texts in (["a", end], [f"{end}b"], [end, "b"], [end[:3], end[3:]]):
            with pytest.raises(Unsupported, match="the engine stops at"):
                split(adapter, asked, *texts)
            with pytest.raises(Unsupported, match="the engine stops at"):
                stream(adapter, asked, *texts)


def test_the_token_that_ends_a_call_is_kept_for_the_tool_parser_and_has_no_text_behind_it(adapter):
    asked = request_for("gpt_oss", False)
    call = ["<|channel|>", "commentary to=functions.f", "<|message|>", "{}", "<|call|>"]
    assert split(adapter, asked, *call)[1].endswith("<|call|>")
    assert stream(adapter, asked, *call, "") == stream(adapter, asked, *call)
    with pytest.raises(Unsupported, match="the engine stops at"):
        split(adapter, asked, *call, "b")


def test_a_header_inside_a_message_is_not_asked_of_gpt_oss(adapter):
    asked = request_for("gpt_oss", False)
    header = "<|channel|>analysis<|message|>"
    assert split(adapter, asked, header, "T", "<|end|>", "<|start|>assistant", header, "U") == ("TU", "")
    for inside in ("<|channel|>final<|message|>", "<|start|>assistant"):
        with pytest.raises(Unsupported, match="a header stands where the format gives it a meaning"):
            split(adapter, asked, header, "T", inside)


def test_framed_output_is_read_right_in_both_modes(adapter):
    harmony = ["<|channel|>", "analysis", "<|message|>", "T", "<|end|>", "<|start|>", "assistant"]
    harmony += ["<|channel|>", "final", "<|message|>", "A"]
    assert split(adapter, request_for("gpt_oss", False), *harmony) == ("T", "A")
    assert stream(adapter, request_for("gpt_oss", False), *harmony) == ("T", "A")
    kimi = ["T", "<|close|>", "think", "<|sep|>", "<|open|>", "response", "<|sep|>", "A"]
    kimi += ["<|close|>", "response", "<|sep|>", "<|close|>", "message", "<|sep|>"]
    assert split(adapter, request_for("kimi_k3", True), *kimi) == ("T", "A")
    assert stream(adapter, request_for("kimi_k3", True), *kimi) == ("T", "A")


def test_what_is_right_is_released_with_its_chunk_reasoning_first(adapter):
    reader = adapter.stream(request_for("qwen3", True))
    assert list(reader.feed(Chunk("T"))) == [("reasoning", "T")]
    assert list(reader.feed(Chunk("</"))) == []
    assert list(reader.feed(Chunk("p></think>A"))) == [("reasoning", "</p>"), ("content", "A")]
    assert list(reader.finish("stop")) == []


def test_a_cut_marker_comes_with_the_end(adapter):
    assert stream(adapter, request_for("qwen3", True), "T", "</thi") == ("T</thi", "")


# The divergences that are known, each (split, then stream) with every special token whole


DIVERGENCES = {
    "a look-alike at the end": (("inkling", False, ["a", "<"]), (("", "a<"), ("", "a"))),
    "an answer that ends in the closer's chunk": (
        ("cohere2_moe", True, ["T<|END_THINKING|><|START_TEXT|>A<|END_TEXT|>"]),
        (("T", "A"), ("T", "")),
    ),
    "an opener echoed": (
        ("cohere2_moe", True, ["<|START_THINKING|>", "T", "<|END_THINKING|>"]),
        (("T", ""), ("<|START_THINKING|>T", "")),
    ),
    "an answer without its frame is lost": (
        ("cohere2_moe", True, ["T", "<|END_THINKING|>", "A"]),
        (("T", ""), ("T", "")),
    ),
    "a thought and no answer is content in the split": (
        ("ling3", False, ["<think>", "T", "</think>"]),
        (("", "T"), ("T", "")),
    ),
    "a thought that is cut comes twice": (("ling3", False, ["<think>", "T"]), (("", "T"), ("T", "T"))),
    "an opener quoted in the answer opens again": (
        ("qwen3", True, ["T", "</think>", "a", "<think>", "b"]),
        (("T", "a<think>b"), ("Tb", "a")),
    ),
    "an opener quoted in the answer opens again, always forced": (
        ("deepseek_r1", True, ["T", "</think>", "a", "<think>", "b"]),
        (("T", "a<think>b"), ("Tb", "a")),
    ),
    "an opener after words": (("qwen3", False, ["a", "<think>"]), (("a<think>", ""), ("", "a"))),
    "an opener after a line feed": (
        ("qwen3", False, ["\n", "<think>", "T", "</think>", "A"]),
        (("\n<think>T", "A"), ("T", "\nA")),
    ),
    "an opener twice": (("qwen3", False, ["<think>", "<think>"]), (("", ""), ("<think>", ""))),
    "a call in the thought, then the closer": (
        ("qwen3", True, ["<tool_call>", "</think>"]),
        (("<tool_call>", ""), ("", "<tool_call></think>")),
    ),
    "thinking markers in a call's arguments": (
        ("qwen3", False, ["<tool_call>", '{"a":"', "<think>", "x", "</think>", '"}']),
        (('<tool_call>{"a":"<think>x', '"}'), ("x", '<tool_call>{"a":""}')),
    ),
    "a skipped channel": (
        ("kimi_k3", True, ["a", "<|close|>", "response", "<|sep|>"]),
        (("", "a"), ("a", "a")),
    ),
    "an opener quoted in a framed answer": (
        (
            "kimi_k3",
            True,
            ["T", "<|close|>think<|sep|>", "<|open|>response<|sep|>", "a", "<|open|>think<|sep|>", "b"],
        ),
        (("b", ""), ("T", "a<|open|>think<|sep|>b")),
    ),
    "a reply of white space": (("minimax_m3", False, [" "]), (("", " "), ("", ""))),
    "white space after the closer": (("minimax_m3", True, ["T", "</mm:think>", "\n"]), (("T", "\n"), ("T", ""))),
    "a leading closer in two chunks": (("minimax_m3", False, ["<", "/mm:think>"]), (("", ""), ("", "</mm:think>"))),
    "a closer quoted right after the closer": (
        ("minimax_m3", True, ["</mm:think>", "</mm:think>"]),
        (("", "</mm:think>"), ("", "")),
    ),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    (dialect, opened, texts), (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, request_for(dialect, opened), *texts) == whole
    assert stream(adapter, request_for(dialect, opened), *texts) == streamed


def test_buffered_reasoning_before_a_call_is_lost(adapter):
    request = Request("apertus", opened=False, thinking=True, surface=adapter.BUFFERED)
    texts = ["<|inner_prefix|>", "a", "<|tools_prefix|>["]
    assert split(adapter, request, *texts) == ("a", "<|tools_prefix|>[")
    assert stream(adapter, request, *texts) == ("", "<|tools_prefix|>[")


@pytest.mark.parametrize("surface", [None, "stream_reasoning=False"])
def test_the_script_prints_what_the_adapter_sees(adapter, surface):
    request = Request("qwen3", opened=True, thinking=True, surface=surface)
    chunks = ["T", "</think>", "a", "<think>", "b"]
    text = adapter.script(request, "".join(chunks), chunks, "stop")
    assert "conformance" not in text
    done = subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()
    assert told[0] == f"split {split(adapter, request, *chunks)}"
    assert len(told) == len(chunks) + 2
    assert told[-1] == ("end ('b', '')" if surface else "end ('', '')")


def test_known_divergences_that_depend_on_the_chunks(adapter):
    opened, unopened = request_for("qwen3", True), request_for("qwen3", False)
    assert stream(adapter, opened, "T</think>a<think>b") == ("T", "ab")
    assert stream(adapter, unopened, "a<think>") == ("a", "")
    assert stream(adapter, opened, "<tool_call></think>") == ("<tool_call>", "")
