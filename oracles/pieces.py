"""What outputs are made of: words, white space, markers, and what only looks like one."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from oracles.dialects import ROLES, Dialect

LETTERS = string.ascii_lowercase + string.ascii_uppercase + string.digits
LOOK_ALIKES = ("<", "</", "<|", "<thin", "[", "[/", "]<]", "Here is my")
FOREIGN = (
    "<think>",
    "</think>",
    "[THINK]",
    "<|channel|>",
    "<|END_THINKING|>",
    "◁think▷",
    "<tool_call>",
    "<seed:think>",
)
"""Markers of other dialects; those that hold or spell one of a dialect's own are left out for it."""
LOOSE = "ing id=1 &lt;&gt;&amp;&quot;&#x27;"
"""What stands in text that only a careless search takes for a marker."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an output.

    ``kind``: ``word`` (once an output: one letter that stands in no marker, or a word of a recorded output), ``space``,
    ``marker``, ``cut`` (the beginning of a marker), ``alike``, ``foreign`` or ``text`` (anything else).
    ``role``: of a marker or a cut one, the first it holds. ``times``: how often ``text`` is repeated.
    """

    kind: str
    text: str
    role: str = ""
    times: int = 1

    @property
    def whole(self) -> str:
        """The text, repeated as often as it is."""
        return self.text * self.times


@dataclass(frozen=True)
class Output:
    """A raw output with its pieces; ``shape`` is the id of the production that wrote it, or "".

    ``intended``: ``opened`` to (reasoning, content), for outputs whose meaning no policy changes.
    ``opened``: the kind of request the shape is about, None for both.
    ``known_as``: where the output was reported, "" for one that was made.
    """

    pieces: tuple[Piece, ...]
    shape: str = ""
    intended: Mapping[bool, tuple[str, str]] = field(default_factory=dict, compare=False)
    opened: bool | None = field(default=None, compare=False)
    known_as: str = field(default="", compare=False)

    @cached_property
    def raw(self) -> str:
        """The text of the output."""
        return "".join([piece.whole for piece in self.pieces])

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The texts of the words, in order, of those that stand in ``raw`` once."""
        return tuple([piece.text for piece in self.pieces if piece.kind == "word" and self.raw.count(piece.text) == 1])

    @cached_property
    def edges(self) -> tuple[int, ...]:
        """The offsets at which pieces begin and end."""
        offsets = [0]
        for piece in self.pieces:
            offsets.append(offsets[-1] + len(piece.whole))
        return tuple(dict.fromkeys(offsets))


class Pieces:
    """The pieces that a dialect's declaration gives."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        taken = set("".join((*dialect.all_markers, *dialect.atoms, *LOOK_ALIKES, *FOREIGN, LOOSE)))
        own = set("".join((*dialect.all_markers, *dialect.atoms)))
        self.letters = [letter for letter in LETTERS if letter not in taken] + [
            letter for letter in LETTERS if letter in taken and letter not in own
        ]
        """The letters of words, in the order in which an output takes them."""
        self.markers = tuple(Piece("marker", marker, _role(dialect, marker)) for marker in dialect.all_markers)
        self.look_alikes = tuple(Piece("alike", text) for text in self._strange(LOOK_ALIKES))
        self.foreign = tuple(Piece("foreign", text) for text in self._strange(FOREIGN))

    def word(self, number: int) -> Piece:
        """The word at place ``number`` (from 0) among an output's words; a word that finds no letter is text."""
        if number < len(self.letters):
            return Piece("word", self.letters[number])
        return Piece("text", self.letters[number % len(self.letters)] if self.letters else "·")

    def cuts(self, marker: Piece) -> tuple[Piece, ...]:
        """A marker cut short, at every length."""
        return tuple(Piece("cut", marker.text[:length], marker.role) for length in range(1, len(marker.text)))

    @cached_property
    def alphabet(self) -> tuple[Piece, ...]:
        """The symbols of short words: a word, two white spaces, every marker, some cut markers, a look-alike."""
        word = Piece("word", self.letters[0] if self.letters else "·")
        cuts: dict[str, Piece] = {}
        for role in ("reasoning_open", "reasoning_close", "answer_close"):
            for marker in self.dialect.of(role)[:1]:
                cuts.setdefault(marker[:-1], Piece("cut", marker[:-1], role))
        closer = (self.dialect.of("reasoning_close") or self.dialect.all_markers)[0]
        half = closer[: max(1, len(closer) // 2)]
        cuts.setdefault(half, Piece("cut", half, _role(self.dialect, closer)))
        first = closer[:1]
        alikes = [] if first in cuts else [Piece("alike", first)]
        usable = [cut for cut in cuts.values() if cut.text and cut.text not in self.dialect.all_markers]
        return (word, Piece("space", " "), Piece("space", "\n"), *self.markers, *usable, *alikes)

    @cached_property
    def core(self) -> tuple[Piece, ...]:
        """The symbols of longer words: a word, a space, and the first marker of each role."""
        firsts = dict.fromkeys(markers[0] for role in ROLES if (markers := self.dialect.of(role)))
        return (self.alphabet[0], Piece("space", " "), *(piece for piece in self.markers if piece.text in firsts))

    def output(self, symbols: Iterable[Piece], shape: str = "") -> Output:
        """An output of those symbols, each word given a letter of its own."""
        pieces: list[Piece] = []
        words = 0
        for symbol in symbols:
            if symbol.kind == "word":
                symbol = self.word(words)
                words += 1
            pieces.append(symbol)
        return Output(tuple(pieces), shape)

    def _strange(self, texts: Iterable[str]) -> list[str]:
        own = self.dialect.all_markers
        return [text for text in texts if not any(marker in text for marker in own)]


def _role(dialect: Dialect, marker: str) -> str:
    return next(role for role in ROLES if marker in dialect.of(role))
