"""Texts that share most of their lines, each line written once."""

from __future__ import annotations


class Lines:
    """The lines of many texts, in the order in which they first came."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def places(self, text: str) -> str:
        """Where the lines of ``text`` stand in ``all``: ``"0-3,7,5"``, a stretch of them by its first and last."""
        stretches: list[list[int]] = []
        for line in text.split("\n"):
            place = self._places.setdefault(line, len(self._places))
            if stretches and stretches[-1][1] == place - 1:
                stretches[-1][1] = place
            else:
                stretches.append([place, place])
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in stretches)

    def place(self, line: str) -> int:
        """Where one line stands in ``all``."""
        return self._places.setdefault(line, len(self._places))

    @property
    def all(self) -> list[str]:
        """Every line, once."""
        return list(self._places)
