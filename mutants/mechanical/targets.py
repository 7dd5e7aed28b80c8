"""What is mutated, and the tests that judge it."""

from __future__ import annotations

MODULES = (
    "oracles/*.py",
    "conformance/checks/*.py",
    "conformance/chunkings.py",
    "conformance/expectation.py",
)
"""Paths of modules, with wildcards."""

TESTS = (
    "tests/test_semantics.py",
    "tests/test_vocabulary.py",
    "tests/test_kinds.py",
    "tests/test_shapes.py",
    "tests/test_chunkings.py",
    "tests/test_checks.py",
    "tests/test_expectation.py",
)
"""Quick tests that give the same on every run; no whole sweep is among them."""
