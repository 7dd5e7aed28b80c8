"""Facts about forked children: what they give, how they end, and that nothing of them is left."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.mutation.children import Ended, Task, run_all


def ended(work: Callable[[], Any], scratch: Path, seconds: float = 20.0) -> Ended[str]:
    (one,) = run_all([Task("it", work, seconds)], 1, scratch)
    return one


def gone(pid: int) -> bool:
    """Whether a process is no more, or only waits to be buried."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def spin() -> None:
    while True:
        pass


def recurse(depth: int = 0) -> int:
    return recurse(depth + 1) + 1


def test_a_child_gives_its_result(tmp_path: Path) -> None:
    one = ended(lambda: {"answer": 42}, tmp_path)
    assert (one.key, one.value, one.how) == ("it", {"answer": 42}, "")


def test_a_result_that_is_larger_than_a_pipe_arrives_whole(tmp_path: Path) -> None:
    assert len(ended(lambda: "x" * 5_000_000, tmp_path).value) == 5_000_000


@pytest.mark.parametrize(
    ("work", "how", "text"),
    [
        (lambda: os._exit(3), "exit", "exit code 3"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "crash", "SIGSEGV"),
        (lambda: bytearray(1 << 34), "memory", "memory"),
        (lambda: recurse(), "ours", "RecursionError"),
        (lambda: sys.exit(0), "ours", "SystemExit"),
    ],
    ids=["exit", "crash", "memory", "recursion", "sys.exit"],
)
def test_how_a_child_ends_is_told(work: Callable[[], Any], how: str, text: str, tmp_path: Path) -> None:
    one = ended(work, tmp_path)
    assert (one.how, one.value) == (how, None)
    assert text in one.text


def test_a_child_that_does_not_end_is_ended_in_time(tmp_path: Path) -> None:
    one = ended(spin, tmp_path, seconds=0.3)
    assert (one.how, one.text) == ("hang", "it was still running after 0.3 seconds")


def test_a_child_that_uses_up_its_time_on_the_processor_hangs(tmp_path: Path) -> None:
    def work() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
        spin()

    assert ended(work, tmp_path).how == "hang"


def test_what_a_child_prints_disturbs_nobody(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> str:
        print("noise", flush=True)
        os.write(1, b"noise")
        os.write(2, b"noise")
        return sys.stdin.read()

    assert ended(work, tmp_path).value == ""
    assert capfd.readouterr() == ("", "")


def test_a_process_that_a_child_started_ends_with_it(tmp_path: Path) -> None:
    def work() -> int:
        pid = os.fork()
        if not pid:
            time.sleep(600)
        return pid

    one = ended(work, tmp_path)
    assert one.how == ""
    assert gone(one.value)


def test_a_forked_process_that_comes_back_into_the_suite_tells_nothing(tmp_path: Path) -> None:
    def work() -> str:
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)
            return "the child"
        return "its child"

    assert ended(work, tmp_path).value == "the child"


def test_what_a_child_forked_can_not_fork_on(tmp_path: Path) -> None:
    """Or a fault that forks would fork in each of its forks."""

    def work() -> int:
        pid = os.fork()
        if not pid:
            (tmp_path / "forked").touch()
            if not os.fork():
                (tmp_path / "forked on").touch()
            os._exit(0)
        return os.waitpid(pid, 0)[1]

    assert ended(work, tmp_path).value == 0
    assert [path.name for path in tmp_path.iterdir()] == ["forked"]


def test_a_child_writes_no_bytecode_and_its_temporary_files_into_the_scratch(tmp_path: Path) -> None:
    def work() -> tuple[bool, str]:
        import tempfile

        return sys.dont_write_bytecode, tempfile.mkdtemp()

    silent, folder = ended(work, tmp_path).value
    assert silent
    assert Path(folder).parent == tmp_path


def test_at_most_so_many_children_run_at_a_time(tmp_path: Path) -> None:
    def work() -> tuple[float, float]:
        began = time.monotonic()
        time.sleep(0.1)
        return began, time.monotonic()

    spans = [one.value for one in run_all([Task(number, work, 20.0) for number in range(6)], 2, tmp_path)]
    assert len(spans) == 6
    assert all(sum(begin <= at < end for begin, end in spans) <= 2 for at, _ in spans)


def test_tasks_are_taken_when_there_is_room(tmp_path: Path) -> None:
    taken: list[int] = []

    def tasks():
        for number in range(4):
            taken.append(number)
            yield Task(number, lambda: None, 20.0)

    running = run_all(tasks(), 1, tmp_path)
    next(running)
    assert taken == [0]
    assert [one.key for one in running] == [1, 2, 3]


def test_nothing_runs_on_where_the_iterator_is_closed(tmp_path: Path) -> None:
    def work() -> None:
        (tmp_path / str(os.getpid())).touch()
        time.sleep(600)

    running = run_all([Task("quick", lambda: None, 20.0), Task("slow", work, 600.0)], 2, tmp_path)
    next(running)
    while not (begun := [path for path in tmp_path.iterdir() if path.name.isdecimal()]):
        time.sleep(0.01)
    with contextlib.closing(running):
        pass
    assert gone(int(begun[0].name))
