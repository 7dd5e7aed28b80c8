"""Scripts that show a case by asking an adapter, without this suite."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.case import CaseError, read_case
from conformance.case_answers import MEASURED
from conformance.chunkings import Chunker
from conformance.literals import escaped, expression
from conformance.verdicts import Violation
from oracles.dialects import REGISTRY, UnknownDialect

LONGEST = 20_000
"""No script is written of an output that needs more characters than that to be spelled."""

MODULE = '''\
"""How {whose} reads one output{how}, by its adapter alone."""

from importlib import import_module
from types import SimpleNamespace

adapter = import_module({module!r}){path}
request = SimpleNamespace(dialect={dialect!r}, opened={opened}, thinking={thinking}, tools=(), surface={surface!r})
raw = {raw}


def message(given):
    return (given.reasoning, given.content) if hasattr(given, "content") else tuple(given)


print("split:", message(adapter.split(raw, request, {finish!r})))
'''

STREAM = """\
chunks = [  # each with the ids of the tokens that end in it, of a small vocabulary
{chunks}]


def deltas(given):
    return [(delta.channel, delta.text) if hasattr(delta, "text") else tuple(delta) for delta in given]


stream = adapter.stream(request)
for text, ids in chunks:
    print(repr(text), "->", deltas(stream.feed(SimpleNamespace(text=text, ids=ids))))
print("finish ->", deltas(stream.finish({finish!r})))
"""

WIRE = '''\
"""How {whose} reads one output{how}, by JSON lines to its adapter."""

import json
import subprocess

command = {command}
request = {request!r}
raw = {raw}
{chunks}messages = [
    {{"cmd": "start", "version": 1}},
    {{"cmd": "split", "seq": 1, "request": request, "raw": raw, "finish": {finish!r}}},
{stream}    {{"cmd": "stop"}},
]
lines = "".join(json.dumps(message) + "\\n" for message in messages)
done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, encoding="utf-8", check=False)
print(done.stdout, end="")
print("exit code", done.returncode)
'''


def fallback(told: Mapping[str, Any], violation: Violation) -> str | None:
    """A Python script that asks the adapter about a violation's case.

    None where the output is too long to print, or one reading of it shows nothing.
    ``told``: what the report's header says of the implementation.
    """
    if violation.raw is None or violation.check in MEASURED or len(expression(violation.raw)) > LONGEST:
        return None
    whose = escaped(f"{told['name']} {told['version']}").replace("\\", "/").replace('"', "'")
    how = "" if violation.chunks is None else ", split and streamed"
    common = {"whose": whose, "how": how, "raw": expression(violation.raw), "finish": violation.finish}
    ids = _ids(told, violation)
    if told["spec"].startswith("cmd:"):
        return _wire(repr(shlex.split(told["spec"].removeprefix("cmd:"))), violation, ids, common)
    if told.get("wire"):
        module, _, path = told["spec"].partition(":")
        front = f"import_module({module!r}){_attributes(path)}.command"
        text = _wire(front, violation, ids, common)
        return text.replace("import subprocess\n", "import subprocess\nfrom importlib import import_module\n", 1)
    return _module(told["spec"], violation, ids, common)


def _module(spec: str, violation: Violation, ids: Sequence[Sequence[int]], common: Mapping[str, str]) -> str:
    module, _, path = spec.partition(":")
    attributes = _attributes(path)
    if path:
        attributes += "\nadapter = adapter() if isinstance(adapter, type) else adapter"
    text = MODULE.format(
        **common,
        module=module,
        path=attributes,
        dialect=violation.dialect,
        opened=violation.opened,
        thinking=violation.thinking,
        surface=violation.surface,
    )
    if violation.chunks is None:
        return text
    chunks = zip(violation.chunks, ids, strict=True)
    lines = "".join(f"    ({expression(text)}, {tuple(of)!r}),\n" for text, of in chunks)
    return text + "\n" + STREAM.format(chunks=lines, finish=violation.finish)


def _wire(command: str, violation: Violation, ids: Sequence[Sequence[int]], common: Mapping[str, str]) -> str:
    request = {
        "dialect": violation.dialect,
        "opened": violation.opened,
        "thinking": violation.thinking,
        "tools": [],
        "surface": violation.surface,
    }
    chunks = stream = ""
    if violation.chunks is not None:
        each = zip(violation.chunks, ids, strict=True)
        lines = "".join(f'    {{"text": {expression(text)}, "ids": {list(of)!r}}},\n' for text, of in each)
        chunks = f"chunks = [\n{lines}]\n"
        finish = json.dumps(violation.finish)
        stream = f'    {{"cmd": "stream", "seq": 2, "request": request, "chunks": chunks, "finish": {finish}}},\n'
    return WIRE.format(**common, command=command, request=request, chunks=chunks, stream=stream)


def _attributes(path: str) -> str:
    return f".{path}" if path else ""


def _ids(told: Mapping[str, Any], violation: Violation) -> list[tuple[int, ...]]:
    """The ids of each chunk; none where the case or its dialect can't be had here."""
    if violation.chunks is None:
        return []
    try:
        dialect = REGISTRY.get(violation.dialect)
        chunking = read_case(violation.case, Chunker(dialect, told.get("chunks", "text"))).chunking
    except (CaseError, UnknownDialect):
        chunking = None
    if chunking is None or chunking.texts != violation.chunks:
        return [()] * len(violation.chunks)
    return [chunk.ids for chunk in chunking.chunks]
