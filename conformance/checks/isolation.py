"""The check that requests don't touch each other: scenarios of several requests, each held to how it reads alone."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.asking import Asker
from conformance.checks.stepping import Answer, Stepper, Track, answer_of
from conformance.implementation import Question
from conformance.observation import Failure, Finding, Skipped, StreamRun
from conformance.watchdog import Unwatched
from oracles.dialects import REGISTRY
from oracles.messages import FINISHES, Chunk, Request


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A scenario in which a track read otherwise than alone."""

    scenario: str
    tracks: tuple[Track, ...]
    disturbed: Track
    finding: Finding


class Isolation:
    """Runs scenarios on an asker. ``alone``: how each track reads by itself, asked before anything else ran."""

    def __init__(self, asker: Asker, tracks: Sequence[Track]) -> None:
        self.asker = asker
        self.alone: dict[Track, tuple[Answer, Answer | None]] = {}
        for track in tracks:
            stream, split = self._stream(track), self._split(track)
            if asker.hung:  # each further call may take as long
                self.alone.clear()
                break
            if stream is not None and (split is not None or asker.stream_only):
                self.alone[track] = (stream, split)
        self.tracks = tuple(self.alone)

    def disturbances(self, scenarios: Sequence[str] | None = None) -> Iterator[Disturbance]:
        """What every scenario (or those named) finds, on neighbours and on a track beside itself."""
        pairs = [pair for track in self.tracks for pair in ((track, track),)]
        pairs += list(zip(self.tracks, self.tracks[1:], strict=False)) + list(
            zip(self.tracks[1:], self.tracks, strict=False)
        )
        ours = SCENARIOS if self.asker.remote is None else AFAR
        for name in SCENARIOS if scenarios is None else ():
            if name not in ours:
                self.asker.leave_out("requests-isolated", f"a command is sent a stream whole: not {name}", len(pairs))
        for name, scenario in ours.items():
            if scenarios is not None and name not in scenarios:
                continue
            if name in AT_ONCE:
                groups: list[tuple[Track, ...]] = [
                    self.tracks[start : start + 4] for start in range(0, len(self.tracks), 4)
                ]
            else:
                groups = list(pairs)
            for group in groups:
                for track, streamed, answer in scenario(self, group):
                    found = self._compare(name, group, track, streamed, answer)
                    if found:
                        yield found

    def _compare(
        self, name: str, group: tuple[Track, ...], track: Track, streamed: bool, answer: Answer | None
    ) -> Disturbance | None:
        wanted = self.alone[track][0 if streamed else 1]
        if answer is None or wanted is None or answer == wanted:
            return None
        whose = "stream" if streamed else "split"
        values = [
            (channel, side, texts, "")
            for index, channel in enumerate(("reasoning", "content"))
            for side, texts in ((f"{whose} alone", _side(wanted, index)), (f"{whose} here", _side(answer, index)))
        ]
        run = StreamRun(track.chunking) if streamed else None
        return Disturbance(name, group, track, Finding(run=run, note=f"scenario: {name}", values=tuple(values)))

    def _stream(self, track: Track) -> Answer | None:
        run = self.asker.stream(track.output, track.request, track.finish, track.chunking)
        return None if isinstance(run, Skipped) else answer_of(run)

    def _split(self, track: Track) -> Answer | None:
        texts = self.asker.split(track.output, track.request, track.finish)
        return None if isinstance(texts, Skipped) else texts


__all__ = ["Disturbance", "Isolation", "Track"]

Told = Iterator[tuple[Track, bool, Answer | None]]


def _interleaved(here: Isolation, group: tuple[Track, ...]) -> Told:
    steppers = [Stepper(here.asker.adapter, track, here.asker.watchdog) for track in group]
    while sum(stepper.step() for stepper in steppers):
        pass
    for stepper in steppers:
        yield stepper.track, True, stepper.end()


def _split_beside_stream(here: Isolation, group: tuple[Track, ...]) -> Told:
    track, other = group
    stepper = Stepper(here.asker.adapter, track, here.asker.watchdog)
    for _ in range((len(track.chunking.chunks) + 1) // 2):
        stepper.step()
    yield other, False, here._split(other)
    yield track, True, stepper.end()


def _given_up(here: Isolation, group: tuple[Track, ...]) -> Told:
    track, other = group
    stepper = Stepper(here.asker.adapter, track, here.asker.watchdog)
    for _ in range((len(track.chunking.chunks) + 1) // 2):
        stepper.step()
    yield other, True, here._stream(other)
    yield other, False, here._split(other)


def _after_an_error(here: Isolation, group: tuple[Track, ...]) -> Told:
    track, other = group
    stepper = Stepper(here.asker.adapter, track, here.asker.watchdog)
    for _ in range(max(1, len(track.chunking.chunks) - 1)):
        stepper.step()
    stepper.feed(Chunk(None, ()))  # type: ignore[arg-type]
    yield other, True, here._stream(other)
    yield other, False, here._split(other)


def _one_after_another(here: Isolation, group: tuple[Track, ...]) -> Told:
    for track in group:
        for finish in FINISHES:
            here._stream(Track(track.output, track.request, finish, track.chunking))
            here._split(Track(track.output, track.request, finish, track.chunking))
        yield track, True, here._stream(track)
        yield track, False, here._split(track)


def _in_threads(here: Isolation, group: tuple[Track, ...]) -> Told:
    """Several threads, each with every track, all at once. An answer that never comes counts as a hang."""
    answers: list[tuple[Track, bool, Answer | None]] = []
    gate = threading.Barrier(len(group) + 1)

    quiet = Asker(here.asker.implementation, here.asker.readings, Unwatched())

    def work(first: int) -> None:
        gate.wait()
        for round_ in range(12):
            for place in range(len(group)):
                track = group[(first + place) % len(group)]
                if round_ % 2:
                    texts = quiet.split(track.output, track.request, track.finish)
                    answers.append((track, False, None if isinstance(texts, Skipped) else texts))
                else:
                    answers.append((track, True, Stepper(quiet.adapter, track, quiet.watchdog).end()))

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(len(group))]
    pause = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        gate.wait()
        for thread in threads:
            told = -1
            while thread.is_alive() and told < len(answers):  # slow is right, as long as answers come
                told = len(answers)
                thread.join(here.asker.watchdog.limit)
    finally:
        sys.setswitchinterval(pause)
    if any(thread.is_alive() for thread in threads):
        text = f"in threads, no answer came for {here.asker.watchdog.limit:g} seconds"
        yield group[0], True, Failure("hung", text)
        return
    yield from answers


def _in_flight(here: Isolation, group: tuple[Track, ...]) -> Told:
    """Several questions at once: none waits for the answer to another. Of each some copies, with both finishes."""
    remote = here.asker.remote
    assert remote is not None
    copies = [
        replace(track, finish=finish, chunking=replace(track.chunking))
        for _ in range(COPIES)
        for track in group
        for finish in FINISHES
    ]
    remote.foresee(
        question
        for copy in copies
        for question in (
            Question("", copy.request, copy.finish, copy.chunking),
            Question(copy.output.raw, copy.request, copy.finish, None),
        )
    )
    for number, copy in enumerate(copies):
        track = group[number // len(FINISHES) % len(group)]
        stream, split = here._stream(copy), here._split(copy)
        if copy.finish == track.finish:
            yield track, True, stream
            yield track, False, split


def _beside_other_dialects(here: Isolation, group: tuple[Track, ...]) -> Told:
    """Between requests of other dialects, which one process answers too."""
    track, other = group
    own, remote = here.asker.readings.dialect.id, here.asker.remote
    assert remote is not None
    if track is not other:
        return
    strangers = [
        Question("".join(REGISTRY.get(id).all_markers[:2]) + "a", Request(id, opened, True), "stop", None)
        for id in here.asker.implementation.dialects
        if id != own
        for opened in (True, False)
    ][:STRANGERS]
    if strangers:
        stream = Question("", track.request, track.finish, track.chunking)
        split = Question(track.output.raw, track.request, track.finish, None)
        half = len(strangers) // 2
        remote.foresee([*strangers[:half], stream, *strangers[half:], split])
        yield track, True, here._stream(track)
        yield track, False, here._split(track)


STRANGERS = 6
"""So many requests of other dialects come before and between."""

COPIES = 4
"""So often each question is in flight."""

AT_ONCE = ("in threads", "in flight together")
"""The scenarios that take more than two tracks at once."""

AFAR: dict[str, Callable[[Isolation, tuple[Track, ...]], Told]] = {
    "one after another, with both finishes": _one_after_another,
    "in flight together": _in_flight,
    "beside requests of other dialects": _beside_other_dialects,
}
"""What runs beside or before a request that is answered elsewhere."""

SCENARIOS: dict[str, Callable[[Isolation, tuple[Track, ...]], Told]] = {
    "one after another, with both finishes": _one_after_another,
    "interleaved, chunk by chunk": _interleaved,
    "a split while a stream is half read": _split_beside_stream,
    "after a stream that was given up half way": _given_up,
    "after a stream that was fed a chunk without text": _after_an_error,
    "in threads": _in_threads,
}
"""What runs beside or before a request."""


def _side(answer: Answer, index: int) -> str:
    return answer.text if isinstance(answer, Failure) else answer[index]
