"""A second reading of SEMANTICS.md, over the whole text at once: slow and plain, to hold the first reader to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import regex

from oracles.dialects import ROLES, Dialect
from oracles.messages import WHITE_SPACE, Finish, Message, Request
from oracles.policies import Policy

RULES: dict[str, str] = {
    # plain text
    "text-before": "text before any reasoning is content",
    "text-inside": "text inside reasoning is reasoning",
    "text-after": "text after reasoning is content",
    "text-in-calls": "text of a calls region is content",
    "text-of-thought": "text before a closer that nothing opened is reasoning (stray_close: ends_thought)",
    "cut-marker": "a marker cut by the end of the output is text of the channel it stands in",
    "skipped-stays": "text of a skipped channel is reasoning (skipped_channel: stays)",
    "skipped-replayed": "text of a skipped channel is reasoning, and content once more (skipped_channel: replayed)",
    "skipped-moved": "text of a skipped channel is content (skipped_channel: moved)",
    "unclosed-reasoning": "text of reasoning that never closed is reasoning (unclosed: reasoning)",
    "unclosed-content": "text of reasoning that never closed before a stop is content (unclosed: content_if_stopped)",
    "unclosed-length": "text of reasoning cut by length is reasoning (unclosed: content_if_stopped)",
    "unclosed-later-block": "text of a later block that never closed is reasoning (unclosed: content_if_stopped)",
    # the caller asked for no reasoning and the prompt opened none
    "opener-off": "an opener is text where reasoning is off (off: text)",
    "closer-off": "a closer is text where reasoning is off (off: text)",
    # BEFORE
    "opener": "an opener before any words opens reasoning",
    "opener-past-words": "an opener after words opens reasoning (prefix: content)",
    "opener-after-words": "an opener after words is text (prefix: text)",
    "declined": "a closer before any words declines to think (declined: dropped)",
    "declined-text": "a closer before any words is text (declined: text, stray_close: text)",
    "declined-stray-dropped": "a closer before any words is dropped, no more (declined: text, stray_close: dropped)",
    "declined-ends-thought": "a closer before any words ends a thought (declined: text, stray_close: ends_thought)",
    "stray-closer": "a closer after words that nothing opened is text (stray_close: text)",
    "stray-closer-dropped": "a closer after words that nothing opened is dropped (stray_close: dropped)",
    "ends-thought": "a closer after words makes all text so far reasoning (stray_close: ends_thought)",
    "answer-opener-before": "an answer opener before any reasoning is dropped and opens the answer",
    "answer-closer-before": "an answer closer before any reasoning is dropped",
    "calls-opener-before": "a calls opener before any reasoning opens a calls region",
    "calls-closer-before": "a calls closer outside a calls region, before any reasoning, is text",
    "framing-before": "framing before any reasoning is dropped",
    # INSIDE
    "echoed-opener": "an opener inside reasoning is text (echoed_open: text)",
    "echoed-opener-after-words": "an opener after words inside reasoning is text (echoed_open: dropped_first)",
    "echoed-opener-first": "an opener before any words inside reasoning is dropped (echoed_open: dropped_first)",
    "echoed-opener-dropped": "an opener inside reasoning is dropped (echoed_open: dropped)",
    "closer": "a closer inside reasoning closes it",
    "answer-opener-inside": "an answer opener inside reasoning is dropped, closes it and opens the answer",
    "answer-closer-gone-past": "an answer closer inside reasoning with words after it is dropped and means nothing",
    "answer-closer-exited": "an answer closer as last words of reasoning that then closed is dropped and means nothing",
    "answer-closer-length": "an answer closer as last words of reasoning cut by length is dropped and means nothing",
    "answer-closer-last": "an answer closer as last words of reasoning is dropped, and the channel was skipped",
    "calls-opener-inside": "a calls opener inside reasoning closes it (calls_end_reasoning: true)",
    "calls-opener-in-thought": "a calls opener inside reasoning is text (calls_end_reasoning: false)",
    "calls-closer-inside": "a calls closer inside reasoning is text",
    "framing-inside": "framing inside reasoning is dropped",
    # AFTER
    "opener-after-close": "an opener after reasoning closed is text (reopen: text)",
    "reopened": "an opener after reasoning closed opens it again (reopen: opens)",
    "stray-closer-after": "a closer after reasoning closed is text (stray_close: text)",
    "stray-closer-after-dropped": "a closer after reasoning closed is dropped (stray_close: dropped)",
    "stray-closer-after-thought": "a closer after reasoning closed is text (stray_close: ends_thought)",
    "answer-opener-after": "an answer opener after reasoning is dropped",
    "answer-closer-after": "an answer closer after reasoning is dropped",
    "calls-opener-after": "a calls opener after reasoning opens a calls region",
    "calls-closer-after": "a calls closer outside a calls region, after reasoning, is text",
    "framing-after": "framing after reasoning is dropped",
    # CALLS
    "opener-in-calls": "an opener inside a calls region is text",
    "closer-in-calls": "a closer inside a calls region is text",
    "answer-opener-in-calls": "an answer opener inside a calls region is text",
    "answer-closer-in-calls": "an answer closer inside a calls region is text",
    "calls-opener-in-calls": "a calls opener inside a calls region is text",
    "framing-in-calls": "framing inside a calls region is text",
    "calls-closer": "a calls closer closes the calls region",
}
"""Why a span is what it is: a stable id, to one sentence for a person (the cells of SEMANTICS sections 4 and 5)."""

_NAMES = {
    role: role.replace("reasoning_", "").replace("_", "-").replace("open", "opener").replace("close", "closer")
    for role in ROLES
}
_STATES = ("BEFORE", "INSIDE", "AFTER", "CALLS")
_WORD = regex.compile(f"[^{WHITE_SPACE}]")
_EXITS = ("closer", "answer-opener-inside", "calls-opener-inside")
_THOUGHT_ENDS = ("ends-thought", "declined-ends-thought")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of an output and what became of it. The spans of a reading tile the output, none is empty.

    ``start``, ``end``: code points of the output.
    ``state``: ``"BEFORE"``, ``"INSIDE"``, ``"AFTER"`` or ``"CALLS"``, the state in which it was read.
    ``role``: the role in which a marker acted, the first it holds where it is text; None for plain text.
    ``fate``: ``"reasoning"``, ``"content"`` or ``"dropped"``.
    ``rule``: a key of ``RULES``. ``cut``: it is part of the marker cut by the end of the output.
    """

    start: int
    end: int
    state: str
    role: str | None
    fate: str
    rule: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A message, the spans it was made of, and whether a skipped channel's text was given once more as content."""

    message: Message
    spans: tuple[Span, ...]
    replayed: bool


class _Cell(NamedTuple):
    rule: str
    then: str | None  # the state that follows; None: the marker is not watched, it is text


def read(dialect: Dialect, policy: Policy, request: Request, raw: str, finish: Finish) -> Reading:
    """How the whole output ``raw`` is read, by SEMANTICS.md: the message, and why each stretch is where it is.

    ``policy`` decides alone, the dialect's default is not consulted. Any text is read; nothing raises.
    """
    spans, replays = _resolved(_tokenised(dialect, policy, request, raw), policy, raw, finish)
    parts: dict[str, list[str]] = {"reasoning": [], "content": [], "dropped": []}
    for span in spans:
        parts["content"].append(replays.get(span.start, ""))
        parts[span.fate].append(raw[span.start : span.end])
    parts["content"].append(replays.get(len(raw), ""))
    return Reading(Message("".join(parts["reasoning"]), "".join(parts["content"])), tuple(spans), bool(replays))


def _cell(state: str, role: str, spoken: bool, policy: Policy, off: bool) -> _Cell:
    """The cell of SEMANTICS section 4 with section 5 put in; ``spoken``: words came before the marker."""
    name = _NAMES[role]
    match state, role:
        case "CALLS", "calls_close":
            return _Cell(name, "AFTER")
        case "CALLS", _:
            return _Cell(f"{name}-in-calls", None)
        case _, "reasoning_open" | "reasoning_close" if off:
            return _Cell(f"{name}-off", None)
        case "BEFORE", "reasoning_open":
            if not spoken:
                return _Cell("opener", "INSIDE")
            text = policy.prefix == "text"
            return _Cell("opener-after-words", None) if text else _Cell("opener-past-words", "INSIDE")
        case "BEFORE", "reasoning_close":
            if not spoken and policy.declined == "dropped":
                return _Cell("declined", "AFTER")
            if policy.stray_close == "ends_thought":
                return _Cell("ends-thought" if spoken else "declined-ends-thought", "AFTER")
            if policy.stray_close == "dropped":
                return _Cell("stray-closer-dropped" if spoken else "declined-stray-dropped", "BEFORE")
            return _Cell("stray-closer" if spoken else "declined-text", None)
        case "INSIDE", "reasoning_open":
            if policy.echoed_open == "dropped_first":
                return _Cell("echoed-opener-after-words", None) if spoken else _Cell("echoed-opener-first", "INSIDE")
            dropped = policy.echoed_open == "dropped"
            return _Cell("echoed-opener-dropped", "INSIDE") if dropped else _Cell("echoed-opener", None)
        case "INSIDE", "reasoning_close":
            return _Cell("closer", "AFTER")
        case "INSIDE", "calls_open" if not policy.calls_end_reasoning:
            return _Cell("calls-opener-in-thought", None)
        case "AFTER", "reasoning_open":
            opens = policy.reopen == "opens"
            return _Cell("reopened", "INSIDE") if opens else _Cell("opener-after-close", None)
        case "AFTER", "reasoning_close":
            if policy.stray_close == "dropped":
                return _Cell("stray-closer-after-dropped", "AFTER")
            thought = policy.stray_close == "ends_thought"
            return _Cell("stray-closer-after-thought" if thought else "stray-closer-after", None)
    then: dict[str, str | None] = {"answer_open": "AFTER", "calls_open": "CALLS", "calls_close": None}
    return _Cell(f"{name}-{state.lower()}", then.get(role, state))


def _compiled(markers: tuple[str, ...]) -> regex.Pattern[str]:
    """Finds the leftmost of ``markers``, the longest where several begin; finds nothing for none."""
    longest_first = sorted(markers, key=len, reverse=True)
    return regex.compile("|".join(map(regex.escape, longest_first)) or r"(?!)")


_pattern = lru_cache(maxsize=4096)(_compiled)


def _begins(marker: str, raw: str, at: int) -> bool:
    """Whether ``raw`` ends, from ``at`` on, in a marker cut short."""
    match = _pattern((marker,)).fullmatch(raw, at, partial=True)
    return match is not None and match.partial


def _tokenised(dialect: Dialect, policy: Policy, request: Request, raw: str) -> list[Span]:
    """The spans of ``raw``, each with the fate its state gives it."""
    off = policy.off == "text" and not request.thinking and not request.opened
    end = len(raw)
    spans: list[Span] = []
    state = "INSIDE" if request.opened else "BEFORE"
    at, spoken, held = 0, False, end
    watched = {
        (state, spoken): _watched(dialect, policy, off, state, spoken) for state in _STATES for spoken in (False, True)
    }
    while True:
        word = _WORD.search(raw, at)
        first_word = at - 1 if spoken else word.start() if word else end
        # A marker, and a possible beginning of one, is judged by what was said before its own first character.
        fresh, later = watched[state, False], watched[state, True]
        hit = _pattern(tuple(fresh)).search(raw, at, max(at, first_word + dialect.longest))
        if hit is None or hit.start() > first_word:
            hit = _pattern(tuple(later)).search(raw, first_word + 1)
        stop = hit.start() if hit else end
        if held == end:
            for here in range(max(at, end - dialect.longest), min(stop + 1, end)):
                if any(_begins(marker, raw, here) for marker in (fresh if here <= first_word else later)):
                    held = here
                    break
        cut = stop if hit else min(max(at, held), stop)
        channel = "reasoning" if state == "INSIDE" else "content"
        for start, till in ((at, cut), (cut, stop)):
            plain = "cut-marker" if start == cut else "text-in-calls" if state == "CALLS" else f"text-{state.lower()}"
            for a, b, marker in _pieces(dialect, raw, start, till):
                role = next((role for role in ROLES if marker in dialect.of(role)), None)
                rule = _cell(state, role, a > first_word, policy, off).rule if role else plain
                spans.append(Span(a, b, state, role, channel, rule, start == cut))
        if hit is None:
            return spans
        role, cell = (fresh if stop <= first_word else later)[hit[0]]
        fate = "content" if role in ("calls_open", "calls_close") else "dropped"
        spans.append(Span(stop, hit.end(), state, role, fate, cell.rule))
        spoken = cell.then == state and first_word < stop
        at, state = hit.end(), cell.then or state


def _watched(dialect: Dialect, policy: Policy, off: bool, state: str, spoken: bool) -> dict[str, tuple[str, _Cell]]:
    """The markers watched in a state, each with the first role that watches it there and what it does."""
    watched: dict[str, tuple[str, _Cell]] = {}
    for role in ROLES:
        cell = _cell(state, role, spoken, policy, off)
        if cell.then:
            for marker in dialect.of(role):
                watched.setdefault(marker, (role, cell))
    return watched


def _pieces(dialect: Dialect, raw: str, start: int, end: int) -> Iterator[tuple[int, int, str | None]]:
    """Text cut at the markers that stand in it: start, end, and the marker, if it is one."""
    for match in _pattern(dialect.all_markers).finditer(raw, start, end):
        if start < match.start():
            yield start, match.start(), None
        yield match.start(), match.end(), match[0]
        start = match.end()
    if start < end:
        yield start, end, None


def _resolved(spans: list[Span], policy: Policy, raw: str, finish: Finish) -> tuple[list[Span], dict[int, str]]:
    """The spans with what only later text decides, and the replays: where in the output, and their text."""
    resolved: list[Span] = []
    replays: dict[int, str] = {}
    closed = False
    for state, group in groupby(spans, key=lambda span: span.state):
        block = list(group)
        last = block[-1]
        if state == "BEFORE" and last.rule in _THOUGHT_ENDS:
            closed = True
            block = [*_given(block[:-1], "reasoning", "text-of-thought"), last]
        elif state == "INSIDE":
            exit = [last] if last.rule in _EXITS else []
            body, replay = _body(block[: len(block) - len(exit)], exit, closed, policy, raw, finish)
            if replay is not None:
                replays[exit[0].start if exit else len(raw)] = replay
            block = body + exit
            closed = True
        resolved += block
    return resolved, replays


def _body(
    body: list[Span], exit: list[Span], closed: bool, policy: Policy, raw: str, finish: Finish
) -> tuple[list[Span], str | None]:
    """A block of reasoning without the marker that ended it, each span where it belongs; and its replay, if any.

    ``exit``: that marker, none at the end of the output. ``closed``: reasoning had closed before the block.
    """
    said = [span for span in body if span.fate == "reasoning" and not span.cut]
    words_end = max((span.end for span in said if _WORD.search(raw, span.start, span.end)), default=0)
    last_words = any(span.role == "answer_close" and span.start >= words_end for span in body)
    exited = bool(exit) and exit[0].role != "calls_open"
    ended = "exited" if exited else "length" if not exit and finish == "length" else "last"
    for i, span in enumerate(body):
        if span.role == "answer_close":
            body[i] = replace(span, rule=f"answer-closer-{ended if span.start >= words_end else 'gone-past'}")

    skipped = last_words and ended == "last"
    if skipped and policy.skipped_channel == "moved":
        return _given(body, "content", "skipped-moved"), None
    if skipped and policy.skipped_channel == "replayed":
        text = "".join(raw[span.start : span.end] for span in said)
        return _given(body, "reasoning", "skipped-replayed"), text
    if exit or policy.unclosed == "reasoning":
        rule = "skipped-stays" if skipped else "text-inside" if exit else "unclosed-reasoning"
    elif closed:
        rule = "unclosed-later-block"
    else:
        rule = "unclosed-length" if finish == "length" else "unclosed-content"
    return _given(body, "content" if rule == "unclosed-content" else "reasoning", rule), None


def _given(spans: Sequence[Span], fate: str, rule: str) -> list[Span]:
    """The spans with their text given to a channel; markers that are text and a cut marker keep the rule they have."""
    plain = ("text-before", "text-inside")
    return [
        span if span.fate == "dropped" else replace(span, fate=fate, rule=rule if span.rule in plain else span.rule)
        for span in spans
    ]
