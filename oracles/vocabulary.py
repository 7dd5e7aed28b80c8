"""The small vocabulary of a dialect: atoms that always arrive whole, and ids for everything."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence

from oracles.dialects import Dialect

FIRST_ATOM = 0x110000
"""The id of a dialect's first atom; smaller ids are the code points of characters."""


class Vocabulary:
    """Token ids of a dialect: each atom is one token, and each character that is in none is one.

    ``ids``: atom to id, ``FIRST_ATOM`` and up in the order in which the dialect declares them. A character's id is
    its code point.
    """

    def __init__(self, dialect: Dialect) -> None:
        self.atoms = dialect.atoms
        self.ids = {atom: FIRST_ATOM + number for number, atom in enumerate(self.atoms)}
        ordered = "|".join(re.escape(atom) for atom in sorted(self.atoms, key=len, reverse=True))
        self._atoms = re.compile(ordered) if ordered else None
        self._anywhere = re.compile(f"(?=({ordered}))") if ordered else None

    def tokens(self, text: str) -> tuple[tuple[int, ...], Sequence[int]]:
        """The tokens of a text: their ids, and the offsets at which they end."""
        points = array("I", text.encode("utf-32-le", "surrogatepass"))
        ids: list[int] = []
        ends: list[int] = []
        at = 0
        for match in self._atoms.finditer(text) if self._atoms else ():
            start, end = match.span()
            if start > at:
                ids += points[at:start]
                ends += range(at + 1, start + 1)
            ids.append(self.ids[match.group()])
            ends.append(end)
            at = end
        if not at:
            return tuple(points), range(1, len(text) + 1)
        ids += points[at:]
        ends += range(at + 1, len(text) + 1)
        return tuple(ids), ends

    def inside(self, text: str) -> set[int]:
        """The offsets at which no chunk may end where atoms arrive whole: those inside an atom that the text spells."""
        offsets: set[int] = set()
        for match in self._anywhere.finditer(text) if self._anywhere else ():
            start = match.start()
            for atom in self.atoms:
                if text.startswith(atom, start):
                    offsets.update(range(start + 1, start + len(atom)))
        return offsets
