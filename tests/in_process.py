"""Asking an adapter that is imported: its split, its stream, its script, and whether what it declares exists."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request
from oracles.policies import check_values


def adapter_or_skip(name):
    """The adapter of that name; skips where what it adapts isn't installed."""
    try:
        return import_module(f"conformance.adapters.{name}")
    except ImportError as error:
        pytest.skip(str(error))


def request_for(dialect, opened=False, thinking=True):
    """A request with thinking on, unless said otherwise."""
    return Request(dialect, opened=opened, thinking=thinking)


def split(adapter, request, *texts, finish="stop"):
    """The split of the texts put together, as (reasoning, content)."""
    message = adapter.split("".join(texts), request, finish)
    return message.reasoning, message.content


def stream(adapter, request, *texts, finish="stop"):
    """A stream of one chunk a text, folded, as (reasoning, content)."""
    reader = adapter.stream(request)
    deltas = [delta for text in texts for delta in reader.feed(Chunk(text))] + [*reader.finish(finish)]
    return tuple("".join(text for channel, text in deltas if channel == wanted) for wanted in ("reasoning", "content"))


def declares_well(adapter):
    """Asserts that dialects are known, that each has a policy, and that the values exist."""
    assert adapter.dialects
    assert adapter.dialects <= {*REGISTRY.ids()}
    assert {*adapter.policy} == adapter.dialects
    for values in adapter.policy.values():
        check_values(values)


def run_script(adapter, request, *texts, finish="stop"):
    """What the adapter's script prints, run without this suite."""
    script = adapter.script(request, "".join(texts), [*texts], finish)
    assert "conformance" not in script
    assert "oracles" not in script
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
