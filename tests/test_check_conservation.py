"""Facts about the checks that nothing is lost, doubled, leaked or out of order, by observations made by hand."""

from __future__ import annotations

from dataclasses import replace

from observed import AC, CALL, CLOSE, EOM, OPEN, RAISED, TC, TOOLS, C, R, seen

from conformance.checks.conservation import (
    answers,
    differing,
    markers_do_not_leak,
    nothing_lost,
    order_kept,
    segments_of,
    told,
)
from conformance.expectation import Ending
from conformance.observation import Finding
from oracles.pieces import Output, Piece

TEXTS = ["a", CLOSE, "b"]
RAW = "".join(TEXTS)
RIGHT = ([RAW], [[R("a"), C("b")], []])


def note(finding: Finding | None, *, consults: bool = True) -> str:
    """What a finding says. ``consults``: undeclared axes may excuse it."""
    assert finding is not None
    assert finding.consults is consults
    return finding.note


def test_the_answers_are_the_split_s_and_each_stream_s() -> None:
    one = seen(TEXTS, ("a", "b"), RIGHT, ([RAW], RAISED))
    assert [*answers(one)] == [(None, ("a", "b")), (one.streams[0], ("a", "b"))]
    assert [texts for _, texts in answers(seen(TEXTS, RAISED, RIGHT))] == [("a", "b")]


def test_a_message_is_told_by_whose_it_is() -> None:
    one = seen(TEXTS, ("a", "b"), RIGHT)
    assert [*told(("a", "b"), None)] == [("reasoning", "split", "a", ""), ("content", "split", "b", "")]
    assert [*told(("a", "b"), one.streams[0])] == [("reasoning", "stream", "a", ""), ("content", "stream", "b", "")]
    assert [row[1] for row in differing(("a", "b"), ("a", "c"), None)] == ["oracle", "split"] * 2
    assert [row[1] for row in differing(("a", "b"), ("a", "c"), one.streams[0])] == ["oracle", "stream"] * 2


# Nothing lost


def test_words_that_arrive_once_and_in_order_are_not_lost_in_whichever_channel() -> None:
    for texts in (("a", "b"), ("ab", ""), ("", "a b"), ("xaxbx", ""), ("b", "a")):
        assert nothing_lost(seen(TEXTS, texts)) is None


def test_a_word_that_does_not_arrive_is_lost() -> None:
    one = seen(TEXTS, ("a", "b"), RIGHT, ([RAW], [[R("a")], []]))
    found = nothing_lost(one)
    assert note(found, consults=False) == "the word 'b' is lost"
    assert found is not None
    assert (found.run, found.values) == (one.streams[1], tuple(told(("a", ""), one.streams[1])))
    split = nothing_lost(seen(TEXTS, ("", "b")))
    assert note(split, consults=False) == "the word 'a' is lost"
    assert split is not None
    assert (split.run, split.values) == (None, tuple(told(("", "b"), None)))


def test_a_word_that_arrives_twice_is_doubled() -> None:
    assert note(nothing_lost(seen(TEXTS, ("aa", "b")))) == "the word 'a' arrives 2 times"
    assert note(nothing_lost(seen(TEXTS, ("a", "ab")))) == "the word 'a' arrives 2 times"
    assert note(nothing_lost(seen(TEXTS, ("", "abbb")))) == "the word 'b' arrives 3 times"


def test_where_the_policy_replays_a_word_may_arrive_once_a_channel() -> None:
    replayed = {"dialect": "kimi_k3", "skipped_channel": "replayed"}
    texts = ["a", TC, "b"]
    assert nothing_lost(seen(texts, ("a", "ab"), **replayed)) is None  # type: ignore[arg-type]
    assert note(nothing_lost(seen(texts, ("aa", "b"), **replayed))) == "the word 'a' arrives 2 times"  # type: ignore[arg-type]
    stays = seen(texts, ("a", "ab"), dialect="kimi_k3", skipped_channel="stays")
    assert note(nothing_lost(stays)) == "the word 'a' arrives 2 times"


def test_words_of_a_channel_come_in_their_order() -> None:
    assert note(nothing_lost(seen(TEXTS, ("ba", "")))) == "the words of reasoning are out of order"
    assert note(nothing_lost(seen(TEXTS, ("", "ba")))) == "the words of content are out of order"


def test_what_the_oracle_says_is_never_lost() -> None:
    """Though a word stands in it twice, for it replays by default."""
    assert nothing_lost(seen(["a", AC], ("a", "a"), dialect="kimi_k3")) is None


# No marker leaks


def test_a_marker_that_reaches_a_channel_leaks() -> None:
    one = seen(TEXTS, ("a", "b"), RIGHT, ([RAW], [[R(f"a{CLOSE}"), C("b")], []]))
    found = markers_do_not_leak(one)
    assert note(found, consults=False) == "the marker '</think>' carries no text here, and reached reasoning"
    assert found is not None
    assert (found.run, found.values) == (one.streams[1], tuple(told((f"a{CLOSE}", "b"), one.streams[1])))
    split = markers_do_not_leak(seen(TEXTS, ("a", f"{CLOSE}b"), RIGHT))
    assert note(split, consults=False) == "the marker '</think>' carries no text here, and reached content"
    assert split is not None
    assert (split.run, split.values) == (None, tuple(told(("a", f"{CLOSE}b"), None)))


def test_a_marker_that_is_text_leaks_nowhere() -> None:
    texts = ["a", CLOSE, "b", OPEN]
    assert markers_do_not_leak(seen(texts, ("a", f"b{OPEN}"))) is None
    assert markers_do_not_leak(seen(texts, ("", f"{OPEN}ab{OPEN}"))) is None
    assert note(markers_do_not_leak(seen(texts, ("", f"{CLOSE}ab{OPEN}"))), consults=False).startswith(
        "the marker '</think>'"
    )


def test_a_marker_that_is_text_once_leaks_where_a_channel_has_it_oftener() -> None:
    texts = ["a", CLOSE, "b", CLOSE]
    assert markers_do_not_leak(seen(texts, ("a", f"b{CLOSE}"))) is None
    assert markers_do_not_leak(seen(texts, ("", f"b{CLOSE}"))) is None
    assert note(markers_do_not_leak(seen(texts, (f"a{CLOSE}", f"b{CLOSE}"))), consults=False).endswith(
        "reached reasoning"
    )
    assert note(markers_do_not_leak(seen(texts, ("a", f"{CLOSE}b{CLOSE}"))), consults=False).endswith("reached content")


def test_a_marker_that_the_output_does_not_hold_can_not_leak() -> None:
    """Neighbours of a dropped marker may join into one."""
    texts = ["</th", OPEN, "j", CLOSE, "ink>"]
    assert markers_do_not_leak(seen(texts, ("j", f"</thj{CALL}ink>"), opened=False)) is None
    kept = seen(["a", CALL, "b"], (f"a{CALL}", f"{CALL}b"))
    assert markers_do_not_leak(kept) is None


def test_what_the_oracle_says_leaks_nothing() -> None:
    texts = ["</th", OPEN, "j", CLOSE, "ink>"]
    assert markers_do_not_leak(seen(texts, ("j", "</think>"), opened=False)) is None


# Order


def order(found: Finding | None) -> list[str]:
    """The order that the oracle has, and that of the stream."""
    assert found is not None
    assert found.consults
    assert [row[:2] for row in found.values] == [("order", "oracle"), ("order", "stream")]
    assert [row[3] for row in found.values] == ["", ""]
    return [row[2] for row in found.values]


def test_the_order_of_the_oracle_is_kept_however_it_is_cut() -> None:
    assert order_kept(seen(TEXTS, ("a", "b"), RIGHT)) is None
    assert (
        order_kept(seen(["ab", CLOSE, "c"], ("", ""), ([f"ab{CLOSE}c"], [[R("a"), R(""), R("b")], [C("c")]]))) is None
    )


def test_channels_in_another_order_are_shown_beside_the_oracle_s() -> None:
    one = seen(TEXTS, ("a", "b"), RIGHT, ([RAW], [[C("b")], [R("a")]]))
    found = order_kept(one)
    assert order(found) == ["reasoning a, content b", "content b, reasoning a"]
    assert found is not None
    assert found.run is one.streams[1]


def test_only_a_message_that_is_right_is_judged_by_its_order() -> None:
    assert order_kept(seen(TEXTS, ("a", "b"), ([RAW], [[C("b")], [R("aa")]]))) is None


def test_a_channel_that_comes_in_three_parts_where_the_oracle_has_two_is_out_of_order() -> None:
    texts = ["ab", CLOSE, "c"]
    raw = "".join(texts)
    assert order(order_kept(seen(texts, ("", ""), ([raw], [[R("a"), C("c"), R("b")], []])))) == [
        "reasoning ab, content c",
        "reasoning a, content c, reasoning b",
    ]


CUT = ["a", AC, "<|clo"]
KIMI = {"dialect": "kimi_k3"}


def test_a_cut_marker_and_a_replay_may_come_either_way() -> None:
    raw = "".join(CUT)
    before = ([raw], [[R("a")], [R("<|clo"), C("a")]])
    behind = ([raw], [[R("a")], [C("a"), C(""), R("<|clo")]])
    between = ([raw], [[R("a")], [R("<|"), C("a"), R("clo")]])
    assert order_kept(seen(CUT, ("", ""), before, behind, **KIMI)) is None  # type: ignore[arg-type]
    assert order(order_kept(seen(CUT, ("", ""), between, **KIMI))) == [  # type: ignore[arg-type]
        "reasoning a<|clo, content a",
        "reasoning a<|, content a, reasoning clo",
    ]


def test_behind_a_call_too() -> None:
    """A cut marker that is all of its run leaves none before the replay, which joins the content before it."""
    texts = ["p", "<|open|>think<|sep|>", AC, "<|clo"]
    raw = "".join(texts)
    given = {**KIMI, "opened": False}
    before = ([raw], [[C("p")], [R("<|clo")]])
    assert order_kept(seen(texts, ("", ""), before, **given)) is None  # type: ignore[arg-type]


def test_an_order_that_is_no_cut_marker_s_is_judged_strictly() -> None:
    texts = ["a", AC, TOOLS, "b"]
    raw = "".join(texts)
    right = ([raw], [[R("a"), C("a"), C(f"{TOOLS}b")], []])
    wrong = ([raw], [[C("a"), R("a"), C(f"{TOOLS}b")], []])
    assert order_kept(seen(texts, ("", ""), right, **KIMI)) is None  # type: ignore[arg-type]
    assert order(order_kept(seen(texts, ("", ""), wrong, **KIMI)))[1] == f"content a, reasoning a, content {TOOLS}b"  # type: ignore[arg-type]


def test_under_trimmed_white_space_at_the_ends_of_runs_counts_for_nothing() -> None:
    texts = [" ", OPEN, "a ", CLOSE, " b"]
    raw = "".join(texts)
    given = {"opened": False, "space": "trimmed"}
    bare = ([raw], [[R("a")], [C("b")]])
    late = ([raw], [[R("a")], [C(" "), C(" b")]])
    wrong = ([raw], [[C(" b")], [R("a")]])
    blank = ([raw], [[R("a"), C(" "), R(" "), C("b")], []])
    assert order_kept(seen(texts, ("", ""), bare, late, blank, **given)) is None  # type: ignore[arg-type]
    assert order(order_kept(seen(texts, ("", ""), wrong, **given))) == [
        "reasoning a, content b",
        "content b, reasoning a",
    ]  # type: ignore[arg-type]
    strict = ([raw], [[R("a "), C(" "), C(" b")], []])
    assert order_kept(seen(texts, ("", ""), strict, **given)) is None  # type: ignore[arg-type]
    assert order_kept(seen(texts, ("", ""), strict, opened=False)) is not None


def test_under_trimmed_runs_of_one_channel_that_a_blank_one_parted_are_one() -> None:
    texts = ["a", OPEN, " ", CLOSE, "b"]
    raw = "".join(texts)
    given = {"opened": False, "space": "trimmed"}
    assert order_kept(seen(texts, ("", ""), ([raw], [[C("a"), C("b")], []]), **given)) is None  # type: ignore[arg-type]
    assert order(
        order_kept(
            seen(["a", OPEN, "c", CLOSE, "b"], ("", ""), ([f"a{OPEN}c{CLOSE}b"], [[C("ab")], [R("c")]]), **given)
        )
    ) == [  # type: ignore[arg-type]
        "content a, reasoning c, content b",
        "content ab, reasoning c",
    ]


def test_a_surrogate_pair_in_two_deltas_is_one_character() -> None:
    texts = ["\U0001f600", CLOSE, "b"]
    raw = "".join(texts)
    halves = ([raw], [[R("\ud83d"), R("\ude00"), C("b")], []])
    assert order_kept(seen(texts, ("", ""), halves)) is None


def test_an_ending_is_cut_into_its_runs() -> None:
    ending = Ending("ab", "cde", [("content", 1), ("reasoning", 3), ("content", 5)])
    assert segments_of(ending) == [("content", "c"), ("reasoning", "ab"), ("content", "de")]
    assert segments_of(Ending("", "", [])) == []
    turns = [("content", 1), ("reasoning", 2), ("content", 3), ("reasoning", 4), ("content", 5)]
    assert segments_of(Ending("ab", "cde", turns)) == [  # type: ignore[arg-type]
        ("content", "c"), ("reasoning", "a"), ("content", "d"), ("reasoning", "b"), ("content", "e"),
    ]  # fmt: skip


def test_framing_parts_nothing() -> None:
    texts = ["a", EOM, "b", TC, "c"]
    raw = "".join(texts)
    assert order_kept(seen(texts, ("", ""), ([raw], [[R("a"), R("b"), C("c")], []]), **KIMI)) is None  # type: ignore[arg-type]


def test_a_leaked_marker_that_some_undeclared_value_would_make_text_may_be_excused() -> None:
    texts = [OPEN, "a", CLOSE, "b"]
    leaked = ("a", f"{CLOSE}b")
    assert note(markers_do_not_leak(seen(texts, leaked, opened=False)), consults=False)
    behind = ["b", OPEN, "a"]
    assert note(markers_do_not_leak(seen(behind, ("", f"b{OPEN}a"), opened=False)))
    assert note(markers_do_not_leak(seen(behind, ("", f"b{OPEN}a"), opened=False, prefix="content")), consults=False)


def test_a_marker_that_text_around_a_dropped_one_makes_may_be_excused() -> None:
    """What a reader makes of the dropped one may be neither value of an axis that it doesn't declare."""
    raw = ["a", CLOSE, "</th", OPEN, "ink>"]
    joined = ("a", CLOSE)
    assert note(markers_do_not_leak(seen(raw, joined)))
    assert note(markers_do_not_leak(seen(["a", CLOSE, "</th", "b"], ("a", f"{CLOSE}</thb"))), consults=False)


def test_a_word_of_several_letters_that_two_channels_share_is_not_lost() -> None:
    raw = ["ab", CLOSE, "c"]
    one = seen(raw, ("a", "bc"))
    word = Output((Piece("word", "ab"), *one.output.pieces[1:]))
    assert nothing_lost(replace(one, output=word)) is None
    assert note(nothing_lost(replace(one, output=word, split=("a", "c"))), consults=False) == "the word 'ab' is lost"
    assert note(nothing_lost(replace(one, output=word, split=("b", "c"))), consults=False) == "the word 'ab' is lost"


def test_a_word_that_arrives_twice_is_told_with_its_message() -> None:
    one = seen(TEXTS, ("a", "b"), RIGHT, ([RAW], [[R("aa"), C("b")], []]))
    found = nothing_lost(one)
    assert note(found) == "the word 'a' arrives 2 times"
    assert found is not None
    assert (found.run, found.values) == (one.streams[1], tuple(told(("aa", "b"), one.streams[1])))


def test_the_finish_counts_where_an_axis_is_asked_whether_it_excuses_a_leak() -> None:
    raw, leaked = [OPEN, "a", OPEN], ("", f"a{OPEN}")
    assert note(markers_do_not_leak(seen(raw, leaked, opened=False, finish="stop")))
    assert note(markers_do_not_leak(seen(raw, leaked, opened=False, finish="length")), consults=False)


def test_a_lost_word_counts_more_than_one_that_comes_twice() -> None:
    twice, lost = ([RAW], [[R("aa"), C("b")], []]), ([RAW], [[R("a")], []])
    found = nothing_lost(seen(TEXTS, ("aa", "b"), twice, lost))
    assert note(found, consults=False) == "the word 'b' is lost"
    first = nothing_lost(seen(TEXTS, ("aa", "b"), ([RAW], [[R("a"), C("bb")], []])))
    assert first is not None
    assert (first.run, note(first)) == (None, "the word 'a' arrives 2 times")


def test_a_leak_that_nothing_excuses_counts_more_than_one_that_may_be_excused() -> None:
    opener = "<|open|>think<|sep|>"
    raw = ["b", opener, "a", EOM]
    text = "".join(raw)
    excusable, plain = ("", f"b{opener}a"), (f"a{EOM}", "b")
    both = seen(raw, excusable, ([text], [[C("b"), R(f"a{EOM}")], []]), dialect="kimi_k3", opened=False)
    found = markers_do_not_leak(both)
    assert note(found, consults=False).endswith("reached reasoning")
    assert found is not None
    assert found.values == tuple(told(plain, both.streams[0]))
    first = markers_do_not_leak(
        seen(raw, excusable, ([text], [[C(f"b{opener}a")], []]), dialect="kimi_k3", opened=False)
    )
    assert note(first)
    assert first is not None
    assert first.run is None
