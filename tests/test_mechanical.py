"""Facts about mechanical mutation: what its gate fails for, what it reads and tells, and a tiny tree of mutants."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mutmut")

from mutants.mechanical import command, needs
from mutants.mechanical.changes import Change, Mutant
from mutants.mechanical.equivalents import Equivalent, EquivalentsError, read_equivalents
from mutants.mechanical.gate import Run, Score, problems
from mutants.mechanical.record import RecordError, changed_functions, read_record, write_record
from mutants.mechanical.running import Clean, Result, RunError, judged
from mutants.mechanical.scratch import Scratch, scratch_copy
from mutants.mechanical.targets import JUDGED_BY, NOT_JUDGED, WALKED
from mutants.mechanical.telling import as_data, as_text, last_line
from mutants.mechanical.walking import walked

ROOT = Path(__file__).parent.parent
NO_NEAR = "found = self.begins(text, near if (near > start) and False else start)"
DIGESTS = {"oracles.made.f": "one", "oracles.made.g": "two"}
SCRATCH = Scratch(Path(), ("oracles.made",), (), DIGESTS, ())


def mutant(function: str, number: int) -> Mutant:
    """A mutant of a made-up function."""
    change = Change(f"oracles.made.{function}", ("a",), (f"b{number}",))
    return Mutant(f"oracles.made.x_{function}__mutmut_{number}", "oracles/made.py", change, ("-a", f"+b{number}"))


FIRST, SECOND, THIRD = mutant("f", 1), mutant("f", 2), mutant("g", 1)


def run_of(*statuses: str, listed: tuple[Mutant, ...] = (), **fields: Any) -> Run:
    """A run in which the first mutants came to those ends."""
    every = (FIRST, SECOND, THIRD)
    results = [Result(each, status, "t.py::t") for each, status in zip(every, statuses, strict=False)]
    equal = {each.change: Equivalent(each.change, "it is") for each in listed}
    made = Run(every, every[: len(statuses)], (), equal, Clean(9, ()), results, seconds=2.0)
    return replace(made, **fields)


def objections(run: Run, only: str = "*") -> str:
    return "\n".join(problems(run, only))


# The gate


def test_a_run_that_kills_every_mutant_passes() -> None:
    run = run_of("killed", "timeout", "killed")
    assert objections(run) == ""
    assert run.score() == Score(3, 2, 1, 0, 0)
    assert run.score().percent == 100


@pytest.mark.parametrize("status", ["survived", "no tests"])
def test_a_survivor_that_is_not_listed_fails(status: str) -> None:
    run = run_of("killed", status, "killed")
    assert "1 mutant survives" in objections(run)
    assert [each.mutant for each in run.survivors()] == [SECOND]
    assert run.score() == Score(3, 2, 0, 1, 0)
    assert round(run.score().percent, 1) == 66.7


def test_a_survivor_that_is_listed_passes_and_does_not_count() -> None:
    run = run_of("killed", "survived", "killed", listed=(SECOND,))
    assert objections(run) == ""
    assert run.survivors() == []
    assert run.score() == Score(3, 2, 0, 0, 1)
    assert run.score().percent == 100


@pytest.mark.parametrize("status", ["killed", "timeout"])
def test_a_listed_one_that_is_killed_fails(status: str) -> None:
    assert "listed as equal is killed, by t.py::t: oracles.made.f: 'a' to 'b1'" in objections(
        run_of(status, "killed", listed=(FIRST,))
    )


def test_a_listed_one_that_no_longer_exists_fails_where_its_function_was_asked_for() -> None:
    gone = mutant("f", 7)
    run = run_of("killed", "killed", "killed", listed=(gone,))
    assert "doesn't exist: oracles.made.f: 'a' to 'b7'" in objections(run)
    assert objections(replace(run, asked=(THIRD,), results=run.results[2:])) == ""
    no_function = run_of("killed", "killed", "killed", listed=(mutant("h", 1),))
    assert "doesn't exist: oracles.made.h" in objections(no_function)
    assert objections(no_function, "oracles.made.f") == ""


def test_a_run_that_judged_nothing_fails() -> None:
    assert "Nothing was judged" in objections(run_of())


def test_a_mutant_without_a_result_fails() -> None:
    assert "1 mutants got no result" in objections(run_of("killed", "killed", asked=(FIRST, SECOND, THIRD)))


def test_a_clean_run_that_fails_fails_and_nothing_else_is_said() -> None:
    run = run_of("survived", clean=Clean(9, ("t.py::broken",)))
    assert objections(run).startswith("The clean run failed")
    assert "t.py::broken" in objections(run)
    assert len([*problems(run)]) == 1


def test_a_module_with_functions_and_no_mutant_fails() -> None:
    assert "oracles/bare.py has functions and got no mutant" in objections(
        run_of("killed", "killed", "killed", bare=("oracles/bare.py",))
    )


def test_listed_ones_that_were_not_run_count_as_equal() -> None:
    run = run_of("killed", "killed", listed=(THIRD,), skipped=(THIRD,))
    assert (objections(run), run.score()) == ("", Score(3, 2, 0, 0, 1))


def test_nothing_has_no_score() -> None:
    assert Score().percent == 0


# What is told


def test_a_survivor_is_told_with_its_diff_and_the_score_last() -> None:
    run = run_of("killed", "survived", "timeout")
    lines = [*as_text(run, [*problems(run)])]
    assert "    +b2" in lines
    assert lines[-1] == "score 66.67 %: 2 of 3 mutants seen, 0 more listed as equal"
    assert lines[-1] == last_line(run.score())
    assert any(line.startswith("FAIL  1 mutant survives") for line in lines)
    assert any("1.5 a second" in line for line in lines)


def test_the_same_is_told_as_data() -> None:
    run = run_of("killed", "survived", "killed")
    told = json.loads(json.dumps(as_data(run, [*problems(run)], "3")))
    assert (told["passed"], told["version"], told["tests"]) == (False, "3", 9)
    assert told["modules"]["oracles.made"] == told["total"]
    assert told["total"]["percent"] == 66.67
    assert told["survivors"] == [
        {"name": SECOND.name, "function": "oracles.made.f", "status": "survived", "diff": ["-a", "+b2"]}
    ]
    assert as_data(run_of("killed"), [], "3")["passed"] is True


# The list of equivalents

LISTED = """
[[equivalent]]
function = "oracles.made.f"
argument = "so"
changes = [{ minus = "a", plus = "b" }, { minus = "a", plus = "b", place = 2 }, { minus = "c\\n  d", plus = "" }]
"""


def test_a_list_is_read_by_function_and_changed_lines(tmp_path: Path) -> None:
    path = tmp_path / "equivalent.toml"
    path.write_text(LISTED, encoding="utf-8")
    listed = read_equivalents(path)
    assert list(listed) == [
        Change("oracles.made.f", ("a",), ("b",)),
        Change("oracles.made.f", ("a",), ("b",), 2),
        Change("oracles.made.f", ("c", "d"), ()),
    ]
    assert {each.argument for each in listed.values()} == {"so"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "can't be read"),
        ("[[equivalent", "no TOML"),
        (LISTED.replace("function", "functions"), "entry 1 lacks or misspells 'function'"),
        (LISTED.replace("minus", "minos", 1), "entry 1 lacks or misspells 'minus'"),
        (LISTED.replace('"so"', '" "'), "has no argument or no changes"),
        (LISTED.replace(", place = 2", ""), "lists a change a second time"),
        (LISTED + LISTED, "entry 2 (oracles.made.f) lists a change a second time"),
    ],
)
def test_a_list_that_can_not_be_used_is_told(tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "equivalent.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(EquivalentsError) as caught:
        read_equivalents(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_our_list_is_one() -> None:
    assert all(len(each.argument) > 20 for each in read_equivalents(command.EQUIVALENT).values())


# The record


def test_only_functions_that_differ_from_the_record_have_changed(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    run = run_of("killed", "survived", "killed", listed=(SECOND,))
    write_record(path, run, SCRATCH, "3")
    record = read_record(path)
    assert record["functions"]["oracles.made.f"] == {"digest": "one", "mutants": 2, "killed": 1, "equivalent": 1}
    assert record["score"] == 100
    assert changed_functions(record, DIGESTS, "3") == set()
    assert changed_functions(record, {**DIGESTS, "oracles.made.g": "new"}, "3") == {"oracles.made.g"}
    assert changed_functions(record, {**DIGESTS, "oracles.made.h": "new"}, "3") == {"oracles.made.h"}
    assert changed_functions(record, DIGESTS, "4") == set(DIGESTS)
    write_record(path, run_of("killed", "survived", "killed"), SCRATCH, "3")
    assert changed_functions(read_record(path), DIGESTS, "3") == {"oracles.made.f"}
    assert read_record(path)["score"] == 66.67


def test_a_record_keeps_what_it_says_of_functions_that_are_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_record(path, run_of("killed", "killed", "killed"), SCRATCH, "3")
    one = run_of("killed", "killed")
    write_record(path, one, SCRATCH, "3")
    assert set(read_record(path)["functions"]) == {"oracles.made.f", "oracles.made.g"}
    write_record(path, run_of(), replace(SCRATCH, modules=("oracles.other",), digests={}), "3")
    assert set(read_record(path)["functions"]) == {"oracles.made.f", "oracles.made.g"}
    write_record(path, one, replace(SCRATCH, digests={**DIGESTS, "oracles.made.g": "new"}), "3")
    assert set(read_record(path)["functions"]) == {"oracles.made.f"}
    write_record(path, run_of("killed", "killed", "killed"), SCRATCH, "3")
    write_record(path, one, SCRATCH, "4")
    assert set(read_record(path)["functions"]) == {"oracles.made.f"}


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"functions": [], "score": 1}', '{"functions": {}}'])
def test_a_record_that_is_none_is_told(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "record.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError, match="--record"):
        read_record(path)


# A tiny project, for real

SOURCE = '''"""Made."""


def sign(number):
    if number < 0:
        return "minus"
    return "plus"


class Counter:
    def __init__(self):
        self.total = 0

    def add(self, number):
        self.total += number
        while number > 100:
            number -= 1
        return self.total


def unused(flag):
    return not flag
'''
TESTS = """
from oracles.made import Counter, sign

def test_sign():
    assert sign(-1) == "minus"
    assert sign(1) == "plus"

def test_counter():
    counter = Counter()
    assert counter.add(2) == 2
    assert counter.add(101) == 103
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with one module and its tests."""
    root = tmp_path_factory.mktemp("tiny")
    files = {"oracles/__init__.py": "", "oracles/made.py": SOURCE, "tests/test_made.py": TESTS}
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


JUDGES: Mapping[str, tuple[str, ...]] = {"oracles/made.py": ("tests/test_made.py",)}


def judge(tiny: Path, prepare: Callable[[Scratch], None] = lambda scratch: None) -> tuple[Scratch, Clean, list[Result]]:
    with scratch_copy(tiny, JUDGES, 1) as scratch:
        prepare(scratch)
        clean, results = judged(ROOT, scratch, scratch.mutants, JUDGES, 2, lambda done: None)
        return scratch, clean, results


@pytest.fixture(scope="module")
def told(tiny: Path) -> tuple[Scratch, Clean, list[Result]]:
    return judge(tiny)


def test_each_mutant_comes_to_its_end(told: tuple[Scratch, Clean, list[Result]]) -> None:
    scratch, clean, results = told
    assert clean == Clean(2, ())
    assert len(results) == len(scratch.mutants) > 15
    ends = {(each.mutant.change.removed, each.mutant.change.added): each for each in results}
    killed = ends[('return "plus"',), ('return "XXplusXX"',)]
    assert (killed.status, killed.killer) == ("killed", "tests/test_made.py::test_sign")
    assert ends[("if number < 0:",), ("if number <= 0:",)].status == "survived"
    assert ends[("number -= 1",), ("number += 1",)].status == "timeout"
    assert ends[("return not flag",), ("return flag",)].status == "no tests"


def test_each_function_has_a_digest_and_its_mutants(told: tuple[Scratch, Clean, list[Result]]) -> None:
    scratch = told[0]
    functions = {"sign", "Counter.__init__", "Counter.add", "unused"}
    assert set(scratch.digests) == {f"oracles.made.{name}" for name in functions}
    assert {each.change.function for each in scratch.mutants} == set(scratch.digests)
    assert scratch.bare == ()
    assert len({each.change for each in scratch.mutants}) == len(scratch.mutants)


def test_the_tree_is_left_as_it_was(tiny: Path, told: tuple[Scratch, Clean, list[Result]]) -> None:
    assert (tiny / "oracles/made.py").read_text(encoding="utf-8") == SOURCE
    assert not told[0].folder.exists()


def test_where_a_test_fails_without_a_mutant_nothing_is_judged(tiny: Path) -> None:
    def break_it(scratch: Scratch) -> None:
        path = scratch.folder / "tests/test_made.py"
        path.write_text(path.read_text(encoding="utf-8") + "\ndef test_broken():\n    assert 0\n", encoding="utf-8")

    _, clean, results = judge(tiny, break_it)
    assert (clean.failed, results) == (("tests/test_made.py::test_broken",), [])


def test_where_the_tests_can_not_be_collected_the_command_says_so(tiny: Path) -> None:
    def break_it(scratch: Scratch) -> None:
        (scratch.folder / "tests/test_made.py").write_text("import nothing_of_that_name\n", encoding="utf-8")

    with pytest.raises(RunError, match="nothing_of_that_name"):
        judge(tiny, break_it)


# The walk


def test_a_mutant_is_walked_beside_the_reader(capfd: pytest.CaptureFixture[str]) -> None:
    """One that only takes longer shows no difference; one that changes a reading shows its shortest output."""
    wrong = Change("oracles.reader.Reader._say", ("self._skippable = False",), ("self._skippable = True",))
    with scratch_copy(ROOT, WALKED, 2) as scratch:
        names = {each.change: each.name for each in scratch.mutants}
        slow = next(change for change in names if change.added == (NO_NEAR,))
        assert walked(ROOT, scratch, names[slow], ["qwen3"]) == 0
        assert re.fullmatch(r"qwen3: no difference on the alphabet, \d+ pairs of states\n", capfd.readouterr().out)
        assert walked(ROOT, scratch, names[wrong], ["qwen3", "kimi_k3"]) == 1
    assert re.search(r"kimi_k3: \['<\|close\|>response<\|sep\|>', 'b'\] then stop: ", capfd.readouterr().out)


@pytest.mark.parametrize("name", ["nothing", "oracles.pieces.x__role__mutmut_1"])
def test_only_a_mutant_of_the_reader_can_be_walked(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--walk", name]) == 2
    assert "no mutant of the specified reader is called so" in capsys.readouterr().err


# The command


def test_what_is_judged_exists_and_what_is_not_has_a_reason() -> None:
    folders = ("oracles", "conformance/checks")
    there = {path.relative_to(ROOT).as_posix() for folder in folders for path in (ROOT / folder).glob("[!_]*.py")}
    assert there <= {*JUDGED_BY, *NOT_JUDGED}
    assert not set(JUDGED_BY) & set(NOT_JUDGED)
    assert all((ROOT / path).is_file() for module, tests in JUDGED_BY.items() for path in (module, *tests))
    assert all(len(reason) > 10 for reason in NOT_JUDGED.values())


def test_another_mutmut_than_the_one_that_is_used_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert needs.missing() == ""
    monkeypatch.setattr(needs.metadata, "version", lambda name: "9.9")
    assert needs.missing().startswith("mutmut 9.9 is installed, and mechanical mutation needs 3.8.1: pip install")

    def absent(name: str) -> str:
        raise needs.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(needs.metadata, "version", absent)
    assert needs.missing().startswith("mutmut is not installed")


def test_a_record_needs_every_mutant_of_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--record", "--skip-listed"]) == 2
    assert "leave --skip-listed out" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_a_number_of_jobs_that_is_none_is_told(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main([f"--jobs={jobs}"])
    assert caught.value.code == 2
    assert "is no number of jobs" in capsys.readouterr().err


@pytest.fixture
def small(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command's tree is the tiny one; its list of equivalents and its record are in a folder of the test's."""
    (tmp_path / "equivalent.toml").write_text("", encoding="utf-8")
    monkeypatch.setattr(command, "EQUIVALENT", tmp_path / "equivalent.toml")
    monkeypatch.setattr(command, "RECORD", tmp_path / "mechanical.json")
    monkeypatch.setattr(command, "JUDGED_BY", JUDGES)
    monkeypatch.setattr(command, "TREE", tiny)
    return tmp_path


def test_the_command_fails_for_survivors_and_writes_the_same_as_data(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--json", str(small / "out.json"), "--only", "oracles.made.sign"]) == 1
    out = capsys.readouterr().out
    assert "SURVIVED  oracles.made.sign" in out
    assert out.splitlines()[-1].startswith("score ")
    assert json.loads((small / "out.json").read_text(encoding="utf-8"))["passed"] is False


def test_the_command_passes_judges_only_what_changed_and_says_where_nothing_did(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--changed"]) == 2
    assert "--record" in capsys.readouterr().err
    assert command.main(["--only", "oracles.made.Counter.__init__"]) == 0
    counts = {"mutants": 1, "killed": 1, "equivalent": 0}
    with scratch_copy(command.TREE, JUDGES, 1) as scratch:
        functions = {name: {"digest": digest, **counts} for name, digest in scratch.digests.items()}
    record = {"mutmut": needs.MUTMUT, "score": 100, "functions": functions}
    (small / "mechanical.json").write_text(json.dumps(record), encoding="utf-8")
    assert command.main(["--changed"]) == 0
    assert "nothing to judge; the recorded score is 100 %" in capsys.readouterr().out
    functions["oracles.made.Counter.__init__"]["digest"] = "another"
    (small / "mechanical.json").write_text(json.dumps(record), encoding="utf-8")
    assert command.main(["--changed"]) == 0
    out = capsys.readouterr().out
    assert "1 of 4 functions differ" in out
    assert "Counter" not in out
    assert "score 100.00 %" in out


def test_the_command_says_where_no_function_is_called_so(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "nothing.*"]) == 2
    assert "no function is called so" in capsys.readouterr().err


def test_the_command_needs_its_list(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small / "equivalent.toml").unlink()
    assert command.main([]) == 2
    assert "can't be read" in capsys.readouterr().err


def test_python_runs_the_package() -> None:
    assert sys.modules["mutants.mechanical.command"].__doc__
