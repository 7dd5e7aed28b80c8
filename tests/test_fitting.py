"""Facts about ``conformance fit``: a right reader's policy comes out, and what no policy explains is told."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.adapter import examined
from conformance.cli import main
from conformance.expectation import ends_aside
from conformance.fitting.fit import Fit, fit
from conformance.fitting.meanings import Oracle
from conformance.fitting.questions import questions, words
from mutants.adapter import Adapter
from mutants.registry import MUTANTS
from oracles.dialects import REGISTRY
from oracles.messages import Message, Unsupported
from oracles.policies import AXES, Policy
from oracles.reader import Machine

POLICIES = st.fixed_dictionaries({axis: st.sampled_from(values) for axis, values in AXES.items() if axis != "space"})


def fitted_to(adapter: Any, dialect: str = "qwen3", length: int = 2, hang: float = 10.0, streamed: bool = False) -> Fit:
    implementation = examined(adapter, "made")
    return fit(implementation, REGISTRY.get(dialect), length, hang, streamed, lambda done, whole, what: None)


def stripped(message: Message) -> Message:
    return Message(ends_aside(message.reasoning), ends_aside(message.content))


class Made:
    """An adapter whose split is a function."""

    name, version, dialects = "made", "1", ("qwen3",)

    def __init__(self, split: Any) -> None:
        self.split = split

    def stream(self, request: Any) -> Any:
        raise Unsupported("streams nothing")


@pytest.mark.parametrize("dialect", ["qwen3", "kimi_k3"])
def test_what_an_output_means_under_a_policy_is_what_the_reader_says(dialect: str) -> None:
    draw = random.Random(1)
    oracle = Oracle(REGISTRY.get(dialect))
    asked = questions(oracle.dialect, words(oracle.dialect, 2))
    for _ in range(400):
        question = draw.choice(asked)
        policy = Policy(**{axis: draw.choice(values) for axis, values in AXES.items()})
        message = Machine(oracle.dialect, policy).split(question.request, question.output.raw, question.finish)
        assert oracle.meanings(question).at(policy) == (message.reasoning, message.content)


@settings(max_examples=25, deadline=None, database=None)
@given(POLICIES)
def test_a_right_reader_of_any_policy_comes_out_as_that_policy_where_words_tell(values: dict[str, Any]) -> None:
    found = fitted_to(Adapter("right", reads=values))
    assert found.explained == found.readings == 8 * found.words
    assert found.unexplained == ()
    assert found.choice.values == {axis: (values | {"space": "kept"})[axis] for axis in found.choice.values}
    assert {axis.verdict for axis in found.choice.axes} <= {"decided", "undecided", "tied"}


@pytest.mark.parametrize("axis", [axis for axis in AXES if axis != "space"])
def test_each_value_of_each_axis_is_told_from_the_others(axis: str) -> None:
    for value in AXES[axis]:
        found = fitted_to(Adapter("right", reads={axis: value}), "kimi_k3")
        assert found.choice.values[axis] == value


def test_a_reader_that_strips_its_channels_is_trimmed() -> None:
    assert fitted_to(Adapter("strips", message=stripped)).choice.values["space"] == "trimmed"
    assert fitted_to(Adapter("keeps")).choice.values["space"] == "kept"


def test_a_few_words_without_their_space_make_no_reader_trimmed() -> None:
    def blank(message: Message) -> Message:
        return Message(message.reasoning, "") if message.content == " " else message

    found = fitted_to(Adapter("blank", message=blank))
    assert found.choice.values["space"] == "kept"
    assert found.unexplained[0].question.output.raw == " "
    assert {each.by.space for each in found.unexplained if each.by} == {"trimmed"}


def test_an_axis_that_the_dialect_has_no_marker_for_is_not_spoken_of() -> None:
    assert "skipped_channel" not in {axis.name for axis in fitted_to(Adapter("right")).choice.axes}


def test_where_no_value_is_what_it_does_none_is_given() -> None:
    def split(raw: str, request: Any, finish: Any) -> tuple[str, str]:
        message = Adapter("right").split(raw, request, finish)
        echoed = raw.count("<think>") + request.opened > 1
        return ("nothing like it", "") if echoed else (message.reasoning, message.content)

    found = fitted_to(Made(split))
    verdicts = {axis.name: axis.verdict for axis in found.choice.axes}
    assert verdicts["echoed_open"] != "decided"
    assert verdicts["declined"] == "decided"
    assert "echoed_open" not in found.choice.values


def test_the_first_word_of_a_kind_is_a_shortest_and_its_nearest_policy_is_told() -> None:
    def split(raw: str, request: Any, finish: Any) -> tuple[str, str]:
        message = Adapter("right").split(raw, request, finish)
        return message.reasoning, message.content.replace("<", "", 1) if raw.endswith("<") else message.content

    found = fitted_to(Made(split))
    cut = next(each for each in found.unexplained if each.kind == "cut-at-end")
    assert cut.question.output.raw == "<"
    assert cut.answer == ("", "")
    assert cut.by is None
    assert cut.like == ("", "<")
    assert cut.count > 1


def test_a_word_that_another_policy_explains_is_told_with_it() -> None:
    def split(raw: str, request: Any, finish: Any) -> Any:
        odd = request.opened and raw == "<think>"
        return Adapter("right", reads={"echoed_open": "dropped"} if odd else {}).split(raw, request, finish)

    (echo,) = fitted_to(Made(split)).unexplained
    assert echo.question.output.raw == "<think>"
    assert echo.by is not None
    assert echo.by.echoed_open == "dropped_first"


def test_what_is_declared_is_held_to_the_same_words() -> None:
    found = fitted_to(Adapter("right", reads={"declined": "text"}, declares={"declined": "dropped"}))
    assert found.declared == {"declined": "dropped"}
    assert found.declared_explains < found.explained == found.readings


def test_a_split_that_raises_answers_all_the_same() -> None:
    def split(raw: str, request: Any, finish: Any) -> Any:
        if "\n" in raw:
            raise KeyError("a line feed")
        return Adapter("right").split(raw, request, finish)

    found = fitted_to(Made(split))
    assert set(found.failures) == {"raised"}
    assert found.explained + found.failures["raised"] == found.readings
    assert found.choice.values["declined"] == "dropped"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child process")
def test_a_split_that_ends_the_process_ends_nothing_of_ours() -> None:
    def split(raw: str, request: Any, finish: Any) -> Any:
        if raw == "\n" and request.opened and request.thinking and finish == "stop":
            os._exit(3)
        return Adapter("right").split(raw, request, finish)

    found = fitted_to(Made(split))
    assert found.failures == {"died": 1}
    assert found.explained == found.readings - 1
    assert "exit code 3" in found.unexplained[0].answer.text


def test_a_split_that_hangs_is_interrupted_and_given_up_after_a_few() -> None:
    def split(raw: str, request: Any, finish: Any) -> Any:
        if "<think>" in raw:
            time.sleep(60)
        return Adapter("right").split(raw, request, finish)

    found = fitted_to(Made(split), hang=0.2)
    assert found.failures == {"hung": 3}
    assert "hung" in found.note
    assert found.readings < 8 * found.words


def test_a_malformed_answer_is_counted() -> None:
    assert set(fitted_to(Made(lambda raw, request, finish: raw)).failures) == {"malformed"}


def test_a_refused_request_is_left_out_with_its_reason() -> None:
    def split(raw: str, request: Any, finish: Any) -> Any:
        if request.opened:
            raise Unsupported("never opened")
        return Adapter("right").split(raw, request, finish)

    found = fitted_to(Made(split))
    assert found.refused == {"never opened": found.readings}
    assert found.explained == found.readings


def test_an_adapter_that_only_streams_is_asked_by_its_streams() -> None:
    def refused(raw: str, request: Any, finish: Any) -> Any:
        raise Unsupported("only streams")

    right = Adapter("right", reads={"reopen": "opens"})
    right.split = refused  # type: ignore[method-assign]
    found = fitted_to(right)
    assert found.mode == "stream"
    assert found.choice.values["reopen"] == "opens"
    assert found.explained == found.readings


def test_the_stream_is_asked_where_it_is_asked_for() -> None:
    adapter = Adapter("two", reads={"declined": "text"}, streams={"declined": "dropped"})
    assert fitted_to(adapter).choice.values["declined"] == "text"
    assert fitted_to(adapter, streamed=True).choice.values["declined"] == "dropped"


def test_an_adapter_that_refuses_everything_fits_nothing() -> None:
    def refused(raw: str, request: Any, finish: Any) -> Any:
        raise Unsupported("nothing at all")

    found = fitted_to(Made(refused))
    assert found.readings == 0
    assert sum(found.refused.values()) == 8 * found.words


@pytest.mark.parametrize("id", ["waiting-is-text", "drops-tail", "cut-marker-is-content"])
def test_a_misreading_mutant_has_words_that_no_policy_explains(id: str) -> None:
    mutant = MUTANTS[id]
    found = fit(mutant.load(), REGISTRY.get(mutant.dialect), 2, 10.0, False, lambda done, whole, what: None)
    assert any(each.by is None for each in found.unexplained)


def test_the_command_prints_lines_to_paste(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "--impl=conformance.adapters.reference", "--dialect=qwen3,glm45", "--length=2"]) == 0
    told = capsys.readouterr().out
    assert "explains 1,064 of 1,064 (100.0 %)" in told
    lines = told[told.index("policy = {") :]
    pasted: dict[str, Any] = {}
    exec(lines, pasted)
    assert set(pasted["policy"]) == {"qwen3", "glm45"}
    assert pasted["policy"]["qwen3"]["calls_end_reasoning"] is True


def test_the_command_speaks_to_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "--impl=conformance.adapters.reference", "--dialect=qwen3", "--length=1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["implementation"] == {"name": "reference", "version": "1"}
    assert told["fits"][0]["explained"] == told["fits"][0]["readings"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--impl=conformance.adapters.reference", "--dialect=qwen33"], "did you mean 'qwen3'?"),
        (["--impl=no_such_module"], "there is no module 'no_such_module'"),
        (["--impl=conformance.adapters.reference", "--length=long"], "'long' is no number from 0 on"),
        (["--impl=conformance.adapters.reference", "--hang-after=0"], "'0' is no number of seconds"),
        ([], "--impl"),
    ],
)
def test_what_can_not_be_done_is_one_sentence(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", *words]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error


def test_nothing_that_an_implementation_prints_comes_between(capfd: pytest.CaptureFixture[str]) -> None:
    def split(raw: str, request: Any, finish: Any) -> Any:
        print("noise")
        print("noise", file=sys.stderr)
        return Adapter("right").split(raw, request, finish)

    fitted_to(Made(split), length=1)
    assert capfd.readouterr() == ("", "")


KID = """
import json, sys
from oracles.dialects import REGISTRY
from oracles.messages import Request
from oracles.reader import Machine
machine = Machine(REGISTRY.get("qwen3"), REGISTRY.get("qwen3").policy.with_values({"declined": "text"}))
for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "start":
        told = {"version": 1, "implementation": {"name": "kid", "version": "1", "dialects": ["qwen3"]}}
    elif asked["cmd"] == "split":
        request = Request("qwen3", asked["request"]["opened"], asked["request"]["thinking"])
        message = machine.split(request, asked["raw"], asked["finish"])
        told = {"seq": asked["seq"], "message": {"reasoning": message.reasoning, "content": message.content}}
    elif asked["cmd"] == "stream":
        told = {"seq": asked["seq"], "unsupported": "streams nothing"}
    else:
        break
    print(json.dumps(told), flush=True)
"""


def test_a_command_on_the_wire_is_fitted_as_a_module_is(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    kid = tmp_path / "kid.py"
    kid.write_text(KID, encoding="utf-8")
    words = ["fit", f"--impl=cmd:{sys.executable} {kid}", "--dialect=qwen3", "--length=2", "--json"]
    assert main(words) == 0
    (told,) = json.loads(capsys.readouterr().out)["fits"]
    assert told["explained"] == told["readings"] == 8 * told["words"]
    assert told["policy"]["declined"] == "text"


def test_a_terminal_sees_how_far_a_fit_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("conformance.fitting.command.shows_progress", lambda stream: True)
    assert main(["fit", "--impl=conformance.adapters.reference", "--dialect=qwen3", "--length=2"]) == 0
    drawn = capsys.readouterr().err
    assert "qwen3 (1/1)" in drawn
    assert "asking" in drawn
    assert "readings" in drawn
    assert "streams" not in drawn
