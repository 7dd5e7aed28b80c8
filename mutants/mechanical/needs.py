"""What the command needs, and whether it is there."""

from __future__ import annotations

import os
from importlib import metadata

MUTMUT = "3.8.1"
"""The release of mutmut whose insides are used; another one may make other mutants, or none."""


def missing() -> str:
    """What is missing, in a sentence that says what to do, or ""."""
    if not hasattr(os, "fork"):
        return "mechanical mutation forks a process for each mutant, which this system can't: run it on Linux"
    try:
        found = metadata.version("mutmut")
    except metadata.PackageNotFoundError:
        found = ""
    if found == MUTMUT:
        return ""
    have = f"mutmut {found} is installed" if found else "mutmut is not installed"
    return f"{have}, and mechanical mutation needs {MUTMUT}: pip install -e '.[mutation]'"
