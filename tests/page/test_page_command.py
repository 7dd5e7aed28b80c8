"""Facts about ``conformance page``: what it writes, what it refuses, and that nothing half written stays."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from made_reports import every_state, large, told, whole, written

from conformance import cli
from conformance.page import site as site_module


def error_of(capsys, *words: str | Path) -> str:
    assert cli.main(["page", *map(str, words)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("conformance: ")
    assert error.count("\n") == 1
    return error


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_page_and_its_data_are_written(tmp_path, capsys):
    report = every_state(tmp_path / "r.jsonl")
    assert cli.main(["page", str(report), "-o", str(tmp_path / "site")]) == 0
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'site'}: 1 run, ")
    assert sorted(files_of(tmp_path / "site")) == [
        "data/mine-1.0/mistral.js", "data/mine-1.0/qwen3.js", "index.html",
    ]  # fmt: skip
    assert sorted(os.listdir(tmp_path)) == ["r.jsonl", "site"]
    assert (tmp_path / "site" / "index.html").stat().st_mode & 0o444 == 0o444


def test_an_earlier_page_is_replaced_whole(tmp_path):
    early = written(tmp_path / "a.jsonl", whole("qwen3"), [told(version="0.9")])
    late = every_state(tmp_path / "b.jsonl")
    folder = tmp_path / "site"
    assert cli.main(["page", str(early), "-o", str(folder)]) == 0
    assert cli.main(["page", str(late), "-o", str(folder), "--title", "<Mine> & theirs"]) == 0
    assert not (folder / "data" / "mine-0.9").exists()
    assert "<title>&lt;Mine&gt; &amp; theirs</title>" in (folder / "index.html").read_text(encoding="utf-8")


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "site").mkdir()
    assert cli.main(["page", str(every_state(tmp_path / "r.jsonl")), "-o", str(tmp_path / "site")]) == 0


def test_a_folder_of_other_files_is_left_alone(tmp_path, capsys):
    report = every_state(tmp_path / "r.jsonl")
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text("mine")
    assert "holds other files" in error_of(capsys, report, "-o", folder)
    assert files_of(folder) == {"index.html": b"mine"}


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path, capsys):
    report = every_state(tmp_path / "r.jsonl")
    assert "is a file" in error_of(capsys, report, "-o", report)
    assert report.stat().st_size


def test_a_folder_that_can_not_be_written_is_told(tmp_path, capsys):
    report = every_state(tmp_path / "r.jsonl")
    assert "can't be written" in error_of(capsys, report, "-o", report / "site")


def test_a_page_that_can_not_be_finished_leaves_the_earlier_one(tmp_path, capsys, monkeypatch):
    report = every_state(tmp_path / "r.jsonl")
    folder = tmp_path / "site"
    assert cli.main(["page", str(report), "-o", str(folder)]) == 0
    before = files_of(folder)
    replace = os.replace
    calls = []

    def failing(old, new):
        calls.append(new)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        replace(old, new)

    monkeypatch.setattr(site_module.os, "replace", failing)
    assert "No space left on device" in error_of(capsys, report, "-o", folder)
    assert files_of(folder) == before
    assert sorted(os.listdir(tmp_path)) == ["r.jsonl", "site"]


def test_a_bad_report_writes_nothing(tmp_path, capsys):
    good = every_state(tmp_path / "a.jsonl")
    cut = written(tmp_path / "b.jsonl", whole("qwen3"), footer=False)
    assert "is not whole" in error_of(capsys, good, cut, "-o", tmp_path / "site")
    assert "same report" in error_of(capsys, good, good, "-o", tmp_path / "site")
    assert "can't be read" in error_of(capsys, tmp_path / "none.jsonl", "-o", tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_no_report_and_no_folder_are_told(tmp_path, capsys):
    assert "REPORT" in error_of(capsys, "-o", tmp_path / "site")
    assert "--output" in error_of(capsys, every_state(tmp_path / "r.jsonl"))


def test_a_page_of_fifteen_implementations_is_under_a_megabyte(tmp_path):
    folder = tmp_path / "site"
    assert cli.main(["page", *map(str, large(tmp_path)), "-o", str(folder)]) == 0
    assert (folder / "index.html").stat().st_size < 1_000_000


def test_without_script_the_counts_and_cells_stand_there(tmp_path):
    folder = tmp_path / "site"
    report = written(tmp_path / "r.jsonl", whole("qwen3"), [told(dialects=["qwen3", "mistral"])])
    other = written(tmp_path / "o.jsonl", [*whole("mistral", id="other")], [told("other", dialects=["mistral"])])
    assert cli.main(["page", str(report), str(other), "-o", str(folder)]) == 0
    silent = (folder / "index.html").read_text(encoding="utf-8").partition("<noscript>")[2].partition("</noscript>")[0]
    assert '<th scope="row">mistral</th><td>not asked</td><td>14 passed</td>' in silent
    assert '<th scope="row">qwen3</th><td>14 passed</td><td>not declared</td>' in silent


def test_the_page_names_no_address_outside_itself(tmp_path):
    folder = tmp_path / "site"
    assert cli.main(["page", str(every_state(tmp_path / "r.jsonl")), "-o", str(folder)]) == 0
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"""(?:src|href)=["']?(?!data:)[^"'>]*//""", page) == []
    assert " onclick" not in page
    assert "innerHTML" not in page


def test_the_script_of_the_page_is_sound(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here")
    folder = tmp_path / "site"
    assert cli.main(["page", str(every_state(tmp_path / "r.jsonl")), "-o", str(folder)]) == 0
    script = (folder / "index.html").read_text(encoding="utf-8").rpartition("<script>")[2].partition("</script>")[0]
    (tmp_path / "page.js").write_text(script, encoding="utf-8")
    done = subprocess.run([node, "--check", "page.js"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
