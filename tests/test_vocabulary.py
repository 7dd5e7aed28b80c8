"""Facts about vocabularies: which ids a text has, and where no chunk may end while atoms arrive whole."""

from __future__ import annotations

import random

import pytest

from oracles.dialects import REGISTRY, Dialect
from oracles.pieces import Pieces
from oracles.vocabulary import FIRST_ATOM, Vocabulary

NESTED = Dialect("nested", "Nested", {"reasoning_open": ("<a>",)}, atoms=("<a>", "<a>b", "><", "aa"))
"""Atoms that begin each other, hold each other's beginnings, and overlap themselves."""

EVERY = [*map(REGISTRY.get, REGISTRY.ids()), NESTED]


def texts(dialect: Dialect, count: int = 200) -> list[str]:
    """Random texts of the dialect's atoms, their parts, and other characters."""
    draw = random.Random(dialect.id)
    parts = [
        atom[start:end]
        for atom in dialect.atoms
        for start in range(len(atom))
        for end in range(start + 1, len(atom) + 1)
    ]
    parts += [*dialect.atoms * 20, "x", "\n", "é", "\U0001f600", "\ud800"]
    return ["".join(draw.choices(parts, k=draw.randint(0, 8))) for _ in range(count)]


def spelled(dialect: Dialect, text: str) -> list[tuple[int, int]]:
    """Where the text spells an atom, overlapping ones too: start and end."""
    return [
        (start, start + len(atom))
        for atom in set(dialect.atoms)
        for start in range(len(text))
        if text.startswith(atom, start)
    ]


def test_a_character_has_its_code_point_and_an_atom_the_number_of_its_declaration():
    vocabulary = Vocabulary(REGISTRY.get("qwen3"))
    ids, ends = vocabulary.tokens("a</think>\U0001f600<think")
    assert ids == (97, FIRST_ATOM + 1, 0x1F600, *map(ord, "<think"))
    assert list(ends) == [1, 9, 10, 11, 12, 13, 14, 15, 16]
    assert FIRST_ATOM > 0x10FFFF


def test_no_text_has_no_ids():
    for dialect in EVERY:
        ids, ends = Vocabulary(dialect).tokens("")
        assert (ids, list(ends), Vocabulary(dialect).inside("")) == ((), [], set())


def test_the_longest_of_two_atoms_that_begin_alike_counts():
    vocabulary = Vocabulary(NESTED)
    assert vocabulary.tokens("<a>b")[0] == (vocabulary.ids["<a>b"],)
    assert vocabulary.tokens("<a>c")[0] == (vocabulary.ids["<a>"], ord("c"))


def test_the_first_of_two_atoms_that_overlap_counts():
    vocabulary = Vocabulary(NESTED)
    assert vocabulary.tokens("<a><")[0] == (vocabulary.ids["<a>"], ord("<"))
    assert vocabulary.tokens("aaa")[0] == (vocabulary.ids["aa"], ord("a"))


@pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.id)
def test_tokens_spell_the_text(dialect):
    vocabulary = Vocabulary(dialect)
    spelling = {id: atom for atom, id in vocabulary.ids.items()}
    assert len(spelling) == len(dialect.atoms)
    for text in texts(dialect):
        ids, ends = vocabulary.tokens(text)
        parts = [spelling.get(id) or chr(id) for id in ids]
        assert "".join(parts) == text
        assert list(ends) == [len("".join(parts[: number + 1])) for number in range(len(parts))]


@pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.id)
def test_no_atom_is_spelled_by_single_characters_unless_it_overlaps_another(dialect):
    vocabulary = Vocabulary(dialect)
    for text in texts(dialect):
        ids, ends = vocabulary.tokens(text)
        taken = [
            (end - len(atom), end)
            for id, end in zip(ids, ends, strict=True)
            for atom in dialect.atoms
            if vocabulary.ids[atom] == id
        ]
        for start, end in spelled(dialect, text):
            assert any(start < other_end and other_start < end for other_start, other_end in taken)


@pytest.mark.parametrize("dialect", EVERY, ids=lambda dialect: dialect.id)
def test_the_forbidden_offsets_are_those_inside_any_atom_that_the_text_spells(dialect):
    vocabulary = Vocabulary(dialect)
    for text in texts(dialect):
        inside = {offset for start, end in spelled(dialect, text) for offset in range(start + 1, end)}
        assert vocabulary.inside(text) == inside


@pytest.mark.parametrize("dialect", EVERY[:-1], ids=lambda dialect: dialect.id)
def test_two_pieces_that_meet_spell_an_atom_like_one(dialect):
    """A marker cut short with its rest behind it is the marker, and so are its atoms."""
    vocabulary = Vocabulary(dialect)
    for marker in Pieces(dialect).markers:
        atoms = spelled(dialect, marker.text)
        for place in range(1, len(marker.text)):
            joined = marker.text[:place] + marker.text[place:]
            assert (place in vocabulary.inside(joined)) == any(start < place < end for start, end in atoms)


def test_a_dialect_without_atoms_forbids_nothing():
    vocabulary = Vocabulary(Dialect("bare", "Bare", {"reasoning_open": ("<a>",)}))
    ids, ends = vocabulary.tokens("<a>")
    assert (ids, list(ends)) == (tuple(map(ord, "<a>")), [1, 2, 3])
    assert vocabulary.inside("<a>") == set()
