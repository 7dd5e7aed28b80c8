"""What a forked child tells comes to its parent whole, however the pipe cuts it."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import pytest

from conformance.forking import LENGTH, Frames, Teller, fork

VALUES = [("progress", 1), "", None, "x" * 200_000, [b"\x00\xff"]]


def framed(value: object) -> bytes:
    """A value as a child writes it."""
    data = pickle.dumps(value)
    return LENGTH.pack(len(data)) + data


@pytest.mark.parametrize("size", [1, 7, 4096, 1 << 20])
def test_values_come_whole_in_their_order_however_they_are_cut(size: int) -> None:
    data = b"".join(map(framed, VALUES if size > 1 else VALUES[:3]))
    frames = Frames()
    came: list[object] = []
    for start in range(0, len(data), size):
        frames.add(data[start : start + size])
        came += frames.values()
    assert came == (VALUES if size > 1 else VALUES[:3])
    assert not frames.whole()


def test_a_value_is_whole_with_its_last_byte_and_not_before() -> None:
    frames = Frames()
    data = framed("a")
    frames.add(data[:-1])
    assert not frames.whole()
    assert list(frames.values()) == []
    frames.add(data[-1:])
    assert frames.whole()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system doesn't fork")
def test_a_child_tells_and_what_it_forked_itself_does_not() -> None:
    reading, writing = os.pipe()
    pid = fork()
    if not pid:
        tell = Teller(writing)
        if not os.fork():
            tell("the grandchild")
        os.wait()
        tell("the child")
        os._exit(0)
    os.close(writing)
    frames = Frames()
    while data := os.read(reading, 1 << 16):
        frames.add(data)
    os.close(reading)
    os.waitpid(pid, 0)
    assert list(frames.values()) == ["the child"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system doesn't fork")
def test_what_was_printed_before_a_fork_is_printed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "printed").open("w") as printed:
        monkeypatch.setattr(sys, "stdout", printed)
        print("before", end="")
        pid = fork()
        if not pid:
            printed.flush()
            os._exit(0)
        os.waitpid(pid, 0)
        monkeypatch.undo()
    assert (tmp_path / "printed").read_text() == "before"
