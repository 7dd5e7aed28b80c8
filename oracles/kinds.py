"""Kinds of outputs: what is special about one, told from how it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oracles.dialects import Dialect
from oracles.messages import WHITE_SPACE, Finish, Request
from oracles.policies import Policy
from oracles.second import Span, read


@dataclass(frozen=True, slots=True)
class Kind:
    """What is special about an output.

    ``known_as``: where its like was reported in public, or "". ``ordinary``: nothing much is.
    """

    id: str
    title: str
    known_as: str
    holds: Callable[[Sequence[Span], str], bool]
    ordinary: bool = False


@dataclass(frozen=True, slots=True)
class _AnyOf:
    rules: tuple[str, ...]

    def __call__(self, spans: Sequence[Span], raw: str) -> bool:
        return any(span.rule in self.rules for span in spans)


@dataclass(frozen=True, slots=True)
class _InOrder:
    first: tuple[str, ...]
    then: Callable[[Span], bool]

    def __call__(self, spans: Sequence[Span], raw: str) -> bool:
        at = next((place for place, span in enumerate(spans) if span.rule in self.first), None)
        return at is not None and any(self.then(span) for span in spans[at + 1 :])


def _space_before_opener(spans: Sequence[Span], raw: str) -> bool:
    return any(span.rule == "opener" and span.start > 0 and not raw[: span.start].strip(WHITE_SPACE) for span in spans)


def _unclosed(spans: Sequence[Span], raw: str) -> bool:
    last = spans[-1]
    return last.rule in _ENTRIES or (last.state == "INSIDE" and last.rule not in _EXITS)


def _cut(spans: Sequence[Span], raw: str) -> bool:
    return any(span.cut for span in spans)


_ENTRIES = ("opener", "opener-past-words", "reopened")
_EXITS = ("closer", "answer-opener-inside", "calls-opener-inside")
_IN_CALLS = (
    "opener-in-calls",
    "closer-in-calls",
    "answer-opener-in-calls",
    "answer-closer-in-calls",
    "framing-in-calls",
)
_ECHOES = ("echoed-opener", "echoed-opener-after-words", "echoed-opener-first", "echoed-opener-dropped")
_STRAY = ("stray-closer", "stray-closer-dropped", "ends-thought")
_STRAY_AFTER = ("stray-closer-after", "stray-closer-after-dropped", "stray-closer-after-thought")
_DECLINED = ("declined", "declined-text", "declined-stray-dropped", "declined-ends-thought")
_CALLS_INSIDE = ("calls-opener-inside", "calls-opener-in-thought")


def _is_closer(span: Span) -> bool:
    return span.role == "reasoning_close"


KINDS: tuple[Kind, ...] = (
    Kind(
        "second-block",
        "second block: a reasoning opener after reasoning closed",
        "FreeToken #711",
        _AnyOf(("opener-after-close", "reopened")),
    ),
    Kind(
        "calls-opener-then-closer",
        "a calls opener inside reasoning, then a closer",
        "",
        _InOrder(_CALLS_INSIDE, _is_closer),
    ),
    Kind("marker-in-call", "a marker in a call's arguments", "FreeToken #711", _AnyOf(_IN_CALLS)),
    Kind(
        "skipped-channel-call",
        "a skipped channel, then a call",
        "ROCm/ATOM PR 2910",
        _InOrder(("answer-closer-last",), lambda span: span.role == "calls_open"),
    ),
    Kind(
        "skipped-channel",
        "a skipped channel: the answer's closer ends reasoning",
        "ROCm/ATOM PR 2910",
        _AnyOf(("answer-closer-last",)),
    ),
    Kind(
        "answer-closer-gone-past",
        "an answer's closer inside reasoning, words after it",
        "SGLang PR 37743",
        _AnyOf(("answer-closer-gone-past",)),
    ),
    Kind(
        "answer-closer-exited",
        "an answer's closer inside reasoning, then a proper exit",
        "ROCm/ATOM PR 2910",
        _AnyOf(("answer-closer-exited",)),
    ),
    Kind(
        "answer-closer-length",
        "an answer's closer ends reasoning cut by length",
        "ROCm/ATOM PR 2910",
        _AnyOf(("answer-closer-length",)),
    ),
    Kind("opener-repeated", "an opener inside open reasoning", "", _AnyOf(_ECHOES)),
    Kind(
        "opener-after-words",
        "an opener after words",
        "FreeToken #711",
        _AnyOf(("opener-past-words", "opener-after-words")),
    ),
    Kind("space-before-opener", "white space before the opener", "FreeToken #712", _space_before_opener),
    Kind("opener-off", "reasoning markers where reasoning is off", "", _AnyOf(("opener-off", "closer-off"))),
    Kind("calls-opener-inside", "a calls opener inside reasoning", "", _AnyOf(_CALLS_INSIDE)),
    Kind("closer-in-answer", "a closer in the answer", "", _AnyOf(_STRAY_AFTER)),
    Kind("stray-closer", "a closer that nothing opened, after words", "llamadart PR 1555", _AnyOf(_STRAY)),
    Kind("declined", "a closer before any words", "", _AnyOf(_DECLINED)),
    Kind("answer-opener-inside", "an answer's opener inside reasoning", "", _AnyOf(("answer-opener-inside",))),
    Kind(
        "answer-frame",
        "an answer's opener or closer outside reasoning",
        "",
        _AnyOf(("answer-opener-before", "answer-closer-before", "answer-opener-after", "answer-closer-after")),
    ),
    Kind("framing-in-thought", "framing inside reasoning", "", _AnyOf(("framing-inside",)), True),
    Kind("framing", "framing", "", _AnyOf(("framing-before", "framing-after")), True),
    Kind(
        "calls-closer-alone",
        "a calls closer outside a region",
        "",
        _AnyOf(("calls-closer-before", "calls-closer-inside", "calls-closer-after")),
    ),
    Kind("call", "a calls region", "", _AnyOf(("calls-opener-before", "calls-opener-after")), True),
    Kind("cut-at-end", "a marker cut short at the end", "", _cut),
    Kind("unclosed", "reasoning that never closes", "", _unclosed, True),
    Kind("answered", "reasoning, then an answer", "", _AnyOf(("closer", "opener")), True),
)
"""Every kind, the most telling first."""

PLAIN = Kind("plain", "plain text", "", lambda spans, raw: True, True)
CUT_BY_CHUNK = Kind("marker-cut-by-chunk", "a marker cut by a chunk", "", lambda spans, raw: False)
EMPTY = Kind("empty", "no text at all", "", lambda spans, raw: not raw)


def kind_of(dialect: Dialect, policy: Policy, request: Request, raw: str, finish: Finish) -> Kind:
    """The most telling kind of an output as the policy reads it."""
    if not raw:
        return EMPTY
    spans = read(dialect, policy, request, raw, finish).spans
    return next((kind for kind in KINDS if kind.holds(spans, raw)), PLAIN)
