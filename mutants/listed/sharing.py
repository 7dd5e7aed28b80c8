"""Mutants whose requests touch each other."""

from __future__ import annotations

from mutants.faults import sharing
from mutants.mutant import Mutant, mutant

MUTANTS: tuple[Mutant, ...] = (
    mutant(
        "state-in-class",
        "requests-isolated",
        "qwen3",
        "The state is the class's, begun anew with each request.",
        "SGLang 8914",
        wrap=sharing.OneForAll,
    ),
    mutant(
        "text-left-by-error",
        "requests-isolated",
        "qwen3",
        "After an error the next request begins with what was held.",
        wrap=sharing.LeftByError,
    ),
    mutant(
        "flag-left-by-error",
        "requests-isolated",
        "qwen3",
        "A flag that an error leaves set silences every later request.",
        wrap=sharing.BusyAfterError,
    ),
    mutant(
        "text-left-by-given-up",
        "requests-isolated",
        "qwen3",
        "A stream that was given up leaves its text to the next.",
        wrap=sharing.TakesLeft,
    ),
    mutant(
        "threads-share-scratch",
        "requests-isolated",
        "qwen3",
        "A scratch place is shared by threads.",
        wrap=sharing.SharedScratch,
    ),
    mutant(
        "importing-thread-only",
        "requests-isolated",
        "qwen3",
        "The state belongs to the thread that imported the module.",
        wrap=sharing.ThreadsOwn,
    ),
    mutant(
        "same-stream-for-equals",
        "requests-isolated",
        "qwen3",
        "Equal requests get the same stream.",
        "SGLang 8914",
        stream=sharing.remembering,
    ),
    mutant(
        "finish-of-request-before",
        "requests-isolated",
        "hunyuan_a13b",
        "The finish of the request before counts.",
        wrap=sharing.FinishBefore,
        reads={"skipped_channel": "replayed"},
    ),
)
