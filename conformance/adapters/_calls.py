"""Refusing outputs with calls, where an implementation takes calls out of the text that is judged."""

from __future__ import annotations

from collections.abc import Sequence

from oracles.messages import Unsupported


class CallsRefused:
    """Looks for calls openers in an output, over the edges of its chunks too. ``openers``: none, to refuse nothing."""

    def __init__(self, openers: Sequence[str], reason: str) -> None:
        self._openers = openers
        self._reason = reason
        self._tail = ""

    def look(self, text: str) -> None:
        """Takes the next text; raises Unsupported, with the reason, where an opener is complete."""
        text = self._tail + text
        if any(opener in text for opener in self._openers):
            raise Unsupported(self._reason)
        self._tail = text[-max(map(len, self._openers), default=1) :]
