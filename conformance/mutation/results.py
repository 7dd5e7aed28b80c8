"""What became of mutants: a result each, the score they make, and the run they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Status = Literal["killed", "timeout", "survived", "equivalent", "not tried"]
"""What became of a mutant. ``timeout`` is a kill by a mutant that doesn't end."""

STATUSES: tuple[Status, ...] = get_args(Status)

Place = tuple[int, int]
"""Line and column in a source, both from 1."""


@dataclass(frozen=True, slots=True)
class MutantResult:
    """A mutant and what became of it.

    ``description``: the fault in a few words. ``file``: a key of the run's sources. ``start``, ``end``: where
    ``original`` stood in it; the end is exclusive. ``diff``: unified. ``function``: its dotted name, "" outside of any.
    ``killed_by``: a check's id, or how its process ended (``load``, ``exit``, ``crash``, ``memory``, ``hang``), ""
    where it wasn't killed. ``dialect``: where it was killed, or "". ``reason``: a sentence: what the check found, why
    it is equivalent, what was nearest to a kill, why it was not tried. ``seconds``: that it took. ``words``: how many
    outputs were tried on it. ``reached``: False where nothing that was asked executes the changed line.
    """

    id: str
    description: str
    file: str
    start: Place
    end: Place
    replacement: str
    original: str
    diff: str
    function: str
    status: Status
    killed_by: str = ""
    dialect: str = ""
    reason: str = ""
    seconds: float = 0.0
    words: int = 0
    reached: bool = True


@dataclass(frozen=True, slots=True)
class Score:
    """How many mutants came to which end. ``unreached``: those of the survivors that nothing executes."""

    killed: int = 0
    survived: int = 0
    timeout: int = 0
    equivalent: int = 0
    not_tried: int = 0
    unreached: int = 0

    @classmethod
    def of(cls, results: Iterable[MutantResult]) -> Score:
        """The score that results make."""
        counts = dict.fromkeys(STATUSES, 0)
        unreached = 0
        for result in results:
            counts[result.status] += 1
            unreached += result.status == "survived" and not result.reached
        return cls(
            killed=counts["killed"],
            survived=counts["survived"],
            timeout=counts["timeout"],
            equivalent=counts["equivalent"],
            not_tried=counts["not tried"],
            unreached=unreached,
        )

    @property
    def detected(self) -> int:
        """Killed, by a check or by the limit on time."""
        return self.killed + self.timeout

    @property
    def judged(self) -> int:
        """Those that the percentage is of: equivalents and what was not tried don't count."""
        return self.detected + self.survived

    @property
    def total(self) -> int:
        """All of them."""
        return self.judged + self.equivalent + self.not_tried

    @property
    def percent(self) -> float | None:
        """The share of those judged that was detected; None where none was judged. 100 only where none survived."""
        return _percent(self.detected, self.judged)

    @property
    def percent_reached(self) -> float | None:
        """The same of those alone whose line is executed."""
        return _percent(self.detected, self.judged - self.unreached)


@dataclass(frozen=True, slots=True)
class MutationRun:
    """A run over mutants of one implementation.

    ``tool``, ``version``: what made the mutants. ``title``: what the score is of, in a word or two, for headings and
    the badge. ``sources``: a file's name to its text, unmutated; every result's ``file`` is one. ``complete``: False
    where it was interrupted. ``profile``: how much was asked of each mutant.
    """

    tool: str
    version: str
    implementation: str
    implementation_version: str
    sources: Mapping[str, str]
    results: tuple[MutantResult, ...]
    seconds: float
    complete: bool = True
    profile: str = "quick"
    title: str = "mutation score"
    dialects: tuple[str, ...] = field(default=())

    @property
    def score(self) -> Score:
        """The score of its results."""
        return Score.of(self.results)

    @property
    def survivors(self) -> tuple[MutantResult, ...]:
        """Those that no check caught, in the order of the source."""
        alive = (result for result in self.results if result.status == "survived")
        return tuple(sorted(alive, key=lambda result: (result.file, result.start, result.id)))


def _percent(part: int, whole: int) -> float | None:
    if not whole:
        return None
    rounded = round(100 * part / whole, 1)
    return rounded if part == whole else min(rounded, 99.9)


def percent_text(score: Score) -> str:
    """``97.5 %``, or ``nothing judged``."""
    return "nothing judged" if score.percent is None else f"{score.percent:g} %"
