"""Facts about pieces: what a dialect's declaration gives to write with, and what an output of them is."""

from __future__ import annotations

import pytest

from oracles.dialects import REGISTRY, Dialect
from oracles.pieces import FOREIGN, LETTERS, LOOK_ALIKES, Output, Piece, Pieces

MADE = Dialect(
    "made",
    "Made",
    {
        "reasoning_open": ("<go>", "<g"),
        "reasoning_close": ("</go>", "<end>"),
        "answer_close": ("</ask>",),
        "framing": ("<end>", "A"),
    },
    atoms=("<go>", "B"),
)
WORD = Piece("word", "")


def test_a_piece_is_its_text_as_often_as_it_says() -> None:
    assert Piece("text", "ab").whole == "ab"
    assert Piece("text", "ab", times=3).whole == "ababab"


def test_an_output_is_its_pieces_put_together() -> None:
    output = Output((Piece("word", "j"), Piece("space", " ", times=2), Piece("marker", "<go>", "reasoning_open")))
    assert (output.raw, output.edges) == ("j  <go>", (0, 1, 3, 7))
    assert Output(()).edges == (0,)
    assert Output((Piece("text", ""), Piece("text", "a"), Piece("text", ""))).edges == (0, 1)


def test_the_words_of_an_output_are_those_that_stand_in_it_once() -> None:
    output = Output((Piece("word", "j"), Piece("text", "k"), Piece("word", "k"), Piece("word", "l")))
    assert output.words == ("j", "l")


def test_letters_of_words_stand_in_nothing_else_and_those_only_strange_texts_hold_come_last() -> None:
    pieces = Pieces(MADE)
    own = set("<go></go><end></ask>AB")
    assert not set(pieces.letters) & own
    assert sorted(pieces.letters) == sorted(set(LETTERS) - own)
    strange = set("".join((*LOOK_ALIKES, *FOREIGN))) | set("ing id=1 &lt;&gt;&amp;&quot;&#x27;")
    first_taken = next(place for place, letter in enumerate(pieces.letters) if letter in strange)
    assert not set(pieces.letters[:first_taken]) & strange
    assert set(pieces.letters[first_taken:]) <= strange
    assert pieces.letters[:first_taken] == [letter for letter in LETTERS if letter not in own | strange]
    assert pieces.letters[first_taken:] == [letter for letter in LETTERS if letter in strange - own]


def test_markers_are_pieces_with_the_first_role_they_hold() -> None:
    assert Pieces(MADE).markers == (
        Piece("marker", "<go>", "reasoning_open"),
        Piece("marker", "<g", "reasoning_open"),
        Piece("marker", "</go>", "reasoning_close"),
        Piece("marker", "<end>", "reasoning_close"),
        Piece("marker", "</ask>", "answer_close"),
        Piece("marker", "A", "framing"),
    )


def test_look_alikes_and_foreign_markers_hold_no_marker_of_the_dialect() -> None:
    tags = Dialect("tags", "Tags", {"reasoning_open": ("<think>",), "reasoning_close": ("</",)})
    pieces = Pieces(tags)
    assert pieces.look_alikes == tuple(Piece("alike", text) for text in LOOK_ALIKES if text != "</")
    assert pieces.foreign == tuple(Piece("foreign", text) for text in FOREIGN if text not in ("<think>", "</think>"))


def test_each_word_has_a_letter_of_its_own_while_there_are_letters() -> None:
    pieces = Pieces(MADE)
    count = len(pieces.letters)
    assert [pieces.word(number).text for number in range(count)] == pieces.letters
    assert {pieces.word(number).kind for number in range(count)} == {"word"}
    assert pieces.word(count) == Piece("text", pieces.letters[0])
    assert pieces.word(count + 1) == Piece("text", pieces.letters[1])


def test_where_markers_take_every_letter_a_word_is_a_dot() -> None:
    pieces = Pieces(Dialect("all", "All", {"framing": (LETTERS,)}))
    assert pieces.letters == []
    assert pieces.word(0) == pieces.word(7) == Piece("text", "·")
    assert pieces.alphabet[0] == Piece("word", "·")


def test_a_marker_is_cut_at_every_length() -> None:
    pieces = Pieces(MADE)
    assert pieces.cuts(Piece("marker", "<end>", "framing")) == tuple(
        Piece("cut", text, "framing") for text in ("<", "<e", "<en", "<end")
    )
    assert pieces.cuts(Piece("marker", "A", "framing")) == ()


@pytest.mark.parametrize(
    ("markers", "cuts"),
    [
        (
            {"reasoning_open": ("<go>", "<x>"), "reasoning_close": ("</go>",), "answer_close": ("</ask>",)},
            [
                Piece("cut", "<go", "reasoning_open"),
                Piece("cut", "</go", "reasoning_close"),
                Piece("cut", "</ask", "answer_close"),
                Piece("cut", "</", "reasoning_close"),
                Piece("alike", "<"),
            ],
        ),
        (
            {"reasoning_open": ("ab", "a"), "reasoning_close": ("xy",)},
            [Piece("cut", "x", "reasoning_close")],
        ),
        ({"framing": ("abcd",)}, [Piece("cut", "ab", "framing"), Piece("alike", "a")]),
        ({"framing": ("a",)}, []),
        (
            {"reasoning_open": ("cd",), "answer_close": ("cd!",)},
            [Piece("cut", "c", "reasoning_open")],
        ),
    ],
)
def test_the_alphabet_is_a_word_white_space_every_marker_and_some_cut_ones(
    markers: dict[str, tuple[str, ...]], cuts: list[Piece]
) -> None:
    pieces = Pieces(Dialect("made", "Made", markers))
    word, space, newline, *rest = pieces.alphabet
    assert (word, space, newline) == (Piece("word", pieces.letters[0]), Piece("space", " "), Piece("space", "\n"))
    assert rest == [*pieces.markers, *cuts]


def test_the_core_is_a_word_a_space_and_the_first_marker_of_each_role() -> None:
    pieces = Pieces(MADE)
    assert pieces.core == (
        Piece("word", pieces.letters[0]),
        Piece("space", " "),
        Piece("marker", "<go>", "reasoning_open"),
        Piece("marker", "</go>", "reasoning_close"),
        Piece("marker", "<end>", "reasoning_close"),
        Piece("marker", "</ask>", "answer_close"),
    )


def test_an_output_gives_each_word_a_letter_in_order() -> None:
    pieces = Pieces(MADE)
    space = Piece("space", " ")
    output = pieces.output([WORD, space, WORD, WORD], "answered")
    first, second, third = pieces.letters[:3]
    assert output == Output((Piece("word", first), space, Piece("word", second), Piece("word", third)), "answered")
    assert pieces.output([]) == Output((), "")
    assert pieces.output([space]).shape == ""


@pytest.mark.parametrize("id", REGISTRY.ids())
def test_no_symbol_of_an_alphabet_is_empty_or_stands_in_it_twice(id: str) -> None:
    alphabet = Pieces(REGISTRY.get(id)).alphabet
    assert all(piece.text for piece in alphabet)
    assert len({piece.text for piece in alphabet}) == len(alphabet)
