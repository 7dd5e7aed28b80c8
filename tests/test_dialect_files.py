"""A user's own dialect file: the least that works, and a clear error for everything that does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.dialect_files import DialectFileError, load_dialect_file
from oracles.dialects import REGISTRY, corpora
from oracles.policies import DEFAULT

SIX_LINES = """{
  "schema": 1,
  "id": "mine",
  "markers": {"reasoning_open": ["<r>"],
              "reasoning_close": ["</r>"]}
}
"""
LEAST: dict[str, Any] = json.loads(SIX_LINES)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.json"


def message(file: Path) -> str:
    """The text of the error, without the file's name that begins it."""
    with pytest.raises(DialectFileError) as raised:
        load_dialect_file(file)
    name, text = str(raised.value).split(": ", 1)
    assert name == str(file)
    return text


def test_six_lines_declare_a_dialect(file: Path) -> None:
    file.write_text(SIX_LINES)

    dialect = load_dialect_file(file)

    assert (dialect.id, dialect.title, dialect.policy, dialect.atoms) == ("mine", "mine", DEFAULT, ())
    assert dialect.markers == {"reasoning_open": ("<r>",), "reasoning_close": ("</r>",)}


def test_a_path_may_be_a_string(file: Path) -> None:
    file.write_text(SIX_LINES)
    assert load_dialect_file(str(file)) == load_dialect_file(file)


def test_a_title_of_its_own_stands(file: Path) -> None:
    file.write_text(json.dumps({**LEAST, "title": "Mine"}))
    assert load_dialect_file(file).title == "Mine"


def test_a_byte_order_mark_is_no_matter(file: Path) -> None:
    file.write_text(SIX_LINES, encoding="utf-8-sig")
    assert load_dialect_file(file).id == "mine"


def test_a_marker_may_hold_two_roles(file: Path) -> None:
    file.write_text(json.dumps({**LEAST, "markers": {"reasoning_close": ["<e>"], "framing": ["<e>"]}}))
    assert load_dialect_file(file).all_markers == ("<e>",)


def test_a_policy_with_its_reason_is_read(file: Path) -> None:
    policy = {"policy": {"calls_end_reasoning": False}, "policy_reasons": {"calls_end_reasoning": "It drafts calls."}}
    file.write_text(json.dumps({**LEAST, **policy}))
    assert load_dialect_file(file).policy.calls_end_reasoning is False


@pytest.mark.parametrize("id", REGISTRY.ids())
def test_every_dialect_of_the_corpora_loads_as_a_file(id: str) -> None:
    assert load_dialect_file(corpora() / id / "dialect.json") == REGISTRY.get(id)


def test_a_missing_file_is_told(file: Path) -> None:
    assert message(file) == "there is no such file. Check the path."


def test_a_folder_is_told(tmp_path: Path) -> None:
    assert "can't be read" in message(tmp_path)


def test_a_file_in_another_encoding_is_told(file: Path) -> None:
    file.write_bytes(SIX_LINES.encode("utf-16"))
    assert message(file) == "the file is not UTF-8 text (byte 0). Save it as UTF-8."


def test_broken_json_is_told_with_line_and_column(file: Path) -> None:
    file.write_text('{\n  "schema": 1,\n  id: "mine"\n}')
    assert message(file).startswith("not JSON at line 3, column 3: ")


def test_an_empty_file_is_told(file: Path) -> None:
    file.write_text("")
    assert message(file).startswith("not JSON at line 1, column 1: ")


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5_000])
def test_json_out_of_bounds_is_told(file: Path, text: str) -> None:
    file.write_text(text)
    assert message(file).startswith("not a dialect: ")


def test_a_key_that_stands_twice_is_told(file: Path) -> None:
    file.write_text('{"schema": 1, "id": "mine", "markers": {"framing": ["<a>"], "framing": ["<b>"]}}')
    assert message(file) == 'the key "framing" stands twice in one object. Keep one, with both contents.'


MARKERS = '"markers": {"reasoning_open": ["<think>"], "reasoning_close": ["</think>"]}'
BAD: list[tuple[str, Any, str]] = [
    ("no object", [], "at $: [] is not an object. Write an object here."),
    ("no schema", {"id": "mine", "markers": LEAST["markers"]}, "at $: the key 'schema' is missing. Add \"schema\": 1."),
    ("no id", {"schema": 1, "markers": LEAST["markers"]}, 'at $: the key \'id\' is missing. Add "id": "my_dialect".'),
    ("no markers", {"schema": 1, "id": "mine"}, f"at $: the key 'markers' is missing. Add {MARKERS}."),
    ("a later schema", {**LEAST, "schema": 2}, 'at $.schema: version 2 of the schema is not known. Write "schema": 1.'),
    (
        "true for a schema",
        {**LEAST, "schema": True},
        'at $.schema: version true of the schema is not known. Write "schema": 1.',
    ),
    (
        "an id in capitals",
        {**LEAST, "id": "Mine"},
        'at $.id: "Mine" can\'t be a name. Use small letters a to z, digits and _, a letter first.',
    ),
    (
        "an empty id",
        {**LEAST, "id": ""},
        'at $.id: "" can\'t be a name. Use small letters a to z, digits and _, a letter first.',
    ),
    (
        "an id with a newline",
        {**LEAST, "id": "mine\n"},
        'at $.id: "mine\\n" can\'t be a name. Use small letters a to z, digits and _, a letter first.',
    ),
    ("a number for an id", {**LEAST, "id": 3}, "at $.id: 3 is not a string. Write a string here."),
    ("an empty title", {**LEAST, "title": ""}, "at $.title: the text is empty. Write it, or remove the entry."),
    (
        "a misspelt key",
        {**LEAST, "marker": {"framing": ["<x>"]}},
        "at $: no key is called \"marker\". Did you mean 'markers'?",
    ),
    ("a key in capitals", {**LEAST, "ATOMS": []}, "at $: no key is called \"ATOMS\". Did you mean 'atoms'?"),
    (
        "a role outside markers",
        {**LEAST, "reasoning_open": ["<x>"]},
        "at $: no key is called \"reasoning_open\". Roles stand inside 'markers'.",
    ),
    (
        "an axis outside policy",
        {**LEAST, "reopen": "opens"},
        "at $: no key is called \"reopen\". Axes stand inside 'policy'.",
    ),
    (
        "a key unlike any",
        {**LEAST, "zzz": 1},
        'at $: no key is called "zzz". The keys are schema, id, title, models, sources, tentative, markers, atoms, '
        "prompts, policy, policy_reasons, calls.",
    ),
    (
        "a misspelt role",
        {**LEAST, "markers": {"reasoning_opener": ["<r>"]}},
        "at $.markers: no role is called \"reasoning_opener\". Did you mean 'reasoning_open'?",
    ),
    (
        "an unknown role",
        {**LEAST, "markers": {"zzz": ["<r>"]}},
        'at $.markers: no role is called "zzz". The roles are reasoning_open, reasoning_close, answer_open, '
        "answer_close, calls_open, calls_close, framing.",
    ),
    (
        "no role",
        {**LEAST, "markers": {}},
        'at $.markers: the dialect has no marker. Add at least one role, such as "reasoning_open": ["<think>"].',
    ),
    (
        "a role without a marker",
        {**LEAST, "markers": {"framing": []}},
        "at $.markers.framing: 'framing' lists nothing. Name at least one, or leave 'framing' out.",
    ),
    (
        "an empty marker",
        {**LEAST, "markers": {"reasoning_open": ["<r>", ""]}},
        "at $.markers.reasoning_open[1]: the marker is empty. "
        "Write the literal text of the marker, or remove the entry.",
    ),
    (
        "a marker without its list",
        {**LEAST, "markers": {"reasoning_open": "<r>"}},
        'at $.markers.reasoning_open: "<r>" is not a list. Put it in brackets: ["<r>"].',
    ),
    (
        "a number for a marker",
        {**LEAST, "markers": {"framing": [7]}},
        "at $.markers.framing[0]: 7 is not a string. Write a string here.",
    ),
    (
        "a marker twice in a role",
        {**LEAST, "markers": {"framing": ["<x>", "<y>", "<x>"]}},
        'at $.markers.framing: "<x>" stands twice in one list. Remove one.',
    ),
    (
        "a closer of calls alone",
        {**LEAST, "markers": {"calls_close": ["<x>"]}},
        "at $.markers: 'calls_close' closes what no 'calls_open' opens. Add the opener, or leave the closer out.",
    ),
    ("an empty atom", {**LEAST, "atoms": [""]}, "at $.atoms[0]: the text is empty. Write it, or remove the entry."),
    (
        "a source without its page",
        {**LEAST, "sources": [{"shows": "markers"}]},
        'at $.sources[0]: the key \'url\' is missing. Add "url": "https://…", the page.',
    ),
    (
        "a page without its protocol",
        {**LEAST, "sources": [{"url": "example.org", "shows": "markers"}]},
        'at $.sources[0].url: "example.org" is not an address. Write one that begins with https://.',
    ),
    (
        "a prompt without its state",
        {**LEAST, "prompts": {"on": {"tail": "<r>"}}},
        "at $.prompts.on: the key 'opened' is missing. "
        'Add "opened": true where that tail opens reasoning, else false.',
    ),
    (
        "a word for a truth value",
        {**LEAST, "prompts": {"on": {"tail": "<r>", "opened": "yes"}}},
        'at $.prompts.on.opened: "yes" is not true or false. Write true or false here.',
    ),
    (
        "calls without a syntax",
        {**LEAST, "calls": {}},
        'at $.calls: the key \'syntax\' is missing. Add "syntax": "…", the name of the syntax.',
    ),
    (
        "a misnamed literal",
        {**LEAST, "calls": {"syntax": "json", "literals": {"A b": "x"}}},
        'at $.calls.literals: "A b" can\'t be a name. Use small letters a to z, digits and _, a letter first.',
    ),
    (
        "no literals",
        {**LEAST, "calls": {"syntax": "json", "literals": {}}},
        "at $.calls.literals: 'literals' holds nothing. Leave it out.",
    ),
    (
        "a literal that is no string",
        {**LEAST, "calls": {"syntax": "json", "literals": {"open": 1}}},
        "at $.calls.literals.open: 1 is not a string. Write a string here.",
    ),
    (
        "a misspelt axis",
        {**LEAST, "policy": {"reopens": "opens"}},
        "at $.policy: no axis is called \"reopens\". Did you mean 'reopen'?",
    ),
    (
        "an unknown value",
        {**LEAST, "policy": {"reopen": "open"}},
        "at $.policy.reopen: axis 'reopen' (a reasoning opener after reasoning has closed) has no value \"open\". "
        'Its values are "text", "opens".',
    ),
    (
        "a word for a boolean value",
        {**LEAST, "policy": {"calls_end_reasoning": "false"}},
        "at $.policy.calls_end_reasoning: axis 'calls_end_reasoning' (a calls opener inside reasoning) has no value "
        '"false". Its values are true, false.',
    ),
    (
        "no reasons",
        {**LEAST, "policy": {"reopen": "opens"}},
        "at $: policy.reopen has no reason. Add 'reopen' to 'policy_reasons', with a sentence that says why.",
    ),
    (
        "a value without its reason",
        {**LEAST, "policy": {"reopen": "opens", "space": "trimmed"}, "policy_reasons": {"reopen": "It thinks twice."}},
        "at $.policy_reasons: policy.space has no reason. "
        "Add 'space' to 'policy_reasons', with a sentence that says why.",
    ),
    (
        "a reason without its value",
        {**LEAST, "policy_reasons": {"space": "It pads."}},
        "at $.policy_reasons: a reason for 'space', but 'policy' has no value for it. "
        "Add the value, or remove the reason.",
    ),
]


@pytest.mark.parametrize(("data", "expected"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD])
def test_what_is_wrong_is_told(file: Path, data: Any, expected: str) -> None:
    file.write_text(json.dumps(data))
    assert message(file) == expected


def test_a_misspelt_key_is_told_before_the_key_that_is_missing_for_it(file: Path) -> None:
    file.write_text('{"schema": 1, "id": "mine", "marker": {"framing": ["<x>"]}}')
    assert message(file) == "at $: no key is called \"marker\". Did you mean 'markers'?"


def test_a_long_value_is_cut(file: Path) -> None:
    file.write_text(json.dumps({**LEAST, "schema": "x" * 1_000}))
    assert message(file) == f'at $.schema: version "{"x" * 56}... of the schema is not known. Write "schema": 1.'


def test_a_lone_surrogate_is_printed_escaped(file: Path) -> None:
    file.write_text(json.dumps({**LEAST, "\ud800": 1}))
    assert message(file).startswith('at $: no key is called "\\ud800". The keys are ')


@pytest.mark.parametrize("data", [bad[1] for bad in BAD], ids=[bad[0] for bad in BAD])
def test_an_error_is_one_line_and_shows_no_other(file: Path, data: Any) -> None:
    file.write_text(json.dumps(data))
    with pytest.raises(DialectFileError) as raised:
        load_dialect_file(file)
    assert "\n" not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
