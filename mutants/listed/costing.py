"""Mutants whose work or memory grows faster than the output."""

from __future__ import annotations

from mutants.faults import costing
from mutants.mutant import Mutant, mutant

MUTANTS: tuple[Mutant, ...] = (
    mutant(
        "hands-back-rest",
        "cost-linear",
        "qwen3",
        "At each marker the rest is copied and handed back.",
        "ROCm/ATOM PR 2910",
        wrap=costing.HandsBack,
    ),
    mutant(
        "rejoins-all",
        "cost-linear",
        "qwen3",
        "Everything is put together anew at each chunk.",
        "earendil-works/pi 7698",
        wrap=costing.Rejoins,
    ),
    mutant(
        "searches-all",
        "cost-linear",
        "qwen3",
        "The whole text is searched at each chunk.",
        wrap=costing.SearchesAll,
    ),
    mutant(
        "keeps-snapshots",
        "cost-linear",
        "qwen3",
        "What was read so far is kept anew at each chunk.",
        wrap=costing.KeepsSnapshots,
    ),
    mutant(
        "split-slices",
        "cost-linear",
        "qwen3",
        "The split takes a character off the front at a time.",
        split=costing.slicing,
    ),
    mutant(
        "split-rescans-space",
        "cost-linear",
        "qwen3",
        "The split looks for white space anew at each character.",
        split=costing.rescanning,
    ),
    mutant(
        "split-strips-by-pattern",
        "cost-linear",
        "qwen3",
        "The split strips by a pattern that begins anew at each character.",
        split=costing.stripping,
    ),
    mutant(
        "keeps-whole-text",
        "memory-bounded",
        "qwen3",
        "The whole text is kept although nothing needs it.",
        wrap=costing.KeepsAll,
    ),
)
