"""Facts about what a failed item shows."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from conformance.failure_text import FailureText, headline, lines
from conformance.literals import cells, chunks_fitted, fitted, place_of_difference
from conformance.results import Result
from conformance.verdicts import Row, Verdict, Violation

VIOLATION = Violation(
    check="streamed-equals-split",
    level="must",
    dialect="qwen3",
    opened=True,
    thinking=True,
    finish="stop",
    rows=(
        Row("reasoning", "split", "'T'"),
        Row("reasoning", "stream", "'Tb'", "first difference at 1"),
        Row("content", "split", "'a<think>b'"),
        Row("content", "stream", "'a'"),
        Row("in one chunk", "stream", "('T', 'ab')"),
    ),
    case="qwen3:eyJ4IjoxfQ",
    chunks=("T", "</think>", "a", "<think>", "b"),
    kind="second-block",
    kind_title="second block: a reasoning opener after reasoning closed",
    known_as="FreeToken #711 (same kind)",
    size=(5,),
)

WHOLE = """\
MUST  qwen3  streamed-equals-split                                 sglang 0.5.23
  Each channel of a stream, put together, equals the split's.
    prompt     reasoning opened, thinking on; finish: stop
    chunks     'T' | '</think>' | 'a' | '<think>' | 'b'
    reasoning  split   'T'
               stream  'Tb'                      first difference at 1
    content    split   'a<think>b'
               stream  'a'
    in one chunk  stream ('T', 'ab')
  shape      second block: a reasoning opener after reasoning closed
  known as   FreeToken #711 (same kind)
  reproduce  pytest --impl=conformance.adapters.sglang --case='qwen3:eyJ4IjoxfQ'"""


def result(violation: Violation = VIOLATION, **other: object) -> Result:
    verdict = Verdict("sglang", "0.5.23", violation.dialect, violation.check, "fail", violation)
    values = {
        "implementation": "sglang",
        "spec": "conformance.adapters.sglang",
        "verdict": verdict,
        "standing": "failed",
    }
    return Result(**{**values, **other})


class Writer:
    """A terminal writer that puts markup in brackets."""

    fullwidth = 80

    def __init__(self, hasmarkup: bool) -> None:
        self.hasmarkup = hasmarkup
        self.lines: list[str] = []

    def markup(self, text: str, **markup: bool) -> str:
        return f"[{text}]" if self.hasmarkup and markup else text

    def line(self, text: str) -> None:
        self.lines.append(text)


def test_a_failure_reads_as_designed():
    assert str(FailureText(result())) == WHOLE


def test_colour_adds_nothing_but_colour():
    plain, coloured = Writer(False), Writer(True)
    FailureText(result()).toterminal(plain)
    FailureText(result()).toterminal(coloured)
    assert "\n".join(plain.lines) == WHOLE
    assert coloured.lines[0].startswith("[MUST]")
    assert "\n".join(coloured.lines).replace("[", "").replace("]", "") == WHOLE


def test_the_header_is_as_wide_as_the_terminal():
    assert len("".join(text for text, _ in lines(result(), 120)[0])) == 120


def test_the_differing_part_is_marked():
    marked = [text for line in lines(result(), 80) for text, style in line if style == "differs" and text]
    assert marked[:2] == ["'", "b'"]


def test_the_command_names_the_dialect_file_and_quotes_for_a_shell():
    text = str(FailureText(result(spec="my pkg:obj", dialect_file="my.json")))
    assert text.endswith("pytest '--impl=my pkg:obj' --dialect-file=my.json --case='qwen3:eyJ4IjoxfQ'")


def test_a_should_says_so():
    violation = replace(VIOLATION, check="released-at-once", level="should")
    verdict = Verdict("sglang", "1", "qwen3", "released-at-once", "advice", advice=violation)
    assert str(FailureText(result(verdict=verdict))).startswith("SHOULD  qwen3  released-at-once ")


def test_without_a_stream_the_output_is_shown():
    text = str(FailureText(result(replace(VIOLATION, chunks=None, raw="a\nb"))))
    assert "    output     'a\\nb'\n" in text
    assert "chunks" not in text


def test_a_surface_stands_beside_the_prompt():
    assert "finish: length; surface: responses\n" in str(
        FailureText(result(replace(VIOLATION, finish="length", surface="responses")))
    )


def test_a_pass_that_the_list_names_says_where_and_what_to_do():
    text = str(FailureText(result(standing="listed pass", listed="mine.expected:12")))
    assert "mine.expected:12 lists it as an expected failure, but it passes" in " ".join(text.split())
    assert "--fix" in text
    assert "prompt" not in text


def test_what_was_not_judged_gives_its_reason():
    verdict = Verdict("sglang", "1", "qwen3", "cost-linear", "unjudged", reason="the machine\nwas busy")
    text = str(FailureText(result(verdict=verdict, standing="unjudged")))
    assert text.splitlines()[-1] == "  not judged: the machine was busy"
    assert headline(result(verdict=verdict, standing="unjudged")) == "not judged: the machine was busy"


def test_a_long_failure_stays_within_twenty_lines():
    long = "T" + "ab" * 3000 + "</think>" + "x" * 4000
    other = long[:5000] + "!" + long[5001:]
    rows = [
        Row(of, whose, repr(text))
        for of in ("reasoning", "content")
        for whose, text in (("split", long), ("stream", other))
    ]
    many = replace(
        VIOLATION, rows=(*rows, *[Row(f"more {i}", "", "1") for i in range(30)]), chunks=tuple(long), note="n " * 60
    )
    text = str(FailureText(result(many)))
    assert len(text.splitlines()) <= 22
    assert all(cells(line) <= 80 for line in text.splitlines()[:-1])


def test_repeated_text_is_written_as_an_expression():
    assert fitted(repr("T" + "a" * 4092 + "</think>"), 57) == "'T' + 'a'*4092 + '</think>'"


def test_long_text_keeps_the_neighbourhood_of_the_difference():
    text = "".join(chr(97 + i % 23) + str(i) for i in range(2000))
    other = text[:3000] + "#" + text[3001:]
    place = place_of_difference([repr(text), repr(other)])
    assert place == 3000
    shown = fitted(repr(other), 57, place)
    assert "#" in shown
    assert "characters …" in shown
    assert cells(shown) <= 57


def test_chunks_fill_a_line_or_are_counted():
    assert chunks_fitted(["T", "</think>"], 60) == ["'T' | '</think>'"]
    assert chunks_fitted(["a"] * 4092, 60) == ["'a' × 4092"]
    shown = chunks_fitted([chr(97 + i % 26) for i in range(4096)], 60)
    assert len(shown) <= 3
    assert "chunks of 1 character …" in " ".join(shown)
    assert chunks_fitted([], 60) == ["none: the stream ends at once"]


def test_nothing_that_moves_a_cursor_is_shown():
    odd = "\u202e\ud800\x00\x1b[2J\r\u200b"
    violation = replace(
        VIOLATION, chunks=(odd,), rows=(Row(odd, odd, repr(odd), odd),), note=odd, kind_title=odd, case=odd
    )
    text = str(FailureText(result(violation, spec=odd)))
    assert all(char.isprintable() for char in text.replace("\n", ""))
    text.encode()


@given(
    st.text(),
    st.text(st.characters(), max_size=30),
    st.integers(20, 130),
    st.lists(st.text(st.characters()), max_size=40),
)
def test_any_text_can_be_shown(text, other, width, chunks):
    rows = (Row("content", "split", repr(text)), Row("content", "stream", repr(other), other), Row(other, text, text))
    violation = replace(VIOLATION, chunks=tuple(chunks), rows=rows, note=other, known_as=text)
    for line in lines(result(violation), width):
        assert all(char.isprintable() for part, _ in line for char in part)


def test_a_result_survives_its_way_between_processes():
    odd = result(replace(VIOLATION, raw="\ud800\u202e", chunks=("\udfff",)))
    text = odd.to_text()
    assert text.isascii()
    assert Result.from_text(text) == odd


def test_the_headline_tells_the_first_difference():
    assert headline(result()) == (
        "second block: a reasoning opener after reasoning closed: reasoning split 'T', stream 'Tb'"
    )
    alone = replace(VIOLATION, rows=(Row("held", "", "12"),), note="12 characters\nare held", kind_title="plain text")
    assert headline(result(alone)) == "plain text: 12 characters are held"


def test_a_failure_without_a_case_gives_its_reason():
    verdict = Verdict("sglang", "1", "qwen3", "never-raises", "fail", reason="it died, and then it did not")
    assert str(FailureText(result(verdict=verdict))).splitlines()[-1] == "  it died, and then it did not"


def test_further_kinds_of_the_same_level_are_named():
    others = tuple(replace(VIOLATION, kind_title=f"kind {i}") for i in range(5))
    advice = replace(VIOLATION, level="should", kind_title="advised")
    verdict = replace(result().verdict, others=(*others, advice))
    text = " ".join(str(FailureText(result(verdict=verdict))).split())
    assert "also kind 0; kind 1; kind 2; and 2 more, which --report tells" in text
    assert "advised" not in text
