"""A violation as an issue for the implementation's own tracker, ready to paste, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.case import pieces_of
from conformance.checks.catalogue import CHECKS
from conformance.failure_text import command
from conformance.literals import escaped, expression, fitted, place_of_difference
from conformance.markup import code, fenced, plain, stands_in_a_fence
from conformance.report import Entry
from conformance.scripts import fallback
from conformance.verdicts import Row, Violation
from oracles.dialects import REGISTRY

WIDTH = 400
"""No value takes many more characters."""
MOST = 24
"""So many chunks are shown at each end of a stream."""

TITLES = {
    "streamed-equals-split": "the stream reads otherwise than the whole text",
    "whitespace-agrees": "stream and whole text differ in white space",
    "chunks-do-not-matter": "the result depends on where the chunks fall",
    "nothing-lost": "text is lost, doubled or out of order",
    "markers-do-not-leak": "a marker leaks into the text",
    "order-kept": "deltas come in another order than the output",
    "released-in-time": "the stream holds text back for longer than any marker is",
    "released-at-once": "the stream holds text that can no longer become a marker",
    "requests-isolated": "one request changes how another is read",
    "never-raises": "a call gives no usable answer",
    "finish-respected": "the finish reason changes how the output is read",
    "cost-linear": "cost grows faster than the output",
    "memory-bounded": "more text is kept than need be",
    "surfaces-agree": "two ways to the same answer disagree",
    "reads-as-declared": "an output is read otherwise than expected",
}
"""Check id to what is wrong where it fails, in few words."""


def issue_text(header: Mapping[str, Any], entry: Entry, violation: Violation) -> str:
    """The issue. ``header``: the report's; ``entry``: the item that holds the violation."""
    told = next(
        (one for one in header["implementations"] if one["id"] == entry.implementation),
        {"name": entry.verdict.implementation, "version": entry.verdict.version, "spec": entry.implementation},
    )
    parts = [
        *_head(told, violation),
        *_input(violation),
        *_outcome(told, violation),
        *_script(told, violation),
        *_about(header, told, entry, violation),
    ]
    return "\n".join(parts)


def _head(told: Mapping[str, Any], violation: Violation) -> Iterator[str]:
    check = CHECKS[violation.check]
    kind = violation.kind_title or violation.kind
    where = plain(violation.dialect) + (f", {plain(kind)}" if kind else "")
    yield f"# {plain(told['name'])} {plain(told['version'])}: {TITLES[check.id]} ({where})\n"
    should = "should hold (advice)" if violation.level == "should" else "must hold"
    yield f"What {should}: **{plain(check.requires)}** Here it does not.\n"
    if violation.note:
        yield f"{plain(violation.note[:1].upper() + violation.note[1:])}.\n"


def _input(violation: Violation) -> Iterator[str]:
    yield "## Input\n"
    opened = "has opened reasoning" if violation.opened else "has not opened reasoning"
    thinking = "asked for" if violation.thinking else "switched off"
    yield f"- Dialect: {_dialect(violation.dialect)}"
    yield f"- Prompt: it {opened}; thinking is {thinking}"
    yield f"- Finish reason: {code(violation.finish)}"
    if violation.surface is not None:
        yield f"- Asked through: {code(violation.surface)}"
    yield ""
    if violation.raw is None:
        return
    spelled = _spelled(violation.raw, violation.case)
    long = len(spelled) > 10 * WIDTH
    shown = fitted(repr(violation.raw), WIDTH) if long else spelled
    lines = f"raw = {shown}\n" + (f"# {len(violation.raw):,} characters in all\n" if long else "")
    if violation.chunks is not None:
        lines += f"chunks = [{', '.join(_shortened([expression(text) for text in violation.chunks]))}]\n"
    yield fenced(escaped_lines(lines), "text" if long else "python")
    if len(violation.raw) <= 10 * WIDTH and stands_in_a_fence(violation.raw):
        yield "The output as it stands:\n"
        yield fenced(violation.raw)


def _spelled(raw: str, case: str) -> str:
    """An expression that gives the output; of pieces that stand many times, by their numbers."""
    whole = expression(raw)
    if len(whole) <= 10 * WIDTH:
        return whole
    pieces = pieces_of(case)
    if "".join(text * times for text, times in pieces) != raw:
        return whole
    return " + ".join(f"{text!r} * {times}" if times > 1 else repr(text) for text, times in pieces)


def _dialect(id: str) -> str:
    if id not in REGISTRY.ids():
        return code(id)
    dialect = REGISTRY.get(id)
    return f"{code(id)} ({plain(', '.join(dialect.models) or dialect.title)})"


def _outcome(told: Mapping[str, Any], violation: Violation) -> Iterator[str]:
    answers = violation.answers or {}
    rows = list(_answer_rows(answers))
    known = {(row.of, row.whose) for row in rows}
    further = [row for row in violation.rows if (row.of, row.whose) not in known]
    if rows or further:
        yield "## What comes out\n"
    if further:
        yield fenced(table(violation.rows))
    if rows:
        if further:
            yield "Asked once more, alone:\n"
        yield fenced(table(rows))
        yield f"`oracle`: {_policy(told, violation.dialect)}\n"
    deltas = answers.get("stream", {}).get("deltas")
    if deltas is not None and violation.chunks is not None:
        yield "The stream, chunk by chunk:\n"
        yield fenced(_stream(violation.chunks, deltas))


def _policy(told: Mapping[str, Any], dialect: str) -> str:
    declared = told.get("policy", {}).get(dialect, {})
    if not declared:
        return "what the markers mean where nothing else is declared."
    values = ", ".join(f"{axis} {str(value).lower()}" for axis, value in declared.items())
    return f"what the markers mean under the policy that is declared for this implementation ({code(values)})."


def _answer_rows(answers: Mapping[str, Any]) -> Iterator[Row]:
    """What split, stream and oracle give, channel by channel; failures once, in the first."""
    whose = dict(answers)
    if "deltas" in answers.get("stream", {}):
        told = {"reasoning": "", "content": ""}
        for deltas in answers["stream"]["deltas"]:
            for channel, text in deltas:
                told[channel] += text
        whose["stream"] = told
    for channel in ("reasoning", "content"):
        for name in ("split", "stream", "oracle"):
            if name in whose:
                failed = whose[name].get("failure")
                yield Row(channel, name, f"none: {failed}" if failed is not None else repr(whose[name][channel]))


def table(rows: Sequence[Row]) -> str:
    """Rows in columns, those of one thing together; behind a value, where it parts from the first of its group."""
    lines: list[str] = []
    of = max((len(escaped(row.of)) for row in rows), default=0)
    whose = max((len(escaped(row.whose)) for row in rows), default=0)
    before = ""
    for row in rows:
        group = [other.value for other in rows if other.of == row.of]
        place = place_of_difference(group)
        value = fitted(row.value, WIDTH, place)
        remark = escaped(row.remark) or _difference(group[0], row.value)
        head = "" if row.of == before else escaped(row.of)
        line = f"{head.ljust(of)}  {escaped(row.whose).ljust(whose)}  {value}"
        lines.append((f"{line}   <- {remark}" if remark else line).rstrip())
        before = row.of
    return "\n".join(lines)


def _difference(first: str, other: str) -> str:
    if first == other:
        return ""
    place = place_of_difference([first, other])
    return "differs" if place is None else f"first difference at {place}"


def _stream(chunks: Sequence[str], deltas: Sequence[Sequence[Sequence[str]]]) -> str:
    """A line a chunk: its text, and the deltas it gave."""
    names = [*(expression(text) for text in chunks), "finish"]
    names = [escaped(fitted(name, WIDTH)) for name in names]
    wide = min(max(map(len, names)), 60)
    lines = []
    for name, given in zip(names, deltas, strict=False):
        told = ", ".join(f"{channel} {fitted(repr(text), WIDTH)}" for channel, text in given)
        lines.append(f"{name.ljust(wide)}  ->  {told or 'nothing'}")
    return "\n".join(_shortened(lines))


def _shortened(parts: Sequence[str]) -> list[str]:
    if len(parts) <= 2 * MOST + 1:
        return list(parts)
    return [*parts[:MOST], f"… {len(parts) - 2 * MOST:,} more …", *parts[-MOST:]]


def _script(told: Mapping[str, Any], violation: Violation) -> Iterator[str]:
    script = violation.script or fallback(told, violation)
    if script is None:
        return
    yield "## Script\n"
    if violation.script is not None:
        yield "It needs the implementation and nothing else.\n"
    elif told["spec"].startswith("cmd:"):
        yield "It starts the adapter's command, from the folder where that can be started.\n"
    else:
        module = told["spec"].partition(":")[0]
        yield f"It needs the implementation and its adapter: save it where {code(module)} can be imported from.\n"
    if violation.check == "requests-isolated":
        yield "It shows the request alone; what runs beside or before it is in the command below.\n"
    yield fenced(script, "python" if violation.script is None else _language(violation.script))


def _language(script: str) -> str:
    """The language of an adapter's own script, as its first line tells: Python, unless it can't be."""
    first = script.lstrip().partition("\n")[0]
    if "#include" in script and first.startswith(("//", "/*", "#include")):
        return "cpp"
    if first.startswith(("//", "/*", "const ", "import {")):
        return "js"
    return "sh" if first.startswith("#!") and first.endswith("sh") else "python"


def _about(header: Mapping[str, Any], told: Mapping[str, Any], entry: Entry, violation: Violation) -> Iterator[str]:
    yield "## About this report\n"
    yield f"- Check: {code(violation.check)}, {violation.level}"
    if violation.kind_title or violation.kind:
        yield f"- What is special: {plain(violation.kind_title or violation.kind)}"
    if violation.known_as:
        yield f"- The like was reported as: {code(violation.known_as)}"
    if entry.reason:
        yield f"- In the list of expected failures: {code(entry.reason)}"
    yield (
        f"- Found by llm-parser-conformance {plain(header['suite'])} on Python {plain(header['python'])}, "
        f"{header['started'][:10]}, profile {header['profile']}"
    )
    file = "" if violation.dialect in REGISTRY.ids() else "FILE"
    yield "- To see it again with that suite:\n"
    yield fenced(command(told["spec"], violation.case, file), "sh")


def escaped_lines(text: str) -> str:
    """Lines with what can't be seen in them escaped."""
    return "\n".join(map(escaped, text.split("\n")))
