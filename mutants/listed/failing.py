"""Mutants that raise, hang, exit, or answer in a form of their own."""

from __future__ import annotations

from mutants.faults import failing
from mutants.mutant import Mutant, mutant

MUTANTS: tuple[Mutant, ...] = (
    mutant(
        "latin-1-only",
        "never-raises",
        "qwen3",
        "A character that Latin-1 lacks raises.",
        wrap=failing.raising(lambda text: text.encode("latin-1")),
    ),
    mutant(
        "basic-plane-only",
        "never-raises",
        "qwen3",
        "A character beyond the basic plane raises.",
        "Luce-Org/lucebox 641",
        wrap=failing.raising(failing.beyond_the_plane),
    ),
    mutant(
        "raises-on-empty-chunk",
        "never-raises",
        "qwen3",
        "An empty chunk raises.",
        wrap=failing.raising(lambda text: text[0]),
    ),
    mutant(
        "raises-unfed",
        "never-raises",
        "qwen3",
        "The end raises where nothing was fed.",
        wrap=failing.NeedsFeed,
    ),
    mutant(
        "hangs-on-look-alike",
        "never-raises",
        "qwen3",
        "A look-alike at the end of a chunk is waited for without an end.",
        wrap=failing.Hangs,
    ),
    mutant(
        "call-a-character",
        "never-raises",
        "qwen3",
        "A call nests for each character of a chunk.",
        wrap=failing.raising(failing.nested),
    ),
    mutant("none-for-no-deltas", "never-raises", "qwen3", "No deltas are told as None.", wrap=failing.Nothing),
    mutant(
        "delta-without-text",
        "never-raises",
        "qwen3",
        "No deltas are told as a delta whose text is None.",
        wrap=failing.NoneText,
    ),
    mutant(
        "channel-of-its-own",
        "never-raises",
        "qwen3",
        "Reasoning comes in a channel called thinking.",
        wrap=failing.OtherChannel,
    ),
    mutant(
        "mapping-for-message",
        "never-raises",
        "qwen3",
        "The split gives a mapping for a message.",
        message=failing.as_mapping,
    ),
    mutant(
        "exits-at-cut-marker",
        "never-raises",
        "qwen3",
        "A marker that the end cut short exits the process.",
        wrap=failing.Exits,
    ),
)
