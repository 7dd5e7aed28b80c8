"""The corpus as a whole: its manifest, the form of its files, and the rules that hold for all of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.cli import main
from conformance.corpus.files import CorpusError, corpus_files, digest, files_in
from conformance.corpus.formatting import formatted, unformatted
from conformance.corpus.inspection import inspect
from conformance.corpus.manifest import Manifest, manifest_from, manifest_of, read_manifest, renewed
from oracles.dialects import corpora
from tests.small_corpus import CASES, case, cases_file, renew, small_corpus, write

ROOT = Path(__file__).parent.parent
SCHEMA = json.loads((corpora() / "schema" / "manifest.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return small_corpus(tmp_path / "corpora")


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# Ours


def test_the_corpus_breaks_no_rule_and_its_manifest_is_up_to_date() -> None:
    """What single cases say is held elsewhere, dialect by dialect. Where it fails: `conformance corpus manifest`."""
    assert list(map(str, inspect(corpora()))) == []


def test_every_file_of_the_corpus_is_in_the_manifest_and_no_other() -> None:
    manifest = read_manifest(corpora())
    assert list(manifest.files) == [name for name in files_in(corpora()) if name != "manifest.json"]
    assert sum(entry.cases or 0 for entry in manifest.files.values()) == len(manifest.cases)


def test_the_licence_of_the_corpus_is_that_of_the_project() -> None:
    assert (corpora() / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_schema_of_manifests_is_a_schema_and_describes_every_property() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert [name for name, told in SCHEMA["properties"].items() if "description" not in told and name != "files"] == []


# A manifest


def test_a_manifest_is_sorted_and_the_same_whenever_it_is_made(corpus: Path) -> None:
    text = (corpus / "manifest.json").read_text(encoding="utf-8")
    data = json.loads(text)
    assert renewed(corpus).text() == text
    assert list(data["files"]) == sorted(data["files"])
    assert list(data["cases"]) == sorted(data["cases"])
    assert data["files"]["qwen3/mine.json"]["cases"] == 2
    assert Draft202012Validator(SCHEMA).is_valid(data)
    assert manifest_from(text.encode(), "it") == manifest_of(corpus, data["version"])


def test_a_digest_is_that_of_the_canonical_json() -> None:
    """That of: printf '{"a":"é","b":1}' | sha256sum."""
    assert digest({"b": 1, "a": "é"}) == "aa58fba8483623be"


def test_the_order_of_keys_changes_no_digest_and_every_value_does(corpus: Path) -> None:
    one = CASES["qwen3/mine"][0]
    assert digest(dict(reversed(one.items()))) == digest(one)
    assert len({digest({**one, key: "x"}) for key in one}) == len(one)


def test_ids_that_are_gone_are_retired_or_forgotten_as_one_says(corpus: Path) -> None:
    write(corpus / "qwen3" / "mine.json", cases_file("qwen3/mine", CASES["qwen3/mine"][:1]))
    with pytest.raises(CorpusError, match="qwen3/mine/blank: the case is gone; say --retire, or --forget"):
        renewed(corpus)
    assert renewed(corpus, gone="retire").retired == ("qwen3/mine/blank",)
    assert renewed(corpus, gone="forget").retired == ()


def test_a_retired_id_stays_retired_and_is_never_given_again(corpus: Path) -> None:
    write(corpus / "qwen3" / "mine.json", cases_file("qwen3/mine", CASES["qwen3/mine"][:1]))
    renew(corpus, gone="retire")
    assert renewed(corpus, version="2.0.0").retired == ("qwen3/mine/blank",)

    write(corpus / "qwen3" / "mine.json", cases_file("qwen3/mine", CASES["qwen3/mine"]))
    with pytest.raises(CorpusError, match="a retired id is used again"):
        renewed(corpus)
    assert any("qwen3/mine/blank: not in the manifest" in str(each) for each in inspect(corpus))


def test_a_restricted_manifest_has_the_documents_the_schemas_and_those_dialects() -> None:
    whole = Manifest(
        "1.0.0", dict.fromkeys(["README.md", "a/x.json", "b/x.json"]), {"a/x/1": "", "b/x/1": ""}, ("b/x/2",)
    )  # type: ignore[arg-type]
    some = whole.restricted(["a"])
    assert (list(some.files), list(some.cases), some.retired) == (["README.md", "a/x.json"], ["a/x/1"], ())
    assert (whole.dialects, some.dialects) == (("a", "b"), ("a",))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "not JSON at line 1"),
        (b"\xff", "not UTF-8"),
        (b"[]", "no manifest at"),
        (b'{"schema": 2}', "no manifest at"),
        (b'{"a": 1, "a": 2}', "'a' stands twice"),
        (b'{"a": NaN}', "NaN is no number"),
    ],
)
def test_what_is_no_manifest_is_refused(content: bytes, told: str) -> None:
    with pytest.raises(CorpusError, match=told):
        manifest_from(content, "manifest.json")


def test_a_version_is_three_numbers(corpus: Path) -> None:
    with pytest.raises(CorpusError, match="'1' is no version"):
        renewed(corpus, version="1")


# The form


def test_keys_stand_in_the_order_of_the_schema_in_every_object() -> None:
    data = cases_file("qwen3/mine", [case("qwen3/mine/a", "b", "c", "d")])
    data["cases"][0]["policies"] = [
        {"expected": {"content": "", "reasoning": ""}, "policy": {"off": "text", "reopen": "text"}}
    ]
    text = formatted("qwen3/mine.json", dict(reversed(data.items())))
    read = json.loads(text)
    assert list(read) == list(data)
    assert list(read["cases"][0]["policies"][0]) == ["policy", "expected"]
    assert list(read["cases"][0]["policies"][0]["policy"]) == ["reopen", "off"]
    assert list(read["cases"][0]["policies"][0]["expected"]) == ["reasoning", "content"]
    assert formatted("qwen3/mine.json", read) == text


@pytest.mark.parametrize("changed", ["{0}\n", "\ufeff{0}", "{0} "])
def test_another_form_is_told_and_mended(corpus: Path, changed: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = corpus / "qwen3" / "dialect.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(changed.format(text), encoding="utf-8")
    if changed.startswith("\ufeff"):
        with pytest.raises(CorpusError, match="not JSON"):
            list(unformatted(corpus))
        return
    assert main(["corpus", "format", "--check", str(corpus)]) == 1
    assert path.read_text(encoding="utf-8") == changed.format(text)
    assert main(["corpus", "format", str(corpus)]) == 0
    assert path.read_text(encoding="utf-8") == text
    assert main(["corpus", "format", "--check", str(corpus)]) == 0
    assert "every file is in form" in capsys.readouterr().out


def test_line_ends_of_another_system_are_another_form(corpus: Path) -> None:
    path = corpus / "qwen3" / "mine.json"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert [name for name, _ in unformatted(corpus)] == [path]


# The rules


MINE, DIALECT = "qwen3/mine.json", "qwen3/dialect.json"
BROKEN: dict[str, tuple[Any, str]] = {
    "a file of another kind": (lambda at: (at / "notes.txt").write_text("x"), "no file of a corpus has such a name"),
    "a case that was changed": (lambda at: change(at / MINE, "plan<", "plans<"), "qwen3/mine/answered: changed"),
    "a document that was changed": (lambda at: (at / "README.md").write_text("x"), "README.md: changed"),
    "a dialect under another name": (lambda at: change(at / DIALECT, '"id": "qwen3"', '"id": "q"'), "the id is 'q'"),
    "a dialect without its sources": (lambda at: change(at / DIALECT, '"sources"', '"source"'), "'sources' is a requ"),
    "a newer changelog": (lambda at: change(at / "CHANGELOG.md", "## 0", "## 9.0.0\n\n## 0"), "newest 9.0.0"),
    "a changelog without a version": (lambda at: (at / "CHANGELOG.md").write_text("x"), "no heading with a version"),
    "a manifest that isn't one": (lambda at: (at / "manifest.json").write_text("{}"), "no manifest at"),
    "a space that languages disagree on": (lambda at: change(at / MINE, '"plan<', '"plan\u3000<'), "a space-like char"),
    "no JSON": (lambda at: (at / MINE).write_text("{"), "not JSON at line 1"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "told"), [pytest.param(*entry, id=name) for name, entry in BROKEN.items()])
def test_a_rule_that_is_broken_is_told(corpus: Path, spoil: Any, told: str) -> None:
    assert list(map(str, inspect(corpus))) == []
    spoil(corpus)
    assert told in "\n".join(map(str, inspect(corpus)))


def test_the_command_tells_what_breaks_a_rule(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "lint", str(corpus)]) == 0
    assert "nothing breaks a rule" in capsys.readouterr().out
    change(corpus / "qwen3" / "mine.json", '"content": "Hi"', '"content": "Ho"')
    assert main(["corpus", "lint", str(corpus)]) == 1
    told = capsys.readouterr().out
    assert "qwen3/mine/answered" in told
    assert "the specified reader gives" in told


def test_a_folder_without_a_manifest_is_held_to_the_rules_of_single_files(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (corpus / "manifest.json").unlink()
    shutil.rmtree(corpus / "schema")
    assert main(["corpus", "lint", str(corpus)]) == 0
    assert "no manifest.json, so only the single files" in capsys.readouterr().out


def test_the_command_writes_the_manifest_and_tells_what_is_new(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(corpus / "qwen3" / "more.json", cases_file("qwen3/more", [case("qwen3/more/a", "a</think>", "a", "")]))
    change(corpus / "qwen3" / "mine.json", "The output of", "An output of")
    assert main(["corpus", "manifest", str(corpus)]) == 0
    told = capsys.readouterr().out
    assert "4 cases" in told
    assert "1 new: qwen3/more/a" in told
    assert "1 changed: qwen3/mine/answered" in told
    assert inspect(corpus) == []
    assert "qwen3/more.json" in corpus_files(corpus)


@pytest.mark.parametrize("work", ["lint", "format", "manifest"])
def test_a_folder_that_is_not_there_is_told_in_a_sentence(
    work: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["corpus", work, str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.startswith("conformance: ")
