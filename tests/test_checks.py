"""Facts about checks: what is as the oracle has it violates none, and the short way to see that never overlooks one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from readers.judging import measured

from conformance.adapter import Implementation, examined
from conformance.answers import Deltas, run_of
from conformance.asking import Asker, _as_expected
from conformance.checks import CHECKS, OBSERVED, history
from conformance.checks.fillers import fillers
from conformance.chunkings import Chunker, Chunking
from conformance.expectation import Readings
from conformance.observation import Failure, Observation, StreamRun
from conformance.watchdog import Unwatched
from mutants.adapter import Adapter, Plain
from mutants.faults.cutting import Equality, PastMany
from oracles.dialects import REGISTRY
from oracles.messages import CHANNELS, FINISHES, Finish, Request
from oracles.pieces import Output, Piece, Pieces
from oracles.policies import AXES, DEFAULT
from oracles.shape_table import written

IDS = ("qwen3", "kimi_k3", "gpt_oss", "granite32")
POLICIES: tuple[dict[str, Any], ...] = (
    {},
    {"space": "trimmed", "reopen": "opens", "prefix": "text", "declined": "text"},
    {"skipped_channel": "replayed", "stray_close": "ends_thought", "unclosed": "content_if_stopped", "off": "text"},
    {"skipped_channel": "moved", "stray_close": "dropped", "echoed_open": "dropped", "calls_end_reasoning": False},
)
"""Between them every value of every axis but one."""


def implementation(id: str, values: dict[str, Any], declares: bool = True) -> Implementation:
    """The specified reader under a policy, which it declares or not."""
    adapter = Adapter("right", reads=values)
    declared = {id: dict(REGISTRY.get(id).policy.with_values(values).values())} if declares else {}
    return Implementation("right", adapter, "right", "1", (id,), declared=declared)


def asking(id: str, values: dict[str, Any]) -> Asker:
    """Asks the specified reader, held to the policy it follows."""
    made = implementation(id, values)
    return Asker(made, Readings(REGISTRY.get(id), made.values_for(REGISTRY.get(id))), Unwatched())


def outputs(id: str, count: int) -> list[Output]:
    """Outputs of every shape, and random words."""
    pieces, draw = Pieces(REGISTRY.get(id)), random.Random(id)
    shaped = [draw.choice(outputs) for outputs in written(REGISTRY.get(id)).values()]
    words = [pieces.output(draw.choices(pieces.alphabet, k=draw.randint(0, 6))) for _ in range(count)]
    return [output for output in (*shaped, *words) if len(output.raw) < 300]


def both(asker: Asker, output: Output, request: Request, chunkings: list[Chunking]) -> list[Observation]:
    """An observation for each finish, with every stream kept."""
    seen = []
    for finish in FINISHES:
        split = asker.split(output, request, finish)
        streams = [asker.stream(output, request, finish, chunking) for chunking in chunkings]
        expectation = asker.readings.expect(output.raw, request)
        seen.append(Observation(output, request, finish, asker.readings, expectation, split, streams))
    seen[0].twin, seen[1].twin = seen[1], seen[0]
    return seen


def objections(seen: Observation) -> set[str]:
    """The checks that object to an observation."""
    return {check for check, objects in OBSERVED.items() if objects(seen) is not None}


# What is right


@pytest.mark.parametrize("values", POLICIES, ids=range(len(POLICIES)))
@pytest.mark.parametrize("id", IDS)
def test_no_check_objects_to_what_the_specified_reader_says_however_it_is_cut(id, values):
    """Every stream looked at, not only the first; and so each is as expected in the short way too."""
    asker, chunker, draw = asking(id, values), Chunker(REGISTRY.get(id)), random.Random(id)
    for output in outputs(id, 15):
        request = Request(id, draw.random() < 0.6, draw.random() < 0.6)
        for seen in both(asker, output, request, chunker.full(output)[:: draw.randint(2, 4)]):
            assert objections(seen) == set()
        for seen in asker.observe(output, request, chunker.brief(output)):
            assert asker.clean(seen)


@pytest.mark.parametrize("id", IDS)
def test_where_no_undeclared_axis_matters_a_reader_by_other_values_is_right_too(id):
    """When it releases aside: who holds what another value must hold has to declare that value."""
    for values in POLICIES[1:]:
        made = implementation(id, values, declares=False)
        asker = Asker(made, Readings(REGISTRY.get(id), {}), Unwatched())
        chunker, draw = Chunker(REGISTRY.get(id)), random.Random(id)
        for output in outputs(id, 10):
            request = Request(id, draw.random() < 0.6, draw.random() < 0.6)
            for seen in both(asker, output, request, chunker.brief(output)):
                for check, objects in OBSERVED.items():
                    finding = None if check.startswith("released-") else objects(seen)
                    if finding is not None and not finding.lenient:
                        assert finding.consults
                        assert not seen.settled or (finding.twin and not seen.twin.settled)


def test_the_policies_of_these_tests_show_nearly_every_value():
    shown = {(axis, value) for values in POLICIES for axis, value in {**dict(DEFAULT.values()), **values}.items()}
    every = {(axis, value) for axis, values in AXES.items() for value in values}
    assert every - shown == {("echoed_open", "dropped_first")}


# The short way


@dataclass(frozen=True)
class Right:
    """A stream that is right: what was asked, and the deltas of each chunk."""

    asker: Asker
    output: Output
    request: Request
    finish: Finish
    chunking: Chunking
    deltas: Deltas


def right(id: str, values: dict[str, Any], count: int) -> Iterator[Right]:
    """Right streams of random outputs, cut in random ways."""
    asker, chunker, draw = asking(id, values), Chunker(REGISTRY.get(id)), random.Random(id)
    few = outputs(id, 60)
    for _ in range(count):
        output = draw.choice(few)
        request, finish = Request(id, draw.random() < 0.6, draw.random() < 0.6), draw.choice(FINISHES)
        chunking = draw.choice(chunker.full(output))
        run = asker.stream(output, request, finish, chunking)
        yield Right(asker, output, request, finish, chunking, [[list(delta) for delta in told] for told in run.deltas])


def corrupted(one: Right, draw: random.Random) -> tuple[str, Deltas]:
    """The deltas of a stream with one small thing changed, and what it was."""
    told = [[list(delta) for delta in each] for each in one.deltas]
    places = [(chunk, place) for chunk, each in enumerate(told) for place in range(len(each))]
    how = draw.choice(CHANGES if places else EMPTY_CHANGES)
    chunk, place = draw.choice(places) if places else (draw.randrange(len(told)), 0)
    delta = told[chunk][place] if places else ["content", ""]
    match how:
        case "drop":
            del told[chunk][place]
        case "double":
            told[chunk].insert(place, list(delta))
        case "move":
            told[draw.randrange(len(told))].append(told[chunk].pop(place))
        case "delay":
            told[min(chunk + draw.randint(1, 3), len(told) - 1)].insert(0, told[chunk].pop(place))
        case "delay some":
            keep = draw.randint(0, len(delta[1]))
            told[min(chunk + 1, len(told) - 1)].insert(0, [delta[0], delta[1][keep:]])
            delta[1] = delta[1][:keep]
        case "hasten":
            told[max(chunk - draw.randint(1, 3), 0)].append(told[chunk].pop(place))
        case "swap channels":
            delta[0] = "content" if delta[0] == "reasoning" else "reasoning"
        case "swap deltas":
            other = draw.choice(places)
            first, second = told[chunk][place], told[other[0]][other[1]]
            told[chunk][place], told[other[0]][other[1]] = second, first
        case "merge":
            rest = [each for later in told[chunk:] for each in later]
            told[chunk] = [[channel, "".join(text for of, text in rest if of == channel)] for channel in CHANNELS]
            told[chunk + 1 :] = [[] for _ in told[chunk + 1 :]]
        case "split":
            at = draw.randint(0, len(delta[1]))
            told[chunk][place : place + 1] = [[delta[0], delta[1][:at]], [delta[0], delta[1][at:]]]
        case "lose space":
            delta[1] = delta[1].strip()
        case "add space":
            delta[1] = draw.choice([delta[1] + " ", "\n" + delta[1]])
        case "lose a character":
            at = draw.randrange(max(1, len(delta[1])))
            delta[1] = delta[1][:at] + delta[1][at + 1 :]
        case "change a character":
            delta[1] = delta[1][:-1] + "·"
        case "add a marker":
            at = draw.randint(0, len(delta[1]))
            marker = draw.choice(REGISTRY.get(one.request.dialect).all_markers)
            delta[1] = delta[1][:at] + marker + delta[1][at:]
        case "add empty":
            told[chunk].insert(place, [draw.choice(CHANNELS), ""])
        case "add unknown":
            told[chunk].insert(place, ["thinking", draw.choice(["", "a"])])
        case "add malformed":
            told[chunk].insert(place, draw.choice(MALFORMED))
    return how, told


EMPTY_CHANGES = ("add empty", "add unknown", "add malformed")
CHANGES = (
    *("drop", "double", "move", "delay", "delay some", "hasten", "swap channels", "swap deltas", "merge", "split"),
    *("lose space", "add space", "lose a character", "change a character", "add a marker"),
    *EMPTY_CHANGES,
)
MALFORMED: tuple[Any, ...] = (
    ("content", None), ("content", []), ("content", b""), ("content", 0), (None, ""), ("content",), None, "content", 7,
)  # fmt: skip


def as_expected(one: Right, deltas: Deltas, prompt: bool) -> bool:
    """The short way."""
    expectation = one.asker.readings.expect(one.output.raw, one.request)
    ending = expectation.endings[one.finish]
    floor = (expectation.prompt_at if prompt else expectation.floor_at)(one.chunking)
    return _as_expected(deltas, floor, ending.reasoning, ending.content, ending.runs, bool(ending.replays))


def the_long_way(one: Right, deltas: Deltas) -> set[str]:
    """The checks that object where all else is right, at this finish or at the other."""
    whole = Chunker(REGISTRY.get(one.request.dialect)).whole(one.output)
    seen, twin = both(one.asker, one.output, one.request, [whole, one.chunking])
    if seen.finish != one.finish:
        seen, twin = twin, seen
    seen.streams[1] = run_of(one.chunking, deltas)
    return objections(seen) | objections(twin)


@pytest.mark.parametrize("values", POLICIES, ids=range(len(POLICIES)))
@pytest.mark.parametrize("id", IDS[:3])
def test_what_a_check_objects_to_is_never_as_expected(id, values):
    """Of many right streams, each changed in a small way at random, hundreds of times."""
    draw = random.Random(f"{id} {values}")
    seen: Counter[tuple[str, bool]] = Counter()
    for one in right(id, values, 90):
        assert as_expected(one, one.deltas, True)
        for _ in range(4):
            how, deltas = corrupted(one, draw)
            objected = the_long_way(one, deltas)
            for prompt in (True, False):
                if objected - (set() if prompt else {"released-at-once"}):
                    assert not as_expected(one, deltas, prompt), (how, objected, one, deltas)
            seen[how, bool(objected)] += 1
    assert all(seen[how, True] for how in ("drop", "double", "swap channels", "change a character", "add malformed"))
    assert seen["add empty", False]
    assert not seen["add empty", True]


@pytest.mark.parametrize("delta", MALFORMED, ids=repr)
def test_what_is_no_delta_is_never_as_expected(delta):
    one = next(one for one in right("qwen3", {}, 20) if one.output.raw)
    assert not as_expected(one, [*one.deltas[:-1], [*one.deltas[-1], delta]], False)


@pytest.mark.parametrize("text", ["", "a"])
def test_an_unknown_channel_is_never_as_expected_also_without_text(text):
    one = next(one for one in right("qwen3", {}, 20) if one.output.raw)
    deltas = [*one.deltas[:-1], [*one.deltas[-1], ["thinking", text]]]
    assert "never-raises" in the_long_way(one, deltas)
    assert not as_expected(one, deltas, False)


def test_every_check_of_an_observation_objects_to_some_change():
    """All but the one about surfaces: these streams have none."""
    draw = random.Random(1)
    missing = set(OBSERVED) - {"surfaces-agree"}
    for one in right("kimi_k3", {}, 2000):
        missing -= the_long_way(one, corrupted(one, draw)[1])
        if not missing:
            break
    assert missing == set()


def test_a_replay_in_one_piece_is_not_as_expected():
    closer = REGISTRY.get("kimi_k3").of("answer_close")[0]
    output = Output((Piece("text", ".", times=4097), Piece("marker", closer, "answer_close")))
    asker = asking("kimi_k3", {})
    chunking = Chunker(REGISTRY.get("kimi_k3")).whole(output)
    request = Request("kimi_k3", True, True)
    told = [[list(delta) for delta in each] for each in asker.stream(output, request, "stop", chunking).deltas]
    one = Right(asker, output, request, "stop", chunking, told)
    assert as_expected(one, told, True)
    joined = [*told[:-1], [["content", "." * 4097]]]
    assert the_long_way(one, joined) == {"released-in-time"}
    assert not as_expected(one, joined, True)


def test_a_surrogate_pair_in_two_deltas_is_looked_at_and_is_right():
    output = Output((Piece("text", "\U0001f600"),))
    asker = asking("qwen3", {})
    chunking = Chunker(REGISTRY.get("qwen3")).whole(output)
    one = Right(asker, output, Request("qwen3", True, True), "stop", chunking, [])
    told = [[["reasoning", "\ud83d"], ["reasoning", "\ude00"]], []]
    assert the_long_way(one, told) == set()


# What is asked


def test_every_stream_that_is_not_as_expected_is_kept_and_the_first_that_is():
    dialect = REGISTRY.get("qwen3")
    chunker, request = Chunker(dialect), Request("qwen3", True, True)
    output = Output((Piece("text", "a"), Piece("marker", "</think>", "reasoning_close"), Piece("text", "b")))
    chunkings = chunker.full(output)
    (seen, _) = asking("qwen3", {}).observe(output, request, chunkings)
    assert [run.chunking for run in seen.streams] == chunkings[:1]
    wrong = Implementation("", Adapter("wrong", wrap=Equality), "wrong", "1", ("qwen3",))
    (seen, _) = Asker(wrong, Readings(dialect, {}), Unwatched()).observe(output, request, chunkings)
    missed = [chunking for chunking in chunkings if "</think>" not in chunking.texts]
    assert [run.chunking for run in seen.streams if run.texts != seen.split] == missed
    assert len(seen.streams) == len(missed) + 1


def test_a_failed_split_is_not_clean():
    asker = asking("qwen3", {})
    output = Output((Piece("text", "a"),))
    expectation = asker.readings.expect("a", Request("qwen3", True, True))
    failed = Observation(
        output, Request("qwen3", True, True), "stop", asker.readings, expectation, Failure("raised", "ValueError"), []
    )
    assert not asker.clean(failed)
    assert objections(failed) == {"never-raises"}


def test_two_streams_are_not_clean():
    """One of them is not as expected."""
    asker, chunker = asking("qwen3", {}), Chunker(REGISTRY.get("qwen3"))
    output = Output((Piece("text", "ab"),))
    request = Request("qwen3", True, True)
    (seen, _) = both(asker, output, request, [chunker.whole(output)])
    seen.streams.append(StreamRun(chunker.at(output, [1]), ((("reasoning", "a"),), (), ())))
    assert not asker.clean(seen)
    assert objections(seen) >= {"streamed-equals-split", "chunks-do-not-matter", "reads-as-declared"}


def test_the_checks_of_an_observation_are_in_the_catalogue_in_its_order():
    assert [check for check in CHECKS if check in OBSERVED] == list(OBSERVED)
    assert set(CHECKS) - set(OBSERVED) == {"requests-isolated", "cost-linear", "memory-bounded"}


def test_a_chunk_after_a_long_history_is_timed_also_where_whole_tokens_are_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing costs anything here but a feed, so a reader that is always the same costs the same."""
    work = 0

    class Worker(Plain):
        def feed(self, chunk: Any) -> Any:
            nonlocal work
            work += 1
            return super().feed(chunk)

    monkeypatch.setattr(history.time, "perf_counter", lambda: float(work))
    made = examined(Adapter("works", wrap=Worker, chunks="tokens"), "made")
    dialect = REGISTRY.get("inkling")
    asker = Asker(made, Readings(dialect, {}), Unwatched())
    measured = history.History(asker, Chunker(dialect, "tokens"), 400_000, 10.0)
    filler = next(each for each in fillers(dialect) if each.name == "markers in a call")
    assert measured._history_ratio(filler, Request("inkling", False, True)) == 1.0


def test_a_call_that_fails_at_every_length_is_no_matter_of_cost():
    """Whatever the shortest output comes to: a filler's is a little longer than was asked for."""

    def fail(*_):
        raise ValueError("no such output")

    adapter = SimpleNamespace(name="fails", version="1", dialects={"gpt_oss"}, split=fail, stream=fail)
    assert measured(adapter, "gpt_oss", ["plain text before reasoning"]) == []


def test_a_long_output_that_is_not_read_as_a_short_one_is_told_with_both_lengths():
    (first, *_) = measured(Adapter("loses", wrap=PastMany), "qwen3", ["plain text in reasoning"])
    assert "read right at 2,000 characters, not at 25,000" in first.finding.note
