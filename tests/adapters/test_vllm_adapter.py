"""The adapter to vLLM: what it asks, what it declares, and the divergences that are known."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import pytest

from conformance.adapters import vllm_install
from oracles.dialects import REGISTRY
from oracles.messages import Chunk, Request, Unsupported
from oracles.policies import check_values
from oracles.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def adapter():
    try:
        return import_module("conformance.adapters.vllm")
    except ImportError as error:
        pytest.skip(str(error))


def request_for(dialect, opened, thinking=True, surface=None):
    return Request(dialect, opened=opened, thinking=thinking, surface=surface)


def chunks_of(dialect, texts):
    """The chunks of those texts; an empty one brings the ids of the text behind it."""
    vocabulary = Vocabulary(REGISTRY.get(dialect))
    ids = [vocabulary.tokens(text)[0] for text in texts]
    for number in range(len(texts) - 1):
        if not texts[number]:
            ids[number], ids[number + 1] = ids[number + 1], ()
    return [Chunk(text, own) for text, own in zip(texts, ids, strict=True)]


def split(adapter, request, *texts):
    message = adapter.split("".join(texts), request, "stop")
    return message.reasoning, message.content


def stream(adapter, request, *texts):
    reader = adapter.stream(request)
    deltas = [delta for chunk in chunks_of(request.dialect, texts) for delta in reader.feed(chunk)]
    deltas += reader.finish("stop")
    return tuple("".join(text for channel, text in deltas if channel == wanted) for wanted in ("reasoning", "content"))


def python(script, *options):
    return subprocess.run([sys.executable, *options, "-c", script], capture_output=True, text=True, timeout=300)


# The installation


def test_what_to_install_is_said_where_vllm_is_not_there():
    script = (
        "from importlib import metadata\n"
        "def absent(name): raise metadata.PackageNotFoundError(name)\n"
        "metadata.version = absent\n"
        "try: import conformance.adapters.vllm\n"
        "except ImportError as error: print(error)\n"
    )
    assert "python -m conformance.adapters.vllm_install" in python(script).stdout


def test_every_requirement_is_pinned():
    lines = vllm_install.REQUIREMENTS.read_text(encoding="utf-8").split()
    assert len(lines) > 50
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


def test_the_install_takes_no_arguments(capsys):
    assert vllm_install.main(["--help"]) == 2
    assert "takes no arguments" in capsys.readouterr().err


def test_a_step_of_the_install_that_fails_says_which_and_what_pip_said():
    with pytest.raises(vllm_install.InstallError, match=r"failed where it tries; pip said:\n.*unknown command"):
        vllm_install.pip("tries", "no-such-command")


def test_importing_the_adapter_is_silent_and_leaves_no_stand_in_behind(adapter):
    script = (
        "import sys, conformance.adapters.vllm\n"
        "from conformance.adapters.vllm.stand_ins import STAND_INS\n"
        "print([n for n in STAND_INS if n in sys.modules and not getattr(sys.modules[n], '__file__', None)])\n"
    )
    done = python(script, "-W", "error")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed here")
def test_no_torch_is_needed(adapter):
    assert "torch" not in sys.modules


# What it declares


def test_every_dialect_is_known_and_its_policy_exists(adapter):
    assert adapter.dialects
    assert adapter.dialects <= set(REGISTRY.ids())
    assert set(adapter.policy) == adapter.dialects
    for values in adapter.policy.values():
        check_values(values)


def test_ids_are_the_suites_own(adapter):
    for dialect in adapter.dialects:
        tokenizer = adapter.server(dialect).tokenizer
        for text in (*REGISTRY.get(dialect).all_markers, "aé\U0001f600"):
            ids = tokenizer.encode(text)
            assert tokenizer.decode(ids) == text
            if not adapter.MODELS[dialect].merged:
                assert ids == list(Vocabulary(REGISTRY.get(dialect)).tokens(text)[0]), (dialect, text)


def test_the_tokens_that_vllm_looks_for_in_a_prompt_are_tokens(adapter):
    prompt = adapter.server("qwen3").tokenizer.encode("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    tokenizer = adapter.server("qwen3").tokenizer
    assert prompt[0] == tokenizer.get_vocab()["<|im_start|>"]
    parser, _ = adapter.server("qwen3").parser({})
    assert parser.is_reasoning_end(prompt)
    assert not parser.is_reasoning_end(prompt[: prompt.index(tokenizer.get_vocab()["</think>"])])


UNSUPPORTED = [
    ("deepseek_r1", False, True),
    ("qwen3", False, True),
    ("qwen3", True, False),
    ("granite32", True, True),
    ("mistral", True, True),
    ("kimi_k3", True, False),
]


@pytest.mark.parametrize(("dialect", "opened", "thinking"), UNSUPPORTED)
def test_what_can_not_be_asked_is_unsupported_in_both_modes(adapter, dialect, opened, thinking):
    with pytest.raises(Unsupported):
        adapter.split("a", request_for(dialect, opened, thinking), "stop")
    with pytest.raises(Unsupported):
        adapter.stream(request_for(dialect, opened, thinking))


def test_an_output_past_the_token_that_ends_a_turn_is_unsupported_in_both_modes(adapter):
    asked = request_for("kimi_k3", True)
    with pytest.raises(Unsupported, match="ends the turn"):
        split(adapter, asked, "T", "<|end_of_msg|>")
    with pytest.raises(Unsupported, match="ends the turn"):
        stream(adapter, asked, "T", "<|end_of_msg|>")


# What the engine puts out


def serving():
    return import_module("conformance.adapters.vllm.serving")


def outs(adapter, *chunks):
    server = adapter.server("qwen3")
    deltas = serving().Deltas(server.model, server.tokenizer)
    return [deltas.of(chunk) for chunk in chunks], deltas.last("length")


def test_the_last_of_the_ids_that_come_before_their_text_comes_with_it(adapter):
    assert outs(adapter, Chunk("", (97, 98)), Chunk("ab")) == ([("", [97]), ("ab", [98])], ("", []))
    assert outs(adapter, Chunk("", (97,)), Chunk("ab", (98,))) == ([None, ("ab", [97, 98])], ("", []))
    assert outs(adapter, Chunk("", (97,))) == ([None], ("", [97]))


def test_nothing_is_put_out_for_an_empty_chunk(adapter):
    assert outs(adapter, Chunk(""), Chunk("a", (97,)), Chunk("")) == ([None, ("a", [97]), None], ("", []))


def test_a_model_that_stops_by_itself_ends_with_a_token_without_text(adapter):
    server = adapter.server("qwen3")
    assert serving().Deltas(server.model, server.tokenizer).last("stop") == ("", [server.tokenizer.eos_token_id])


def test_content_before_reasoning_in_one_message_is_told_first(adapter):
    reader = adapter.stream(request_for("mistral", False))
    (chunk,) = chunks_of("mistral", ["a[THINK]b"])
    assert reader.feed(chunk) == [("content", "a"), ("reasoning", "b")]


def test_reasoning_before_content_in_one_message_is_told_first(adapter):
    reader = adapter.stream(request_for("qwen3", True))
    (chunk,) = chunks_of("qwen3", ["a</think>a"])
    assert reader.feed(chunk) == [("reasoning", "a"), ("content", "a")]


# What it reads


ORDINARY = [
    ("deepseek_r1", True, ["T", "</think>", "A"]),
    ("deepseek_v4", True, ["T", "</think>", "A"]),
    ("ernie45", True, ["T", "</think>", "A"]),
    ("gemma4", False, ["<|channel>", "thought", "\n", "T", "<channel|>", "A"]),
    ("glm45", True, ["T", "</think>", "A"]),
    ("kimi_k2", True, ["<think>", "T", "</think>", "A"]),
    ("kimi_k3", True, ["T", "<|close|>", "think", "<|sep|>", "<|open|>", "response", "<|sep|>", "A"]),
    ("minimax_m3", True, ["T", "</mm:think>", "A"]),
    ("minimax_m3", False, ["<mm:think>", "T", "</mm:think>", "A"]),
    ("mistral", False, ["[THINK]", "T", "[/THINK]", "A"]),
    ("olmo3", True, ["T", "</", "think", ">", "A"]),
    ("qwen3", True, ["T", "</think>", "A"]),
    ("step3", True, ["T", "</think>", "A"]),
]


@pytest.mark.parametrize(("dialect", "opened", "texts"), ORDINARY)
@pytest.mark.parametrize("surface", [None, "reasoning_parser"])
def test_ordinary_output_is_read_right_in_both_modes(adapter, dialect, opened, texts, surface):
    asked = request_for(dialect, opened, surface=surface)
    if surface and dialect == "kimi_k3":
        pytest.skip("vLLM's server takes the frames off for this parser")
    assert split(adapter, asked, *texts) == ("T", "A")
    assert stream(adapter, asked, *texts) == ("T", "A")


def test_with_thinking_off_tags_are_text(adapter):
    asked = request_for("qwen3", False, thinking=False)
    assert split(adapter, asked, "<think>", "a") == stream(adapter, asked, "<think>", "a") == ("", "<think>a")


# The divergences that are known, each (split, then stream)


DIVERGENCES = {
    "a stop string: text that lags its ids": (
        ("deepseek_r1", True, ["", "a</think>b"]),
        (("a", "b"), ("", "a</think>b")),
    ),
    "an opener with text in one chunk": (("deepseek_r1", True, ["f<think>"]), (("", ""), ("f<think>", ""))),
    "a second closer": (("qwen3", True, ["</think>", "</think>"]), (("", ""), ("", "</think>"))),
    "a second block": (("glm45", True, ["a", "</think>", "<think>", "b"]), (("ab", ""), ("a", "<think>b"))),
    "the same of DeepSeek-V4": (
        ("deepseek_v4", True, ["a", "</think>", "<think>", "b"]),
        (("ab", ""), ("a", "<think>b")),
    ),
    "text before an opener": (("deepseek_r1", True, ["a", "<think>"]), (("", ""), ("a", ""))),
    "a chunk of opener and text": (("ernie45", True, ["<think>a", "</think>b"]), (("a", "b"), ("<think>a", "b"))),
    "the answer behind the closer": (("olmo3", True, ["a</think>b"]), (("a", "b"), ("a", ""))),
    "no closer": (("olmo3", True, ["a"]), (("", "a"), ("a", ""))),
    "no closer, the prompt opened": (("gemma4", True, ["a"]), (("", "a"), ("a", ""))),
    "a skipped thinking channel": (
        ("kimi_k3", True, ["<|open|>", "response", "<|sep|>", "a"]),
        (("", "a"), ("<|open|>response<|sep|>a", "")),
    ),
    "a cut tag at the end": (("minimax_m3", True, ["<"]), (("<", ""), ("", ""))),
    "what may begin a tag, behind the first words of the answer": (
        ("minimax_m3", False, ["b <", "f"]),
        (("", "b <f"), ("", "b f")),
    ),
    "an opener behind words": (("minimax_m3", False, ["b", "<mm:think>", "f"]), (("f", "b"), ("", "b<mm:think>f"))),
    "the wrapper of an answer": (
        ("ernie45", True, ["T", "</think>", "<response>", "A", "</response>"]),
        (("T", "A"), ("T", "<response>A</response>")),
    ),
    "white space before a cut tag": (("glm45", True, ["b ", "<"]), (("b <", ""), ("b<", ""))),
    "a tag in a call's arguments": (
        ("qwen3", True, ["</think>", "<tool_call>", "</think>"]),
        (("", "<tool_call>"), ("", "<tool_call></think>")),
    ),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_known_divergence(adapter, kind):
    (dialect, opened, texts), (whole, streamed) = DIVERGENCES[kind]
    assert split(adapter, request_for(dialect, opened), *texts) == whole
    assert stream(adapter, request_for(dialect, opened), *texts) == streamed


# The script


def test_the_script_repeats_a_case_without_the_suite(adapter):
    text = adapter.script(request_for("deepseek_r1", True), "a</think>b", ["", "a</think>b"], "stop")
    imported = {node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert not {name for name in imported if name.partition(".")[0] in ("conformance", "oracles", "mutants")}
    done = python(text)
    assert done.returncode == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert (first.split(), last.split()) == (["split", "'a'", "'b'"], ["stream", "''", "'a</think>b'"])


def test_the_script_of_a_split_alone_streams_nothing(adapter):
    text = adapter.script(request_for("granite32", False), "a", None, "stop")
    assert "parse_delta(" not in text.partition("class Tokenizer")[2]
