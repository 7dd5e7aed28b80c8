"""Facts about the specified reader as it streams: the exact deltas of each chunk, and what it keeps."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Sequence

import pytest
from test_semantics import AC, CO, FINAL, HARMONY, KIMI, LINES, MC, NESTED, ROWS, START, TAGS, TC, Row, dialect, ids

from oracles.dialects import REGISTRY, Dialect
from oracles.messages import Finish, Message, Request
from oracles.policies import DEFAULT, one_at_a_time
from oracles.reader import PIECE, Machine, Reader, Replay, fold, pieces
from oracles.watch import AFTER, BEFORE, CALLS, INSIDE

Told = list[tuple[str, str]]
OVERLAP = dialect("overlap", framing=("ab", "bc"))
INNER = dialect("inner", answer_open=("[<f>]!!",), framing=("<f>",), reasoning_close=("</r",))


def R(text: str) -> tuple[str, str]:
    return "reasoning", text


def C(text: str) -> tuple[str, str]:
    return "content", text


def told(
    dialect: Dialect,
    chunks: Sequence[str],
    opened: bool = True,
    thinking: bool = True,
    finish: Finish = "stop",
    **policy: str | bool,
) -> list[Told]:
    """The deltas of each chunk, and of the end."""
    reader = Machine(dialect, DEFAULT.with_values(policy)).start(Request(dialect.id, opened, thinking))
    return [*(reader.feed(chunk) for chunk in chunks), reader.finish(finish)]


# What is released when


def test_text_is_released_with_its_chunk() -> None:
    assert told(TAGS, ["a", "b ", ""]) == [[R("a")], [R("b ")], [], []]
    assert told(TAGS, ["a", " b"], opened=False) == [[C("a")], [C(" b")], []]


def test_what_may_become_a_marker_is_held_and_no_more() -> None:
    assert told(TAGS, ["a<", "/thi", "nk>b"]) == [[R("a")], [], [C("b")], []]
    assert told(TAGS, ["a</th", "b"]) == [[R("a")], [R("</thb")], []]
    assert told(TAGS, ["a</th", "</think>", "b"]) == [[R("a")], [R("</th")], [C("b")], []]
    assert told(TAGS, ["a</th"]) == [[R("a")], [R("</th")]]


def test_text_before_a_marker_and_behind_it_comes_in_the_order_of_the_output() -> None:
    assert told(TAGS, ["a</think>b</think>"]) == [[R("a"), C("b</think>")], []]
    assert told(TAGS, ["a<think>b</think>c"], opened=False) == [[C("a"), R("b"), C("c")], []]
    assert told(TAGS, ["a<call>b</call>c"]) == [[R("a"), C("<call>b</call>c")], []]


def test_text_that_only_a_dropped_marker_parts_is_one_delta() -> None:
    assert told(KIMI, [f"a{MC}b{MC}{MC}c"]) == [[R("abc")], []]
    assert told(KIMI, [f"{MC}a", f"{MC}b"], opened=False) == [[C("a")], [C("b")], []]


def test_a_complete_marker_waits_for_a_longer_one() -> None:
    assert told(NESTED, ["t</r", ">", "ab"]) == [[R("t")], [], [C("b")], []]
    assert told(NESTED, ["t</r", ">b"]) == [[R("t")], [C(">b")], []]
    assert told(NESTED, ["t</r", "b"]) == [[R("t")], [C("b")], []]
    assert told(HARMONY, [f"t{START}", f"{FINAL}a"]) == [[R("t")], [C("a")], []]
    assert told(HARMONY, [f"t{START}", "a"]) == [[R("t")], [R("a")], []]


def test_a_marker_that_ends_in_the_beginning_of_another_is_not_searched_again() -> None:
    assert told(OVERLAP, ["ab", "c"], opened=False) == [[], [C("c")], []]
    assert told(OVERLAP, ["xab", "bc", "b"], opened=False) == [[C("x")], [], [], [C("b")]]
    assert told(OVERLAP, ["xabb", "cy"], opened=False) == [[C("x")], [C("y")], []]


def test_where_nothing_is_watched_everything_is_released() -> None:
    assert told(LINES, ["a\n[CALLS]", "<think>", "\n"], opened=False) == [
        [C("a"), C("\n[CALLS]")],
        [C("<think>")],
        [C("\n")],
        [],
    ]


def test_white_space_before_words_is_released_unless_a_marker_may_begin_with_it() -> None:
    assert told(TAGS, [" ", "\n", "<think>"], opened=False) == [[C(" ")], [C("\n")], [], []]
    assert told(LINES, [" ", "\n", "a"], opened=False) == [[C(" ")], [], [C("\na")], []]


def test_a_possible_beginning_is_judged_by_what_was_said_before_it() -> None:
    assert told(TAGS, ["a", "</think>b"], opened=False) == [[C("a")], [C("</think>b")], []]
    assert told(TAGS, [" ", "</thi", "nk>b"], opened=False) == [[C(" ")], [], [C("b")], []]
    assert told(TAGS, ["a", "</thi"], opened=False) == [[C("a")], [C("</thi")], []]


def test_what_is_text_where_reasoning_is_off_is_released_at_once() -> None:
    off = {"opened": False, "thinking": False, "off": "text"}
    assert told(TAGS, ["<thi", "nk>"], **off) == [[C("<thi")], [C("nk>")], []]  # type: ignore[arg-type]
    assert told(TAGS, ["a", "</think>b"], stray_close="ends_thought", **off) == [  # type: ignore[arg-type]
        [C("a")],
        [C("</think>b")],
        [],
    ]
    assert told(TAGS, ["a"], stray_close="ends_thought", **{**off, "off": "read"}) == [[], [C("a")]]  # type: ignore[arg-type]


# What a policy holds


def test_a_skipped_channel_is_streamed_and_replayed_at_the_end() -> None:
    replayed = told(KIMI, ["a", f"b{AC}", "\n", MC], skipped_channel="replayed")
    assert replayed == [[R("a")], [R("b")], [R("\n")], [], [C("ab\n")]]
    assert isinstance(replayed[-1][0], Replay)
    assert told(KIMI, [f"a{AC}", "<|clo"], skipped_channel="replayed")[-1] == [R("<|clo"), C("a")]


def test_a_skipped_channel_is_replayed_before_a_call() -> None:
    assert told(KIMI, [f"a{AC}{CO}x"], skipped_channel="replayed") == [[R("a"), C("a"), C(f"{CO}x")], []]
    assert told(KIMI, [f"a{AC}{CO}x"], skipped_channel="moved") == [[C("a"), C(f"{CO}x")], []]
    assert told(KIMI, [f"a{AC}{CO}x"]) == [[R("a"), C(f"{CO}x")], []]
    assert told(KIMI, [f"a{AC}{CO}x"], unclosed="content_if_stopped") == [[R("a"), C(f"{CO}x")], []]


def test_a_replay_comes_in_pieces() -> None:
    text = "." * (PIECE + 1)
    assert told(KIMI, [text + AC], skipped_channel="replayed")[-1] == [C("." * PIECE), C(".")]
    assert [*pieces("")] == []
    assert [len(piece) for piece in pieces("." * 2 * PIECE)] == [PIECE, PIECE]


def test_a_channel_that_may_move_is_held_until_it_is_decided() -> None:
    assert told(KIMI, ["a", f"b{TC}c"], skipped_channel="moved") == [[], [R("ab"), C("c")], []]
    assert told(KIMI, ["a", AC, "<|c"], skipped_channel="moved") == [[], [], [], [C("a<|c")]]
    assert told(KIMI, ["a", f"{AC}b"], skipped_channel="moved") == [[], [], [R("ab")]]
    assert told(KIMI, ["a", AC], skipped_channel="moved", finish="length") == [[], [], [R("a")]]


def test_a_channel_that_can_not_move_is_not_held() -> None:
    """In a dialect without an answer's closer."""
    assert told(TAGS, ["a"], skipped_channel="moved") == [[R("a")], []]
    assert told(KIMI, [f"{TC}a"], skipped_channel="moved") == [[C("a")], []]
    assert told(KIMI, ["a"], opened=False, skipped_channel="moved") == [[C("a")], []]


def test_an_unclosed_channel_is_held_until_reasoning_first_closes() -> None:
    held = {"unclosed": "content_if_stopped"}
    assert told(TAGS, ["a", "b"], **held) == [[], [], [C("ab")]]
    assert told(TAGS, ["a", "<"], finish="length", **held) == [[], [], [R("a<")]]
    assert told(TAGS, ["a", "</think>", "b"], **held) == [[], [R("a")], [C("b")], []]
    later = told(TAGS, ["a</think>", "<think>", "b", "<"], reopen="opens", **held)
    assert later == [[R("a")], [], [R("b")], [], [R("<")]]


def test_a_channel_is_not_held_by_default() -> None:
    assert told(TAGS, ["a", "b"]) == [[R("a")], [R("b")], []]
    assert told(KIMI, ["a", AC, "b"]) == [[R("a")], [], [R("b")], []]


def test_what_may_turn_out_a_thought_is_held() -> None:
    thought = {"stray_close": "ends_thought"}
    assert told(TAGS, ["a", "</think>b"], opened=False, **thought) == [[], [R("a"), C("b")], []]
    assert told(TAGS, ["a", "<think>b"], opened=False, **thought) == [[], [C("a"), R("b")], []]
    assert told(TAGS, ["a", "<call>b"], opened=False, **thought) == [[], [C("a"), C("<call>b")], []]
    assert told(TAGS, ["a", "<"], opened=False, **thought) == [[], [], [C("a<")]]
    assert told(TAGS, [" ", "</think>b"], opened=False, **thought) == [[], [C(" "), C("b")], []]
    assert told(KIMI, ["a", "<|open|>response<|sep|>b"], opened=False, **thought) == [[], [C("a"), C("b")], []]
    assert told(TAGS, ["</think>a", "b"], opened=False, **thought) == [[C("a")], [C("b")], []]
    assert told(dialect("open", reasoning_open=("<o>",)), ["a"], opened=False, **thought) == [[C("a")], []]


# The end


def test_at_the_end_a_dropped_marker_inside_what_was_held_parts_text_from_the_cut_marker() -> None:
    assert told(INNER, ["t[<f>]"]) == [[R("t")], [R("["), R("]")]]


@pytest.mark.parametrize(
    ("raw", "cut"), [("a</thi", "</thi"), ("a", ""), ("", ""), ("a</think>b</thi", ""), ("a</think>b<ca", "<ca")]
)
def test_after_the_end_the_cut_marker_is_known(raw: str, cut: str) -> None:
    reader = Machine(TAGS).start(Request("tags", True, True))
    assert reader.cut == ""
    reader.feed(raw)
    assert reader.cut == ""
    reader.finish("stop")
    assert reader.cut == cut


# Machines


def test_a_machine_without_a_policy_has_that_of_the_dialect() -> None:
    kimi = REGISTRY.get("kimi_k3")
    request = Request("kimi_k3", True, True)
    assert Machine(kimi).policy == kimi.policy
    assert Machine(kimi, DEFAULT).policy == DEFAULT
    assert Machine(kimi).split(request, f"a{AC}", "stop") == Message("a", "a")
    assert Machine(kimi, DEFAULT).split(request, f"a{AC}", "stop") == Message("a", "")


def test_a_state_is_compiled_once_and_before_words_only_where_it_watches_otherwise() -> None:
    machine = Machine(TAGS)
    assert machine.watch(False, AFTER, False) is machine.watch(False, AFTER, False)
    assert machine.watch(False, BEFORE, True) is not machine.watch(False, BEFORE, False)
    assert machine.watch(False, INSIDE, True) is machine.watch(False, INSIDE, False)
    off = Machine(TAGS, DEFAULT.with_values({"off": "text"}))
    assert off.watch(True, BEFORE, True) is off.watch(True, BEFORE, False)
    assert off.watch(True, BEFORE, True) is not off.watch(False, BEFORE, True)
    assert off.watch(False, CALLS, False).actions == {"</call>": "call_end"}


def test_messages_are_put_together_channel_by_channel() -> None:
    assert fold([R("a"), C("b"), R("c"), C("d")]) == Message("ac", "bd")
    assert fold([]) == Message("", "")


# Whatever the chunks


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_an_output_reads_alike_character_by_character_and_cut_in_two_anywhere(row: Row) -> None:
    machine = Machine(row.dialect, row.policy)
    right = Message(row.reasoning, row.content)
    cuts = range(len(row.raw)) if len(row.raw) < 120 else ()
    for chunks in (list(row.raw), *([row.raw[:cut], row.raw[cut:]] for cut in cuts)):
        reader = machine.start(row.request)
        deltas = [delta for chunk in chunks for delta in reader.feed(chunk)]
        assert fold([*deltas, *reader.finish(row.finish)]) == right
        assert all(text for _, text in deltas)


@pytest.mark.parametrize("id", ["qwen3", "kimi_k3", "gpt_oss"])
def test_no_more_is_held_than_may_become_a_marker(id: str) -> None:
    """Of every word of two markers and their parts, a character at a time, under policies that hold nothing else."""
    dialect = REGISTRY.get(id)
    symbols = ["a", " ", *dialect.all_markers[:5], *(marker[: len(marker) // 2] for marker in dialect.all_markers[:3])]
    for policy in one_at_a_time():
        if policy.skipped_channel == "moved" or "ends_thought" in str(policy) or "content_if" in str(policy):
            continue
        machine = Machine(dialect, policy)
        for word in itertools.product(symbols, repeat=2):
            reader = machine.start(Request(id, True, True))
            for sign in "".join(word):
                reader.feed(sign)
                held = reader._held
                assert not held or any(marker.startswith(held) and marker != held for marker in reader._watch.actions)


def kept(reader: Reader) -> int:
    """The bytes that a reader keeps of a million characters."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(100):
            reader.feed(f"{number:10000}")
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_text_that_no_policy_needs_is_not_kept() -> None:
    opened = Request("", True, True)
    assert kept(Machine(KIMI, DEFAULT).start(opened)) < 20_000
    assert kept(Machine(TAGS, DEFAULT.with_values({"skipped_channel": "replayed"})).start(opened)) < 20_000
    assert kept(Machine(KIMI, DEFAULT.with_values({"skipped_channel": "replayed"})).start(opened)) > 900_000
