"""Facts about the command line."""

import io
import subprocess
import sys

import pytest

from conformance.cli import main
from oracles import second
from oracles.dialects import REGISTRY
from oracles.messages import Message
from oracles.shape_table import shapes_of


@pytest.fixture(autouse=True)
def _a_plain_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")


def out_of(capsys, *words: str) -> str:
    assert main(words) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def error_of(capsys, *words: str) -> str:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("conformance: ")
    return captured.err


def test_every_dialect_is_listed_with_its_models_and_roles(capsys):
    out = out_of(capsys, "dialects")
    assert all(id in out for id in REGISTRY.ids())
    kimi = next(line for line in out.splitlines() if line.startswith("kimi_k3"))
    assert "Kimi-K3" in kimi
    assert "skipped_channel=replayed" in out


def test_a_tentative_dialect_is_marked(capsys):
    lines = {line.split()[0]: line for line in out_of(capsys, "dialects").splitlines() if line[:1].strip()}
    for id in REGISTRY.ids():
        assert ("tentative" in lines[id]) == bool(REGISTRY.get(id).tentative), id


def test_every_shape_of_a_dialect_is_listed_with_an_example(capsys):
    out = out_of(capsys, "shapes", "qwen3")
    for shape in shapes_of(REGISTRY.get("qwen3")):
        assert shape.title in " ".join(out.split())


def test_a_reading_says_where_each_stretch_goes_and_why(capsys):
    out = out_of(capsys, "read", "qwen3", "--opened", "a</think>b<think>")
    assert "a</think>b<think>\nr--------cccccccc\n" in out
    assert second.RULES["closer"] in " ".join(out.split())
    assert "reasoning  'a'\n" in out
    assert "content    'b<think>'\n" in out


def test_the_policy_decides(capsys):
    out = out_of(capsys, "read", "qwen3", "a<think>b", "--policy", "prefix=text")
    assert "content    'a<think>b'" in out
    out = out_of(capsys, "read", "qwen3", "--opened", "a<tool_call>b", "--policy", "calls_end_reasoning=false")
    assert "reasoning  'a<tool_call>b'" in out


def test_finish_and_thinking_decide(capsys):
    text = "a<|close|>response<|sep|>"
    assert "content    'a'" in out_of(capsys, "read", "kimi_k3", "--opened", text)
    assert "content    ''" in out_of(capsys, "read", "kimi_k3", "--opened", "--finish", "length", text)
    off = ("read", "qwen3", "--policy", "off=text", "<think>a")
    assert "content    '<think>a'" in out_of(capsys, *off, "--thinking", "off")
    assert "reasoning  'a'" in out_of(capsys, *off)


def test_a_text_comes_from_standard_input_as_it_stands(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\r\n\xff")))
    assert r"content    'a\r\n\udcff'" in out_of(capsys, "read", "qwen3", "-")


@pytest.mark.parametrize("text", ["", "\x1b[2J", "\u202e\ud800\x00", "日本語</think>", "x" * 5000, "[red]a[/red]"])
def test_any_text_can_be_read(capsys, text):
    out = out_of(capsys, "read", "qwen3", text)
    assert all(char.isprintable() or char == "\n" for char in out)


def test_markup_of_the_table_is_no_markup(capsys):
    assert "[red]a[/red]" in out_of(capsys, "read", "qwen3", "[red]a[/red]")


def test_readers_that_disagree_are_told(capsys, monkeypatch):
    monkeypatch.setattr("oracles.reader.Machine.split", lambda *_: Message("x"))
    assert main(("read", "qwen3", "a")) == 1
    assert "the suite's two readers disagree" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("raed",), "there is no command 'raed' (did you mean 'read'?)"),
        (("shapes", "qwen"), "no dialect is called 'qwen' (did you mean 'qwen3'?)"),
        (("read", "qwen3"), "the following arguments are required: TEXT"),
        (("read", "qwen3", "a", "--finish", "end"), "argument --finish: invalid choice: 'end'"),
        (("read", "qwen3", "a", "--policy", "prefx=text"), "no policy axis is called 'prefx'"),
        (("read", "qwen3", "a", "--policy", "prefix=txt"), "axis 'prefix' has no value 'txt'"),
        (("read", "qwen3", "a", "--policy", "prefix"), "--policy wants AXIS=VALUE, not 'prefix'"),
        (("dialects", "--dialect-file", "no.json"), "no.json: there is no such file"),
        (("run",), "run wants an implementation to judge: --impl=MODULE"),
        (("run", "tests"), "run wants an implementation to judge: --impl=MODULE"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(capsys, words, told):
    assert told in error_of(capsys, *words)


def test_without_a_command_the_commands_are_listed(capsys):
    assert main(()) == 2
    out = capsys.readouterr().out
    assert all(command in out for command in ("dialects", "shapes", "read", "run"))


def test_run_is_pytest_with_the_suite(capfd):
    code = main(
        (
            "run",
            "--impl=conformance.adapters.reference",
            "--dialect=mistral",
            "--check=order-kept",
            "--collect-only",
            "-q",
        )
    )
    assert code == 0
    assert "reference::mistral::order-kept" in capfd.readouterr().out


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "conformance", "read", "qwen4", "x"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("conformance: no dialect is called 'qwen4' (did you mean 'qwen3'?)")
