"""The Hypothesis rung: bytes decoded into outputs, for length, Unicode and surprise."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from conformance.ladder import Ladder, Step, symbols_of
from oracles.messages import WHITE_SPACE
from oracles.pieces import Piece
from oracles.shapes import SPACES, TEXTS

SPACE_LIKE = (
    frozenset(map(chr, range(0x20)))
    .union("\x7f\x85\xa0\u1680\u180e\u2028\u2029\u202f\u205f\u3000\ufeff")
    .union(map(chr, range(0x2000, 0x200C)))
    .difference(WHITE_SPACE)
)
"""White space to some languages and not to others: it stands between two words, so that it decides no rule."""


LONE = ("\ud800", "\udc00", "\udfff\ud83d")
"""Lone surrogates, and two of them the wrong way round."""


class Decoder:
    """Decodes bytes into steps of a ladder. ``surrogates``: lone surrogates may occur."""

    def __init__(self, ladder: Ladder, surrogates: bool) -> None:
        self.ladder = ladder
        self.surrogates = surrogates
        self.symbols = symbols_of(ladder.pieces)
        self.units = [
            output.pieces for outputs in ladder.written.values() for output in outputs[:2] if 0 < len(output.raw) < 200
        ]
        self.texts = [*TEXTS.values(), *(LONE if surrogates else ())]
        self.spaces = [*SPACES.values()]

    def step(self, data: bytes) -> Step:
        """The step that ``data`` stands for: its first byte chooses the request, each further one to four a piece."""
        head, *rest = data or b"\0"
        request = self.ladder.pairs[head % len(self.ladder.pairs)]
        output = self.ladder.pieces.output([piece for pieces in self._pieces(rest) for piece in pieces])
        chunker = self.ladder.chunker
        chunkings = chunker.full(output) if head & 16 else chunker.brief(output)
        return Step("surprise", output, (request,), tuple(chunkings))

    def _pieces(self, numbers: list[int]) -> Iterator[list[Piece]]:
        stock = iter(numbers)
        for number in stock:
            if number < 176:
                yield [self.symbols[number % len(self.symbols)]]
            elif number < 192:
                yield [Piece("space", self.spaces[next(stock, 0) % len(self.spaces)])]
            elif number < 208:
                yield self._odd(self.texts[next(stock, 0) % len(self.texts)])
            elif number < 224:
                yield self._odd(self._sign(next(stock, 0) << 16 | next(stock, 0) << 8 | next(stock, 0)))
            elif number < 240:
                yield list(self.units[next(stock, 0) % len(self.units)])
            else:
                marker = self.ladder.pieces.markers[number % len(self.ladder.pieces.markers)]
                yield [Piece("cut", marker.text[: 1 + next(stock, 0) % len(marker.text)], marker.role)]

    def _sign(self, code: int) -> str:
        sign = chr(code % 0x110000)
        if "\ud800" <= sign <= "\udfff" and not self.surrogates:
            return "\ufffd"
        return sign

    @staticmethod
    def _odd(text: str) -> list[Piece]:
        word = Piece("word", "")
        if any(sign in SPACE_LIKE for sign in text):
            return [word, Piece("text", text), word]
        return [Piece("text", text)]


def surprises(ladder: Ladder, surrogates: bool, number: int | None, tell: Callable[[Step], None]) -> None:
    """Tells of as many steps as the profile has. ``number``: the seed, None for the same steps on every run."""
    decoder = Decoder(ladder, surrogates)

    @settings(
        max_examples=ladder.profile.examples,
        derandomize=number is None,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.binary(max_size=24))
    def draw(data: bytes) -> None:
        tell(decoder.step(data))

    (draw if number is None else seed(number)(draw))()
