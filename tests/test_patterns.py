"""Facts about patterns and long shapes: exactly what each writes in a small dialect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from oracles import long_shapes
from oracles.dialects import Dialect
from oracles.pieces import Output, Piece, Pieces
from oracles.shape_table import SHAPES, shapes_of, written
from oracles.shapes import SPACES, TEXTS, Shape, Writer

MADE = Dialect(
    "made",
    "Made",
    {
        "reasoning_open": ("<o>", "<p>"),
        "reasoning_close": ("<c>",),
        "answer_open": ("(a)",),
        "answer_close": ("(/a)",),
        "calls_open": ("[x",),
        "calls_close": ("x]",),
        "framing": ("#f",),
    },
)
PREFIX = Dialect(
    "prefix", "Prefix", {"reasoning_open": ("<o", "<o>>>"), "framing": ("<o>",), "reasoning_close": ("/",)}
)
ONE, TWO, THREE, FOUR = Pieces(MADE).letters[:4]


def wrote(pattern: str, dialect: Dialect = MADE) -> list[str]:
    """The texts that a pattern stands for, the words as digits."""
    digits = str.maketrans({letter: str(number) for number, letter in enumerate(Pieces(dialect).letters[:3], 1)})
    return [output.raw.translate(digits) for output in Writer(Pieces(dialect)).write(pattern, "made")]


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("on: w", ["1"]),
        ("on: w w", ["12"]),
        ("on:", [""]),
        ("on: w close w", ["1<c>2"]),
        ("on: open w", ["<o>1", "<p>1"]),
        ("on: open open", ["<o><o>", "<o><p>", "<p><o>", "<p><p>"]),
        ("off: answer w /answer frame", ["(a)1(/a)#f"]),
        ("off: call w /call", ["[x1x]"]),
        ("on: close.cut", ["<", "<c"]),
        ("on: /answer.cut", ["(", "(/", "(/a"]),
        ("on: close.half", ["<"]),
        ("on: /answer.half call.half", ["(/["]),
        ("on: close.upper", ["<C>"]),
        ("on: frame.upper", ["#F"]),
        ("on: close.loose", ["<cing>", "<c >", "< c>", '<c id="1">', "&lt;c&gt;"]),
        ("on: frame.loose", ["#ingf", "# f", "# f", '# id="1"f']),
        ("on: _ __ n nn crlf cr tab vt", [" " + "   " + "\n" + "\n\n" + "\r\n" + "\r" + "\t" + "\v\f"]),
    ],
)
def test_a_pattern_stands_for_its_texts(pattern: str, texts: list[str]) -> None:
    assert wrote(pattern) == texts


@pytest.mark.parametrize("name", TEXTS)
def test_odd_text_is_written_by_its_name(name: str) -> None:
    (output,) = Writer(Pieces(MADE)).write(f"on: w {name}", "made")
    assert output.pieces == (Piece("word", ONE), Piece("text", TEXTS[name]))


@pytest.mark.parametrize("name", SPACES)
def test_white_space_is_written_by_its_name(name: str) -> None:
    (output,) = Writer(Pieces(MADE)).write(f"on: {name}", "made")
    assert output.pieces == (Piece("space", SPACES[name]),)


def test_look_alikes_and_foreign_markers_are_written_one_an_output() -> None:
    pieces = Pieces(MADE)
    assert [output.pieces[0] for output in Writer(pieces).write("on: ~ w", "made")] == list(pieces.look_alikes)
    assert [output.pieces[0] for output in Writer(pieces).write("on: ! w", "made")] == list(pieces.foreign)


def test_forms_of_a_marker_are_pieces_of_their_kind() -> None:
    def only(pattern: str) -> Piece:
        return next(Writer(Pieces(MADE)).write(pattern, "")).pieces[0]

    assert only("on: close") == Piece("marker", "<c>", "reasoning_close")
    assert only("on: close.cut") == Piece("cut", "<", "reasoning_close")
    assert only("on: close.half") == Piece("cut", "<", "reasoning_close")
    assert only("on: close.upper") == Piece("alike", "<C>")
    assert only("on: close.loose") == Piece("alike", "<cing>")


def test_a_marker_of_one_character_has_itself_as_its_half() -> None:
    assert wrote("on: close.half", PREFIX) == ["/"]


def test_a_marker_cut_short_is_no_marker_itself() -> None:
    assert wrote("on: open.cut", PREFIX) == ["<", "<", "<o>>"]


def test_a_text_that_holds_a_marker_looks_like_none() -> None:
    """Upper case of what has no letters, and attributes behind a marker that is a beginning, are the marker."""
    assert wrote("on: close.upper", PREFIX) == []
    assert wrote("on: open.upper", PREFIX) == ["<O", "<O>>>"]


def test_a_role_that_no_marker_holds_writes_nothing() -> None:
    assert wrote("on: w answer", PREFIX) == wrote("on: answer.cut", PREFIX) == []


def written_as(pattern: str) -> list[tuple[str, bool | None, dict[bool, tuple[str, str]]]]:
    return [(each.raw, each.opened, dict(each.intended)) for each in Writer(Pieces(MADE)).write(pattern, "made")]


@pytest.mark.parametrize(
    ("pattern", "raw", "opened", "intended"),
    [
        ("on= R close C", f"{ONE}<c>{TWO}", True, {True: (ONE, TWO)}),
        ("off= C", ONE, False, {False: ("", ONE)}),
        ("on= R n@R close nn@C C", f"{ONE}\n<c>\n\n{TWO}", True, {True: (f"{ONE}\n", f"\n\n{TWO}")}),
        ("on= R close call C /call", f"{ONE}<c>[x{TWO}x]", True, {True: (ONE, f"[x{TWO}x]")}),
        ("off= call close@C", "[x<c>", False, {False: ("", "[x<c>")}),
        ("off= frame C frame", f"#f{ONE}#f", False, {False: ("", ONE)}),
        ("on: w close w", f"{ONE}<c>{TWO}", True, {}),
        ("off: w", ONE, False, {}),
        ("off:", "", False, {}),
    ],
)
def test_a_pattern_says_what_each_text_was_meant_for(
    pattern: str, raw: str, opened: bool, intended: dict[bool, tuple[str, str]]
) -> None:
    assert written_as(pattern) == [(raw, opened, intended)]


def test_what_a_pattern_writes_bears_the_name_of_its_shape() -> None:
    for pattern in ("on= R", "on: w"):
        assert [output.shape for output in Writer(Pieces(MADE)).write(pattern, "name")] == ["name"]


def test_a_shape_has_each_text_once_for_both_prompts_where_two_patterns_write_it() -> None:
    (both,) = Shape("s", "S", ("on= R", "off= C")).outputs(MADE)
    assert (both.raw, both.shape, both.opened) == (ONE, "s", None)
    assert both.intended == {True: (ONE, ""), False: ("", ONE)}
    (same,) = Shape("s", "S", ("on= R", "on: w")).outputs(MADE)
    assert (same.opened, same.intended) == (True, {True: (ONE, "")})
    assert [each.raw for each in Shape("s", "S", ("on: w", "on: close", "off: close")).outputs(MADE)] == [ONE, "<c>"]


def test_a_shape_may_write_what_no_pattern_says() -> None:
    def write(pieces: Pieces) -> Iterator[Output]:
        yield pieces.output([Piece("text", "!")])
        yield pieces.output([Piece("word", "")])

    shape = Shape("s", "S", ("on: w",), write=write)
    assert [(each.raw, each.shape, each.opened) for each in shape.outputs(MADE)] == [(ONE, "s", True), ("!", "s", None)]
    assert Shape("s", "S").outputs(MADE) == []


def test_a_dialect_has_the_shapes_that_write_something_in_it() -> None:
    found = written(PREFIX)
    assert list(found) == shapes_of(PREFIX) == [shape for shape in SHAPES if shape.outputs(PREFIX)]
    assert all(outputs == shape.outputs(PREFIX) for shape, outputs in found.items())
    assert 0 < len(found) < len(SHAPES)


def test_a_marker_is_cut_everywhere() -> None:
    """At the beginning and after words, opened or not, and after reasoning; whole and half."""
    patterns = {shape.id: shape.patterns for shape in SHAPES}
    names = ("open", "close", "answer", "/answer", "call", "frame")
    heads = ("on: w", "on: w close w", "off: w", "off:")
    assert patterns["cut-at-end"][:-1] == tuple(f"{head} {name}.cut" for name in names for head in heads)
    assert patterns["cut-in-the-middle"][:24] == tuple(f"{head} {name}.half w" for name in names for head in heads)


# Long shapes


def sketched(write: str, dialect: Dialect = MADE) -> list[str]:
    """What a long shape writes: the words as ``w``, and repeated text by its count."""
    outputs = getattr(long_shapes, write)(Pieces(dialect))
    return ["".join(_sketch(piece) for piece in output.pieces) for output in outputs]


def _sketch(piece: Piece) -> str:
    if piece.kind == "word":
        return "w"
    return f"{{{piece.text}*{piece.times}}}" if piece.times > 1 else piece.text


def kinds(write: str, dialect: Dialect = MADE) -> set[tuple[str, str, str]]:
    """The pieces that a long shape writes, but words: kind, text and role."""
    outputs = getattr(long_shapes, write)(Pieces(dialect))
    return {(each.kind, each.text, each.role) for output in outputs for each in output.pieces if each.kind != "word"}


def test_prefix_pairs_stand_alone_with_words_and_grown() -> None:
    grown = ["<o>>", "w<o>>w"]
    assert sketched("prefix_pairs", PREFIX) == [
        *grown, "w<o", "<ow", "w<o>>>w", "w<o", "<ow", "w<o>w", *grown, "w<o>", "<o>w", "w<o>>>w",
    ]  # fmt: skip
    assert kinds("prefix_pairs", PREFIX) == {
        ("marker", "<o", "reasoning_open"),
        ("marker", "<o>", "framing"),
        ("marker", "<o>>>", "reasoning_open"),
        ("cut", "<o>>", "reasoning_open"),
    }
    assert sketched("prefix_pairs") == []


def test_the_halves_of_a_marker_are_joined_by_what_is_dropped_between_them() -> None:
    assert sketched("joined_neighbours") == [
        "<<o>w<c>o>", "<o>w<c><<o>o>", "w<#fo>w",
        "<<o>w<c>p>", "<o>w<c><<o>p>", "w<#fp>w",
        "<<o>w<c>c>", "<o>w<c><<o>c>", "w<#fc>w",
    ]  # fmt: skip
    assert {("cut", "<", "reasoning_open"), ("text", "o>", ""), ("cut", "<", "reasoning_close")} <= kinds(
        "joined_neighbours"
    )
    assert sketched("joined_neighbours", Dialect("c", "C", {"reasoning_close": ("abcde", "x")})) == []
    framed = Dialect("f", "F", {"reasoning_close": ("abcde", "x"), "framing": ("##", "++")})
    assert sketched("joined_neighbours", framed) == ["wab##cdew", "wx##w"]


def test_each_marker_stands_across_an_edge_at_each_offset() -> None:
    two = Dialect("two", "Two", {"framing": ("##", "abc")})
    assert sketched("across_64", two) == ["{.*63}##w", "{.*63}abcw", "{.*62}abcw"]
    assert sketched("across_4096", two) == ["{.*4095}##w", "{.*4095}abcw", "{.*4094}abcw"]
    assert (
        kinds("across_64", two)
        == kinds("across_4096", two)
        == {
            ("text", ".", ""),
            ("marker", "##", "framing"),
            ("marker", "abc", "framing"),
        }
    )
    endless = Dialect("endless", "Endless", {"framing": ("a" * 70,)})
    assert len(sketched("across_64", endless)) == 63
    assert sketched("across_64", endless)[-1] == ".{a*1}w".replace("{a*1}", "a" * 70)


def test_replays_are_around_and_over_the_size_of_a_piece() -> None:
    assert sketched("long_replay") == [
        *(f"w{{.*{length}}}(/a)" for length in (4094, 4095, 4096, 8999)),
        "w{.*5000}(/a)[xw",
    ]
    assert sketched("long_replay", PREFIX) == []
    twice = Dialect("t", "T", {"answer_close": ("1", "2"), "calls_open": ("3", "4")})
    assert [raw[-2:] for raw in sketched("long_replay", twice)] == ["}1"] * 4 + ["3w"]


def test_white_space_is_longer_than_any_marker() -> None:
    assert sketched("long_space") == ["w{ *5}w<c>w{ *5}w", "w{ *5}"]
    assert kinds("long_space") == {("space", " ", ""), ("marker", "<c>", "reasoning_close")}
    several = Dialect("s", "S", {"reasoning_close": ("ab", "cd")})
    assert sketched("long_space", several) == ["w{ *3}wabw{ *3}w", "w{ *3}"]
    assert sketched("long_space", Dialect("n", "N", {"framing": ("#",)})) == ["w{ *2}ww{ *2}w", "w{ *2}"]


def test_every_marker_stands_in_one_output_both_ways_round() -> None:
    two = Dialect("two", "Two", {"reasoning_close": ("##",), "framing": ("abc",)})
    assert sketched("everything", two) == [
        "w##wabc", "w##wabc\nw##wabc", "##abc", "w##wabc{.*300}w##wabc",
        "wabcw##", "wabcw##\nwabcw##", "abc##", "wabcw##{.*300}wabcw##",
    ]  # fmt: skip
    assert ("space", "\n", "") in kinds("everything", two)


def test_what_fills_a_text_stands_in_no_marker_and_no_atom() -> None:
    assert long_shapes.filler(Pieces(MADE), 3) == Piece("text", ".", times=3)
    dotted = Dialect("dotted", "Dotted", {"framing": (".-",)}, atoms=("+",))
    assert long_shapes.filler(Pieces(dotted), 2) == Piece("text", "~", times=2)
    every = Dialect("every", "Every", {"framing": (".-+~",)})
    assert long_shapes.filler(Pieces(every), 1) == Piece("text", "·")
