"""Mutants that show where chunks end."""

from __future__ import annotations

import unicodedata

from mutants.faults import cutting, disagreeing, misreading
from mutants.mutant import Mutant, mutant

MUTANTS: tuple[Mutant, ...] = (
    mutant(
        "cut-at-three",
        "chunks-do-not-matter",
        "qwen3",
        "A marker that is cut behind its third character is missed.",
        "leehack/llamadart 524",
        wrap=cutting.MissesAtThree,
    ),
    mutant(
        "cut-before-last",
        "chunks-do-not-matter",
        "hunyuan_a13b",
        "A marker whose last character comes alone is missed.",
        wrap=cutting.MissesBeforeLast,
        reads={"skipped_channel": "replayed"},
    ),
    mutant(
        "one-chunk-back",
        "chunks-do-not-matter",
        "qwen3",
        "A marker over three chunks is missed.",
        "vLLM 45687",
        wrap=cutting.OneChunkBack,
    ),
    mutant(
        "whole-buffer-prefix",
        "chunks-do-not-matter",
        "qwen3",
        "Text is held only where the whole buffer begins a marker.",
        "smg 1751",
        wrap=cutting.WholeBufferIsPrefix,
    ),
    mutant(
        "empty-chunk-releases",
        "chunks-do-not-matter",
        "qwen3",
        "An empty chunk releases what was held.",
        wrap=cutting.EmptyChunkReleases,
    ),
    mutant(
        "equality-not-search",
        "chunks-do-not-matter",
        "qwen3",
        "A chunk is compared with a marker, never searched.",
        "pydantic-ai 7865",
        wrap=cutting.Equality,
    ),
    mutant(
        "lag-loses-start",
        "chunks-do-not-matter",
        "qwen3",
        "Text that lags its ids loses its beginning.",
        "vLLM 51641",
        wrap=cutting.LagsLose,
    ),
    mutant(
        "ids-decide",
        "chunks-do-not-matter",
        "qwen3",
        "Text without ids is taken for nothing.",
        wrap=cutting.IdsDecide,
    ),
    mutant(
        "joins-cr-lf",
        "chunks-do-not-matter",
        "qwen3",
        "CR LF is turned into LF, a chunk at a time.",
        **disagreeing.reading(lambda text: text.replace("\r\n", "\n")),
    ),
    mutant(
        "composes-chunks",
        "chunks-do-not-matter",
        "qwen3",
        "Characters are composed, a chunk at a time.",
        **disagreeing.reading(lambda text: unicodedata.normalize("NFC", text)),
    ),
    mutant(
        "never-waits",
        "chunks-do-not-matter",
        "gpt_oss",
        "A complete marker acts at once, also where a longer one may come.",
        compiled=misreading.watching(misreading.never_waiting),
    ),
    mutant(
        "loses-past-16384",
        "cost-linear",
        "qwen3",
        "The stream loses a character past 16,384.",
        wrap=cutting.PastMany,
    ),
    mutant(
        "misses-late-markers",
        "cost-linear",
        "qwen3",
        "A cut marker is missed past 5,000 characters.",
        wrap=cutting.MissesLate,
    ),
    mutant(
        "declined-where-alone",
        "chunks-do-not-matter",
        "qwen3",
        "There are streams alone, and a closer before any words is dropped only where it is a chunk of its own.",
        wrap=cutting.DeclinedAlone,
        split=disagreeing.refusing,
        declares=None,
    ),
)
