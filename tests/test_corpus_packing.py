"""The corpus as an archive and as an npm package, and what is told of two versions of it."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.corpus.changes import changes
from conformance.corpus.files import CorpusError, files_in
from conformance.corpus.inspection import inspect
from conformance.corpus.packing import npm, pack
from conformance.corpus.vendoring import contents, copy, verify
from tests.small_corpus import CASES, case, cases_file, renew, small_corpus, write

TOP = "llm-parser-conformance-corpus-0.1.0"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return small_corpus(tmp_path / "corpora")


# Archives


@pytest.mark.parametrize("name", ["a.tar.gz", "a.zip"])
def test_an_archive_is_the_same_to_the_byte_whenever_and_by_whomever_it_is_made(
    corpus: Path, tmp_path: Path, name: str
) -> None:
    first, _ = pack(tmp_path / name, corpus)
    content = first.read_bytes()
    for path in files_in(corpus).values():
        os.utime(path, (1, 1))
        path.chmod(0o600)
    assert pack(tmp_path / f"other-{name}", corpus)[0].read_bytes() == content


@pytest.mark.parametrize("name", ["a.tar.gz", "a.zip"])
def test_an_archive_unpacks_to_a_copy_of_the_corpus(corpus: Path, tmp_path: Path, name: str) -> None:
    path, files = pack(tmp_path / name, corpus)
    if name.endswith("zip"):
        zipfile.ZipFile(path).extractall(tmp_path / "out")
    else:
        with tarfile.open(path) as archive:
            archive.extractall(tmp_path / "out", filter="data")
    assert [each.name for each in (tmp_path / "out").iterdir()] == [TOP]
    found = {name: each.read_bytes() for name, each in files_in(tmp_path / "out" / TOP).items()}
    assert found == files == contents(corpus)
    assert verify(tmp_path / "out" / TOP, corpus) == []


def test_a_tar_archive_tells_no_time_no_owner_and_one_mode(corpus: Path, tmp_path: Path) -> None:
    path, _ = pack(tmp_path / "a.tar.gz", corpus)
    assert path.read_bytes()[4:8] == bytes(4)  # the time of the gzip header
    assert path.read_bytes()[3] & 0b1000 == 0  # no name in it
    with tarfile.open(path) as archive:
        members = archive.getmembers()
    assert [member.name for member in members] == sorted(member.name for member in members)
    told = {(each.mtime, each.uid, each.gid, each.uname, each.gname, each.mode) for each in members}
    assert told == {(0, 0, 0, "", "", 0o644)}
    assert gzip.decompress(path.read_bytes())


def test_the_command_packs_under_the_name_and_version(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["corpus", "pack", str(corpus)]) == 0
    assert f"{TOP}.tar.gz: " in capsys.readouterr().out
    assert (tmp_path / f"{TOP}.tar.gz").is_file()
    assert main(["corpus", "pack", str(corpus), "-o", "corpus.rar"]) == 2
    assert "let its name end in .tar.gz or .zip" in capsys.readouterr().err


# npm


def test_an_npm_package_holds_the_data_and_no_code(corpus: Path, tmp_path: Path) -> None:
    npm(tmp_path / "package", corpus)
    package = json.loads((tmp_path / "package" / "package.json").read_text(encoding="utf-8"))
    assert (package["name"], package["version"]) == ("llm-parser-conformance-corpus", "0.1.0")
    assert not {"scripts", "main", "bin", "dependencies"} & package.keys()
    assert {Path(name).suffix for name in files_in(tmp_path / "package")} <= {".json", ".md", ""}
    assert verify(tmp_path / "package", corpus) == []
    assert inspect(tmp_path / "package") == []


def test_an_npm_package_is_renewed_and_no_plain_copy_takes_its_place(corpus: Path, tmp_path: Path) -> None:
    npm(tmp_path / "package", corpus)
    npm(tmp_path / "package", corpus)
    with pytest.raises(CorpusError, match=r"package\.json: not of the corpus"):
        copy(tmp_path / "package", source=corpus)


@pytest.mark.skipif(not shutil.which("npm"), reason="npm isn't installed")
def test_npm_packs_every_file_and_nothing_else(tmp_path: Path) -> None:
    assert main(["corpus", "npm", str(tmp_path / "package")]) == 0
    quiet = ["--offline", "--cache", str(tmp_path / "cache"), "--pack-destination", str(tmp_path)]
    npm_ = str(shutil.which("npm"))
    done = subprocess.run([npm_, "pack", *quiet], cwd=tmp_path / "package", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with tarfile.open(next(tmp_path.glob("*.tgz"))) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    assert names == set(files_in(tmp_path / "package"))


# Changes


@pytest.fixture
def newer(corpus: Path, tmp_path: Path) -> Path:
    shutil.copytree(corpus, tmp_path / "newer")
    return tmp_path / "newer"


def told(old: Path, new: Path) -> list[str]:
    return [" ".join(str(change).split()) for change in changes(old, new)]


def mine(cases: list[dict[str, Any]], folder: Path, **how: Any) -> None:
    write(folder / "qwen3" / "mine.json", cases_file("qwen3/mine", cases))
    renew(folder, **how)


def test_nothing_changed_between_a_corpus_and_itself(corpus: Path, newer: Path) -> None:
    assert told(corpus, newer) == []


def test_new_cases_and_better_words_break_no_promise(corpus: Path, newer: Path) -> None:
    first, second = CASES["qwen3/mine"]
    mine(
        [{**first, "description": "Better words."}, second, case("qwen3/mine/c", "c", "c", "")], newer, version="0.1.1"
    )
    assert told(corpus, newer) == ["changed qwen3/mine/answered", "new qwen3/mine/c"]


def test_another_notation_of_the_same_text_breaks_no_promise(corpus: Path, newer: Path) -> None:
    first, second = CASES["qwen3/mine"]
    mine([{**first, "raw": ["pla", ["n", 1], "</think>Hi"]}, second], newer, version="0.1.1")
    assert told(corpus, newer) == ["changed qwen3/mine/answered"]


@pytest.mark.parametrize("key", ["raw", "finish", "request", "expected"])
def test_another_question_under_an_old_id_is_told(corpus: Path, newer: Path, key: str) -> None:
    first, second = CASES["qwen3/mine"]
    message = {"reasoning": "", "content": ""}
    other = {"raw": "x", "finish": "length", "request": {"opened": False, "thinking": True}, "expected": message}
    mine([{**first, key: other[key]}, second], newer, version="0.1.1")
    assert "give it a new id" in told(corpus, newer)[0]


def test_a_case_that_is_gone_wants_to_be_retired_and_the_version_to_grow(corpus: Path, newer: Path) -> None:
    mine(CASES["qwen3/mine"][:1], newer, gone="forget", version="0.2.0")
    assert told(corpus, newer) == ["gone qwen3/mine/blank: it isn't retired"]
    shutil.copy(corpus / "manifest.json", newer / "manifest.json")
    renew(newer, gone="retire", version="0.1.1")
    assert told(corpus, newer) == [
        "retired qwen3/mine/blank",
        "changed manifest.json: the version is 0.1.1 and wants to be 0.2.0 at least",
    ]
    renew(newer, version="0.2.0")
    assert told(corpus, newer) == ["retired qwen3/mine/blank"]


def test_new_cases_want_the_second_number_to_grow_from_1_0_0_on(corpus: Path, newer: Path) -> None:
    renew(corpus, version="1.0.0")
    mine([*CASES["qwen3/mine"], case("qwen3/mine/c", "c", "c", "")], newer, version="1.0.1")
    assert "wants to be 1.1.0 at least" in told(corpus, newer)[-1]


def test_the_command_exits_with_1_where_a_promise_broke(
    corpus: Path, newer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["corpus", "changes", str(corpus), str(newer)]) == 0
    assert "nothing changed" in capsys.readouterr().out
    mine(CASES["qwen3/mine"][:1], newer, gone="forget", version="0.2.0")
    assert main(["corpus", "changes", str(corpus), str(newer)]) == 1
    assert "qwen3/mine/blank: it isn't retired" in capsys.readouterr().out
