"""Loading an adapter: what is wrong with it is one clear error, before anything runs."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.adapter import AdapterError, Implementation, load
from oracles.dialects import REGISTRY

GOOD = """
name = "mine"
version = "1"
dialects = {"qwen3"}
def split(raw, request, finish):
    return None, raw
def stream(request):
    return None
"""
NUMBERS = itertools.count()

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes a module into the current directory, which is no part of sys.path; its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(tmp_path))])
    before = set(sys.modules)

    def written(text: str, name: str = "") -> str:
        name = name or f"adapter_number_{next(NUMBERS)}"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        return name

    yield written
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and Path(str(sys.modules[name].__file__)).parent == tmp_path:
            del sys.modules[name]


def loaded(**names: Any) -> Implementation:
    """An adapter that is well formed but for ``names``, loaded; a name that is ... is left out."""
    values = {
        "name": "mine",
        "version": "1",
        "dialects": {"qwen3"},
        "split": lambda raw, request, finish: (None, raw),
        "stream": lambda request: None,
        **names,
    }
    HELD.adapter = SimpleNamespace(**{name: value for name, value in values.items() if value is not ...})
    return load(f"{__name__}:HELD.adapter")


HELD = SimpleNamespace(adapter=None)


def message(**names: Any) -> str:
    """The text of the error for an adapter that is well formed but for ``names``, without the words that begin it."""
    with pytest.raises(AdapterError) as raised:
        loaded(**names)
    text = str(raised.value)
    where = f"adapter {__name__}:HELD.adapter"
    assert text.startswith(where)
    return text[len(where) :].removeprefix(": ")


def error_of(spec: str) -> str:
    with pytest.raises(AdapterError) as raised:
        load(spec)
    return str(raised.value)


class Odd:
    """Its repr raises."""

    def __repr__(self) -> str:
        raise KeyError("no repr")


class Locked:
    """A name of it can't be read."""

    name = "mine"
    version = "1"
    dialects = ("qwen3",)

    @property
    def split(self) -> Any:
        raise OSError("no network")

    def stream(self, request: Any) -> None:
        return None


LOCKED = Locked()


class Whole(Locked):
    def split(self, raw: str, request: Any, finish: str) -> tuple[None, str]:
        return None, raw


WHOLE = Whole()


class Demanding(Whole):
    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer


class Leaving(Whole):
    def __init__(self) -> None:
        raise SystemExit(3)


def test_an_adapter_in_the_current_directory_is_found(write: Write) -> None:
    assert load(write(GOOD)).name == "mine"


def test_names_are_stripped_and_dialects_sorted() -> None:
    implementation = loaded(name=" mine ", version="1\n", dialects=["qwen3", "kimi_k3", "qwen3"])
    assert (implementation.name, implementation.version) == ("mine", "1")
    assert implementation.dialects == ("kimi_k3", "qwen3")


def test_a_missing_module_is_named() -> None:
    assert error_of("no_such_module_anywhere") == (
        "--impl=no_such_module_anywhere: there is no module 'no_such_module_anywhere'; "
        "run from the folder that holds it, or install its package"
    )


def test_a_missing_part_of_a_package_is_named() -> None:
    assert "there is no module 'json.nothing'" in error_of("json.nothing")
    assert "there is no module 'no_such_package'" in error_of("no_such_package.adapter")


def test_a_module_missing_inside_the_adapter_is_told_with_its_place(write: Write) -> None:
    name = write("import os\nimport no_such_dependency\n")
    told = error_of(name)
    assert f"--impl={name}: importing it failed: ModuleNotFoundError: No module named 'no_such_dependency'" in told
    assert f"{name}.py, line 2)" in told


def test_an_error_while_importing_is_told_with_its_place(write: Write) -> None:
    name = write("def go():\n    raise ValueError('bad\\nday')\ngo()\n")
    told = error_of(name)
    assert f"--impl={name}: importing it failed: ValueError: bad day (" in told
    assert told.endswith(f"{name}.py, line 2)")


def test_an_error_whose_text_raises_is_told(write: Write) -> None:
    name = write("class Mute(Exception):\n    def __str__(self): raise OSError\nraise Mute\n")
    assert "importing it failed: Mute (" in error_of(name)


def test_a_module_that_exits_while_importing_is_told(write: Write) -> None:
    name = write("import sys\nsys.exit('usage: mine')\n")
    assert "importing it failed: SystemExit: usage: mine (" in error_of(name)


def test_a_ctrl_c_while_importing_is_no_error_of_the_adapter(write: Write) -> None:
    name = write("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load(name)


def test_a_syntax_error_is_told_once_with_its_place(write: Write) -> None:
    name = write("name = 'mine'\ndef split(:\n")
    told = error_of(name)
    assert "importing it failed: SyntaxError: invalid syntax (" in told
    assert told.endswith(f"{name}.py, line 2)")
    assert told.count(f"{name}.py") == 1


def test_a_missing_name_comes_with_the_lines_that_satisfy_it(write: Write) -> None:
    name = write(GOOD.replace("def split", "def divide"))
    told = error_of(name).splitlines()
    assert told[0].startswith(f"adapter {name} (")
    assert told[0].endswith(f"{name}.py) has no split; an adapter needs, for example:")
    assert told[1:] == [
        "    def split(raw, request, finish):",
        "        reasoning, content = ...",
        "        return reasoning, content",
    ]


def test_all_missing_names_are_told_at_once(write: Write) -> None:
    told = error_of(write(""))
    assert " has no name and no version and no dialects and no split and no stream; an adapter needs" in told
    for line in ('    name = "mypkg"', '    version = "1.2.3"', '    dialects = {"qwen3", "kimi_k3"}'):
        assert line in told.splitlines()


def test_the_lines_that_satisfy_are_python(write: Write) -> None:
    lines = error_of(write("")).splitlines()[1:]
    name = write("import textwrap\nexec(textwrap.dedent('''" + "\n".join(lines) + "'''))\n")
    assert load(name).name == "mypkg"


def test_a_module_that_hides_behind_one_of_the_standard_library_is_told_by_its_file(write: Write) -> None:
    write(GOOD, "tomllib")
    told = error_of("tomllib")
    assert told.startswith("adapter tomllib (")
    assert "__init__.py) has no name and no version" in told


@pytest.mark.parametrize("value", ["", "  ", 1, None, b"mine"])
@pytest.mark.parametrize("name", ["name", "version"])
def test_a_name_or_version_is_a_text(name: str, value: Any) -> None:
    told = message(**{name: value}).splitlines()
    assert told[0] == f"{name} must be a text that isn't empty, not {value!r}; for example:"
    assert told[1].startswith(f"    {name} = ")


@pytest.mark.parametrize("name", ["split", "stream"])
def test_split_and_stream_are_callable(name: str) -> None:
    assert message(**{name: "text"}).startswith(f"{name} must be callable, not 'text'; for example:\n    def {name}(")


def test_a_value_without_a_repr_is_told_by_its_type() -> None:
    assert message(split=Odd()).startswith("split must be callable, not <Odd whose repr raises KeyError>;")


def test_a_name_that_can_t_be_read_is_told() -> None:
    told = error_of(f"{__name__}:LOCKED")
    assert told.startswith(f"adapter {__name__}:LOCKED: reading its split failed: OSError: no network (")


def test_dialects_that_are_one_text_are_refused() -> None:
    told = message(dialects="qwen3")
    assert told.splitlines() == [
        "dialects must be a set of ids, not the text 'qwen3'; for example:",
        '    dialects = {"qwen3", "kimi_k3"}',
    ]


@pytest.mark.parametrize("value", [None, 3, object])
def test_dialects_that_can_t_be_listed_are_refused(value: Any) -> None:
    assert message(dialects=value) == f"dialects is {value!r}; it must be a set, a list or a tuple of texts"


def test_dialects_hold_texts() -> None:
    assert message(dialects=["qwen3", 7]).startswith("dialects must hold ids, texts, not 7;")


def test_empty_dialects_are_refused() -> None:
    assert message(dialects=set()).startswith("dialects is empty: there is nothing to judge;")


def test_an_unknown_dialect_is_a_note_where_others_are_known() -> None:
    implementation = loaded(dialects={"qwen3", "kimi_k33"})
    assert implementation.dialects == ("qwen3",)
    assert implementation.notes == ("no dialect is called 'kimi_k33' (did you mean 'kimi_k3'?): left out",)


def test_an_unknown_dialect_alone_is_an_error_with_the_nearest() -> None:
    told = message(dialects={"qwen33", "zzz"})
    known = len(REGISTRY.ids())
    assert told == (
        "no dialect is called 'qwen33' (did you mean 'qwen3'?), 'zzz'; "
        f"`conformance dialects` lists the {known} there are"
    )


def test_dialects_may_be_any_iterable() -> None:
    assert loaded(dialects=iter(["qwen3"]), policy={"qwen3": {"reopen": "text"}}).dialects == ("qwen3",)


def test_a_dialect_of_a_file_is_judged_whatever_is_claimed() -> None:
    HELD.adapter = WHOLE
    assert load(f"{__name__}:HELD.adapter", added=("mine",)).dialects == ("mine", "qwen3")
    assert load(f"{__name__}:WHOLE", added=()).dialects == ("qwen3",)


def test_an_unknown_axis_is_told_with_the_nearest() -> None:
    told = message(policy={"reopens": "text"})
    assert told.startswith("no policy axis is called 'reopens'; the axes are reopen, ")
    assert told.endswith("(did you mean 'reopen'?)")


def test_an_unknown_value_is_told_with_those_there_are() -> None:
    assert message(policy={"reopen": "txet"}).startswith("axis 'reopen' has no value 'txet'; its values are 'text', ")


@pytest.mark.parametrize("value", [1, "true", "True", None, 0])
def test_calls_end_reasoning_is_a_boolean(value: Any) -> None:
    told = message(policy={"calls_end_reasoning": value})
    assert told == f"axis 'calls_end_reasoning' has no value {value!r}; its values are True, False"


@pytest.mark.parametrize("value", [True, False])
def test_calls_end_reasoning_is_declared(value: bool) -> None:
    assert loaded(policy={"calls_end_reasoning": value}).declared == {"qwen3": {"calls_end_reasoning": value}}


def test_mixed_forms_of_a_policy_are_refused() -> None:
    told = message(policy={"reopen": "text", "qwen3": {"prefix": "content"}})
    assert told == "policy mixes axes ('reopen') with dialects ('qwen3'); use one form"


def test_a_policy_for_an_unknown_dialect_is_told_with_the_nearest() -> None:
    told = message(policy={"qwen33": {"reopen": "text"}})
    assert told == "policy names a dialect 'qwen33' that isn't known (did you mean 'qwen3'?)"


def test_a_policy_for_a_dialect_that_is_claimed_and_unknown_is_left_alone() -> None:
    policy = {"qwen3": {"reopen": "text"}, "zzz": {"reopen": "text"}}
    assert loaded(dialects={"qwen3", "zzz"}, policy=policy).declared["qwen3"] == {"reopen": "text"}


def test_a_mapping_for_an_axis_is_told_with_its_values() -> None:
    told = message(policy={"reopen": {"qwen3": "text"}})
    assert told.startswith("policy axis 'reopen' has the value {'qwen3': 'text'}; its values are 'text', ")


def test_an_unknown_value_in_a_dialect_s_policy_names_the_dialect() -> None:
    told = message(policy={"qwen3": {"reopen": "never"}})
    assert told.startswith(", policy of qwen3: axis 'reopen' has no value 'never'")


@pytest.mark.parametrize("value", [("reopen", "text"), "text", 1, ["reopen"]])
def test_a_policy_is_a_mapping(value: Any) -> None:
    assert message(policy=value) == f"policy is {value!r}; it must map axes to values, or dialects to such mappings"


@pytest.mark.parametrize("value", [None, {}, {"qwen3": {}}])
def test_a_policy_may_declare_nothing(value: Any) -> None:
    implementation = loaded(policy=value)
    assert implementation.values_for(REGISTRY.get("qwen3")) == {}


@pytest.mark.parametrize("value", ["token", "", None, ["text"], 1])
def test_an_unknown_unit_of_chunks_is_refused(value: Any) -> None:
    told = message(chunks=value)
    assert told.startswith(f"chunks is {value!r}; it must be 'text' (a chunk may end anywhere) or 'tokens'")


@pytest.mark.parametrize("value", ["chat", ("chat", 1), ("chat", "")])
def test_surfaces_are_names(value: Any) -> None:
    assert message(surfaces=value) == (
        f"surfaces is {value!r}; it must be names of endpoints, such as ('chat', 'responses')"
    )


def test_surfaces_that_can_t_be_listed_are_refused() -> None:
    assert message(surfaces=3).startswith("surfaces is 3; it must be a set, a list or a tuple of texts")


def test_surfaces_count_once_and_may_come_from_anything_that_lists_them() -> None:
    assert loaded(surfaces=iter(["chat", "responses", "chat"])).surfaces == ("chat", "responses")


@pytest.mark.parametrize("value", ["no", 1, None])
def test_surrogates_is_a_boolean(value: Any) -> None:
    assert message(surrogates=value) == f"surrogates is {value!r}; it must be True or False"


@pytest.mark.parametrize(
    ("spec", "meant"),
    [("pkg/mod.py", "pkg.mod"), ("mod.py", "mod"), ("./pkg", "pkg"), (".pkg", "mypkg.adapter"), ("", "mypkg.adapter"),
     ("a b", "mypkg.adapter"), ("pkg..mod", "mypkg.adapter"), ("../pkg", "mypkg.adapter")],
)  # fmt: skip
def test_a_path_is_no_module_name(spec: str, meant: str) -> None:
    told = error_of(spec)
    assert told == (f"--impl={spec}: {spec!r} is no module name; write it as in an import, {meant} or {meant}:object")


def test_a_missing_object_is_told_with_the_nearest() -> None:
    told = error_of(f"{__name__}:WHOL")
    assert told == f"--impl={__name__}:WHOL: {__name__} has no object 'WHOL' (did you mean 'WHOLE'?)"


def test_a_class_is_made_into_an_object() -> None:
    assert isinstance(load(f"{__name__}:Whole").adapter, Whole)


def test_a_class_that_needs_arguments_is_told() -> None:
    told = error_of(f"{__name__}:Demanding")
    assert "Demanding is a class that can't be made without arguments (TypeError: " in told
    assert told.endswith("name an object instead")


def test_a_class_that_exits_is_told() -> None:
    assert "Leaving is a class that can't be made without arguments (SystemExit: 3" in error_of(f"{__name__}:Leaving")
