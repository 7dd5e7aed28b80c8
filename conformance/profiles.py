"""How much of the ladder is climbed: quick, standard, deep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """The size of each rung.

    ``cut_words``, ``words``, ``core_words``: the longest words of the alphabet whose markers are cut everywhere, that
    are cut in a few ways, and of the core alphabet. ``paired_words``: the longest words that are asked with every pair
    of (opened, thinking). ``shapes``: which requests a shape's outputs are cut in every way for: its ``own`` with
    thinking on, those with ``thinking`` on, or ``all``; the others get a few ways. ``edges``: of a marker's offsets
    across a 4,096-character edge, every so many-th. ``tracks``: how many requests are run beside each other.
    ``examples``: what Hypothesis draws. ``longest``: characters of the outputs whose cost is measured. ``patience``:
    seconds that a filler may take.
    """

    name: str
    cut_words: int
    words: int
    core_words: int
    paired_words: int
    shapes: str
    edges: int
    tracks: int
    examples: int
    longest: int
    patience: float


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("quick", 2, 2, 3, 2, "own", 8, 24, 100, 100_000, 0.5),
        Profile("standard", 2, 3, 4, 2, "thinking", 1, 96, 1_000, 400_000, 2.0),
        Profile("deep", 3, 4, 5, 4, "all", 1, 96, 50_000, 1_600_000, 20.0),
    )
}
"""Profile name to profile."""
