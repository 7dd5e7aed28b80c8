"""What an implementation holds by a policy that it doesn't declare: it is asked, before anything is judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from conformance.asking import Asker
from conformance.chunkings import Chunker
from conformance.observation import StreamRun, ends_off
from oracles.messages import Request
from oracles.pieces import Output, Piece
from oracles.reader import Machine


class Question(NamedTuple):
    """A word and what follows it, where a value that holds text shows itself. ``role``: of the marker that follows."""

    axis: str
    value: str
    opened: bool
    role: str = ""
    text: str = ""


QUESTIONS = (
    Question("stray_close", "ends_thought", False, role="reasoning_close"),
    Question("skipped_channel", "moved", True, role="answer_close"),
    Question("unclosed", "content_if_stopped", True),
    Question("space", "trimmed", False, text=" "),
)
"""The values that can't be had together with immediate release."""


def find_holding(asker: Asker, chunker: Chunker, word: Piece) -> None:
    """Finds out for which undeclared values an implementation's streams hold text, so that they may."""
    if held := dict(_held(asker, chunker, word)):
        asker.readings.hold(held)


def _held(asker: Asker, chunker: Chunker, word: Piece) -> Iterator[tuple[str, str]]:
    readings = asker.readings
    for question in QUESTIONS:
        if asker.hung:  # the ladder tells of it, and few calls may hang
            return
        if question.axis in readings.declared or getattr(readings.policy, question.axis) == question.value:
            continue
        markers = readings.dialect.of(question.role) if question.role else ("",)
        for marker in markers[:1]:
            end = Piece("marker", marker, question.role) if marker else Piece("space", question.text)
            output = Output((word, end))
            request = Request(readings.dialect.id, question.opened, True)
            run = asker.stream(output, request, "stop", chunker.whole(output))
            if not isinstance(run, StreamRun) or run.failure is not None:
                continue
            policy = readings.policy.with_values({question.axis: question.value})
            message = Machine(readings.dialect, policy).split(request, output.raw, "stop")
            wanted = (message.reasoning, message.content)
            if run.texts == (ends_off(wanted) if question.axis == "space" else wanted):
                yield question.axis, question.value
