"""The adapter to ROCm/ATOM: what it declares, and the divergences that are known; skipped where ATOM isn't there."""

import subprocess
import sys
from importlib import import_module

import pytest

from oracles.dialects import REGISTRY
from oracles.policies import check_values
from tests.in_process import adapter_or_skip, request_for, split, stream


@pytest.fixture(scope="module")
def adapter():
    return adapter_or_skip("atom")


def test_what_to_do_is_said_where_atom_is_absent(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    for name in [name for name in sys.modules if name == "atom" or name.startswith("atom.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "conformance.adapters.atom", raising=False)
    with pytest.raises(ImportError, match="put a checkout on PYTHONPATH"):
        import_module("conformance.adapters.atom")


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    assert adapter.dialects <= set(REGISTRY.ids())
    assert set(adapter.policy) == adapter.dialects
    for values in adapter.policy.values():
        check_values(values)


def test_importing_the_adapter_leaves_no_bare_package_behind(adapter):
    assert getattr(sys.modules.get("atom"), "__file__", "") is not None


@pytest.mark.parametrize("opened", [True, False])
def test_an_ordinary_answer_is_read_right_in_both_modes(adapter, opened):
    texts = ["T", "</think>", "A"] if opened else ["<think>", "T", "</think>", "A"]
    assert split(adapter, request_for("qwen3", opened), *texts) == ("T", "A")
    assert stream(adapter, request_for("qwen3", opened), *texts) == ("T", "A")


def test_a_thought_that_never_closes_is_content_in_the_split_alone(adapter):
    assert split(adapter, request_for("qwen3", True), "T") == ("", "T")
    assert stream(adapter, request_for("qwen3", True), "T") == ("T", "")


def test_the_script_asks_the_same(adapter):
    text = adapter.script(request_for("qwen3", True), "T", ["T"], "stop")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
    if done.returncode:
        pytest.skip(f"ATOM itself can't be imported here: {done.stderr.splitlines()[-1]}")
    assert done.stdout.splitlines() == [
        "split (None, 'T')",
        "chunk 'T' [('reasoning_content', 'T')]",
        "end []",
    ]
