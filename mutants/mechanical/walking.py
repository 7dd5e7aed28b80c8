"""The product walk: the specified reader beside its mutant, through every state that a dialect's pieces lead to."""

from __future__ import annotations

import copy
import itertools
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutmut.mutation.trampoline import set_mutant_under_test

from mutants.mechanical.running import environment
from mutants.mechanical.scratch import Scratch
from oracles.dialects import REGISTRY, Dialect
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Pieces
from oracles.policies import Policy, one_at_a_time
from oracles.reader import Machine, Reader

DIALECTS = ("qwen3", "kimi_k3", "gpt_oss", "minimax_m3")
MOST = 4_000
"""Pairs of states after which a walk under one policy and request gives up: a mutant may have no end of them."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk saw: how many pairs of states, the shortest difference or "", and whether it came to its end."""

    pairs: int
    difference: str
    whole: bool


def walk(dialect: Dialect, name: str) -> Walk:
    """Walks the reader and the mutant called ``name``, both of which must be in the modules imported here.

    Under the dialect's default policy and each single difference. Their deltas must be the same after each piece and
    at both ends. Text that a policy keeps for later counts by whether there is any and whether it is the same: so what
    is said holds for the pieces of the dialect, and neither for other text nor for lengths or time.
    """
    pairs, whole = 0, True
    for policy in one_at_a_time(dialect.policy):
        thinking = (True, False) if policy.off == "text" else (True,)
        for opened, wanted in itertools.product((True, False), thinking):
            one = _walk(dialect, policy, Request(dialect.id, opened, wanted), name)
            pairs, whole = pairs + one.pairs, whole and one.whole
            if one.difference:
                return Walk(pairs, f"{one.difference} (opened: {opened}, thinking: {wanted}, {policy})", whole)
    return Walk(pairs, "", whole)


def main(arguments: Sequence[str]) -> int:
    """Prints what the walks of a mutant see, dialect by dialect; 1 where one sees a difference.

    ``arguments``: the mutant's name, then the dialects.
    """
    name, *dialects = arguments
    signal.signal(signal.SIGPROF, _give_up)
    for id in dialects:
        seen = walk(REGISTRY.get(id), name)
        if seen.difference:
            print(f"{id}: {seen.difference}")
            return 1
        end = "" if seen.whole else ", and there are more"
        print(f"{id}: no difference on the alphabet, {seen.pairs:,} pairs of states{end}")
    return 0


def walked(root: Path, scratch: Scratch, name: str, dialects: Sequence[str] = DIALECTS) -> int:
    """Runs ``main`` over the modules of a scratch copy, in a process of its own; returns what it ends with."""
    code = "import sys; from mutants.mechanical.walking import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, name, *dialects],
        cwd=scratch.folder,
        env=environment(root, scratch.folder),
        check=False,
    )
    return done.returncode


def _walk(dialect: Dialect, policy: Policy, request: Request, name: str) -> Walk:
    alphabet = _alphabet(dialect)
    right, mutant = (_under(each, _start, dialect, policy, request) for each in ("", name))
    if isinstance(mutant, str):
        return Walk(0, f"at the start, the mutant {mutant}", True)
    seen = {_pair(right, mutant)}
    waiting: deque[tuple[Reader, Reader, tuple[str, ...]]] = deque([(right, mutant, ())])
    while waiting:
        right, mutant, word = waiting.popleft()
        for finish in FINISHES:
            ends = [_under(of, _end, _copied(each), finish) for of, each in (("", right), (name, mutant))]
            if ends[0] != ends[1]:
                return Walk(len(seen), f"{[*word]} then {finish}: {ends[0]} and {ends[1]}", True)
        for piece in alphabet:
            after = _copied(right), _copied(mutant)
            fed = [_under(of, _feed, each, piece) for of, each in zip(("", name), after, strict=True)]
            if fed[0] != fed[1]:
                return Walk(len(seen), f"{[*word, piece]}: {fed[0]} and {fed[1]}", True)
            pair = _pair(*after)
            if pair not in seen:
                seen.add(pair)
                waiting.append((*after, (*word, piece)))
        if len(seen) > MOST:
            return Walk(len(seen), "", False)
    return Walk(len(seen), "", True)


def _alphabet(dialect: Dialect) -> list[str]:
    pieces = Pieces(dialect)
    halves = [marker[len(marker) // 2 :] for marker in dialect.all_markers]
    return [*dict.fromkeys([*(piece.text for piece in pieces.alphabet), *halves])]


def _under(name: str, work: Callable[..., Any], *given: object) -> Any:
    """What ``work`` makes of what it is given where the mutant of that name is at work, or in words how it fails."""
    set_mutant_under_test(name)
    signal.setitimer(signal.ITIMER_PROF, 1)
    try:
        return work(*given)
    except Exception as error:
        return f"raises {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        set_mutant_under_test("")


def _start(dialect: Dialect, policy: Policy, request: Request) -> Reader:
    return Machine(dialect, policy).start(request)


def _feed(reader: Reader, piece: str) -> list[tuple[str, str]]:
    return _told(reader.feed(piece))


def _end(reader: Reader, finish: Finish) -> list[tuple[str, str]]:
    return _told(reader.finish(finish))


def _give_up(*_: object) -> None:
    raise TimeoutError


def _told(deltas: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The deltas, those of one channel side by side put together."""
    grouped = itertools.groupby(deltas, key=lambda delta: delta[0])
    return [(channel, "".join(text for _, text in run)) for channel, run in grouped]


def _copied(reader: Reader) -> Reader:
    other = copy.copy(reader)
    other._kept = None if reader._kept is None else [*reader._kept]
    return other


def _pair(right: Reader, mutant: Reader) -> tuple[object, ...]:
    texts = ["".join(reader._kept or ()) for reader in (right, mutant)]
    return (*_state(right), *_state(mutant), texts[0] == texts[1])


def _state(reader: Reader) -> Iterator[object]:
    for name in Reader.__slots__:
        value = getattr(reader, name)
        if name == "_kept":
            yield None if value is None else (bool(value), bool("".join(value).strip()))
        else:
            yield id(value) if name in ("_machine", "_watch") else value
