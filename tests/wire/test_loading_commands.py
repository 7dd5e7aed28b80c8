"""Loading a command: what is wrong with it is one clear error, before anything runs."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import commands
import pytest

from conformance.adapter import AdapterError, Wiring, load

ANSWERS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "start":
        print(START, flush=True)
"""


def error_of(spec: str, limit: float = 5.0) -> str:
    """The text of the error, without the spec that begins it."""
    with pytest.raises(AdapterError) as raised:
        load(spec, wiring=Wiring(limit))
    text = str(raised.value)
    assert text.startswith(spec) or text.startswith(f"--impl={spec}")
    return text.partition(spec)[2].lstrip(": ")


def saying(folder: Path, **names: Any) -> str:
    """The spec of a command that says this of its implementation; a name that is ... is left out."""
    said = {"name": "x", "version": "1", "dialects": ["qwen3"], **names}
    start = {"version": 1, "implementation": {name: value for name, value in said.items() if value is not ...}}
    script = folder / "adapter.py"
    script.write_text(ANSWERS.replace("START", repr(json.dumps(start))), encoding="utf-8")
    return f"cmd:{shlex.join([sys.executable, str(script)])}"


def test_a_command_is_loaded_with_what_it_says(tmp_path: Path) -> None:
    spec = saying(
        tmp_path, language="Rust", chunks="tokens", policy={"reopen": "opens"}, surfaces=["chat"], surrogates=True,
        dialects=["qwen3", "no_such"],
    )  # fmt: skip
    made = load(spec, wiring=Wiring(smokes=False))
    assert (made.name, made.version, made.language, made.dialects) == ("x", "1", "Rust", ("qwen3",))
    assert (made.chunks, made.surfaces, made.surrogates) == ("tokens", ("chat",), True)
    assert made.declared == {"qwen3": {"reopen": "opens"}}
    assert made.notes == ("no dialect is called 'no_such': left out",)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ({"dialects": ...}, 'has no dialects; an adapter needs, for example:\n    "dialects": ["qwen3", "kimi_k3"]'),
        ({"name": ""}, 'name must be a text that isn\'t empty, not \'\'; for example:\n    "name": "mypkg"'),
        ({"dialects": ["qwen4"]}, "no dialect is called 'qwen4' (did you mean 'qwen3'?); `conformance dialects` lists"),
        ({"chunks": "bytes"}, "chunks is 'bytes'; it must be 'text'"),
        ({"policy": {"reopen": "maybe"}}, "reopen"),
        ({"surfaces": "chat"}, "surfaces is 'chat'; it must be names of endpoints"),
        ({"surrogates": 1}, "surrogates is 1; it must be True or False"),
        ({"surface": ["chat"]}, "it says 'surface' of its implementation; known are name, version, dialects"),
        ({"language": 3}, "the language of its implementation is 3; it must be a text"),
    ],
)
def test_what_a_command_says_is_held_to_the_same_rules(tmp_path: Path, names: dict[str, Any], told: str) -> None:
    assert told in error_of(saying(tmp_path, **names))


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("cmd:", "it names no command; write, for example, --impl='cmd:node adapter.mjs'"),
        ("cmd:no-such-command-anywhere x", "there is no command 'no-such-command-anywhere': it is not on the PATH"),
        ("cmd:./no-such-file", "there is no command './no-such-file': it is no file here"),
        ("cmd:/etc/passwd", "'/etc/passwd' can't be run: it is not executable"),
        ("cmd:node 'adapter.mjs", "the command can't be split into words: No closing quotation"),
        ("cmd:false", "the command ended with exit code 1, before it answered the start"),
        ("cmd:cat", 'its answer to the start has no object called implementation: \'{"cmd":"start","version":1}\''),
    ],
)
def test_a_command_that_can_t_be_started_is_told(spec: str, told: str) -> None:
    assert told in error_of(spec)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("prints_first", "before it answered the start, its stdout holds 'Loading model ...', which is no JSON; "
                         "stdout is for answers alone, print to stderr"),
        ("dies_at_start", "the command ended with exit code 7, before it answered the start; "
                          "its stderr ends: no such model"),
        ("silent_at_start", "it didn't answer the start within 0.6 seconds; "
                            "it must end each answer by a line feed, and flush it"),
        ("closes_at_start", "the command closed its stdout and went on running, before it answered the start"),
        ("other_version", "it speaks version 2 of the wire, and 1 is spoken here: it answered the start with '{"),
    ],
)  # fmt: skip
def test_a_command_that_begins_wrongly_is_told(fault: str, told: str) -> None:
    assert told in error_of(commands.spec_of(fault), 0.2)


def test_a_module_may_front_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = (sys.executable, str(commands.FLEET), "none")
    source = f"command = {words!r}\ndef script(request, raw, chunks, finish): return 'print(1)'\n"
    (tmp_path / "fronting_adapter.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    made = load("fronting_adapter")
    assert (made.name, made.spec, made.language) == ("none", "fronting_adapter", "Python")
    assert made.script is not None


def test_a_command_of_a_module_must_be_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wordless_adapter.py").write_text('command = "node adapter.mjs"\n', encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(AdapterError, match="command must be a tuple of words"):
        load("wordless_adapter")


def test_an_adapter_that_is_wrong_on_a_plain_output_is_noted_and_judged_all_the_same() -> None:
    made = commands.loaded("too_few_lists", smokes=True)
    (note,) = made.notes
    assert note.startswith("wrong on qwen3, stream: the same in chunks of a character: stream answered ")
    assert note.endswith("`conformance smoke` tells more")
    assert commands.loaded("errors", smokes=True).notes == ()
