"""Foreign corpora as cases: what each line becomes, what is left out and why, and what is told of a malformed one."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.corpus.files import CorpusError
from conformance.corpus.foreign import canitoolcall, lines
from conformance.corpus.foreign.importing import imported, slug, write
from conformance.corpus.foreign.items import Item, Skipped
from conformance.corpus.lint import idle_axes, lint, misread, missing_axes
from conformance.corpus.making import Maker, Unfit
from oracles.cases import read_cases
from oracles.dialects import REGISTRY
from oracles.messages import FINISHES, Request
from tests.small_corpus import small_corpus

QWEN3 = REGISTRY.get("qwen3")


def written(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


# Making a case


@pytest.mark.parametrize("id", ["qwen3", "kimi_k3"])
def test_a_case_that_is_made_keeps_the_rules_of_recorded_ones(id: str, tmp_path: Path) -> None:
    """Whatever the markers and their order: both readers agree under each policy, and no axis is missing or idle."""
    dialect = REGISTRY.get(id)
    maker = Maker(dialect)
    parts = ["a", " ", *dialect.all_markers[:4], dialect.all_markers[0][:-1]]
    raws = ["".join(parts) for parts in itertools.product(parts, repeat=3)]
    source = {"kind": "generated", "name": "made up"}
    items = [
        Item(f"n{number}", id, raw, number % 2 == 0, number % 3 > 0, FINISHES[number % 5 == 0], source)
        for number, raw in enumerate(raws[:: 9 if id == "qwen3" else 89])
    ]
    write(tmp_path, imported(items, "made", REGISTRY).files)
    cases = read_cases(tmp_path / id / "made.json").cases
    assert len(cases) == len(items)
    assert any(case.axes for case in cases)
    for case in cases:
        assert misread(case, dialect) == ""
        assert missing_axes(case, dialect) == []
        assert idle_axes(case, dialect) == []
    assert maker.made(Request(id, True, True), "stop", "a")["expected"] == {"reasoning": "a", "content": ""}


def test_policies_are_told_by_as_few_values_as_tell_them() -> None:
    made = Maker(QWEN3).made(Request("qwen3", True, True), "length", "a</think>b<think>c")
    assert made["axes"] == ["reopen"]
    assert made["policies"] == [{"policy": {"reopen": "opens"}, "expected": {"reasoning": "ac", "content": "b"}}]
    many = Maker(QWEN3).made(Request("qwen3", False, True), "stop", "a<think>b")
    assert [entry["policy"] for entry in many["policies"]] == [
        {"prefix": "content", "unclosed": "content_if_stopped"},
        {"prefix": "text"},
    ]


UNFIT = {
    "a\ud800": "lone surrogate",
    "\u3000</think>a": "space-like",
    "\xa0<think>a</think>b": "space-like",
    "<think>a</think>\ufeffb": "space-like",
}


@pytest.mark.parametrize("raw", UNFIT)
def test_an_output_that_right_readers_may_read_differently_becomes_no_case(raw: str) -> None:
    with pytest.raises(Unfit, match=UNFIT[raw]):
        Maker(QWEN3).made(Request("qwen3", False, True), "stop", raw)


@pytest.mark.parametrize("raw", ["<think>a\u3000b</think>c\xa0d", "\x00<think>a</think>b", "<think>\n</think>b"])
def test_a_space_like_character_that_decides_nothing_is_kept(raw: str) -> None:
    assert Maker(QWEN3).made(Request("qwen3", False, True), "stop", raw)["raw"] == raw


def test_a_cut_call_of_two_dialects_is_one_case_each(tmp_path: Path) -> None:
    source = {"kind": "generated", "name": "x"}
    items = [Item("same", id, "a", False, True, "stop", source) for id in ("qwen3", "kimi_k3", "qwen3")]
    done = imported(items, "made", REGISTRY)
    assert sorted(done.files) == ["kimi_k3/made.json", "qwen3/made.json"]
    assert (done.read, done.cases, done.skipped) == (3, 2, {"asks the same as an earlier one": 1})


def test_names_that_are_alike_give_ids_that_are_not() -> None:
    source = {"kind": "generated", "name": "x"}
    names = enumerate(["A b", "a-B", "?"])
    items = [Item(name, "qwen3", str(number), False, True, "stop", source) for number, name in names]
    data = json.loads(imported(items, "made", REGISTRY).files["qwen3/made.json"])
    assert [case["id"] for case in data["cases"]] == ["qwen3/made/a-b", "qwen3/made/a-b-2", "qwen3/made/output"]


@pytest.mark.parametrize(("text", "part"), [("A b", "a-b"), ("--x__y--", "x-y"), ("日本", ""), ("v1.5", "v1-5")])
def test_a_slug_is_small_letters_digits_and_single_hyphens(text: str, part: str) -> None:
    assert slug(text) == part


# Lines


def test_a_line_is_a_string_or_an_object(tmp_path: Path) -> None:
    path = written(
        tmp_path / "log.jsonl",
        "<think>a</think>b",
        {"text": "a</think>b", "opened": True, "chunks": ["a</th", "ink>b"], "id": "Cut marker"},
        {"output": "a", "thinking": False, "finish": "length", "url": "https://example.org/1"},
    )
    one, two, three = lines.items(path, QWEN3)
    assert (one.raw, one.opened, one.thinking, one.finish, one.name) == (
        "<think>a</think>b",
        False,
        True,
        "stop",
        "line-1",
    )
    assert (two.opened, two.chunkings, two.name) == (True, [["a</th", "ink>b"]], "Cut marker")
    assert (three.thinking, three.finish, three.source["kind"]) == (False, "length", "captured")
    assert one.source == {"kind": "generated", "name": "log.jsonl, line 1"}


def test_a_line_that_does_not_say_is_opened_as_the_dialects_prompt_does(tmp_path: Path) -> None:
    path = written(tmp_path / "log.jsonl", "a", {"raw": "a", "thinking": False})
    on, off = lines.items(path, REGISTRY.get("qwen35"))
    assert (on.opened, off.opened) == (True, False)


def test_blank_lines_and_a_byte_order_mark_are_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'\xef\xbb\xbf"a"\r\n\r\n"b"')
    assert [item.raw for item in lines.items(path, QWEN3)] == ["a", "b"]


MALFORMED = {
    "{": "not JSON at column 2",
    "1": "neither an object nor a string",
    "{}": "no output; give the output once, as 'raw', 'text', 'output'",
    '{"raw": "a", "text": "a"}': "both 'raw' and 'text'",
    '{"raw": 1}': "raw is 1; write a string",
    '{"raw": "a", "opened": 1}': "opened is 1; write true or false",
    '{"raw": "a", "finish": "eos"}': "finish is 'eos'; write one of stop, length",
    '{"raw": "a", "chunks": ["b"]}': "the chunks don't join to the output",
    '{"raw": "a", "chunks": [1]}': "the chunks don't join to the output",
    '{"raw": "a", "url": "here"}': "url is 'here'; write an address",
    '{"raw": "a", "url": "https://\\ud800"}': "url is 'https://",
    '{"raw": "a", "extra": 1}': "no key is called 'extra'",
    "[" * 100_000: "not JSON",
}


@pytest.mark.parametrize("line", [pytest.param(line, id=line[:30]) for line in MALFORMED])
def test_a_malformed_line_is_told_with_its_file_and_number(line: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f'"a"\n\n{line}\n', encoding="utf-8")
    with pytest.raises(CorpusError) as caught:
        list(lines.items(path, QWEN3))
    assert str(caught.value).startswith(f"{path}, line 3: {MALFORMED[line]}")


# canitoolcall


FIXTURE: dict[str, Any] = {
    "id": "qwen3-hermes/single-call",
    "family": "qwen3-hermes",
    "models": ["Qwen/Qwen3-0.6B"],
    "provenance": {"source_url": "https://example.org/1", "license": "MIT"},
    "raw_output": "<think>\na\n</think>\n\n<tool_call>\n{}\n</tool_call>",
    "generation_prompt": "<|im_start|>assistant\n",
    "thinking": True,
    "expected": {"content": None, "reasoning_content": "a", "tool_calls": [{"name": "f", "arguments": {}}]},
    "tags": ["single-call"],
}


def fixtures(tmp_path: Path, *values: Any) -> list[Item | Skipped]:
    return list(canitoolcall.items(written(tmp_path / "basic.jsonl", *values), REGISTRY))


def item(tmp_path: Path, **changed: Any) -> Item:
    (found,) = fixtures(tmp_path, {**FIXTURE, **changed})
    assert isinstance(found, Item)
    return found


def test_a_fixture_is_an_output_of_its_models_dialect(tmp_path: Path) -> None:
    found = item(tmp_path)
    assert (found.dialect, found.opened, found.thinking, found.finish) == ("qwen3", False, True, "stop")
    assert found.source == {
        "kind": "captured",
        "name": "canitoolcall qwen3-hermes/single-call (MIT)",
        "url": "https://example.org/1",
    }


@pytest.mark.parametrize(
    ("family", "model", "dialect"),
    [
        ("deepseek", "deepseek-ai/DeepSeek-V3.1", "deepseek_v31"),
        ("deepseek", "deepseek-ai/DeepSeek-V4-Flash", "deepseek_v4"),
        ("glm", "zai-org/GLM-5.3", "glm47"),
        ("kimi", "moonshotai/Kimi-K3", "kimi_k3"),
        ("qwen3-hermes", "Qwen/Qwen3-4B-Thinking-2507", "qwen3_thinking"),
        ("qwen3-xml", "Qwen/Qwen3.5-9B", "qwen35"),
    ],
)
def test_the_family_and_the_model_say_the_dialect(tmp_path: Path, family: str, model: str, dialect: str) -> None:
    assert item(tmp_path, family=family, models=[model]).dialect == dialect


@pytest.mark.parametrize(
    ("prompt", "opened"),
    [
        ("<|im_start|>assistant\n<think>\n", True),
        ("assistant\n<think>\n\n</think>\n\n", False),
        ("<|im_start|>", False),
    ],
)
def test_the_prompt_says_whether_reasoning_is_opened(tmp_path: Path, prompt: str, opened: bool) -> None:
    assert item(tmp_path, generation_prompt=prompt).opened == opened


def test_a_prompt_that_the_fixture_lacks_is_that_of_the_family_and_else_that_of_the_dialect(tmp_path: Path) -> None:
    other = {"family": "qwen3-xml", "models": ["Qwen/Qwen3.5-9B"], "generation_prompt": None}
    assert item(tmp_path, **other).opened
    assert not item(tmp_path, **other, thinking=False).opened
    model = {"repo": "Qwen/Qwen3.5-9B", "default_generation_prompt": "<|im_start|>assistant\n"}
    (tmp_path / "family.json").write_text(json.dumps({"reference_models": [model]}), encoding="utf-8")
    assert not item(tmp_path, **other).opened


def test_a_truncated_fixture_ended_by_its_length(tmp_path: Path) -> None:
    assert item(tmp_path, tags=["truncated"]).finish == "length"


def test_an_unknown_family_model_or_dialect_is_left_out_with_its_reason(tmp_path: Path) -> None:
    found = fixtures(
        tmp_path,
        {**FIXTURE, "family": "new"},
        {**FIXTURE, "family": "deepseek", "models": ["deepseek-ai/DeepSeek-V9"]},
    )
    assert [each.reason for each in found if isinstance(each, Skipped)] == [
        "the family new is unknown",
        "no dialect is that of deepseek-ai/DeepSeek-V9",
    ]


@pytest.mark.parametrize(
    "change", [{"models": []}, {"raw_output": 1}, {"provenance": None}, {"tags": None}, {"expected": {"content": 1}}]
)
def test_a_line_that_is_no_fixture_is_told_with_its_file_and_number(tmp_path: Path, change: Any) -> None:
    with pytest.raises(CorpusError, match=r"basic.jsonl, line 2: no fixture of canitoolcall"):
        fixtures(tmp_path, FIXTURE, {**FIXTURE, **change})


def test_what_the_fixture_expects_stands_in_the_description_where_it_differs(tmp_path: Path) -> None:
    same = item(tmp_path)
    other = {"content": "You should see.", "reasoning_content": None, "tool_calls": []}
    differs = item(tmp_path, raw_output="<think>a</think>b", expected=other)
    cut = item(tmp_path, raw_output="<tool_call>", expected=None)
    data = json.loads(imported([same, differs, cut], "made", REGISTRY).files["qwen3/made.json"])
    assert [case["description"] for case in data["cases"]] == [
        "Output 1, single-call, as the oracle reads it.",
        "Output 2, single-call, as the oracle reads it; its corpus has reasoning '', content 'You sh… see.'.",
        "Output 3, single-call, as the oracle reads it.",
    ]


# The commands


def test_the_command_writes_files_of_cases_that_keep_the_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "log.jsonl", "<think>a</think>b", "\u3000</think>", {"raw": "a<think>b"})
    out = tmp_path / "out"
    assert main(["import", "lines", str(path), "--dialect", "qwen3", "-o", str(out)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{out}: 2 cases of 3 outputs, in 1 files",
        "  1 skipped: holds a space-like character that decides a rule",
    ]
    assert [path.relative_to(out).as_posix() for path in out.rglob("*.json")] == ["qwen3/lines.json"]
    assert lint(out) == []
    assert main(["corpus", "format", "--check", str(out)]) == 0


def test_the_command_reads_folders_of_fixtures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fixtures" / "qwen3-hermes").mkdir(parents=True)
    written(tmp_path / "fixtures" / "qwen3-hermes" / "a.jsonl", FIXTURE, {**FIXTURE, "family": "new"})
    words = ["import", "canitoolcall", str(tmp_path / "fixtures"), "-o", str(tmp_path / "out")]
    assert main(words) == 0
    assert main(words) == 0  # over its own earlier import
    assert "1 skipped: the family new is unknown" in capsys.readouterr().out
    assert lint(tmp_path / "out") == []


def test_a_file_that_is_not_imported_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qwen3").mkdir()
    (tmp_path / "qwen3" / "lines.json").write_text("{}")
    path = written(tmp_path / "log.jsonl", "a")
    assert main(["import", "lines", str(path), "--dialect", "qwen3", "-o", str(tmp_path)]) == 2
    assert "it isn't an imported file" in capsys.readouterr().err
    assert (tmp_path / "qwen3" / "lines.json").read_text() == "{}"


def test_a_corpus_is_no_place_for_an_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "log.jsonl", "a")
    corpus = small_corpus(tmp_path / "corpora")
    assert main(["import", "lines", str(path), "--dialect", "qwen3", "-o", str(corpus)]) == 2
    assert "a corpus stands there" in capsys.readouterr().err
    assert not (corpus / "qwen3" / "lines.json").exists()


def test_an_output_longer_than_a_page_is_a_case(tmp_path: Path) -> None:
    raw = f"<think>{'word ' * 40_000}</think>{'</thin' * 4_000}"
    assert Maker(QWEN3).made(Request("qwen3", False, True), "stop", raw)["expected"]["content"] == "</thin" * 4_000


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("lines", "none.jsonl", "--dialect", "qwen3", "-o", "out"), "none.jsonl: the file can't be read"),
        (("lines", "none.jsonl", "--dialect", "qwen", "-o", "out"), "no dialect is called 'qwen' (did you"),
        (("lines", "x.jsonl", "--dialect", "qwen3", "-o", "out", "--group", "dialect"), "'dialect' names no file"),
        (("lines", "none.jsonl", "--dialect", "qwen3", "-o", "out", "--group", "A"), "--group: 'A' names no file"),
        (("lines", "none.jsonl", "-o", "out"), "the following arguments are required: --dialect"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_one_sentence(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", *words]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1
