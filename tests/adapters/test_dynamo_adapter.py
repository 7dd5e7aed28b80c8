"""The adapter to NVIDIA Dynamo: what it declares, how a stream is told, and the divergences that are known."""

import subprocess
import sys
from importlib import import_module, metadata

import pytest

from conformance.adapter import load
from conformance.adapters._fields import Fields
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported
from oracles.policies import check_values

try:
    from conformance.adapters.dynamo.client import Event, RefusedError, by_chunk, events_of, message_of
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)


@pytest.fixture(scope="module")
def module():
    return import_module("conformance.adapters.dynamo")


@pytest.fixture(scope="module")
def adapter(module):
    wire = load(module.__name__).adapter
    yield wire
    wire.close()


QWEN3 = Request("qwen3", opened=False, thinking=True)
KIMI_K2 = Request("kimi_k2", opened=True, thinking=True)
MINIMAX_M3 = Request("minimax_m3", opened=False, thinking=True)
GEMMA4 = Request("gemma4", opened=False, thinking=True)


def split(adapter, request, *texts):
    return tuple(adapter.split("".join(texts), request, "stop"))


def stream(adapter, request, *texts):
    reader = adapter.stream(request)
    for text in texts:
        reader.feed(Chunk(text))
    deltas = [tuple(delta) for delta in reader.finish("stop")]
    return tuple("".join(text for channel, text in deltas if channel == wanted) for wanted in ("reasoning", "content"))


def test_what_it_says_of_itself_is_true(module, adapter):
    assert adapter.version == metadata.version("ai-dynamo-runtime")
    assert set(adapter.dialects) <= set(REGISTRY.ids())
    for values in adapter.policy.values():
        check_values(values)


ORDINARY = [
    (QWEN3, ["<think>", "T", "</think>", "A"]),
    (Request("qwen3", opened=True, thinking=True), ["T", "</think>", "A"]),
    (KIMI_K2, ["T", "</think>", "A"]),
    (MINIMAX_M3, ["<mm:think>", "T", "</mm:think>", "A"]),
    (GEMMA4, ["<|channel>", "thought", "\n", "T", "<channel|>", "A"]),
]


@pytest.mark.parametrize(("request_", "texts"), ORDINARY)
def test_ordinary_output_is_read_right_in_both_modes(adapter, request_, texts):
    assert split(adapter, request_, *texts) == ("T", "A")
    assert stream(adapter, request_, *texts) == ("T", "A")


def test_requests_that_dynamo_ignores_are_not_asked(adapter):
    with pytest.raises(Unsupported, match="kimi_k25 is forced to reasoning by Dynamo"):
        split(adapter, Request("kimi_k2", opened=False, thinking=True), "A")
    with pytest.raises(Unsupported, match="gemma4 doesn't look at the prompt"):
        split(adapter, Request("gemma4", opened=True, thinking=True), "A")
    with pytest.raises(Unsupported, match="more than 1,000 characters"):
        split(adapter, QWEN3, "a" * 1_001)


# The divergences that are known, each (split, then stream)


DIVERGENCES = {
    "a cut marker at the end is lost where its chunk holds two of its characters": (
        (QWEN3, ["a", "</th"]),
        (("", "a</th"), ("", "a")),
    ),
    "an answer without a thought is lost": ((MINIMAX_M3, ["h", "i"]), (("", ""), ("", ""))),
    "a closer in a call's arguments is dropped": (
        (QWEN3, ["<tool_call>", "</think>", "</tool_call>"]),
        (("", "<tool_call></tool_call>"), ("", "<tool_call></tool_call>")),
    ),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    (request_, texts), (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, request_, *texts) == whole
    assert stream(adapter, request_, *texts) == streamed


def test_the_script_shows_the_same_without_the_suite(module, adapter, tmp_path):
    (request_, texts), _ = DIVERGENCES["a cut marker at the end is lost where its chunk holds two of its characters"]
    program = tmp_path / "ask.py"
    program.write_text(module.script(request_, "".join(texts), texts, "stop"), encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "-I", program], cwd=tmp_path, capture_output=True, text=True, timeout=120
    ).stdout
    assert "split {'reasoning_content': None, 'content': 'a</th'}" in shown
    assert "stream {'content': 'a', 'role': 'assistant'} None" in shown
    assert "th" not in shown.partition("\nstream")[2].replace("length", "")


# How an answer is told, without the package


def fields():
    return Fields(REGISTRY.get("qwen3"), opened=True)


def test_a_delta_belongs_to_the_chunk_whose_tokens_were_read_by_then():
    events = [
        Event((("reasoning", "a"),), 2, False),
        Event((), 3, False),
        Event((("content", "bc"),), 5, False),
        Event((("content", "d"),), 5, True),
    ]
    assert by_chunk(iter(events), [2, 0, 1, 2], ["a", "", "", "bc"], fields()) == [
        [("reasoning", "a")],
        [],
        [],
        [("content", "bc")],
        [("content", "d")],
    ]


def test_an_event_with_both_texts_gives_them_as_they_stand_in_what_was_read_for_it():
    event = Event((("reasoning", "f"), ("content", "b")), 3, False)
    assert by_chunk(iter([event]), [3], ["</think>b<think>f"], fields())[0] == [("content", "b"), ("reasoning", "f")]
    assert by_chunk(iter([event]), [1, 2], ["f</think>", "b"], fields())[1] == [("reasoning", "f"), ("content", "b")]


def test_a_stream_without_chunks_has_its_end_alone():
    assert by_chunk(iter([Event((), 0, True)]), [], [], fields()) == [[]]


def test_events_are_read_and_errors_are_no_events():
    text = (
        'data: {"choices":[{"delta":{"reasoning_content":"a","content":"b"},"finish_reason":null}],'
        '"usage":{"completion_tokens":3}}\n\ndata: {"choices":[],"usage":null}\n\ndata: [DONE]\n\n'
    )
    assert list(events_of(text)) == [Event((("reasoning", "a"), ("content", "b")), 3, False)]
    for broken in ("event: error\ndata: no\n", 'data: {"error":{"message":"no"}}\n'):
        with pytest.raises(RefusedError, match="the stream broke off"):
            list(events_of(broken))


def test_an_absent_text_of_a_message_is_empty():
    assert message_of('{"choices":[{"message":{"content":null}}]}') == {"reasoning": "", "content": ""}
