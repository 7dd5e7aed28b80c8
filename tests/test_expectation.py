"""Facts about what is expected of an output: its message and its order, what is released when, what is settled."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from conformance.chunkings import Chunker
from conformance.expectation import PROFILED, Expectation, Readings, ends_aside
from oracles.dialects import REGISTRY, Dialect
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output, Piece, Pieces
from oracles.policies import AXES, Policy
from oracles.reader import PIECE, Machine

OPENED = Request("", True, True)
UNOPENED = Request("", False, True)
OPENER, CLOSER = "<|open|>think<|sep|>", "<|close|>think<|sep|>"
ANSWER, END = "<|open|>response<|sep|>", "<|close|>response<|sep|>"
TOOLS, FRAMING = "<|open|>tools<|sep|>", "<|close|>message<|sep|>"


def expected(dialect: str, raw: str, request: Request = OPENED, **policy: Any) -> Expectation:
    """What is expected of an output under the dialect's default, some axes aside."""
    return Readings(REGISTRY.get(dialect), policy).expect(raw, request)


def text(raw: str) -> Output:
    """An output of one piece."""
    return Output((Piece("text", raw),))


# Endings


def test_an_ending_is_the_message_at_a_finish():
    for finish in FINISHES:
        ending = expected("qwen3", "a</think>b").endings[finish]
        assert (ending.reasoning, ending.content) == ("a", "b")


def test_runs_are_channels_with_the_total_released_up_to_their_end():
    assert expected("qwen3", "ab</think>cde").endings["stop"].runs == [("reasoning", 2), ("content", 5)]
    assert expected("qwen3", "ab", UNOPENED).endings["stop"].runs == [("content", 2)]
    assert expected("qwen3", "a<think>b</think>c", UNOPENED).endings["stop"].runs == [
        ("content", 1),
        ("reasoning", 2),
        ("content", 3),
    ]
    assert expected("qwen3", "</think>").endings["stop"].runs == []


def test_a_dropped_marker_does_not_part_a_run():
    assert expected("kimi_k3", f"a{FRAMING}b{CLOSER}{ANSWER}c{END}d").endings["stop"].runs == [
        ("reasoning", 2),
        ("content", 4),
    ]


def test_a_skipped_channel_is_replayed_at_stop_and_not_at_length():
    expectation = expected("kimi_k3", f"ab{END}")
    stop, length = expectation.endings["stop"], expectation.endings["length"]
    assert (stop.reasoning, stop.content, stop.replays, stop.runs) == (
        "ab",
        "ab",
        ((0, 2),),
        [("reasoning", 2), ("content", 4)],
    )
    assert (length.reasoning, length.content, length.replays, length.runs) == ("ab", "", (), [("reasoning", 2)])


def test_a_replay_in_pieces_is_one_run():
    size = PIECE + 1
    assert expected("kimi_k3", "." * size + END).endings["stop"].runs == [("reasoning", size), ("content", 2 * size)]


def test_a_replay_before_a_call_stands_before_it_in_the_content():
    ending = expected("kimi_k3", f"ab{END}\n{TOOLS}c").endings["length"]
    assert ending.content == f"ab\n{TOOLS}c"
    assert ending.replays == ((0, 3),)


def test_a_replay_behind_content_is_told_by_where_it_stands():
    ending = expected("kimi_k3", f"a{OPENER}b{END}", UNOPENED).endings["stop"]
    assert (ending.reasoning, ending.content, ending.replays) == ("b", "ab", ((1, 2),))


@pytest.mark.parametrize("length", [PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 5])
def test_a_replay_comes_in_pieces_side_by_side(length):
    ending = expected("kimi_k3", "." * length + END).endings["stop"]
    sizes = [end - start for start, end in ending.replays]
    assert sum(sizes) == length
    assert max(sizes) <= PIECE
    assert [start for start, _ in ending.replays] == [0, *(end for _, end in ending.replays[:-1])]


def test_a_cut_marker_before_a_replay_is_told_by_its_length():
    """It and the replay may come in either order."""
    ending = expected("kimi_k3", f"ab{END}<|open|>resp").endings["stop"]
    assert (ending.reasoning, ending.content, ending.cut) == ("ab<|open|>resp", "ab", len("<|open|>resp"))


def test_a_cut_marker_without_a_replay_is_like_any_text():
    assert expected("kimi_k3", "ab<|open|>resp").endings["stop"].cut == 0
    assert expected("kimi_k3", f"ab{END}<|open|>resp").endings["length"].cut == 0
    assert expected("kimi_k3", f"ab{END}<|open|>resp", skipped_channel="moved").endings["stop"].cut == 0


def test_a_moved_channel_is_no_replay():
    ending = expected("kimi_k3", f"ab{END}", skipped_channel="moved").endings["stop"]
    assert (ending.reasoning, ending.content, ending.replays) == ("", "ab", ())


# Releases


def test_what_the_oracle_has_released_is_told_after_each_character():
    assert expected("qwen3", "a</think>b").prompt == [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]
    assert expected("qwen3", "a</thx").prompt == [0, 1, 1, 1, 1, 1, 6]
    assert expected("qwen3", "").prompt == [0]


def test_the_floor_is_that_less_the_longest_marker_but_one_character():
    dialect = REGISTRY.get("qwen3")
    assert dialect.longest == len("</tool_call>")
    expectation = expected("qwen3", "." * 20)
    assert expectation.floor == [released - 11 for released in range(21)]


def test_a_floor_is_picked_for_each_chunk():
    expectation = expected("qwen3", "." * 20)
    chunker = Chunker(REGISTRY.get("qwen3"))
    assert [*expectation.floor_at(chunker.ending(text("." * 20), [3, 3, 15, 20]))] == [-8, -8, 4, 9]
    assert [*expectation.prompt_at(chunker.ending(text("." * 20), [3, 3, 15, 20]))] == [3, 3, 15, 20]
    assert [*expectation.prompt_at(chunker.whole(text("." * 20)))] == [20]
    assert [*expected("qwen3", "").prompt_at(chunker.ending(text(""), []))] == []


def test_text_that_lags_its_ids_is_not_due_before_it_came():
    output = text("ab</think>c")
    for chunking in Chunker(REGISTRY.get("qwen3")).special(output):
        due = expected("qwen3", output.raw).prompt_at(chunking)
        assert all(released <= end for released, end in zip(due, chunking.ends, strict=True))


@pytest.mark.parametrize("length", [PROFILED - 9, PROFILED + 9])
def test_a_short_and_a_long_output_are_measured_alike(length):
    """A short one is read a character at a time, once; a long one anew for each chunking."""
    raw = f"{'.' * length}</think>b"
    expectation = expected("qwen3", raw)
    assert (expectation.floor is None) == (len(raw) > PROFILED)
    chunking = Chunker(REGISTRY.get("qwen3")).at(text(raw), [7, 100, 101, 102, 103, length + 3, length + 8])
    assert [*expectation.prompt_at(chunking)] == [7, 100, 101, 102, 103, length, length, length + 1]
    assert [*expectation.floor_at(chunking)] == [-4, 89, 90, 91, 92, length - 11, length - 11, length - 10]
    few = Chunker(REGISTRY.get("qwen3")).at(text(raw), [7, length + 8])
    assert [*expected("qwen3", raw).prompt_at(few)] == [7, length, length + 1]


def test_every_character_is_read_once_where_the_chunks_are_more_than_the_characters():
    chunker, output = Chunker(REGISTRY.get("qwen3")), text("abc")
    one, each = chunker.whole(output), chunker.at(output, [1, 2])
    for chunkings, prepared in (([one], False), ([each], False), ([one, each], True)):
        expectation = expected("qwen3", "abc")
        expectation.prepare(chunkings)
        assert (expectation._prompt is not None) == prepared
        expectation.prepare([each, each])
        assert expectation._prompt == [0, 1, 2, 3]
    kept = expectation._prompt
    expectation.prepare([each, each])
    assert expectation._prompt is kept


@pytest.mark.parametrize("id", ["qwen3", "kimi_k3", "gpt_oss"])
def test_what_is_released_depends_on_the_text_and_not_on_the_chunks(id):
    """So that one measurement serves every chunking."""
    dialect = REGISTRY.get(id)
    pieces, draw, chunker = Pieces(dialect), random.Random(id), Chunker(dialect)
    for policy in (
        {},
        {"skipped_channel": "moved"},
        {"stray_close": "ends_thought"},
        {"unclosed": "content_if_stopped"},
    ):
        readings = Readings(dialect, policy)
        for _ in range(10):
            output = pieces.output(draw.choices(pieces.alphabet, k=draw.randint(1, 6)))
            expectation = readings.expect(output.raw, Request(id, draw.random() < 0.5, True))
            for chunking in chunker.full(output):
                texts = [sum(map(len, told)) for told in expectation.texts_at(chunking)]
                assert texts == [*expectation.prompt_at(chunking)]


def test_texts_are_told_channel_by_channel():
    expectation = expected("qwen3", "ab</think>c")
    chunking = Chunker(REGISTRY.get("qwen3")).at(text("ab</think>c"), [1, 4, 10])
    assert [*expectation.texts_at(chunking)] == [("a", ""), ("ab", ""), ("ab", ""), ("ab", "c")]


def test_what_the_policy_must_hold_is_not_due():
    assert expected("kimi_k3", f"ab{CLOSER}c", skipped_channel="moved").prompt[:3] == [0, 0, 0]
    assert expected("qwen3", "ab</think>c", UNOPENED, stray_close="ends_thought").prompt == [0] * 10 + [2, 3]
    assert expected("qwen3", "ab", unclosed="content_if_stopped").prompt == [0, 0, 0]


def test_requests_that_are_read_alike_share_what_is_expected():
    readings = Readings(REGISTRY.get("qwen3"), {})
    on, off = (Request("qwen3", False, thinking) for thinking in (True, False))
    assert readings.expect("a", on) is readings.expect("a", off)
    apart = Readings(REGISTRY.get("qwen3"), {"off": "text"})
    assert apart.expect("<think>a", on).endings["stop"].reasoning == "a"
    assert apart.expect("<think>a", off).endings["stop"].reasoning == ""


def test_only_the_six_are_white_space_at_the_ends_of_a_channel():
    assert ends_aside(" \t\r\n\v\fa b\u00a0\f") == "a b\u00a0"


# What is settled

AXES_BUT_SPACE = [axis for axis in AXES if axis != "space"]


def choices(readings: Readings) -> Iterator[Policy]:
    """Every policy that an adapter may follow that declares what it declares."""
    free = [axis for axis in AXES_BUT_SPACE if axis not in readings.declared]
    for values in itertools.product(*(AXES[axis] for axis in free)):
        yield readings.policy.with_values(dict(zip(free, values, strict=True)))


@cache
def machine(id: str, policy: Policy) -> Machine:
    """A machine, compiled once."""
    return Machine(REGISTRY.get(id), policy)


def all_alike(id: str, readings: Readings, raw: str, request: Request, finish: Finish) -> bool:
    """Whether every such policy reads an output alike."""
    messages = (machine(id, policy).split(request, raw, finish) for policy in choices(readings))
    first = next(messages)
    return all(message == first for message in messages)


def declarations(id: str, count: int) -> list[dict[str, Any]]:
    """Nothing, everything, each axis left out alone, and random choices."""
    draw = random.Random(id)

    def some(axes: list[str]) -> dict[str, Any]:
        return {axis: draw.choice(AXES[axis]) for axis in axes}

    every = dict(REGISTRY.get(id).policy.values())
    without = [{name: value for name, value in every.items() if name != axis} for axis in AXES_BUT_SPACE]
    return [every, *without, *(some(draw.sample(AXES_BUT_SPACE, draw.randint(4, 8))) for _ in range(count))]


@pytest.mark.parametrize("id", ["kimi_k3", "qwen3", "gpt_oss"])
def test_an_output_is_settled_where_every_policy_that_is_left_reads_it_alike(id):
    pieces, draw = Pieces(REGISTRY.get(id)), random.Random(id)
    symbols = [*pieces.alphabet, *(cut for marker in pieces.markers for cut in pieces.cuts(marker)[-1::-5])]
    for declared in declarations(id, 12):
        readings = Readings(REGISTRY.get(id), declared)
        for _ in range(40):
            raw = pieces.output(draw.choices(symbols, k=draw.randint(1, 4))).raw
            request, finish = Request(id, draw.random() < 0.6, draw.random() < 0.6), draw.choice(FINISHES)
            told = readings.settled(raw, request, finish)
            assert told == all_alike(id, readings, raw, request, finish), (declared, raw, request, finish)


@pytest.mark.parametrize("id", ["kimi_k3", "qwen3", "gpt_oss"])
def test_an_output_is_settled_for_an_adapter_that_declares_nothing_where_all_policies_agree(id):
    pieces, draw = Pieces(REGISTRY.get(id)), random.Random(id)
    readings = Readings(REGISTRY.get(id), {})
    settled = 0
    for _ in range(6):
        raw = pieces.output(draw.choices(pieces.core, k=draw.randint(1, 3))).raw
        request, finish = Request(id, draw.random() < 0.6, draw.random() < 0.6), draw.choice(FINISHES)
        settled += readings.settled(raw, request, finish)
        assert readings.settled(raw, request, finish) == all_alike(id, readings, raw, request, finish), raw
    assert 0 < settled < 6


@pytest.mark.parametrize("id", ["kimi_k3", "gpt_oss"])
@pytest.mark.parametrize("skipped", ["replayed", "moved"])
def test_a_cut_marker_behind_a_skipped_channel_is_unsettled_where_an_axis_says_whether_it_is_watched(id, skipped):
    """What isn't watched is words, and words cancel the skip: so ``echoed_open`` matters before any opener is whole."""
    dialect = REGISTRY.get(id)
    end, *_ = dialect.of("answer_close")
    fixed = {"skipped_channel": skipped, "unclosed": "reasoning"}
    for axis, role in (("echoed_open", "reasoning_open"), ("calls_end_reasoning", "calls_open")):
        declared = {**dict(dialect.policy.values()), **fixed}
        del declared[axis]
        readings = Readings(dialect, declared)
        for marker in dialect.of(role):
            for length in range(1, len(marker)):
                raw = f"a{end}{marker[:length]}"
                for finish in FINISHES:
                    told = readings.settled(raw, Request(id, True, True), finish)
                    assert told == all_alike(id, readings, raw, Request(id, True, True), finish), (axis, raw)


def test_one_character_of_a_marker_is_cut_short_too():
    made = Dialect("made", "Made", {"reasoning_open": ("[o",), "reasoning_close": ("<c>",), "answer_close": ("(/)",)})
    declared = {**dict(made.policy.values()), "skipped_channel": "replayed"}
    request = Request("made", True, True)
    assert Readings(made, declared).settled("a(/)[", request, "stop")
    del declared["echoed_open"]
    assert not Readings(made, declared).settled("a(/)[", request, "stop")
    assert Readings(made, declared).settled("a(/)", request, "stop")


def test_an_axis_without_effect_leaves_an_output_settled():
    nothing: Mapping[str, Any] = {}
    assert Readings(REGISTRY.get("qwen3"), nothing).settled("a</think>b", Request("qwen3", True, True), "stop")
    assert Readings(REGISTRY.get("qwen3"), nothing).settled("a", Request("qwen3", False, True), "stop")


def test_a_declared_axis_settles_what_only_it_decides():
    raw, request = "a</think>b<think>c", Request("qwen3", True, True)
    assert not Readings(REGISTRY.get("qwen3"), {}).settled(raw, request, "length")
    assert Readings(REGISTRY.get("qwen3"), {"reopen": "opens"}).settled(raw, request, "length")
    assert Readings(REGISTRY.get("qwen3"), {"reopen": "text"}).settled(raw, request, "length")


def test_white_space_counts_for_nothing_where_it_is_declared_so_and_is_free_where_nothing_is() -> None:
    told = [Readings(REGISTRY.get("qwen3"), values) for values in ({}, {"space": "kept"}, {"space": "trimmed"})]
    assert [readings.trimmed for readings in told] == [False, False, True]
    assert [readings.space_is_free for readings in told] == [True, False, False]


def test_white_space_at_the_ends_is_no_matter_of_settling():
    """The axis ``space`` is about comparing, and is judged where two results are compared."""
    assert Readings(REGISTRY.get("qwen3"), {}).settled(" a </think> b ", Request("qwen3", True, True), "stop")


# What is held by an undeclared value


def test_readings_are_their_own_latest_until_a_value_is_seen_that_holds():
    readings = Readings(REGISTRY.get("qwen3"), {"reopen": "opens"})
    assert readings.latest is readings
    readings.hold({"space": "trimmed"})
    assert readings.latest.dialect is readings.dialect
    assert readings.latest.declared == {"reopen": "opens", "space": "trimmed"}
    assert readings.latest.trimmed
    assert not readings.trimmed
