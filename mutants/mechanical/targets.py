"""What is mutated, and the tests that judge it."""

from __future__ import annotations

from collections.abc import Mapping

JUDGED_BY: Mapping[str, tuple[str, ...]] = {
    "oracles/reader.py": ("tests/test_semantics.py", "tests/test_reader.py"),
    "oracles/watch.py": ("tests/test_watch.py", "tests/test_semantics.py", "tests/test_reader.py"),
    "oracles/second.py": ("tests/test_semantics.py",),
    "oracles/kinds.py": ("tests/test_kinds.py",),
    "oracles/policies.py": ("tests/test_policies.py",),
    "oracles/dialects.py": ("tests/test_dialects.py",),
    "oracles/pieces.py": ("tests/test_pieces.py",),
    "oracles/vocabulary.py": ("tests/test_vocabulary.py",),
    "oracles/shapes.py": ("tests/test_patterns.py",),
    "oracles/shape_table.py": ("tests/test_patterns.py",),
    "oracles/long_shapes.py": ("tests/test_patterns.py",),
}
"""Path of a module to the quick files of tests that hold it to what it says; no whole sweep is among them.

A module's own tests judge it, not every test that comes by: what they overlook is a gap, and a survivor costs little.
"""
