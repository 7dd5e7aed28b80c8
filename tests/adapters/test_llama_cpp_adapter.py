"""The adapter to llama.cpp: what it declares, how it is built, and the divergences that are known."""

import os
import shutil
import subprocess
import sys

import pytest

from conformance.adapter import load
from conformance.adapters.llama_cpp import declared, place, script
from conformance.adapters.llama_cpp.build import main
from conformance.adapters.llama_cpp.script import literal
from conformance.examining import AdapterError
from conformance.wire.adapter import Unanswered
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported
from oracles.policies import check_values


@pytest.fixture(scope="module")
def adapter():
    if not (place.home() / "driver").is_file():
        pytest.skip("llama.cpp's driver isn't built (python -m conformance.adapters.llama_cpp.build)")
    wire = load("conformance.adapters.llama_cpp").adapter
    yield wire
    wire.close()


def asked(dialect, opened=False, thinking=True):
    return Request(dialect, opened=opened, thinking=thinking)


def split(adapter, request, *texts):
    return tuple(adapter.split("".join(texts), request, "stop"))


def stream(adapter, request, *texts):
    reader = adapter.stream(request)
    for text in texts:
        reader.feed(Chunk(text))
    deltas = [tuple(delta) for delta in reader.finish("stop")]
    return tuple("".join(text for channel, text in deltas if channel == wanted) for wanted in ("reasoning", "content"))


# What it declares, without the driver


def test_every_dialect_is_known_and_its_policy_exists():
    assert set(declared.TEMPLATES) <= set(REGISTRY.ids())
    for template in declared.TEMPLATES.values():
        check_values(template.policy)


def test_what_ends_the_generation_and_what_is_read_loosely_are_of_the_dialect():
    for dialect, template in declared.TEMPLATES.items():
        assert set(template.ends) <= set(REGISTRY.get(dialect).all_markers), dialect
        wanted = {text + behind for text, behind in template.loose.items()}
        assert wanted <= set(REGISTRY.get(dialect).all_markers), dialect


def test_without_a_driver_the_error_says_what_builds_it(monkeypatch, tmp_path):
    monkeypatch.setenv(place.INTO, str(tmp_path))
    with pytest.raises(AdapterError, match=r"python -m conformance\.adapters\.llama_cpp\.build makes it"):
        load("conformance.adapters.llama_cpp")


def test_the_child_without_a_driver_says_so_and_ends(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "conformance.adapters.llama_cpp.serve"],
        env=os.environ | {place.INTO: str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "python -m conformance.adapters.llama_cpp.build builds it" in done.stderr


def test_a_build_without_a_compiler_is_one_sentence(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert main(["--into", str(tmp_path)]) == 1
    assert capsys.readouterr().err == (
        "there is no C++ compiler 'no-such-compiler'; install g++, or name another with CXX=…\n"
    )


def test_a_build_into_what_is_no_folder_is_one_sentence(tmp_path, capsys):
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        pytest.skip("there is no C++ compiler")
    (tmp_path / "file").write_text("")
    assert main(["--into", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.strip().endswith("name another folder with --into")


def test_what_is_built_already_is_not_built_again(tmp_path, monkeypatch, capsys):
    (tmp_path / "driver").write_text("")
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert main(["--into", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'driver'}\n"
    assert main(["--into", str(tmp_path), "--again"]) == 1


def test_text_is_a_literal_whatever_it_holds():
    assert literal('a"\\?\n1') == 'std::string("a\\042\\134\\077\\0121", 6)'
    assert literal("é") == 'std::string("\\303\\251", 2)'


# What it is asked


def test_a_request_that_the_prompt_contradicts_is_not_asked(adapter):
    with pytest.raises(Unsupported, match="the template does not open the thought where thinking is on"):
        split(adapter, asked("qwen3", opened=True), "T")
    with pytest.raises(Unsupported, match="the template opens the thought where thinking is on"):
        split(adapter, asked("qwen35", opened=False), "T")


def test_what_the_server_never_hands_to_the_parser_is_not_asked(adapter):
    final = "<|channel|>final<|message|>A"
    assert split(adapter, asked("gpt_oss"), final, "<|return|>") == ("", "A")
    assert stream(adapter, asked("gpt_oss"), final, "<|return|>") == ("", "A")
    for texts, reason in (
        (("<|channel|>commentary to=functions.f<|message|>{}",), "an unsolicited call is consumed on purpose"),
        (("A",), "refuses text outside a message"),
        ((final, "<|end|>", "B"), "refuses text outside a message"),
        ((final, "<|start|>assistant"), "keeps a header inside a message as text"),
    ):
        with pytest.raises(Unsupported, match=reason):
            split(adapter, asked("gpt_oss"), *texts)
    with pytest.raises(Unsupported, match=r"generation ends at <\|end_of_msg\|>"):
        split(adapter, asked("kimi_k3", opened=True), "T", "<|end_of_msg|>", "B")
    with pytest.raises(Unsupported, match=r"reads <\|channel>thought for a marker whatever comes next"):
        split(adapter, asked("gemma4"), "<|channel>thought")


ORDINARY = [
    (asked("qwen3"), ["<think>", "T", "</think>", "A"]),
    (asked("qwen3", thinking=False), ["A"]),
    (asked("qwen35", opened=True), ["T", "</think>", "A"]),
    (asked("deepseek_r1", opened=True), ["T", "</think>", "A"]),
    (asked("deepseek_v31", opened=True), ["T", "</think>", "A"]),
    (asked("deepseek_v4", opened=True), ["T", "</think>", "A"]),
    (asked("gemma4"), ["<|channel>", "thought\n", "T", "<channel|>", "A"]),
    (asked("glm45"), ["<think>", "T", "</think>", "A"]),
    (asked("glm47", opened=True), ["T", "</think>", "A"]),
    (
        asked("gpt_oss"),
        ["<|channel|>analysis<|message|>", "T", "<|end|>", "<|start|>assistant<|channel|>final<|message|>A"],
    ),
    (asked("kimi_k2"), ["<think>", "T", "</think>", "A"]),
    (
        asked("kimi_k3", opened=True),
        ["T", "<|close|>think<|sep|>", "<|open|>response<|sep|>", "A", "<|close|>response<|sep|>"],
    ),
    (asked("ling3", opened=True), ["T", "</think>", "A"]),
    (asked("minimax_m2", opened=True), ["T", "</think>", "A"]),
    (asked("minimax_m3"), ["<mm:think>", "T", "</mm:think>", "A"]),
    (asked("mistral"), ["[THINK]", "T", "[/THINK]", "A"]),
]


@pytest.mark.parametrize(("request_", "texts"), ORDINARY, ids=[each[0].dialect for each in ORDINARY])
def test_ordinary_output_is_read_right_in_both_modes(adapter, request_, texts):
    right = ("T" if "T" in texts else "", "A")
    assert tuple(text.strip() for text in split(adapter, request_, *texts)) == right
    for cut in (texts, list("".join(texts))):
        assert tuple(text.strip() for text in stream(adapter, request_, *cut)) == right


# The divergences that are known, each (split, then stream)


DIVERGENCES = {
    "kimi_k2: a calls marker begins inside the thought and isn't one": (
        (asked("kimi_k2"), ["<think>a", "<|", "b</think>", "ok"]),
        (("a<|b", "ok"), ("a<|b", "<|ok")),
    ),
    "ling3: a call begins inside the thought and isn't one": (
        (asked("ling3", opened=True), ["x<t", "able>y", "</think>", "ok"]),
        (("x<table>y", "ok"), ("x<table>y", "<tok")),
    ),
    "a cut marker at the end of a thought is lost": ((asked("qwen3"), ["<think>a", "<"]), (("a", ""), ("a", ""))),
    "an answer of a cut opener is lost": ((asked("glm45"), ["<"]), (("", ""), ("", ""))),
    "white space before the opener": (
        (asked("kimi_k2"), ["\n", "<think>", "T", "</think>", "A"]),
        (("", "\n<think>T</think>A"), ("", "\n<think>T</think>A")),
    ),
    "minimax_m3: a thought that comes unasked is lost, and the answer with it": (
        (asked("minimax_m3", thinking=False), ["<mm:think>", "A"]),
        (("", ""), ("", "")),
    ),
    "gemma4: what follows a closer that nothing opened is lost": (
        (asked("gemma4"), ["a", "<channel|>", "b"]),
        (("", "a"), ("", "a")),
    ),
    "kimi_k3: the end of the message is text of the thought": (
        (asked("kimi_k3", opened=True), ["T", "<|end_of_msg|>"]),
        (("T<|end_of_msg|>", ""), ("T<|end_of_msg|>", "")),
    ),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    (request_, texts), (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, request_, *texts) == whole
    assert stream(adapter, request_, *texts) == streamed


def test_a_stream_of_so_many_updates_that_they_take_seconds_is_not_asked(adapter):
    assert split(adapter, asked("qwen3"), "a" * 100_000) == ("", "a" * 100_000)
    assert stream(adapter, asked("qwen3"), *["a" * 1_000] * 100) == ("", "a" * 100_000)
    with pytest.raises(Unsupported, match="each update parses the whole output again"):
        stream(adapter, asked("qwen3"), *["a" * 10] * 10_000)


def test_a_call_that_no_tool_was_declared_for_fails(adapter):
    with pytest.raises(Unanswered, match="does not match the expected peg-native format"):
        split(adapter, asked("kimi_k3", opened=True), "<|close|>think<|sep|>", "<|open|>tools<|sep|>")


# The script


def test_the_script_shows_the_same_without_the_suite(adapter, tmp_path):
    request_, texts = asked("kimi_k2"), ["<think>a", "<|", "b</think>", "ok"]
    source, program, home = tmp_path / "ask.cpp", tmp_path / "ask", place.home()
    text = script(request_, "".join(texts), texts, "stop")
    source.write_text(text, encoding="utf-8")
    assert [line.strip() for line in text.splitlines() if line.startswith("        std::string(")] == [
        f"{literal(update)}," for update in ("<think>", "a", "<|", "b", "</think>", "ok")
    ]
    subprocess.run(
        [os.environ.get("CXX", "g++"), *place.FLAGS, *place.includes(home), source, "-o", program, *place.linked(home)],
        check=True,
        timeout=300,
    )
    shown = subprocess.run(
        [program, home / "templates" / "Kimi-K2-Thinking.jinja"], capture_output=True, text=True, timeout=60
    ).stdout
    assert "split\n  reasoning: a<|b\n  content:   ok\n" in shown
    assert "after b\n  reasoning: <|b\n" in shown
    contents = [line.removeprefix("  content:   ") for line in shown.splitlines()[3:] if line.startswith("  content:")]
    assert "".join(contents) == "<|ok"
