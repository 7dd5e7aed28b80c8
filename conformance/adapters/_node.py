"""Where Node.js and the npm packages are that adapters in JavaScript adapt."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent

MODULES = "CONFORMANCE_NODE_MODULES"
"""The variable that names a folder with packages in it, where they aren't in ``node_modules`` of the current folder."""


def child(file: str, package: str, version: str) -> tuple[str, ...]:
    """The command that starts a child of the wire: ``file``, which stands beside this module, run by Node.js.

    Raises ImportError, with what to install, where Node.js or the npm package isn't there.
    """
    node = shutil.which("node")
    if node is None:
        raise ImportError(f"{file} needs Node.js, and no `node` is on the path; install it, then npm install {package}")
    if not any((folder / package / "package.json").is_file() for folder in _searched()):
        raise ImportError(
            f"the npm package {package} isn't in the node_modules of {Path.cwd()} or above: "
            f"npm install {package}@{version} there, or name its folder in {MODULES}"
        )
    return node, str(FOLDER / file)


def _searched() -> Iterator[Path]:
    """Where packages are looked for, as Node.js does from a folder: there, and in every folder above it."""
    for begin in (os.environ.get(MODULES), str(Path.cwd())):
        if begin:
            resolved = Path(begin).resolve()
            for folder in (resolved, *resolved.parents):
                yield folder if folder.name == "node_modules" else folder / "node_modules"


def literal(value: object) -> str:
    """A value of JSON as JavaScript that is ASCII alone, so that it reads the same everywhere."""
    return json.dumps(value, ensure_ascii=True)
