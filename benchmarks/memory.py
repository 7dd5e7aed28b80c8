"""What a stream of 100 MB holds: the most that the reader keeps between two feeds."""

from __future__ import annotations

import sys
import tracemalloc

from oracles.dialects import REGISTRY
from oracles.messages import Request
from oracles.reader import Machine

SIZE = 100_000_000
CHUNK = "dolor sit amet, consectetur adipiscing elit sed do eiusmod tempor, lorem ipsum </thin"


def held(dialect: str, opened: bool) -> tuple[int, int]:
    """The most characters held between two feeds, and the bytes that the reader has grown by at the end."""
    machine = Machine(REGISTRY.get(dialect))
    machine.split(Request(dialect, opened, True), CHUNK, "length")
    reader = machine.start(Request(dialect, opened, True))
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    fed = released = most = 0
    while fed < SIZE:
        fed += len(CHUNK)
        released += sum(len(text) for _, text in reader.feed(CHUNK))
        most = max(most, fed - released)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return most, grown


if __name__ == "__main__":
    for name, opened in [(name, opened) for name in sys.argv[1:] or ["qwen3", "gpt_oss"] for opened in (True, False)]:
        characters, grown = held(name, opened)
        longest = REGISTRY.get(name).longest
        print(
            f"{name}, {'opened' if opened else 'not opened'}: of {SIZE:,} characters at most {characters} are held "
            f"between two feeds (longest marker {longest}); {grown:,} bytes more at the end than at the start"
        )
