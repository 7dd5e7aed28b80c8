"""Facts about the generated cases: recipes by role, and what is written of them for each dialect."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from representatives import REPRESENTATIVES

from conformance.corpus.generating import GROUP, Writer, case_file, generated_text, regenerated
from conformance.corpus.recipes import Recipe, chosen, recipe_parts, recipes_text, straddles
from oracles.cases import cases_of, text_of
from oracles.dialects import REGISTRY, corpora
from oracles.pieces import Pieces

ASKED = REGISTRY.ids() if os.environ.get("CONFORMANCE_SLOW") else REPRESENTATIVES


@pytest.mark.parametrize("id", ASKED)
def test_the_generated_cases_of_a_dialect_are_the_same_to_the_byte_when_they_are_written_anew(id: str) -> None:
    written = (corpora() / id / f"{GROUP}.json").read_bytes()
    assert written == generated_text(REGISTRY.get(id)).encode("utf-8")


def test_every_dialect_has_generated_cases() -> None:
    assert [id for id in REGISTRY.ids() if not any(case.source.kind == "generated" for case in cases_of(id))] == []


def test_a_recipe_gives_back_the_output_that_it_was_made_of() -> None:
    pieces = Pieces(REGISTRY.get("kimi_k3"))
    for recipe in chosen():
        output = recipe.written(pieces)
        if output is not None:
            assert recipe_parts(output, pieces) == tuple(
                part for part, piece in zip(recipe.parts, output.pieces, strict=True) if piece.whole
            )


def test_a_recipe_is_no_output_of_a_dialect_that_lacks_its_markers() -> None:
    recipe = Recipe("", True, True, "stop", (("word",), ("marker", "answer_close", 0)))
    assert recipe.written(Pieces(REGISTRY.get("qwen3"))) is None
    output = recipe.written(Pieces(REGISTRY.get("kimi_k3")))
    assert output is not None
    assert output.raw.endswith("<|close|>response<|sep|>")


def test_recipes_are_read_as_they_were_written() -> None:
    data = json.loads(recipes_text(chosen()))
    assert tuple(map(Recipe.from_json, data["recipes"])) == chosen()


def test_each_marker_of_a_dialect_stands_across_an_edge_of_4096_characters() -> None:
    pieces = Pieces(REGISTRY.get("gpt_oss"))
    outputs = [output.raw for recipe in straddles(pieces) if (output := recipe.written(pieces)) is not None]
    for marker in pieces.dialect.all_markers:
        assert any(raw.find(marker) < 4096 < raw.find(marker) + len(marker) for raw in outputs if marker in raw), marker


def test_a_long_text_is_written_by_its_repetitions() -> None:
    cases = [case for case in case_file(REGISTRY.get("qwen3"))["cases"] if case["flags"] == ["straddle"]]
    assert cases
    for case in cases:
        assert len(json.dumps(case)) < 3000
        assert len(text_of(case["raw"])) > 4096
        assert all("".join(map(text_of, chunks)) == text_of(case["raw"]) for chunks in case["chunkings"])


def test_an_id_is_told_from_what_is_asked_so_that_it_stays_when_others_come_or_go() -> None:
    everything = {case["id"]: case for case in Writer(REGISTRY.get("qwen3")).cases()}
    assert len(everything) == len(
        {(str(case["raw"]), str(case["request"]), case["finish"]) for case in everything.values()}
    )
    assert all(len(id.rpartition("-")[2]) == 8 for id in everything)


def test_a_file_that_differs_is_told(tmp_path: Path) -> None:
    (tmp_path / "qwen3").mkdir()
    path = tmp_path / "qwen3" / f"{GROUP}.json"
    text = generated_text(REGISTRY.get("qwen3"))
    assert list(regenerated(tmp_path)) == [(path, text)]
    path.write_text(text, encoding="utf-8")
    assert list(regenerated(tmp_path)) == []


def test_no_generated_case_asks_what_a_recorded_one_asks() -> None:
    asked = [(case.request, case.finish, case.raw) for case in cases_of("kimi_k3")]
    assert len(asked) == len(set(asked))
