"""Collecting what the checks object to, while an implementation is asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from conformance.asking import Asker
from conformance.candidates import Candidate, Candidates, level_of
from conformance.case import track_values
from conformance.checks import CHECKS, OBSERVED
from conformance.checks.cost import Cost
from conformance.checks.isolation import Disturbance
from conformance.chunkings import Chunker, Chunking
from conformance.implementation import GivenUp, Question
from conformance.ladder import Step
from conformance.observation import UNANSWERED, Failure, Finding, Observation, Skipped, StreamRun
from conformance.sending import Ahead, questions
from conformance.shrinking import Probe
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output

MOST_HANGS = 2
"""After so many calls that hang, nothing more is asked."""


class Enough(GivenUp):
    """Nothing more is to be asked; the text says why."""


class Collector:
    """Asks what a step says, lets the checks look, and keeps the candidates.

    ``wanted``: the ids of the checks that look. ``first_only``: one that objected to anything looks no more. ``note``:
    called with each candidate that is kept. ``saw``: called with each observation of a step that isn't just what the
    oracle expects.
    """

    def __init__(
        self, asker: Asker, chunker: Chunker, wanted: Sequence[str], note: Callable[[Candidate], None] | None = None
    ) -> None:
        self.asker = asker
        self.chunker = chunker
        self.wanted = wanted
        self.candidates = Candidates(asker)
        self.saw: Callable[[Observation], None] | None = None
        self.first_only = False
        self._note = note
        self._hangs = 0
        if asker.remote is not None and "never-raises" in wanted:
            asker.stumbled = self._keep_stumble

    def step(self, step: Step) -> None:
        """Asks one step of the ladder. Raises Enough."""
        for request in step.requests:
            for observation in self.observe(step.output, request, step.chunkings):
                if observation.surfaces or not self.asker.clean(observation):
                    if self.saw is not None:
                        self.saw(observation)
                    self.judge(observation, step.rung)

    def ahead(self, steps: Iterator[Step]) -> Iterator[Step]:
        """The steps; where the implementation is remote, each is sent some time before it is its turn."""
        remote = self.asker.remote
        if remote is None:
            yield from steps
            return
        waiting: deque[Step] = deque()
        ahead = Ahead(remote)
        for step in steps:
            ahead.send(self._questions(step))
            waiting.append(step)
            while ahead.far:
                ahead.asked()
                yield waiting.popleft()
        yield from waiting

    def _questions(self, step: Step) -> Iterator[Question]:
        """All that a step asks, in its order."""
        splits = not self.asker.stream_only
        surfaces = self.asker.implementation.surfaces if "surfaces-agree" in self.wanted else ()
        for request in step.requests:
            yield from questions(step.output.raw, request, step.chunkings, splits)
            for finish in FINISHES:
                for surface in surfaces:
                    there = replace(request, surface=surface)
                    yield Question(step.output.raw, there, finish, None)
                    for chunking in _coarse_and_fine(step.chunkings):
                        yield Question("", there, finish, chunking)

    def observe(self, output: Output, request: Request, chunkings: Sequence[Chunking]) -> list[Observation]:
        """The observations of an output, with every surface's answers where they are wanted."""
        seen = self.asker.observe(output, request, chunkings)
        if "surfaces-agree" in self.wanted:
            for observation in seen:
                self._ask_surfaces(observation, chunkings)
        return seen

    def judge(self, seen: Observation, rung: str) -> None:
        """Lets every check that is wanted look at an observation. Raises Enough."""
        for check in self.wanted:
            if self.first_only and self.candidates.has_any(check, CHECKS[check].level):
                continue
            objects = OBSERVED.get(check)
            finding = objects(seen) if objects else None
            if finding is not None:
                chunking = None if finding.run is None else finding.run.chunking
                kind = self.candidates.kind(seen.output, seen.request, seen.finish, chunking)
                if not self.candidates.has(check, CHECKS[check].level, kind.id, len(seen.output.pieces) - 1):
                    self.keep(self._candidate(check, seen, finding, rung))
        answers = [seen.split, *(run.failure for run in seen.streams)]
        self._hangs += sum(isinstance(answer, Failure) and answer.kind == "hung" for answer in answers)
        if self._hangs >= MOST_HANGS:
            raise Enough(f"{self._hangs} calls hung")

    def objections(self, seen: Observation, rung: str) -> Iterator[Candidate]:
        """What each wanted check objects to in an observation, kept or not."""
        for check in self.wanted:
            objects = OBSERVED.get(check)
            finding = objects(seen) if objects else None
            if finding is not None:
                yield self._candidate(check, seen, finding, rung)

    def keep(self, candidate: Candidate) -> None:
        """Keeps a candidate where it is the smallest of its kind."""
        if self.candidates.add(candidate) and self._note:
            self._note(candidate)

    def _keep_stumble(
        self, output: Output, request: Request, finish: Finish, chunking: Chunking | None, failure: Failure
    ) -> None:
        """Keeps a question without an answer, on whatever rung it was asked."""
        run = None if chunking is None else StreamRun(chunking, failure=failure)
        finding = Finding(run=run, note=failure.text, extra={"failure": failure.kind})
        kind = self.candidates.kind(output, request, finish, chunking)
        self.keep(
            Candidate(
                "never-raises",
                "must",
                kind.id,
                kind.title,
                output.known_as or kind.known_as,
                output,
                request,
                finish,
                chunking,
                finding,
                "stumble",
            )
        )

    def keep_disturbance(self, found: Disturbance) -> None:
        """Keeps what a scenario of several requests found."""
        track = found.disturbed
        extra = {
            "scenario": found.scenario,
            "tracks": [track_values(one.output, one.request, one.finish, one.chunking) for one in found.tracks],
        }
        self.keep(
            Candidate(
                "requests-isolated",
                "must",
                f"isolation: {found.scenario}",
                found.scenario,
                "",
                track.output,
                track.request,
                track.finish,
                track.chunking,
                found.finding,
                "isolation",
                extra,
            )
        )

    def keep_cost(self, cost: Cost) -> None:
        """Keeps what a measurement found."""
        if cost.check not in self.wanted:
            return
        readings = self.asker.readings
        output = cost.filler.whole(cost.length)
        request = Request(readings.dialect.id, cost.filler.opened, True)
        settled = not cost.finding.consults or readings.settled(output.raw, request, "length")
        extra = {"filler": cost.filler.name}
        self.keep(
            Candidate(
                cost.check,
                level_of(cost.check, cost.finding, settled),
                f"cost: {cost.filler.name}",
                cost.filler.name,
                "",
                output,
                request,
                "length",
                None,
                cost.finding,
                "cost",
                extra,
            )
        )

    def probe(self, like: Candidate, any_kind: bool = False) -> Probe:
        """Asks about other cases for what ``like`` is about: the same check and level, and kind, or ``any_kind``."""

        def probe(output: Output, request: Request, finish: Finish, chunkings: list[Chunking]) -> Candidate | None:
            for seen in self.observe(output, request, chunkings or [self.chunker.whole(output)]):
                finding = OBSERVED[like.check](seen) if seen.finish == finish else None
                if finding is None or (finding.run is None) != (like.chunking is None):
                    continue
                failure = finding.extra.get("failure")
                if failure in UNANSWERED or failure != like.finding.extra.get("failure"):
                    continue
                candidate = self._candidate(like.check, seen, finding, like.rung)
                if candidate.level == like.level and (any_kind or candidate.kind == like.kind):
                    return candidate
            return None

        return probe

    def _candidate(self, check: str, seen: Observation, finding: Finding, rung: str) -> Candidate:
        chunking = None if finding.run is None else finding.run.chunking
        kind = self.candidates.kind(seen.output, seen.request, seen.finish, chunking)
        settled = True
        if finding.consults and not finding.lenient:
            settled = seen.settled and (not finding.twin or seen.twin is None or seen.twin.settled)
        extra = {key: value for key, value in finding.extra.items() if key == "surface"}
        return Candidate(
            check,
            level_of(check, finding, settled),
            kind.id,
            kind.title,
            seen.output.known_as or kind.known_as,
            seen.output,
            seen.request,
            seen.finish,
            chunking,
            finding,
            rung,
            extra,
        )

    def _ask_surfaces(self, seen: Observation, chunkings: Sequence[Chunking]) -> None:
        """Asks every surface what was asked without one: the split, the coarsest stream and the finest."""
        answers: dict[str, list[tuple[Chunking | None, Any]]] = {}
        for surface in self.asker.implementation.surfaces:
            request = Request(seen.request.dialect, seen.request.opened, seen.request.thinking, (), surface)
            told = answers.setdefault(surface, [])
            split = self.asker.split(seen.output, request, seen.finish)
            if not isinstance(split, Skipped):
                told.append((None, split))
            for chunking in _coarse_and_fine(chunkings):
                run = self.asker.stream(seen.output, request, seen.finish, chunking)
                if isinstance(run, StreamRun):
                    told.append((chunking, run.failure or run.texts))
        seen.surfaces = answers


def _coarse_and_fine(chunkings: Sequence[Chunking]) -> Iterable[Chunking]:
    return dict.fromkeys((chunkings[0], chunkings[-1]))
