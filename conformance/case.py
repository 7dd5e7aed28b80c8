"""One case as a text that reproduces it: ``--case='dialect:…'``."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.checks.catalogue import CHECKS
from conformance.chunkings import Chunker, Chunking
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output, Piece


class CaseError(ValueError):
    """A case's text can't be read; the text says why."""


@dataclass(frozen=True)
class Case:
    """A check, and all that it is to be asked about.

    ``chunking``: None where the split alone is concerned. ``extra``: what a check beyond one observation needs.
    """

    check: str
    output: Output
    request: Request
    finish: Finish
    chunking: Chunking | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """The case as ``--case`` takes it."""
        values: dict[str, Any] = {
            "check": self.check,
            **track_values(self.output, self.request, self.finish, self.chunking),
        }
        if self.request.surface is not None:
            values["surface"] = self.request.surface
        if self.extra:
            values["extra"] = dict(self.extra)
        packed = json.dumps(values, ensure_ascii=True, separators=(",", ":")).encode()
        return f"{self.request.dialect}:{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def dialect_of(text: str) -> str:
    """The dialect of a case's text. Raises CaseError."""
    dialect, colon, packed = text.partition(":")
    if not colon or not dialect or not packed:
        raise CaseError("a case is 'dialect:…', as a failure prints it behind --case=")
    return dialect


def case_names(text: str) -> tuple[str, str]:
    """The dialect and the check that a case's text names. Raises CaseError."""
    return dialect_of(text), str(case_values(text).get("check"))


def pieces_of(text: str) -> list[tuple[str, int]]:
    """The text of each piece of a case's output, and how many times it stands there; none of a damaged case."""
    try:
        return [(piece[1], piece[3] if len(piece) > 3 else 1) for piece in case_values(text)["pieces"]]
    except (CaseError, KeyError, TypeError, IndexError):
        return []


def case_values(text: str) -> dict[str, Any]:
    """What a case's text holds, as JSON values, unread. Raises CaseError."""
    packed = text.partition(":")[2]
    try:
        values = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        raise _damaged("it can't be decoded") from None
    if not isinstance(values, dict) or "check" not in values:
        raise _damaged("it names no check")
    return values


def _damaged(why: str) -> CaseError:
    return CaseError(f"the case is damaged: {why}; copy the whole text behind --case= again")


def read_case(text: str, chunker: Chunker) -> Case:
    """The case of a text; ``chunker`` cuts as the implementation it is for takes it. Raises CaseError."""
    dialect = dialect_of(text)
    values = case_values(text)
    try:
        output, request, finish, chunking = read_track(values, dialect, chunker)
        check, extra = str(values["check"]), dict(values.get("extra", {}))
        if check not in CHECKS:
            raise ValueError(f"no check is called {check!r}")
        for key in EXTRAS.get(check, ()):
            if key not in extra:
                raise KeyError(key)
        for track in extra.get("tracks", ()):
            read_track(track, dialect, chunker)
        return Case(check, output, request, finish, chunking, extra)
    except KeyError as error:
        raise _damaged(f"it lacks {error.args[0]!r}") from None
    except StopIteration:
        raise _damaged("no chunking has the name it gives") from None
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise _damaged(str(error)) from None


EXTRAS = {"requests-isolated": ("scenario", "tracks"), "cost-linear": ("filler",), "memory-bounded": ("filler",)}
"""What a check that looks at more than one observation needs beside it."""
LONGEST = 50_000_000
"""No case's output is longer."""


def track_values(output: Output, request: Request, finish: Finish, chunking: Chunking | None) -> dict[str, Any]:
    """What names one answer of an implementation, as JSON values."""
    values: dict[str, Any] = {
        "pieces": [_piece_values(piece) for piece in output.pieces],
        "opened": request.opened,
        "thinking": request.thinking,
        "finish": finish,
    }
    if chunking is not None:
        values["chunks"] = _chunk_values(output, chunking)
    if output.known_as:
        values["known_as"] = output.known_as
    return values


def read_track(
    values: Mapping[str, Any], dialect: str, chunker: Chunker
) -> tuple[Output, Request, Finish, Chunking | None]:
    """What ``track_values`` named. Raises ValueError, KeyError or TypeError."""
    known_as = str(values.get("known_as", ""))
    output = Output(tuple(_piece(piece) for piece in values["pieces"]), known_as=known_as)
    if sum(len(piece.text) * piece.times for piece in output.pieces) > LONGEST:
        raise ValueError("its output is too long")
    request = Request(dialect, bool(values["opened"]), bool(values["thinking"]), surface=values.get("surface"))
    if values["finish"] not in FINISHES:
        raise ValueError(f"no finish is called {values['finish']!r}")
    chunking = _chunking(values["chunks"], output, chunker) if "chunks" in values else None
    return output, request, values["finish"], chunking


def _piece_values(piece: Piece) -> list[Any]:
    values: list[Any] = [piece.kind, piece.text]
    if piece.role or piece.times != 1:
        values.append(piece.role)
    if piece.times != 1:
        values.append(piece.times)
    return values


def _piece(values: Sequence[Any]) -> Piece:
    kind, text, *rest = values
    if not isinstance(text, str):
        raise TypeError("a piece's text is no text")
    times = int(rest[1]) if len(rest) > 1 else 1
    if times < 0:
        raise ValueError(f"a piece stands {times} times")
    return Piece(str(kind), text, str(rest[0]) if rest else "", times)


def _chunk_values(output: Output, chunking: Chunking) -> Any:
    """A step where the chunks have one size, else where they end; a name where their ids are special."""
    if chunking.special:
        return chunking.name
    ends, length = list(chunking.ends), len(output.raw)
    step = ends[0] if ends else 0
    if step and length > step and ends == [*range(step, length, step), length]:
        return step
    return ends


def _chunking(values: Any, output: Output, chunker: Chunker) -> Chunking:
    if isinstance(values, str):
        return next(chunking for chunking in chunker.special(output) if chunking.name == values)
    length = len(output.raw)
    if isinstance(values, int):
        if values < 1:
            raise ValueError(f"its chunks have {values} characters")
        return chunker.ending(output, [*range(values, length, values), length])
    return chunker.ending(output, [int(end) for end in values])
