"""Makes a case of an output: its message by the oracle, the axes that change it, and the messages they change it to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from oracles import second
from oracles.cases import LONGEST
from oracles.dialects import Dialect
from oracles.messages import WHITE_SPACE, Finish, Message, Request
from oracles.policies import AXES, Policy
from oracles.reader import Machine

SPEAKS_OF = {
    "reopen": ("reasoning_open",),
    "prefix": ("reasoning_open",),
    "stray_close": ("reasoning_close",),
    "declined": ("reasoning_close",),
    "echoed_open": ("reasoning_open",),
    "calls_end_reasoning": ("calls_open",),
    "skipped_channel": ("answer_close",),
    "off": ("reasoning_open", "reasoning_close"),
}
"""Axis to the roles whose markers it speaks of; ``unclosed`` speaks of none."""

UNSURE = "\ufeff\u180e\u200b\u200c\u200d\u2060\x1c\x1d\x1e\x1f\x85\xa0"
"""Characters that some languages take for white space, besides those that Unicode calls so."""

Reading = tuple[dict[str, str | bool], Message]


class Unfit(ValueError):
    """No case can be made of an output; the text says why, and is the same for all that are unfit alike."""


class Maker:
    """Makes cases of outputs of one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._machines: dict[Policy, Machine] = {}

    def made(self, request: Request, finish: Finish, raw: str) -> dict[str, Any]:
        """The fields of a case that say what an output means: level, request, finish, raw, expected, axes, policies.

        Raises Unfit.
        """
        if len(raw) > LONGEST:
            raise Unfit(f"longer than {LONGEST:,} characters")
        if any("\ud800" <= sign <= "\udfff" for sign in raw):
            raise Unfit("holds a lone surrogate")
        if self.space_decides(request, finish, raw):
            raise Unfit("holds a space-like character that decides a rule")
        readings = list(self._readings(request, finish, raw))
        expected = self._read(self.dialect.policy, request, finish, raw)
        if second.read(self.dialect, self.dialect.policy, request, raw, finish).message != expected:
            raise Unfit("is read differently by the two oracles")
        axes = _changing(readings)
        fields: dict[str, Any] = {
            "level": "should" if axes else "must",
            "request": {"opened": request.opened, "thinking": request.thinking},
            "finish": finish,
            "raw": raw,
            "expected": _fields(expected),
        }
        if axes:
            fields["axes"] = axes
            fields["policies"] = [
                {"policy": values, "expected": _fields(message)}
                for values, message in _fewest(axes, readings, expected)
            ]
        return fields

    def space_decides(self, request: Request, finish: Finish, raw: str) -> bool:
        """Whether a reader to whom a space-like character is white space reads an output otherwise, or trims it so.

        White space is six characters (SEMANTICS section 4); languages disagree on the others.
        """
        markers = "".join(self.dialect.all_markers)
        unsure = {sign for sign in raw if sign in UNSURE or sign.isspace()} - {*WHITE_SPACE, *markers}
        if not unsure:
            return False
        spaces = str.maketrans(dict.fromkeys(unsure, " "))
        for values, message in self._readings(request, finish, raw):
            policy = self.dialect.policy.with_values(values)
            spaced = Message(message.reasoning.translate(spaces), message.content.translate(spaces))
            if self._read(policy, request, finish, raw.translate(spaces)) != spaced:
                return True
            for text in (message.reasoning, message.content):
                trimmed = text.strip(WHITE_SPACE)
                if trimmed[:1] in unsure or trimmed[-1:] in unsure:
                    return True
        return False

    def _readings(self, request: Request, finish: Finish, raw: str) -> Iterator[Reading]:
        """An output's message under each choice of values on the axes that may change it."""
        for values in _choices(_able(self.dialect, request, finish, raw)):
            yield values, self._read(self.dialect.policy.with_values(values), request, finish, raw)

    def _read(self, policy: Policy, request: Request, finish: Finish, raw: str) -> Message:
        if policy not in self._machines:
            self._machines[policy] = Machine(self.dialect, policy)
        return self._machines[policy].split(request, raw, finish)


def _able(dialect: Dialect, request: Request, finish: Finish, raw: str) -> list[str]:
    """The axes that may change a reading: a marker that they speak of is there, or cut short at the end."""

    def there(role: str) -> bool:
        return any(
            marker in raw or any(raw.endswith(marker[:length]) for length in range(1, len(marker)))
            for marker in dialect.of(role)
        )

    able = [axis for axis, roles in SPEAKS_OF.items() if any(map(there, roles))] + ["unclosed"]
    if request.opened:
        able = [axis for axis in able if axis != "prefix"]
    if request.opened or request.thinking:
        able = [axis for axis in able if axis != "off"]
    if finish != "stop":
        able = [axis for axis in able if axis != "unclosed"]
    return [axis for axis in AXES if axis in able]


def _changing(readings: Sequence[Reading]) -> list[str]:
    """The axes that change the message, whatever the others are."""
    axes = list(readings[0][0])
    found = []
    for axis in axes:
        seen: dict[frozenset[tuple[str, Any]], Message] = {}
        for values, message in readings:
            rest = frozenset((other, value) for other, value in values.items() if other != axis)
            if seen.setdefault(rest, message) != message:
                found.append(axis)
                break
    return found


def _fewest(axes: Sequence[str], readings: Sequence[Reading], expected: Message) -> Iterator[Reading]:
    """The readings that aren't the expected one, by as few values as tell them, no two of which fit one policy."""
    known = {tuple((axis, values[axis]) for axis in axes): message for values, message in readings}
    found = {values: message for values, message in known.items() if message != expected}
    for axis in axes:
        for values, message in list(found.items()):
            alike = [tuple((name, other if name == axis else value) for name, value in values) for other in AXES[axis]]
            if any(name == axis for name, _ in values) and all(found.get(each) == message for each in alike):
                for each in alike:
                    del found[each]
                found[tuple((name, value) for name, value in values if name != axis)] = message
    for values, message in found.items():
        yield dict(values), message


def _choices(axes: Sequence[str]) -> Iterator[dict[str, str | bool]]:
    for values in itertools.product(*(AXES[axis] for axis in axes)):
        yield dict(zip(axes, values, strict=True))


def _fields(message: Message) -> dict[str, str]:
    return {"reasoning": message.reasoning, "content": message.content}
