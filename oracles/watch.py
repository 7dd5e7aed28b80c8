"""What each state of the specified reader watches for, and what each marker does there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from oracles.dialects import Dialect
from oracles.messages import WHITE_SPACE
from oracles.policies import Policy

BEFORE: Final = "BEFORE"
INSIDE: Final = "INSIDE"
AFTER: Final = "AFTER"
CALLS: Final = "CALLS"

# What a marker does where it is watched.
DROP: Final = "drop"  # dropped, the state stays
REMEMBER: Final = "remember"  # dropped: an answer's closer inside reasoning
OPEN: Final = "open"  # dropped, INSIDE begins
AFTERWARDS: Final = "afterwards"  # dropped, AFTER begins
THOUGHT: Final = "thought"  # dropped, all text so far was reasoning, AFTER begins
CALL: Final = "call"  # kept, CALLS begins
CALL_END: Final = "call_end"  # kept, AFTER begins

_NOTHING: Final = r"(?!)"


@dataclass(frozen=True, slots=True)
class Watch:
    """The markers watched in a state, compiled.

    ``actions``: marker to what it does. ``matches``: the markers in a text from an offset on, leftmost, then longest.
    ``alarm``: finds a character at which a marker, or words, could start; None where nothing is watched.
    ``begins``: finds the leftmost proper beginning of a marker that reaches to the end of a text.
    ``reach``: the length of the longest beginning.
    ``first``: no words came yet; a character that is words is a match too, and is in no action.
    """

    actions: dict[str, str]
    matches: Callable[[str, int], Iterator[re.Match[str]]]
    alarm: Callable[[str], re.Match[str] | None] | None
    begins: Callable[[str, int], re.Match[str] | None]
    reach: int
    first: bool

    def edge(self, text: str, start: int) -> int:
        """Where the leftmost possible beginning of a marker in ``text[start:]`` stands, ``len(text)`` if none does."""
        length = len(text)
        near = length - self.reach
        found = self.begins(text, near if near > start else start)
        return found.start() if found else length


def watch(dialect: Dialect, policy: Policy, off: bool, state: str, first: bool) -> Watch:
    """What ``state`` watches, before (``first``) or after the first words.

    ``off``: the caller asked for no reasoning and the prompt opened none. The rules are the table of SEMANTICS
    section 4 and the axes of section 5.
    """
    rules = _rules(policy, state, first)
    if off and policy.off == "text":
        rules = [rule for rule in rules if rule[0] not in ("reasoning_open", "reasoning_close")]
    actions: dict[str, str] = {}
    for role, action in rules:
        for marker in dialect.of(role):
            actions.setdefault(marker, action)
    return _compile(actions, first)


def _rules(policy: Policy, state: str, first: bool) -> list[tuple[str, str]]:
    """Role to action in the order in which roles count; a role that is left out is text."""
    rules: list[tuple[str, str | None]]
    if state == BEFORE:
        stray = {"text": None, "dropped": DROP, "ends_thought": THOUGHT}[policy.stray_close]
        rules = [
            ("reasoning_open", OPEN if first or policy.prefix == "content" else None),
            ("reasoning_close", AFTERWARDS if first and policy.declined == "dropped" else stray),
            ("answer_open", AFTERWARDS),
            ("answer_close", DROP),
            ("calls_open", CALL),
            ("framing", DROP),
        ]
    elif state == INSIDE:
        echoed = policy.echoed_open == "dropped" or (policy.echoed_open == "dropped_first" and first)
        rules = [
            ("reasoning_open", DROP if echoed else None),
            ("reasoning_close", AFTERWARDS),
            ("answer_open", AFTERWARDS),
            ("answer_close", REMEMBER),
            ("calls_open", CALL if policy.calls_end_reasoning else None),
            ("framing", DROP),
        ]
    elif state == AFTER:
        rules = [
            ("reasoning_open", OPEN if policy.reopen == "opens" else None),
            ("reasoning_close", DROP if policy.stray_close == "dropped" else None),
            ("answer_open", DROP),
            ("answer_close", DROP),
            ("calls_open", CALL),
            ("framing", DROP),
        ]
    else:
        rules = [("calls_close", CALL_END)]
    return [(role, action) for role, action in rules if action is not None]


def _compile(actions: dict[str, str], first: bool) -> Watch:
    words = [f"[^{WHITE_SPACE}]"] if first else []
    markers = sorted(actions, key=len, reverse=True)
    starts = {marker[0] for marker in markers}
    alarm: Callable[[str], re.Match[str] | None] | None
    if first:
        quiet = "".join(re.escape(space) for space in WHITE_SPACE if space not in starts)
        alarm = re.compile(f"[^{quiet}]" if quiet else r"(?s:.)").search
    else:
        alarm = re.compile("[" + "".join(map(re.escape, sorted(starts))) + "]").search if starts else None
    return Watch(
        actions=actions,
        matches=re.compile("|".join([*map(re.escape, markers), *words]) or _NOTHING).finditer,
        alarm=alarm,
        begins=re.compile(_beginnings(markers) + r"\Z").search,
        reach=max(map(len, markers), default=1) - 1,
        first=first,
    )


def _beginnings(markers: Iterable[str]) -> str:
    """A pattern for every proper, non-empty beginning of every marker; to the end of a text at most one fits a place."""
    beginnings = {marker[:length] for marker in markers for length in range(1, len(marker))}
    return "(?:" + "|".join(map(re.escape, sorted(beginnings))) + ")" if beginnings else _NOTHING
