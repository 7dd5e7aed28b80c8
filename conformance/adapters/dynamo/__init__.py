"""NVIDIA Dynamo's frontend, asked over HTTP on loopback; install and findings: docs/adapters/dynamo.md."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from conformance.adapters.dynamo.script import script

__all__ = ["command", "script"]

# Only looked for: the child imports them, and this process must start no threads of theirs.
for _module in ("dynamo", "tokenizers"):
    if find_spec(_module) is None:
        raise ImportError(
            f"NVIDIA Dynamo: there is no module {_module!r}; pip install --no-deps ai-dynamo-runtime==1.6.1 tokenizers"
        )

command = (sys.executable, "-m", f"{__name__}.serve")
"""The words that start the wire child."""
