"""Facts about the cases of a page: what its script gets, and that nothing in it can become markup."""

from __future__ import annotations

import json

import pytest
from made_reports import CHUNKS, HOSTILE, QWEN3, data_of, every_state, hostile, result, told, violation, written

from conformance.page.cases import CASE, dialect_cases
from conformance.page.runs import read_runs
from conformance.page.sharing import Lines
from conformance.page.site import site
from conformance.verdicts import Row
from oracles.pieces import Piece


def cases_of(tmp_path, found, dialect: str = "qwen3", **more):
    """The data of a dialect whose one result is that violation."""
    failed = result(found.check, dialect, outcome="fail", standing="failed", violation=found)
    (run,) = read_runs([written(tmp_path / "r.jsonl", [failed], [told(**more)])])
    return dialect_cases(run, dialect)


def case_of(tmp_path, found, **more):
    return cases_of(tmp_path, found, **more)["checks"][found.check]["cases"][0]


def test_a_case_holds_its_pieces_by_role_and_where_its_chunks_end(tmp_path):
    one = case_of(tmp_path, violation("nothing-lost"))
    assert one["case"]["pieces"][1] == ["marker", "</think>", "reasoning_close"]
    assert one["ends"] == list(CHUNKS)
    assert "pieces" not in one
    assert "chunks" not in one


def test_chunks_of_one_size_are_a_number(tmp_path):
    text = (Piece("text", "abcdefg"),)
    assert case_of(tmp_path, violation("nothing-lost", pieces=text, ends=(3, 6, 7)))["ends"] == 3
    assert case_of(tmp_path, violation("nothing-lost", pieces=text, ends=(7,)))["ends"] == [7]
    assert case_of(tmp_path, violation("nothing-lost", pieces=text, ends=(3, 3, 7)))["ends"] == [3, 3, 7]
    assert case_of(tmp_path, violation("nothing-lost", pieces=text, ends=(0, 7)))["ends"] == [0, 7]


def test_a_split_has_no_chunks_and_an_empty_stream_none(tmp_path):
    one = case_of(tmp_path, violation("nothing-lost", ends=None))
    assert "ends" not in one
    assert "chunks" not in one
    assert case_of(tmp_path, violation("nothing-lost", pieces=(), ends=()))["ends"] == []


def test_chunks_that_halve_a_pair_of_surrogates_are_given_as_texts(tmp_path):
    found = violation("nothing-lost", pieces=(Piece("text", "\ud83d\ude00"),), ends=(1, 2))
    assert case_of(tmp_path, found)["chunks"] == ["\ud83d", "\ude00"]


def test_chunks_that_are_not_the_output_are_given_as_texts(tmp_path):
    found = violation("nothing-lost", chunks=("other", "text"))
    assert case_of(tmp_path, found)["chunks"] == ["other", "text"]


def test_a_repeated_piece_is_not_written_out(tmp_path):
    pieces = (Piece("marker", "<think>", "reasoning_open"), Piece("text", ".", "", 50_000))
    data = cases_of(tmp_path, violation("cost-linear", pieces=pieces, ends=None, answers=None))
    assert len(json.dumps(data)) < 6000


@pytest.mark.parametrize("case", ["", "qwen3:damaged", "qwen3:e30"])
def test_a_case_that_can_not_be_read_still_shows_its_output(tmp_path, case):
    one = case_of(tmp_path, violation("nothing-lost", case=case))
    assert one["pieces"] == [["text", "".join(piece.whole for piece in QWEN3)]]
    assert one.get("text", "") == case
    assert "case" not in one


def test_a_case_without_output_has_no_pieces(tmp_path):
    one = case_of(tmp_path, violation("never-raises", case="", raw=None, chunks=None))
    assert "pieces" not in one


def test_answers_are_told_and_failures_are_texts(tmp_path):
    one = case_of(tmp_path, violation("nothing-lost"))
    assert one["split"] == ["T", "a<think> \nb"]
    assert one["stream"][4] == [["reasoning", " \nb"]]
    failed = {"oracle": {"reasoning": "", "content": ""}, "split": {"failure": "no"}, "stream": {"failure": "never"}}
    one = case_of(tmp_path, violation("nothing-lost", answers=failed))
    assert (one["split"], one["stream"]) == ("no", "never")


def test_a_report_without_answers_still_says_what_the_oracle_says(tmp_path):
    data = cases_of(tmp_path, violation("nothing-lost", answers=None))
    one = data["checks"]["nothing-lost"]["cases"][0]
    assert one["oracle"] == ["T", "a<think> \nb"]
    assert "split" not in one
    assert [row[1] for row in one["rows"]] == ["split", "stream", "split", "stream"]
    text, role, fate, why = one["why"][3]
    assert (text, role, fate) == ("<think>", "reasoning_open", "content")
    assert data["lines"][why] == "an opener after reasoning closed is text (reopen: text)"


def test_rows_that_the_answers_show_are_not_given_twice(tmp_path):
    assert "rows" not in case_of(tmp_path, violation("nothing-lost"))
    rows = (Row("content", "so cut", "'a'"), Row("content", "stream", "'b'"))
    assert case_of(tmp_path, violation("nothing-lost", rows=rows))["rows"] == [["content", "so cut", "'a'", ""]]


def test_lines_that_texts_share_are_kept_once():
    lines = Lines()
    assert [lines.places(text) for text in ("a\nb\nc\n", "b\nc\nd\na", "")] == ["0-3", "1-2,4,0", "3"]
    assert lines.all == ["a", "b", "c", "", "d"]


def test_the_oracle_reads_by_the_declared_policy(tmp_path):
    one = case_of(tmp_path, violation("nothing-lost", answers=None), policy={"qwen3": {"reopen": "opens"}})
    assert one["oracle"] == ["T \nb", "a"]


def test_the_policy_says_who_chose_each_value(tmp_path):
    rows = cases_of(tmp_path, violation("nothing-lost"), policy={"qwen3": {"reopen": "opens"}})["policy"]
    assert rows[0][:3] == ["reopen", "opens", "declared"]
    assert {who for _, _, who, _ in rows[1:]} == {"default"}
    kimi = cases_of(tmp_path, violation("nothing-lost", "kimi_k3", answers=None), "kimi_k3")["policy"]
    assert ["skipped_channel", "replayed", "dialect"] in [row[:3] for row in kimi]


def test_where_the_report_does_not_say_what_was_declared_nobody_is_made_to_have_chosen(tmp_path):
    data = cases_of(tmp_path, violation("nothing-lost", answers=None), policy=None)
    assert {who for _, _, who, _ in data["policy"]} == {""}
    assert "oracle" not in data["checks"]["nothing-lost"]["cases"][0]


def test_a_dialect_that_is_not_known_here_is_shown_without_the_oracle(tmp_path):
    found = violation("nothing-lost", answers=None)
    found = type(found)(**{**{name: getattr(found, name) for name in found.__dataclass_fields__}, "dialect": "strange"})
    one = case_of(tmp_path, found)
    assert "why" not in one


def test_command_and_bug_report_name_the_case_by_a_sign(tmp_path):
    found = violation("nothing-lost")
    data = cases_of(tmp_path, found)
    one = data["checks"]["nothing-lost"]["cases"][0]
    assert data["lines"][int(one["reproduce"])] == f"pytest --impl=mine.adapter --case='{CASE}'"
    assert not any(found.case in line for line in data["lines"])
    assert sum(CASE in line for line in data["lines"]) == 1


def test_what_is_asked_of_a_dialect_stands_with_each_check(tmp_path):
    (run,) = read_runs([every_state(tmp_path / "r.jsonl")])
    checks = dialect_cases(run, "qwen3")["checks"]
    assert checks["chunks-do-not-matter"]["listed"] == "known upstream: ROCm/ATOM PR 2910"
    assert checks["whitespace-agrees"]["skipped"] == {"can't be asked": 7}
    assert [one["kind"] for one in checks["streamed-equals-split"]["cases"]] == ["second-block", "declined"]
    assert checks["order-kept"] == {"state": "errored", "outputs": 100, "streams": 900}


def test_no_text_of_a_report_can_end_a_script_or_become_an_element(tmp_path):
    made = site(read_runs([hostile(tmp_path / "r.jsonl")]), HOSTILE)
    page = made.pop("index.html")
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert not any("\ud800" <= sign <= "\udfff" for sign in page)
    (data,) = made.values()
    assert data.isascii()
    assert data_of(data)["checks"]["nothing-lost"]["cases"][0]["note"] == HOSTILE.replace("\ud800\udc00", "\U00010000")


def test_the_same_reports_make_the_same_bytes(tmp_path):
    path = every_state(tmp_path / "r.jsonl")
    assert site(read_runs([path]), "A title") == site(read_runs([path]), "A title")
