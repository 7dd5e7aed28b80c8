"""What became of one item: its verdict, how it stands with the list of expected failures, how to run it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from conformance.expected import Standing
from conformance.verdicts import Verdict

OUTCOMES: Mapping[Standing, str] = {
    "passed": "passed",
    "failed": "failed",
    "expected": "expected",
    "skipped": "skipped",
    "unjudged": "failed",
    "listed pass": "failed",
    "listed skip": "failed",
}
"""Standing to the outcome that a report and pytest's counts give it."""


@dataclass(frozen=True)
class Result:
    """One item of a run.

    ``implementation``: the name under which it was collected. ``spec``: what ``--impl`` said.
    ``listed``: where the list of expected failures names it (``file:line``), and ``reason`` why, as the list says.
    ``dialect_file``: the file that declares the dialect, where ``--dialect-file`` gave one.
    ``fault``: the suite itself failed.
    """

    implementation: str
    spec: str
    verdict: Verdict
    standing: Standing
    listed: str = ""
    reason: str = ""
    dialect_file: str = ""
    fault: bool = False

    @property
    def id(self) -> str:
        """``implementation::dialect::check``, the item's node id."""
        return f"{self.implementation}::{self.verdict.id}"

    @property
    def outcome(self) -> str:
        """``passed``, ``failed``, ``expected`` or ``skipped``."""
        return OUTCOMES[self.standing]

    def to_text(self) -> str:
        """The result as ASCII JSON, which survives any channel, lone surrogates too."""
        return json.dumps({**asdict(self), "verdict": self.verdict.to_json()})

    @classmethod
    def from_text(cls, text: str) -> Result:
        """The result that ``to_text`` gave."""
        data: dict[str, Any] = json.loads(text)
        return cls(**{**data, "verdict": Verdict.from_json(data["verdict"])})
