"""What a check found: a violation with its minimal case, and the verdict on an implementation's dialect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Level = Literal["must", "should"]
Outcome = Literal["pass", "fail", "advice", "skip", "unjudged"]


@dataclass(frozen=True, slots=True)
class Row:
    """One compared value: what it is of (``reasoning``), whose it is (``split``), the value, and a remark beside it."""

    of: str
    whose: str
    value: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which an implementation breaks a check, on its smallest known case.

    ``rows`` hold values as they are shown, text already as a Python literal.
    ``chunks`` are the texts of the stream that shows it, None where no stream is concerned.
    ``size`` orders violations of a check: smaller is simpler to read. ``seconds``: how long after the beginning of the
    sweep the first of its kind was found; ``tried``: how many outputs had been asked then. ``within``: the kind of a
    smaller case that this one holds and that breaks the check too, "" where nothing can be left out.
    ``failure``: why there was no answer, where there was none: a kind of ``observation.Failure``.
    ``answers``: how the oracle reads the case, and what split and stream give, chunk by chunk, as JSON values;
    ``script``: the adapter's own, which shows the case without this suite. Both None where there is none.
    """

    check: str
    level: Level
    dialect: str
    opened: bool
    thinking: bool
    finish: str
    rows: tuple[Row, ...]
    case: str
    chunks: tuple[str, ...] | None = None
    raw: str | None = None
    surface: str | None = None
    note: str = ""
    kind: str = ""
    kind_title: str = ""
    known_as: str = ""
    size: tuple[int, ...] = ()
    seconds: float = 0.0
    tried: int = 0
    within: str = ""
    failure: str = ""
    answers: Mapping[str, Any] | None = None
    script: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The violation as JSON values; lone surrogates are escaped by whoever writes them."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Violation:
        """The violation that ``to_json`` gave."""
        values = dict(data)
        values["rows"] = tuple(Row(**row) for row in data["rows"])
        values["chunks"] = None if data["chunks"] is None else tuple(data["chunks"])
        values["size"] = tuple(data["size"])
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check says of one dialect of one implementation.

    ``outcome``: ``fail`` where a must is violated, ``advice`` where only a should is, ``skip`` where nothing
    could be asked, ``unjudged`` where nothing that was asked could be judged, or not to the end.
    ``violation`` is the violated must, ``advice`` the violated should; both may be there. ``others``: the smallest
    violations of further kinds, musts first.
    ``outputs``, ``streams``: how much stands behind the verdict. ``skipped``: reason to count.
    ``notes``: sentences for the summary. ``seconds``: wall time of the whole dialect's sweep.
    """

    implementation: str
    version: str
    dialect: str
    check: str
    outcome: Outcome
    violation: Violation | None = None
    advice: Violation | None = None
    others: tuple[Violation, ...] = ()
    reason: str = ""
    outputs: int = 0
    streams: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def id(self) -> str:
        """``dialect::check``, as expected-failures files name it."""
        return f"{self.dialect}::{self.check}"

    def to_json(self) -> dict[str, Any]:
        """The verdict as JSON values."""
        values = asdict(self)
        values["violation"] = None if self.violation is None else self.violation.to_json()
        values["advice"] = None if self.advice is None else self.advice.to_json()
        values["others"] = [violation.to_json() for violation in self.others]
        values["skipped"] = dict(self.skipped)
        values["notes"] = list(self.notes)
        return values

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """The verdict that ``to_json`` gave."""
        values = dict(data)
        for name in ("violation", "advice"):
            values[name] = None if data[name] is None else Violation.from_json(data[name])
        values["others"] = tuple(Violation.from_json(violation) for violation in data["others"])
        values["notes"] = tuple(data["notes"])
        return cls(**values)
