"""Facts about segmenting: any text is an output of pieces, which join to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.dialects import REGISTRY, Dialect
from oracles.pieces import Output, Piece
from oracles.segmenting import MOST_PIECES, MOST_WORDS, segmented
from oracles.shape_table import written

QWEN, KIMI = REGISTRY.get("qwen3"), REGISTRY.get("kimi_k3")
each_dialect = pytest.mark.parametrize("dialect", [REGISTRY.get(id) for id in REGISTRY.ids()], ids=lambda d: d.id)


def told(output: Output) -> list[tuple[str, str]]:
    return [(piece.kind, piece.whole) for piece in output.pieces]


@each_dialect
def test_the_pieces_of_an_output_join_to_its_text(dialect: Dialect) -> None:
    for outputs in written(dialect).values():
        for output in outputs:
            assert segmented(dialect, output.raw).raw == output.raw


@given(st.lists(st.sampled_from([*KIMI.all_markers, *KIMI.atoms, "<|cl", " ", "a", "plan", "\n", "é", "x" * 40])))
def test_the_pieces_of_any_text_join_to_it(parts: list[str]) -> None:
    raw = "".join(parts)
    output = segmented(KIMI, raw)
    assert "".join(piece.whole for piece in output.pieces) == raw
    assert all(piece.text and raw.count(word) == 1 for piece in output.pieces for word in output.words)


@each_dialect
def test_a_marker_is_a_piece_with_its_role(dialect: Dialect) -> None:
    for marker in dialect.all_markers:
        found = segmented(dialect, f"a{marker}b").pieces
        assert (found[1].kind, found[1].text) == ("marker", marker)
        assert marker in dialect.of(found[1].role)


def test_the_longest_marker_counts_at_one_place() -> None:
    oss = REGISTRY.get("gpt_oss")
    text = "<|start|>assistant<|channel|>analysis<|message|>Z"
    assert told(segmented(oss, text)) == [("marker", text[:-1]), ("word", "Z")]


def test_words_white_space_and_text_are_told_apart() -> None:
    assert told(segmented(QWEN, "<think>I plan.\n\n</think>“So”")) == [
        ("marker", "<think>"),
        ("word", "I"),
        ("space", " "),
        ("word", "plan"),
        ("text", "."),
        ("space", "\n\n"),
        ("marker", "</think>"),
        ("text", "“"),
        ("word", "So"),
        ("text", "”"),
    ]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("so so", ()),
        ("plan, planned", ("planned",)),
        ("think</think>", ()),
        ("pl</think>an of a plan", ("of",)),
    ],
)
def test_a_word_stands_once_also_where_a_marker_is_dropped(raw: str, words: tuple[str, ...]) -> None:
    assert [word for word in segmented(QWEN, raw).words if len(word) > 1] == [*words]


@pytest.mark.parametrize(
    ("raw", "cut"), [("a</thi", "</thi"), ("a<", "<"), ("a</think", "</think"), ("a</think>", None), ("a<thi b", None)]
)
def test_the_beginning_of_a_marker_at_the_end_is_a_cut_one(raw: str, cut: str | None) -> None:
    last = segmented(QWEN, raw).pieces[-1]
    assert (last.text if last.kind == "cut" else None) == cut


def test_a_run_of_one_character_is_one_piece_that_is_repeated() -> None:
    output = segmented(QWEN, "Reply " + "x" * 4090 + " " * 50 + "</think>")
    assert output.pieces[2:4] == (Piece("text", "x", times=4090), Piece("space", " ", times=50))


def test_a_long_text_has_few_pieces() -> None:
    raw = " ".join(f"w{number}" for number in range(20_000)) + "</think>"
    output = segmented(QWEN, raw)
    assert output.raw == raw
    assert MOST_WORDS // 2 <= len(output.words) <= MOST_WORDS
    assert len(output.pieces) < MOST_PIECES


def test_an_output_remembers_where_it_was_reported() -> None:
    assert segmented(QWEN, "a", "project 1").known_as == "project 1"
