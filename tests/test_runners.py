"""The runners in other languages: each judges by the corpus alone, and names the cases that a wrong parser fails."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from representatives import REPRESENTATIVES

from conformance.corpus.vendoring import copy
from oracles.cases import REGISTRY, RecordedCase
from oracles.dialects import corpora
from tests.small_corpus import case, cases_file, renew, small_corpus, write

RUNNERS = Path(__file__).parent.parent / "examples" / "runners"
LONGEST = 80

fcntl = pytest.importorskip("fcntl", reason="the workers of xdist wait for each other by fcntl")

PYTHON, NODE, CPP = "runner.py", "runner.mjs", "runner.cpp"
each_runner = pytest.mark.parametrize("runner", [PYTHON, NODE, CPP])


@cache
def lacks(runner: str) -> str:
    """What is missing to run a runner, "" where nothing is."""
    if runner == NODE and not shutil.which("node"):
        return "Node isn't installed"
    if runner == CPP:
        if not shutil.which("g++"):
            return "g++ isn't installed"
        source = "#include <nlohmann/json.hpp>\n"
        words = ["g++", "-std=c++17", "-E", "-x", "c++", "-", "-o", "/dev/null"]
        tried = subprocess.run(words, input=source, text=True, capture_output=True, check=False)
        if tried.returncode:
            return "the header of nlohmann-json isn't installed (Debian: nlohmann-json3-dev)"
    return ""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Compiles the C++ runner with a parser, each once, though xdist's workers share the tests."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "runners"
    folder.mkdir(exist_ok=True)

    def build(parser: Path) -> Path:
        target = folder / f"runner-{parser.stem}"
        words = ["g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", f'-DPARSER="{parser}"']
        with target.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.exists():
                done = subprocess.run(
                    [*words, RUNNERS / CPP, "-o", target], capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, done.stderr
        return target

    return build


def run(runner: str, parser: str, corpus: Path, built: Any, *dialects: str) -> tuple[int, list[str]]:
    """A runner's exit code and its lines."""
    if reason := lacks(runner):
        pytest.skip(reason)
    if runner == CPP:
        words = [built(RUNNERS / f"{parser}.hpp"), corpus]
    else:
        interpreter = [sys.executable, "-I", "-W", "error"] if runner == PYTHON else ["node"]
        words = [*interpreter, RUNNERS / runner, corpus, RUNNERS / f"{parser}{Path(runner).suffix}"]
    done = subprocess.run(
        [*words, *dialects], capture_output=True, text=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def counts(lines: list[str]) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1])
    assert found, lines
    return int(found[1]), int(found[2])


def failed(lines: list[str]) -> set[str]:
    return {line.partition(": ")[0] for line in lines[:-1]}


def recorded() -> tuple[RecordedCase, ...]:
    return REGISTRY.cases("qwen3")


@each_runner
def test_a_runner_is_short_and_needs_nothing_of_ours(runner: str) -> None:
    text = (RUNNERS / runner).read_text(encoding="utf-8")
    assert len(text.splitlines()) < LONGEST
    assert "conformance" not in text
    assert "oracles" not in text


@each_runner
def test_a_right_parser_passes_every_case(runner: str, built: Any) -> None:
    code, lines = run(runner, "right", corpora(), built)
    assert lines == [f"{len(recorded())} passed, 0 failed"]
    assert code == 0


@each_runner
def test_a_wrong_parser_fails_and_the_cases_are_named(runner: str, built: Any) -> None:
    code, lines = run(runner, "wrong", corpora(), built)
    passed, wrong = counts(lines)
    assert (code, passed + wrong) == (1, len(recorded()))
    assert passed > 0
    assert wrong > len(recorded()) / 2
    assert failed(lines) < {case.id for case in recorded()}
    assert len(failed(lines)) == wrong


def test_the_runners_agree_on_which_cases_a_wrong_parser_fails(built: Any) -> None:
    """On the parser's dialect and on those that it doesn't know."""
    there = [runner for runner in (PYTHON, NODE, CPP) if not lacks(runner)]
    found = {runner: failed(run(runner, "right", corpora(), built, *REPRESENTATIVES)[1]) for runner in there}
    assert found[PYTHON]
    assert set(map(frozenset, found.values())) == {frozenset(found[PYTHON])}


@each_runner
def test_a_copy_is_judged_as_the_corpus_is(runner: str, built: Any, tmp_path: Path) -> None:
    copy(tmp_path / "copy", ["qwen3"])
    assert run(runner, "right", tmp_path / "copy", built) == run(runner, "right", corpora(), built)


OTHERS: dict[str, tuple[dict[str, Any], bool]] = {
    "an expectation that the parser doesn't meet": ({"expected": {"reasoning": "a", "content": "c"}}, False),
    "an expectation of another policy": (
        {"policies": [{"policy": {"reopen": "opens"}, "expected": {"reasoning": "x", "content": ""}}]},
        True,
    ),
    "an expectation of the parser's policy": (
        {"policies": [{"policy": {"reopen": "text"}, "expected": {"reasoning": "x", "content": ""}}]},
        False,
    ),
    "an expectation of the parser's policy in part": (
        {"policies": [{"policy": {"reopen": "text", "off": "text"}, "expected": {"reasoning": "x", "content": ""}}]},
        True,
    ),
    "a text with repetitions": ({"raw": [["a", 1], "</thi", "nk>b"]}, True),
    "a text of several bytes a character": (
        {"raw": "日\U0001f600</think>本", "expected": {"reasoning": "日\U0001f600", "content": "本"}},
        True,
    ),
}


@each_runner
@pytest.mark.parametrize("change", OTHERS)
def test_a_case_is_read_as_the_readme_says(runner: str, change: str, built: Any, tmp_path: Path) -> None:
    fields, passes = OTHERS[change]
    corpus = small_corpus(tmp_path / "corpus")
    one = {**case("qwen3/mine/a", "a</think>b", "a", "b"), **fields}
    write(corpus / "qwen3" / "mine.json", cases_file("qwen3/mine", [one]))
    renew(corpus, gone="forget")
    code, lines = run(runner, "right", corpus, built)
    assert counts(lines) == ((1, 0) if passes else (0, 1))
    assert code == (0 if passes else 1)
    assert failed(lines) == (set() if passes else {"qwen3/mine/a"})


@each_runner
def test_nothing_judged_is_no_pass(runner: str, built: Any, tmp_path: Path) -> None:
    corpus = small_corpus(tmp_path / "corpus")
    (corpus / "qwen3" / "mine.json").unlink()
    renew(corpus, gone="forget")
    assert run(runner, "right", corpus, built) == (1, ["0 passed, 0 failed"])


def test_a_parser_that_declares_nothing_is_held_to_the_musts_and_to_itself(tmp_path: Path) -> None:
    parser = tmp_path / "parser.py"
    source = f"""
from runpy import run_path
globals().update(run_path({str(RUNNERS / "right.py")!r}))
policy = {{}}
def split(raw, request, finish, right=split):
    return ("", raw) if "x" in raw else right(raw, request, finish)
"""
    parser.write_text(source, encoding="utf-8")
    corpus = small_corpus(tmp_path / "corpus")
    must = case("qwen3/mine/a", "x</think>b", "x", "b")
    should = {
        **must,
        "id": "qwen3/mine/b",
        "level": "should",
        "axes": ["off"],
        "expected": {"reasoning": "", "content": ""},
    }
    fine = {**should, "id": "qwen3/mine/c", "raw": "a</think>b"}
    write(corpus / "qwen3" / "mine.json", cases_file("qwen3/mine", [must, should, fine]))
    done = subprocess.run(
        [sys.executable, RUNNERS / PYTHON, corpus, parser], capture_output=True, text=True, timeout=60, check=False
    )
    lines = done.stdout.splitlines()
    assert [line.partition(" in ")[0].partition(" the ")[0] for line in lines[:-1]] == [
        "qwen3/mine/a:",
        "qwen3/mine/b:",
    ]
    assert "not {'reasoning': 'x'" in lines[0]
    assert "in 1 chunks the stream is" in lines[1]
    assert lines[-1] == "1 passed, 2 failed"


def test_the_policies_of_the_three_right_parsers_are_the_same() -> None:
    """And declare each axis of a reading, so that each is held to every case."""
    texts = [(RUNNERS / f"right.{ending}").read_text(encoding="utf-8") for ending in ("py", "mjs", "hpp")]
    schema = json.loads((corpora() / "schema" / "cases.schema.json").read_text(encoding="utf-8"))
    axes = schema["$defs"]["case"]["properties"]["axes"]["items"]["enum"]
    for text in texts:
        assert [axis for axis in axes if not re.search(rf"\b{axis}\b", text)] == []
