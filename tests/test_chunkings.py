"""Facts about chunkings: every way of DESIGN section 5 to cut an output, and where its ids go."""

from __future__ import annotations

import itertools
import random
from bisect import bisect_right

import pytest
from representatives import each_dialect

from conformance.chunkings import SHORT, SIZES, Chunker, Chunking
from oracles.dialects import REGISTRY, Dialect
from oracles.pieces import Output, Piece, Pieces
from oracles.vocabulary import Vocabulary

LENGTHS = (0, 1, 5, 40, 300, 5000)
DIALECTS = tuple(map(REGISTRY.get, ("qwen3", "kimi_k3", "gpt_oss", "minimax_m3")))
EVERY = tuple(map(REGISTRY.get, REGISTRY.ids()))
UNITS = ("text", "tokens")
METHODS = ("brief", "cut", "full", "edges", "long")


def of_length(dialect: Dialect, length: int) -> Output:
    """An output of so many characters, with markers where they find room."""
    pieces: list[Piece] = []
    room = length
    for number, marker in enumerate(itertools.cycle(Pieces(dialect).markers)):
        word = Piece("text", "." * min(room, 3 + number % 5))
        if len(marker.text) + len(word.text) > room or number > 20:
            break
        pieces += [word, marker]
        room -= len(word.text) + len(marker.text)
    if room:
        pieces.append(Piece("text", ".", times=room))
    return Output(tuple(pieces))


def samples(dialect: Dialect) -> list[Output]:
    """An output of each length, short words, and markers that two pieces spell."""
    pieces = Pieces(dialect)
    draw = random.Random(dialect.id)
    words = [pieces.output(draw.choices(pieces.alphabet, k=draw.randint(0, 6))) for _ in range(30)]
    halves = [
        pieces.output([Piece("cut", text[:place], marker.role), Piece("text", text[place:]), Piece("word", "")])
        for marker in pieces.markers
        for text in [marker.text]
        for place in (1, len(text) // 2, len(text) - 1)
        if 0 < place < len(text)
    ]
    return [of_length(dialect, length) for length in LENGTHS] + words + halves


def made(dialect: Dialect, unit: str, output: Output) -> list[Chunking]:
    """Every chunking that any method gives."""
    chunker = Chunker(dialect, unit)
    return [*(chunking for method in METHODS for chunking in getattr(chunker, method)(output)), chunker.whole(output)]


def cuts_of(chunking: Chunking) -> tuple[int, ...]:
    """The offsets inside the output at which it is cut."""
    return tuple(sorted({end for end in chunking.ends if 0 < end < chunking.ends[-1]}))


def spans(chunking: Chunking) -> list[tuple[int, int]]:
    """Where each chunk's text stands in the output."""
    return list(zip((0, *chunking.ends), chunking.ends, strict=False))


def empties(chunking: Chunking) -> set[int]:
    """The offsets at which an empty chunk without ids stands."""
    return {end for end, chunk in zip(chunking.ends, chunking.chunks, strict=True) if not chunk.text and not chunk.ids}


def placed(output: Output) -> list[tuple[int, int]]:
    """Where the markers of an output stand, cut ones too: start and length."""
    starts = itertools.accumulate((len(piece.whole) for piece in output.pieces), initial=0)
    return [
        (at, len(piece.whole))
        for at, piece in zip(starts, output.pieces, strict=False)
        if piece.kind in ("marker", "cut")
    ]


# What is there


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
@pytest.mark.parametrize("length", LENGTHS)
def test_every_way_to_cut_is_there(dialect, length):
    output = of_length(dialect, length)
    assert len(output.raw) == length
    chunkings = Chunker(dialect).full(output)
    plain = {
        cuts_of(chunking)
        for chunking in chunkings
        if not chunking.special and len(set(chunking.ends)) == len(chunking.ends)
    }
    inner = range(1, length)

    assert () in plain
    assert tuple(inner) in plain
    for size in SIZES:
        assert tuple(range(size, length, size)) in plain
    for step in ([-1], [0], [1], [-1, 0, 1]):
        assert tuple(sorted({edge + by for edge in output.edges for by in step} & {*inner})) in plain
    _, ends = Vocabulary(dialect).tokens(output.raw)
    assert tuple(end for end in ends if end < length) in plain
    markers = placed(output)
    for offset in range(1, max((size for _, size in markers), default=0)):
        assert tuple(start + offset for start, size in markers if offset < size) in plain


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
@pytest.mark.parametrize("length", [length for length in LENGTHS if length <= SHORT])
def test_a_short_output_is_cut_in_two_at_every_offset(dialect, length):
    plain = {
        cuts_of(chunking) for chunking in Chunker(dialect).full(of_length(dialect, length)) if not chunking.special
    }
    assert {(cut,) for cut in range(1, length)} <= plain


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
@pytest.mark.parametrize("length", [length for length in LENGTHS if length > SHORT])
def test_a_long_output_is_cut_at_every_offset_once_further_apart_than_two_markers(dialect, length):
    strided = [
        cuts_of(chunking)
        for chunking in Chunker(dialect).full(of_length(dialect, length))
        if chunking.name == "cut at every offset in turn"
    ]
    assert sorted(cut for cuts in strided for cut in cuts) == list(range(1, length))
    assert all(later - earlier > 2 * dialect.longest for cuts in strided for earlier, later in itertools.pairwise(cuts))


def test_every_size_of_the_design_is_there():
    assert sorted(SIZES) == [2, 3, 5, 7, 11, 64, 4096]


@pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.id)
def test_each_marker_is_cut_at_each_of_its_offsets_wherever_it_stands(dialect):
    chunker = Chunker(dialect)
    for marker in Pieces(dialect).markers:
        output = Output((Piece("text", "."), marker, Piece("text", ".."), marker, Piece("text", ".")))
        second = 3 + len(marker.text)
        for method in ("cut", "full", "long"):
            cut = {cut for chunking in getattr(chunker, method)(output) for cut in cuts_of(chunking)}
            inside = range(1, len(marker.text))
            assert {1 + offset for offset in inside} | {second + offset for offset in inside} <= cut


@pytest.mark.parametrize("length", [length for length in LENGTHS if length > SHORT])
def test_several_tokens_a_chunk_are_one_to_eight(length):
    """Of an output of some length, and every number of them occurs."""
    output = of_length(REGISTRY.get("kimi_k3"), length)
    groups = [
        len(chunk.ids)
        for chunking in Chunker(REGISTRY.get("kimi_k3")).full(output)
        if chunking.name == "several tokens a chunk"
        for chunk in chunking.chunks
    ]
    assert set(groups) == set(range(1, 9))


@pytest.mark.parametrize("length", [length for length in LENGTHS if length > SHORT])
def test_random_cuts_are_few_and_many(length):
    output = of_length(REGISTRY.get("qwen3"), length)
    few, many = (
        len(cuts_of(chunking)) / length
        for chunking in Chunker(REGISTRY.get("qwen3")).full(output)
        if chunking.name == "random"
    )
    assert 0 < few < 0.3 < many < 0.7


@pytest.mark.parametrize("length", LENGTHS[1:])
def test_empty_chunks_stand_between_the_pieces_before_and_behind(length):
    output = of_length(REGISTRY.get("qwen3"), length)
    (chunking,) = [
        found for found in Chunker(REGISTRY.get("qwen3")).full(output) if found.name == "empty chunks between"
    ]
    assert tuple(text for text in chunking.texts if text) == tuple(
        output.raw[start:end] for start, end in itertools.pairwise(output.edges)
    )
    assert empties(chunking) == {*output.edges}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
def test_an_empty_chunk_stands_at_every_offset_of_a_short_output_in_the_middle_of_a_marker_too(dialect, unit):
    for output in samples(dialect):
        if 0 < len(output.raw) <= SHORT:
            offsets = {*range(len(output.raw) + 1)} - (
                Vocabulary(dialect).inside(output.raw) if unit == "tokens" else set()
            )
            stand = {
                place for found in Chunker(dialect, unit).full(output) if not found.special for place in empties(found)
            }
            assert stand == offsets


@pytest.mark.parametrize("length", LENGTHS[1:])
def test_all_ids_come_before_the_text_once(length):
    dialect = REGISTRY.get("qwen3")
    output = of_length(dialect, length)
    (chunking,) = [found for found in Chunker(dialect).full(output) if found.name == "all ids before the text"]
    ids, _ = Vocabulary(dialect).tokens(output.raw)
    assert [(chunk.text, chunk.ids) for chunk in chunking.chunks] == [("", ids), (output.raw, ())]


def test_text_lags_the_ids_of_its_piece():
    """A chunk for each id but the last, without text, then the piece's text with its last id."""
    dialect = REGISTRY.get("kimi_k3")
    opener = Piece("marker", "<|open|>think<|sep|>", "reasoning_open")
    output = Output((Piece("text", "ab"), opener, Piece("word", "x")))
    (chunking,) = [found for found in Chunker(dialect).full(output) if found.name == "text lags its ids"]
    ids, _ = Vocabulary(dialect).tokens(output.raw)
    assert [(chunk.text, chunk.ids) for chunk in chunking.chunks] == [
        ("", (ord("a"),)),
        ("ab", (ord("b"),)),
        *(("", (id,)) for id in ids[2:8]),
        ("<|open|>think<|sep|>", (ids[8],)),
        ("x", (ord("x"),)),
    ]
    assert chunking.ends == (0, 2, 2, 2, 2, 2, 2, 2, 22, 23)


def test_the_empty_output_comes_in_no_chunk_in_one_and_in_empty_ones():
    for method in METHODS:
        chunkings = getattr(Chunker(REGISTRY.get("qwen3")), method)(Output(()))
        assert [chunking.texts for chunking in chunkings] == [(), ("",), ("", "", "")]
        assert [chunking.ends for chunking in chunkings] == [(), (0,), (0, 0, 0)]


def test_the_whole_comes_first_and_a_character_a_chunk_last():
    """Of the plain ones: a violation is told of the coarsest that shows it."""
    for length in LENGTHS[2:]:
        output = of_length(REGISTRY.get("qwen3"), length)
        for method in ("brief", "cut", "full"):
            every = getattr(Chunker(REGISTRY.get("qwen3")), method)(output)
            plain = [found for found in every if not found.special and not empties(found)]
            assert plain[0].texts == (output.raw,)
            assert plain[-1].texts == tuple(output.raw)


# What holds of each


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
def test_chunks_put_together_give_the_text_and_every_id_once_and_in_order(dialect, unit):
    vocabulary = Vocabulary(dialect)
    for output in samples(dialect):
        ids, _ = vocabulary.tokens(output.raw)
        for chunking in made(dialect, unit, output):
            assert "".join(chunking.texts) == output.raw
            assert tuple(id for chunk in chunking.chunks for id in chunk.ids) == ids
            assert [output.raw[start:end] for start, end in spans(chunking)] == list(chunking.texts)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
def test_an_id_belongs_to_the_chunk_that_holds_its_last_character(dialect, unit):
    vocabulary = Vocabulary(dialect)
    for output in samples(dialect):
        ids, ends = vocabulary.tokens(output.raw)
        at = dict(zip(ends, ids, strict=True))
        for chunking in made(dialect, unit, output):
            if not chunking.special:
                told = [
                    tuple(at[place] for place in range(start + 1, end + 1) if place in at)
                    for start, end in spans(chunking)
                ]
                assert told == [chunk.ids for chunk in chunking.chunks]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
def test_text_never_comes_before_its_ids_where_it_lags(dialect):
    vocabulary = Vocabulary(dialect)
    for output in samples(dialect):
        _, ends = vocabulary.tokens(output.raw)
        for chunking in Chunker(dialect).special(output):
            told = 0
            for chunk, end in zip(chunking.chunks, chunking.ends, strict=True):
                told += len(chunk.ids)
                assert told >= bisect_right(ends, end)


@each_dialect("dialect", REGISTRY.get)
def test_no_chunk_of_tokens_ends_inside_an_atom(dialect):
    """Not of any atom that the text spells, also where two pieces meet and spell it."""
    for output in samples(dialect):
        raw = output.raw
        inside = {
            place
            for atom in dialect.atoms
            for start in range(len(raw))
            if raw.startswith(atom, start)
            for place in range(start + 1, start + len(atom))
        }
        for chunking in made(dialect, "tokens", output):
            assert not inside & {*chunking.ends}, (raw, chunking.name)


@each_dialect("dialect", REGISTRY.get)
def test_chunks_of_tokens_end_wherever_else_they_could(dialect):
    """A character a chunk, atoms aside."""
    vocabulary = Vocabulary(dialect)
    for output in samples(dialect):
        if output.raw and len(output.raw) < 1000:
            finest = max(Chunker(dialect, "tokens").full(output), key=lambda found: len({*found.ends}))
            assert {*finest.ends} - {0} == set(range(1, len(output.raw) + 1)) - vocabulary.inside(output.raw)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
def test_no_plain_chunking_comes_twice(dialect, unit):
    for output in samples(dialect):
        for method in METHODS:
            plain = [found.chunks for found in getattr(Chunker(dialect, unit), method)(output) if not found.special]
            assert len(plain) == len(set(plain))


def test_what_stands_at_the_ends_is_picked():
    """As a tuple where there are two or more, else as it is, or as nothing."""
    chunker = Chunker(REGISTRY.get("qwen3"))
    output = of_length(REGISTRY.get("qwen3"), 5)
    assert chunker.at(output, [2, 3]).pick("abcdef") == ("c", "d", "f")
    assert chunker.whole(output).pick("abcdef") == "f"
    assert chunker.ending(Output(()), []).pick("a") == ()


# Sameness


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("unit", UNITS)
def test_the_same_seed_gives_the_same_chunkings_in_whatever_order_outputs_come(unit, seed):
    dialect = REGISTRY.get("kimi_k3")
    outputs = samples(dialect)
    one, other = Chunker(dialect, unit, seed), Chunker(dialect, unit, seed)
    for method in METHODS:
        first = {output: getattr(one, method)(output) for output in outputs}
        again = {output: getattr(other, method)(output) for output in reversed(outputs)}
        assert first == again


def test_another_seed_gives_other_random_cuts_and_no_other_difference():
    dialect = REGISTRY.get("kimi_k3")
    output = of_length(dialect, 300)
    one, other = (set(Chunker(dialect, seed=seed).full(output)) for seed in (1, 2))
    assert one != other
    assert {found.name for found in one ^ other} == {"random", "several tokens a chunk"}


def test_equal_texts_of_other_pieces_have_the_same_random_cuts():
    """What is random depends on the text and the seed alone."""
    dialect = REGISTRY.get("qwen3")
    output = of_length(dialect, 300)
    same = Output((Piece("text", output.raw),))
    one, other = (
        [found for found in Chunker(dialect).full(each) if found.name in ("random", "several tokens a chunk")]
        for each in (output, same)
    )
    assert one == other


# Chunkings as asked for


def test_whole_is_one_chunk_with_every_id():
    dialect = REGISTRY.get("qwen3")
    for output in samples(dialect):
        chunking = Chunker(dialect).whole(output)
        assert chunking.texts == (output.raw,)
        assert chunking.ends == (len(output.raw),)
        assert chunking.chunks[0].ids == Vocabulary(dialect).tokens(output.raw)[0]


def test_at_cuts_where_it_is_told_to():
    output = Output((Piece("text", "abcdef"),))
    assert Chunker(REGISTRY.get("qwen3")).at(output, [2, 4]).texts == ("ab", "cd", "ef")


def test_at_leaves_out_what_tokens_forbid():
    output = Output((Piece("text", "ab"), Piece("marker", "<think>", "reasoning_open"), Piece("text", "cd")))
    assert Chunker(REGISTRY.get("qwen3"), "tokens").at(output, range(1, 11)).texts == ("a", "b", "<think>", "c", "d")


def test_ending_gives_the_chunks_that_end_there_empty_ones_too():
    output = Output((Piece("text", "abc"),))
    chunking = Chunker(REGISTRY.get("qwen3")).ending(output, [0, 1, 1, 3, 3])
    assert chunking.texts == ("", "a", "", "bc", "")
    assert [chunk.ids for chunk in chunking.chunks] == [(), (97,), (), (98, 99), ()]
    assert chunking.ends == (0, 1, 1, 3, 3)


def test_ending_nowhere_is_no_chunk_of_the_empty_output():
    chunking = Chunker(REGISTRY.get("qwen3")).ending(Output(()), [])
    assert (chunking.chunks, chunking.ends) == ((), ())


@pytest.mark.parametrize("ends", [[], [2], [4], [2, 1, 3], [-1, 3], [3, 2]])
def test_ends_that_do_not_make_up_the_output_are_refused(ends):
    output = Output((Piece("text", "abc"),))
    with pytest.raises(ValueError, match="don't make up 3 characters"):
        Chunker(REGISTRY.get("qwen3")).ending(output, ends)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.id)
def test_ending_repeats_every_plain_chunking(dialect, unit):
    chunker = Chunker(dialect, unit)
    for output in samples(dialect):
        for chunking in chunker.full(output):
            if not chunking.special:
                assert chunker.ending(output, chunking.ends).chunks == chunking.chunks
