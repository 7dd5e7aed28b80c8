"""Facts about cuts: exactly which chunkings each method gives for a small output and a longer one."""

from __future__ import annotations

import pytest

from conformance.chunkings import Chunker, Chunking
from oracles.dialects import Dialect
from oracles.messages import Chunk
from oracles.pieces import Output, Piece
from oracles.vocabulary import FIRST_ATOM

MADE = Dialect("made", "Made", {"reasoning_open": ("<o>",), "reasoning_close": ("</o>",)}, atoms=("</o>",))
CLOSER = Piece("marker", "</o>", "reasoning_close")
SMALL = Output(
    (
        Piece("text", "ab"),
        CLOSER,
        Piece("text", "c"),
        Piece("marker", "<o>", "reasoning_open"),
        Piece("cut", "</", "reasoning_close"),
    )
)
LARGE = Output((Piece("text", ".", times=50), CLOSER, Piece("text", ".", times=20)))

# The name of each chunking, and where its chunks end.

EXACTLY = {
    "small, text, brief": """
    whole: 12
    a piece a chunk: 2 6 7 10 12
    a token a chunk: 1 2 6 7 8 9 10 11 12
    a character a chunk: 1 2 3 4 5 6 7 8 9 10 11 12
    """,
    "small, text, coarse": """
    whole: 12
    a piece a chunk: 2 6 7 10 12
    a token a chunk: 1 2 6 7 8 9 10 11 12
    """,
    "small, text, cut": """
    whole: 12
    markers cut: 3 8 11 12
    markers cut: 4 9 12
    markers cut: 5 12
    a piece a chunk: 2 6 7 10 12
    a token a chunk: 1 2 6 7 8 9 10 11 12
    a character a chunk: 1 2 3 4 5 6 7 8 9 10 11 12
    """,
    "small, text, full": """
    whole: 12
    cut in two: 1 12
    cut in two: 2 12
    cut in two: 3 12
    cut in two: 4 12
    cut in two: 5 12
    cut in two: 6 12
    cut in two: 7 12
    cut in two: 8 12
    cut in two: 9 12
    cut in two: 10 12
    cut in two: 11 12
    5 characters a chunk: 5 10 12
    3 characters a chunk: 3 6 9 12
    a piece a chunk: 2 6 7 10 12
    before marker edges: 1 5 6 9 11 12
    after marker edges: 1 3 7 8 11 12
    around marker edges: 1 2 3 5 6 7 8 9 10 11 12
    markers cut: 3 8 11 12
    markers cut: 4 9 12
    random: 1 2 11 12
    random: 2 3 4 5 6 8 9 11 12
    a token a chunk: 1 2 6 7 8 9 10 11 12
    2 characters a chunk: 2 4 6 8 10 12
    a character a chunk: 1 2 3 4 5 6 7 8 9 10 11 12
    empty chunks between: 0 0 2 2 6 6 7 7 10 10 12 12
    empty chunks everywhere: 0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9 10 10 11 11 12 12
    text lags its ids: 0 2 6 7 7 7 10 10 12
    all ids before the text: 0 12
    """,
    "small, text, edges": """
    whole: 12
    a piece a chunk: 2 6 7 10 12
    """,
    "small, text, long": """
    whole: 12
    a piece a chunk: 2 6 7 10 12
    markers cut: 3 8 11 12
    markers cut: 4 9 12
    markers cut: 5 12
    cut at every offset in turn: 1 10 12
    cut at every offset in turn: 2 11 12
    cut at every offset in turn: 3 12
    cut at every offset in turn: 4 12
    cut at every offset in turn: 6 12
    cut at every offset in turn: 7 12
    cut at every offset in turn: 8 12
    cut at every offset in turn: 9 12
    """,
    "small, tokens, brief": """
    whole: 12
    a piece a chunk: 2 6 7 10 12
    a token a chunk: 1 2 6 7 8 9 10 11 12
    """,
    "small, tokens, coarse": """
    whole: 12
    a piece a chunk: 2 6 7 10 12
    a token a chunk: 1 2 6 7 8 9 10 11 12
    """,
    "small, tokens, cut": """
    whole: 12
    markers cut: 8 11 12
    markers cut: 9 12
    a piece a chunk: 2 6 7 10 12
    a token a chunk: 1 2 6 7 8 9 10 11 12
    """,
    "small, tokens, full": """
    whole: 12
    cut in two: 1 12
    cut in two: 2 12
    cut in two: 6 12
    cut in two: 7 12
    cut in two: 8 12
    cut in two: 9 12
    cut in two: 10 12
    cut in two: 11 12
    3 characters a chunk: 6 9 12
    a piece a chunk: 2 6 7 10 12
    before marker edges: 1 6 9 11 12
    after marker edges: 1 7 8 11 12
    around marker edges: 1 2 6 7 8 9 10 11 12
    markers cut: 8 11 12
    random: 1 2 11 12
    random: 2 6 8 9 11 12
    2 characters a chunk: 2 6 8 10 12
    empty chunks between: 0 0 2 2 6 6 7 7 10 10 12 12
    empty chunks everywhere: 0 0 1 1 2 2 6 6 7 7 8 8 9 9 10 10 11 11 12 12
    text lags its ids: 0 2 6 7 7 7 10 10 12
    all ids before the text: 0 12
    """,
    "small, tokens, edges": """
    whole: 12
    a piece a chunk: 2 6 7 10 12
    """,
    "small, tokens, long": """
    whole: 12
    a piece a chunk: 2 6 7 10 12
    markers cut: 8 11 12
    markers cut: 9 12
    cut at every offset in turn: 1 10 12
    cut at every offset in turn: 2 11 12
    cut at every offset in turn: 6 12
    cut at every offset in turn: 7 12
    cut at every offset in turn: 8 12
    """,
    "large, text, edges": """
    whole: 74
    64 characters a chunk: 64 74
    a piece a chunk: 50 54 74
    """,
    "large, text, long": """
    whole: 74
    64 characters a chunk: 64 74
    a piece a chunk: 50 54 74
    markers cut: 51 74
    markers cut: 52 74
    markers cut: 53 74
    random: 15 25 74
    cut at every offset in turn: 1 10 19 28 37 46 55 64 73 74
    cut at every offset in turn: 2 11 20 29 38 47 56 65 74
    cut at every offset in turn: 3 12 21 30 39 48 57 66 74
    cut at every offset in turn: 4 13 22 31 40 49 58 67 74
    cut at every offset in turn: 5 14 23 32 41 50 59 68 74
    cut at every offset in turn: 6 15 24 33 42 51 60 69 74
    cut at every offset in turn: 7 16 25 34 43 52 61 70 74
    cut at every offset in turn: 8 17 26 35 44 53 62 71 74
    cut at every offset in turn: 9 18 27 36 45 54 63 72 74
    """,
}

LARGE_FULL = """
    whole: 74
    64 characters a chunk: 64 74
    11 characters a chunk: 11 22 33 44 55 66 74
    7 characters a chunk: 7 14 21 28 35 42 49 56 63 70 74
    a piece a chunk: 50 54 74
    before marker edges: 49 53 73 74
    after marker edges: 1 51 55 74
    around marker edges: 1 49 50 51 53 54 55 73 74
    cut at every offset in turn: 1 10 19 28 37 46 55 64 73 74
    cut at every offset in turn: 2 11 20 29 38 47 56 65 74
    cut at every offset in turn: 3 12 21 30 39 48 57 66 74
    cut at every offset in turn: 4 13 22 31 40 49 58 67 74
    cut at every offset in turn: 5 14 23 32 41 50 59 68 74
    cut at every offset in turn: 6 15 24 33 42 51 60 69 74
    cut at every offset in turn: 7 16 25 34 43 52 61 70 74
    cut at every offset in turn: 8 17 26 35 44 53 62 71 74
    cut at every offset in turn: 9 18 27 36 45 54 63 72 74
    markers cut: 51 74
    markers cut: 52 74
    markers cut: 53 74
    several tokens a chunk: 7 13 19 24 26 29 36 43 49 59 60 67 70 74
    several tokens a chunk: 6 9 16 22 29 34 36 40 43 50 57 63 65 72 74
    random: 4 12 22 33 51 52 61 74
    random: 1 2 3 5 6 7 8 10 11 13 19 24 25 26 27 28 34 36 38 43 45 46 47 48 59 60 61 63 64 66 67 69 70 71 74
    empty chunks between: 0 0 50 50 54 54 74 74
    all ids before the text: 0 74
"""

ANOTHER_SEED = """
    several tokens a chunk: 6 14 21 27 28 29 35 43 49 59 60 65 68 74
    several tokens a chunk: 5 9 12 16 17 23 31 32 38 44 49 58 64 69 72 74
    random: 1 5 11 14 15 19 21 23 37 38 41 46 48 56 57 67 69 70 71 74
    random: 2 3 5 7 8 9 10 11 12 13 14 19 20 24 28 31 32 34 41 44 46 50 52 56 57 59 64 66 68 69 70 74
"""


def told(chunkings: list[Chunking]) -> list[str]:
    """The name of each chunking, and where its chunks end."""
    return [f"{each.name}: {' '.join(map(str, each.ends))}" for each in chunkings]


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("case", EXACTLY)
def test_a_method_gives_exactly_these(case: str) -> None:
    size, unit, method = case.split(", ")
    chunkings = getattr(Chunker(MADE, unit), method)(SMALL if size == "small" else LARGE)
    assert told(chunkings) == lines(EXACTLY[case])
    assert [each.special for each in chunkings] == [
        each.name in ("text lags its ids", "all ids before the text") for each in chunkings
    ]


LEFT_OUT = ("text lags", "a character", "a token", "2 char", "3 char", "5 char")


def test_a_longer_output_is_cut_at_several_offsets_a_stream() -> None:
    """Those whose ends are plain to see are left out."""
    assert [each for each in told(Chunker(MADE).full(LARGE)) if not each.startswith(LEFT_OUT)] == lines(LARGE_FULL)


def test_another_seed_cuts_elsewhere_at_random_and_the_same_on_every_run() -> None:
    chunker = Chunker(MADE, "text", 7)
    random = [each for each in told([*chunker.full(LARGE), *chunker.long(LARGE)]) if each.startswith(("random", "sev"))]
    assert random == lines(ANOTHER_SEED)


def test_where_not_everywhere_is_asked_for_no_offset_is_cut_in_turn() -> None:
    with_turns, without = (told(Chunker(MADE).long(LARGE, everywhere)) for everywhere in (True, False))
    assert without == [each for each in with_turns if not each.startswith("cut at every offset")]
    assert told(Chunker(MADE).long(LARGE)) == with_turns


def test_48_characters_are_still_a_short_output() -> None:
    for length, cut in ((48, True), (49, False)):
        names = {each.name for each in Chunker(MADE).full(Output((Piece("text", ".", times=length),)))}
        assert ("cut in two" in names) == ("empty chunks everywhere" in names) == cut
        assert ("cut at every offset in turn" in names) == (not cut)


def test_an_output_of_one_character_has_no_empty_chunks_everywhere_beside_those_between() -> None:
    names = [each.name for each in Chunker(MADE).full(Output((Piece("text", "a"),)))]
    assert names == ["whole", "empty chunks between", "text lags its ids", "all ids before the text"]


def test_the_empty_output_has_no_chunk_one_and_three() -> None:
    for method in ("brief", "coarse", "cut", "full", "edges", "long"):
        chunkings = getattr(Chunker(MADE), method)(Output(()))
        assert told(chunkings) == ["no chunk: ", "whole: 0", "empty chunks: 0 0 0"]
        assert [each.chunks for each in chunkings] == [(), (Chunk(""),), (Chunk(""),) * 3]
        assert not any(each.special for each in chunkings)


ATOM = (FIRST_ATOM,)


def ids(text: str) -> tuple[int, ...]:
    return tuple(map(ord, text))


def test_ids_come_with_the_chunk_that_ends_their_token() -> None:
    chunker = Chunker(MADE)
    assert chunker.at(SMALL, [1, 4, 8]).chunks == (
        Chunk("a", ids("a")), Chunk("b</", ids("b")), Chunk("o>c<", (*ATOM, *ids("c<"))), Chunk("o></", ids("o></")),
    )  # fmt: skip
    assert chunker.ending(SMALL, [0, 6, 6, 12]).chunks == (
        Chunk(""), Chunk("ab</o>", (*ids("ab"), *ATOM)), Chunk(""), Chunk("c<o></", ids("c<o></")),
    )  # fmt: skip
    assert chunker.whole(SMALL).chunks == (Chunk(SMALL.raw, (*ids("ab"), *ATOM, *ids("c<o></"))),)
    plain = Output((Piece("text", "abc"),))
    assert chunker.at(plain, [1]).chunks == (Chunk("a", ids("a")), Chunk("bc", ids("bc")))


def test_text_that_lags_comes_with_the_last_id_of_its_piece_or_behind_all() -> None:
    lagging, behind = Chunker(MADE).special(SMALL)
    assert lagging.chunks == (
        Chunk("", ids("a")), Chunk("ab", ids("b")), Chunk("</o>", ATOM), Chunk("c", ids("c")),
        Chunk("", ids("<")), Chunk("", ids("o")), Chunk("<o>", ids(">")), Chunk("", ids("<")), Chunk("</", ids("/")),
    )  # fmt: skip
    assert behind.chunks == (Chunk("", (*ids("ab"), *ATOM, *ids("c<o></"))), Chunk(SMALL.raw))
    halves = Output((Piece("cut", "</", "reasoning_close"), Piece("text", "o>a")))
    first, _ = Chunker(MADE, "tokens").special(halves)
    assert first.chunks == (
        Chunk("", ATOM), Chunk("</o>a", ids("a")),
    )  # fmt: skip


def test_ends_that_do_not_make_up_the_output_are_refused() -> None:
    for ends in ([], [11], [13], [3, 2, 12], [-1, 12], [12, 11]):
        with pytest.raises(ValueError, match=r"^chunks that end at .* don't make up 12 characters$"):
            Chunker(MADE).ending(SMALL, ends)
    assert Chunker(MADE).ending(Output(()), []).chunks == ()


def test_cuts_that_the_unit_forbids_are_left_out() -> None:
    assert Chunker(MADE, "tokens").at(SMALL, [1, 3, 4, 5, 6]).ends == (1, 6, 12)
    assert Chunker(MADE).at(SMALL, [1, 3]).ends == (1, 3, 12)


def test_what_stands_at_the_ends_is_picked() -> None:
    offsets = range(100, 113)
    assert Chunker(MADE).at(SMALL, [1, 4]).pick(offsets) == (101, 104, 112)
    assert Chunker(MADE).whole(SMALL).pick(offsets) == 112
    assert Chunker(MADE).ending(Output(()), []).pick(offsets) == ()


def test_equal_short_chunks_are_one_object() -> None:
    """Of thousands of streams most chunks are alike."""
    chunker = Chunker(MADE)
    first, again = (chunker.at(SMALL, [4, 9]).chunks for _ in range(2))
    assert [len(chunk.text) for chunk in first] == [4, 5, 3]
    assert first[0] is again[0]
    assert first[1] == again[1]
    assert first[1] is not again[1]


def test_a_chunking_is_called_by_how_it_was_made() -> None:
    chunker = Chunker(MADE)
    assert chunker.whole(SMALL).name == "whole"
    assert chunker.at(SMALL, [1]).name == chunker.ending(SMALL, [1, 12]).name == "as given"
    assert chunker.at(SMALL, [1], "so").name == chunker.ending(SMALL, [1, 12], "so").name == "so"
    assert chunker.ending(SMALL, [1, 12]).texts == ("a", SMALL.raw[1:])


def test_text_is_the_unit_where_none_is_given() -> None:
    assert (Chunker(MADE).unit, Chunker(MADE, "tokens").unit) == ("text", "tokens")


def test_any_text_is_cut_into_chunks_with_its_ids() -> None:
    for text in ("XXXX", "\ud800", "\U0001f600\ud800", "é"):
        output = Output((Piece("text", text),))
        for chunking in Chunker(MADE).full(output):
            assert "".join(chunking.texts) == text
            assert tuple(id for chunk in chunking.chunks for id in chunk.ids) == ids(text)


def test_an_atom_of_two_characters_is_one_token() -> None:
    pair = Dialect("pair", "Pair", {"framing": ("ab",)}, atoms=("ab",))
    output = Output((Piece("text", "xab"),))
    assert Chunker(pair).at(output, [2]).chunks == (Chunk("xa", ids("x")), Chunk("b", ATOM))


def test_a_reported_chunking_has_the_chunks_that_were_reported() -> None:
    found = Chunker(MADE).reported(SMALL, ["ab<", "/o>c", "<o></"])
    assert found is not None
    assert (found.name, found.ends) == ("as reported", (3, 7, 12))
    assert found.texts == ("ab<", "/o>c", "<o></")


def test_a_reported_chunking_that_cuts_an_atom_is_none_where_chunks_are_tokens() -> None:
    tokens = Chunker(MADE, "tokens")
    assert tokens.reported(SMALL, ["ab<", "/o>c", "<o></"]) is None
    found = tokens.reported(SMALL, ["ab</o>", "c<o></"])
    assert found is not None
    assert found.ends == (6, 12)
