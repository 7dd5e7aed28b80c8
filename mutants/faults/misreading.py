"""Faults of the reading, the same in both modes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from mutants.adapter import RIGHT, Deltas, Plain, markers_of
from oracles.dialects import Dialect
from oracles.messages import WHITE_SPACE, Finish, Message, Request
from oracles.policies import Policy
from oracles.reader import Machine, Reader
from oracles.watch import AFTER, BEFORE, CALLS, INSIDE, Watch


class ReplaysAtLength(Reader):
    def finish(self, finish: Finish) -> Deltas:
        return super().finish("stop")


class SpaceCancels(Reader):
    """White space behind the answer's closer counts as words."""

    def _say(self, text: str, out: Deltas) -> None:
        self._skippable = False
        super()._say(text, out)


class OtherSpaceCancels(Reader):
    """White space behind the answer's closer counts as words, space and newline aside."""

    def _say(self, text: str, out: Deltas) -> None:
        self._skippable = self._skippable and not text.strip(" \n")
        super()._say(text, out)


class QuotedCloserSkips(Reader):
    """An answer's closer skips the channel although words follow it."""

    def _say(self, text: str, out: Deltas) -> None:
        skippable = self._skippable
        super()._say(text, out)
        self._skippable = skippable


class CutIsReplayed(Reader):
    def _skip(self, out: Deltas, cut: str) -> None:
        if cut:
            out.append(("reasoning", cut))
            if self._kept is not None:
                self._kept.append(cut)
        super()._skip(out, "")


class CutCancels(Reader):
    """A marker that the end cut short counts as words."""

    def finish(self, finish: Finish) -> Deltas:
        self._skippable = self._skippable and not self._held
        return super().finish(finish)


class ReplaysOnExit(Reader):
    """A channel that ended properly is replayed too."""

    def _move(self, action: str, out: Deltas) -> None:
        if self._state == INSIDE and self._skippable:
            self._skip(out, "")
        super()._move(action, out)


class NoReplayBeforeCalls(Reader):
    def _move(self, action: str, out: Deltas) -> None:
        self._skippable = False
        super()._move(action, out)


class BlankSkipDropped(Reader):
    """A replay is stripped."""

    def _skip(self, out: Deltas, cut: str) -> None:
        self._kept = [self._kept_text().strip(WHITE_SPACE)]
        super()._skip(out, cut)


class WaitingIsText(Reader):
    """A marker that waited for a longer one is text at the end."""

    def finish(self, finish: Finish) -> Deltas:
        held, self._held = self._held, ""
        return [*super().finish(finish), (self._channel, held)]


class DropsHeld(Reader):
    def finish(self, finish: Finish) -> Deltas:
        self._held = ""
        return super().finish(finish)


class DropsHeldAtStop(Reader):
    def finish(self, finish: Finish) -> Deltas:
        if finish == "stop":
            self._held = ""
        return super().finish(finish)


class CutIsContent(Reader):
    """Held text is content at the end, inside reasoning too."""

    def finish(self, finish: Finish) -> Deltas:
        deltas = super().finish(finish)
        return [("content", text) if text == self.cut else (channel, text) for channel, text in deltas]


class ThoughtIfThinking(Reader):
    """Reasoning that the prompt opened is believed only where the caller asked for it."""

    def __init__(self, machine: Machine, request: Request) -> None:
        super().__init__(machine, replace(request, opened=request.opened and request.thinking))


def watching(change: Callable[[Machine, str, Watch], Watch]) -> type[Machine]:
    """Machines whose watches are changed."""

    class Watching(Machine):
        def watch(self, off: bool, state: str, first: bool) -> Watch:
            return change(self, state, super().watch(off, state, first))

    return Watching


def shortest_first(machine: Machine, state: str, watch: Watch) -> Watch:
    markers = map(re.escape, sorted(watch.actions, key=len))
    words = [f"[^{WHITE_SPACE}]"] if watch.first else []
    return replace(watch, matches=re.compile("|".join([*markers, *words]) or r"(?!)").finditer)


def never_waiting(machine: Machine, state: str, watch: Watch) -> Watch:
    """A complete marker acts at once, also where a longer one may come."""

    def begins(text: str, start: int) -> re.Match[str] | None:
        found = watch.begins(text, start)
        while found and found.group() in watch.actions:
            found = watch.begins(text, found.start() + 1)
        return found

    return replace(watch, begins=begins)


def searching_calls(machine: Machine, state: str, watch: Watch) -> Watch:
    return machine.watch(False, BEFORE, False) if state == CALLS else watch


def searching_after(machine: Machine, state: str, watch: Watch) -> Watch:
    """The state after reasoning drops what the open channel drops."""
    if state != AFTER:
        return watch
    inside = machine.watch(False, INSIDE, False)
    return replace(inside, actions=dict.fromkeys(inside.actions, "drop"))


def always_first(machine: Machine, state: str, watch: Watch) -> Watch:
    """Words are never noticed: a closer always stands among the first."""
    if not watch.first:
        return watch
    return replace(
        watch, matches=re.compile("|".join(map(re.escape, sorted(watch.actions, key=len, reverse=True)))).finditer
    )


def few_spaces(machine: Machine, state: str, watch: Watch) -> Watch:
    """Before the first words, all but space and newline is words."""
    if not watch.first:
        return watch
    markers = map(re.escape, sorted(watch.actions, key=len, reverse=True))
    return replace(
        watch,
        matches=re.compile("|".join([*markers, r"[^ \n]"])).finditer,
        alarm=re.compile(r"(?s:.)").search,
    )


def without(*roles: str) -> Callable[[Dialect, Policy], Machine]:
    """Machines of a dialect that lacks the markers of some roles."""

    def compiled(dialect: Dialect, policy: Policy) -> Machine:
        kept = {role: markers for role, markers in dialect.markers.items() if role not in roles}
        return Machine(replace(dialect, markers=kept), policy)

    return compiled


def first_markers(dialect: Dialect, policy: Policy) -> Machine:
    """A machine that knows of each role the first marker alone."""
    return Machine(replace(dialect, markers={role: markers[:1] for role, markers in dialect.markers.items()}), policy)


class EatsFirstCall(Plain):
    """A calls opener at offset 0 is dropped."""

    begun = False

    def changed(self, deltas: Deltas) -> Deltas:
        return [self._cut(channel, text) for channel, text in deltas]

    def _cut(self, channel: str, text: str) -> tuple[str, str]:
        if not self.begun and not self.request.opened:
            for marker in markers_of(self.request, "calls_open"):
                text = text.removeprefix(marker)
        self.begun = True
        return channel, text


def eats_first_call(raw: str, request: Request, finish: Finish) -> Message:
    message = RIGHT.read(raw, request, finish)
    opener = next((marker for marker in markers_of(request, "calls_open") if raw.startswith(marker)), "")
    return message if request.opened else Message(message.reasoning, message.content.removeprefix(opener))


class NewlineAtStop(Plain):
    """Where the model stopped by itself, a newline is put behind the content."""

    told = ""

    def changed(self, deltas: Deltas) -> Deltas:
        self.told = self.told or "".join(text for channel, text in deltas if channel == "content")
        return deltas

    def finish(self, finish: Finish) -> Deltas:
        deltas = super().finish(finish)
        return [*deltas, ("content", "\n")] if self.told and finish == "stop" else deltas


def newline_at_stop(raw: str, request: Request, finish: Finish) -> Message:
    """A split that puts a newline behind the content where the model stopped by itself."""
    message = RIGHT.read(raw, request, finish)
    return Message(
        message.reasoning, message.content + "\n" if message.content and finish == "stop" else message.content
    )
