"""The schema of the wire is its documentation: every message keeps to it, and the page says the same."""

from __future__ import annotations

import json
import re
from typing import Any

import commands
import pytest
from jsonschema import Draft202012Validator

from conformance.adapter import Wiring, load
from conformance.asking import Asker
from conformance.chunkings import Chunker
from conformance.expectation import Readings
from conformance.watchdog import Unwatched
from conformance.wire.messages import request_values
from conformance.wire.schema import what_is_wrong, wire_schema
from oracles.dialects import REGISTRY
from oracles.messages import Request, Tool
from oracles.pieces import Output, Piece

DEFS: dict[str, Any] = wire_schema()["$defs"]
PAGE = (commands.ROOT / "docs" / "wire.md").read_text(encoding="utf-8")


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(wire_schema())
    named = {each["$ref"].rpartition("/")[2] for each in wire_schema()["anyOf"]}
    assert named <= set(DEFS)


@pytest.mark.parametrize("name", [name for name, each in DEFS.items() if "properties" in each])
def test_every_message_and_every_property_is_described_and_the_page_says_the_same(name: str) -> None:
    described = DEFS[name]
    rows = "".join(f"| `{key}` | {value['description']} |\n" for key, value in described["properties"].items())
    assert f"**{name}.** {described['description']}\n\n| name | is |\n|---|---|\n{rows}" in PAGE
    assert described["additionalProperties"] is False


def test_the_messages_of_the_page_keep_to_the_schema() -> None:
    lines = re.findall(r"^    (->|<-) (\{.*\})$", PAGE, re.MULTILINE)
    request = json.dumps(request_values(Request("qwen3", True, True)))
    assert len(lines) > 6
    for direction, line in lines:
        assert what_is_wrong(line.replace("{…}", request).encode(), direction == "->") == ""


def test_what_is_sent_and_what_a_right_adapter_answers_keep_to_the_schema() -> None:
    heard: list[tuple[str, bytes]] = []
    made = load(commands.spec_of(), wiring=Wiring(5.0, lambda *line: heard.append(line)))
    dialect = REGISTRY.get("qwen3")
    asker = Asker(made, Readings(dialect, {}), Unwatched())
    output = Output((Piece("marker", "<think>"), Piece("text", "a\U0001f600\0\u2028"), Piece("marker", "</think>")))
    asker.observe(output, Request("qwen3", True, False), Chunker(dialect).full(output))
    made.adapter.close()  # type: ignore[attr-defined]
    names = {json.loads(line).get("cmd") for direction, line in heard if direction == "->"}
    assert names == {"start", "split", "stream", "stop"}
    assert [line for direction, line in heard if what_is_wrong(line, direction == "->")] == []
    assert all(line.isascii() for direction, line in heard if direction == "->")


def test_tools_are_sent_as_the_schema_has_them() -> None:
    values = request_values(Request("qwen3", True, True, (Tool("t", {"type": "object"}),), "chat"))
    line = json.dumps({"cmd": "split", "seq": 1, "request": values, "raw": "", "finish": "stop"}).encode()
    assert what_is_wrong(line, True) == ""


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"parsing", "it is no JSON"),
        (b"\xff", "it is no UTF-8"),
        (b"[]", "it is no JSON object"),
        (b"{}", "it is none of started, message, deltas, unsupported, error"),
        (b'{"seq":1,"deltas":[]}', "deltas: [] should be non-empty"),
        (
            b'{"seq":1,"deltas":[[["thought","a"]]]}',
            "deltas[0][0][0]: 'thought' is not one of ['reasoning', 'content']",
        ),
        (b'{"seq":0,"error":"x"}', "seq: 0 is less than the minimum of 1"),
        (b'{"seq":1,"message":{"text":""}}', "message: Additional properties are not allowed ('text' was unexpected)"),
        (b'{"seq":1,"message":{"content":null}}', ""),
    ],
)
def test_what_breaks_it_is_told_in_a_sentence(line: bytes, wrong: str) -> None:
    assert what_is_wrong(line, False) == wrong


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b'{"seq":1,"deltas":[[]],"took":0.1}', ""),
        (b'{"version":1,"implementation":{"name":"x","version":"1","dialects":["qwen3"],"homepage":"y"},"pid":1}', ""),
        (b'{"seq":0,"deltas":[[]],"took":0.1}', "seq: 0 is less than the minimum of 1"),
        (b'{"seq":1,"message":{"text":""}}', "message: Additional properties are not allowed ('text' was unexpected)"),
    ],
)
def test_further_names_can_be_left_alone_but_not_in_a_message(line: bytes, wrong: str) -> None:
    assert what_is_wrong(line, False, further=True) == wrong
