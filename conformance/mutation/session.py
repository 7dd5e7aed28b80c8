"""Mutation of one source: the clean implementation is judged first, then each mutant, until a check catches it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from conformance.adapter import nearest as did_you_mean
from conformance.mutation.baseline import Baseline, BaselineError
from conformance.mutation.children import Ended, Task, run_all
from conformance.mutation.judging import Asked, Judged, Probed, judge_all, probe
from conformance.mutation.making import TOOL, Mutant, evenly, mutants_of, tool_version
from conformance.mutation.nearest import UNREACHED, nearest
from conformance.mutation.placing import Placed
from conformance.mutation.results import MutantResult, MutationRun, Status

FLOOR = 15.0
"""Seconds that a mutant has at least."""
MULTIPLIER = 3.0
"""So many times what the clean implementation takes may a mutant take."""
LOADING = 120.0
"""Seconds that loading the clean implementation may take."""


@dataclass(frozen=True)
class Limits:
    """How much is tried. ``most``: mutants; ``seconds``: after which no other is begun. None for no limit.

    ``functions``: patterns of dotted names, one of which a mutant's function must fit; none for every mutant.
    """

    most: int | None = None
    seconds: float | None = None
    jobs: int = 2
    functions: tuple[str, ...] = ()


@dataclass
class Session:
    """A mutation run of one source, step by step: ``probe``, ``prepare``, then ``run``, whose results are kept.

    ``tell``: hears what is going on, in a few words, how much of it is done, and of how much.
    """

    asked: Asked
    source: str
    limits: Limits
    scratch: Path
    tell: Callable[[str, int, int], None]
    probed: Probed = field(default_factory=Probed)
    mutants: list[Mutant] = field(default_factory=list)
    results: dict[str, MutantResult] = field(default_factory=dict)
    interrupted: bool = False
    _text: str = ""
    _began: float = field(default_factory=time.monotonic)

    @property
    def file(self) -> str:
        """The source's name in reports: its path as the module's name has it, the same on every machine."""
        path = Path(self.probed.path)
        folders = self.probed.module.split(".")
        folders = folders if path.name == "__init__.py" else folders[:-1]
        return "/".join([*folders, path.name])

    def probe(self) -> Probed:
        """Loads the adapter once and finds the source among what it imports. Raises BaselineError."""
        self.tell("loading the adapter", 0, 1)
        task = Task("probe", partial(probe, self.asked, self.source), LOADING)
        (ended,) = run_all([task], 1, self.scratch)
        if ended.how:
            raise BaselineError(f"loading {self.asked.spec} failed: {ended.text}")
        self.probed = ended.value
        if self.probed.error:
            raise BaselineError(self.probed.error)
        if not self.probed.module:
            beside = ", ".join(self.probed.beside[:5])
            more = f"; from that folder it imports {beside}" if beside else ""
            raise BaselineError(
                f"--source={self.source}: {self.asked.spec} imports no such file (looked for {self.probed.path})"
                f"{more}; name the file that holds the parser which the adapter runs"
            )
        if self.probed.early:
            raise BaselineError(
                f"--source={self.source}: the suite itself runs on {self.probed.module}, "
                "so it can't be mutated under it"
            )
        return self.probed

    def prepare(self) -> None:
        """Makes the mutants. Raises MakingError, BaselineError."""
        self.tell("making mutants", 0, 1)
        try:
            self._text = Path(self.probed.path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no UTF-8"
            raise BaselineError(f"--source={self.source}: the file can't be read ({reason})") from None
        every = mutants_of(self._text, self.file, self.scratch)
        if not every:
            raise BaselineError(f"--source={self.source}: {TOOL} finds nothing in it to mutate")
        wanted = self.limits.functions
        self.mutants = [one for one in every if not wanted or any(fnmatchcase(one.function, each) for each in wanted)]
        if not self.mutants:
            known = dict.fromkeys(one.function for one in every if one.function)
            raise BaselineError(
                f"--function={wanted[0]}: no function with mutants fits{did_you_mean(wanted[0], known)}; "
                f"there are {', '.join(known)}"
            )

    def baseline(self, dialects: Sequence[str], listed: frozenset[str]) -> Baseline:
        """Judges the clean implementation, twice, the second time noting which lines are executed.

        ``listed``: ids, ``dialect::check``, that are expected to fail. Raises BaselineError.
        """
        placed = Placed(self.probed.path, self._text)
        # A call that is traced takes longer, and so does a call of one that is slow anyway.
        tasks = [
            Task((dialect, traced), partial(judge_all, self.asked, placed, [dialect], traced=traced), 3600.0)
            for traced in (False, True)
            for dialect in dialects
        ]
        done: dict[tuple[str, bool], Judged] = {}
        self.tell("judging the clean implementation", 0, len(tasks))
        for ended in run_all(tasks, self.limits.jobs, self.scratch):
            if ended.how:
                raise BaselineError(
                    f"{self.probed.name} itself is not judged to the end in {ended.key[0]}: {ended.text}; mend that "
                    "first, or leave the dialect out"
                )
            done[ended.key] = ended.value
            self.tell("judging the clean implementation", len(done), len(tasks))
        return Baseline.of(self.probed, [done[one, False] for one in dialects], [done[one, True] for one in dialects],
                           listed)  # fmt: skip

    def run(self, baseline: Baseline) -> None:
        """Judges the mutants; ``results`` hold what became of each. Ctrl-C ends it, and ``interrupted`` says so."""
        ordered = evenly(self.mutants, self.asked.options.seed)
        chosen = ordered[: self.limits.most]
        for mutant in ordered[len(chosen) :]:
            self._keep(mutant.result("not tried", "left out by --max"))
        tried: list[Mutant] = []
        for mutant in chosen:
            if baseline.reached(mutant.lines):
                tried.append(mutant)
            else:
                self._keep(mutant.result("survived", UNREACHED, reached=False))
        self.tell("judging mutants", len(chosen) - len(tried), len(chosen))
        done = len(chosen) - len(tried)
        running = run_all(self._tasks(tried, baseline), self.limits.jobs, self.scratch)
        try:
            for ended in running:
                self._keep(_result(ended, baseline))
                done += 1
                self.tell("judging mutants", done, len(chosen))
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            running.close()
        why = "the run was interrupted" if self.interrupted else "--time was over"
        for mutant in tried:
            if mutant.id not in self.results:
                self._keep(mutant.result("not tried", why))

    def outcome(self, dialects: Sequence[str]) -> MutationRun:
        """What came of it, in the order of the source."""
        return MutationRun(
            tool=TOOL,
            version=tool_version(),
            implementation=self.probed.name,
            implementation_version=self.probed.version,
            sources={self.file: self._text},
            results=tuple(self.results[mutant.id] for mutant in self.mutants if mutant.id in self.results),
            seconds=time.monotonic() - self._began,
            complete=not self.interrupted,
            profile=self.asked.options.profile,
            dialects=tuple(dialects),
        )

    def _keep(self, result: MutantResult) -> None:
        self.results[result.id] = result

    def _tasks(self, mutants: Sequence[Mutant], baseline: Baseline) -> Iterator[Task[Mutant]]:
        for mutant in mutants:
            if self.limits.seconds is not None and time.monotonic() - self._began > self.limits.seconds:
                return
            dialects = baseline.reached(mutant.lines)
            work = partial(
                judge_all,
                self.asked,
                Placed(self.probed.path, mutant.text),
                dialects,
                baseline.clean,
                baseline.listed,
                baseline.compared,
            )
            yield Task(mutant, work, max(FLOOR, MULTIPLIER * baseline.seconds(dialects)))


def _result(ended: Ended[Mutant], baseline: Baseline) -> MutantResult:
    """What became of the mutant that a child judged."""
    mutant, seconds = ended.key, round(ended.seconds, 3)
    if ended.how == "ours":
        last = ended.text.strip().splitlines()[-1]
        return mutant.result("not tried", f"the suite itself failed on it, please report it: {last}", seconds=seconds)
    if ended.how:
        return mutant.result("timeout" if ended.how == "hang" else "killed", ended.text, ended.how, seconds=seconds)
    judged: Judged = ended.value
    if judged.killed_by:
        status: Status = "timeout" if judged.hung else "killed"
        return mutant.result(status, judged.told, judged.killed_by, judged.dialect, seconds, judged.words)
    reason = nearest(baseline.clean, judged.seen, baseline.unsteady)
    return mutant.result("survived", reason, seconds=seconds, words=judged.words)
