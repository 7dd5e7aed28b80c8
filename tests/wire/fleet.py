"""Commands that are hostile, one fault each: python fleet.py FAULT. Without their fault they read qwen3 rightly."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "adapters"))
import adapter

count = 0


def say(value: Any) -> None:
    """An answer."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def plain(asked: dict[str, Any]) -> None:
    """Answers as it should."""
    say({"seq": asked["seq"], **adapter.answer(asked)})


def crash_every_third(asked: dict[str, Any]) -> None:
    """A crash on every third request."""
    if count % 3 == 0:
        print("panic: index out of range\ngoroutine 1 [running]", file=sys.stderr, flush=True)
        os._exit(3)
    plain(asked)


def killed_at_a_closer(asked: dict[str, Any]) -> None:
    """A crash that one text brings about, each time."""
    if asked.get("raw", "".join(chunk["text"] for chunk in asked.get("chunks", []))) == "</think>":
        os.kill(os.getpid(), signal.SIGSEGV)
    plain(asked)


def hang(asked: dict[str, Any]) -> None:
    """No answer from the fifth request on."""
    if count >= 5:
        print("waiting for a lock", file=sys.stderr, flush=True)
        time.sleep(600)
    plain(asked)


def flood(asked: dict[str, Any]) -> None:
    """A line without an end, after the fifth request."""
    while count >= 5:
        sys.stdout.write("x" * 65536)
    plain(asked)


def flood_of_lines(asked: dict[str, Any]) -> None:
    """Lines without an end, after the fifth request."""
    while count >= 5:
        sys.stdout.write("debug\n" * 10000)
    plain(asked)


def out_of_order(asked: dict[str, Any]) -> None:
    """Each request in a thread of its own, the shorter ones done first."""

    def work() -> None:
        time.sleep(0.002 * (asked["seq"] % 3))
        with lock:
            plain(asked)

    threading.Thread(target=work, daemon=True).start()


lock = threading.Lock()


def wrong_seq(asked: dict[str, Any]) -> None:
    """Every number is one too high."""
    say({"seq": asked["seq"] + 1, **adapter.answer(asked)})


def no_seq(asked: dict[str, Any]) -> None:
    """An answer without its number."""
    say(adapter.answer(asked))


def twice(asked: dict[str, Any]) -> None:
    """Each answer comes twice."""
    plain(asked)
    plain(asked)


def noise(asked: dict[str, Any]) -> None:
    """A line that is no JSON before each answer."""
    print("parsing ...", flush=True)
    plain(asked)


def no_object(asked: dict[str, Any]) -> None:
    """A JSON value that is no object."""
    say([asked["seq"], adapter.answer(asked)])


def closes_stdout(asked: dict[str, Any]) -> None:
    """Its stdout is closed, and it goes on running."""
    os.close(1)
    time.sleep(600)


def exits_silently(asked: dict[str, Any]) -> None:
    """It ends, as though all were well."""
    if count >= 5:
        os._exit(0)
    plain(asked)


def huge_stderr(asked: dict[str, Any]) -> None:
    """More standard error than a pipe holds, again and again, and a right answer."""
    if count % 500 == 0:
        sys.stderr.write("noise " * 500_000 + "\n")
    plain(asked)


def invalid_utf8(asked: dict[str, Any]) -> None:
    """Bytes that are no UTF-8."""
    sys.stdout.buffer.write(b'{"seq": %d, "message": {"content": "\xff\xfe"}}\n' % asked["seq"])
    sys.stdout.buffer.flush()


def half_a_line(asked: dict[str, Any]) -> None:
    """Half an answer, and nothing more."""
    sys.stdout.write('{"seq": 1, "mess')
    sys.stdout.flush()
    time.sleep(600)


def half_a_line_and_end(asked: dict[str, Any]) -> None:
    """Half an answer, and an end."""
    sys.stdout.write('{"seq": 1, "mess')
    sys.stdout.flush()
    os._exit(1)


def leaves_a_child(asked: dict[str, Any]) -> None:
    """A process of its own holds its pipes open when it crashes."""
    subprocess.Popen(["sleep", "600"])
    os._exit(4)


def too_few_lists(asked: dict[str, Any]) -> None:
    """No list for what finish released."""
    told = adapter.answer(asked)
    say({"seq": asked["seq"], **({"deltas": told["deltas"][:-1]} if "deltas" in told else told)})


def deltas_in_one(asked: dict[str, Any]) -> None:
    """Deltas that are not in lists."""
    told = adapter.answer(asked)
    flat = [delta for deltas in told.get("deltas", []) for delta in deltas]
    say({"seq": asked["seq"], **({"deltas": flat or [None]} if "deltas" in told else told)})


def other_names(asked: dict[str, Any]) -> None:
    """A message with names of its own."""
    told = adapter.answer(asked)
    if "message" in told:
        told = {"message": {"reasoning_content": told["message"]["reasoning"], "content": told["message"]["content"]}}
    say({"seq": asked["seq"], **told})


def errors(asked: dict[str, Any]) -> None:
    """An error for each output with a closer."""
    if "</think>" in asked.get("raw", "".join(chunk["text"] for chunk in asked.get("chunks", []))):
        say({"seq": asked["seq"], "error": "ValueError: unexpected closer"})
    else:
        plain(asked)


def unsupported(asked: dict[str, Any]) -> None:
    """It can't be told that the prompt opened reasoning."""
    if asked["request"]["opened"]:
        say({"seq": asked["seq"], "unsupported": "it can't be told what the prompt opened"})
    else:
        plain(asked)


def quadratic(asked: dict[str, Any]) -> None:
    """Each chunk costs as much as all before it."""
    if asked["cmd"] == "stream":
        text = ""
        for chunk in asked["chunks"]:
            text += chunk["text"]
            for _ in range(5):
                re.search("</?think>|<tool_call>", text)
    plain(asked)


last = ""


def remembers_dialect(asked: dict[str, Any]) -> None:
    """A request of another dialect spoils the next one."""
    global last
    before, last = last, asked["request"]["dialect"]
    if asked["cmd"] == "split" and last == "qwen3" and before == "hermes":
        say({"seq": asked["seq"], "message": {"content": asked["raw"]}})
    else:
        plain(asked)


def deaf(asked: dict[str, Any]) -> None:
    """A right reader that doesn't end when it is told to."""
    plain(asked)


before_start = {
    "prints_first": lambda: print("Loading model ...", flush=True),
    "dies_at_start": lambda: (print("no such model", file=sys.stderr, flush=True), os._exit(7)),
    "silent_at_start": lambda: time.sleep(600),
    "closes_at_start": lambda: (os.close(1), time.sleep(600)),
}


def main(fault: str) -> None:
    """Speaks the wire, with one fault."""
    global count
    if fault in before_start:
        before_start[fault]()
    answers: Callable[[dict[str, Any]], None] = globals().get(fault, plain)
    if fault == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        if asked["cmd"] == "stop":
            break
        if asked["cmd"] == "start":
            version = 2 if fault == "other_version" else 1
            dialects = ["qwen3", "hermes"] if fault == "remembers_dialect" else ["qwen3"]
            say({"version": version, "implementation": {**adapter.IMPLEMENTATION, "name": fault, "dialects": dialects}})
        else:
            count += 1
            answers(asked)
    if fault == "deaf":
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
