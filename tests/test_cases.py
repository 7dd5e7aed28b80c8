"""The recorded cases: their form, their messages, and what is said of a file that breaks a rule."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.corpus.lint import lint, written
from conformance.expectation import Readings
from oracles.cases import REGISTRY as CASES
from oracles.cases import CaseFileError, cases_of, read_cases, text_of
from oracles.dialects import REGISTRY, corpora
from oracles.messages import Message, Request
from oracles.policies import AXES, DEFAULT
from oracles.segmenting import segmented

SCHEMA = json.loads((corpora() / "schema" / "cases.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
DIALECTS = CASES.dialects

each_dialect = pytest.mark.parametrize("dialect", DIALECTS)

FILE: dict[str, Any] = {
    "schema": 1,
    "dialect": "qwen3",
    "group": "mine",
    "about": "Two outputs.",
    "flags": {"second-block": {"class": "reasoning re-opened", "about": "An opener after reasoning has closed."}},
    "cases": [
        {
            "id": "qwen3/mine/answered",
            "description": "Reasoning ends at its closer.",
            "level": "must",
            "source": {"kind": "issue", "name": "project 1", "url": "https://example.org/1"},
            "request": {"opened": True, "thinking": True},
            "finish": "stop",
            "raw": ["plan", ["x", 3], "</think>Hi"],
            "chunkings": [["planxxx</thi", "nk>Hi"]],
            "expected": {"reasoning": "planxxx", "content": "Hi"},
        },
        {
            "id": "qwen3/mine/second-block",
            "description": "A second opener is text.",
            "level": "should",
            "source": {"kind": "generated", "name": "made up"},
            "flags": ["second-block"],
            "request": {"opened": True, "thinking": True},
            "finish": "stop",
            "raw": "a</think>b<think>c",
            "expected": {"reasoning": "a", "content": "b<think>c"},
            "axes": ["reopen"],
            "policies": [{"policy": {"reopen": "opens"}, "expected": {"reasoning": "ac", "content": "b"}}],
        },
    ],
}


def changed(change: Callable[[Any], object]) -> Any:
    data = copy.deepcopy(FILE)
    change(data)
    return data


def placed(folder: Path, data: Any, name: str = "qwen3/mine.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(data), encoding="utf-8")
    return path


def case(data: Any, number: int = 0) -> Any:
    return data["cases"][number]


# The form


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_knows_the_axes_and_their_values() -> None:
    fields = SCHEMA["$defs"]["case"]["properties"]
    policies = fields["policies"]["items"]["properties"]["policy"]["properties"]
    known = {
        axis: (True, False) if found.get("type") == "boolean" else tuple(found["enum"])
        for axis, found in policies.items()
    }
    assert known == {axis: values for axis, values in AXES.items() if axis != "space"}
    assert fields["axes"]["items"]["enum"] == list(known)


def test_the_schema_describes_every_property_in_a_sentence() -> None:
    def undescribed(schema: Any, place: str) -> list[str]:
        if isinstance(schema, list):
            return [each for item in schema for each in undescribed(item, place)]
        if not isinstance(schema, dict):
            return []
        properties = schema.get("properties", {}) if schema.get("type") == "object" else {}
        found = [f"{place}.{name}" for name, inner in properties.items() if not inner["description"].endswith(".")]
        return found + [each for name, inner in schema.items() for each in undescribed(inner, f"{place}.{name}")]

    assert undescribed(SCHEMA, "$") == []


def test_a_file_is_read_with_its_texts_written_out(tmp_path: Path) -> None:
    file = read_cases(placed(tmp_path, FILE))
    first, second = file.cases
    assert (file.dialect, file.group, file.flags[0].fault) == ("qwen3", "mine", "reasoning re-opened")
    assert (first.raw, first.expected) == ("planxxx</think>Hi", Message("planxxx", "Hi"))
    assert first.request == Request("qwen3", True, True)
    assert second.expected_under(DEFAULT) == Message("a", "b<think>c")
    assert second.expected_under(DEFAULT.with_values({"reopen": "opens"})) == Message("ac", "b")


def test_a_text_is_a_string_or_a_list_of_strings_and_repetitions() -> None:
    assert text_of("a") == "a"
    assert text_of(["a", ["bc", 2], ["d", 1], ""]) == "abcbcd"


@pytest.mark.parametrize(
    "value", [None, 1, {}, [1], [["a"]], [["a", 0]], [["a", True]], [["", 2]], [["a", 1.0]], [[1, 1]]]
)
def test_what_is_no_text_is_refused_by_the_reader_and_the_schema(value: Any) -> None:
    if value != [["a", 1.0]]:  # to JSON Schema 1.0 is an integer
        assert not VALIDATOR.evolve(schema=SCHEMA["$defs"]["text"]).is_valid(value)
    with pytest.raises(ValueError, match=r"is no (text|part of a text)"):
        text_of(value)


def test_a_text_that_would_fill_the_memory_is_refused_before_it_is_written_out() -> None:
    with pytest.raises(ValueError, match="longer than 10,000,000"):
        text_of([["ab", 10**12]])


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(ValueError, match="lone surrogate"):
        text_of("a\ud800")


MALFORMED: dict[str, tuple[Callable[[Any], object], str]] = {
    "no version": (lambda data: data.pop("schema"), "the key 'schema' is missing"),
    "another version": (lambda data: data.update(schema=2), "version 2"),
    "no cases": (lambda data: data.update(cases=[]), "no list of cases"),
    "an unknown key": (lambda data: data.update(case=[]), "no key is called 'case'"),
    "an unknown key of a case": (lambda data: case(data).update(input=""), "qwen3/mine/answered: no key.*'input'"),
    "no raw": (lambda data: case(data).pop("raw"), "qwen3/mine/answered: the key 'raw' is missing"),
    "a number for a text": (lambda data: case(data).update(raw=1), "raw: 1 is no text"),
    "an unknown level": (lambda data: case(data).update(level="may"), "one of must, should"),
    "an unknown finish": (lambda data: case(data).update(finish="tool_calls"), "one of stop, length"),
    "an unknown kind of source": (lambda data: case(data)["source"].update(kind="rumour"), "one of issue, spec"),
    "no request": (lambda data: case(data).update(request=True), "request is true"),
    "an opened that is no boolean": (lambda data: case(data)["request"].update(opened=1), "opened is 1"),
    "an unknown axis": (lambda data: case(data, 1)["policies"][0].update(policy={"open": "a"}), "no policy axis"),
    "an unknown value": (lambda data: case(data, 1)["policies"][0].update(policy={"reopen": "a"}), "has no value 'a'"),
    "a policy without a value": (lambda data: case(data, 1)["policies"][0].update(policy={}), "at least one axis"),
    "flags that are a list": (lambda data: data.update(flags=["x"]), "flags are no object"),
    "a flag without its class": (lambda data: data["flags"]["second-block"].pop("class"), "'class' is missing"),
    "a case that is a text": (lambda data: data.update(cases=["x"]), 'case 1 is "x"'),
    "an empty description": (lambda data: case(data).update(description=""), "a text that isn't empty"),
    "chunks that are a text": (lambda data: case(data).update(chunkings=["a"]), "no list of lists"),
    "an id that is a number": (lambda data: case(data).update(id=1), "id is 1"),
}
UNJOINED: dict[str, tuple[Callable[[Any], object], str]] = {
    "chunks that aren't the raw text": (lambda data: case(data).update(chunkings=[["plan"]]), "don't join to raw"),
    "an id of another file": (lambda data: case(data).update(id="qwen3/other/answered"), "begins with 'qwen3/mine/'"),
    "a flag that nothing describes": (lambda data: case(data).update(flags=["odd"]), "'odd' isn't described"),
    "a policy on an axis that isn't listed": (
        lambda data: case(data, 1)["policies"][0].update(policy={"off": "text"}),
        "which axes doesn't list",
    ),
}
"""What no schema can say."""


@pytest.mark.parametrize("change", [pytest.param(*entry[:1], id=name) for name, entry in MALFORMED.items()])
def test_the_schema_refuses_a_malformed_file(change: Callable[[Any], object]) -> None:
    assert VALIDATOR.is_valid(FILE)
    assert not VALIDATOR.is_valid(changed(change))


@pytest.mark.parametrize(
    ("change", "told"), [pytest.param(*entry, id=name) for name, entry in {**MALFORMED, **UNJOINED}.items()]
)
def test_the_reader_says_what_is_wrong_where(tmp_path: Path, change: Callable[[Any], object], told: str) -> None:
    path = placed(tmp_path, changed(change))
    with pytest.raises(CaseFileError, match=told) as caught:
        read_cases(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"{", "not JSON at line 1"), (b"\xff", "not UTF-8"), (b"[]", "an object"), (b"[" * 100_000, "can't be read")],
)
def test_a_file_that_holds_no_object_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(CaseFileError, match=told):
        read_cases(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match="No such file"):
        read_cases(tmp_path / "none.json")


# The rules


def test_a_file_that_keeps_the_rules_has_no_complaint(tmp_path: Path) -> None:
    placed(tmp_path, FILE)
    assert lint(tmp_path) == []


BROKEN: dict[str, tuple[Callable[[Any], object], str]] = {
    "another message": (lambda data: case(data)["expected"].update(content="Ho"), "the specified reader gives"),
    "another message under a policy": (
        lambda data: case(data, 1)["policies"][0]["expected"].update(content="c"),
        "under {'reopen': 'opens'}",
    ),
    "no axes": (lambda data: [case(data, 1).pop(key) for key in ("axes", "policies")], "axes lacks reopen"),
    "an axis that changes nothing": (lambda data: case(data, 1)["axes"].append("off"), "axes lists off"),
    "two entries that fit": (
        lambda data: case(data, 1)["policies"].append(case(data, 1)["policies"][0]),
        "more than one entry",
    ),
    "another level": (lambda data: case(data, 1).update(level="must"), "is a must where no axis"),
    "a description that says should": (
        lambda data: case(data).update(description="A closer should close."),
        "cases\\[0\\].description",
    ),
    "a description that is no sentence": (lambda data: case(data).update(description="closer"), "description"),
    "the same description twice": (
        lambda data: case(data).update(description=case(data, 1)["description"]),
        "same description",
    ),
    "an issue without its address": (lambda data: case(data)["source"].pop("url"), "'url' is a required property"),
    "a flag that no case has": (lambda data: case(data, 1).pop("flags"), "no case has the flag"),
    "the same question twice": (
        lambda data: data["cases"].append({**case(data), "id": "qwen3/mine/again", "description": "Again."}),
        "qwen3/mine/answered asks the same",
    ),
    "an id twice": (lambda data: case(data, 1).update(id=case(data)["id"]), "2 cases have this id"),
    "an id in capitals": (lambda data: case(data).update(id="qwen3/mine/Answered"), "does not match"),
    "keys in another order": (lambda data: case(data).update(id=case(data).pop("id")), "order of the schema"),
    "a dialect that isn't declared": (
        lambda data: data.update(dialect="none", cases=[{**case(data), "id": "none/mine/a"}], flags={}),
        "no dialect is called 'none'",
    ),
}


@pytest.mark.parametrize(("change", "told"), [pytest.param(*entry, id=name) for name, entry in BROKEN.items()])
def test_a_rule_that_is_broken_is_told(tmp_path: Path, change: Callable[[Any], object], told: str) -> None:
    placed(tmp_path, changed(change))
    complaints = "\n".join(map(str, lint(tmp_path)))

    assert re.search(told, complaints), complaints


def test_a_file_stands_where_it_says(tmp_path: Path) -> None:
    placed(tmp_path, FILE, "qwen3/other.json")
    assert "stands at qwen3/other" in str(lint(tmp_path)[0])


def test_a_file_that_is_formatted_otherwise_is_told(tmp_path: Path) -> None:
    placed(tmp_path, FILE).write_text(json.dumps(FILE), encoding="utf-8")
    assert ["formatted" in str(complaint) for complaint in lint(tmp_path)] == [True]


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_looked_at(tmp_path: Path) -> None:
    placed(tmp_path, FILE, "qwen3/other.json")
    (tmp_path / "qwen3" / "broken.json").write_text("{", encoding="utf-8")
    assert sorted(complaint.path.name for complaint in lint(tmp_path)) == ["broken.json", "other.json"]


# The cases


def test_there_are_cases() -> None:
    assert sum(len(cases_of(dialect)) for dialect in DIALECTS) > 250


def test_every_dialect_with_cases_is_declared() -> None:
    assert [dialect for dialect in DIALECTS if dialect not in REGISTRY.ids()] == []


@each_dialect
def test_the_cases_of_a_dialect_keep_the_rules(dialect: str) -> None:
    """The schema, both readers under every policy, complete axes, no twins, and the rest of ``RULES``."""
    assert list(map(str, lint(corpora(), dialect))) == []


@each_dialect
def test_the_pieces_of_a_case_join_to_its_text(dialect: str) -> None:
    for recorded in cases_of(dialect):
        output = segmented(REGISTRY.get(dialect), recorded.raw)
        assert output.raw == recorded.raw
        assert all(recorded.raw.count(word) == 1 for word in output.words)


@each_dialect
def test_a_case_that_is_a_must_is_settled_for_who_declares_nothing(dialect: str) -> None:
    readings = Readings(REGISTRY.get(dialect), {})
    for recorded in cases_of(dialect):
        settled = readings.settled(recorded.raw, recorded.request, recorded.finish)
        assert settled == (recorded.level == "must"), recorded.id


@each_dialect
def test_a_case_is_settled_for_who_declares_its_axes(dialect: str) -> None:
    known = REGISTRY.get(dialect)
    for recorded in cases_of(dialect):
        readings = Readings(known, {axis: getattr(known.policy, axis) for axis in recorded.axes})
        assert readings.settled(recorded.raw, recorded.request, recorded.finish), recorded.id


@each_dialect
def test_a_case_of_an_issue_links_to_what_it_names(dialect: str) -> None:
    for recorded in cases_of(dialect):
        repository, _, number = recorded.source.name.partition("#")
        if recorded.source.kind == "issue":
            places = [f"https://github.com/{repository}/{kind}/{number}" for kind in ("issues", "pull")]
            assert recorded.source.url in places


def test_the_readme_names_every_field_of_a_case() -> None:
    text = (corpora() / "README.md").read_text(encoding="utf-8")
    assert [field for field in SCHEMA["$defs"]["case"]["properties"] if f"| `{field}` |" not in text] == []
