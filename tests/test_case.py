"""A case's text: it names everything that was asked, and asking it again finds the same."""

from __future__ import annotations

import base64
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.adapter import Implementation
from conformance.adapters import reference
from conformance.case import Case, CaseError, case_names, dialect_of, read_case
from conformance.chunkings import Chunker
from conformance.judge import Options, judge, judge_case
from conformance.profiles import PROFILES
from conformance.verdicts import Verdict, Violation
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request
from oracles.pieces import Output, Piece
from oracles.shape_table import shapes_of

CLOSE = "</think>"
DIALECT = "qwen3"
Names = dict[str, Any]


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(
        PROFILES["quick"], cut_words=1, words=1, core_words=2, edges=64, examples=20, longest=20_000, patience=0.05
    )
    monkeypatch.setitem(PROFILES, "quick", small)


def implementation(**names: Any) -> Implementation:
    own = {"split": reference.split, "stream": reference.stream}
    adapter = SimpleNamespace(name="wrong", version="0", dialects={DIALECT}, **{**own, **names})
    surfaces = names.get("surfaces", ())
    return Implementation("wrong", adapter, "wrong", "0", (DIALECT,), names.get("chunks", "text"), surfaces)


def found(check: str, **names: Any) -> Violation:
    """The violation that a sweep finds."""
    options = Options(profile="quick", checks=frozenset([check]), hang_after=0.5)
    (verdict,) = judge(implementation(**names), DIALECT, options, lambda _: None)
    violation = verdict.violation or verdict.advice
    assert violation is not None, verdict
    return violation


def again(case: str, **names: Any) -> Verdict:
    """The verdict on a case alone."""
    return judge_case(implementation(**names), case, Options(profile="quick", hang_after=0.5))


def comes_again(check: str, **names: Any) -> Violation:
    """The violation that a sweep finds; its case, asked alone, shows the same to the letter."""
    violation = found(check, **names)
    verdict = again(violation.case, **names)
    assert verdict.check == check
    repeated = verdict.violation or verdict.advice
    assert repeated is not None, verdict
    assert shown(repeated) == shown(violation)
    assert (verdict.outcome == "fail") == (violation.level == "must")
    return violation


def shown(violation: Violation) -> Violation:
    """What a person is shown of it."""
    return replace(violation, seconds=0.0, tried=0)


class Reader:
    """A right stream, for others to spoil."""

    def __init__(self, request: Request) -> None:
        self.right = reference.stream(request)

    def feed(self, chunk: Chunk) -> Any:
        return self.right.feed(chunk)

    def finish(self, finish: Any) -> Any:
        return self.right.finish(finish)


class Losing(Reader):
    """Drops a chunk that begins with white space, unless it is the first."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.fed = 0

    def feed(self, chunk: Chunk) -> Any:
        self.fed += 1
        return [] if self.fed > 1 and chunk.text[:1].isspace() else self.right.feed(chunk)


class Late(Reader):
    """Releases everything at the end."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.held: list[Any] = []

    def feed(self, chunk: Chunk) -> Any:
        self.held += self.right.feed(chunk)
        return []

    def finish(self, finish: Any) -> Any:
        return [*self.held, *self.right.finish(finish)]


class Mute(Reader):
    """Drops a word from what it releases."""

    def feed(self, chunk: Chunk) -> Any:
        return [(channel, text.replace("b", "")) for channel, text in self.right.feed(chunk)]


class TextNeedsIds(Reader):
    """Drops text that comes without ids."""

    def feed(self, chunk: Chunk) -> Any:
        return self.right.feed(chunk) if chunk.ids or not chunk.text else []


class RaisesOnEmptyChunks(Reader):
    def feed(self, chunk: Chunk) -> Any:
        if not chunk.text:
            raise IndexError("string index out of range")
        return self.right.feed(chunk)


class Short(Reader):
    """Loses what comes after 4,096 characters."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.room = 4096

    def feed(self, chunk: Chunk) -> Any:
        told = [*self.right.feed(chunk)]
        kept = [(channel, text[: max(0, self.room)]) for channel, text in told]
        self.room -= sum(len(text) for _, text in told)
        return kept


class Shared(Reader):
    """All streams share what was read so far."""

    lasting: list[Any] = []  # noqa: RUF012

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        Shared.lasting.clear()

    def feed(self, chunk: Chunk) -> Any:
        Shared.lasting += self.right.feed(chunk)
        return []

    def finish(self, finish: Any) -> Any:
        return [*Shared.lasting, *self.right.finish(finish)]


class Quadratic(Reader):
    """Reads everything anew with each chunk."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.text = ""

    def feed(self, chunk: Chunk) -> Any:
        self.text += chunk.text
        self.seen = [sign for sign in self.text if sign == "\0"]
        return self.right.feed(chunk)


def splits(act: Callable[[], Any]) -> Callable[..., Any]:
    """A split that does something before it answers, where the output holds a closer."""

    def split(raw: str, request: Request, finish: Any) -> Any:
        if CLOSE in raw:
            act()
        return reference.split(raw, request, finish)

    return split


def fail() -> None:
    raise ValueError("bad")


def test_a_stream_unlike_the_split_comes_again() -> None:
    violation = comes_again("streamed-equals-split", stream=Losing)
    assert violation.chunks is not None
    assert len(violation.chunks) > 1


def test_a_chunking_that_matters_comes_again() -> None:
    comes_again("chunks-do-not-matter", stream=Losing)


def test_a_lost_word_comes_again() -> None:
    assert "the word 'b' is lost" in comes_again("nothing-lost", stream=Mute).note


def test_a_late_release_comes_again() -> None:
    assert "held" in comes_again("released-in-time", stream=Late).note


def test_a_late_release_that_is_advice_comes_again() -> None:
    assert comes_again("released-at-once", stream=Late).level == "should"


def test_an_exception_comes_again() -> None:
    violation = comes_again("never-raises", split=splits(fail))
    assert violation.note.startswith("ValueError: bad (test_case.py, line ")


def test_a_hang_comes_again() -> None:
    violation = comes_again("never-raises", split=splits(lambda: time.sleep(1000)))
    assert violation.note == "split was still running after 0.5 seconds"


def test_a_crash_comes_again() -> None:
    violation = comes_again("never-raises", split=splits(lambda: os.kill(os.getpid(), signal.SIGKILL)))
    assert violation.note == "a call ended the process: killed by SIGKILL"


def test_a_crash_of_a_stream_comes_again() -> None:
    class Crashing(Reader):
        def feed(self, chunk: Chunk) -> Any:
            if chunk.text == ">":
                os._exit(3)
            return self.right.feed(chunk)

    violation = comes_again("never-raises", stream=Crashing)
    assert violation.chunks is not None
    assert ">" in violation.chunks


def test_a_disturbed_request_comes_again() -> None:
    comes_again("requests-isolated", stream=Shared)


def test_a_cost_that_grows_comes_again() -> None:
    violation = found("cost-linear", stream=Quadratic)
    repeated = again(violation.case, stream=Quadratic).violation
    assert repeated is not None
    assert (repeated.kind, repeated.kind_title) == (violation.kind, violation.kind_title)


@pytest.mark.parametrize(("check", "wrong"), [("cost-linear", Quadratic), ("requests-isolated", Shared)])
def test_a_case_of_cost_or_isolation_passes_where_the_adapter_was_mended(check: str, wrong: Any) -> None:
    verdict = again(found(check, stream=wrong).case)
    assert (verdict.outcome, verdict.reason) == ("pass", "")


def test_a_surface_that_answers_otherwise_comes_again() -> None:
    def split(raw: str, request: Request, finish: Any) -> Any:
        told = reference.split(raw, request, finish)
        return (None, told.content) if request.surface == "chat" else told

    violation = comes_again("surfaces-agree", split=split, surfaces=("chat", "responses"))
    assert violation.surface == "chat"


def test_text_that_lags_its_ids_comes_again() -> None:
    violation = comes_again("streamed-equals-split", stream=TextNeedsIds)
    assert violation.chunks is not None
    assert violation.chunks[0] == ""


def test_an_empty_chunk_comes_again() -> None:
    violation = comes_again("never-raises", stream=RaisesOnEmptyChunks)
    assert violation.chunks is not None
    assert "" in violation.chunks


def test_a_text_of_thousands_of_characters_comes_again() -> None:
    violation = comes_again("streamed-equals-split", stream=Short)
    assert violation.raw is not None
    assert len(violation.raw) > 4096
    assert len(violation.case) < 2000


def test_chunks_of_tokens_come_again() -> None:
    comes_again("streamed-equals-split", stream=Losing, chunks="tokens")


def test_a_case_of_a_right_adapter_passes() -> None:
    violation = found("streamed-equals-split", stream=Losing)
    assert again(violation.case).outcome == "pass"


def chunkings() -> Iterator[tuple[Chunker, Case]]:
    for id in ("qwen3", "kimi_k3"):
        dialect = REGISTRY.get(id)
        for unit in ("text", "tokens"):
            chunker = Chunker(dialect, unit, 3)
            for shape in shapes_of(dialect):
                for output in [output for output in shape.outputs(dialect)[:2] if len(output.raw) < 300]:
                    for chunking in chunker.full(output):
                        yield chunker, Case("nothing-lost", output, Request(id, True, False), "length", chunking)


def test_every_chunking_comes_back_from_its_text() -> None:
    names = set()
    for chunker, case in chunkings():
        assert case.chunking is not None
        names.add(case.chunking.name)
        back = read_case(case.text(), chunker)
        assert back.chunking is not None
        assert (back.chunking.chunks, back.chunking.ends, back.chunking.special) == (
            case.chunking.chunks,
            case.chunking.ends,
            case.chunking.special,
        )
        assert (back.output.pieces, back.request, back.finish) == (case.output.pieces, case.request, case.finish)
    assert {"whole", "text lags its ids", "all ids before the text", "empty chunks between", "no chunk"} <= names


CHUNKER = Chunker(REGISTRY.get(DIALECT))
OUTPUT = Output((Piece("word", "b"), Piece("text", "\ud800\n'"), Piece("text", "xy", times=3)))
WHOLE = Case("nothing-lost", OUTPUT, Request(DIALECT, True, True, surface="chat"), "stop", CHUNKER.whole(OUTPUT))


def test_a_case_is_one_word_of_plain_signs_after_its_dialect() -> None:
    dialect, colon, rest = WHOLE.text().partition(":")
    assert (dialect, colon) == (DIALECT, ":")
    assert rest.replace("-", "").replace("_", "").isalnum()
    assert rest.isascii()


def test_a_case_comes_back_whole() -> None:
    back = read_case(WHOLE.text(), CHUNKER)
    assert back == replace(WHOLE, chunking=back.chunking)
    assert back.chunking is not None
    assert back.chunking.texts == (OUTPUT.raw,)
    assert case_names(WHOLE.text()) == (DIALECT, "nothing-lost")


def packed(**values: Any) -> str:
    """The text of a case with other values; those that are ... are left out."""
    own = json.loads(base64.urlsafe_b64decode(WHOLE.text().partition(":")[2] + "=="))
    kept = {key: value for key, value in {**own, **values}.items() if value is not ...}
    return f"{DIALECT}:{base64.urlsafe_b64encode(json.dumps(kept).encode()).decode().rstrip('=')}"


@pytest.mark.parametrize("text", ["", "qwen3", ":", "qwen3:", ":eyJ9", "eyJ9"])
def test_a_text_that_is_no_case_is_told(text: str) -> None:
    with pytest.raises(CaseError, match=r"^a case is 'dialect:…', as a failure prints it behind --case=$"):
        dialect_of(text)


@pytest.mark.parametrize("cut", [1, 2, 3, 10, 50])
def test_a_case_that_was_cut_is_told(cut: int) -> None:
    with pytest.raises(CaseError, match=r"^the case is damaged: .*; copy the whole text behind --case= again$"):
        read_case(WHOLE.text()[:-cut], CHUNKER)


DEEP = base64.b64encode(b"[" * 90_000).decode()


@pytest.mark.parametrize("rest", ["x", "*** ***", "é", "e30", "W10", "bnVsbA", DEEP], ids=range(7))
def test_a_case_of_other_signs_is_told(rest: str) -> None:
    with pytest.raises(CaseError, match=r"^the case is damaged: (it can't be decoded|it names no check); copy"):
        case_names(f"{DIALECT}:{rest}")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"pieces": ...}, "it lacks 'pieces'"),
        ({"finish": ...}, "it lacks 'finish'"),
        ({"opened": ...}, "it lacks 'opened'"),
        ({"finish": "tool"}, "no finish is called 'tool'"),
        ({"check": "no-such"}, "no check is called 'no-such'"),
        ({"check": "requests-isolated"}, "it lacks 'scenario'"),
        ({"check": "cost-linear"}, "it lacks 'filler'"),
        ({"check": "requests-isolated", "extra": {"scenario": "in threads", "tracks": [{}]}}, "it lacks 'pieces'"),
        ({"pieces": [["word", 7]]}, "a piece's text is no text"),
        ({"pieces": [["word", "b", "", -1]]}, "a piece stands -1 times"),
        ({"pieces": [["word", "b", "", 10**12]]}, "its output is too long"),
        ({"pieces": 3}, ""),
        ({"pieces": ["b"]}, ""),
        ({"chunks": [1]}, ""),
        ({"chunks": [9, 3, 10]}, ""),
        ({"chunks": None}, ""),
        ({"chunks": 0}, "its chunks have 0 characters"),
        ({"chunks": -2}, "its chunks have -2 characters"),
        ({"chunks": "backwards"}, "no chunking has the name it gives"),
        ({"extra": 3}, ""),
    ],
)
def test_a_case_with_other_values_is_told(values: dict[str, Any], told: str) -> None:
    with pytest.raises(CaseError, match=r"^the case is damaged: .*; copy the whole text behind --case=") as raised:
        read_case(packed(**values), CHUNKER)
    assert told in str(raised.value)
