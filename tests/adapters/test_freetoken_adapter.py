"""The adapter to FreeToken: what it declares, and the divergences that are known; skipped where it isn't there."""

import subprocess
import sys
from importlib import import_module

import pytest

from oracles.dialects import REGISTRY
from oracles.messages import Unsupported
from oracles.policies import check_values
from tests.in_process import adapter_or_skip, request_for, split, stream


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("freetoken")


def test_what_to_do_is_said_where_freetoken_is_absent(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    for name in [name for name in sys.modules if name == "freetoken" or name.startswith("freetoken.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "conformance.adapters.freetoken", raising=False)
    with pytest.raises(ImportError, match="on PYTHONPATH"):
        import_module("conformance.adapters.freetoken")


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    assert adapter.dialects <= set(REGISTRY.ids())
    assert set(adapter.policy) == adapter.dialects
    for values in adapter.policy.values():
        check_values(values)


@pytest.mark.parametrize(("dialect", "opened"), [("minimax_m2", False), ("gpt_oss", True)])
def test_what_can_not_be_asked_is_unsupported_in_both_modes(adapter, dialect, opened):
    with pytest.raises(Unsupported):
        adapter.split("a", request_for(dialect, opened), "stop")
    with pytest.raises(Unsupported):
        adapter.stream(request_for(dialect, opened))


@pytest.mark.parametrize("opened", [True, False])
def test_an_ordinary_answer_is_read_right_in_both_modes(adapter, opened):
    texts = ["T", "</think>", "A"] if opened else ["<think>", "T", "</think>", "A"]
    assert split(adapter, request_for("qwen3", opened), *texts) == ("T", "A")
    assert stream(adapter, request_for("qwen3", opened), *texts) == ("T", "A")


DIVERGENCES = {
    "an opener quoted in the answer": (
        ("qwen3", True, ["T", "</think>", "a", "<think>", "b"]),
        (("T", "ab"), ("Tb", "a")),
    ),
    "an opener after words": (("qwen3", False, ["a", "<think>", "T"]), (("aT", ""), ("T", "a"))),
    "words before an opener that no closer follows": (
        ("minimax_m3", False, ["a", "<mm:think>", "T"]),
        (("T", ""), ("T", "a")),
    ),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    (dialect, opened, texts), (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, request_for(dialect, opened), *texts) == whole
    assert stream(adapter, request_for(dialect, opened), *texts) == streamed


def test_the_script_asks_the_same(adapter):
    text = adapter.script(request_for("qwen3", True), "T</think>A", ["T</think>", "A"], "stop")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
    if done.returncode:
        pytest.skip(f"FreeToken itself can't be imported here: {done.stderr.splitlines()[-1]}")
    assert done.stdout.splitlines() == [
        "split ('T', 'A')",
        "chunk 'T</think>' ('T', '')",
        "chunk 'A' ('', 'A')",
        "end ('', '')",
    ]
