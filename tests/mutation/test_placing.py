"""Facts about a module whose source is replaced as it is imported."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_parser import files

from conformance.mutation.placing import Placed
from conformance.mutation.tracing import Lines

NAMES = ("placed_package", "placed_package.part", "placed_package.other")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "placed_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("VALUE = 'package'\n")
    (folder / "part.py").write_text("from placed_package import VALUE\n\n\ndef told():\n    return VALUE + ' part'\n")
    (folder / "other.py").write_text("from placed_package.part import told\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    yield folder
    for name in NAMES:
        sys.modules.pop(name, None)


def place(path: Path, text: str) -> Placed:
    placed = Placed(os.path.realpath(path), text)
    sys.meta_path.insert(0, placed)
    return placed


def test_a_module_is_loaded_from_the_text_and_nothing_is_written(package: Path) -> None:
    before = files(package)
    placed = place(package / "part.py", "def told():\n    return 'placed'\n")
    assert importlib.import_module("placed_package.other").told() == "placed"
    assert placed.used == ["placed_package.part"]
    assert files(package) == before


def test_a_module_that_is_replaced_knows_its_file(package: Path) -> None:
    place(package / "part.py", "HERE = __file__\n")
    here = importlib.import_module("placed_package.part").HERE
    assert here == str(package / "part.py")


def test_a_package_is_replaced_and_keeps_its_modules(package: Path) -> None:
    place(package / "__init__.py", "VALUE = 'placed'\n")
    assert importlib.import_module("placed_package.part").told() == "placed part"


def test_bytecode_that_is_there_is_not_taken(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    importlib.import_module("placed_package.part")
    for name in NAMES:
        sys.modules.pop(name, None)
    place(package / "part.py", "told = None\n")
    assert importlib.import_module("placed_package.part").told is None


def test_other_modules_are_found_as_ever(package: Path) -> None:
    placed = place(package / "part.py", "told = None\n")
    assert importlib.import_module("placed_package").VALUE == "package"
    assert placed.used == []
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("placed_package.missing")


def test_the_lines_of_a_file_that_are_executed_are_noted(package: Path) -> None:
    text = "def told(x):\n    if x:\n        return 1\n    return [y for y in (2,)]\n\n\ndef never():\n    pass\n"
    path = package / "part.py"
    place(path, text)
    with Lines(os.path.realpath(path)) as lines:
        told = importlib.import_module("placed_package.part").told
        assert lines.taken() == {1, 7}
        told(0)
        assert lines.taken() - {1} == {2, 4}
        told(1)
        assert lines.taken() - {1} == {2, 3}
    told(0)
    assert lines.taken() == set()
