"""Text as a person reads it in a failure: escaped, and shortened around the place that matters."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from rich.cells import cell_len

RUN = re.compile(r"(.{1,8}?)\1{9,}", re.DOTALL)
"""A short text that repeats at least ten times: worth a ``*``."""


def escaped(text: str) -> str:
    """``text`` with every character that isn't printable (controls, bidi marks, lone surrogates) escaped."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def cells(text: str) -> int:
    """How many columns of a terminal ``text`` takes."""
    return cell_len(text)


def place_of_difference(values: Sequence[str]) -> int | None:
    """Where the texts that two or more literals stand for part ways; None where they don't, or none is text."""
    texts = [_text(value) for value in values]
    known = [text for text in texts if text is not None]
    if len(known) < 2 or len(set(known)) == 1:
        return None
    return common(known)


def common(texts: Sequence[str]) -> int:
    """How many characters the beginnings of all texts share."""
    first, last = min(texts), max(texts)
    return next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))


def fitted(value: str, width: int, around: int | None = None) -> str:
    """A literal in at most about ``width`` columns.

    ``value``: a Python literal, as ``repr`` gives it. Text that repeats is written with ``*``; what is still too long
    loses its middle, but not the neighbourhood of character ``around``.
    """
    value = escaped(value)
    if cells(value) <= width:
        return value
    text = _text(value)
    if text is None:
        half = max((width - 24) // 2, 8)
        return f"{value[:half]} … {len(value) - 2 * half:,} characters … {value[-half:]}"
    short = expression(text)
    return short if cells(short) <= width else _window(text, width, around)


def chunks_fitted(chunks: Sequence[str], width: int, lines: int = 3) -> list[str]:
    """The chunks of a stream, ``'T' | '</think>'``, in lines of at most ``width`` columns; many are counted."""
    if not chunks:
        return ["none: the stream ends at once"]
    for head in (len(chunks), 12, 8, 6, 4, 3, 2, 1):
        if head == len(chunks) or 2 * head < len(chunks):
            for longest in (60, 24, 12):
                shown = _wrapped(_parts(chunks, head, min(longest, width)), width)
                if len(shown) <= lines:
                    return shown
    return _wrapped([_counted(chunks)], width)


def _parts(chunks: Sequence[str], head: int, longest: int) -> list[str]:
    if head == len(chunks):
        return _grouped(chunks, longest)
    middle = chunks[head : len(chunks) - head]
    return [*_grouped(chunks[:head], longest), _counted(middle), *_grouped(chunks[-head:], longest)]


def _grouped(chunks: Sequence[str], longest: int) -> list[str]:
    """Each chunk as a literal; the same one four times or more in a row is written once, with its count."""
    parts: list[str] = []
    at = 0
    while at < len(chunks):
        end = at
        while end < len(chunks) and chunks[end] == chunks[at]:
            end += 1
        shown = fitted(repr(chunks[at]), longest)
        parts += [f"{shown} × {end - at}"] if end - at > 3 else [shown] * (end - at)
        at = end
    return parts


def _counted(chunks: Sequence[str]) -> str:
    sizes = {len(chunk) for chunk in chunks}
    each = f" of {_plural(sizes.pop(), 'character')}" if len(sizes) == 1 else ""
    return f"… {_plural(len(chunks), 'chunk')}{each} …"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _wrapped(parts: Sequence[str], width: int) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and cells(lines[-1]) + cells(part) + 5 <= width:  # with room for the bar at the line's end
            lines[-1] += f" | {part}"
        else:
            if lines:
                lines[-1] += " |"
            lines.append(part)
    return lines


def _text(value: str) -> str | None:
    if value[:1] not in ("'", '"'):
        return None
    try:
        text = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return text if isinstance(text, str) else None


def expression(text: str) -> str:
    """``'T' + 'a'*4092 + '</think>'``: a Python expression that gives ``text`` back."""
    parts: list[str] = []
    at = 0
    for match in RUN.finditer(text):
        if match.start() > at:
            parts.append(repr(text[at : match.start()]))
        unit = match.group(1)
        parts.append(f"{unit!r}*{len(match.group()) // len(unit)}")
        at = match.end()
    if at < len(text):
        parts.append(repr(text[at:]))
    return " + ".join(parts) or "''"


def _window(text: str, width: int, around: int | None) -> str:
    """Head, neighbourhood and tail of a text, as long as ``width`` allows, and how much is left out between them."""
    near = None if around is None else max(0, min(around, len(text) - 1))
    for ends in (True, False):
        for size in range(width // 2, 7, -1):
            shown = _cut(text, size, near, ends or near is None)
            if cells(shown) <= width:
                return shown
    return _cut(text, 4, near, near is None)


def _cut(text: str, size: int, near: int | None, ends: bool) -> str:
    """``size`` characters at both ends, where ``ends`` are wanted, and on both sides of ``near``."""
    spans = [(0, size), (len(text) - size, len(text))] if ends else []
    if near is not None:
        spans.append((max(0, near - size), min(len(text), near + size)))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + 24:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    shown: list[str] = []
    at = 0
    for start, end in [*merged, (len(text), len(text))]:
        if start > at:
            shown.append(f"… {_plural(start - at, 'character')} …")
        if end > start:
            shown.append(repr(text[start:end]))
        at = end
    return escaped(" ".join(shown))
