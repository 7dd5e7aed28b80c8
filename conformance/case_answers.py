"""What a case is answered: the oracle's reading, the split and the stream, and a script that shows it alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from conformance.asking import Asker
from conformance.chunkings import Chunking
from conformance.expectation import Readings
from conformance.implementation import GivenUp
from conformance.observation import Failure, Skipped, Texts
from conformance.verdicts import Violation
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output

LONGEST = 4000
"""Longer outputs are not answered in a report, nor are answers ten times as long."""
ENDINGS = ("died", "hung")
"""The kinds of violation that end a process."""
MEASURED = ("cost-linear", "memory-bounded")
"""Checks of which one answer shows nothing."""

Answers = dict[str, Any]


def unasked(violation: Violation, readings: Readings) -> Answers | None:
    """What is known without asking: how the policy in force reads a violation's case, and which call did not end.

    None where nobody would read it.
    """
    if not _told(violation):
        return None
    message = readings.machine.split(_request(violation), violation.raw or "", _finish(violation))
    answers: Answers = {"oracle": {"reasoning": message.reasoning, "content": message.content}}
    if violation.kind in ENDINGS:
        answers["split" if violation.chunks is None else "stream"] = {"failure": violation.note}
    return answers


def asked_again(violation: Violation, output: Output, chunking: Chunking | None, asker: Asker) -> Answers:
    """What the implementation answers when it is asked once more, counted nowhere.

    ``split``, and ``stream`` where there is a chunking; neither where a call has hung, as the next one may.
    """
    if not _told(violation):
        return {}
    request, finish = _request(violation), _finish(violation)
    counts = asker.splits, asker.streams, asker.told_splits, asker.told_streams
    answers: Answers = {}
    with contextlib.suppress(GivenUp):
        if not asker.hung and not asker.stream_only:
            split = asker.split(output, request, finish)
            if not isinstance(split, Skipped):
                answers["split"] = _message(split)
        if not asker.hung and chunking is not None:
            run = asker.stream(output, request, finish, chunking)
            if not isinstance(run, Skipped):
                deltas = [[list(delta) for delta in deltas] for deltas in run.deltas]
                answers["stream"] = {"deltas": deltas} if run.failure is None else {"failure": run.failure.text}
    asker.splits, asker.streams, asker.told_splits, asker.told_streams = counts
    return answers if _length(answers) <= 10 * LONGEST else {}


def own_script(violation: Violation, script: Callable[..., Any] | None) -> str | None:
    """What an adapter's ``script`` gives for a violation's case; None where it gives none, or no text."""
    if script is None or not _told(violation):
        return None
    chunks = None if violation.chunks is None else list(violation.chunks)
    try:
        text = script(_request(violation), violation.raw, chunks, _finish(violation))
    except Exception:  # a run is not about the script
        return None
    return text if isinstance(text, str) and text.strip() else None


def _told(violation: Violation) -> bool:
    return violation.raw is not None and len(violation.raw) <= LONGEST and violation.check not in MEASURED


def _request(violation: Violation) -> Request:
    return Request(violation.dialect, violation.opened, violation.thinking, (), violation.surface)


def _finish(violation: Violation) -> Finish:
    return next(finish for finish in FINISHES if finish == violation.finish)


def _message(split: Texts | Failure) -> Mapping[str, str]:
    if isinstance(split, Failure):
        return {"failure": split.text}
    return {"reasoning": split[0], "content": split[1]}


def _length(value: Any) -> int:
    """How many characters JSON values hold."""
    if isinstance(value, str):
        return len(value)
    return sum(map(_length, value.values() if isinstance(value, dict) else value))
