"""Facts about ``conformance mutate``: what it tells, writes, refuses and leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import jsonschema
import pytest
from made_parser import READER, SMALL, files, write_package

from conformance import cli
from conformance.mutation.session import Session
from conformance.profiles import PROFILES
from oracles.dialects import REGISTRY, corpora


@pytest.fixture(autouse=True)
def _a_plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture(autouse=True)
def _a_small_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROFILES, "quick", SMALL)


@pytest.fixture(autouse=True)
def _own_dialects(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dialect file is read anew by each test."""
    monkeypatch.setattr(REGISTRY, "_loaded", {**REGISTRY._loaded})
    monkeypatch.setattr(REGISTRY, "_added", [*REGISTRY._added])


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_package(tmp_path, "made_command")
    return tmp_path


WORDS = ("mutate", "--impl=made_command.adapter", "--source=made_command/reader.py", "--dialect-file=tags.json")


def error_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main([*WORDS, *words]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("conformance: ")
    assert "Traceback" not in captured.err
    return captured.err


def test_a_run_tells_its_survivors_its_score_and_writes_reports_only(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(package)
    (package / "viewer.js").write_text("viewer()")
    code = cli.main([*WORDS, "--function=Reader.k*", "--report=out", "--elements=viewer.js", "--fail-under=99"])
    out = capsys.readouterr().out
    assert code == 1
    line = READER.splitlines().index("            return 0") + 1
    assert f"survived  made_command/reader.py:{line}:20  Reader.keep#2\n" in out
    assert "    -            return 0\n    +            return 1\n" in out
    assert "    nearest is released-at-once in tags, as a should (" in out
    assert "\x1b" not in out
    reports = {name for name in files(package) if name.startswith("out/")}
    assert reports == {
        f"out/{name}" for name in ("score.json", "mutation.json", "mutation.html", "summary.md", "badge.json")
    }
    assert {name: text for name, text in files(package).items() if name not in {*reports, "viewer.js"}} == before
    score = json.loads((package / "out/score.json").read_text())
    jsonschema.validate(score, json.loads((corpora() / "schema" / "score.schema.json").read_text(encoding="utf-8")))
    assert f"{score['percent']:g} %  {score['counts']['killed']} killed" in out
    assert f"{score['percent']:g} % is under --fail-under=99" in out
    assert (score["implementation"]["name"], score["files"], score["complete"]) == (
        "made_command", ["made_command/reader.py"], True,
    )  # fmt: skip


def test_a_source_may_be_named_as_a_module_and_what_nothing_reaches_is_told(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.main([*WORDS, "--source=made_command.reader", "--function=unused", "--fail-under=0"])
    out = capsys.readouterr().out
    assert code == 0
    assert f"unreached  made_command/reader.py:{len(READER.splitlines())}:17  unused#1  + → -\n" in out
    assert "stand where nothing that was asked comes by; none is left\n" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--impl=no_such_module"], "there is no module 'no_such_module'"),
        (["--source=made_command/other.py"], "imports no such file"),
        (["--source=made_command/other.py"], "from that folder it imports"),
        (
            ["--impl=conformance.adapters.reference", f"--source={cli.__file__}"],
            "the suite itself runs on conformance.cli",
        ),
        (["--function=Reader.kep"], "no function with mutants fits (did you mean 'Reader.keep'?)"),
        (["--dialect=tag"], "made_command is not judged by it (did you mean 'tags'?)"),
        (["--expected-failures=none"], "the file can't be read (No such file or directory)"),
        (["--expected-failures=wrong.expected"], "tags has no check 'order-keep' (did you mean 'order-kept'?)"),
        (["--elements=none.js"], "the file can't be read (No such file or directory)"),
        (["--dialect-file=none.json"], "none.json"),
        (["--max=0"], "'0' is no number from 1 on"),
        (["--fail-under=101"], "'101' is no percentage from 0 to 100"),
        (["--time=soon"], "'soon' is no number of seconds"),
        (["--profile=slow"], "invalid choice: 'slow'"),
    ],
)
def test_what_is_wrong_is_told(package: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    (package / "wrong.expected").write_text("tags::order-keep  # wrong\n")
    (package / "made_command" / "other.py").write_text("")
    assert told in " ".join(error_of(capsys, *words).split())


def test_an_adapter_that_can_not_be_imported_is_told(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (package / "made_command" / "reader.py").write_text("import nothing_like_it\n")
    assert "No module named 'nothing_like_it'" in error_of(capsys)


def test_without_the_tool_its_pip_line_is_told(
    package: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert "pip install 'llm-parser-conformance[mutate]'" in error_of(capsys)


def test_a_parser_that_fails_is_refused_with_what_it_fails(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reader = package / "made_command" / "reader.py"
    reader.write_text(reader.read_text().replace("        self.held += text\n", "        raise OSError('no')\n"))
    told = error_of(capsys)
    assert "made_command fails before anything is mutated" in told
    assert "\n  tags::never-raises  (" in told
    assert "--expected-failures=FILE --fix" in told


def test_nothing_is_left_where_a_run_is_interrupted(package: Path) -> None:
    """Its reports say that they are not complete."""
    scratch = package / "scratch"
    scratch.mkdir()
    before = files(package)
    words = [sys.executable, "-m", "conformance", *WORDS, "--report=out"]
    environment = {**os.environ, "TMPDIR": str(scratch), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("judging mutants"):
                break
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not (running := children.read_text().split()):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out = process.stdout.read()
    assert process.returncode == 130
    assert "(interrupted: not complete)" in out
    assert json.loads((package / "out/score.json").read_text())["complete"] is False
    assert [pid for pid in running if Path(f"/proc/{pid}").exists()] == []
    assert list(scratch.iterdir()) == []
    assert {name: text for name, text in files(package).items() if not name.startswith("out/")} == before


def test_a_run_that_is_interrupted_before_any_mutant_is_judged_says_so(
    package: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Session) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "probe", interrupt)
    assert cli.main(WORDS) == 130
    assert capsys.readouterr().out == "interrupted before any mutant was judged\n"
