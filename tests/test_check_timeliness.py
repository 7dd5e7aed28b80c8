"""Facts about the checks of when text is released, by observations made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from observed import AC, CLOSE, RAISED, TOOLS, C, R, seen

from conformance.checks.timeliness import released_at_once, released_in_time
from conformance.observation import Finding, Observation
from oracles.dialects import REGISTRY
from oracles.reader import PIECE

SLACK = REGISTRY.get("qwen3").longest - 1
LONG = "." * (SLACK + 2)


def told(finding: Finding | None) -> tuple[str, object, tuple[tuple[str, str, str, str], ...]]:
    """The note, the chunk, and the values of a finding of lateness."""
    assert finding is not None
    assert finding.consults
    return finding.note, finding.extra.get("chunk"), finding.values


def late(text: str, released: Sequence[str], **given: str) -> Observation:
    """A stream of reasoning that is given in one chunk, then another of one letter, and released so."""
    first, second, last = released
    return seen([text, "a"], ("", ""), ([text, "a"], [[R(first)], [R(second)], [R(last)]]), **given)  # type: ignore[arg-type]


def test_what_is_released_with_its_chunk_is_in_time_and_at_once() -> None:
    one = late(LONG, [LONG, "a", ""])
    assert released_in_time(one) is released_at_once(one) is None


def test_as_much_may_be_held_as_the_longest_marker_less_one_character() -> None:
    one = late(LONG, [LONG[:2], LONG[2:] + "a", ""])
    assert len(LONG) - 2 == SLACK
    assert released_in_time(one) is None
    assert released_in_time(late(LONG, [LONG[:1], LONG[1:] + "a", ""])) is not None


def test_what_is_held_longer_is_told_with_the_chunk_after_which_it_is() -> None:
    found = released_in_time(late(LONG, ["", LONG[:1], LONG[1:] + "a"]))
    note, chunk, values = told(found)
    assert note == (
        f"after chunk 1 of 2, {SLACK + 2} characters are held that the oracle has released; at most {SLACK} may be"
    )
    assert chunk == 0
    assert values == (
        ("after 1", "oracle", repr((LONG, "")), ""),
        ("after 1", "stream", repr(("", "")), ""),
    )


def test_what_is_held_at_all_that_need_not_be_is_not_at_once() -> None:
    note, chunk, values = told(released_at_once(late("..", ["..", "", "a"])))
    assert note == "after chunk 2 of 2, 1 character is held that the oracle has released; none need be"
    assert chunk == 1
    assert values == (("after 2", "oracle", repr(("..a", "")), ""), ("after 2", "stream", repr(("..", "")), ""))


def test_what_may_become_a_marker_is_not_due() -> None:
    texts = ["j", CLOSE, "k"]
    chunks = ["j</thi", "nk>k"]
    one = seen(texts, ("", ""), (chunks, [[R("j")], [C("k")], []]))
    assert released_at_once(one) is None


def test_what_an_undeclared_value_holds_that_a_stream_reads_by_is_in_time() -> None:
    """It is not at once: that is read by the policy in force."""
    one = late(LONG, ["", "", LONG + "a"])
    assert released_in_time(one) is not None
    one.readings.hold({"unclosed": "content_if_stopped"})
    assert released_in_time(one) is None
    assert released_at_once(one) is not None


def test_white_space_is_in_time_where_a_stream_trims_it_undeclared() -> None:
    blank = " " * (SLACK + 2)
    one = seen([blank, "a"], ("", ""), ([blank, "a"], [[], [R(blank), R("a")], []]))
    assert released_in_time(one) is not None
    one.readings.hold({"space": "trimmed"})
    assert released_in_time(one) is None
    assert released_at_once(one) is not None


def test_what_no_value_holds_is_late_beside_what_one_holds() -> None:
    blank = " " * (SLACK + 2)
    one = seen([LONG, blank, "a"], ("", ""), ([LONG, blank, "a"], [[], [], [R(LONG + blank + "a")], []]))
    one.readings.hold({"space": "trimmed"})
    _, chunk, values = told(released_in_time(one))
    assert (chunk, values[0]) == (0, ("after 1", "oracle", repr((LONG, "")), ""))


def test_the_first_stream_that_is_late_is_shown() -> None:
    right = (["..", "a"], [[R("..")], [R("a")], []])
    wrong = (["..", "a"], [[], [R("..a")], []])
    one = seen(["..", "a"], ("", ""), (["..a"], RAISED), right, wrong, wrong)
    found = released_at_once(one)
    assert found is not None
    assert found.run is one.streams[2]


def test_only_a_message_that_is_right_is_judged_by_when_it_comes() -> None:
    assert released_at_once(seen(["a"], ("", ""), (["a"], [[], [R("b")]]))) is None


def test_a_stream_that_is_late_is_told_behind_one_whose_message_is_wrong() -> None:
    wrong = (["..", "a"], [[], [R("b")], []])
    late_one = (["..", "a"], [[], [R("..a")], []])
    one = seen(["..", "a"], ("", ""), wrong, late_one)
    found = released_at_once(one)
    assert found is not None
    assert found.run is one.streams[1]


# White space that may be trimmed


def test_under_trimmed_white_space_at_the_end_of_a_channel_is_not_due() -> None:
    held = (["a ", "b"], [[R("a")], [R(" b")], []])
    assert released_at_once(seen(["a ", "b"], ("", ""), held, space="trimmed")) is None
    assert released_at_once(seen(["a ", "b"], ("", ""), held)) is not None


def test_under_trimmed_what_is_not_white_space_is_due() -> None:
    one = seen(["a ", "b"], ("", ""), (["a ", "b"], [[], [R("a b")], []]), space="trimmed")
    note, chunk, values = told(released_at_once(one))
    assert note == "after chunk 1 of 2, 1 character is held that the oracle has released; none need be"
    assert (chunk, values[1]) == (0, ("after 1", "stream", repr(("", "")), ""))


def test_under_trimmed_each_channel_may_be_behind_by_the_slack() -> None:
    given = {"space": "trimmed"}
    assert released_in_time(late(LONG, [LONG[:2], LONG[2:] + "a", ""], **given)) is None
    note, chunk, _ = told(released_in_time(late(LONG, [LONG[:1], LONG[1:] + "a", ""], **given)))
    assert chunk == 0
    assert f"{SLACK + 1} characters are held" in note
    assert released_in_time(late("..", ["", "..a", ""], **given)) is None


def test_under_trimmed_content_is_due_as_reasoning_is() -> None:
    raw = [f"j{CLOSE}{LONG}", "a"]
    texts = ["j", CLOSE, LONG, "a"]
    slow = seen(texts, ("", ""), (raw, [[R("j")], [], [C(f"{LONG}a")]]), space="trimmed")
    note, chunk, _ = told(released_in_time(slow))
    assert (chunk, f"{len(LONG)} characters are held" in note) == (0, True)
    late_too = seen(texts, ("", ""), (raw, [[R("j"), C(LONG)], [], [C("a")]]), space="trimmed")
    assert told(released_at_once(late_too))[1] == 1


# Replays

REPLAYED = "." * (PIECE + 1)
KIMI = {"dialect": "kimi_k3"}


def replay(pieces: Sequence[int]) -> Observation:
    """A skipped channel that is given once more in pieces of those sizes."""
    text = "." * sum(pieces)
    raw = text + AC
    deltas = [C("." * size) for size in pieces]
    return seen([text, AC], ("", ""), ([raw], [[R(text)], deltas]), **KIMI)  # type: ignore[arg-type]


@pytest.mark.parametrize("pieces", [[PIECE, 1], [1, PIECE], [PIECE], [PIECE, PIECE, 7], [5]])
def test_a_replay_in_pieces_is_in_time(pieces: list[int]) -> None:
    assert released_in_time(replay(pieces)) is None


@pytest.mark.parametrize("pieces", [[PIECE + 1], [1, PIECE + 1], [PIECE + 1, 1]])
def test_a_replay_in_a_larger_piece_is_told_with_its_size(pieces: list[int]) -> None:
    one = replay(pieces)
    found = released_in_time(one)
    assert told(found) == (
        f"a replay comes in a piece of {PIECE + 1} characters; at most {PIECE} are allowed",
        None,
        (),
    )
    assert found is not None
    assert found.run is one.streams[0]
    assert released_at_once(one) is None


def test_content_beside_a_replay_is_no_part_of_its_pieces() -> None:
    text = "." * PIECE
    call = f"{TOOLS}{REPLAYED}"
    texts = [text, AC, TOOLS, REPLAYED]
    raw = "".join(texts)
    apart = ([raw], [[R(text), C(text), C(call)], []])
    joined = ([raw], [[R(text), C(text + call)], []])
    assert released_in_time(seen(texts, ("", ""), apart, joined, **KIMI)) is None  # type: ignore[arg-type]
    long = [REPLAYED, AC, TOOLS, "x"]
    wrong = (["".join(long)], [[R(REPLAYED), C(f"{REPLAYED}{TOOLS}x")], []])
    assert released_in_time(seen(long, ("", ""), wrong, **KIMI)) is not None  # type: ignore[arg-type]


def test_content_before_a_replay_is_no_part_of_its_pieces() -> None:
    opener = "<|open|>think<|sep|>"
    texts = [REPLAYED, opener, REPLAYED, AC]
    raw = "".join(texts)
    right = ([raw], [[C(REPLAYED), R(REPLAYED)], [C("." * PIECE), C(".")]])
    wrong = ([raw], [[C(REPLAYED), R(REPLAYED)], [C(REPLAYED)]])
    given = {**KIMI, "opened": False}
    assert released_in_time(seen(texts, ("", ""), right, **given)) is None  # type: ignore[arg-type]
    assert released_in_time(seen(texts, ("", ""), right, wrong, **given)) is not None  # type: ignore[arg-type]


def test_only_a_message_that_is_right_to_the_letter_is_judged_by_its_pieces() -> None:
    text = REPLAYED
    one = seen([text, AC], ("", ""), ([text + AC], [[R(text)], [C(f"{text} ")]]), space="trimmed", **KIMI)  # type: ignore[arg-type]
    assert released_in_time(one) is None


def test_a_replay_in_a_larger_piece_is_told_behind_a_wrong_message_and_behind_content_in_parts() -> None:
    opener = "<|open|>think<|sep|>"
    texts = ["..", "...", opener, REPLAYED, AC]
    raw = "".join(texts)
    wrong = ([raw], [[C("."), R(REPLAYED)], [C(REPLAYED)]])
    parts = ([raw], [[C(".."), C("..."), R(REPLAYED)], [C(REPLAYED)]])
    one = seen(texts, ("", ""), wrong, parts, opened=False, **KIMI)  # type: ignore[arg-type]
    found = released_in_time(one)
    assert found is not None
    assert found.run is one.streams[1]


def test_where_nothing_is_replayed_content_comes_in_pieces_of_any_size() -> None:
    assert (
        released_in_time(seen(["j", CLOSE, REPLAYED], ("", ""), ([f"j{CLOSE}{REPLAYED}"], [[R("j"), C(REPLAYED)], []])))
        is None
    )
