"""Facts about issues made of reports, and the scripts in them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.adapter import examined
from conformance.case import Case
from conformance.checks.catalogue import CHECKS
from conformance.cli import main
from conformance.issues import TITLES, issue_text
from conformance.markup import code, fenced, plain, stands_in_a_fence
from conformance.report import Entry, ReportFile, header, read_report, told_of
from conformance.results import Result
from conformance.scripts import fallback
from conformance.verdicts import Row, Verdict, Violation
from oracles.messages import Request
from oracles.pieces import Output, Piece

WRONG = '''
"""An adapter that sees markers alone in their chunk, and needs nothing of anybody."""
name, version, dialects = "mine", "1.0", {"qwen3"}

def split(raw, request, finish):
    reasoning, closer, content = raw.partition("</think>")
    return (reasoning.removeprefix("<think>"), content) if closer else ("", raw)

class Stream:
    def __init__(self, request):
        self.channel = "reasoning" if request.opened else "content"
    def feed(self, chunk):
        if chunk.text in ("<think>", "</think>"):
            self.channel = "reasoning" if chunk.text == "<think>" else "content"
            return []
        return [(self.channel, f"{len(chunk.ids)}:{chunk.text}")]
    def finish(self, finish):
        return [("content", finish)]

stream = Stream

class Held:
    name, version, dialects = name, version, dialects
    split = staticmethod(split)
    stream = Stream
'''
CHILD = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    match told["cmd"]:
        case "start":
            answer = {"version": 1, "implementation": {"name": "kid", "version": "2", "dialects": ["qwen3"]}}
        case "split":
            answer = {"seq": told["seq"], "message": {"reasoning": "", "content": told["raw"]}}
        case "stream":
            answer = {"seq": told["seq"], "deltas": [[["content", each["text"]]] for each in told["chunks"]] + [[]]}
        case _:
            break
    print(json.dumps(answer), flush=True)
"""
MINE = {"id": "mine", "name": "mine", "version": "1.0", "spec": "mine", "language": "Python", "chunks": "text"}
RAW = "<think>a</think>b"
CASE = Violation(
    "streamed-equals-split", "must", "qwen3", False, True, "stop",
    (Row("content", "split", "'b'"), Row("content", "stream", "'<think>'", "first difference at 0")), "qwen3:abc",
    chunks=("<think>a", "</think>", "b"), raw=RAW, kind="plain", kind_title="reasoning, then an answer",
    answers={
        "oracle": {"reasoning": "a", "content": "b"},
        "split": {"reasoning": "a", "content": "b"},
        "stream": {"deltas": [[["content", "<think>a"]], [], [["content", "b"]], []]},
    },
)  # fmt: skip
HEADER = header("0.9", [MINE], "quick", None, ["qwen3"], ["streamed-equals-split"])


def entry(violation: Violation, **values: Any) -> Entry:
    return Entry(
        "mine", "failed", Verdict("mine", "1.0", violation.dialect, violation.check, "fail", violation), **values
    )


def issue(violation: Violation = CASE, told: Mapping[str, Any] = MINE, **values: Any) -> str:
    return issue_text({**HEADER, "implementations": [dict(told)]}, entry(violation, **values), violation)


def outside_fences(text: str) -> str:
    return re.sub(r"^(```+)\w*\n(?:.*\n)*?\1\n", "", text, flags=re.MULTILINE)


def blocks(text: str) -> list[str]:
    return [match[2] for match in re.finditer(r"^(```+)\w*\n((?:.*\n)*?)\1\n", text, flags=re.MULTILINE)]


def ran(script: str, folder: Path) -> str:
    """What a script prints where nothing but the standard library and one folder can be imported."""
    begin = f"import sys; sys.path.insert(0, {str(folder)!r}); "
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", begin + "exec(sys.stdin.read())"], input=script, cwd=folder, timeout=60,
        capture_output=True, text=True, encoding="utf-8", errors="surrogatepass", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(WRONG, encoding="utf-8")
    (tmp_path / "kid.py").write_text(CHILD, encoding="utf-8")
    return tmp_path


# The issue


def test_every_check_has_words_for_a_title():
    assert list(TITLES) == list(CHECKS)


def test_an_issue_says_what_where_how_and_by_whom_it_was_found():
    text = issue(replace(CASE, known_as="elsewhere #7", note="it differs"), reason="on the list, #12")
    title = "# mine 1.0: the stream reads otherwise than the whole text (qwen3, reasoning, then an answer)"
    assert text.splitlines()[0] == title
    assert "**Each channel of a stream, put together, equals the split's.**" in text
    for line in (
        "It differs.",
        "- Dialect: `qwen3` (Qwen3 (0.6B to 235B, thinking and not))",
        "- Prompt: it has not opened reasoning; thinking is asked for",
        "- Finish reason: `stop`",
        "- Check: `streamed-equals-split`, must",
        "- What is special: reasoning, then an answer",
        "- The like was reported as: `elsewhere #7`",
        "- In the list of expected failures: `on the list, #12`",
    ):
        assert line in text.splitlines()
    assert f"llm-parser-conformance 0.9 on Python {HEADER['python']}, {HEADER['started'][:10]}, profile quick" in text
    assert "pytest --impl=mine --case='qwen3:abc'\n" in blocks(text)


def test_the_input_stands_as_literals_and_as_it_is():
    found = blocks(issue())
    assert found[0] == f"raw = {RAW!r}\nchunks = ['<think>a', '</think>', 'b']\n"
    assert found[1] == f"{RAW}\n"


def test_split_stream_and_oracle_stand_side_by_side_with_the_first_difference():
    assert blocks(issue())[2].splitlines() == [
        "reasoning  split   'a'",
        "           stream  ''   <- first difference at 0",
        "           oracle  'a'",
        "content    split   'b'",
        "           stream  '<think>ab'   <- first difference at 0",
        "           oracle  'b'",
    ]


def test_the_stream_stands_chunk_by_chunk():
    assert blocks(issue())[3].splitlines() == [
        "'<think>a'  ->  content '<think>a'",
        "'</think>'  ->  nothing",
        "'b'         ->  content 'b'",
        "finish      ->  nothing",
    ]


def test_what_a_check_compared_stands_beside_the_answers_where_it_is_something_else():
    text = issue(replace(CASE, rows=(Row("content", "in one chunk", "'b'"), Row("content", "so cut", "'c'"))))
    assert "content  in one chunk  'b'\n         so cut        'c'   <- first difference at 0\n" in blocks(text)
    assert "Asked once more, alone:" in text


def test_without_answers_an_issue_tells_what_was_compared():
    text = issue(replace(CASE, answers=None))
    assert "content  split   'b'\n         stream  '<think>'   <- first difference at 0\n" in blocks(text)
    assert "oracle" not in text


def test_a_failure_stands_where_an_answer_would():
    answers = {"oracle": CASE.answers["oracle"], "split": {"failure": "ValueError: no"}}
    text = issue(replace(CASE, answers=answers, chunks=None))
    assert "reasoning  split   none: ValueError: no   <- differs\n" not in text
    assert "reasoning  split   none: ValueError: no\n           oracle  'a'   <- differs\n" in text


def test_the_policy_that_the_oracle_reads_by_is_named():
    text = issue(told={**MINE, "policy": {"qwen3": {"reopen": "opens", "calls_end_reasoning": False}}})
    assert "(`reopen opens, calls_end_reasoning false`)" in text
    assert "where nothing else is declared" in issue()


def test_a_prompt_that_opened_reasoning_a_surface_and_advice_are_told():
    text = issue(replace(CASE, opened=True, thinking=False, surface="chat", level="should"))
    assert "it has opened reasoning; thinking is switched off" in text
    assert "- Asked through: `chat`" in text
    assert "What should hold (advice): " in text


HOSTILE = [
    "a\n```\nb", "````\n```` x", "\ud800", "\x00\x1b[31m", "a\r\nb", "\u202eabc", "<script>", "`", " ", "",
    "|#*_", "\u2028", "'''", '"""', "\\", "{0}", "{raw}", "\U0001f600",
]  # fmt: skip


@pytest.mark.parametrize("raw", HOSTILE)
def test_no_output_breaks_out_of_its_fence_or_hides_itself(raw):
    violation = replace(CASE, raw=raw, chunks=(raw,), kind_title=f"x{raw}y", known_as=raw, note=raw, answers=None)
    text = issue(violation, {**MINE, "name": f"n{raw}"}, reason=raw)
    assert all(sign == "\n" or sign.isprintable() for sign in text)
    outside = outside_fences(text)
    assert not [line for line in outside.splitlines() if line.lstrip().startswith("```")]
    assert not re.search(r"(?<!\\)<script", re.sub(r"(`+).+?\1", "", outside))
    assert [line for line in outside.splitlines() if line.startswith("## ")] == [
        "## Input", "## What comes out", "## Script", "## About this report",
    ]  # fmt: skip


def test_an_output_that_can_t_be_seen_as_it_is_stands_as_a_literal_alone():
    assert "as it stands" not in issue(replace(CASE, raw="a\x00b", chunks=("a\x00b",)))
    assert "raw = 'a\\x00b'" in issue(replace(CASE, raw="a\x00b", chunks=("a\x00b",)))


def test_a_long_output_of_pieces_that_repeat_is_spelled_by_their_numbers(folder):
    output = Output((Piece("text", "<think>.</think>,", "", 6000),))
    case = Case("cost-linear", output, Request("qwen3", False, True), "stop").text()
    text = issue(replace(CASE, check="cost-linear", raw=output.raw, case=case, chunks=None, answers=None))
    assert "raw = '<think>.</think>,' * 6000\n" in blocks(text)
    assert "## Script" not in text


def test_a_long_output_without_pattern_is_cut_and_counted():
    raw = "".join(chr(0x4E00 + number) for number in range(5000))
    text = issue(replace(CASE, raw=raw, chunks=None, answers=None))
    assert "# 5,000 characters in all\n" in text
    assert len(text) < 20_000


def test_many_chunks_are_counted():
    answers = {**CASE.answers, "stream": {"deltas": [[["content", "x"]]] * 500 + [[]]}}
    text = issue(replace(CASE, raw="x" * 500, chunks=("x",) * 500, answers=answers))
    assert "… 452 more …" in text
    assert "… 453 more …" in text


def test_a_dialect_of_somebody_s_own_is_reproduced_with_its_file():
    assert "--dialect-file=FILE" in issue(replace(CASE, dialect="ours"))


# The scripts


def test_the_script_shows_split_and_stream_with_no_suite_on_the_path(folder):
    (script,) = [block for block in blocks(issue()) if block.startswith('"""How')]
    assert ran(script, folder).splitlines() == [
        "split: ('a', 'b')",
        "'<think>a' -> [('content', '0:<think>a')]",
        "'</think>' -> []",
        "'b' -> [('content', '0:b')]",
        "finish -> [('content', 'stop')]",
    ]


def test_the_script_hands_over_the_ids_of_the_case(folder, tmp_path):
    violation = judged_case(folder)
    script = fallback(MINE, violation)
    assert script is not None
    streamed = [line for line in ran(script, folder).splitlines() if " -> [('content', '" in line]
    assert streamed
    assert not any("'0:" in line for line in streamed)


def judged_case(folder: Path) -> Violation:
    """A case of the wrong adapter as a real run reports it."""
    report = folder / "r.jsonl"
    command = ["--impl=mine", "--corpus-only", "--check=streamed-equals-split", f"--report={report}", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *command],
        cwd=folder,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 1, done.stdout
    return read_report(report).entries[0].verdict.violation


def test_where_the_split_alone_matters_the_script_asks_for_no_stream(folder):
    script = fallback(MINE, replace(CASE, chunks=None))
    assert ran(script, folder) == "split: ('a', 'b')\n"


@pytest.mark.parametrize("path", ["Held", "Held.stream.__module__.__class__"])
def test_an_object_in_a_module_is_asked_as_it_is_and_a_class_made(folder, path):
    script = fallback({**MINE, "spec": f"mine:{path}"}, CASE)
    assert f"import_module('mine').{path}" in script
    if path == "Held":
        assert "split: ('a', 'b')" in ran(script, folder)


@pytest.mark.parametrize("raw", HOSTILE)
def test_the_script_holds_any_output_to_the_character(folder, raw):
    violation = replace(CASE, raw=raw, chunks=(raw,))
    script = fallback({**MINE, "name": 'a"""b\\', "version": raw}, violation)
    assert ran(script, folder).splitlines()[0] == f"split: {('', raw)!r}"


def test_a_script_for_a_command_speaks_its_lines(folder):
    told = {**MINE, "spec": f"cmd:{sys.executable} kid.py"}
    violation = replace(CASE, raw=f"{RAW}\U0001f600", chunks=("<think>a", "</think>", "b\U0001f600"))
    script = fallback(told, violation)
    answers = ran(script, folder).splitlines()
    assert '"name": "kid"' in answers[0]
    assert '"seq": 1, "message": {"reasoning": "", "content": "<think>a</think>b\\ud83d\\ude00"}' in answers[1]
    assert answers[2].startswith('{"seq": 2, "deltas": [[["content", "<think>a"]], [["content", "</think>"]]')
    assert answers[3] == "exit code 0"
    assert "It starts the adapter's command" in issue(violation, told)


def test_a_script_for_a_module_that_fronts_a_command_starts_that(folder):
    (folder / "front.py").write_text(f"command = ({sys.executable!r}, 'kid.py')\n")
    script = fallback({**MINE, "spec": "front", "wire": True}, replace(CASE, chunks=None))
    assert "exit code 0" in ran(script, folder)


def test_the_adapter_s_own_script_comes_before_ours():
    text = issue(replace(CASE, script="print('theirs')"))
    assert "print('theirs')\n" in blocks(text)
    assert "import_module" not in text
    assert "the implementation and nothing else" in text


@pytest.mark.parametrize(
    ("script", "language"),
    [
        ("// npm install x\nimport { y } from 'x';", "js"),
        ('// g++ ask.cpp\n#include "chat.h"', "cpp"),
        ("#!/bin/sh\nx", "sh"),
        ("# pip install x\nimport x", "python"),
    ],
)
def test_a_script_is_fenced_as_its_language(script, language):
    assert f"```{language}\n{script}\n```\n" in issue(replace(CASE, script=script))


def test_no_script_is_made_of_an_output_that_nobody_would_read():
    raw = "".join(chr(0x4E00 + number) for number in range(20_900))
    assert fallback(MINE, replace(CASE, raw=raw, chunks=None)) is None
    assert fallback(MINE, replace(CASE, raw=None, chunks=None)) is None


# Markdown


@pytest.mark.parametrize("text", HOSTILE)
def test_a_fence_is_longer_than_any_inside(text):
    first, *_, last = fenced(text).splitlines()
    assert last == first.removesuffix("text")
    assert len(last) > max([2, *(len(run) for run in re.findall("`+", text))])


def test_plain_text_is_no_markup_and_names_stay_as_they_are():
    assert plain("a *b* <c>\n[d](e) `f` #1 _g_ h_i") == r"a \*b\* \<c\> \[d\](e) \`f\` \#1 \_g\_ h_i"
    assert code("a`b") == "``a`b``"
    assert code("`") == "`` ` ``"
    assert stands_in_a_fence("a\n<b>")
    assert not stands_in_a_fence("a\tb\r")
    assert not stands_in_a_fence(" \n")


# The command


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "r.jsonl"
    file = ReportFile(path)
    file.begin({**HEADER, "implementations": [MINE, {**MINE, "id": "yours"}]})
    other = replace(CASE, case="qwen3:abd", kind="other")
    verdict = Verdict("mine", "1.0", "qwen3", "streamed-equals-split", "fail", CASE, others=(other,))
    file.add(Result("mine", "mine", verdict, "failed"))
    file.add(Result("yours", "mine", replace(verdict, violation=other, others=()), "failed"))
    file.add(Result("mine", "mine", Verdict("mine", "1.0", "qwen3", "order-kept", "pass"), "passed"))
    file.add(Result("mine", "mine", Verdict("mine", "1.0", "glm45", "order-kept", "skip", reason="why"), "skipped"))
    file.add(
        Result("mine", "mine", Verdict("mine", "1.0", "gemma4", "order-kept", "unjudged", reason="it died"), "unjudged")
    )
    file.end(1.0)
    return path


@pytest.mark.parametrize("wanted", ["mine::qwen3::streamed-equals-split", "qwen3:abc"])
def test_an_item_or_a_case_names_a_violation(report, capsys, wanted):
    assert main(["report-issue", str(report), wanted]) == 0
    assert "--case='qwen3:abc'" in capsys.readouterr().out


def test_an_issue_goes_to_a_file(report, tmp_path, capsys):
    assert main(["report-issue", str(report), "qwen3:abc", "-o", str(tmp_path / "issue.md")]) == 0
    read = read_report(report)
    assert (tmp_path / "issue.md").read_text(encoding="utf-8") == issue_text(read.header, read.entries[0], CASE)
    assert (
        capsys.readouterr().out == f"{tmp_path / 'issue.md'} holds the issue about mine::qwen3::streamed-equals-split\n"
    )


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([*map(str, arguments)]) == 2
    text = capsys.readouterr().err
    assert text.startswith("conformance: ")
    assert text.count("\n") == 1
    return text


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (
            "qwen3::streamed-equals-split",
            "of 2 implementations; name one of them: mine::qwen3::streamed-equals-split or",
        ),
        ("mine::qwen3::order-kept", "passes: there is nothing to report"),
        ("glm45::order-kept", "was skipped (why): there is nothing to report"),
        ("gemma4::order-kept", "has no case: it died"),
        ("qwen3::order-kebt", "has no item 'qwen3::order-kebt' (did you mean 'qwen3::order-kept'?)"),
        ("order-kept", "has no item 'order-kept'"),
        ("qwen3:ab", "3 cases of"),
        ("qwen3:x", "begins with 'qwen3:x'; it was found by another run, or is damaged; with a case: mine::"),
    ],
)
def test_what_names_no_violation_is_told_in_a_sentence(report, capsys, wanted, words):
    assert words in told(capsys, "report-issue", report, wanted)


def test_a_report_that_is_not_whole_and_a_file_that_can_t_be_written_are_told(report, capsys, tmp_path):
    assert "can't be written" in told(capsys, "report-issue", report, "qwen3:abc", "-o", tmp_path / "no" / "x.md")
    report.write_text("".join(report.read_text().splitlines(keepends=True)[:-1]))
    assert "is not whole" in told(capsys, "report-issue", report, "qwen3:abc")
    assert "can't be read" in told(capsys, "report-issue", tmp_path / "none.jsonl", "qwen3:abc")


def test_told_of_an_implementation_is_enough_for_a_script(folder):
    adapter = SimpleNamespace(name="mine", version="1", dialects=["qwen3"], split=print, stream=print)
    told = told_of("mine", examined(adapter, "here", "mine:Held"), ["qwen3"])
    assert ran(fallback(told, CASE), folder).startswith("split: ('a', 'b')")
