"""The specified reader: one streaming reading of SEMANTICS.md, fast and linear."""

from __future__ import annotations

from collections.abc import Iterator

from oracles.dialects import Dialect
from oracles.messages import WHITE_SPACE, Delta, Finish, Message, Request
from oracles.policies import Policy
from oracles.watch import AFTER, AFTERWARDS, BEFORE, CALL, CALL_END, CALLS, DROP, INSIDE, OPEN, REMEMBER, Watch, watch

PIECE = 4096
"""A replay is sent in pieces of at most so many code points (SEMANTICS section 4)."""


class Replay(Delta):
    """A delta that gives text of a skipped channel once more."""


class Machine:
    """Everything of a reader that no request changes: a dialect and a policy, compiled once."""

    def __init__(self, dialect: Dialect, policy: Policy | None = None) -> None:
        """``policy``: None stands for the dialect's default."""
        self.dialect = dialect
        self.policy = policy = dialect.policy if policy is None else policy
        self.skips = policy.skipped_channel if dialect.of("answer_close") else "stays"
        self._watches: dict[tuple[bool, str, bool], Watch] = {}

    def start(self, request: Request) -> Reader:
        """A new reader for one request."""
        return Reader(self, request)

    def split(self, request: Request, raw: str, finish: Finish) -> Message:
        """The message of a whole output: the reader fed once."""
        reader = self.start(request)
        return fold([*reader.feed(raw), *reader.finish(finish)])

    def watch(self, off: bool, state: str, first: bool) -> Watch:
        """What ``state`` watches, compiled at its first use."""
        key = (off, state, first)
        if key not in self._watches:
            found = watch(self.dialect, self.policy, off, state, first)
            if first and found.actions == self.watch(off, state, False).actions:
                found = self.watch(off, state, False)
            self._watches[key] = found
        return self._watches[key]


class Reader:
    """Reads one output. ``feed`` and ``finish`` return the deltas released, as (channel, text) pairs.

    ``cut``: after ``finish``, the marker that the end of the output cut short, "" if none.
    """

    __slots__ = (
        "_channel",
        "_closed",
        "_held",
        "_holds",
        "_kept",
        "_machine",
        "_off",
        "_skippable",
        "_state",
        "_watch",
        "cut",
    )

    _kept: list[str] | None
    _watch: Watch

    def __init__(self, machine: Machine, request: Request) -> None:
        self._machine = machine
        self._off = not request.thinking and not request.opened
        self._held = ""  # what may still become a marker
        self._closed = False  # reasoning has closed
        self.cut = ""
        self._enter(INSIDE if request.opened else BEFORE)

    def feed(self, text: str) -> list[tuple[str, str]]:
        """What the next piece of the output releases."""
        if not self._held:
            alarm = self._watch.alarm
            if alarm is None or alarm(text) is None:
                out: list[tuple[str, str]] = []
                if text:
                    self._say(text, out)
                return out
        out, self._held = self._read(self._held + text, False)
        return out

    def finish(self, finish: Finish) -> list[tuple[str, str]]:
        """What the end of the output releases; called once, last."""
        out, cut = self._read(self._held, True)
        self.cut = cut
        stopped = finish == "stop"
        policy = self._machine.policy
        if self._state == INSIDE and self._skippable and stopped and self._machine.skips != "stays":
            self._skip(out, cut)
        elif self._holds:
            content = self._state == BEFORE or (
                policy.unclosed == "content_if_stopped" and stopped and not self._closed
            )
            _put(out, "content" if content else "reasoning", self._kept_text() + cut)
        else:
            _put(out, self._channel, cut)
        return out

    def _read(self, text: str, final: bool) -> tuple[list[tuple[str, str]], str]:
        """Reads ``text`` as far as it is decided: the deltas, and what is left undecided behind them."""
        out: list[tuple[str, str]] = []
        parts: list[str] = []
        begin = at = 0  # where unreleased text begins, where the search goes on
        length = len(text)
        while True:
            watched = self._watch
            actions = watched.actions
            edge = length if final else watched.edge(text, at)
            if edge == at:
                break
            entered = False
            for match in watched.matches(text, at):
                start, end = match.span()
                if start >= edge:
                    break
                action = actions.get(match.group())
                if action is None:
                    self._watch = self._machine.watch(self._off, self._state, False)
                    at, entered = start, True
                    break
                if end > edge:
                    edge = watched.edge(text, end)
                at = end
                if action is DROP:
                    if start > begin:
                        parts.append(text[begin:start])
                    begin = end
                    continue
                if action is not CALL_END:
                    parts.append(text[begin:start])
                    begin = start if action is CALL else end
                if action is REMEMBER:
                    self._flush(parts, out)
                    self._skippable = True
                    continue
                self._flush(parts, out)
                self._move(action, out)
                entered = True
                break
            if not entered:
                break
        if final:
            self._flush(parts, out)
            return out, text[begin:]
        if edge > begin:
            parts.append(text[begin:edge])
        if parts:
            self._flush(parts, out)
        return out, text[edge:]

    def _flush(self, parts: list[str], out: list[tuple[str, str]]) -> None:
        text = "".join(parts)
        parts.clear()
        if text:
            self._say(text, out)

    def _say(self, text: str, out: list[tuple[str, str]]) -> None:
        """Text of the current state, released or held as the policy has it."""
        if self._skippable and text.strip(WHITE_SPACE):
            self._skippable = False
        if self._kept is not None:
            self._kept.append(text)
        if not self._holds:
            out.append((self._channel, text))

    def _move(self, action: str, out: list[tuple[str, str]]) -> None:
        """Leaves the current state by a marker, and enters the next."""
        if self._state == INSIDE:
            if action is CALL and self._skippable and self._machine.skips != "stays":
                self._skip(out, "")
            elif self._holds:
                _put(out, "reasoning", self._kept_text())
            self._closed = True
        elif self._holds:
            content = action in (OPEN, AFTERWARDS, CALL)
            self._closed = not content
            _put(out, "content" if content else "reasoning", self._kept_text())
        self._enter({OPEN: INSIDE, CALL: CALLS}.get(action, AFTER))

    def _skip(self, out: list[tuple[str, str]], cut: str) -> None:
        """The channel was skipped: its text is content, alone or once more."""
        text = self._kept_text()
        if self._machine.skips == "moved":
            _put(out, "content", text + cut)
        else:
            _put(out, "reasoning", text + cut if self._holds else cut)
            out.extend(Replay("content", piece) for piece in pieces(text))

    def _kept_text(self) -> str:
        return "".join(self._kept or ())

    def _enter(self, state: str) -> None:
        machine, policy = self._machine, self._machine.policy
        if state == INSIDE:
            unclosed = policy.unclosed == "content_if_stopped" and not self._closed
            self._holds = machine.skips == "moved" or unclosed
            keeps = self._holds or machine.skips == "replayed"
        else:
            ends_thought = policy.stray_close == "ends_thought" and not (self._off and policy.off == "text")
            self._holds = keeps = state == BEFORE and ends_thought and bool(machine.dialect.of("reasoning_close"))
        self._state = state
        self._channel = "reasoning" if state == INSIDE else "content"
        self._kept = [] if keeps else None
        self._skippable = False  # an answer's closer is the channel's last words
        self._watch = machine.watch(self._off, state, state in (BEFORE, INSIDE))


def _put(out: list[tuple[str, str]], channel: str, text: str) -> None:
    if text:
        out.append((channel, text))


def split(dialect: Dialect, policy: Policy, request: Request, raw: str, finish: Finish) -> Message:
    """The message of a whole output under a policy; ``Machine`` keeps what many outputs share."""
    return Machine(dialect, policy).split(request, raw, finish)


def fold(deltas: list[tuple[str, str]]) -> Message:
    """The message that deltas put together."""
    reasoning = "".join([text for channel, text in deltas if channel == "reasoning"])
    content = "".join([text for channel, text in deltas if channel == "content"])
    return Message(reasoning, content)


def pieces(text: str) -> Iterator[str]:
    """``text`` in pieces of at most ``PIECE`` code points."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]
