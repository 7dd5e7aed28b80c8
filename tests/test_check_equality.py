"""Facts about the checks that compare an implementation with itself, by observations made by hand."""

from __future__ import annotations

from observed import CLOSE, RAISED, C, R, run, seen

from conformance.checks.equality import (
    chunks_do_not_matter,
    compared,
    streamed_equals_split,
    surfaces_agree,
    whitespace_agrees,
)
from conformance.observation import Finding

TEXTS = ["a", CLOSE, "b"]
RAW = "".join(TEXTS)
RIGHT = ([RAW], [[R("a"), C("b")], []])
WRONG = (["a", f"{CLOSE}b"], [[R("a")], [C("bb")], []])
SPACED = ([f"{RAW} "], [[R("a"), C("b ")], []])
FAILED = ([RAW], RAISED)


def rows(finding: Finding | None) -> tuple[tuple[str, str, str, str], ...]:
    assert finding is not None
    return finding.values


def place(finding: Finding | None) -> tuple[str, ...] | None:
    """The chunks of the stream that a finding shows."""
    assert finding is not None
    return finding.run.chunking.texts if finding.run else None


# Stream and split


def test_a_stream_that_equals_the_split_is_right() -> None:
    assert streamed_equals_split(seen(TEXTS, ("a", "b"), RIGHT)) is None
    assert whitespace_agrees(seen(TEXTS, ("a", "b"), RIGHT)) is None


def test_the_first_stream_that_differs_is_shown_beside_the_split() -> None:
    found = streamed_equals_split(seen(TEXTS, ("a", "b"), FAILED, RIGHT, WRONG, ([RAW], [[], []])))
    assert place(found) == ("a", f"{CLOSE}b")
    assert rows(found) == (
        ("reasoning", "split", "a", ""),
        ("reasoning", "stream", "a", ""),
        ("content", "split", "b", ""),
        ("content", "stream", "bb", "first difference at 1"),
    )
    assert found is not None
    assert (found.consults, found.lenient) == (False, False)


def test_white_space_at_the_ends_is_the_matter_of_the_other_check() -> None:
    one = seen(TEXTS, ("a", "b"), SPACED)
    assert streamed_equals_split(one) is None
    found = whitespace_agrees(one)
    assert place(found) == (f"{RAW} ",)
    assert rows(found) == (
        ("reasoning", "split", "a", ""),
        ("reasoning", "stream", "a", ""),
        ("content", "split", "b", ""),
        ("content", "stream", "b ", "first difference at 1"),
    )
    assert whitespace_agrees(seen(TEXTS, ("a", "b"), RIGHT, SPACED)) is not None
    assert whitespace_agrees(seen(TEXTS, ("a", "b"), WRONG)) is None
    assert whitespace_agrees(seen(TEXTS, ("a", "b"), SPACED, space="trimmed")) is None


def test_without_a_split_there_is_nothing_to_compare() -> None:
    for check in (streamed_equals_split, whitespace_agrees, surfaces_agree):
        assert check(seen(TEXTS, RAISED, WRONG, SPACED, surfaces={"chat": [(None, ("x", ""))]})) is None


# Chunking and chunking


def test_two_chunkings_of_one_message_are_right() -> None:
    assert chunks_do_not_matter(seen(TEXTS, ("", ""), RIGHT, FAILED, RIGHT)) is None
    assert chunks_do_not_matter(seen(TEXTS, ("", ""))) is None
    assert chunks_do_not_matter(seen(TEXTS, ("", ""), SPACED, RIGHT, space="trimmed")) is None


def test_a_chunking_with_another_message_than_the_first_is_shown_beside_it() -> None:
    one = seen(TEXTS, ("", ""), FAILED, RIGHT, RIGHT, WRONG)
    found = chunks_do_not_matter(one)
    assert place(found) == ("a", f"{CLOSE}b")
    assert found is not None
    assert found.other is one.streams[1]
    assert rows(found) == (
        ("reasoning", "in one chunk", "a", ""),
        ("reasoning", "so cut", "a", ""),
        ("content", "in one chunk", "b", ""),
        ("content", "so cut", "bb", "first difference at 1"),
    )
    back = chunks_do_not_matter(seen(TEXTS, ("", ""), WRONG, RIGHT))
    assert [row[1] for row in rows(back)] == ["2 chunks", "so cut"] * 2
    assert chunks_do_not_matter(seen(TEXTS, ("", ""), SPACED, RIGHT)) is not None


# Surface and surface


def test_surfaces_that_give_the_split_are_right() -> None:
    streamed = run("qwen3", *RIGHT).chunking
    right = {"chat": [(None, ("a", "b")), (streamed, ("a", "b"))], "raw": [(None, RAISED)]}
    assert surfaces_agree(seen(TEXTS, ("a", "b"), surfaces=right)) is None
    assert surfaces_agree(seen(TEXTS, ("a", "b"), surfaces={"chat": [(None, ("a", "b "))]}, space="trimmed")) is None
    assert surfaces_agree(seen(TEXTS, ("a", "b"))) is None


def test_a_surface_that_gives_another_message_is_named() -> None:
    streamed = run("qwen3", *RIGHT).chunking
    split = surfaces_agree(seen(TEXTS, ("a", "b"), surfaces={"raw": [(None, RAISED), (None, ("", "b"))]}))
    assert split is not None
    assert (split.run, split.extra) == (None, {"surface": "raw", "streamed": False})
    assert split.values == (
        ("reasoning", "split", "a", ""),
        ("reasoning", "raw, split", "", "first difference at 0"),
        ("content", "split", "b", ""),
        ("content", "raw, split", "b", ""),
    )
    both = {"ok": [(None, ("a", "b"))], "chat": [(None, ("a", "b")), (streamed, ("a", ""))]}
    stream = surfaces_agree(seen(TEXTS, ("a", "b"), surfaces=both))
    assert place(stream) == (RAW,)
    assert stream is not None
    assert stream.extra == {"surface": "chat", "streamed": True}
    assert [row[1] for row in stream.values] == ["split", "chat, stream"] * 2


def test_the_first_difference_is_where_one_text_ends_or_another_character_stands() -> None:
    def told(one: str, other: str) -> str:
        (_, (_, _, _, remark), *_) = compared((one, ""), (other, ""), "one", "other")
        return remark

    assert told("abc", "abd") == "first difference at 2"
    assert told("xbc", "abd") == "first difference at 0"
    assert told("ab", "abc") == told("abc", "ab") == "first difference at 2"
    assert told("", "a") == "first difference at 0"
    assert told("a", "a") == ""
