"""Every check bites: for each wrong reader, the check that was made for it finds the fault in the quick profile."""

import pytest
from readers.adapter import RIGHT
from readers.judging import judged
from readers.wrong import WRONG, Wrong

from conformance.checks import CHECKS
from conformance.judge import Interrupted, Progress
from conformance.verdicts import Verdict


class Found(KeyboardInterrupt):
    """A must is violated: there is no need to go on."""


def until_found(progress: Progress) -> None:
    if progress.failed:
        raise Found


def verdict_on(wrong: Wrong) -> Verdict:
    """The verdict of the check that was made for a wrong reader. The sweep ends where the fault is found."""
    try:
        verdicts = judged(wrong.adapter, wrong.dialect, {wrong.check}, progress=until_found)
    except Interrupted as ended:
        verdicts = ended.verdicts
    return next(verdict for verdict in verdicts if verdict.check == wrong.check)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong.check}-{wrong.adapter.name}")
def test_the_check_made_for_a_wrong_reader_finds_its_fault(wrong: Wrong) -> None:
    verdict = verdict_on(wrong)
    assert verdict.outcome == ("fail" if wrong.level == "must" else "advice"), verdict.reason
    violation = verdict.violation if wrong.level == "must" else verdict.advice
    assert violation is not None
    assert (violation.check, violation.dialect, violation.level) == (wrong.check, wrong.dialect, wrong.level)


def test_every_check_has_a_wrong_reader() -> None:
    assert {wrong.check for wrong in WRONG} == set(CHECKS)


def test_wrong_readers_are_told_apart_by_check_and_name() -> None:
    assert len({(wrong.check, wrong.adapter.name) for wrong in WRONG}) == len(WRONG)


@pytest.mark.parametrize("dialect", ["qwen3", "kimi_k3"])
def test_the_reader_that_they_are_made_from_is_right(dialect: str) -> None:
    assert {verdict.outcome for verdict in judged(RIGHT, dialect)} == {"pass"}
