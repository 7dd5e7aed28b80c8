"""The sweep: one climb of the ladder for one dialect, and what every check says of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from conformance.asking import Asker
from conformance.candidates import Candidate, violation_of
from conformance.checks import CHECKS, OBSERVED
from conformance.checks.cost import Costs
from conformance.checks.isolation import Isolation, Track
from conformance.chunkings import Chunker
from conformance.collecting import Collector
from conformance.expectation import Readings
from conformance.holding import find_holding
from conformance.implementation import GivenUp, Implementation
from conformance.ladder import Ladder, Step
from conformance.profiles import PROFILES
from conformance.replaying import replay
from conformance.settings import Options, Progress
from conformance.shrinking import shrunk
from conformance.surprise import surprises
from conformance.verdicts import Outcome, Verdict
from conformance.watchdog import Unwatched
from oracles.cases import RecordedCase, cases_of
from oracles.dialects import Dialect
from oracles.messages import Request

NEED_A_SPLIT = ("streamed-equals-split", "whitespace-agrees", "surfaces-agree")
"""The checks that hold something to the split; they have nothing to judge where an implementation only streams."""

OFTEN = 0.2
"""Seconds between two words of progress."""


class Sweep:
    """Judges one dialect of an implementation.

    ``tell``: called now and then with how far it is. ``note``: called with each candidate that is kept.
    """

    def __init__(
        self,
        implementation: Implementation,
        dialect: Dialect,
        options: Options,
        watchdog: Unwatched,
        tell: Callable[[Progress], None],
        note: Callable[[Candidate], None] | None = None,
    ) -> None:
        self.implementation = implementation
        self.dialect = dialect
        self.options = options
        self.profile = PROFILES[options.profile]
        self.chunker = Chunker(dialect, implementation.chunks, options.seed or 0)
        self.asker = Asker(implementation, Readings(dialect, implementation.values_for(dialect)), watchdog)
        self.ladder = Ladder(dialect, self.chunker, self.profile, self._recorded(), options.without)
        wanted = wanted_checks(implementation, options)
        self.asker.prompt = "released-at-once" in wanted
        self.collector = Collector(self.asker, self.chunker, wanted, note)
        self.collector.first_only = not options.shrink
        self.broken_off = ""
        self._tell = tell
        self._told = 0.0
        self._began = time.monotonic()

    def climb(self) -> list[Verdict]:
        """Climbs the whole ladder and gives a verdict for each check that is wanted."""
        try:
            self.find_modes()
            self._isolation()
            if self.options.corpus_only:
                self._each("cases", self.ladder.cases(), 0.05, 0.95, 2 * len(self.ladder.recorded))
            else:
                self._whole_ladder()
            if self.options.shrink:
                self._shrink()
        except GivenUp as enough:
            self.broken_off = str(enough)
        return self.verdicts()

    def _recorded(self) -> tuple[RecordedCase, ...]:
        """The cases to try; those that are generated only repeat what the other rungs try anyway."""
        corpus = cases_of(self.dialect.id) if self.options.own_cases else ()
        if not self.options.corpus_only:
            corpus = tuple(case for case in corpus if case.source.kind != "generated")
        return (*corpus, *(case for case in self.options.cases if case.request.dialect == self.dialect.id))

    def _whole_ladder(self) -> None:
        if OBSERVED.keys() & set(self.collector.wanted):  # what only measures looks at no output of these rungs
            self._each("words", self.ladder.words(), 0.05, 0.35, self._words())
            self._each("shapes", self.ladder.shapes(), 0.35, 0.7, self._outputs_of_shapes())
            self._each("repetitions", self.ladder.repetitions(), 0.7, 0.7, 1)
            self._each("cases", self.ladder.cases(), 0.7, 0.75, 2 * len(self.ladder.recorded))
            self._progress("surprise", 0.75)
            surprises(self.ladder, self.implementation.surrogates, self.options.seed, self.collector.step)
        self._costs()

    def replay(self, case: str) -> Verdict:
        """The verdict of the one check that a case names, on that case alone. Raises CaseError."""
        self.asker.prompt = True
        try:
            self.find_modes()
            replay(self.collector, case, self.profile)
        except GivenUp as enough:
            self.broken_off = str(enough)
        return self.verdicts()[0]

    def close(self) -> None:
        """Ends what was started to be asked."""
        if self.asker.remote is not None:
            self.asker.remote.close()

    def verdicts(self) -> list[Verdict]:
        """What every check that is wanted says of what was found so far."""
        self.asker.stumbled = None  # what is asked again to tell of it was counted when it was found
        return [self._verdict(check) for check in self.collector.wanted]

    def _each(self, rung: str, steps: Iterator[Step], begin: float, end: float, expected: int) -> None:
        for number, step in enumerate(self.collector.ahead(steps)):
            self.collector.step(step)
            if time.monotonic() - self._told > OFTEN:
                self._progress(rung, begin + (end - begin) * min(1.0, number / max(1, expected)))

    def _words(self) -> int:
        profile, alphabet, core = self.profile, len(self.ladder.pieces.alphabet), len(self.ladder.pieces.core)
        full = [int(alphabet**length) for length in range(profile.words + 1)]
        longer = [int(core**length) for length in range(profile.words + 1, profile.core_words + 1)]
        return sum(full) + sum(longer)

    def _outputs_of_shapes(self) -> int:
        return sum(map(len, self.ladder.written.values()))

    def find_modes(self) -> None:
        """Finds out whether the implementation only streams, and what it holds by a policy that it doesn't declare."""
        nothing = self.ladder.pieces.output(())
        self.asker.find_modes(nothing, self.ladder.pairs, self.chunker.whole(nothing))
        if "released-in-time" in self.collector.wanted:
            find_holding(self.asker, self.chunker, self.ladder.pieces.word(0))

    def _isolation(self) -> None:
        if "requests-isolated" in self.collector.wanted:
            self._progress("isolation", 0.0)
            for disturbance in Isolation(self.asker, self._tracks()).disturbances():
                self.collector.keep_disturbance(disturbance)

    def _tracks(self) -> list[Track]:
        """A short output of each shape (or case), opened and not, in chunks of a few characters; the shortest first."""
        tracks: list[Track] = []
        if self.options.corpus_only:
            outputs = [output for _, output in self.ladder.told]
        else:
            outputs = [min(some, key=lambda output: len(output.raw)) for some in self.ladder.written.values()]
        for output in outputs:
            length = len(output.raw)
            if not 0 < length < 200:
                continue
            for opened in (True, False):
                request = Request(self.dialect.id, opened, True)
                tracks.append(Track(output, request, "stop", self.chunker.at(output, range(2, length, 2))))
        tracks.sort(key=lambda track: len(track.output.raw))
        return tracks[:: max(1, len(tracks) // self.profile.tracks)]

    def _costs(self) -> None:
        if {"cost-linear", "memory-bounded"} & set(self.collector.wanted):
            self._progress("cost", 0.85)
            costs = Costs(self.asker, self.chunker, self.profile.longest, self.profile.patience)
            for cost in costs.measure():
                self.collector.keep_cost(cost)
                self._progress("cost", 0.9)

    def _shrink(self) -> None:
        """Makes what was found on the ladder smaller, and tells which kinds are only others with more around them."""
        collector = self.collector
        for candidate in list(collector.candidates):
            if candidate.rung in ("words", "shapes", "cases", "surprise"):
                self._progress("shrinking", 0.95)
                small = shrunk(candidate, collector.probe(candidate), self.chunker)
                least = shrunk(small, collector.probe(small, any_kind=True), self.chunker)
                within = least.title if least.kind != small.kind else ""
                collector.candidates.replace(candidate, replace(small, within=within))

    def _verdict(self, check: str) -> Verdict:
        asker = self.asker
        found = sorted(
            (candidate for candidate in self.collector.candidates if candidate.check == check),
            key=lambda candidate: (candidate.level != "must", bool(candidate.within), candidate.size),
        )
        first = self.collector.candidates.first
        violations = [violation_of(one, asker, self.chunker, first(one), answered=True) for one in found]
        must = next((violation for violation in violations if violation.level == "must"), None)
        should = next((violation for violation in violations if violation.level == "should"), None)
        outcome, reason = self._outcome(check, must is not None, should is not None)
        return Verdict(
            implementation=self.implementation.name,
            version=self.implementation.version,
            dialect=self.dialect.id,
            check=check,
            outcome=outcome,
            violation=must,
            advice=should,
            others=tuple(violation for violation in violations if violation not in (must, should)),
            reason=reason,
            outputs=asker.outputs,
            streams=asker.streams,
            skipped=dict(asker.skipped + asker.left_out.get(check, Counter())),
            seconds=time.monotonic() - self._began,
        )

    def _outcome(self, check: str, fails: bool, advises: bool) -> tuple[Outcome, str]:
        """The outcome and its reason."""
        asker = self.asker
        if fails:
            return "fail", ""
        if self.broken_off:
            return "unjudged", f"not judged to the end: {self.broken_off}; see never-raises"
        if not asker.answered and asker.skipped:
            return "skip", "; ".join(asker.skipped)
        if self.options.corpus_only and not self.ladder.recorded:
            return "skip", "the corpus has no case of this dialect"
        if asker.stream_only and check in NEED_A_SPLIT:
            return "skip", "every split is refused"
        split, streamed = asker.told_splits or asker.stream_only, asker.told_streams or not asker.streams
        if check != "never-raises" and not (split and streamed):
            return "unjudged", "no call gave an answer that could be judged; see never-raises"
        if advises:
            return "advice", ""
        if check in asker.left_out and check != "requests-isolated":
            return "skip", "; ".join(asker.left_out[check])
        if check == "whitespace-agrees" and asker.readings.trimmed:
            return "skip", "space: trimmed is declared"
        return "pass", ""

    def _progress(self, rung: str, share: float) -> None:
        self._told = time.monotonic()
        failed = len(self.collector.candidates.failed())
        self._tell(Progress(self.dialect.id, rung, self.asker.outputs, self.asker.streams, share, failed))


def checks_for(implementation: Implementation, corpus_only: bool) -> list[str]:
    """The ids of the checks there are: surfaces only where some are named, of cases alone those that they can show."""
    return [
        check
        for check in CHECKS
        if (check != "surfaces-agree" or implementation.surfaces)
        and (not corpus_only or check in OBSERVED or check == "requests-isolated")
    ]


def wanted_checks(implementation: Implementation, options: Options) -> list[str]:
    """The ids of the checks that are to look, in the order of the catalogue; surfaces only where some are named."""
    return [
        check
        for check in checks_for(implementation, options.corpus_only)
        if options.checks is None or check in options.checks
    ]
