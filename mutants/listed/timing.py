"""Mutants that release at the wrong time, or in the wrong order."""

from __future__ import annotations

from mutants.faults import timing
from mutants.mutant import Mutant, mutant

MUTANTS: tuple[Mutant, ...] = (
    mutant(
        "content-first",
        "order-kept",
        "qwen3",
        "Of one chunk, content comes before reasoning.",
        wrap=timing.ContentFirst,
    ),
    mutant(
        "reasoning-lags",
        "order-kept",
        "qwen3",
        "The last character of reasoning comes after the content.",
        wrap=timing.ReasoningLags,
    ),
    mutant(
        "released-at-end",
        "released-in-time",
        "qwen3",
        "All is released at the end of the output.",
        wrap=timing.Withheld,
    ),
    mutant(
        "released-at-opener",
        "released-in-time",
        "qwen3",
        "Content is released at a start tag alone.",
        wrap=timing.UntilOpener,
    ),
    mutant(
        "released-at-closer",
        "released-in-time",
        "qwen3",
        "Reasoning is released at an end tag alone.",
        "llamadart 1525",
        wrap=timing.UntilCloser,
    ),
    mutant(
        "released-after-call",
        "released-in-time",
        "qwen3",
        "A call is released when it ends.",
        wrap=timing.UntilCallEnds,
    ),
    mutant("by-line", "released-in-time", "qwen3", "Text is released line by line.", wrap=timing.ByLine),
    mutant(
        "by-size",
        "released-in-time",
        "qwen3",
        "Text is released 64 characters at a time.",
        wrap=timing.BySize,
    ),
    mutant(
        "one-bracket-withholds",
        "released-in-time",
        "qwen3",
        "From one `<` on everything waits for the end.",
        wrap=timing.OneBracket,
    ),
    mutant("space-waits", "released-in-time", "qwen3", "White space waits for words.", wrap=timing.SpaceWaits),
    mutant(
        "one-too-late",
        "released-in-time",
        "qwen3",
        "One character more is held than the longest marker allows.",
        wrap=timing.OneTooLate,
    ),
    mutant(
        "replay-in-one-piece",
        "released-in-time",
        "hunyuan_a13b",
        "A replay comes in one piece, however long.",
        "ROCm/ATOM PR 2910",
        wrap=timing.OneReplay,
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "holds-a-marker-less-one",
        "released-at-once",
        "qwen3",
        "As much is held as the longest marker less one, whatever it is.",
        wrap=timing.Late,
    ),
    mutant(
        "holds-unwatched-beginnings",
        "released-at-once",
        "qwen3",
        "The beginning of a marker is held where the marker means nothing.",
        wrap=timing.AnyBeginning,
    ),
)
