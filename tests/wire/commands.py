"""Commands for the tests of the wire, and what a run says of them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from conformance.adapter import Wiring, load
from conformance.implementation import Implementation
from conformance.judge import Options, judge
from conformance.verdicts import Verdict
from conformance.wire.adapter import Wire

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "examples" / "adapters"
FLEET = Path(__file__).with_name("fleet.py")
DIALECT = "qwen3"
OPEN: list[Wire] = []
"""The commands that a test may have left running."""


def spec_of(fault: str = "none") -> str:
    """The spec of a command of the fleet."""
    return f"cmd:{shlex.join([sys.executable, str(FLEET), fault])}"


def loaded(fault: str = "none", limit: float = 5.0, smokes: bool = False) -> Implementation:
    """A command of the fleet, loaded."""
    made = load(spec_of(fault), wiring=Wiring(limit, smokes=smokes))
    assert isinstance(made.adapter, Wire)
    OPEN.append(made.adapter)
    return made


def judged(fault: str, checks: str = "never-raises nothing-lost", hang_after: float = 5.0) -> dict[str, Verdict]:
    """The verdicts on a command of the fleet."""
    options = Options(profile="quick", checks=frozenset(checks.split()), hang_after=hang_after)
    verdicts = judge(loaded(fault), DIALECT, options, lambda _: None)
    return {verdict.check: verdict for verdict in verdicts}
