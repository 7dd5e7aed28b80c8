"""In which order the two texts of a streamed message are told, where it has a field a channel and says no order."""

from __future__ import annotations

from oracles.dialects import Dialect
from oracles.messages import WHITE_SPACE

Told = list[tuple[str, str]]
"""Deltas, in order."""

OTHER = {"reasoning": "content", "content": "reasoning"}
OPENS = {"reasoning_open": "reasoning", "reasoning_close": "content", "answer_open": "content"}
"""Roles of the markers behind which a channel begins, to the channel."""


class Fields:
    """The messages of one stream, each with a text a channel, as deltas.

    A message that holds one run of each channel tells them in the order in which they stand in the output: the message
    itself says none. Where it holds more runs than two, no order of two fields is right. ``opened``: the prompt opened
    reasoning.
    """

    def __init__(self, dialect: Dialect, opened: bool) -> None:
        dropped = (*OPENS, "answer_close", "framing")
        self._dropped = tuple(dict.fromkeys(marker for role in dropped for marker in dialect.of(role)))
        self._begins = {marker: channel for role, channel in OPENS.items() for marker in dialect.of(role)}
        self._channel = "reasoning" if opened else "content"
        self._untold = ""

    def read(self, text: str) -> None:
        """Takes the output's next text; what is told from now on may be of it."""
        self._untold += text

    def told(self, reasoning: str | None, content: str | None) -> Told:
        """The deltas of a message."""
        texts = {"reasoning": reasoning or "", "content": content or ""}
        if not any(texts.values()):
            return []
        first = self._begun() if all(texts.values()) else self._channel
        end = self._end_of(texts[first] + texts[OTHER[first]])
        if end is None and (other := self._end_of(texts[OTHER[first]] + texts[first])) is not None:
            first, end = OTHER[first], other
        deltas = [(channel, texts[channel]) for channel in (first, OTHER[first]) if texts[channel]]
        self._channel = deltas[-1][0]
        self._untold = "" if end is None else self._untold[end:]
        return deltas

    def _begun(self) -> str:
        """The channel of the first untold words, by the markers in front of them."""
        channel, at = self._channel, 0
        while marker := max((each for each in self._dropped if self._untold.startswith(each, at)), key=len, default=""):
            channel = self._begins.get(marker, channel)
            at += len(marker)
        return channel

    def _end_of(self, wanted: str) -> int | None:
        """Where a text ends that the untold one begins with, markers that carry no text and white space left out."""
        text = self._untold
        ways, seen = [(0, 0)], set[tuple[int, int]]()
        # Among many quoted markers no order is looked for: that would take the square of them.
        while ways and len(seen) < 4 * len(text) + 64:
            at, got = way = ways.pop()
            if got == len(wanted):
                return at
            if way in seen or at == len(text):
                continue
            seen.add(way)
            ways += ((at + len(marker), got) for marker in self._dropped if text.startswith(marker, at))
            if text[at] in WHITE_SPACE:
                ways.append((at + 1, got))
            if text[at] == wanted[got]:
                ways.append((at + 1, got + 1))
        return None
