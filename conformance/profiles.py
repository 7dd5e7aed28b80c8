"""How much of the ladder is climbed: quick, standard, deep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """The size of each rung.

    ``cut_words``, ``words``, ``core_words``: the longest words of the alphabet whose markers are cut everywhere, that
    are cut in a few ways, and of the core alphabet. ``all_pairs``: words of any length, and shapes, are asked with
    every pair of (opened, thinking). ``edges``: of a marker's offsets across a 4,096-character edge, every so
    many-th. ``examples``: what Hypothesis draws. ``longest``: characters of the outputs whose cost is measured.
    ``patience``: seconds that a filler may take.
    """

    name: str
    cut_words: int
    words: int
    core_words: int
    all_pairs: bool
    edges: int
    examples: int
    longest: int
    patience: float


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("quick", 2, 2, 3, False, 8, 150, 100_000, 0.5),
        Profile("standard", 2, 3, 4, True, 1, 1_000, 400_000, 2.0),
        Profile("deep", 3, 4, 5, True, 1, 50_000, 1_600_000, 20.0),
    )
}
"""Profile name to profile."""
