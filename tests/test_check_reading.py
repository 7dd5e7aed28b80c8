"""Facts about the checks against the declared policy, the finish reason and failures, by observations made by hand."""

from __future__ import annotations

from typing import Any

from observed import AC, CLOSE, RAISED, C, R, run, seen

from conformance.checks.reading import finish_respected, reads_as_declared
from conformance.checks.robustness import never_raises
from conformance.observation import Failure, Observation

TEXTS = ["a", CLOSE, "b"]
RAW = "".join(TEXTS)
RIGHT = ([RAW], [[R("a"), C("b")], []])
WRONG = (["a", f"{CLOSE}b"], [[R("a")], [C("c")], []])
SPACED = ([RAW], [[R("a"), C("b ")], []])


def test_the_message_of_the_policy_in_force_is_right() -> None:
    assert reads_as_declared(seen(TEXTS, ("a", "b"), RIGHT)) is None
    assert reads_as_declared(seen(TEXTS, RAISED, RIGHT)) is None


def test_a_split_that_reads_otherwise_is_shown_beside_the_oracle() -> None:
    found = reads_as_declared(seen(TEXTS, ("", "ab"), RIGHT))
    assert found is not None
    assert (found.run, found.consults, found.lenient) == (None, True, False)
    assert found.values == (
        ("reasoning", "oracle", "a", ""),
        ("reasoning", "split", "", "first difference at 0"),
        ("content", "oracle", "b", ""),
        ("content", "split", "ab", "first difference at 0"),
    )


def test_a_stream_that_reads_otherwise_is_shown_beside_the_oracle() -> None:
    one = seen(TEXTS, ("a", "b"), RIGHT, WRONG)
    found = reads_as_declared(one)
    assert found is not None
    assert (found.run, found.consults, found.lenient) == (one.streams[1], True, False)
    assert [row[1] for row in found.values] == ["oracle", "stream"] * 2


def test_white_space_at_the_ends_is_excused_where_nothing_is_declared_about_it() -> None:
    one = seen(TEXTS, ("a", "b"), SPACED)
    found = reads_as_declared(one)
    assert found is not None
    assert (found.run, found.consults, found.lenient) == (one.streams[0], True, True)
    kept = reads_as_declared(seen(TEXTS, ("a", "b"), SPACED, space="kept"))
    assert kept is not None
    assert kept.lenient is False
    assert reads_as_declared(seen(TEXTS, ("a", "b"), SPACED, space="trimmed")) is None


def test_what_is_not_excused_is_told_before_what_is_and_of_that_the_first() -> None:
    one = seen(TEXTS, ("a", "b"), SPACED, WRONG)
    found = reads_as_declared(one)
    assert found is not None
    assert (found.run, found.lenient) == (one.streams[1], False)
    two = seen(TEXTS, ("a ", "b"), SPACED)
    first = reads_as_declared(two)
    assert first is not None
    assert (first.run, first.lenient) == (None, True)


# Both finishes


def both(stop: Observation, length: Observation) -> Observation:
    """The first, with the second as its twin."""
    stop.twin, length.twin = length, stop
    return stop


def at(finish: Any, split: Any, *streams: Any, texts: list[str] = TEXTS, **given: Any) -> Observation:
    return seen(texts, split, *streams, finish=finish, **given)


def test_two_finishes_that_read_alike_are_right() -> None:
    assert finish_respected(seen(TEXTS, ("", ""))) is None
    assert finish_respected(both(at("stop", ("a", "b"), RIGHT), at("length", ("a", "b"), RIGHT))) is None
    assert finish_respected(both(at("stop", ("a", ""), WRONG), at("length", ("a", ""), WRONG))) is None
    assert finish_respected(both(at("stop", RAISED), at("length", ("a", "")))) is None
    assert finish_respected(both(at("stop", ("a", "")), at("length", RAISED))) is None


def test_where_the_oracle_reads_them_otherwise_so_may_they() -> None:
    texts = ["a", AC]
    stop = at("stop", ("a", "a"), texts=texts, dialect="kimi_k3")
    assert finish_respected(both(stop, at("length", ("a", ""), texts=texts, dialect="kimi_k3"))) is None


def test_splits_that_differ_are_shown_side_by_side() -> None:
    found = finish_respected(both(at("stop", ("a", "b"), RIGHT), at("length", ("a", "b!"), RIGHT)))
    assert found is not None
    assert (found.run, found.consults, found.twin) == (None, True, True)
    assert found.values == (
        ("reasoning", "at stop", "a", ""),
        ("reasoning", "at length", "a", ""),
        ("content", "at stop", "b", ""),
        ("content", "at length", "b!", "first difference at 1"),
    )
    trimmed = both(at("stop", ("a", "b"), space="trimmed"), at("length", ("a", "b "), space="trimmed"))
    assert finish_respected(trimmed) is None


def test_streams_of_one_chunking_that_differ_are_shown_side_by_side() -> None:
    one = both(at("stop", ("a", "b"), RIGHT, WRONG), at("length", ("a", "b"), (WRONG[0], [[R("a")], [C("d")], []])))
    found = finish_respected(one)
    assert found is not None
    assert (found.run, found.consults, found.twin) == (one.streams[1], True, True)
    assert [(row[1], row[2]) for row in found.values[2:]] == [("at stop", "c"), ("at length", "d")]


def test_a_stream_that_the_other_finish_lacks_was_right_there() -> None:
    """Only what isn't as expected is kept."""
    one = both(at("stop", ("a", "b"), WRONG), at("length", ("a", "b")))
    found = finish_respected(one)
    assert found is not None
    assert [(row[1], row[2]) for row in found.values[2:]] == [("at stop", "c"), ("at length", "b")]
    assert finish_respected(both(at("stop", ("a", "b"), RIGHT), at("length", ("a", "b")))) is None


def test_a_stream_that_failed_at_the_other_finish_is_no_measure() -> None:
    failed = (WRONG[0], RAISED)
    assert finish_respected(both(at("stop", ("a", "b"), WRONG), at("length", ("a", "b"), failed))) is None
    later = both(at("stop", ("a", "b"), WRONG, ([RAW], [[C("x")], []])), at("length", ("a", "b"), failed))
    found = finish_respected(later)
    assert found is not None
    assert found.run is later.streams[1]


# Failures


def test_where_every_call_answers_nothing_is_raised() -> None:
    assert never_raises(seen(TEXTS, ("a", "b"), RIGHT, surfaces={"chat": [(None, ("a", "b"))]})) is None


def test_a_split_that_fails_is_told_first() -> None:
    found = never_raises(seen(TEXTS, RAISED, ([RAW], Failure("hung", "still running"))))
    assert found is not None
    assert (found.run, found.note, found.extra) == (None, "ValueError: no", {"failure": "raised"})


def test_a_stream_that_fails_is_told_with_its_chunks() -> None:
    one = seen(TEXTS, ("a", "b"), RIGHT, ([RAW], Failure("hung", "still running")))
    found = never_raises(one)
    assert found is not None
    assert (found.run, found.note, found.extra) == (one.streams[1], "still running", {"failure": "hung"})


def test_a_surface_that_fails_is_told_by_its_name() -> None:
    surfaces = {"ok": [(None, ("a", "b"))], "chat": [(None, ("a", "b")), (run("qwen3", *RIGHT).chunking, RAISED)]}
    found = never_raises(seen(TEXTS, ("a", "b"), surfaces=surfaces))
    assert found is not None
    assert (found.run, found.note) == (None, "surface chat: ValueError: no")
    assert found.extra == {"failure": "raised", "surface": "chat"}
