"""Facts about reports of mutation scores."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from conformance.mutation.badges import badge_json
from conformance.mutation.elements import elements_html, elements_json
from conformance.mutation.markdown import summary_markdown
from conformance.mutation.reports import ReportsError, viewer, write_reports
from conformance.mutation.results import STATUSES, MutantResult, MutationRun, Score, Status
from conformance.mutation.scores import score_json
from oracles.dialects import corpora

SOURCE = "def split(raw):\n    return raw == '|</script>'\n"
SCORE_SCHEMA = json.loads((corpora() / "schema" / "score.schema.json").read_text(encoding="utf-8"))
ELEMENTS_SCHEMA = os.environ.get("CONFORMANCE_ELEMENTS_SCHEMA", "")


def result(id: str, status: Status, **more: object) -> MutantResult:
    made = MutantResult(
        id=id,
        description="== to !=",
        file="mypkg/reader.py",
        start=(2, 16),
        end=(2, 18),
        replacement="!=",
        original="==",
        diff="-==\n+!=\n",
        function="split",
        status=status,
    )
    return replace(made, **more)


EVERY = (
    result("1", "killed", killed_by="streamed-equals-split", dialect="qwen3", reason="content differs", seconds=0.25),
    result("2", "timeout", killed_by="hang", reason="it ran into the limit of 12 seconds"),
    result("3", "survived", reason="no difference | was observed", replacement="'|`</script>'", end=(2, 16)),
    result("4", "equivalent", reason="either value acts the same"),
    result("5", "not tried", reason="--time was over"),
    result("6", "survived", reason="nothing comes by", reached=False),
)
RUN = MutationRun("mutmut", "3.8.1", "mypkg", "1.2", {"mypkg/reader.py": SOURCE}, EVERY, 12.3456, dialects=("qwen3",))


def test_a_score_counts_every_status() -> None:
    assert {one.status for one in EVERY} == set(STATUSES)
    assert RUN.score == Score(killed=1, survived=2, timeout=1, equivalent=1, not_tried=1, unreached=1)
    assert (RUN.score.detected, RUN.score.judged, RUN.score.total) == (2, 4, 6)


@pytest.mark.parametrize(
    ("score", "percent"),
    [
        (Score(killed=1, timeout=1, survived=1), 66.7),
        (Score(killed=7, equivalent=2, not_tried=9), 100.0),
        (Score(killed=9_999, survived=1), 99.9),
        (Score(survived=2), 0.0),
        (Score(equivalent=3, not_tried=1), None),
    ],
)
def test_the_percentage_is_of_what_was_judged_and_never_rounds_a_survivor_away(
    score: Score, percent: float | None
) -> None:
    assert score.percent == percent


def test_survivors_come_in_the_order_of_the_source() -> None:
    later, sooner = result("a", "survived", start=(9, 1), end=(9, 2)), result("b", "survived")
    assert [one.id for one in replace(RUN, results=(later, *EVERY[:2], sooner)).survivors] == ["b", "a"]


def test_the_schema_of_scores_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCORE_SCHEMA)


@pytest.mark.parametrize("run", [RUN, replace(RUN, results=(), complete=False)], ids=["whole", "nothing judged"])
def test_a_score_satisfies_its_schema(run: MutationRun) -> None:
    jsonschema.validate(score_json(run), SCORE_SCHEMA)


def test_a_score_says_what_it_is_of() -> None:
    told = score_json(RUN)
    assert told["counts"] == {
        "killed": 1, "timeout": 1, "survived": 2, "equivalent": 1, "not_tried": 1, "unreached": 1, "total": 6,
    }  # fmt: skip
    assert (told["percent"], told["percent_reached"], told["complete"], told["seconds"]) == (50.0, 66.7, True, 12.346)
    assert told["implementation"] == {"name": "mypkg", "version": "1.2"}


@pytest.mark.skipif(not ELEMENTS_SCHEMA, reason="CONFORMANCE_ELEMENTS_SCHEMA names no mutation-testing-report-schema")
def test_the_elements_report_satisfies_its_schema() -> None:
    jsonschema.validate(elements_json(RUN), json.loads(Path(ELEMENTS_SCHEMA).read_text(encoding="utf-8")))


def test_the_elements_report_has_a_place_a_status_and_a_killer_for_each_mutant() -> None:
    told = elements_json(RUN)
    mutants = told["files"]["mypkg/reader.py"]["mutants"]
    assert told["files"]["mypkg/reader.py"]["source"] == SOURCE
    assert [one["status"] for one in mutants] == ["Killed", "Timeout", "Survived", "Ignored", "Pending", "NoCoverage"]
    assert mutants[0]["location"] == {"start": {"line": 2, "column": 16}, "end": {"line": 2, "column": 18}}
    tests = {test["id"] for test in told["testFiles"]["checks"]["tests"]}
    assert (
        tests == {killer for one in mutants for killer in one.get("killedBy", ())} == {"hang", RUN.results[0].killed_by}
    )
    assert mutants[3]["statusReason"] == "equivalent: either value acts the same"


def test_a_mutant_that_only_inserts_still_has_a_width_in_the_viewer() -> None:
    place = elements_json(RUN)["files"]["mypkg/reader.py"]["mutants"][2]["location"]
    assert place == {"start": {"line": 2, "column": 16}, "end": {"line": 2, "column": 17}}


def test_the_page_ends_no_script_before_its_end() -> None:
    """Neither the viewer's text nor a source that holds the tag does."""
    page = elements_html(RUN, "const tag = '</script>';")
    assert page.count("</script>") == 2
    data = page.partition(".report = ")[2].partition(";</script>")[0]
    assert json.loads(data) == elements_json(RUN)


def test_the_summary_is_a_table_that_no_cell_breaks() -> None:
    told = summary_markdown(RUN)
    assert "mutation score 50 %" in told
    assert "of the others 66.7 % are caught" in told
    rows = [line for line in told.splitlines() if line.startswith("| mypkg/reader.py")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 5


def test_the_summary_says_that_a_run_is_not_complete() -> None:
    assert "Not complete" not in summary_markdown(RUN)
    assert "Not complete" in summary_markdown(replace(RUN, complete=False))


@pytest.mark.parametrize(
    ("run", "message", "colour"),
    [
        (RUN, "50 %", "orange"),
        (replace(RUN, results=EVERY[:2]), "100 %", "brightgreen"),
        (replace(RUN, results=EVERY[:2], complete=False), "100 % (not complete)", "lightgrey"),
        (replace(RUN, results=EVERY[3:5]), "nothing judged", "lightgrey"),
    ],
)
def test_a_badge_is_what_shields_reads(run: MutationRun, message: str, colour: str) -> None:
    assert badge_json(run) == {"schemaVersion": 1, "label": "mutation score", "message": message, "color": colour}


def test_the_page_is_written_where_its_viewer_is_at_hand(tmp_path: Path) -> None:
    written = write_reports(RUN, tmp_path / "new" / "folder", "viewer()")
    assert sorted(path.name for path in written) == sorted(path.name for path in (tmp_path / "new/folder").iterdir())
    assert {path.name for path in written} == {
        "score.json", "mutation.json", "mutation.html", "summary.md", "badge.json",
    }  # fmt: skip
    assert json.loads((tmp_path / "new/folder/score.json").read_text()) == score_json(RUN)


def test_a_page_of_an_earlier_run_does_not_stand_beside_this_ones_reports(tmp_path: Path) -> None:
    write_reports(RUN, tmp_path, "viewer()")
    write_reports(RUN, tmp_path, None)
    assert not (tmp_path / "mutation.html").exists()


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_reports(RUN, tmp_path, None)
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ReportsError, match="No space left on device"):
        write_reports(replace(RUN, complete=False), tmp_path, None)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ReportsError, match="name another folder"):
        write_reports(RUN, tmp_path / "taken", None)


def test_a_viewer_that_is_named_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert viewer() is None
    with pytest.raises(ReportsError, match="No such file"):
        viewer("none.js")


def test_the_viewer_that_npm_installed_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "node_modules" / "mutation-testing-elements" / "dist" / "mutation-test-elements.js"
    script.parent.mkdir(parents=True)
    script.write_text("viewer()")
    assert viewer() == "viewer()"
