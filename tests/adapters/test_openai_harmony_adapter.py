"""The adapter to openai-harmony: what it asks, what it refuses, what it declares."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata

import pytest

from conformance.adapter import load
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported
from oracles.reader import Machine
from oracles.vocabulary import Vocabulary
from tests.in_process import adapter_or_skip

THOUGHT = "<|channel|>analysis<|message|>"
FINAL = "<|channel|>final<|message|>"
NEXT = "<|end|><|start|>assistant"
PLAIN = Request("gpt_oss", opened=False, thinking=True)
OPENED = Request("gpt_oss", opened=True, thinking=True)


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("openai_harmony")


def split(adapter, raw, request=PLAIN):
    message = adapter.split(raw, request, "stop")
    return message.reasoning, message.content


def stream(adapter, raw, request=PLAIN, size=0):
    """What a stream gives, in one chunk or ``size`` tokens a chunk."""
    ids, _ = Vocabulary(REGISTRY.get("gpt_oss")).tokens(raw)
    size = size or max(1, len(ids))
    reader = adapter.stream(request)
    deltas = [
        delta for start in range(0, len(ids), size) for delta in reader.feed(Chunk("", ids[start : start + size]))
    ]
    deltas += reader.finish("stop")
    return tuple("".join(text for channel, text in deltas if channel == wanted) for wanted in ("reasoning", "content"))


def test_the_adapter_is_well_formed(adapter):
    made = load("conformance.adapters.openai_harmony")
    assert made.chunks == "tokens"
    assert made.dialects == ("gpt_oss",)
    assert made.script is adapter.script


@pytest.mark.parametrize(
    ("raw", "request_", "wanted"),
    [
        (f"{THOUGHT}a b{NEXT}{FINAL}hello<|return|>", PLAIN, ("a b", "hello")),
        (f"{FINAL}hello", PLAIN, ("", "hello")),
        (f"{THOUGHT}a", PLAIN, ("a", "")),
        (f"a{NEXT}{FINAL}b", OPENED, ("a", "b")),
        (f"{FINAL}b{NEXT}{THOUGHT}c{NEXT}{FINAL}d<|end|>", PLAIN, ("c", "bd")),
        (f"<|channel|>commentary<|message|>p{NEXT}{FINAL}q", PLAIN, ("", "pq")),
        (f"{FINAL}a<|constrain|>b <|en é😀𓀀日本\n\r\n", PLAIN, ("", "a<|constrain|>b <|en é😀𓀀日本\n\r\n")),
        ("", OPENED, ("", "")),
    ],
)
def test_well_formed_output_reads_as_the_oracle_reads_it(adapter, raw, request_, wanted):
    message = Machine(REGISTRY.get("gpt_oss")).split(request_, raw, "stop")
    assert (message.reasoning, message.content) == wanted
    assert split(adapter, raw, request_) == wanted
    for size in (0, 1, 2, 3):
        assert stream(adapter, raw, request_, size) == wanted


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "b",
        f"b{THOUGHT}a",
        f"<|start|>assistant{THOUGHT}a",
        f"{THOUGHT}a<|end|>b",
        f"{THOUGHT}a{NEXT}",
        f"{THOUGHT}a{NEXT}<|channel|>fin",
        f"{THOUGHT}a{FINAL}b",
        f"{THOUGHT}a<|start|>assistant",
        f"{FINAL}a<|return|>{NEXT}{FINAL}b",
        "<|channel|>commentary to=functions.f<|message|>{}<|call|>",
        "<|channel|>other<|message|>c",
        "<|message|>c",
    ],
)
def test_output_of_another_form_is_not_asked_split_nor_streamed(adapter, raw):
    with pytest.raises(Unsupported, match="no sequence of harmony messages"):
        split(adapter, raw)
    for size in (0, 1):
        with pytest.raises(Unsupported):
            stream(adapter, raw, size=size)


def test_the_script_runs_without_the_suite(adapter, tmp_path):
    script = adapter.script(OPENED, f"a{NEXT}{FINAL}b", ["a", NEXT, f"{FINAL}b"], "stop")
    held = metadata.distribution("litellm").locate_file(adapter.LITELLM) if adapter.FOLDER not in os.environ else None
    if held is not None:
        (tmp_path / "o200k_base.tiktoken").symlink_to(str(held))
    environment = {adapter.FOLDER: str(tmp_path), **os.environ}
    done = subprocess.run(
        [sys.executable, "-I", "-"], input=script, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == [
        "split: analysis ['a']",
        "split: final ['b']",
        "'a' -> [('analysis', 'a')]",
        f"{NEXT!r} -> []",
        f"{FINAL + 'b'!r} -> [('final', 'b')]",
        "finish -> []",
    ], done.stderr
    assert "chunks" not in adapter.script(PLAIN, "a", None, "stop")
