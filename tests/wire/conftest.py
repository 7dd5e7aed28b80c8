"""What the tests of the wire share."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import commands
import pytest

from conformance.ladder import Ladder
from conformance.profiles import PROFILES


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """No command outlives its test."""
    yield
    while commands.OPEN:
        commands.OPEN.pop().close()


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick profile that takes a second."""
    shapes = Ladder.shapes
    small = replace(
        PROFILES["quick"], cut_words=1, words=1, core_words=1, edges=64, examples=3, longest=4000, patience=0.05
    )
    monkeypatch.setitem(PROFILES, "quick", small)
    monkeypatch.setattr(Ladder, "shapes", lambda self: itertools.islice(shapes(self), 12))
