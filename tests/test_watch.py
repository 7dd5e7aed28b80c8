"""Facts about what a state watches: where words or a marker could start, and what may still become a marker."""

from __future__ import annotations

import dataclasses

import pytest

from oracles.dialects import REGISTRY, Dialect
from oracles.messages import WHITE_SPACE
from oracles.policies import DEFAULT, one_at_a_time
from oracles.watch import (
    AFTER,
    AFTERWARDS,
    BEFORE,
    CALL,
    CALL_END,
    CALLS,
    DROP,
    INSIDE,
    OPEN,
    REMEMBER,
    THOUGHT,
    Watch,
    watch,
)

TAGS = Dialect("tags", "Tags", {"reasoning_open": ("<think>",), "reasoning_close": ("</think>",)})
LINES = Dialect("lines", "Lines", {"reasoning_open": ("\nT",), "reasoning_close": ("\n/T", "E")})
BLANK = Dialect("blank", "Blank", {"reasoning_open": tuple(f"{space}>" for space in WHITE_SPACE)})
SINGLE = Dialect("single", "Single", {"framing": ("#", "##", "+")})
ROLES = {
    "reasoning_open": ("RO",),
    "reasoning_close": ("RC",),
    "answer_open": ("AO",),
    "answer_close": ("AC",),
    "calls_open": ("CO",),
    "calls_close": ("CC",),
    "framing": ("FR",),
}
EACH = Dialect("each", "Each", ROLES)


def watched(
    state: str, first: bool = False, unasked: bool = False, dialect: Dialect = EACH, **policy: str | bool
) -> Watch:
    """What a state watches under a policy. ``unasked``: nobody asked for reasoning, and the prompt opened none."""
    return watch(dialect, DEFAULT.with_values(policy), unasked, state, first)


TABLE = {
    BEFORE: {"RO": OPEN, "AO": AFTERWARDS, "AC": DROP, "CO": CALL, "FR": DROP},
    INSIDE: {"RC": AFTERWARDS, "AO": AFTERWARDS, "AC": REMEMBER, "CO": CALL, "FR": DROP},
    AFTER: {"AO": DROP, "AC": DROP, "CO": CALL, "FR": DROP},
    CALLS: {"CC": CALL_END},
}


@pytest.mark.parametrize("state", TABLE)
def test_a_state_watches_what_the_table_of_the_contract_says(state: str) -> None:
    assert watched(state).actions == TABLE[state]


def test_before_any_words_a_closer_declines() -> None:
    assert watched(BEFORE, first=True).actions == {**TABLE[BEFORE], "RC": AFTERWARDS}
    assert watched(BEFORE, first=True, declined="text").actions == TABLE[BEFORE]
    assert watched(BEFORE, first=True, stray_close="dropped").actions["RC"] == AFTERWARDS
    assert watched(BEFORE, first=True, declined="text", stray_close="dropped").actions["RC"] == DROP
    assert watched(BEFORE, first=True, declined="text", stray_close="ends_thought").actions["RC"] == THOUGHT


def test_a_stray_closer_does_what_the_policy_says() -> None:
    assert watched(BEFORE, stray_close="dropped").actions["RC"] == DROP
    assert watched(BEFORE, stray_close="ends_thought").actions["RC"] == THOUGHT
    assert watched(AFTER, stray_close="dropped").actions["RC"] == DROP
    assert watched(AFTER, stray_close="ends_thought").actions == TABLE[AFTER]


def test_an_opener_does_what_the_policy_says() -> None:
    assert "RO" not in watched(BEFORE, prefix="text").actions
    assert watched(BEFORE, first=True, prefix="text").actions["RO"] == OPEN
    assert watched(AFTER, reopen="opens").actions["RO"] == OPEN
    assert watched(INSIDE, echoed_open="dropped").actions["RO"] == DROP
    assert watched(INSIDE, first=True, echoed_open="dropped_first").actions["RO"] == DROP
    assert "RO" not in watched(INSIDE, echoed_open="dropped_first").actions
    assert "RO" not in watched(INSIDE, first=True).actions


def test_a_calls_opener_in_a_thought_is_watched_where_it_ends_reasoning() -> None:
    assert "CO" not in watched(INSIDE, calls_end_reasoning=False).actions
    assert watched(BEFORE, calls_end_reasoning=False).actions["CO"] == CALL


def test_reasoning_markers_are_text_where_reasoning_is_off() -> None:
    without = {**TABLE[BEFORE]}
    del without["RO"]
    for first in (True, False):
        assert watched(BEFORE, first, off="text", unasked=True).actions == without
    assert "RO" in watched(BEFORE, off="text").actions
    assert "RO" in watched(BEFORE, unasked=True).actions
    assert "RC" in watched(BEFORE, first=True, unasked=True).actions


def test_the_first_of_two_roles_of_a_marker_counts() -> None:
    both = Dialect("both", "Both", {"reasoning_close": ("END",), "framing": ("END",)})
    assert watched(INSIDE, dialect=both).actions == {"END": AFTERWARDS}
    assert watched(BEFORE, dialect=both).actions == {"END": DROP}


def spans(one: Watch, text: str, start: int = 0) -> list[str]:
    """The text of each match."""
    return [match.group() for match in one.matches(text, start)]


def test_matches_are_the_leftmost_and_the_longest_markers() -> None:
    assert spans(watched(BEFORE, dialect=SINGLE), "a##b#+c") == ["##", "#", "+"]
    assert spans(watched(INSIDE, dialect=TAGS), "a</think></think>b") == ["</think>"] * 2
    assert spans(watched(INSIDE, dialect=TAGS), "</think></think>", 1) == ["</think>"]
    assert spans(watched(CALLS, dialect=TAGS), "a XX</think>XX") == []
    dotted = Dialect("dotted", "Dotted", {"framing": ("a.c",)})
    assert spans(watched(BEFORE, dialect=dotted), "abca.c") == ["a.c"]


def test_before_words_each_character_that_is_words_is_a_match_too() -> None:
    assert spans(watched(BEFORE, first=True, dialect=TAGS), " \n<think> a\u00a0") == ["<think>", "a", "\u00a0"]
    assert spans(watched(BEFORE, dialect=TAGS), " <think>a") == ["<think>"]


def alarmed(one: Watch, text: str) -> bool:
    """Whether the alarm goes off somewhere in a text."""
    assert one.alarm is not None
    return one.alarm(text) is not None


def test_the_alarm_after_words_goes_off_where_a_marker_could_start() -> None:
    after = watched(INSIDE, dialect=LINES)
    assert [alarmed(after, sign) for sign in "\nE/TaX "] == [True, True, False, False, False, False, False]


def test_the_alarm_before_words_goes_off_at_words_and_at_white_space_that_begins_a_marker() -> None:
    before = watched(BEFORE, first=True, dialect=LINES)
    assert [alarmed(before, sign) for sign in "\nEXx \t\v\f\r"] == [True] * 4 + [False] * 5
    every = watched(BEFORE, first=True, dialect=BLANK)
    assert all(alarmed(every, sign) for sign in WHITE_SPACE + "a")


def test_there_is_no_alarm_where_nothing_is_watched() -> None:
    nothing = watched(CALLS, dialect=TAGS)
    assert nothing.alarm is None
    assert nothing.begins("</think>") is None
    assert (nothing.reach, nothing.edge("</think", 0)) == (0, 7)


def begun(one: Watch, text: str) -> str:
    """What may still become a marker at the end of a text."""
    return text[one.edge(text, 0) :]


@pytest.mark.parametrize("length", range(1, len("</think>")))
def test_every_proper_beginning_of_a_marker_may_still_become_one(length: int) -> None:
    inside = watched(INSIDE, dialect=TAGS)
    assert begun(inside, "a<" + "</think>"[:length]) == "</think>"[:length]
    assert begun(inside, "</think>"[:length] + "!") == ""


def test_a_whole_marker_may_still_become_a_longer_one_and_no_other() -> None:
    single = watched(BEFORE, dialect=SINGLE)
    assert [begun(single, text) for text in ("#", "a#", "+", "", "a")] == ["#", "#", "", "", ""]
    assert single.begins("+") is single.begins("") is None


def test_the_leftmost_of_two_possible_beginnings_counts() -> None:
    twice = watched(BEFORE, dialect=Dialect("twice", "Twice", {"framing": ("abac", "ac")}))
    assert begun(twice, "xaba") == "aba"
    assert begun(twice, "xa") == "a"


def test_a_beginning_is_looked_for_from_where_it_is_asked_for_and_no_farther_back_than_a_marker_reaches() -> None:
    """So that a search takes no longer the more text there is."""
    inside = watched(INSIDE, dialect=TAGS)
    assert inside.reach == len("</think>") - 1
    asked: list[int] = []
    spy = dataclasses.replace(inside, begins=lambda text, start: asked.append(start))  # type: ignore[arg-type, func-returns-value]
    for start in (0, 90, 97):
        spy.edge("a" * 100, start)
    assert asked == [93, 93, 97]
    assert inside.edge("a</thi", 2) == 6


@pytest.mark.parametrize("id", REGISTRY.ids())
def test_what_is_watched_before_words_and_after_differs_in_reasoning_markers_alone(id: str) -> None:
    """So that where they are text, one search serves both."""
    dialect = REGISTRY.get(id)
    reasoning = {*dialect.of("reasoning_open"), *dialect.of("reasoning_close")}
    for policy in one_at_a_time(dialect.policy):
        for state in (BEFORE, INSIDE, AFTER, CALLS):
            fresh, later = (watch(dialect, policy, False, state, first).actions for first in (True, False))
            assert {marker for marker in {*fresh, *later} if fresh.get(marker) != later.get(marker)} <= reasoning


def test_a_watch_knows_whether_words_came() -> None:
    assert watched(BEFORE, first=True).first is True
    assert watched(BEFORE).first is False
