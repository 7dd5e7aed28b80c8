"""Facts about shapes and what decodes to outputs: every production of DESIGN section 3, written from markers alone."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import pytest
import regex
import representatives

from conformance.chunkings import Chunker
from conformance.ladder import Ladder, Step
from conformance.profiles import PROFILES
from conformance.surprise import Decoder, surprises
from oracles.dialects import REGISTRY, Dialect
from oracles.messages import FINISHES, WHITE_SPACE
from oracles.pieces import Output, Piece, Pieces
from oracles.shape_table import SHAPES, shapes_of, written
from oracles.shapes import ROLE_NAMES

EVERY = tuple(map(REGISTRY.get, REGISTRY.ids()))
KIMI, QWEN, GPT_OSS = map(REGISTRY.get, ("kimi_k3", "qwen3", "gpt_oss"))
each_dialect = pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.id)

NAMES = {role: name for name, role in ROLE_NAMES.items()}


def shapes(dialect: Dialect) -> dict[str, list[Output]]:
    """Shape id to the outputs it has in a dialect."""
    return _shapes(dialect.id)


@cache
def _shapes(id: str) -> dict[str, list[Output]]:
    return {shape.id: outputs for shape, outputs in written(REGISTRY.get(id)).items()}


def every_output(dialect: Dialect) -> list[Output]:
    """All outputs of all shapes."""
    return [output for outputs in shapes(dialect).values() for output in outputs]


def decoder(dialect: Dialect, surrogates: bool = False) -> Decoder:
    """What decodes bytes to outputs of a dialect."""
    return _decoder(dialect.id, surrogates)


@cache
def _decoder(id: str, surrogates: bool) -> Decoder:
    dialect = REGISTRY.get(id)
    return Decoder(Ladder(dialect, Chunker(dialect), PROFILES["quick"]), surrogates)


def decoded(dialect: Dialect, count: int, surrogates: bool = False) -> list[Output]:
    """The outputs of random bytes, the same on every run."""
    draw = random.Random(dialect.id)
    step = decoder(dialect, surrogates).step
    return [step(b"\0" + draw.randbytes(draw.randint(0, 24))).output for _ in range(count)]


def steps_of(dialect: Dialect, profile: str, *wanted: str) -> list[Step]:
    """The steps of some shapes."""
    ladder = Ladder(dialect, Chunker(dialect), PROFILES[profile])
    ladder.written = {shape: outputs for shape, outputs in ladder.written.items() if shape.id in wanted}
    return list(ladder.shapes())


def sketch(output: Output) -> str:
    """An output in symbols: prompt, words as ``w``, white space as ``_``, markers by role, cut ones with a length."""
    symbols = {None: "any", True: "on", False: "off"}[output.opened]
    for piece in output.pieces:
        match piece.kind:
            case "word":
                symbols += " w"
            case "space":
                symbols += " _"
            case "marker":
                symbols += f" {NAMES[piece.role]}"
            case "cut":
                symbols += f" {NAMES[piece.role]}.{len(piece.text)}"
            case "alike" | "foreign":
                symbols += f" {piece.kind}"
            case _:
                symbols += " t"
    return symbols


@dataclass(frozen=True)
class Phrase:
    """A phrase of DESIGN section 3: the shape it became, and a sketch of one of its outputs, as a pattern."""

    says: str
    shape: str
    sketch: str
    dialect: Dialect = QWEN


PHRASES = (
    Phrase("answered", "answered", "on w close w"),
    Phrase("self-opened", "self-opened", "off open w close w"),
    Phrase("empty thought", "empty-thought", "off open close w"),
    Phrase("no closer", "no-closer", "on w"),
    Phrase("words before the opener", "words-before-opener", "off w open w close w"),
    Phrase("opener repeated", "opener-repeated", "on open w close w"),
    Phrase("second block", "second-block", "on w close w open w"),
    Phrase("lone closer", "lone-closer", "off w close w"),
    Phrase("closer first", "closer-first", "off close w"),
    Phrase("quoted opener in reasoning", "opener-repeated", "on w open w close w"),
    Phrase("quoted closer in reasoning", "quoted-closer", "on w close w close w"),
    Phrase("quoted opener in the answer", "quoted-opener", "on w close w open"),
    Phrase("quoted opener in an opened answer", "quoted-opener", "off answer w open w close w /answer", KIMI),
    Phrase("quoted closer in the answer", "quoted-closer", "on w close answer w close w /answer", KIMI),
    Phrase("quoted opener and closer in a call's arguments", "marker-in-call", "off call w open w close w /call w"),
    Phrase("framing inside reasoning", "framing-in-thought", "on w frame w close w", KIMI),
    Phrase("skipped channel: closer last", "skipped", "on w /answer", KIMI),
    Phrase("skipped channel: then framing", "skipped-framing", "on w /answer frame", KIMI),
    Phrase("skipped channel: then white space", "skipped-space", "on w /answer _", KIMI),
    Phrase("skipped channel: then cut marker", "skipped-cut", r"on w /answer frame\.\d+", KIMI),
    Phrase("skipped channel: then exit", "skipped-exit", "on w /answer close w", KIMI),
    Phrase("skipped channel: then answer opener", "skipped-exit", "on w /answer answer w /answer", KIMI),
    Phrase("skipped channel: then a call", "skipped-call", "on w /answer call w /call", KIMI),
    Phrase("skipped channel: quoted and gone past", "answer-closer-quoted", "on w /answer w", KIMI),
    Phrase("call first", "call-first", "off call w /call w"),
    Phrase("call inside open reasoning", "call-in-thought", "on w call w /call w"),
    Phrase("call after the reply", "call-after-reply", "on w close w call w /call"),
    Phrase("call never closed", "call-unclosed", "on w close w call w"),
    Phrase("a marker cut at the end", "cut-at-end", r"any w close\.\d+"),
    Phrase("prefix pairs", "prefix-pairs", r"any w frame\.\d+ w|any frame w", GPT_OSS),
    Phrase("look-alikes", "look-alikes", "on w alike w close w alike w"),
    Phrase("foreign markers", "foreign", "on w foreign w close w foreign w"),
    Phrase("white space and newlines beside every marker", "beside-markers", "off _ open _ w _ close _"),
    Phrase("each marker across 4095/4096", "across-4096", "any t close w"),
    Phrase("any Unicode", "any-unicode", "on w t w close w t w"),
    Phrase("a second calls region", "call-twice", "off call w /call call w /call w"),
    Phrase("a calls closer, then framing", "call-then-marker", "off call w /call frame w", KIMI),
    Phrase(
        "several answer closers in one channel", "answer-closer-repeated", "on w /answer w /answer frame /answer", KIMI
    ),
    Phrase("framing, white space, then the closer as first words", "closer-first", "off frame _ close w", KIMI),
    Phrase("dropped markers whose neighbours join into a marker", "joined-neighbours", r"any close\.4 open w close t"),
    Phrase("markers in upper case", "upper-case", "on w alike w close w alike w"),
    Phrase("a marker across a 64-character chunk edge", "across-64", "any t close w"),
    Phrase("text that begins with a marker's first character", "cut-in-the-middle", r"off open\.\d+ w"),
)

NEEDS = {
    "answered": "",
    "self-opened": "open close",
    "empty-thought": "close",
    "nothing": "",
    "no-closer": "",
    "words-before-opener": "open",
    "space-before-opener": "open close",
    "opener-repeated": "open",
    "second-block": "open close",
    "lone-closer": "close",
    "closer-first": "close",
    "quoted-closer": "close",
    "quoted-opener": "open close",
    "marker-in-call": "call open close|call /call",
    "framing-in-thought": "frame close",
    "framing-anywhere": "frame",
    "skipped": "/answer",
    "skipped-framing": "/answer frame",
    "skipped-space": "/answer",
    "skipped-cut": "/answer frame|/answer close",
    "skipped-exit": "/answer close|/answer answer",
    "skipped-call": "/answer call",
    "answer-closer-quoted": "/answer",
    "answer-closer-repeated": "/answer",
    "answer-opener-anywhere": "answer",
    "call-first": "call",
    "call-in-thought": "call /call|call close|call",
    "call-after-reply": "call close",
    "call-unclosed": "call",
    "call-twice": "call /call",
    "call-then-marker": "call /call close|call /call frame",
    "calls-closer-alone": "/call",
    "cut-at-end": "open|close|answer|/answer|call|frame",
    "cut-in-the-middle": "open|close|answer|/answer|call|frame",
    "look-alikes": "",
    "loose-markers": "open",
    "code-fence": "close|open close|call /call",
    "foreign": "",
    "beside-markers": "close|answer|/answer|call|/call|frame|open",
    "long-space": "",
    "any-unicode": "close|call",
    "joined-neighbours": "open close|frame open|frame close",
    "across-64": "",
    "across-4096": "",
    "long-replay": "/answer",
    "everything": "",
}
"""Shape to the roles it needs, by their short names; ``|`` parts alternatives."""


# The productions


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.says)
def test_the_design_s_phrase_is_a_shape(phrase):
    sketches = [sketch(output) for output in shapes(phrase.dialect)[phrase.shape]]
    assert any(regex.fullmatch(phrase.sketch, each) for each in sketches), sketches


def test_shapes_are_told_apart_by_id_and_title():
    assert len({shape.id for shape in SHAPES}) == len({shape.title for shape in SHAPES}) == len(SHAPES)


def test_soup_of_up_to_two_pieces_is_in_every_profile_and_of_more_in_the_longer_ones():
    pieces = Pieces(QWEN)
    for name, longest in (("quick", 2), ("standard", 3)):
        asked = {step.output.pieces for step in Ladder(QWEN, Chunker(QWEN), PROFILES[name]).words()}
        for length in range(longest + 1):
            several = random.Random(name).choices([*pieces.alphabet], k=length)
            assert pieces.output(several).pieces in asked
        assert len(asked) >= sum(len(pieces.alphabet) ** length for length in range(longest + 1))


def test_calls_come_first_also_where_thinking_is_off():
    asked: dict[str, set[tuple[bool, bool]]] = {}
    for step in steps_of(QWEN, "standard", "call-first"):
        asked.setdefault(step.output.raw, set()).update((each.opened, each.thinking) for each in step.requests)
    assert asked
    assert all(pairs >= {(False, False), (False, True)} for pairs in asked.values())


def test_each_output_is_asked_at_both_finishes():
    """A skipped channel that is cut by length is the same output, asked so."""
    assert FINISHES == ("stop", "length")


@each_dialect
def test_a_dialect_has_exactly_the_shapes_that_its_markers_allow(dialect):
    held = {NAMES[piece.role] for piece in Pieces(dialect).markers}
    allowed = {shape for shape, needs in NEEDS.items() if any(held >= {*roles.split()} for roles in needs.split("|"))}
    markers = dialect.all_markers
    if any(one != other and other.startswith(one) for one in markers for other in markers):
        allowed.add("prefix-pairs")
    raised = {
        role: [each.upper() for each in dialect.of(role) if not any(marker in each.upper() for marker in markers)]
        for role in ("reasoning_open", "reasoning_close", "calls_open")
    }
    if (raised["reasoning_open"] and raised["reasoning_close"]) or raised["calls_open"]:
        allowed.add("upper-case")
    assert {shape.id for shape in shapes_of(dialect)} == allowed


@each_dialect
def test_the_outputs_of_a_shape_bear_its_name_and_are_told_apart_by_their_text(dialect):
    for shape, outputs in shapes(dialect).items():
        assert {output.shape for output in outputs} == {shape}
        assert len({output.raw for output in outputs}) == len(outputs)


def test_every_dialect_together_have_every_shape():
    assert {shape.id for shape in SHAPES} == {shape for dialect in EVERY for shape in shapes(dialect)}


@each_dialect
def test_a_marker_is_cut_at_the_end_at_every_length(dialect):
    """In an answer and in a thought, unless what is left is a marker itself."""
    ends = [output.pieces[-1].text for output in shapes(dialect)["cut-at-end"]]
    for role in set(ROLE_NAMES.values()) - {"calls_close"}:
        for marker in (piece.text for piece in Pieces(dialect).markers if piece.role == role):
            cuts = {marker[:length] for length in range(1, len(marker))} - set(dialect.all_markers)
            assert cuts <= set(ends)


@each_dialect
def test_look_alikes_of_the_design_are_tried_unless_they_are_a_marker(dialect):
    texts = {
        piece.text for output in shapes(dialect)["look-alikes"] for piece in output.pieces if piece.kind == "alike"
    }
    assert {"<", "</", "<|", "<thin"} <= texts


@each_dialect
def test_no_look_alike_and_no_foreign_marker_holds_a_marker(dialect):
    pieces = Pieces(dialect)
    for piece in (*pieces.look_alikes, *pieces.foreign):
        assert not any(marker in piece.text for marker in dialect.all_markers)
    assert len(pieces.foreign) >= 4


@each_dialect
def test_white_space_stands_before_and_behind_every_marker(dialect):
    """Of each role with words on both sides, and of the opener of a thought and its closer."""
    sketches = [sketch(output) for output in shapes(dialect)["beside-markers"]]
    for name in {NAMES[piece.role] for piece in Pieces(dialect).markers} - {"open"}:
        assert any(f" _ {name} _" in each for each in sketches), name


def test_every_kind_of_white_space_stands_beside_a_marker():
    spaces = {
        piece.text for output in shapes(QWEN)["beside-markers"] for piece in output.pieces if piece.kind == "space"
    }
    assert spaces >= {" ", "\n", "\n\n", "\r\n", "\t", "\v\f", "   "}
    assert set("".join(spaces)) == set(WHITE_SPACE)


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "\r\n",
        "e\u0301",
        "\u00e9",
        "\U0001f600",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\u202e",
        "\ufeff",
        "\u601d",
    ],
)
@each_dialect
def test_a_text_that_readers_stumble_over_is_tried(dialect, text):
    """NUL, CR LF, combining and composed, astral, joined, right to left, byte order mark, wide."""
    assert any(text in output.raw for output in every_output(dialect))


@each_dialect
def test_a_carriage_return_is_tried_alone(dialect):
    assert any(regex.search("\r(?!\n)", output.raw) for output in every_output(dialect))


@each_dialect
def test_a_run_of_white_space_longer_than_any_marker_stands_between_words(dialect):
    """Who holds white space until words come holds too much of it."""
    run = regex.compile(rf"(?<=[^\s])[{WHITE_SPACE}]{{{dialect.longest},}}(?=[^\s])")
    assert any(run.search(output.raw) for output in every_output(dialect))


def test_a_dropped_marker_joins_its_neighbours_into_a_marker_that_is_text():
    output = next(each for each in shapes(QWEN)["joined-neighbours"] if each.raw.startswith("</th<think>"))
    word = output.words[0]
    assert output.raw == f"</th<think>{word}</think>ink>"


# Words


@representatives.each_dialect("dialect", REGISTRY.get)
def test_a_word_stands_once_in_its_output_and_in_no_marker(dialect):
    taken = "".join((*dialect.all_markers, *dialect.atoms))
    for output in (*every_output(dialect), *decoded(dialect, 150)):
        for piece in output.pieces:
            if piece.kind == "word":
                assert len(piece.text) == 1
                assert piece.text not in taken
                assert output.raw.count(piece.text) == 1 or output not in every_output(dialect)
        assert all(output.raw.count(word) == 1 for word in output.words)


@each_dialect
def test_words_of_an_output_are_told_apart(dialect):
    pieces = Pieces(dialect)
    many = pieces.output([Piece("word", "")] * 100)
    assert [piece.text for piece in many.pieces if piece.kind == "word"] == pieces.letters
    assert len(set(pieces.letters)) == len(pieces.letters) >= 30


@each_dialect
def test_what_fills_a_long_text_is_in_no_marker(dialect):
    for output in (*shapes(dialect)["across-64"], *shapes(dialect)["across-4096"]):
        filler = output.pieces[0]
        assert filler.times == len(filler.whole)
        assert filler.text not in "".join(dialect.all_markers)


# Edges


@pytest.mark.parametrize(("shape", "edge"), [("across-64", 64), ("across-4096", 4096)])
@each_dialect
def test_each_marker_stands_across_an_edge_at_every_offset(dialect, shape, edge):
    across = {
        (output.raw.find(piece.text), piece.text) for output in shapes(dialect)[shape] for piece in output.pieces[1:2]
    }
    wanted = {(edge - offset, marker) for marker in dialect.all_markers for offset in range(1, len(marker))}
    assert across == wanted


@pytest.mark.parametrize("profile", ["quick", "standard"])
def test_a_marker_across_an_edge_is_cut_there(profile):
    """In chunks as large as the edge, in every profile; at every offset but of the shortest, which leaves some out."""
    for shape, edge in (("across-64", 64), ("across-4096", 4096)):
        steps = steps_of(KIMI, profile, shape)
        assert all(any(edge in chunking.ends for chunking in step.chunkings) for step in steps)
        asked = {step.output.raw for step in steps}
        assert asked <= {output.raw for output in shapes(KIMI)[shape]}
        assert len(asked) == len(shapes(KIMI)[shape]) or profile == "quick"


@each_dialect
def test_a_long_reply_in_the_reasoning_channel_is_a_replay_of_one_piece_of_two_and_of_more(dialect):
    lengths = [output.raw.find(dialect.of("answer_close")[0]) for output in shapes(dialect).get("long-replay", ())]
    assert not dialect.of("answer_close") or set(lengths) >= {4095, 4096, 4097, 9000}


# Characters that are white space to some


def disagreed() -> set[str]:
    """White space to Python, to Unicode or to JavaScript, and none of the six."""
    signs = {chr(code) for code in range(0x110000) if chr(code).isspace()}
    signs |= {sign for sign in map(chr, range(0x10000)) if regex.match(r"\p{White_Space}", sign)}
    return (signs | {"\ufeff"}) - set(WHITE_SPACE)


DISAGREED = disagreed()


def alone(output: Output) -> list[str]:
    """The space-like characters of an output that don't stand between two words, each with its neighbours."""
    found = []
    pieces = output.pieces
    for place, piece in enumerate(pieces):
        if DISAGREED & set(piece.whole):
            beside = [
                pieces[near].whole.strip(WHITE_SPACE) for near in (place - 1, place + 1) if 0 <= near < len(pieces)
            ]
            kinds = [pieces[near].kind for near in (place - 1, place + 1) if 0 <= near < len(pieces)]
            if len(beside) < 2 or not all(beside) or not set(kinds) <= {"word", "text"}:
                found.append(ascii(output.raw))
    return found


@each_dialect
def test_a_character_that_only_some_take_for_white_space_stands_between_words(dialect):
    assert [each for output in every_output(dialect) for each in alone(output)] == []


@representatives.each_dialect("dialect", REGISTRY.get)
def test_so_it_does_in_what_random_bytes_decode_to(dialect):
    outputs = decoded(dialect, 400)
    assert any(DISAGREED & set(output.raw) for output in outputs)
    assert [each for output in outputs for each in alone(output)] == []


# Decoding bytes


def told(profile: str, surrogates: bool = False, number: int | None = None) -> list[Step]:
    """The steps of the Hypothesis rung."""
    steps: list[Step] = []
    surprises(Ladder(QWEN, Chunker(QWEN), PROFILES[profile]), surrogates, number, steps.append)
    return steps


def lone(text: str) -> bool:
    """Whether a text holds a lone surrogate."""
    return any("\ud800" <= sign <= "\udfff" for sign in text)


def test_lone_surrogates_are_decoded_only_where_they_are_asked_for():
    """The bytes 208, 0, 216 and so on name U+D800 and what follows it."""
    for high in range(0xD8, 0xE0):
        data = bytes([0, 208, 0, high, 5])
        assert not lone(decoder(QWEN).step(data).output.raw)
        assert lone(decoder(QWEN, surrogates=True).step(data).output.raw)


@representatives.each_dialect("dialect", REGISTRY.get)
def test_no_lone_surrogate_comes_unasked(dialect):
    assert not any(lone(output.raw) for output in (*every_output(dialect), *decoded(dialect, 150)))


def test_lone_surrogates_come_where_they_are_asked_for():
    assert sum(lone(step.output.raw) for step in told("quick", surrogates=True)) >= 3


def test_no_bytes_decode_to_the_empty_output_of_the_plainest_request():
    step = decoder(QWEN).step(b"")
    assert step.output.raw == ""
    assert [(request.opened, request.thinking) for request in step.requests] == [(True, True)]


@each_dialect
def test_small_bytes_decode_to_simple_outputs(dialect):
    """To words, white space, whole markers, and cut ones, in the order of the alphabet; few bytes to few pieces."""
    alphabet = Pieces(dialect).alphabet
    step = decoder(dialect).step
    assert [step(bytes([0, byte])).output.pieces for byte in range(len(alphabet))] == [(piece,) for piece in alphabet]
    assert [piece.kind for piece in step(bytes(4)).output.pieces] == ["word"] * 3
    assert max(len(step(bytes([0, *range(200, 200 + count)])).output.pieces) for count in range(8)) <= 7 * 12


@representatives.each_dialect("dialect", REGISTRY.get)
def test_any_bytes_decode(dialect):
    draw = random.Random(dialect.id)
    for _ in range(200):
        assert decoder(dialect).step(draw.randbytes(draw.randint(0, 40))).chunkings


def test_the_hypothesis_rung_is_the_same_on_every_run_unless_it_has_a_seed():
    first = told("quick")
    assert len(first) == PROFILES["quick"].examples
    assert first == told("quick")
    assert told("quick", number=1) == told("quick", number=1) != first
