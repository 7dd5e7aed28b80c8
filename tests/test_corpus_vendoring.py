"""Copies of the corpus: written whole or not at all, and every change in one is told by what it changed."""

from __future__ import annotations

import json
import os
from itertools import cycle, islice
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.corpus import vendoring
from conformance.corpus.drift import drift
from conformance.corpus.files import CorpusError, files_in
from conformance.corpus.manifest import manifest_of, read_manifest
from conformance.corpus.vendoring import Vendored, copy, verify
from oracles.dialects import corpora
from tests.small_corpus import CASES, case, cases_file, renew, small_corpus, write


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return small_corpus(tmp_path / "corpora")


@pytest.fixture
def target(corpus: Path, tmp_path: Path) -> Path:
    copy(tmp_path / "vendor" / "corpus", source=corpus)
    return tmp_path / "vendor" / "corpus"


def told(folder: Path, installed: Path) -> list[str]:
    return [str(each) for each in verify(folder, installed)]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in files_in(folder).items()}


# Copying


def test_a_copy_holds_the_corpus_byte_for_byte_and_a_line_about_itself(corpus: Path, target: Path) -> None:
    found = bytes_of(target)
    line = found.pop("VENDORED").decode()
    assert found == bytes_of(corpus)
    assert line.startswith("llm-parser-conformance-corpus 0.1.0, copied from llm-parser-conformance ")
    assert line.count("\n") == 1
    assert told(target, corpus) == []


def test_a_copy_of_some_dialects_has_a_manifest_of_just_these(corpus: Path, tmp_path: Path) -> None:
    copy(tmp_path / "some", ["qwen3"], corpus)
    manifest = read_manifest(tmp_path / "some")
    assert manifest.dialects == ("qwen3",)
    assert set(manifest.cases) == {"qwen3/mine/answered", "qwen3/mine/blank"}
    assert {"README.md", "LICENSE", "schema/cases.schema.json"} <= manifest.files.keys()
    assert not (tmp_path / "some" / "kimi_k3").exists()
    assert told(tmp_path / "some", corpus) == []


def test_the_same_corpus_gives_the_same_copy(corpus: Path, target: Path, tmp_path: Path) -> None:
    copy(tmp_path / "again", source=corpus)
    assert bytes_of(tmp_path / "again") == bytes_of(target)


def test_a_dialect_that_is_not_there_is_told_with_the_nearest(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no dialect is called 'qwen' \(did you mean 'qwen3'\?\)"):
        copy(tmp_path / "some", ["qwen"], corpus)
    assert not (tmp_path / "some").exists()


def test_a_corpus_that_is_not_as_its_manifest_says_is_not_copied(corpus: Path, tmp_path: Path) -> None:
    (corpus / "README.md").write_text("x")
    with pytest.raises(CorpusError, match=r"isn't as its manifest says \(README.md: changed\)"):
        copy(tmp_path / "none", source=corpus)


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json", "VENDORED"])
def test_a_folder_that_holds_something_else_is_left_alone(corpus: Path, tmp_path: Path, name: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / name).write_text("mine")
    with pytest.raises(CorpusError, match="is no copy of the corpus"):
        copy(other, source=corpus)
    assert bytes_of(other) == {name: b"mine"}


def test_a_file_is_no_place_for_a_copy(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CorpusError, match="a file stands there"):
        copy(tmp_path / "file", source=corpus)


def test_an_empty_folder_and_one_that_is_not_there_are_places_for_a_copy(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    copy(tmp_path / "empty", source=corpus)
    copy(tmp_path / "a" / "b", source=corpus)
    assert bytes_of(tmp_path / "empty") == bytes_of(tmp_path / "a" / "b")


def test_an_older_copy_becomes_the_newer_and_what_went_away_goes(corpus: Path, target: Path) -> None:
    (corpus / "kimi_k3" / "mine.json").unlink()
    write(corpus / "qwen3" / "more.json", cases_file("qwen3/more", [case("qwen3/more/a", "a</think>", "a", "")]))
    renew(corpus, version="1.0.0", gone="retire")
    (target / "README.md").write_text("my words")

    done = copy(target, source=corpus)

    assert done.manifest.version == "1.0.0"
    assert done.removed == ("kimi_k3/mine.json",)
    assert done.mended == ("README.md",)
    assert told(target, corpus) == []
    assert {path.name for path in target.parent.iterdir()} == {target.name}


def test_an_older_copy_with_files_of_ones_own_is_left_alone(corpus: Path, target: Path) -> None:
    (target / "mine.md").write_text("mine")
    before = bytes_of(target)
    with pytest.raises(CorpusError, match=r"mine\.md: not of the corpus, and would be lost"):
        copy(target, source=corpus)
    assert bytes_of(target) == before


@pytest.mark.parametrize("failing", [1, 2])
def test_a_copy_that_fails_leaves_what_was_there(
    corpus: Path, target: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """Whichever of the two moves fails, the older copy stands as it was and no scrap beside it."""
    before = bytes_of(target)
    count = 0
    rename = Path.rename

    def breaking(self: Path, to: Path) -> Path:
        nonlocal count
        count += 1
        if count == failing:
            raise OSError(28, "No space left on device")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", breaking)
    with pytest.raises(OSError, match="No space left"):
        copy(target, source=corpus)
    assert bytes_of(target) == before
    assert {path.name for path in target.parent.iterdir()} == {target.name}


def test_a_copy_stopped_while_it_is_written_leaves_nothing(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bytes = Path.write_bytes

    def breaking(self: Path, content: bytes) -> int:
        if self.name == "VENDORED":
            raise KeyboardInterrupt
        return write_bytes(self, content)

    monkeypatch.setattr(Path, "write_bytes", breaking)
    with pytest.raises(KeyboardInterrupt):
        copy(tmp_path / "new", source=corpus)
    assert {path.name for path in tmp_path.iterdir()} == {"corpora"}


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_a_link_to_a_folder_is_followed(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    copy(tmp_path / "link", source=corpus)
    assert (tmp_path / "link").is_symlink()
    assert told(tmp_path / "real", corpus) == []


# Verifying


def test_a_byte_changed_anywhere_in_a_file_of_cases_is_told_by_the_case_it_stands_in(tmp_path: Path) -> None:
    """Every byte; one between two cases may be told of either, or of the file."""
    path = tmp_path / "qwen3" / "mine.json"
    write(path, cases_file("qwen3/mine", CASES["qwen3/mine"]))
    manifest = manifest_of(tmp_path, "1.0.0")
    content = path.read_bytes()
    ids = [each["id"] for each in CASES["qwen3/mine"]]
    starts = [content.index(f'      "id": "{id}"'.encode()) for id in ids]
    ends = [content.index(b"\n    }", start) for start in starts]
    for at in range(len(content)):
        inside = next((id for id, start, end in zip(ids, starts, ends, strict=True) if start < at < end), "")
        other = next(
            each for each in islice(cycle([b"x", b"\xff", b" "]), at % 3, None) if content[at : at + 1] != each
        )
        path.write_bytes(content[:at] + other + content[at + 1 :])
        found = [each.place for each in drift(tmp_path, manifest)]
        assert found, (at, other)
        assert not inside or inside in found, (at, other, found)


def test_a_case_changed_added_or_taken_away_is_told_by_its_id(corpus: Path, target: Path) -> None:
    path = target / "qwen3" / "mine.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["cases"][0]["expected"]["content"] = "Ho"
    data["cases"][1]["id"] = "qwen3/mine/other"
    write(path, data)
    assert told(target, corpus) == [
        "qwen3/mine/answered: changed",
        "qwen3/mine/blank: missing",
        "qwen3/mine/other: not in the manifest",
    ]


def test_other_files_are_told_by_their_paths(corpus: Path, target: Path) -> None:
    (target / "README.md").write_text("x")
    (target / "qwen3" / "dialect.json").unlink()
    (target / "kimi_k3" / "mine.json").unlink()
    (target / "kimi_k3" / "more.json").write_text("{}")
    (target / "notes.txt").write_text("x")
    assert told(target, corpus) == [
        "README.md: changed",
        "kimi_k3/mine.json: missing",
        "qwen3/dialect.json: missing",
        "kimi_k3/more.json: not in the manifest",
        "notes.txt: not in the manifest",
    ]


def test_another_form_with_the_same_values_is_told(corpus: Path, target: Path) -> None:
    path = target / "qwen3" / "mine.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(json.dumps(json.loads(text)), encoding="utf-8")
    assert told(target, corpus) == ["qwen3/mine.json: changed in form; the values are the same"]
    path.write_text(text.replace("Made up.", "Made down."), encoding="utf-8")
    assert told(target, corpus) == ["qwen3/mine.json: changed outside its cases"]


def test_a_manifest_that_was_made_to_fit_a_change_is_told(corpus: Path, target: Path) -> None:
    """By the line beside it, and by the installed corpus of the same version."""
    data = json.loads((target / "qwen3" / "mine.json").read_text(encoding="utf-8"))
    data["cases"][0]["expected"]["content"] = "Ho"
    write(target / "qwen3" / "mine.json", data)
    renew(target)
    assert told(target, corpus) == [
        "manifest.json: changed; it isn't the one that VENDORED names",
        "qwen3/mine/answered: not as in the installed corpus 0.1.0",
    ]


def test_a_line_that_was_made_to_fit_as_well_is_told_by_the_installed_corpus(corpus: Path, target: Path) -> None:
    (target / "README.md").write_text("x")
    renew(target)
    line = Vendored.read(target / "VENDORED")
    assert line is not None
    digest = vendoring.sha256((target / "manifest.json").read_bytes())
    (target / "VENDORED").write_text(str(Vendored(line.version, line.origin, digest)))
    assert told(target, corpus) == ["README.md: not as in the installed corpus 0.1.0"]


def test_an_installed_corpus_of_another_version_has_no_say(corpus: Path, target: Path) -> None:
    (corpus / "README.md").write_text("x")
    renew(corpus, version="9.0.0")
    assert told(target, corpus) == []


@pytest.mark.parametrize(("content", "how"), [("x\n", "changed; it isn't the line"), (None, "missing")])
def test_a_line_that_is_changed_or_gone_is_told(corpus: Path, target: Path, content: str | None, how: str) -> None:
    (target / "VENDORED").unlink()
    if content:
        (target / "VENDORED").write_text(content)
    assert told(target, corpus)[0].startswith(f"VENDORED: {how}")


def test_a_manifest_that_is_gone_or_unreadable_is_told(corpus: Path, target: Path) -> None:
    (target / "manifest.json").write_text("{")
    assert told(target, corpus)[0].startswith("manifest.json: changed")
    (target / "manifest.json").unlink()
    assert told(target, corpus) == ["manifest.json: missing"]


# The commands


def test_the_commands_copy_and_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "corpus")
    assert main(["copy", place, "--dialect", "qwen3", "--dialect", "kimi_k3"]) == 0
    assert f"{place}: version {read_manifest(corpora()).version}, " in capsys.readouterr().out
    assert main(["verify", place]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "nothing drifted" in out
    (tmp_path / "corpus" / "README.md").write_text("x")
    assert main(["verify", place]) == 1
    assert capsys.readouterr().out == "README.md: changed\n"
    assert main(["copy", place]) == 0
    assert "README.md was changed there, and is replaced" in capsys.readouterr().out
    assert main(["verify", place]) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("verify", "none"), "none: no copy of the corpus stands there"),
        (("copy", "out", "--dialect", "qwen4"), "no dialect is called 'qwen4' (did you mean 'qwen3'?)"),
        (("copy", "/proc/none/here"), "name a place that can be read and written"),
        (("copy",), "the following arguments are required: DEST"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(
    words: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1
