"""Facts about the judging of mutants: what kills them, how, and what is said of those that live."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from made_parser import READER, SMALL, changed, files, write_package

from conformance.checks import CHECKS
from conformance.dialect_files import load_dialect_file
from conformance.mutation.baseline import Baseline, BaselineError, refuse
from conformance.mutation.judging import Asked, Judged
from conformance.mutation.making import Mutant
from conformance.mutation.nearest import UNREACHED
from conformance.mutation.outline import Outline
from conformance.mutation.results import MutantResult
from conformance.mutation.session import Limits, Session
from conformance.profiles import PROFILES
from conformance.settings import Options
from conformance.verdicts import Outcome
from oracles.dialects import REGISTRY

SLOW = {"cost-linear", "memory-bounded", "requests-isolated"}
OPTIONS = Options(profile="quick", checks=frozenset(CHECKS) - SLOW, hang_after=1.0)
"""The checks that have rungs of their own are left out: they take longest."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder from which packages are imported, with the dialect of the made parser known."""
    folder = tmp_path_factory.mktemp("made")
    write_package(folder, "made_right")
    write_package(folder, "made_wrong", WRONG)
    known, quick = dict(vars(REGISTRY)), PROFILES["quick"]
    PROFILES["quick"] = SMALL
    REGISTRY._loaded, REGISTRY._added = {**REGISTRY._loaded}, [*REGISTRY._added]
    REGISTRY.add(load_dialect_file(str(folder / "tags.json")))
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    vars(REGISTRY).update(known)
    PROFILES["quick"] = quick


WRONG = ("        self.release(self.held, deltas)\n        return deltas\n", "        return deltas\n")
"""The stream and the split both lose what was held at the end."""

LISTED = frozenset({"tags::reads-as-declared"})


def session_of(folder: Path, package: str, scratch: Path) -> Session:
    source = folder / package / "reader.py"
    session = Session(Asked(f"{package}.adapter", OPTIONS), str(source), Limits(), scratch, lambda *_: None)
    session.probe()
    session.prepare()
    return session


@pytest.fixture(scope="module")
def right(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, Baseline]:
    """The right parser, judged before anything is mutated."""
    session = session_of(folder, "made_right", tmp_path_factory.mktemp("scratch"))
    return session, session.baseline(["tags"], frozenset())


@pytest.fixture(scope="module")
def wrong(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, Baseline]:
    """The parser that loses text, with what it fails listed."""
    session = session_of(folder, "made_wrong", tmp_path_factory.mktemp("scratch"))
    return session, session.baseline(["tags"], LISTED)


def mutant(old: str, new: str, source: str = READER) -> Mutant:
    """A mutant made by hand: ``old``, which stands in the source once, is ``new``."""
    text = changed(source, (old, new))
    at = source.index(old)
    start, end = (
        (source.count("\n", 0, place) + 1, place - source.rfind("\n", 0, place)) for place in (at, at + len(old))
    )
    lines = Outline(compile(source, "", "exec", 1 << 10), source).lines(start, end)
    return Mutant("made#1", "reader.py", text, start, end, old, new, "made", lines, "")


def judged(session: tuple[Session, Baseline], *change: str) -> MutantResult:
    """What becomes of one mutant of a session."""
    one, baseline = session
    one.results.clear()
    one.interrupted = False
    one.mutants = [mutant(*change)]
    one.run(baseline)
    return one.results["made#1"]


FEED = "        self.held += text\n"


@pytest.mark.parametrize(
    ("old", "new", "killed_by", "reason"),
    [
        (FEED, "        self.held = text\n", "streamed-equals-split", "; --case=tags:"),
        (FEED, "        raise OSError('no')\n", "never-raises", "OSError: no"),
        (FEED, "        self.feed(text)\n", "never-raises", "RecursionError"),
        (FEED, "        return bytearray(1 << 40)\n", "never-raises", "MemoryError"),
        (FEED, "        raise KeyboardInterrupt\n", "never-raises", "KeyboardInterrupt"),
        (FEED, "        raise SystemExit\n", "never-raises", "SystemExit"),
        (FEED, "        __import__('os')._exit(0)\n", "exit", "exit code 0"),
        (FEED, "        __import__('os').abort()\n", "crash", "SIGABRT"),
        ('OPEN, CLOSE = "<t>", "</t>"\n', "OPEN, CLOSE = None\n", "load", "TypeError"),
        ('OPEN, CLOSE = "<t>", "</t>"\n', "OPEN CLOSE\n", "load", "SyntaxError"),
        ('OPEN, CLOSE = "<t>", "</t>"\n', "raise SystemExit\n", "load", "SystemExit"),
    ],
    ids=["fault", "raises", "recursion", "memory", "ctrl-c", "sys.exit", "exit", "crash", "load", "syntax", "leaves"],
)
def test_a_mutant_is_killed_and_it_is_told_by_what(
    right: tuple[Session, Baseline], old: str, new: str, killed_by: str, reason: str
) -> None:
    result = judged(right, old, new)
    assert (result.status, result.killed_by) == ("killed", killed_by)
    assert reason in result.reason


def test_a_mutant_whose_call_does_not_end_is_a_timeout(right: tuple[Session, Baseline]) -> None:
    result = judged(right, FEED, "        while True: pass\n")
    assert (result.status, result.killed_by, result.dialect) == ("timeout", "never-raises", "tags")
    assert "still running after 1 seconds" in result.reason


def test_a_mutant_that_does_not_end_while_it_is_loaded_is_a_timeout(
    right: tuple[Session, Baseline], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.mutation.session.FLOOR", 1.0)
    monkeypatch.setattr("conformance.mutation.session.MULTIPLIER", 0.0)
    result = judged(right, 'OPEN, CLOSE = "<t>", "</t>"\n', "while True: pass\n")
    assert (result.status, result.killed_by) == ("timeout", "hang")


def test_a_mutant_that_forks_and_prints_harms_nothing(
    right: tuple[Session, Baseline], capfd: pytest.CaptureFixture[str]
) -> None:
    """What it forked comes back into the suite, and asks nothing there."""
    noisy = "        import os, sys\n        print('noise')\n        os.write(2, b'noise')\n        self.held = text\n"
    once = "        if sys.__dict__.setdefault('forked', os.getpid()) == os.getpid():\n            os.fork()\n"
    stop = "            sys.forked = 0\n"
    result = judged(right, FEED, f"{noisy}{once}{stop}")
    assert result.status == "killed"
    assert capfd.readouterr() == ("", "")


def test_a_mutant_that_writes_nothing_leaves_the_folder_as_it_was(
    right: tuple[Session, Baseline], folder: Path
) -> None:
    before = files(folder)
    judged(right, FEED, "        self.held = text\n")
    assert files(folder) == before
    assert not [name for name in before if "__pycache__" in name or ".hypothesis" in name]


def test_no_module_of_theirs_is_loaded_into_the_process_that_forks(right: tuple[Session, Baseline]) -> None:
    assert [name for name in sys.modules if name.startswith(("made_right", "made_wrong"))] == []


def test_a_survivor_that_differs_in_nothing_is_perhaps_equivalent(right: tuple[Session, Baseline]) -> None:
    result = judged(right, "range(len(self.mark) - 1, 0, -1)", "range(len(self.mark) + 1, 0, -1)")
    assert (result.status, result.reached, result.killed_by) == ("survived", True, "")
    assert result.reason.startswith("no difference was observed in ")
    assert result.reason.endswith(" outputs: perhaps it is equivalent")
    assert result.words > 100


def test_a_survivor_that_holds_text_too_long_is_nearest_to_a_should(right: tuple[Session, Baseline]) -> None:
    result = judged(right, "            return 0\n", "            return 1\n")
    assert result.status == "survived"
    assert result.reason.startswith("nearest is released-at-once in tags, as a should (")


def test_a_survivor_that_reads_otherwise_where_no_axis_is_declared_is_nearest_to_a_should(
    right: tuple[Session, Baseline],
) -> None:
    """A second block opens again: a reading that the axis reopen would excuse, were it declared so."""
    result = judged(right, "CLOSE if not self.inside else None", "CLOSE if not self.inside else OPEN")
    assert result.status == "survived"
    assert result.reason.startswith("nearest is reads-as-declared in tags, as a should (second block: ")
    assert result.reason.endswith("declaring the axis would make it a must")


def test_a_mutant_that_nothing_executes_is_not_even_tried(right: tuple[Session, Baseline]) -> None:
    result = judged(right, 'text + "!"', 'text - "!"')
    assert (result.status, result.reached, result.reason, result.words) == ("survived", False, UNREACHED, 0)


def baseline_of(session: tuple[Session, Baseline], listed: frozenset[str]) -> Baseline:
    """The baseline of a session with another list."""
    one, baseline = session
    judged = [Judged(seen=tuple(baseline.clean.values()), placed=("reader",))]
    return Baseline.of(one.probed, judged, judged, listed)


def test_what_the_clean_parser_fails_must_be_listed(wrong: tuple[Session, Baseline]) -> None:
    session, baseline = wrong
    judged = [Judged(seen=tuple(baseline.clean.values()), placed=("reader",))]
    refuse(session.probed, judged, LISTED)
    with pytest.raises(BaselineError) as refused:
        refuse(session.probed, judged, frozenset({"tags::nothing-lost"}))
    assert "\n  tags::reads-as-declared  (a marker cut short at the end: " in str(refused.value)
    assert "tags::nothing-lost" not in str(refused.value)
    assert "--expected-failures=FILE --fix" in str(refused.value)


def test_a_source_that_no_import_loads_is_told(right: tuple[Session, Baseline]) -> None:
    one, baseline = right
    judged = [Judged(seen=tuple(baseline.clean.values()))]
    with pytest.raises(BaselineError, match="loaded by other means than an import"):
        Baseline.of(one.probed, judged, judged, frozenset())


WRONG_READER = changed(READER, WRONG)


@pytest.mark.parametrize(
    ("old", "new", "killed_by", "reason"),
    [
        (
            "        deltas = []\n        return deltas\n",
            "        deltas = []\n        self.release(self.held, deltas)\n        return deltas\n",
            "reads-as-declared",
            "a listed failure is now: pass",
        ),
        (
            "        deltas = []\n        return deltas\n",
            "        deltas = []\n        if not self.inside: self.release(self.held, deltas)\n        return deltas\n",
            "reads-as-declared",
            "a listed failure shows by other cases: ",
        ),
        (FEED, "        raise OSError\n", "never-raises", "OSError"),
    ],
    ids=["passes", "other case", "unlisted"],
)
def test_a_listed_failure_that_changes_kills_and_so_does_an_unlisted_one(
    wrong: tuple[Session, Baseline], old: str, new: str, killed_by: str, reason: str
) -> None:
    result = judged(wrong, old, new, WRONG_READER)
    assert (result.status, result.killed_by) == ("killed", killed_by)
    assert result.reason.startswith(reason) or reason in result.reason


def test_a_survivor_whose_results_differ_where_some_failed_before_is_told(wrong: tuple[Session, Baseline]) -> None:
    """Half of what was lost arrives; the smallest case of what is listed fails as it did."""
    old = "        deltas = []\n        return deltas\n"
    new = "        deltas = []\n        if self.inside: self.release(self.held, deltas)\n        return deltas\n"
    result = judged(wrong, old, new, WRONG_READER)
    assert result.status == "survived"
    assert result.reason.startswith(
        "nearest is reads-as-declared in tags: some messages differ, all in outputs of kinds"
    )


def test_a_listed_failure_that_stays_as_it_is_kills_nothing(wrong: tuple[Session, Baseline]) -> None:
    result = judged(wrong, "range(len(self.mark) - 1, 0, -1)", "range(len(self.mark) + 1, 0, -1)", WRONG_READER)
    assert result.status == "survived"


def test_a_listed_item_that_passes_is_not_held_against_the_clean_parser(right: tuple[Session, Baseline]) -> None:
    baseline = baseline_of(right, frozenset({"tags::order-kept"}))
    assert baseline.passing == ("tags::order-kept",)
    assert baseline.listed == {"tags": frozenset()}


@pytest.mark.parametrize("outcome", ["pass", "fail"])
def test_a_listed_check_that_measures_tells_nothing_whether_it_passed_or_not(
    right: tuple[Session, Baseline], outcome: Outcome
) -> None:
    session, baseline = right
    clean = baseline.clean["tags"]
    judged = [Judged(seen=(replace(clean, outcomes={**clean.outcomes, "cost-linear": outcome}),), placed=("reader",))]
    made = Baseline.of(session.probed, judged, judged, frozenset({"tags::cost-linear"}))
    assert (made.listed["tags"], made.compared["tags"]) == ({"cost-linear"}, frozenset())
    assert made.passing == ()


def test_an_interrupted_run_keeps_what_it_has(right: tuple[Session, Baseline]) -> None:
    session, baseline = right
    session.results.clear()
    session.prepare()

    def interrupt(what: str, done: int, of: int) -> None:
        if what == "judging mutants" and done > 12:
            raise KeyboardInterrupt

    session.tell, before = interrupt, session.tell
    try:
        session.run(baseline)
    finally:
        session.tell = before
    run = session.outcome(["tags"])
    assert (run.complete, len(run.results)) == (False, len(session.mutants))
    assert run.score.killed > 0
    assert {one.reason for one in run.results if one.status == "not tried"} == {"the run was interrupted"}
    session.interrupted = False


def test_what_is_not_tried_is_told(right: tuple[Session, Baseline]) -> None:
    session, baseline = right
    session.results.clear()
    session.prepare()
    session.limits = Limits(most=12, seconds=0.0)
    session.run(baseline)
    session.limits = Limits()
    run = session.outcome(["tags"])
    reasons = [one.reason for one in run.results if one.status == "not tried"]
    assert reasons.count("left out by --max") == len(session.mutants) - 12
    assert reasons.count("--time was over") == 12 - run.score.unreached
