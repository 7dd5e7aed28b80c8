"""Adapters that answer nonsense, raise, hang, crash and misbehave: the run ends, and says what happened."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import itertools
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.adapter import Implementation
from conformance.adapters import reference
from conformance.judge import Options, judge
from conformance.ladder import Ladder
from conformance.profiles import PROFILES
from conformance.verdicts import Verdict
from oracles.messages import Chunk, Request

CLOSE = "</think>"
DIALECT = "qwen3"
LIMIT = 0.5
Names = dict[str, Any]


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = Ladder.shapes
    small = replace(
        PROFILES["quick"], cut_words=1, words=1, core_words=1, edges=64, examples=3, longest=4000, patience=0.05
    )
    monkeypatch.setitem(PROFILES, "quick", small)
    monkeypatch.setattr(Ladder, "shapes", lambda self: itertools.islice(shapes(self), 12))


def judged(checks: str = "never-raises nothing-lost", **names: Any) -> dict[str, Verdict]:
    """The verdicts on the reference adapter with other names in the place of its own."""
    own = {"split": reference.split, "stream": reference.stream}
    adapter = SimpleNamespace(name="hostile", version="0", dialects={DIALECT}, **{**own, **names})
    implementation = Implementation("hostile", adapter, "hostile", "0", (DIALECT,), surfaces=names.get("surfaces", ()))
    options = Options(profile="quick", checks=frozenset(checks.split()), hang_after=LIMIT)
    verdicts = judge(implementation, DIALECT, options, lambda _: None)
    assert not children()
    return {verdict.check: verdict for verdict in verdicts}


def children() -> list[str]:
    """The processes that this one started and that are still there."""
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if " ps -o" not in line]


def failure(verdicts: dict[str, Verdict]) -> str:
    """What never-raises says; its case is there."""
    verdict = verdicts["never-raises"]
    assert verdict.outcome == "fail", verdict
    violation = verdict.violation
    assert violation is not None, verdict
    assert violation.case.startswith(f"{DIALECT}:")
    assert violation.raw is not None
    return violation.note


def unfinished(verdicts: dict[str, Verdict]) -> str:
    """Why nothing-lost is not judged."""
    assert verdicts["nothing-lost"].outcome == "unjudged", verdicts["nothing-lost"]
    return verdicts["nothing-lost"].reason


def split_that(act: Callable[[], Any], when: str = CLOSE) -> Names:
    """A split that does something before it answers, where the output holds ``when``."""

    def split(raw: str, request: Request, finish: Any) -> Any:
        if when in raw:
            act()
        return reference.split(raw, request, finish)

    return {"split": split}


class Reader:
    """A right stream, for others to spoil."""

    def __init__(self, request: Request) -> None:
        self.right = reference.stream(request)

    def feed(self, chunk: Chunk) -> Any:
        return self.right.feed(chunk)

    def finish(self, finish: Any) -> Any:
        return self.right.finish(finish)


def fed(answer: Callable[[Any], Any]) -> Names:
    """A stream whose feeds answer what ``answer`` makes of the right deltas."""

    class Spoilt(Reader):
        def feed(self, chunk: Chunk) -> Any:
            return answer(self.right.feed(chunk))

    return {"stream": Spoilt}


class OddRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class OddNames:
    @property
    def reasoning(self) -> str:
        raise KeyError("reasoning")

    content = ""


class OddIteration:
    def __iter__(self) -> Iterator[str]:
        raise OSError("not now")


class OddText(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class OddBase(BaseException):
    pass


class OddEqual(str):
    def __eq__(self, other: object) -> bool:
        raise ArithmeticError("incomparable")

    __hash__ = str.__hash__


def raising(error: BaseException) -> Callable[..., Any]:
    def act(*_: Any) -> Any:
        raise error

    return act


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "None, which is no message; give a Message or a pair (reasoning, content)"),
        ("a text", "'a text', which is no message"),
        ("ab", "'ab', which is no message"),
        (b"ab", "b'ab', which is no message"),
        ({"reasoning": "", "content": ""}, "{'reasoning': '', 'content': ''}, which is no message"),
        ((), "(), which is no message"),
        (("a", "b", "c"), "('a', 'b', 'c'), which is no message"),
        (("a", 1), "a message whose content is 1, not a text"),
        ((b"a", ""), "a message whose reasoning is b'a', not a text"),
        (SimpleNamespace(reasoning=["a"], content=None), "a message whose reasoning is ['a'], not a text"),
        (OddRepr(), "<OddRepr whose repr raises RuntimeError>, which is no message"),
        ((OddRepr(), ""), "a message whose reasoning is <OddRepr whose repr raises RuntimeError>, not a text"),
        (("a" * 500, 1, 2), "('aaaaa"),
    ],
)
def test_a_split_that_answers_no_message_is_malformed(answer: Any, told: str) -> None:
    verdicts = judged(split=lambda raw, request, finish: answer)
    assert failure(verdicts).startswith(f"split returned {told}")
    assert len(failure(verdicts)) < 200


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda _: None, "feed returned None, not an iterable of deltas"),
        (lambda _: 3, "feed returned 3, not an iterable of deltas"),
        (lambda _: OddRepr(), "feed returned <OddRepr whose repr raises RuntimeError>, not an iterable of deltas"),
        (lambda _: "text", "feed of chunk 1 gave 't', which is no delta; a delta is a pair (channel, text)"),
        (lambda _: [None], "feed of chunk 1 gave None, which is no delta"),
        (lambda _: [7], "feed of chunk 1 gave 7, which is no delta"),
        (lambda _: ("content", "x"), "feed of chunk 1 gave 'content', which is no delta"),
        (lambda _: {"content": "x"}, "feed of chunk 1 gave 'content', which is no delta"),
        (lambda _: [("content", "x", 0)], "feed of chunk 1 gave ('content', 'x', 0), which is no delta"),
        (lambda _: [("answer", "x")], "feed of chunk 1 gave a delta of an unknown channel, ('answer', 'x')"),
        (lambda _: [(None, "x")], "feed of chunk 1 gave a delta of an unknown channel, (None, 'x')"),
        (lambda _: [(["content"], "x")], "feed of chunk 1 gave a delta of an unknown channel, (['content'], 'x')"),
        (lambda _: [("content", None)], "feed of chunk 1 gave a delta whose text is None, in ('content', None)"),
        (lambda _: [("content", b"x")], "feed of chunk 1 gave a delta whose text is b'x'"),
        (lambda _: [("content", 1)], "feed of chunk 1 gave a delta whose text is 1"),
        (lambda _: [("content", ["x"])], "feed of chunk 1 gave a delta whose text is ['x']"),
        (lambda _: [("content", OddRepr())], "feed of chunk 1 gave a delta whose text is <OddRepr whose repr raises"),
        (lambda _: [SimpleNamespace(channel="reply", text="x")], "feed of chunk 1 gave a delta of an unknown channel"),
    ],
)
def test_a_feed_that_gives_no_deltas_is_malformed(answer: Callable[[Any], Any], told: str) -> None:
    assert failure(judged(**fed(answer))).startswith(told)


def test_a_finish_that_gives_none_is_malformed() -> None:
    class Mute(Reader):
        def finish(self, finish: Any) -> Any:
            return None

    assert failure(judged(stream=Mute)) == "finish returned None, not an iterable of deltas"


def test_a_stream_without_its_methods_is_told() -> None:
    assert "AttributeError: 'NoneType' object has no attribute 'feed'" in failure(judged(stream=lambda request: None))


def test_a_generator_that_raises_half_way_is_told_with_its_place() -> None:
    def answer(deltas: Any) -> Iterator[Any]:
        yield from deltas
        raise KeyError("half way")

    text = failure(judged(**fed(answer)))
    assert re.fullmatch(r"KeyError: 'half way' \(test_hostile_adapters.py, line \d+\)", text)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("bad\n\x1b[31m\ud800"), r"ValueError: bad\n\x1b[31m\ud800 ("),
        (KeyError(OddRepr()), "KeyError ("),
        (OddText(), "OddText ("),
        (OddBase("base"), "OddBase: base ("),
        (SystemExit(3), "SystemExit: 3 ("),
        (GeneratorExit(), "GeneratorExit ("),
        (RecursionError("deep"), "RecursionError: deep ("),
        (MemoryError(), "MemoryError ("),
        (StopIteration(1), "StopIteration: 1 ("),
        (AssertionError(), "AssertionError ("),
        (ValueError("x" * 5000), "ValueError: xxxx"),
    ],
)
def test_an_exception_is_told_in_one_line_with_its_place(error: BaseException, told: str) -> None:
    text = failure(judged("never-raises", split=raising(error)))
    assert text.startswith(told)
    assert "test_hostile_adapters.py, line " in text
    assert "\n" not in text
    assert len(text) < 200


@pytest.mark.parametrize("where", ["stream", "feed", "finish"])
@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit("bad")])
def test_an_exception_anywhere_is_told(where: str, error: BaseException) -> None:
    names: Names = {where: raising(error)}
    if where != "stream":
        names = {"stream": type("Bad", (Reader,), names)}
    text = failure(judged("never-raises", **names))
    assert text.startswith(f"{type(error).__name__}: bad (test_hostile_adapters.py, line ")


def test_a_recursion_without_end_is_told() -> None:
    def dive(depth: int = 0) -> None:
        dive(depth + 1)

    assert failure(judged(**split_that(dive))).startswith("RecursionError: maximum recursion depth exceeded")


def test_only_the_finish_crashes() -> None:
    class Last(Reader):
        def finish(self, finish: Any) -> Any:
            os._exit(7)

    verdicts = judged(stream=Last)
    assert failure(verdicts).startswith("a call ended the process: exit code 7")
    assert verdicts["never-raises"].violation is not None
    assert verdicts["never-raises"].violation.chunks is not None


def act_in_c_for_ever() -> None:
    collections.deque(itertools.repeat(0), maxlen=0)


def act_over_and_over() -> None:
    while True:
        pass


def act_asleep() -> None:
    time.sleep(1000)


def act_swallowing_exceptions() -> None:
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.01)


@pytest.mark.parametrize("act", [act_over_and_over, act_asleep, act_swallowing_exceptions])
def test_a_call_that_hangs_is_interrupted_and_told(act: Callable[[], None]) -> None:
    verdicts = judged(**split_that(act))
    assert failure(verdicts) == "split was still running after 0.5 seconds"
    assert unfinished(verdicts) == "not judged to the end: 2 calls hung; see never-raises"


def act_swallowing_everything() -> None:
    while True:
        try:
            while True:
                with contextlib.suppress(BaseException):
                    while True:
                        with contextlib.suppress(BaseException):
                            time.sleep(0.001)
        except BaseException:
            continue


def act_with_a_timer_of_its_own() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)
    time.sleep(1000)


def act_deaf() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL})
    time.sleep(1000)


@pytest.mark.parametrize("act", [act_swallowing_everything, act_with_a_timer_of_its_own, act_deaf, act_in_c_for_ever])
def test_a_call_that_can_t_be_interrupted_is_killed_and_told(act: Callable[[], None]) -> None:
    verdicts = judged(**split_that(act))
    assert failure(verdicts) == "a call was still running after 0.5 seconds and could not be interrupted"
    assert unfinished(verdicts).startswith("not judged to the end: a call was still running after 0.5 seconds")


def test_a_call_that_answers_after_it_was_interrupted_counts_as_hanging() -> None:
    def split(raw: str, request: Request, finish: Any) -> Any:
        try:
            time.sleep(1000)
        except BaseException:
            return None, raw

    verdicts = judged(split=split)
    assert failure(verdicts).endswith("still running after 0.5 seconds")


def test_where_every_call_hangs_few_are_made(tmp_path: Path) -> None:
    calls = tmp_path / "calls"

    def hang(*asked: object) -> None:
        with calls.open("a", encoding="utf-8") as written:
            written.write("x")
        act_asleep()

    verdicts = judged(
        "never-raises nothing-lost requests-isolated cost-linear surfaces-agree",
        split=hang,
        stream=hang,
        surfaces=("chat", "responses"),
    )
    assert len(calls.read_text(encoding="utf-8")) <= 4
    assert "still running after 0.5 seconds" in failure(verdicts)
    assert {verdict.outcome for verdict in verdicts.values()} <= {"fail", "unjudged"}


def test_a_repr_that_hangs_is_told() -> None:
    class Slow:
        def __repr__(self) -> str:
            time.sleep(1000)
            return ""

    assert "still running after 0.5 seconds" in failure(judged(split=lambda raw, request, finish: Slow()))


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def segfault() -> None:
    ctypes.string_at(0)


def stop_for_ever() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def end_with(code: int) -> Callable[[], None]:
    return lambda: os._exit(code)


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (end_with(0), "exit code 0"),
        (end_with(3), "exit code 3"),
        (os.abort, "killed by SIGABRT"),
        (kill_itself, "killed by SIGKILL"),
        (segfault, "killed by SIGSEGV"),
    ],
)
def test_a_call_that_ends_the_process_is_told_with_its_case(act: Callable[[], None], told: str) -> None:
    verdicts = judged(**split_that(act))
    violation = verdicts["never-raises"].violation
    assert failure(verdicts).startswith(f"a call ended the process: {told}")
    assert violation is not None
    assert violation.raw is not None
    assert CLOSE in violation.raw
    assert violation.kind == "died"
    assert unfinished(verdicts).startswith(f"not judged to the end: a call ended the process: {told}")


def test_a_crash_in_the_interpreter_is_told_with_its_place() -> None:
    assert "test_hostile_adapters.py, line " in failure(judged(**split_that(segfault)))


def test_a_call_that_stops_the_process_is_killed_and_told() -> None:
    assert failure(judged(**split_that(stop_for_ever))).startswith("a call was still running after 0.5 seconds")


def test_a_keyboard_interrupt_of_the_adapter_is_no_ctrl_c() -> None:
    verdicts = judged(**split_that(raising(KeyboardInterrupt())))
    assert failure(verdicts) == "a call raised KeyboardInterrupt, which ends a process"
    assert unfinished(verdicts).startswith("not judged to the end")


def test_a_crash_at_the_five_hundredth_call_says_that_it_takes_what_came_before() -> None:
    calls = itertools.count(1)

    def stream(request: Request) -> Any:
        if next(calls) == 500:
            kill_itself()
        return reference.stream(request)

    verdicts = judged(stream=stream)
    assert failure(verdicts) == (
        "a call ended the process: killed by SIGKILL; asked alone it does not: what was asked before matters"
    )


def test_a_crash_that_does_not_come_again_fails_never_raises_alone(tmp_path: Path) -> None:
    mark = tmp_path / "mark"

    def once() -> None:
        if not mark.exists():
            mark.touch()
            kill_itself()

    verdicts = judged(**split_that(once))
    assert verdicts["never-raises"].outcome == "fail"
    assert verdicts["never-raises"].reason == (
        "a call ended the process: killed by SIGKILL, and not when everything was asked again"
    )
    assert verdicts["nothing-lost"].outcome == "pass"


def test_a_crash_leaves_what_was_found_before_it() -> None:
    """Words are lost in short outputs already; only longer ones crash."""

    def split(raw: str, request: Request, finish: Any) -> Any:
        if len(raw) > 12:
            kill_itself()
        return None, ""

    verdicts = judged(split=split)
    assert verdicts["nothing-lost"].outcome == "fail"
    assert failure(verdicts).startswith("a call ended the process: killed by SIGKILL")


def test_a_crash_outside_a_known_call_names_no_case() -> None:
    class Odd(Reader):
        def feed(self, chunk: Chunk) -> Any:
            if chunk.text is None:
                kill_itself()
            return self.right.feed(chunk)

    verdicts = judged("never-raises requests-isolated", stream=Odd)
    assert verdicts["never-raises"].outcome == "fail"
    assert verdicts["never-raises"].violation is None
    assert verdicts["never-raises"].reason == "a call ended the process: killed by SIGKILL"
    assert verdicts["requests-isolated"].outcome == "unjudged"


def passes(verdicts: dict[str, Verdict]) -> None:
    assert {check: verdict.outcome for check, verdict in verdicts.items()} == dict.fromkeys(verdicts, "pass")


def test_what_an_adapter_prints_is_kept_away_and_noted(capfd: pytest.CaptureFixture[str]) -> None:
    def talk() -> None:
        print("hello from print")
        print("and to stderr", file=sys.stderr)
        os.write(1, b"\xff by the descriptor\n")

    verdicts = judged(**split_that(talk))
    passes(verdicts)
    (note,) = verdicts["nothing-lost"].notes
    assert re.fullmatch(r"the adapter printed [\d,]+ lines while it was asked, the first: 'hello from print'", note)
    assert capfd.readouterr() == ("", "")


def close_the_streams() -> None:
    for number in (0, 1, 2):
        with contextlib.suppress(OSError):
            os.close(number)


def close_the_files() -> None:
    sys.stdout.close()
    sys.stderr.close()


def change_the_directory() -> None:
    os.chdir("/")


def limit_recursion() -> None:
    sys.setrecursionlimit(200)


def set_a_timer() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(100)
    signal.alarm(0)


def ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)


def start_a_thread() -> None:
    threading.Thread(target=time.sleep, args=(1000,), daemon=False).start()


@pytest.mark.parametrize(
    "act",
    [close_the_streams, close_the_files, change_the_directory, limit_recursion, set_a_timer, ignore_signals],
)
def test_a_right_adapter_with_bad_manners_passes(act: Callable[[], None]) -> None:
    here = Path.cwd()
    passes(judged(**split_that(act, "")))
    assert Path.cwd() == here


def test_threads_that_never_end_hold_nothing_up() -> None:
    started = itertools.count()
    passes(judged(**split_that(lambda: start_a_thread() if next(started) < 10 else None)))


def test_processes_that_an_adapter_leaves_behind_are_ended() -> None:
    reading, writing = os.pipe()
    forks = itertools.count()

    def fork() -> None:
        if next(forks) < 3 and not os.fork():
            os.close(reading)
            time.sleep(1000)

    verdicts = judged(**split_that(fork, ""))
    os.close(writing)
    passes(verdicts)
    assert os.read(reading, 1) == b""  # the last process that holds the other end is gone
    os.close(reading)


def test_a_process_left_behind_by_one_that_crashes_holds_nothing_up() -> None:
    def fork() -> None:
        if not os.fork():
            time.sleep(1000)
        os._exit(1)

    assert failure(judged(**split_that(fork))).startswith("a call ended the process: exit code 1")


def test_a_fork_that_comes_back_is_not_listened_to() -> None:
    forks = itertools.count()
    passes(judged(**split_that(lambda: os.fork() if next(forks) == 3 else None, "")))


def test_memory_that_runs_out_is_told() -> None:
    def eat() -> None:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (100 << 20), resource.getrlimit(resource.RLIMIT_AS)[1]))
        bytearray(200 << 20)

    assert failure(judged(**split_that(eat))).startswith("MemoryError (")


def test_a_request_that_is_written_to_raises() -> None:
    def split(raw: str, request: Any, finish: Any) -> Any:
        request.opened = True
        return None, raw

    assert "FrozenInstanceError: cannot assign to field 'opened'" in failure(judged(split=split))


def test_a_request_that_is_bent_by_force_ends_in_verdicts() -> None:
    def split(raw: str, request: Any, finish: Any) -> Any:
        object.__setattr__(request, "opened", None)
        object.__setattr__(request, "dialect", ["qwen3"])
        return reference.split(raw, Request(DIALECT, False, True), finish)

    assert set(judged(split=split)) == {"never-raises", "nothing-lost"}


@pytest.mark.parametrize("answer", [OddNames(), OddIteration()])
def test_a_message_that_raises_while_it_is_read_is_told(answer: Any) -> None:
    assert failure(judged(split=lambda raw, request, finish: answer))


@pytest.mark.parametrize(
    "delta", [OddIteration(), (OddEqual("content"), "x"), SimpleNamespace(channel=OddEqual("c"), text="")]
)
def test_a_delta_that_raises_while_it_is_read_is_told(delta: Any) -> None:
    assert failure(judged(**fed(lambda _: [delta])))


ADAPTER = """
import os, signal, time
from conformance.adapters import reference
name, version, dialects, stream = "hostile", "0", {"qwen3", "hermes"}, reference.stream

def split(raw, request, finish):
    if request.dialect == "qwen3" and raw:
        ACT
    return reference.split(raw, request, finish)
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"
SLOW = """time.sleep(0.02)
        return None, "" """
DEAF = """import collections, itertools
        collections.deque(itertools.repeat(0), maxlen=0)"""


def started(folder: Path, act: str, *arguments: str) -> subprocess.Popen[str]:
    """A run of pytest on an adapter written into ``folder``, in a process group of its own."""
    (folder / "hostile_adapter.py").write_text(ADAPTER.replace("ACT", act), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--impl=hostile_adapter", "--profile=quick",
         "--check=never-raises,nothing-lost", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "COLUMNS": "120", "CI": ""},
    )  # fmt: skip


def ended(run: subprocess.Popen[str]) -> str:
    """What a run printed; nothing of it is left."""
    printed = run.communicate(timeout=60)[0]
    deadline = time.monotonic() + 5
    while left := running(run.pid):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
    assert "Traceback" not in printed
    assert "INTERNALERROR" not in printed
    return printed


def running(session: int) -> list[str]:
    listed = subprocess.run(["ps", "-o", "pid=,stat=,args=", "-s", str(session)], capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if line.split()[1][0] != "Z"]


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_a_run_in_which_a_dialect_crashes_comes_to_its_end(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    if arguments:
        pytest.importorskip("xdist")
    run = started(tmp_path, KILL, f"--report={tmp_path / 'report'}", *arguments)
    printed = ended(run)
    assert run.returncode == 1
    assert "note       a call ended the process: killed by SIGKILL" in printed
    assert re.search(r"reproduce  pytest --impl=hostile_adapter --case='qwen3:\w", printed)
    assert "2 failed, 2 passed" in printed
    assert '"kind": "footer"' in (tmp_path / "report").read_text(encoding="utf-8").splitlines()[-1]


def found_something(run: subprocess.Popen[str], folder: Path) -> None:
    """Waits until the run has begun to judge, and has had the time to find something."""
    deadline = time.monotonic() + 30
    while len(running(run.pid)) + len(of_their_own(run.pid)) < 2:
        assert time.monotonic() < deadline
        assert run.poll() is None
        time.sleep(0.05)
    time.sleep(1.5)


def of_their_own(session: int) -> list[str]:
    return [line for line in running(session) if line.split()[0] != str(session)]


@pytest.mark.parametrize("whom", ["the group", "the parent"])
def test_ctrl_c_shows_what_was_found_and_leaves_nothing_running(tmp_path: Path, whom: str) -> None:
    run = started(tmp_path, SLOW, "--dialect=qwen3", f"--report={tmp_path / 'report'}")
    found_something(run, tmp_path)
    if whom == "the group":
        os.killpg(run.pid, signal.SIGINT)
    else:
        os.kill(run.pid, signal.SIGINT)
    printed = ended(run)
    assert run.returncode == 2, printed
    assert "MUST  qwen3  nothing-lost" in printed
    assert "interrupted: this is what was found so far" in printed
    assert f"the report {tmp_path / 'report'} is not whole" in printed
    assert '"kind": "footer"' not in (tmp_path / "report").read_text(encoding="utf-8")


def test_ctrl_c_in_a_call_that_can_t_be_interrupted_ends_the_run(tmp_path: Path) -> None:
    run = started(tmp_path, DEAF, "--dialect=qwen3")
    found_something(run, tmp_path)
    os.killpg(run.pid, signal.SIGINT)
    ended(run)
    assert run.returncode == 2


@pytest.mark.parametrize("act", [SLOW, DEAF])
def test_ctrl_c_under_xdist_leaves_nothing_running(tmp_path: Path, act: str) -> None:
    pytest.importorskip("xdist")
    run = started(tmp_path, act, "--dialect=qwen3", "-n", "2")
    found_something(run, tmp_path)
    time.sleep(2)
    os.killpg(run.pid, signal.SIGINT)
    ended(run)
    assert run.returncode == 2


def test_a_child_outlives_no_parent(tmp_path: Path) -> None:
    run = started(tmp_path, SLOW, "--dialect=qwen3")
    found_something(run, tmp_path)
    run.kill()
    ended(run)


def test_checks_of_cost_are_skipped_where_no_long_output_is_taken() -> None:
    class Unsupported(Exception):
        pass

    def refusing(answer: Callable[..., Any]) -> Callable[..., Any]:
        def ask(raw: str, request: Request, finish: str) -> Any:
            if len(raw) > 1000:
                raise Unsupported("too long")
            return answer(raw, request, finish)

        return ask

    class Reader:
        def __init__(self, request: Request) -> None:
            self._reader, self._read = reference.stream(request), 0

        def feed(self, chunk: Chunk) -> Any:
            self._read += len(chunk.text)
            if self._read > 1000:
                raise Unsupported("too long")
            return self._reader.feed(chunk)

        def finish(self, finish: Any) -> Any:
            return self._reader.finish(finish)

    verdicts = judged("cost-linear memory-bounded nothing-lost", split=refusing(reference.split), stream=Reader)
    assert verdicts["nothing-lost"].outcome == "pass"
    for check in ("cost-linear", "memory-bounded"):
        assert (verdicts[check].outcome, verdicts[check].reason) == (
            "skip",
            "it takes none of the outputs that are measured",
        )
