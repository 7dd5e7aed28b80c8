"""What readers are fed to learn their cost: families of outputs of any length."""

from __future__ import annotations

from dataclasses import dataclass, replace

from oracles.dialects import Dialect
from oracles.pieces import Output, Piece, Pieces


@dataclass(frozen=True)
class Filler:
    """A family of outputs of any length: a beginning, and a unit that repeats.

    ``opened``: of the request. ``state``: in which state the repeated part is read. ``marked``: the unit holds a
    marker. ``end``: what comes last, where an output is read and timed whole.
    """

    name: str
    opened: bool
    state: str
    begin: tuple[Piece, ...]
    unit: tuple[Piece, ...]
    marked: bool
    end: tuple[Piece, ...] = ()

    def whole(self, length: int) -> Output:
        """The output of about ``length`` characters, with what ends it."""
        output = self.output(length)
        return replace(output, pieces=(*output.pieces, *self.end))

    def output(self, length: int) -> Output:
        """The output of about ``length`` characters, without what ends it."""
        text = "".join(piece.whole for piece in self.unit)
        times = max(1, length // len(text))
        unit = self.unit[0] if len(self.unit) == 1 else Piece("text", text)
        return Output((*self.begin, Piece(unit.kind, text, unit.role, times)), f"cost: {self.name}")


def fillers(dialect: Dialect) -> list[Filler]:
    """What a reader is fed: plain text, near misses, white space, markers that act, markers that are text, calls."""
    pieces = Pieces(dialect)
    dot = Piece("text", "lorem ipsum ")
    by_role = {marker.role: marker for marker in reversed(pieces.markers)}
    close, opened = by_role.get("reasoning_close"), by_role.get("reasoning_open")
    last = (close, pieces.word(0)) if close else ()
    found: list[Filler] = [
        Filler("plain text in reasoning", True, "INSIDE", (), (dot,), False, last),
        Filler("plain text before reasoning", False, "BEFORE", (), (dot,), False, (opened or dot, *last)),
        Filler("white space in reasoning", True, "INSIDE", (dot,), (Piece("space", " \n"),), False, (dot, *last)),
    ]
    if close:
        near = Piece("text", close.text[:-1] + ".")
        found += [
            Filler("plain text after reasoning", True, "AFTER", (close,), (dot,), False),
            Filler("near misses in reasoning", True, "INSIDE", (), (near,), False),
            Filler("near misses after reasoning", True, "AFTER", (close,), (near,), False),
            Filler("closers after reasoning", True, "AFTER", (close, dot), (close, Piece("text", ".")), True),
        ]
    if opened:
        found.append(Filler("openers in reasoning", True, "INSIDE", (dot,), (opened, Piece("text", ".")), True))
        if close:
            found.append(
                Filler("blocks", False, "AFTER", (), (opened, Piece("text", "."), close, Piece("text", ",")), True)
            )
    for role, name in (("framing", "framing"), ("answer_close", "answer closers")):
        if role in by_role:
            found.append(
                Filler(f"{name} in reasoning", True, "INSIDE", (dot,), (by_role[role], Piece("text", ".")), True)
            )
    if "framing" in by_role and close:
        found.append(
            Filler("framing after reasoning", True, "AFTER", (close,), (by_role["framing"], Piece("text", ".")), True)
        )
    call, call_end = by_role.get("calls_open"), by_role.get("calls_close")
    if call:
        quoted = (close or call, Piece("text", "."))
        found.append(Filler("markers in a call", False, "CALLS", (call,), quoted, True))
        if call_end:
            found.append(
                Filler("calls", False, "AFTER", (), (call, Piece("text", "."), call_end, Piece("text", ",")), True)
            )
    return found
