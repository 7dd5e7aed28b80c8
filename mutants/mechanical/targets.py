"""What is mutated, and the tests that judge it."""

from __future__ import annotations

from collections.abc import Mapping

JUDGED_BY: Mapping[str, tuple[str, ...]] = {
    "oracles/reader.py": ("tests/test_semantics.py", "tests/test_reader.py"),
    "oracles/watch.py": ("tests/test_watch.py", "tests/test_semantics.py", "tests/test_reader.py"),
    "oracles/second.py": ("tests/test_second_reader.py", "tests/test_semantics.py"),
    "oracles/kinds.py": ("tests/test_kinds.py",),
    "oracles/policies.py": ("tests/test_policies.py",),
    "oracles/dialects.py": ("tests/test_dialects.py",),
    "oracles/pieces.py": ("tests/test_pieces.py",),
    "oracles/vocabulary.py": ("tests/test_vocabulary.py",),
    "oracles/shapes.py": ("tests/test_patterns.py",),
    "oracles/shape_table.py": ("tests/test_patterns.py",),
    "oracles/long_shapes.py": ("tests/test_patterns.py",),
    "conformance/checks/equality.py": ("tests/test_check_equality.py",),
    "conformance/checks/reading.py": ("tests/test_check_reading.py",),
    "conformance/checks/robustness.py": ("tests/test_check_reading.py",),
    "conformance/checks/conservation.py": ("tests/test_check_conservation.py",),
    "conformance/checks/timeliness.py": ("tests/test_check_timeliness.py",),
    "conformance/chunkings.py": ("tests/test_cuts.py",),
    "conformance/expectation.py": ("tests/test_expectation.py",),
}
"""Path of a module to the quick files of tests that hold it to what it says; no whole sweep is among them.

A module's own tests judge it, not every test that comes by: what they overlook is a gap, and a survivor costs little.
"""

NOT_JUDGED: Mapping[str, str] = {
    "oracles/cases.py": "it reads files and says what is wrong with them; tests/test_cases.py holds it",
    "oracles/segmenting.py": "its tests hold what its pieces must be, not which of several fitting cuts it makes",
    "oracles/messages.py": "it has no functions",
    "conformance/checks/catalogue.py": "it has no functions",
    "conformance/checks/cost.py": "it measures time and memory; the curated mutants and whole sweeps hold it",
    "conformance/checks/fillers.py": "what it writes is measured, by the check of cost",
    "conformance/checks/history.py": "as cost.py, of which it is a part",
    "conformance/checks/measuring.py": "as cost.py, of which it is a part",
    "conformance/checks/tracing.py": "it measures memory",
    "conformance/checks/stepping.py": "as isolation.py, of which it is a part",
    "conformance/checks/isolation.py": "it asks in threads and against a watchdog; whole sweeps hold it",
}
"""Path of a module of those folders to why mutmut's mutants of it are not judged."""

WALKED = ("oracles/reader.py", "oracles/watch.py")
"""The modules of the specified reader, whose mutants can be walked beside it."""
