"""A dialect's cases as the page's script takes them: pieces by role, chunks, answers, and why the oracle reads so."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from conformance.case import CaseError, case_values
from conformance.checks.catalogue import CHECKS
from conformance.failure_text import command
from conformance.issues import issue_text
from conformance.page.policies import Policies
from conformance.page.runs import Run
from conformance.page.sharing import Lines
from conformance.page.states import state_of, violations
from conformance.report import Entry
from conformance.verdicts import Violation
from oracles import second
from oracles.dialects import REGISTRY
from oracles.messages import FINISHES, Finish, Request

CHANNELS = ("reasoning", "content")
EXPLAINED = 600
"""Of a longer output it is not told how each part is read."""
CASE = "\x01"
"""What stands for a case's text in a text that names it."""
Values = dict[str, Any]


def dialect_cases(run: Run, dialect: str) -> Values:
    """All that the page shows of a dialect of a run, as JSON values."""
    policies = Policies(run.told, dialect)
    lines = Lines()
    checks: Values = {}
    for (of, check), entry in run.entries.items():
        if of == dialect:
            checks[check] = _check(run, entry, policies, lines)
    return {"policy": policies.rows(), "checks": checks, "lines": lines.all}


def _check(run: Run, entry: Entry, policies: Policies, lines: Lines) -> Values:
    verdict = entry.verdict
    told: Values = {"state": state_of(entry)}
    for name, reason in (("listed", entry.reason), ("reason", verdict.reason)):
        if reason:
            told[name] = reason
    if verdict.notes:
        told["notes"] = list(verdict.notes)
    told |= {"outputs": verdict.outputs, "streams": verdict.streams}
    if verdict.skipped:
        told["skipped"] = dict(verdict.skipped)
    cases = [_case(run, entry, violation, policies, lines) for violation in violations(verdict)]
    return {**told, "cases": cases} if cases else told


def _case(run: Run, entry: Entry, violation: Violation, policies: Policies, lines: Lines) -> Values:
    told: Values = {
        "level": violation.level,
        "kind": violation.kind,
        "title": violation.kind_title or violation.kind,
        "opened": violation.opened,
        "thinking": violation.thinking,
        "finish": violation.finish,
        "tried": violation.tried,
    }
    for name in ("known_as", "note", "within", "surface", "failure"):
        if value := getattr(violation, name):
            told[name] = value
    told |= _output(violation)
    told |= _answers(violation, policies, lines)
    answered = {"split", "stream", "oracle"} & told.keys()
    shown = answered if len(answered) > 1 else set()
    rows = [row for row in violation.rows if row.of not in CHANNELS or row.whose not in shown]
    if rows:
        told["rows"] = [[row.of, row.whose, row.value, row.remark] for row in rows]
    texts = {"reproduce": command(str(run.told["spec"]), violation.case)}
    if violation.check in CHECKS:  # a report of a later suite may know more
        texts["issue"] = issue_text(run.header, entry, violation)
    for name, text in texts.items():
        told[name] = lines.places(_without(text, violation.case))
    return told


def _without(text: str, case: str) -> str:
    """``text`` with ``CASE`` in the place of its case, which the script makes itself."""
    return text.replace(case, CASE) if case and CASE not in text else text


def _output(violation: Violation) -> Values:
    """The case, its pieces and its chunks, none of it twice: what the script can make of the rest is left out."""
    told: Values = {}
    try:
        values = case_values(violation.case) if violation.case else {}
    except CaseError:
        values = {}
    if values and _packed(violation.dialect, values) == violation.case:
        told["case"] = values
    elif violation.case:
        told["text"] = violation.case
    pieces = values.get("pieces")
    raw = violation.raw
    if raw is not None and (not pieces or "".join(_texts(pieces)) != raw):
        told["pieces"] = [["text", raw]]
    elif pieces and "case" not in told:
        told["pieces"] = pieces
    if violation.chunks is not None:
        ends = list(accumulate(map(len, violation.chunks)))
        length = 0 if raw is None else len(raw)
        if raw is None or "".join(violation.chunks) != raw or _halves(violation.chunks):
            told["chunks"] = list(violation.chunks)
        elif len(ends) > 1 and ends == [*range(ends[0], length, ends[0] or 1), length]:
            told["ends"] = ends[0]
        else:
            told["ends"] = ends
    return told


def _texts(pieces: Sequence[Sequence[Any]]) -> Iterator[str]:
    for _, text, *rest in pieces:
        yield text * (rest[1] if len(rest) > 1 else 1)


def _halves(chunks: Sequence[str]) -> bool:
    """Whether a chunk ends inside a pair of surrogates: other languages count such texts otherwise."""
    return any("\ud800" <= chunk[-1:] <= "\udbff" for chunk in chunks)


def _packed(dialect: str, values: Values) -> str:
    """A case's text made of its values, as the page's script makes it."""
    packed = json.dumps(values, ensure_ascii=True, separators=(",", ":")).encode()
    return f"{dialect}:{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def _answers(violation: Violation, policies: Policies, lines: Lines) -> Values:
    """What split and stream answered, the oracle's message, and why each part is where it is."""
    told: Values = {}
    answers: Mapping[str, Any] = violation.answers or {}
    for whose in ("split", "oracle"):
        if answer := answers.get(whose):
            told[whose] = answer["failure"] if "failure" in answer else [answer["reasoning"], answer["content"]]
    if stream := answers.get("stream"):
        told["stream"] = stream["failure"] if "failure" in stream else stream["deltas"]
    raw, policy = violation.raw, policies.policy
    if raw is not None and policy is not None and len(raw) <= EXPLAINED and violation.dialect in REGISTRY.ids():
        request = Request(violation.dialect, violation.opened, violation.thinking, (), violation.surface)
        dialect = REGISTRY.get(violation.dialect)
        reading = second.read(dialect, policy, request, raw, _finish(violation))
        told.setdefault("oracle", [reading.message.reasoning, reading.message.content])
        told["why"] = [
            [raw[span.start : span.end], span.role or "", span.fate, lines.place(second.RULES[span.rule])]
            for span in reading.spans
        ]
        if reading.replayed:
            told["replayed"] = True
    return told


def _finish(violation: Violation) -> Finish:
    return next((finish for finish in FINISHES if finish == violation.finish), FINISHES[0])
