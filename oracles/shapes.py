"""The grammar's productions: named shapes, written from a dialect's markers."""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from oracles.dialects import Dialect
from oracles.pieces import WORD, Output, Piece, Pieces

ROLE_NAMES = {
    "open": "reasoning_open",
    "close": "reasoning_close",
    "answer": "answer_open",
    "/answer": "answer_close",
    "call": "calls_open",
    "/call": "calls_close",
    "frame": "framing",
}
SPACES = {"_": " ", "__": "   ", "n": "\n", "nn": "\n\n", "crlf": "\r\n", "cr": "\r", "tab": "\t", "vt": "\v\f"}
TEXTS = {
    "nul": "\0",
    "accent": "e\u0301",
    "composed": "\u00e9",
    "astral": "\U0001f600",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "rtl": "\u202e",
    "bom": "\ufeff",
    "nel": "\u0085",
    "nbsp": "\u00a0",
    "ls": "\u2028",
    "ideographic": "\u3000",
    "us": "\x1f",
    "replacement": "\ufffd",
    "cjk": "\u601d\u8003",
    "fence": "```",
}
"""Characters that readers stumble over. Those that some languages take for white space stand between words alone."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A production: its id, what it is in words, and where its kind of output was reported ("" where it wasn't).

    ``patterns`` are read by ``Writer``; ``write`` adds outputs that no pattern can say. ``cut``: how
    its outputs are cut: ``full``, or, where they differ in an offset alone, ``brief``, or ``edges`` for what is about
    the edges of large chunks.
    """

    id: str
    title: str
    patterns: tuple[str, ...] = ()
    known_as: str = ""
    write: Callable[[Pieces], Iterator[Output]] | None = None
    cut: str = "full"

    def outputs(self, dialect: Dialect) -> list[Output]:
        """The shape's outputs in a dialect, none where it lacks a role they need."""
        writer = Writer(Pieces(dialect))
        found: dict[str, Output] = {}
        for pattern in self.patterns:
            for output in writer.write(pattern, self.id):
                known = found.setdefault(output.raw, output)
                if known.opened != output.opened:
                    meant = {**known.intended, **output.intended}
                    found[output.raw] = replace(known, opened=None, intended=meant)
        for output in self.write(writer.pieces) if self.write else ():
            found.setdefault(output.raw, replace(output, shape=self.id))
        return list(found.values())


class Writer:
    """Writes the outputs that a pattern stands for.

    A pattern is ``on`` or ``off`` (reasoning opened or not by the prompt) and ``=`` (the meaning is known) or ``:``
    (a policy may change it), then symbols: ``w`` a word, ``R`` and ``C`` words meant for reasoning and content,
    white space and odd text by name, markers by role (``open close answer /answer call /call frame``), and of a
    marker ``.cut`` (every length), ``.half``, ``.upper``, ``.loose`` (what a careless search takes for it); ``~`` every
    look-alike, ``!`` every foreign marker.
    ``@R`` and ``@C`` behind a symbol: text of that channel. A symbol that stands for several things gives an output
    each.
    """

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces

    def write(self, pattern: str, shape: str) -> Iterator[Output]:
        """The outputs of a pattern, none where the dialect lacks a role it needs."""
        head, *symbols = pattern.split()
        choices = [[(piece, meant) for piece in self._choices(name)] for name, meant in map(self._meant, symbols)]
        for chosen in itertools.product(*choices):
            written = self.pieces.output([piece for piece, _ in chosen], shape)
            opened = head.startswith("on")
            if not head.endswith("="):
                yield replace(written, opened=opened)
                continue
            texts = {"R": "", "C": ""}
            for place, (_, meant) in enumerate(chosen):
                if meant:
                    texts[meant] += written.pieces[place].whole
            yield Output(written.pieces, shape, {opened: (texts["R"], texts["C"])}, opened)

    def _alike(self, texts: Iterable[str]) -> list[Piece]:
        own = self.pieces.dialect.all_markers
        return [Piece("alike", text) for text in texts if not any(marker in text for marker in own)]

    def _meant(self, symbol: str) -> tuple[str, str]:
        name, _, channel = symbol.partition("@")
        if name in ("R", "C"):
            return "w", name
        return name, channel or ("C" if name in ("call", "/call") else "")

    def _choices(self, name: str) -> list[Piece]:
        if name == "w":
            return [WORD]
        if name in SPACES:
            return [Piece("space", SPACES[name])]
        if name in TEXTS:
            return [Piece("text", TEXTS[name])]
        if name == "~":
            return list(self.pieces.look_alikes)
        if name == "!":
            return list(self.pieces.foreign)
        role, _, form = name.partition(".")
        markers = [piece for piece in self.pieces.markers if piece.role == ROLE_NAMES[role]]
        if form == "cut":
            cuts = [cut for marker in markers for cut in self.pieces.cuts(marker)]
            return [cut for cut in cuts if cut.text not in self.pieces.dialect.all_markers]
        if form == "half":
            return [Piece("cut", marker.text[: max(1, len(marker.text) // 2)], marker.role) for marker in markers]
        if form == "upper":
            return self._alike(marker.text.upper() for marker in markers)
        if form == "loose":
            return self._alike(text for marker in markers for text in _loose(marker.text))
        return markers


def _loose(marker: str) -> Iterator[str]:
    """The marker with its name drawn out, with white space in it, with an attribute, and escaped for HTML."""
    head, last = marker[:-1], marker[-1]
    yield f"{head}ing{last}"
    yield f"{head} {last}"
    yield f"{marker[:1]} {marker[1:]}"
    yield f'{head} id="1"{last}'
    yield html.escape(marker)
