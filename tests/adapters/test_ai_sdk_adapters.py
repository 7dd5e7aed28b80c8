"""The adapters to the AI SDK and to its tool-call middleware: what they ask, declare, and the divergences known."""

import json
import os
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

from conformance.adapter import load
from conformance.adapters import _node
from conformance.answers import message_texts
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported


class Talk:
    """An adapter's child, asked by hand. ``module``: its module."""

    def __init__(self, name):
        try:
            self.module = import_module(f"conformance.adapters.{name}")
        except ImportError as error:
            pytest.skip(str(error))
        self.implementation = load(f"conformance.adapters.{name}")

    def split(self, request, *texts):
        return message_texts(self.implementation.adapter.split("".join(texts), request, "stop"))

    def stream(self, request, *texts):
        reader = self.implementation.adapter.stream(request)
        told = [delta for text in texts for delta in reader.feed(Chunk(text))] + list(reader.finish("stop"))
        return tuple("".join(text for channel, text in told if channel == want) for want in ("reasoning", "content"))

    def by_chunk(self, request, *texts):
        """The deltas of each chunk, as the child gives them."""
        asked = {"dialect": request.dialect, "opened": request.opened, "thinking": request.thinking, "tools": []}
        lines = [
            {"cmd": "start", "version": 1},
            {"cmd": "stream", "seq": 1, "request": asked, "chunks": [{"text": t, "ids": []} for t in texts]},
            {"cmd": "stop"},
        ]
        lines[1]["finish"] = "stop"
        done = subprocess.run(
            self.module.command,
            input="".join(f"{json.dumps(line)}\n" for line in lines),
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        return json.loads(done.stdout.splitlines()[1])["deltas"]


@pytest.fixture(scope="module")
def sdk():
    return Talk("ai_sdk")


@pytest.fixture(scope="module")
def tool():
    return Talk("ai_sdk_tool")


def asked(dialect, opened=False, thinking=True):
    return Request(dialect, opened=opened, thinking=thinking)


# What is missing


@pytest.mark.parametrize("name", ["ai_sdk", "ai_sdk_tool"])
def test_what_to_install_is_said_where_the_package_is_missing(name, tmp_path, monkeypatch):
    monkeypatch.setattr(_node.shutil, "which", lambda program: f"/bin/{program}")
    monkeypatch.delenv(_node.MODULES, raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ImportError, match=r"npm install an-absent-package@1\.2\.3"):
        _node.child(f"{name}.mjs", "an-absent-package", "1.2.3")


def test_that_node_is_missing_is_said(monkeypatch):
    monkeypatch.setattr(_node.shutil, "which", lambda program: None)
    with pytest.raises(ImportError, match=r"no `node` is on the path"):
        _node.child("ai_sdk.mjs", "ai", "7.0.173")


@pytest.mark.parametrize("where", ["", "node_modules", "below/it"])
def test_packages_are_found_from_a_folder_as_node_does(where, tmp_path, monkeypatch):
    package = tmp_path / "node_modules" / "@scope" / "name"
    package.mkdir(parents=True)
    (package / "package.json").write_text("{}")
    (tmp_path / "below" / "it").mkdir(parents=True)
    monkeypatch.setattr(_node.shutil, "which", lambda program: f"/bin/{program}")
    monkeypatch.setenv(_node.MODULES, str(tmp_path / where))
    assert _node.child("x.mjs", "@scope/name", "1") == ("/bin/node", str(_node.FOLDER / "x.mjs"))


# What they declare


@pytest.mark.parametrize("which", ["sdk", "tool"])
def test_every_dialect_is_known_and_the_scripts_know_the_same(which, request):
    talk = request.getfixturevalue(which)
    assert set(talk.implementation.dialects) <= set(REGISTRY.ids())
    known = talk.module.TAGS if which == "sdk" else talk.module.MIDDLEWARE
    assert set(talk.implementation.dialects) == set(known)
    assert set(talk.implementation.declared) == set(known)
    assert talk.implementation.chunks == "text"
    assert not talk.implementation.notes


def test_each_dialects_tags_are_its_markers(sdk):
    for dialect in sdk.implementation.dialects:
        opener, closer = REGISTRY.get(dialect).of("reasoning_open"), REGISTRY.get(dialect).of("reasoning_close")
        assert len(opener) == len(closer) == 1
        assert sdk.split(asked(dialect), f"{opener[0]}T{closer[0]}A") == ("T", "A")


# The middleware that extracts reasoning


@pytest.mark.parametrize("dialect", ["deepseek_r1", "gemma4", "qwen3"])
def test_ordinary_output_is_read_right_in_both_modes_however_it_is_cut(sdk, dialect):
    (opener,), (closer,) = (REGISTRY.get(dialect).of(role) for role in ("reasoning_open", "reasoning_close"))
    raw = f"a{opener}T U{closer}A{opener}V{closer} B"
    assert sdk.split(asked(dialect), raw) == ("T UV", "aA B")
    assert sdk.stream(asked(dialect), raw) == sdk.stream(asked(dialect), *raw) == ("T UV", "aA B")
    opened = asked(dialect, opened=True)
    assert sdk.split(opened, f"T{closer}A") == sdk.stream(opened, "T", closer[:2], closer[2:], "A") == ("T", "A")


def test_each_delta_comes_with_its_chunk(sdk):
    told = sdk.by_chunk(asked("qwen3"), "a<thi", "nk>", "", "b</think>c", "<t")
    assert told == [
        [["content", "a"]], [], [], [["reasoning", "b"], ["content", "c"]], [], [["content", "<t"]],
    ]  # fmt: skip


SDK = {
    "a thought that was never closed": (["<think>abc"], ("", "<think>abc"), ("abc", "")),
    "an opener quoted in front": (["`<think>` is a tag"], ("", "`<think>` is a tag"), ("` is a tag", "`")),
    "an opener quoted in the answer": (
        ["<think>a</think>the tag `<think>` opens"],
        ("a", "the tag `<think>` opens"),
        ("a` opens", "the tag `"),
    ),
}


@pytest.mark.parametrize("kind", SDK)
def test_known_divergence_of_the_middleware_for_reasoning(sdk, kind):
    texts, whole, streamed = SDK[kind]
    assert sdk.split(asked("qwen3"), *texts) == whole
    assert sdk.stream(asked("qwen3"), *texts) == streamed


def test_a_thought_that_the_prompt_opened_and_nothing_closed_is_content_in_the_split_alone(sdk):
    opened = asked("qwen3", opened=True)
    assert sdk.split(opened, "hello world") == ("", "hello world")
    assert sdk.stream(opened, "hello", " world") == ("hello world", "")


# The middleware for tool calls


@pytest.mark.parametrize("dialect", ["granite4", "hermes", "qwen3_coder"])
def test_prose_stays_text_in_both_modes(tool, dialect):
    request = asked(dialect, thinking=False)
    for raw in ("a b", "if a<b then", "a <", "a<tool_c", "x <think>y"):
        assert tool.split(request, raw) == tool.stream(request, *raw) == ("", raw)


@pytest.mark.parametrize(
    ("request_", "raw"),
    [
        (asked("granite4", opened=True), "a"),
        (asked("hermes"), "a"),
        (asked("granite4"), '<tool_call>{"name":"get_weather","arguments":{"city":"P"}}</tool_call>'),
        (asked("granite4"), "<tool_call>{bad}</tool_call>x"),
        (asked("granite4"), '<tool_call>{"name":"get_weather","arguments":{"city":"P"}}'),
        (asked("qwen3_coder"), "x <function=get_weather>"),
        (asked("qwen3_coder"), "<TOOL_CALL>a</TOOL_CALL>"),
    ],
)
def test_what_is_not_text_alone_is_unsupported_in_both_modes(tool, request_, raw):
    with pytest.raises(Unsupported):
        tool.split(request_, raw)
    with pytest.raises(Unsupported):
        tool.stream(request_, *raw)


@pytest.mark.parametrize("dialect", ["granite4", "qwen3_coder"])
def test_text_behind_an_opener_is_not_asked_of_a_stream_which_rightly_holds_it(tool, dialect):
    raw = "use `<tool_call>` ok"
    assert tool.split(asked(dialect), raw) == ("", raw)
    with pytest.raises(Unsupported, match="held"):
        tool.stream(asked(dialect), *raw)


def test_an_opener_at_the_end_is_lost_in_a_stream_of_one_middleware_alone(tool):
    raw = "a<tool_call>"
    assert tool.split(asked("granite4"), raw) == tool.stream(asked("qwen3_coder"), raw) == ("", raw)
    assert tool.stream(asked("granite4"), *raw) == tool.stream(asked("granite4"), raw) == ("", "a")


def test_an_opener_with_attributes_is_none_of_the_dialects_and_not_asked(tool):
    with pytest.raises(Unsupported, match="begins a call here"):
        tool.split(asked("qwen3_coder"), "<tool_call</")


def test_a_lone_closer_is_lost_where_it_stands_in_one_chunk(tool):
    raw = "</tool_call>b"
    assert tool.split(asked("qwen3_coder"), raw) == tool.stream(asked("qwen3_coder"), *raw) == ("", raw)
    assert tool.stream(asked("qwen3_coder"), raw) == ("", "b")


# Scripts


@pytest.mark.parametrize(
    ("which", "request_", "texts", "shown"),
    [
        (
            "sdk", asked("gemma4"), ["<|channel>thought\n", "é", "</th"],
            ['  text "<|channel>thought\\né</th"', '  reasoning-delta "é"'],
        ),
        ("tool", asked("granite4"), ["use `<tool", "_call>` ok"], ['  text "` ok"', '  text-delta "<tool_call>` ok"']),
    ],
)  # fmt: skip
def test_the_script_shows_the_same_without_the_suite(request, which, request_, texts, shown, tmp_path):
    module = request.getfixturevalue(which).module
    found = next(
        folder for folder in _node._searched() if (folder / ("ai" if which == "sdk" else "@ai-sdk-tool")).exists()
    )
    os.symlink(found, tmp_path / "node_modules")
    (tmp_path / "script.mjs").write_text(module.script(request_, "".join(texts), texts, "stop"), encoding="utf-8")
    done = subprocess.run(
        [module.command[0], "script.mjs"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in shown if line not in done.stdout.splitlines()] == []


def test_the_children_stand_beside_their_modules():
    names = sorted(path.name for path in Path(_node.FOLDER).glob("*.mjs"))
    assert names == ["ai_sdk.mjs", "ai_sdk_tool.mjs", "wire_child.mjs"]
