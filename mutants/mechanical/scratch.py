"""The scratch copy: our tree in a temporary folder, with every mutant in its modules."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from mutants.mechanical.changes import Mutant, Mutated, mutated

COPIED = ("oracles", "conformance", "corpora", "tests")
"""The folders of the tree that the tests need. ``mutants`` is none: it is the one that runs them."""

PROJECT = """\
[tool.pytest.ini_options]
addopts = "--strict-markers -p no:cacheprovider"
markers = ["slow: takes minutes"]
xfail_strict = true
filterwarnings = ["error"]

[tool.mutmut]
source_paths = ["."]
track_dependencies = false
"""
"""The scratch copy's ``pyproject.toml``."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch copy: its folder, all its mutants, and function to the digest of its source.

    ``bare``: the modules that define functions and got no mutant.
    """

    folder: Path
    mutants: tuple[Mutant, ...]
    digests: dict[str, str]
    bare: tuple[str, ...]


@contextmanager
def scratch_copy(root: Path, modules: Iterable[str], jobs: int) -> Iterator[Scratch]:
    """A copy of the tree at ``root`` in which the modules (paths from there on) hold their mutants, for a while."""
    with TemporaryDirectory(prefix="mechanical-") as name:
        folder = Path(name)
        for part in COPIED:
            if (root / part).is_dir():
                shutil.copytree(root / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "mutants"))
        (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
        paths = [Path(module) for module in modules]
        texts = [(root / path).read_text(encoding="utf-8") for path in paths]
        with ProcessPoolExecutor(
            jobs, get_context("spawn"), os.chdir, (folder,)
        ) as pool:  # mutmut looks for its settings
            made = dict(zip(paths, pool.map(mutated, paths, texts), strict=True))
        for path, module in made.items():
            (folder / path).write_text(module.text, encoding="utf-8")
        yield Scratch(
            folder,
            tuple(mutant for module in made.values() for mutant in module.mutants),
            {function: digest for module in made.values() for function, digest in module.digests.items()},
            tuple(_bare(made)),
        )


def _bare(made: dict[Path, Mutated]) -> Iterator[str]:
    for path, module in made.items():
        if not module.mutants and "\ndef " in module.text.replace("    def ", "\ndef "):
            yield path.as_posix()
