"""Python's memory, from one moment on."""

from __future__ import annotations

import tracemalloc


class Traced:
    """Python's memory from here on."""

    def __enter__(self) -> Traced:
        self._nested = tracemalloc.is_tracing()
        if not self._nested:
            tracemalloc.start()
        tracemalloc.reset_peak()
        self._start = tracemalloc.get_traced_memory()[0]
        return self

    def __exit__(self, *_: object) -> None:
        if not self._nested:
            tracemalloc.stop()

    def peak(self) -> int:
        """The most that was held at once."""
        return tracemalloc.get_traced_memory()[1] - self._start

    def current(self) -> int:
        """What is held now."""
        return tracemalloc.get_traced_memory()[0] - self._start
