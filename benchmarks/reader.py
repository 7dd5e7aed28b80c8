"""The specified reader's time: against length, markers, one `re.sub`, and SGLang's base detector."""

from __future__ import annotations

import importlib
import importlib.util
import re
import time
from collections.abc import Callable

from oracles.dialects import REGISTRY, Dialect
from oracles.messages import Chunk, Request
from oracles.reader import Machine

FILLER = "lorem ipsum dolor sit amet, "
SIZES = (64_000, 256_000, 1_000_000, 4_000_000)
MARKERS = (0, 2_000, 20_000, 200_000)


def best(call: Callable[[], object], times: int = 5) -> float:
    """The least of some timings, in seconds."""
    least = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - start)
    return least


def text_of(length: int, markers: int, marker: str) -> str:
    """A text of about ``length`` characters with so many markers spread over it."""
    if not markers:
        return (FILLER * (length // len(FILLER) + 1))[:length]
    gap = max(1, length // markers - len(marker))
    return ((FILLER * (gap // len(FILLER) + 1))[:gap] + marker) * markers


def one_feed(machine: Machine, text: str, opened: bool) -> Callable[[], object]:
    """Reads the text in one feed."""
    return lambda: machine.split(Request(machine.dialect.id, opened, True), text, "length")


def many_feeds(machine: Machine, chunks: list[str]) -> Callable[[], object]:
    """Reads the text chunk by chunk."""

    def read() -> None:
        reader = machine.start(Request(machine.dialect.id, True, True))
        feed = reader.feed
        for chunk in chunks:
            feed(chunk)
        reader.finish("length")

    return read


def linearity(dialect: Dialect, marker: str) -> None:
    """A table: length and markers against milliseconds, one feed and feeds of four characters."""
    machine = Machine(dialect)
    print(f"\n{dialect.id}, marker {marker!r}: milliseconds, and nanoseconds a character")
    print(f"{'characters':>12}{'markers':>10}{'one feed':>12}{'ns/char':>9}{'4 a feed':>12}{'ns/char':>9}")
    for size in SIZES:
        for markers in MARKERS:
            if markers * (len(marker) + 1) > size:
                continue
            text = text_of(size, markers, marker)
            chunks = [text[start : start + 4] for start in range(0, len(text), 4)]
            one, many = best(one_feed(machine, text, True), 3), best(many_feeds(machine, chunks), 2)
            scale = 1e9 / len(text)
            print(f"{len(text):>12,}{markers:>10,}{one * 1e3:>12.2f}{one * scale:>9.2f}", end="")
            print(f"{many * 1e3:>12.1f}{many * scale:>9.1f}")


def against_sub(dialect: Dialect, marker: str) -> None:
    """One feed against one `re.sub` of the dialect's markers over the same text."""
    machine = Machine(dialect)
    pattern = re.compile("|".join(map(re.escape, sorted(dialect.all_markers, key=len, reverse=True))))
    for markers in (0, 2_000):
        text = text_of(460_000, markers, marker)
        ratios = []
        for _ in range(7):
            sub = best(lambda text=text: pattern.sub("", text), 5)
            ratios.append(best(one_feed(machine, text, True), 5) / sub)
        ratios.sort()
        print(
            f"{dialect.id}: one feed of {len(text):,} characters with {markers:,} markers takes {ratios[3]:.2f} times "
            f"one re.sub (7 pairs, {ratios[0]:.2f} to {ratios[-1]:.2f})"
        )


def against_sglang() -> None:
    """A streamed token of four characters, against SGLang's base detector on the same text."""
    if not any(importlib.util.find_spec(name) for name in ("sglang", "llm_router_utils")):
        print("sglang is not installed: no comparison")
        return
    adapter = importlib.import_module("conformance.adapters.sglang")
    machine = Machine(REGISTRY.get("qwen3"))
    for name, text in (
        ("plain text", text_of(400_000, 0, "")),
        ("near misses of the closer", ("lorem ipsum </thin dolor " * 16_000)[:400_000]),
        ("half thought, half answer with quoted tags", "lorem ipsum " * 16_000 + "</think>" + "a <think> b " * 16_000),
    ):
        chunks = [Chunk(text[start : start + 4]) for start in range(0, len(text), 4)]
        ratios = []
        for _ in range(5):
            ours = best(many_feeds(machine, [chunk.text for chunk in chunks]), 2)
            theirs = best(lambda chunks=chunks: _stream(adapter, chunks), 2)
            ratios.append(ours / theirs)
        ratios.sort()
        print(
            f"{name}: {ours / len(chunks) * 1e6:.2f} microseconds a token, SGLang {adapter.version} "
            f"{theirs / len(chunks) * 1e6:.2f} (ratio {ratios[2]:.2f}, {ratios[0]:.2f} to {ratios[-1]:.2f})"
        )


def _stream(adapter: object, chunks: list[Chunk]) -> None:
    parser = adapter.parser_for(Request("qwen3", True, True))  # type: ignore[attr-defined]
    feed = parser.parse_stream_chunk
    for chunk in chunks:
        feed(chunk.text)
    parser.parse_stream_end()


if __name__ == "__main__":
    linearity(REGISTRY.get("kimi_k3"), "<|end_of_msg|>")
    linearity(REGISTRY.get("qwen3"), "<tool_call></tool_call>")
    print()
    against_sub(REGISTRY.get("kimi_k3"), "<|end_of_msg|>")
    print()
    against_sglang()
