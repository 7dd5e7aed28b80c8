"""Facts about dialects as types: what a declaration becomes, and where dialects are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import oracles.dialects
from oracles.dialects import Dialect, Registry, UnknownDialect, corpora
from oracles.policies import DEFAULT, PolicyError

WHOLE: dict[str, Any] = {
    "id": "made",
    "title": "Made",
    "markers": {"framing": ["<f>"], "reasoning_open": ["<o>", "<oo>"], "answer_open": []},
    "atoms": ["<o>"],
    "policy": {"reopen": "opens"},
    "models": ["M-1"],
    "sources": [{"url": "https://example.org", "shows": "markers"}],
    "prompts": {"on": {"tail": "<o>", "opened": True}},
    "policy_reasons": {"reopen": "it does"},
    "calls": {"syntax": "made"},
    "tentative": "No template was read.",
}
LEAST: dict[str, Any] = {"id": "least", "title": "Least", "markers": {"reasoning_close": ["<c>"]}}


def test_a_declaration_becomes_a_dialect_field_by_field() -> None:
    assert Dialect.from_json(WHOLE) == Dialect(
        id="made",
        title="Made",
        markers={"reasoning_open": ("<o>", "<oo>"), "framing": ("<f>",)},
        atoms=("<o>",),
        policy=DEFAULT.with_values({"reopen": "opens"}),
        models=("M-1",),
        sources=({"url": "https://example.org", "shows": "markers"},),
        prompts={"on": {"tail": "<o>", "opened": True}},
        policy_reasons={"reopen": "it does"},
        calls={"syntax": "made"},
        tentative="No template was read.",
    )


def test_what_a_declaration_leaves_out_is_empty_or_the_default() -> None:
    least = Dialect.from_json(LEAST)
    assert least == Dialect("least", "Least", {"reasoning_close": ("<c>",)})
    assert (least.atoms, least.policy, least.models, least.sources) == ((), DEFAULT, (), ())
    assert (least.prompts, least.policy_reasons, least.calls, least.tentative) == ({}, {}, {}, "")


def test_a_declared_value_that_does_not_exist_is_told() -> None:
    with pytest.raises(PolicyError):
        Dialect.from_json({**LEAST, "policy": {"reopen": "maybe"}})


def test_a_role_holds_its_markers_or_none() -> None:
    made = Dialect.from_json(WHOLE)
    assert made.of("reasoning_open") == ("<o>", "<oo>")
    assert made.of("answer_open") == made.of("calls_open") == ()


def test_all_markers_stand_once_in_the_order_of_the_roles() -> None:
    made = Dialect("m", "M", {"framing": ("c", "a"), "reasoning_open": ("bbb",), "reasoning_close": ("a", "bbb")})
    assert made.all_markers == ("bbb", "a", "c")
    assert made.longest == 3


def test_the_corpora_hold_the_declarations() -> None:
    assert (corpora() / "qwen3" / "dialect.json").is_file()
    assert corpora().name == "corpora"


def test_a_package_s_own_corpora_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are package data in a wheel."""
    packaged = Path(oracles.dialects.__file__).parent / "corpora"
    monkeypatch.setattr(Path, "is_dir", lambda path: path == packaged)
    assert corpora() == packaged


def folder_of(tmp_path: Path, *declarations: dict[str, Any]) -> Path:
    """A folder of corpora with those declarations."""
    for data in declarations:
        (tmp_path / data["id"]).mkdir()
        (tmp_path / data["id"] / "dialect.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "schema").mkdir()
    return tmp_path


def test_a_registry_knows_the_dialects_of_its_folder_and_those_added(tmp_path: Path) -> None:
    known = Registry(folder_of(tmp_path, WHOLE, {**LEAST, "title": "Kürzest ▷"}))
    assert known.ids() == ("least", "made")
    assert known.get("least").title == "Kürzest ▷"
    assert known.get("made") is known.get("made")
    added = Dialect("added", "Added", {"framing": ("f",)})
    known.add(added)
    assert known.ids() == ("added", "least", "made")
    assert known.get("added") is added


def test_an_id_that_nobody_declared_is_told(tmp_path: Path) -> None:
    known = Registry(folder_of(tmp_path, LEAST))
    with pytest.raises(UnknownDialect, match=r"^no dialect is called 'mad'$") as caught:
        known.get("mad")
    assert caught.value.id == "mad"


def test_an_id_can_not_be_taken_twice(tmp_path: Path) -> None:
    known = Registry(folder_of(tmp_path, LEAST))
    added = Dialect("added", "Added", {"framing": ("f",)})
    known.add(added)
    for taken in ("added", "least"):
        with pytest.raises(ValueError, match=f"^a dialect is called '{taken}' already$"):
            known.add(Dialect(taken, "", {"framing": ("f",)}))
    assert known.ids() == ("added", "least")
