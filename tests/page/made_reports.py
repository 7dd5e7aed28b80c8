"""Reports that tests of the page make, small and whole."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.case import Case
from conformance.checks.catalogue import CHECKS
from conformance.chunkings import Chunker
from conformance.report import ReportFile, header
from conformance.results import Result
from conformance.verdicts import Row, Verdict, Violation
from oracles.dialects import REGISTRY
from oracles.messages import Finish, Request
from oracles.pieces import Output, Piece

QWEN3 = (
    Piece("word", "T"),
    Piece("marker", "</think>", "reasoning_close"),
    Piece("word", "a"),
    Piece("marker", "<think>", "reasoning_open"),
    Piece("space", " \n"),
    Piece("word", "b"),
)
CHUNKS = (1, 9, 13, 17, 20)
"""Where the chunks of ``QWEN3`` end."""
HOSTILE = (
    "</script><script>window.hit=1</script><img src=x onerror='window.hit=2'>"
    "\u2028\u2029'\"`&amp;\ud800\udc00x\ud834\x00\x7f"
)
"""Text that breaks out of what is written carelessly; it holds a pair of lone surrogates, and one alone."""


def violation(
    check: str,
    dialect: str = "qwen3",
    pieces: Sequence[Piece] = QWEN3,
    ends: Sequence[int] | None = CHUNKS,
    finish: Finish = "stop",
    kind: str = "second-block",
    title: str = "second block: a reasoning opener after reasoning closed",
    **more: Any,
) -> Violation:
    """A violation as a run tells it, its case one that can be read."""
    output = Output(tuple(pieces))
    request = Request(dialect, True, True)
    chunking = None if ends is None else Chunker(REGISTRY.get(dialect)).ending(output, list(ends))
    rows = (
        Row("reasoning", "split", "'T'"),
        Row("reasoning", "stream", "'T \\nb'", "first difference at 1"),
        Row("content", "split", "'a<think> \\nb'"),
        Row("content", "stream", "'a'"),
    )
    values: dict[str, Any] = {
        "check": check,
        "level": CHECKS[check].level,
        "dialect": dialect,
        "opened": True,
        "thinking": True,
        "finish": finish,
        "rows": rows,
        "case": Case(check, output, request, finish, chunking).text(),
        "chunks": None if chunking is None else chunking.texts,
        "raw": output.raw,
        "kind": kind,
        "kind_title": title,
        "known_as": "FreeToken #711",
        "size": (6, 20, 5, 0, 0),
        "tried": 62,
        "answers": {
            "oracle": {"reasoning": "T", "content": "a<think> \nb"},
            "split": {"reasoning": "T", "content": "a<think> \nb"},
            "stream": {"deltas": [[["reasoning", "T"]], [], [["content", "a"]], [], [["reasoning", " \nb"]], []]},
        },
    }
    return Violation(**{**values, **more})


def result(
    check: str,
    dialect: str = "qwen3",
    outcome: str = "pass",
    standing: str = "passed",
    id: str = "mine",
    version: str = "1.0",
    reason: str = "",
    **more: Any,
) -> Result:
    """One item's result. ``more``: of its verdict."""
    verdict = Verdict(id, version, dialect, check, outcome, **{"outputs": 100, "streams": 900, "seconds": 1.5, **more})
    return Result(id, f"{id}.adapter", verdict, standing, reason=reason)


def told(id: str = "mine", version: str = "1.0", **more: Any) -> dict[str, Any]:
    """What a header says of an implementation."""
    return {
        "id": id,
        "name": id,
        "version": version,
        "spec": f"{id}.adapter",
        "language": "Python",
        "chunks": "text",
        "surfaces": [],
        "dialects": ["kimi_k3", "mistral", "qwen3"],
        "policy": {"qwen3": {"reopen": "text"}, "kimi_k3": {}},
        **more,
    }


def whole(dialect: str, broken: Mapping[str, Result] | None = None, **more: Any) -> list[Result]:
    """A result of every check of a dialect but that of surfaces: those given, and passes."""
    given = broken or {}
    return [given.get(check) or result(check, dialect, **more) for check in CHECKS if check != "surfaces-agree"]


def written(
    path: Path,
    results: Iterable[Result],
    implementations: Sequence[Mapping[str, Any]] | None = None,
    started: str = "2026-11-30T12:00:00+00:00",
    footer: bool = True,
    profile: str = "quick",
) -> Path:
    """A report with those results."""
    several = list(results)
    dialects = list(dict.fromkeys(one.verdict.dialect for one in several))
    checks = [check for check in CHECKS if any(one.verdict.check == check for one in several)]
    head = header("0.1.0", implementations or [told()], profile, None, dialects, checks)
    report = ReportFile(path)
    report.begin({**head, "started": started, "python": "3.11.7"})
    for one in several:
        report.add(one)
    if footer:
        report.end(12.5)
    report.close()
    return path


def every_state(path: Path) -> Path:
    """A report in which every state stands that a run reports."""
    results = {
        "streamed-equals-split": result(
            "streamed-equals-split",
            outcome="fail",
            standing="failed",
            violation=violation("streamed-equals-split"),
            others=(violation("streamed-equals-split", kind="declined", title="a closer before any words"),),
        ),
        "whitespace-agrees": result(
            "whitespace-agrees", outcome="skip", standing="skipped", reason="", skipped={"can't be asked": 7}
        ),
        "chunks-do-not-matter": result(
            "chunks-do-not-matter",
            outcome="fail",
            standing="expected",
            reason="known upstream: ROCm/ATOM PR 2910",
            violation=violation("chunks-do-not-matter"),
        ),
        "nothing-lost": result("nothing-lost", standing="listed pass", reason="was broken once"),
        "order-kept": result("order-kept", outcome="unjudged", standing="unjudged"),
        "never-raises": result(
            "never-raises",
            outcome="fail",
            standing="failed",
            violation=violation(
                "never-raises", kind="died", title="a call that ends the process", note="exit code 3", rows=()
            ),
        ),
        "released-at-once": result(
            "released-at-once", outcome="advice", advice=violation("released-at-once", level="should")
        ),
    }
    return written(path, [*whole("qwen3", results), *whole("mistral")])


def hostile(path: Path) -> Path:
    """A report in which every text that may be anything is hostile."""
    pieces = (Piece("word", "T"), Piece("text", HOSTILE), Piece("marker", "</think>", "reasoning_close"))
    answers = {
        "oracle": {"reasoning": "T" + HOSTILE, "content": ""},
        "split": {"failure": HOSTILE},
        "stream": {"deltas": [[["reasoning", HOSTILE]], [["content", HOSTILE]]]},
    }
    bad = violation(
        "nothing-lost",
        pieces=pieces,
        ends=None,
        title=HOSTILE,
        note=HOSTILE,
        known_as=HOSTILE,
        within=HOSTILE,
        answers=answers,
        rows=(Row(HOSTILE, HOSTILE, HOSTILE, HOSTILE), Row("content", "split", repr(HOSTILE))),
    )
    failed = result(
        "nothing-lost", outcome="fail", standing="expected", reason=HOSTILE, violation=bad, id=HOSTILE, version=HOSTILE,
        notes=(HOSTILE,), skipped={HOSTILE: 3},
    )  # fmt: skip
    results = whole("qwen3", {"nothing-lost": failed}, id=HOSTILE, version=HOSTILE)
    return written(path, results, [told(HOSTILE, HOSTILE, language=HOSTILE, chunks=HOSTILE)], profile=HOSTILE)


def large(folder: Path, implementations: int = 15) -> list[Path]:
    """Reports of many implementations, every dialect, every check, a case or two in most cells."""
    paths = []
    for number in range(implementations):
        id = f"implementation_{number}"
        results = []
        for place, dialect in enumerate(REGISTRY.ids()[:40]):
            bad = result(
                "streamed-equals-split", dialect, outcome="fail", standing="failed", id=id,
                violation=violation("streamed-equals-split", dialect),
            )  # fmt: skip
            broken = {"streamed-equals-split": bad} if (number + place) % 3 else {}
            results += [*whole(dialect, broken, id=id), result("surfaces-agree", dialect, id=id)]
        one = told(id, surfaces=["a", "b"], dialects=list(REGISTRY.ids()[:40]), policy={})
        paths.append(written(folder / f"{id}.jsonl", results, [one]))
    return paths


def data_of(text: str) -> Any:
    """The JSON values of a data file."""
    return json.loads(text.partition(",")[2].rstrip().removesuffix(");"))
