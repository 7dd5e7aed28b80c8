"""Facts about what a page makes of reports: runs, states, changes, and the sentence where one can't be used."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from made_reports import every_state, result, told, violation, whole, written

from conformance.checks.catalogue import CHECKS
from conformance.page.changes import changes, pairs
from conformance.page.runs import checks_of, dialects_of, read_runs
from conformance.page.states import SEEN, STATES
from conformance.page.summary import letter, summary
from conformance.report import ReportError


def run_of(path: Path):
    (run,) = read_runs([path])
    return run


def test_every_state_of_an_item_is_told_apart(tmp_path):
    run = run_of(every_state(tmp_path / "r.jsonl"))
    states = {check: run.state("qwen3", check) for check in CHECKS}
    assert states == {
        **dict.fromkeys(CHECKS, "passed"),
        "streamed-equals-split": "failed",
        "whitespace-agrees": "skipped",
        "chunks-do-not-matter": "expected",
        "nothing-lost": "listed",
        "order-kept": "errored",
        "never-raises": "errored",
        "released-at-once": "advice",
        "surfaces-agree": "unnamed",
    }
    assert run.counts("qwen3") == {
        "failed": 1, "errored": 2, "listed": 1, "expected": 1, "advice": 1, "passed": 7, "skipped": 1,
    }  # fmt: skip
    assert run.counts()["passed"] == 7 + 14


def test_a_dialect_that_is_not_named_and_one_that_was_not_asked_differ(tmp_path):
    run = run_of(written(tmp_path / "r.jsonl", whole("qwen3"), [told(dialects=["qwen3", "mistral"])]))
    assert run.state("mistral", "order-kept") == "unasked"
    assert run.state("kimi_k3", "order-kept") == "undeclared"


def test_a_report_that_does_not_say_what_is_declared_is_not_made_to_say_it(tmp_path):
    one = {name: value for name, value in told().items() if name in ("id", "name", "version", "spec")}
    run = run_of(written(tmp_path / "r.jsonl", whole("qwen3"), [one]))
    assert run.state("mistral", "order-kept") == "untold"


def test_a_check_that_a_filtered_run_left_out_was_not_asked(tmp_path):
    run = run_of(written(tmp_path / "r.jsonl", [result("order-kept")], [told(surfaces=["a", "b"])]))
    assert run.state("qwen3", "nothing-lost") == "unasked"
    assert run.state("qwen3", "surfaces-agree") == "unasked"


def test_advice_that_fails_under_strict_is_a_failure(tmp_path):
    strict = result(
        "released-at-once", outcome="advice", standing="failed", advice=violation("released-at-once", level="should")
    )
    assert run_of(written(tmp_path / "r.jsonl", [strict])).state("qwen3", "released-at-once") == "failed"


def test_a_known_crash_is_an_error_and_no_known_failure(tmp_path):
    died = violation("never-raises", kind="died", title="a call that ends the process")
    known = result("never-raises", outcome="fail", standing="expected", reason="it crashes", violation=died)
    assert run_of(written(tmp_path / "r.jsonl", [known])).state("qwen3", "never-raises") == "errored"


@pytest.mark.parametrize(
    ("failure", "state"),
    [("hung", "errored"), ("died", "errored"), ("lost", "errored"), ("raised", "failed"), ("malformed", "failed")],
)
def test_a_call_that_never_answers_is_an_error_and_a_wrong_answer_a_failure(tmp_path, failure, state):
    found = violation("never-raises", failure=failure)
    bad = result("never-raises", outcome="fail", standing="failed", violation=found)
    assert run_of(written(tmp_path / "r.jsonl", [bad])).state("qwen3", "never-raises") == state


def test_states_have_signs_and_letters_of_their_own():
    assert len({state.sign for state in STATES.values() if state.sign.strip()}) == len(
        [state for state in STATES.values() if state.sign.strip()]
    )
    assert len({letter(state) for state in STATES}) == len(STATES)
    assert set(SEEN) <= set(STATES)


def test_runs_stand_by_implementation_and_time_and_the_last_is_the_latest(tmp_path):
    late = written(tmp_path / "a.jsonl", whole("qwen3"), started="2026-11-30T12:00:00+00:00")
    early = written(tmp_path / "b.jsonl", whole("qwen3"), [told(version="0.9")], started="2026-10-01T12:00:00+00:00")
    other = written(tmp_path / "c.jsonl", whole("qwen3", id="Alone"), [told("Alone")])
    runs = read_runs([late, early, other])
    assert [(run.slug, run.latest) for run in runs] == [("Alone-1.0", True), ("mine-0.9", False), ("mine-1.0", True)]


def test_runs_of_one_version_have_links_of_their_own(tmp_path):
    paths = [
        written(tmp_path / f"{hour}.jsonl", whole("qwen3"), started=f"2026-11-30T{hour}:00:00+00:00")
        for hour in ("10", "11", "12")
    ]
    assert [run.slug for run in read_runs(paths)] == [
        "mine-1.0", "mine-1.0-2026-11-30T11-00-00", "mine-1.0-2026-11-30T12-00-00",
    ]  # fmt: skip


def test_names_become_safe_names_of_files(tmp_path):
    name = "../../etc/pass wd"
    run = run_of(written(tmp_path / "r.jsonl", whole("qwen3", id=name), [told(name)]))
    assert run.slug == "etc-pass-wd-1.0"


def test_two_implementations_of_one_report_are_two_runs(tmp_path):
    both = [*whole("qwen3"), *whole("qwen3", id="other")]
    runs = read_runs([written(tmp_path / "r.jsonl", both, [told(), told("other")])])
    assert [run.id for run in runs] == ["mine", "other"]
    assert dialects_of(runs) == ["qwen3"]
    assert checks_of(runs) == [check for check in CHECKS if check != "surfaces-agree"]


def told_error(*paths: Path) -> str:
    with pytest.raises(ReportError) as raised:
        read_runs(list(paths))
    text = str(raised.value)
    assert "\n" not in text
    assert text.endswith(".")
    return text


def test_a_report_that_is_not_whole_is_refused(tmp_path):
    path = written(tmp_path / "r.jsonl", whole("qwen3"), footer=False)
    assert told_error(path).startswith(f"{path} is not whole")


def test_a_report_that_is_given_twice_is_refused(tmp_path):
    one, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    written(one, whole("qwen3"))
    other.write_bytes(one.read_bytes())
    assert told_error(one, other) == f"{other} is the same report as {one}; name it once."
    assert told_error(one, one) == f"{one} is the same report as {one}; name it once."


def test_a_report_without_results_or_without_names_is_refused(tmp_path):
    assert "holds no result" in told_error(written(tmp_path / "a.jsonl", []))
    assert "doesn't name" in told_error(written(tmp_path / "b.jsonl", whole("qwen3", id="other")))
    lacking = {name: value for name, value in told().items() if name != "spec"}
    assert "lacks spec" in told_error(written(tmp_path / "c.jsonl", whole("qwen3"), [lacking]))


def test_a_compressed_report_reads_like_the_plain_one(tmp_path):
    plain = every_state(tmp_path / "r.jsonl")
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert run_of(packed).entries == run_of(plain).entries
    packed.write_bytes(b"\x1f\x8bnothing")
    assert "can't be read" in told_error(packed)


def two(tmp_path: Path, before, after):
    base = written(tmp_path / "a.jsonl", before, [told(version="1.0")], started="2026-10-01T12:00:00+00:00")
    head = written(tmp_path / "b.jsonl", after, [told(version="1.1")], started="2026-11-30T12:00:00+00:00")
    runs = read_runs([base, head])
    ((first, second),) = pairs(runs)
    return changes(first, second)


def failing(check: str, *kinds: str, standing: str = "failed"):
    found = [violation(check, kind=kind, title=f"the kind {kind}") for kind in kinds]
    return result(check, outcome="fail", standing=standing, violation=found[0], others=tuple(found[1:]))


def test_what_broke_and_what_got_fixed_is_told(tmp_path):
    found = two(
        tmp_path,
        [failing("order-kept", "a"), result("nothing-lost"), failing("finish-respected", "a", standing="expected")],
        [result("order-kept"), failing("nothing-lost", "b"), result("finish-respected", standing="listed pass")],
    )
    assert [(one.what, one.check, one.before, one.after) for one in found] == [
        ("broke", "nothing-lost", "passed", "failed"),
        ("fixed", "order-kept", "failed", "passed"),
        ("fixed", "finish-respected", "expected", "listed"),
    ]
    assert found[0].new == ("the kind b",)


def test_other_kinds_of_failure_are_told(tmp_path):
    found = two(
        tmp_path,
        [failing("order-kept", "a"), failing("nothing-lost", "a", "b"), failing("never-raises", "a")],
        [failing("order-kept", "a", "c"), failing("nothing-lost", "b"), failing("never-raises", "d")],
    )
    assert [(one.what, one.check, one.gone, one.new) for one in found] == [
        ("changed", "order-kept", (), ("the kind c",)),
        ("changed", "nothing-lost", ("the kind a",), ()),
        ("changed", "never-raises", ("the kind a",), ("the kind d",)),
    ]


def test_what_came_and_what_went_is_told_and_what_stayed_is_not(tmp_path):
    found = two(
        tmp_path,
        [result("order-kept"), result("nothing-lost"), failing("never-raises", "a")],
        [result("order-kept"), result("order-kept", "mistral"), failing("never-raises", "a", standing="expected")],
    )
    assert [(one.what, one.dialect, one.check) for one in found] == [
        ("appeared", "mistral", "order-kept"), ("vanished", "qwen3", "nothing-lost"),
    ]  # fmt: skip


def test_the_summary_has_a_letter_a_check_in_each_cell(tmp_path):
    found = summary(read_runs([every_state(tmp_path / "r.jsonl")]))
    for run in found["runs"]:
        for cell in run["cells"].values():
            assert len(cell["states"]) == len(found["checks"])
    cell = found["runs"][0]["cells"]["qwen3"]
    assert [found["kinds"][place][0] for place in cell["kinds"]["0"]] == ["second-block", "declined"]
