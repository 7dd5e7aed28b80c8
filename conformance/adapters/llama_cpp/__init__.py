"""llama.cpp's chat parser, as llama-server asks it; install and findings: docs/adapters/llama_cpp.md."""

from __future__ import annotations

import sys

from conformance.adapters.llama_cpp.place import home
from conformance.adapters.llama_cpp.script import script

__all__ = ["script"]


def __getattr__(name: str) -> tuple[str, ...]:
    """``command``, the words that start the wire child. Raises ImportError where the driver isn't built."""
    if name != "command":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # The build script is of this package too, and runs where there is no driver yet.
    if not (home() / "driver").is_file():
        raise ImportError(f"there is no {home() / 'driver'}; python -m conformance.adapters.llama_cpp.build makes it")
    return (sys.executable, "-m", f"{__name__}.serve")
