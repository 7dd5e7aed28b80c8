"""Facts about runs: what pytest collects, shows, writes and exits with, whatever the judge finds."""

import json
import sys
from dataclasses import replace

import pytest

from conformance import judge
from conformance.checks.catalogue import CHECKS
from conformance.report import ReportError, read_report
from conformance.verdicts import Row, Verdict, Violation

ADAPTER = """
name, version = "mine", "1.0"
dialects = {"qwen3", "glm45"}
def split(raw, request, finish): return "", raw
def stream(request): raise NotImplementedError
"""

PATCHED = (
    ADAPTER
    + """
import os
from conformance import judge
from conformance.checks.catalogue import CHECKS
from conformance.verdicts import Verdict

def fake(implementation, dialect, options, progress):
    if os.environ.get("DIES_AT") == dialect:
        os._exit(3)
    with open("sweeps.txt", "a") as file:
        file.write(dialect + chr(10))
    checks = [check for check in CHECKS if options.checks is None or check in options.checks]
    return [Verdict("mine", "1.0", dialect, check, "pass") for check in checks if check != "surfaces-agree"]

judge.judge = fake
"""
)

OK, FAILED, INTERRUPTED, USAGE = 0, 1, 2, 4


def violation(dialect: str, check: str, **other: object) -> Violation:
    rows = (Row("content", "split", "'a'"), Row("content", "stream", "'ab'"))
    made = Violation(
        check, CHECKS[check].level, dialect, True, True, "stop", rows, f"{dialect}:eyJ9", chunks=("T", "</think>"),
        kind="second-block", kind_title="second block", size=(2,),
    )  # fmt: skip
    return replace(made, **other)


class Judge:
    """A judge that finds what it is told to: (dialect, check) to an outcome."""

    def __init__(self) -> None:
        self.outcomes: dict[tuple[str, str], str] = {}
        self.asked: list[tuple[str, judge.Options]] = []
        self.raises: BaseException | None = None

    def verdict(self, implementation, dialect: str, check: str) -> Verdict:
        outcome = self.outcomes.get((dialect, check), "pass")
        found = violation(dialect, check)
        return Verdict(
            implementation.name, implementation.version, dialect, check, outcome,
            found if outcome == "fail" else None, found if outcome == "advice" else None,
            reason="no way to ask" if outcome in ("skip", "unjudged") else "", outputs=5, streams=50,
        )  # fmt: skip

    def __call__(self, implementation, dialect, options, progress) -> list[Verdict]:
        self.asked.append((dialect, options))
        progress(judge.Progress(dialect, "words", 1, 2, 0.5, 0))
        if self.raises is not None:
            raise self.raises
        checks = [check for check in CHECKS if options.checks is None or check in options.checks]
        return [self.verdict(implementation, dialect, check) for check in checks]

    def case(self, implementation, case, options) -> Verdict:
        dialect, check = self.names(case)
        self.asked.append((case, options))
        return self.verdict(implementation, dialect, check)

    @staticmethod
    def names(case: str) -> tuple[str, str]:
        dialect, colon, check = case.partition(":")
        if not colon:
            raise ValueError("a case is dialect:…")
        return dialect, check


@pytest.fixture(autouse=True)
def _no_ci(monkeypatch):
    for name in ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def judged(monkeypatch, pytester):
    stub = Judge()
    monkeypatch.setattr(judge, "judge", stub)
    monkeypatch.setattr(judge, "judge_case", stub.case)
    monkeypatch.setattr(judge, "case_names", stub.names)
    monkeypatch.setattr(judge, "refuse_damaged", lambda implementation, case: None)
    pytester.makepyfile(mine=ADAPTER)
    return stub


def run(pytester, *args: str, code: int = OK) -> pytest.RunResult:
    result = pytester.runpytest_inprocess("--impl=mine", "-p", "no:randomly", *args)
    assert result.ret == code, result.stdout.str() + result.stderr.str()
    return result


def error_of(pytester, *args: str) -> str:
    result = pytester.runpytest_inprocess(*args)
    assert result.ret == USAGE, result.stdout.str()
    assert "INTERNALERROR" not in result.stderr.str() + result.stdout.str()
    lines = [line for line in result.stderr.str().splitlines() if line]
    assert lines[0].startswith("ERROR: ")
    return "\n".join(lines).removeprefix("ERROR: ")


# Without --impl


def test_without_impl_nothing_of_the_suite_is_imported(pytester):
    pytester.makepyfile(
        test_own="""
        import sys
        def test_light():
            assert [name for name in sys.modules if name.startswith("conformance.")] == ["conformance.plugin"]
            assert not [name for name in ("rich", "regex", "oracles") if name in sys.modules]
        """
    )
    pytester.runpytest_subprocess("-p", "no:hypothesispytest").assert_outcomes(passed=1)


def test_without_impl_other_plugins_may_have_options_of_the_same_names(pytester):
    pytester.makeconftest(
        """
        def pytest_addoption(parser):
            parser.addoption("--profile", action="store_true")
            parser.addoption("--seed", action="store_true")
        """
    )
    pytester.makepyfile(test_own="def test(pytestconfig): assert pytestconfig.option.profile is True")
    assert pytester.runpytest_inprocess("--profile", "--seed").ret == OK


@pytest.mark.parametrize(
    "option", ["--fix", "--case=x", "--dialect=qwen3", "--report=x", "--profile=quick", "--in-process"]
)
def test_an_option_of_the_suite_wants_an_implementation(pytester, option):
    name = option.partition("=")[0]
    assert error_of(pytester, option) == f"{name} is about judging an implementation; name one with --impl=MODULE"


def test_help_shows_the_options_once_an_implementation_is_named(pytester):
    assert "--expected-failures" not in pytester.runpytest_inprocess("--help").stdout.str()
    assert "--expected-failures" in pytester.runpytest_inprocess("--impl=x", "--help").stdout.str()


# What is collected


def test_an_item_is_an_implementation_a_dialect_and_a_check(pytester, judged):
    result = run(pytester, "--collect-only", "-q")
    ids = [line for line in result.outlines if "::" in line]
    wanted = [check for check in CHECKS if check != "surfaces-agree"]
    assert ids == [f"mine::{dialect}::{check}" for dialect in ("glm45", "qwen3") for check in wanted]
    assert judged.asked == []


def test_surfaces_are_compared_where_there_are_any(pytester, judged):
    pytester.makepyfile(mine=ADAPTER + "\nsurfaces = ('chat', 'responses')")
    assert "mine::qwen3::surfaces-agree" in run(pytester, "--collect-only", "-q").outlines


def test_a_dialect_is_judged_once_for_all_of_its_items(pytester, judged):
    run(pytester).assert_outcomes(passed=28)
    assert [dialect for dialect, _ in judged.asked] == ["glm45", "qwen3"]
    assert judged.asked[0][1] == judge.Options(checks=None)


def test_dialects_and_checks_can_be_chosen(pytester, judged):
    args = ("--dialect=qwen3, glm45", "--check=order-kept,nothing-lost", "--check=cost-linear")
    run(pytester, *args).assert_outcomes(passed=6)
    assert judged.asked[0][1].checks == frozenset({"order-kept", "nothing-lost", "cost-linear"})


@pytest.mark.parametrize("given", ["-1", "0", "nan", "inf", "soon"])
def test_a_call_may_take_no_time_that_is_none(pytester, given):
    result = run(pytester, f"--hang-after={given}", code=USAGE)
    assert f"--hang-after: '{given}' is no number of seconds" in result.stderr.str()


def test_how_to_judge_is_passed_on(pytester, judged):
    run(pytester, "--profile=quick", "--seed=7", "--hang-after=2.5", "--in-process", "--dialect", "qwen3")
    assert judged.asked == [("qwen3", judge.Options("quick", 7, None, 2.5, in_process=True))]


def test_node_ids_can_be_given_back(pytester, judged):
    result = run(pytester, "mine::qwen3::order-kept", "mine::glm45", "-v")
    result.assert_outcomes(passed=15)
    assert judged.asked[-1][1].checks == frozenset({"order-kept"})
    told = error_of(pytester, "--impl=mine", "mine::qwen3::order-kep")
    assert told == "there is no item mine::qwen3::order-kep (did you mean 'mine::qwen3::order-kept'?)"


def test_pytest_selects_as_ever(pytester, judged):
    run(pytester, "-k", "qwen3 and order").assert_outcomes(passed=1, deselected=27)
    run(pytester, "--deselect", "mine::qwen3").assert_outcomes(passed=14, deselected=14)


def test_implementations_of_one_name_have_ids_of_their_own(pytester, judged):
    pytester.makepyfile(other=ADAPTER)
    result = run(pytester, "--impl=other", "--collect-only", "-q", "--check=order-kept", "--dialect=qwen3")
    assert [line for line in result.outlines if "::" in line] == [
        "mine@mine::qwen3::order-kept",
        "mine@other::qwen3::order-kept",
    ]


def test_an_odd_name_makes_no_odd_id(pytester, judged):
    pytester.makepyfile(mine=ADAPTER.replace('"mine"', '"a/b::c [x] \\x1b"'))
    result = run(pytester, "--check=order-kept", "--dialect=qwen3", "-v")
    result.assert_outcomes(passed=1)
    assert "a-b:c (x) ?::qwen3::order-kept PASSED" in result.stdout.str()


def test_the_suite_runs_alone_in_a_repository_with_tests_of_its_own(pytester, judged):
    pytester.makeini("[pytest]\ntestpaths = tests\naddopts = -ra --mine=3\nfilterwarnings = error\n")
    pytester.mkdir("tests").joinpath("test_own.py").write_text("def test_own(): pass")
    pytester.path.joinpath("tests", "conftest.py").write_text(
        "import pytest\n"
        "def pytest_addoption(parser): parser.addoption('--mine')\n"
        "@pytest.fixture(autouse=True)\n"
        "def always(): yield\n"
    )
    run(pytester, "--dialect", "qwen3", "--check", "order-kept").assert_outcomes(passed=1)
    run(pytester, "--dialect", "qwen3", "--check", "order-kept", "tests").assert_outcomes(passed=2)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_the_order_of_items_is_free(pytester, judged):
    pytester.makeconftest("def pytest_collection_modifyitems(items): items.sort(key=lambda item: item.name)")
    run(pytester).assert_outcomes(passed=28)
    assert len(judged.asked) == 2


def test_the_cache_can_be_off(pytester, judged):
    run(pytester, "-p", "no:cacheprovider", "-p", "no:terminal")


def test_what_failed_last_can_be_run_again(pytester, judged):
    judged.outcomes["qwen3", "order-kept"] = "fail"
    run(pytester, code=FAILED)
    run(pytester, "--lf", code=FAILED).assert_outcomes(failed=1, deselected=27)


# Outcomes


def test_a_violated_must_fails_and_a_should_advises(pytester, judged):
    judged.outcomes = {("qwen3", "order-kept"): "fail", ("qwen3", "released-at-once"): "advice"}
    result = run(pytester, "--dialect=qwen3", code=FAILED)
    result.assert_outcomes(passed=13, failed=1)
    text = result.stdout.str()
    assert "MUST  qwen3  order-kept " in text
    assert "reproduce  pytest --impl=mine --case='qwen3:eyJ9'" in text
    assert "SHOULD" not in text
    assert "advice: nothing fails by it" in text
    assert "FAILED mine::qwen3::order-kept - second block" in text
    assert "Traceback" not in text
    assert "Hypothesis" not in text


def test_strict_makes_advice_fail(pytester, judged):
    judged.outcomes["qwen3", "released-at-once"] = "advice"
    result = run(pytester, "--dialect=qwen3", "--strict", code=FAILED)
    assert "SHOULD  qwen3  released-at-once " in result.stdout.str()


def test_what_cannot_be_asked_is_skipped_with_its_reason(pytester, judged):
    judged.outcomes["qwen3", "memory-bounded"] = "skip"
    result = run(pytester, "-rs")
    result.assert_outcomes(passed=27, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED [[]1[]] mine::qwen3: no way to ask"])


def test_what_is_not_judged_fails_with_its_reason(pytester, judged):
    judged.outcomes["qwen3", "cost-linear"] = "unjudged"
    assert "not judged: no way to ask" in run(pytester, code=FAILED).stdout.str()


def test_a_fault_of_the_suite_is_told_as_one(pytester, judged):
    judged.raises = ValueError("a bug")
    text = run(pytester, "--check=order-kept", "--dialect=qwen3", code=FAILED).stdout.str()
    assert "the suite itself failed: ValueError: a bug" in text
    assert "INTERNALERROR" not in text


def test_a_single_case_is_run_again(pytester, judged):
    judged.outcomes["qwen3", "order-kept"] = "fail"
    run(pytester, "--case=qwen3:order-kept", code=FAILED).assert_outcomes(failed=1)
    assert judged.asked[0][0] == "qwen3:order-kept"
    judged.outcomes["qwen3", "order-kept"] = "pass"
    run(pytester, "--case=qwen3:order-kept").assert_outcomes(passed=1)


def test_a_single_case_shows_its_advice_whole(pytester, judged):
    judged.outcomes["qwen3", "released-at-once"] = "advice"
    text = run(pytester, "--case=qwen3:released-at-once").stdout.str()
    assert "SHOULD  qwen3  released-at-once " in text
    assert "reproduce  pytest" in text


def test_what_an_adapter_prints_in_process_stays_out_of_the_terminal(pytester, judged, monkeypatch):
    def loud(*args):
        print("hello\n" * 1000)
        return judged(*args)

    monkeypatch.setattr(judge, "judge", loud)
    text = run(pytester, "--dialect=qwen3", "--in-process").stdout.str()
    assert "it printed 6,001 characters to stdout, which were kept away: 'hello'" in " ".join(text.split())


def test_with_s_what_an_adapter_prints_in_process_is_for_the_person_at_the_terminal(pytester, judged, monkeypatch):
    def loud(*args):
        print("hello from the adapter")
        return judged(*args)

    monkeypatch.setattr(judge, "judge", loud)
    text = run(pytester, "--dialect=qwen3", "--in-process", "-s").stdout.str()
    assert "hello from the adapter" in text
    assert "kept away" not in text
    assert text.count("hello") == 1


def test_warnings_are_no_errors_for_an_implementation(pytester, judged, monkeypatch):
    def warns(*args):
        import warnings

        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return judged(*args)

    monkeypatch.setattr(judge, "judge", warns)
    run(pytester, "-W", "error").assert_outcomes(passed=28)


def test_junit_holds_the_failure_as_plain_text(pytester, judged):
    judged.outcomes["qwen3", "order-kept"] = "fail"
    run(pytester, "--junitxml=j.xml", "--color=yes", code=FAILED)
    text = pytester.path.joinpath("j.xml").read_text()
    assert 'classname="mine.qwen3" name="order-kept"' in text
    assert """message="second block: content split 'a', stream 'ab'\"""" in text
    assert "MUST  qwen3  order-kept" in text
    assert "[31m" not in text


def test_colours_are_for_terminals_that_want_them(pytester, judged, monkeypatch):
    judged.outcomes["qwen3", "order-kept"] = "fail"
    assert "\x1b[31m\x1b[1mMUST" in run(pytester, "--color=yes", code=FAILED).stdout.str()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run(pytester, code=FAILED).stdout.str()


def test_a_quiet_run_has_no_summary(pytester, judged):
    assert "of judging" in run(pytester, "-q").stdout.str()
    assert "of judging" not in run(pytester, "-qq").stdout.str()


# Expected failures


def test_a_listed_failure_is_expected(pytester, judged):
    judged.outcomes["qwen3", "order-kept"] = "fail"
    pytester.path.joinpath("x").write_text("qwen3::order-kept  # known\n")
    result = run(pytester, "--expected-failures=x", "-rx")
    result.assert_outcomes(passed=27, xfailed=1)
    result.stdout.fnmatch_lines(["XFAIL mine::qwen3::order-kept - known"])


def test_whatever_the_list_has_wrong_fails(pytester, judged):
    judged.outcomes = {("qwen3", "order-kept"): "fail", ("qwen3", "memory-bounded"): "skip"}
    pytester.path.joinpath("x").write_text("qwen3::nothing-lost\nqwen3::memory-bounded\n")
    result = run(pytester, "--expected-failures=x", code=FAILED)
    result.assert_outcomes(passed=25, failed=3)
    text = " ".join(result.stdout.str().split())
    assert "x:1 lists it as an expected failure, but it passes: remove the line, or run with --fix" in text
    assert "x:2 lists it as an expected failure, but it is skipped" in text


def test_fix_makes_the_list_true_and_the_run_pass(pytester, judged):
    judged.outcomes = {("qwen3", "order-kept"): "fail", ("qwen3", "memory-bounded"): "skip"}
    path = pytester.path.joinpath("x")
    path.write_text("# mine\nqwen3::nothing-lost\nqwen3::memory-bounded\n")
    result = run(pytester, "--expected-failures=x", "--fix")
    assert path.read_text() == "# mine\nqwen3::order-kept  # second block: content split 'a', stream 'ab'\n"
    assert "x rewritten: 1 added, 2 dropped" in result.stdout.str()
    run(pytester, "--expected-failures=x").assert_outcomes(passed=26, xfailed=1, skipped=1)
    assert "x is true as it stands" in run(pytester, "--expected-failures=x", "--fix").stdout.str()


def test_fix_makes_a_list_where_there_is_none(pytester, judged):
    judged.outcomes["qwen3", "order-kept"] = "fail"
    run(pytester, "--expected-failures=x", "--fix")
    reason = "second block: content split 'a', stream 'ab'"
    assert pytester.path.joinpath("x").read_text() == f"qwen3::order-kept  # {reason}\n"


def test_fix_leaves_the_list_alone_where_the_suite_failed(pytester, judged):
    judged.raises = ValueError("a bug")
    pytester.path.joinpath("x").write_text("qwen3::order-kept\n")
    text = run(pytester, "--expected-failures=x", "--fix", code=FAILED).stdout.str()
    assert "x is left as it was: the suite itself failed" in text
    assert pytester.path.joinpath("x").read_text() == "qwen3::order-kept\n"


def test_fix_leaves_the_list_alone_where_the_run_stopped(pytester, judged):
    judged.outcomes["glm45", "order-kept"] = "unjudged"
    text = run(pytester, "--expected-failures=x", "--fix", "-x", code=FAILED).stdout.str()
    assert "x is left as it was" in text
    assert not pytester.path.joinpath("x").exists()


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["--dialect=qwen3"], "--dialect"),
        (["--check=order-kept"], "--check"),
        (["--case=qwen3:order-kept"], "--case"),
        (["-k", "qwen3"], "-k"),
        (["-m", "slow"], "-m"),
        (["--deselect", "mine::qwen3"], "--deselect"),
        (["--lf"], "--lf"),
        (["mine::qwen3"], "the ids given"),
    ],
)
def test_fix_wants_a_whole_run(pytester, judged, args, named):
    told = error_of(pytester, "--impl=mine", "--expected-failures=x", "--fix", *args)
    assert told == f"--fix needs a whole run, and {named} would leave items out"


def test_fix_wants_a_whole_run_whoever_deselects(pytester, judged):
    pytester.makeconftest("def pytest_collection_modifyitems(items): del items[3:]")
    result = pytester.runpytest_inprocess("--impl=mine", "--expected-failures=x", "--fix")
    assert result.ret == USAGE
    assert "--fix needs a whole run, and 25 items were deselected" in result.stderr.str()


# Errors before anything runs


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (
            ["--impl=nomine"],
            "--impl=nomine: there is no module 'nomine'; run from the folder that holds it, or install it",
        ),
        (["--impl=mine", "--impl=mine"], "--impl=mine is given twice"),
        (["--impl=mine", "--dialect=qwen4"], "--dialect=qwen4: no dialect is called 'qwen4' (did you mean 'qwen3'?); "),
        (["--impl=mine", "--dialect=mistral"], "nothing is left to judge: mistral with the checks all; mine can be"),
        (["--impl=mine", "--dialect=,"], "--dialect is empty; "),
        (["--impl=mine", "--check=order"], "--check=order: no check is called 'order' (did you mean 'order-kept'?)"),
        (["--impl=mine", "--check=surfaces-agree"], "nothing is left to judge"),
        (["--impl=mine", "--case=odd"], "--case: a case is dialect:…"),
        (["--impl=mine", "--case=qwen4:order-kept"], "--case: no dialect is called 'qwen4' (did you mean 'qwen3'?); "),
        (["--impl=mine", "--case=qwen3:order"], "--case: no check is called 'order' (did you mean 'order-kept'?)"),
        (["--impl=mine", "--case=mistral:order-kept"], "--case is one of mistral, which mine doesn't claim"),
        (
            ["--impl=mine", "--case=qwen3:order-kept", "--dialect=qwen3"],
            "--case names its dialect and its check itself",
        ),
        (["--impl=mine", "--fix"], "--fix rewrites a list of expected failures; name it with --expected-failures FILE"),
        (["--impl=mine", "--expected-failures=no"], "--expected-failures=no: there is no such file; --fix writes it"),
        (["--impl=mine", "--expected-failures=."], "--expected-failures=.: the file can't be read"),
        (
            ["--impl=mine", "--expected-failures=bad"],
            "bad, line 2: qwen3 has no check 'order' (did you mean 'order-kept'?)",
        ),
        (["--impl=mine", "--report=no/r.jsonl"], "--report=no/r.jsonl can't be written: No such file or directory"),
        (["--impl=mine", "--dialect-file=no.json"], "--dialect-file: no.json: there is no such file"),
    ],
)
def test_a_mistake_is_told_before_anything_runs(pytester, judged, args, told):
    pytester.path.joinpath("bad").write_text("\nqwen3::order\n")
    assert error_of(pytester, *args).startswith(told.removesuffix(" or install it"))
    assert judged.asked == []


def test_a_list_is_one_implementations(pytester, judged):
    pytester.makepyfile(other=ADAPTER)
    told = error_of(pytester, "--impl=mine", "--impl=other", "--expected-failures=x", "--fix")
    assert told == "--expected-failures is one implementation's list; give one --impl with it"


def test_a_dialect_file_is_judged_and_named_in_the_reproduction(pytester):
    pytester.makepyfile(mine=PATCHED)
    markers = {"reasoning_open": ["<a>"], "reasoning_close": ["</a>"]}
    pytester.path.joinpath("own.json").write_text(json.dumps({"schema": 1, "id": "own_one", "markers": markers}))
    args = ("--impl=mine", "--dialect-file=own.json", "--check=order-kept", "-v")
    result = pytester.runpytest_subprocess(*args)
    result.assert_outcomes(passed=3)
    assert "mine::own_one::order-kept PASSED" in result.stdout.str()


# Reports and interruptions


def test_a_report_holds_every_item(pytester, judged):
    judged.outcomes["qwen3", "order-kept"] = "fail"
    run(pytester, "--report=r.jsonl", "--profile=quick", code=FAILED)
    report = read_report(pytester.path.joinpath("r.jsonl"))
    (told,) = report.header["implementations"]
    assert told == {
        "id": "mine", "name": "mine", "version": "1.0", "spec": "mine", "language": "Python", "wire": False,
        "dialects": ["glm45", "qwen3"], "chunks": "text", "surfaces": [], "policy": {"glm45": {}, "qwen3": {}},
    }  # fmt: skip
    assert report.header["profile"] == "quick"
    assert len(report.entries) == 28
    assert [entry.id for entry in report.entries if entry.outcome == "failed"] == ["mine::qwen3::order-kept"]


def test_a_run_that_stops_early_leaves_no_whole_report(pytester, judged):
    judged.outcomes["glm45", "order-kept"] = "fail"
    result = run(pytester, "--report=r.jsonl", "-x", code=FAILED)
    assert "the report r.jsonl is not whole" in result.stdout.str()
    with pytest.raises(ReportError, match="is not whole"):
        read_report(pytester.path.joinpath("r.jsonl"))


def test_collecting_alone_writes_no_report(pytester, judged):
    run(pytester, "--report=r.jsonl", "--collect-only")
    assert not pytester.path.joinpath("r.jsonl").exists()


def test_an_interrupted_run_tells_what_it_found(pytester, judged):
    found = Verdict("mine", "1.0", "glm45", "order-kept", "fail", violation("glm45", "order-kept"))
    judged.raises = judge.Interrupted([found])
    result = pytester.runpytest_inprocess("--impl=mine", "--report=r.jsonl")
    assert result.ret == INTERRUPTED
    text = result.stdout.str()
    assert "MUST  glm45  order-kept " in text
    assert "interrupted: this is what was found so far" in text
    assert "the report r.jsonl is not whole" in text
    lines = pytester.path.joinpath("r.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["outcome"] == "failed"


# Under xdist


def xdist(pytester, *args: str) -> pytest.RunResult:
    pytest.importorskip("xdist")
    pytester.makepyfile(mine=PATCHED)
    return pytester.runpytest_subprocess("--impl=mine", "-n2", *args, timeout=120)


@pytest.mark.parametrize("dist", ["load", "loadgroup", "loadfile"])
def test_workers_share_the_dialects_and_not_a_sweep(pytester, dist):
    result = xdist(pytester, "--report=r.jsonl", "--dist", dist)
    result.assert_outcomes(passed=28)
    assert sorted(pytester.path.joinpath("sweeps.txt").read_text().split()) == ["glm45", "qwen3"]
    assert len(read_report(pytester.path.joinpath("r.jsonl")).entries) == 28


def test_a_worker_that_dies_ends_its_dialect_alone(pytester, monkeypatch):
    monkeypatch.setenv("DIES_AT", "qwen3")
    result = xdist(pytester, "--report=r.jsonl", "--expected-failures=x", "--fix")
    result.assert_outcomes(passed=14, failed=1)
    text = " ".join(result.stdout.str().split())
    assert "crashed while running 'mine::qwen3::streamed-equals-split'" in text
    assert "the run is not whole: the worker gw" in text
    assert "x is left as it was" in text
    with pytest.raises(ReportError, match="is not whole"):
        read_report(pytester.path.joinpath("r.jsonl"))


def test_a_worker_that_dies_of_the_last_test_of_ones_own_ends_nothing(pytester):
    pytester.makepyfile(test_own="import os\ndef test_dies(): os._exit(3)\ndef test_lives(): pass")
    xdist(pytester, "test_own.py").assert_outcomes(passed=29, failed=1)


def test_failures_from_workers_have_their_colours(pytester):
    pytest.importorskip("xdist")
    fails = 'Verdict("mine", "1.0", dialect, check, "unjudged", reason=chr(0xd800))'
    pytester.makepyfile(mine=PATCHED.replace('Verdict("mine", "1.0", dialect, check, "pass")', fails))
    args = ("--impl=mine", "-n1", "--color=yes", "--check=order-kept", "--dialect=qwen3")
    text = pytester.runpytest_subprocess(*args).stdout.str()
    assert "\x1b[31m\x1b[1mMUST" in text
    assert r"not judged: \ud800" in text


# Progress


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo terminal")
def test_progress_shows_on_a_terminal_and_leaves_nothing(pytester, monkeypatch):
    import pty

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("PYTHONUTF8", "1")
    slow = "    for i in range(3): progress(judge.Progress(dialect, 'words', i, i, i / 3, 0))\n    checks = ["
    pytester.makepyfile(mine=PATCHED.replace("    checks = [", slow))
    seen = bytearray()

    def read(fd: int) -> bytes:
        import os

        data = os.read(fd, 4096)
        seen.extend(data)
        return b"."

    words = [sys.executable, "-m", "pytest", "--impl=mine", "--dialect=qwen3", "--check=order-kept"]
    pty.spawn(words, read)
    text = bytes(seen).decode(errors="replace")
    assert "qwen3" in text
    assert "streams" in text
    drawn, _, after = text.rpartition("\x1b[2K\x1b8")
    assert "━" in drawn or "─" in drawn
    assert "─" not in after


def test_no_progress_where_there_is_no_terminal(pytester, judged):
    assert "\x1b" not in run(pytester).stdout.str()
