"""Texts that share most of their lines, each line written once."""

from __future__ import annotations


class Lines:
    """The lines of many texts, in the order in which they first came."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def places(self, text: str) -> list[int]:
        """Where each line of ``text`` stands in ``all``."""
        return [self._places.setdefault(line, len(self._places)) for line in text.split("\n")]

    @property
    def all(self) -> list[str]:
        """Every line, once."""
        return list(self._places)
