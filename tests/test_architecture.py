"""Facts about the house: what each folder may import, and how its modules are kept readable."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

HOUSE = ("oracles", "conformance", "mutants", "tests")
"""The folders with Python in them, each of which may import those left of it."""

MAY_IMPORT = {
    "oracles": {"regex"},
    "conformance": {"hypothesis", "pytest", "rich", "jsonschema", "jinja2", "xdist", "mutmut"},
    "mutants": {"hypothesis", "pytest", "rich", "jsonschema", "mutmut"},
}
"""Folder to what it may import from outside, the standard library aside."""

IMPORTED_AS = {
    "hypothesis": "hypothesis",
    "jinja2": "jinja2",
    "jsonschema": "jsonschema",
    "mutmut": "mutmut",
    "pytest": "pytest",
    "regex": "regex",
    "rich": "rich",
    "pytest-xdist": "xdist",
    "pydantic-ai-slim": "pydantic_ai",
}
"""Distribution to the module it is imported as."""

RUN_AS = {"build": "tests/test_wheel.py", "hatchling": "pyproject.toml"}
"""Distributions that are run and not imported, to the file that names them."""

ADAPTS: dict[str, set[str]] = {
    "_lmdeploy_import": {"lmdeploy"},
    "dynamo": {"dynamo", "tokenizers", "uvloop"},
    "freetoken": {"freetoken"},
    "mlx_lm": {"mlx_lm", "tokenizers", "transformers"},
    "vllm": {"transformers", "vllm"},
}
"""Adapter to the modules it may import, where that is not the one of its own name."""

LONGEST = 320
LONGER = {
    "oracles/second.py": "a fifth of it is the table of rules, and the rest one reading, better seen whole",
    "oracles/shape_table.py": "it is a table",
}
"""Modules that are longer than one sitting, each with the reason."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def modules(folder: str) -> list[Path]:
    """The modules of a folder, in order."""
    return sorted(path for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


OURS = [path for folder in HOUSE[:-1] for path in modules(folder)]
EVERY = [*OURS, *modules("tests"), *modules("benchmarks")]


@cache
def tree(path: Path) -> ast.Module:
    """A module, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"))


def named(path: Path) -> str:
    """A module's path from the root of the repository, as a test's id and in a message."""
    return path.relative_to(ROOT).as_posix()


def dotted(path: Path) -> str:
    """A module's name as it is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(statement: ast.AST) -> Iterator[str]:
    """The modules that a statement imports, each name of a ``from`` as though it were one."""
    match statement:
        case ast.Import(names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(str(module), names):
            yield from (f"{module}.{alias.name}" for alias in names)
        case ast.Call(
            ast.Name("__import__") | ast.Name("import_module") | ast.Attribute(attr="import_module"), arguments
        ):
            yield from (each.value for each in arguments[:1] if isinstance(each, ast.Constant))


@cache
def imports(path: Path, at_run: bool = False) -> list[str]:
    """All that a module imports, wherever the statement stands. ``at_run``: without what is for type checkers alone."""
    for_types = {inner for node in ast.walk(tree(path)) if at_run and is_for_types(node) for inner in ast.walk(node)}
    return [name for node in ast.walk(tree(path)) if node not in for_types for name in imported(node)]


def is_for_types(node: ast.AST) -> bool:
    """Whether it is an ``if TYPE_CHECKING``."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def modules_of(names: list[str], known: Iterable[str]) -> set[str]:
    """The known modules that hold those names, or are called so."""
    return {module for name in names for module in (name, name.rpartition(".")[0]) if module in known}


def top(name: str) -> str:
    """The first part of a dotted name."""
    return name.partition(".")[0]


def defined(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The functions and classes that a body defines, also in its branches, not those inside functions."""
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield statement
            case ast.If() | ast.Try() | ast.With():
                for name in ("body", "orelse", "handlers", "finalbody"):
                    inner = getattr(statement, name, [])
                    yield from defined([each for part in inner for each in getattr(part, "body", [part])])


def adapted(path: Path) -> set[str]:
    """What a module of conformance/adapters adapts, by its name or its folder's."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[:2] != ("conformance", "adapters"):
        return set()
    return ADAPTS.get(parts[2], {parts[2]})


def test_a_module_imports_nothing_that_stands_right_of_it():
    wrong = {
        named(path): name
        for path in OURS
        for name in imports(path)
        if top(name) in (*HOUSE[HOUSE.index(path.relative_to(ROOT).parts[0]) + 1 :], "benchmarks")
    }
    assert wrong == {}


def test_a_module_imports_from_outside_what_its_folder_may():
    """The standard library, what stands left, and the folder's own list; an adapter also the one thing it adapts."""
    wrong = {}
    for path in OURS:
        folder = path.relative_to(ROOT).parts[0]
        allowed = {*sys.stdlib_module_names, *HOUSE, *MAY_IMPORT[folder]}
        allowed |= adapted(path)
        if others := {top(name) for name in imports(path)} - allowed:
            wrong[named(path)] = others
    assert wrong == {}


def test_oracles_need_regex_and_nothing_else():
    outside = {top(name) for path in modules("oracles") for name in imports(path)} - set(sys.stdlib_module_names)
    assert outside == {"oracles", "regex"}


def test_xdist_is_imported_by_one_module_and_that_module_only_inside_a_function():
    """It is optional: a run without it must not need it."""
    assert [named(path) for path in OURS if "xdist" in map(top, imports(path))] == ["conformance/scheduling.py"]
    at_import = [name for path in OURS for statement in tree(path).body for name in imported(statement)]
    assert not [name for name in at_import if name.startswith("conformance.scheduling")]


def test_no_module_imports_the_insides_of_pytest():
    assert [named(path) for path in EVERY if "_pytest" in map(top, imports(path))] == []


def test_no_module_uses_a_relative_import():
    relative = [
        (named(path), node.lineno) for path in EVERY for node in ast.walk(tree(path)) if getattr(node, "level", 0)
    ]
    assert relative == []


@pytest.mark.parametrize("folder", HOUSE[:-1])
def test_modules_of_a_folder_import_each_other_in_no_circle(folder):
    """Imports inside functions count too; those for type checkers alone don't."""
    known = {dotted(path): path for path in modules(folder)}
    needs = {module: modules_of(imports(path, at_run=True), known) - {module} for module, path in known.items()}
    while free := [module for module, wanted in needs.items() if not wanted & set(needs)]:
        for module in free:
            del needs[module]
    assert needs == {}


def test_an_import_inside_a_function_says_why_it_stands_there():
    """By a comment on its lines or on the line above it."""
    silent = []
    for path in OURS:
        lines = path.read_text(encoding="utf-8").splitlines()
        functions = [node for node in ast.walk(tree(path)) if isinstance(node, FUNCTIONS)]
        for node in {inner for function in functions for inner in ast.walk(function)}:
            if isinstance(node, ast.Import | ast.ImportFrom):
                near = lines[node.lineno - 2 : node.end_lineno]
                silent += [] if any("#" in line for line in near) else [f"{named(path)}:{node.lineno}"]
    assert sorted(silent) == []


def test_a_module_begins_with_one_line_that_says_what_it_is():
    silent = []
    for path in EVERY:
        first, *rest = (ast.get_docstring(tree(path)) or "").split("\n")
        if not first.endswith(".") or rest[:1] not in ([], [""]):
            silent.append(named(path))
    assert silent == []


OVERRIDDEN = {"feed", "finish", "changed", "waits", "early", "holds"}
"""Methods that classes of ``mutants/faults`` override; each is documented where it is defined first."""


def test_what_a_module_offers_is_documented():
    """Every public function and class, and every public method of one."""
    silent = []
    for path in OURS:
        for node in defined(tree(path).body):
            inner = defined(node.body) if isinstance(node, ast.ClassDef) else ()
            public = [
                each for each in (node, *inner) if not node.name.startswith("_") and not each.name.startswith("_")
            ]
            known = OVERRIDDEN if isinstance(node, ast.ClassDef) and path.parent.name == "faults" else set()
            silent += [
                f"{named(path)}:{each.lineno} {each.name}"
                for each in public
                if not ast.get_docstring(each) and each.name not in known
            ]
    assert silent == []


def test_a_module_can_be_read_in_one_sitting():
    """Tests aside, which are lists of facts, each read alone; what is longer is listed, with the reason."""
    lengths = {
        named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in (*OURS, *modules("benchmarks"))
    }
    assert sorted(path for path, length in lengths.items() if length > LONGEST) == sorted(LONGER)


def test_corpora_need_no_python():
    assert list((ROOT / "corpora").rglob("*.py")) == []


def required() -> dict[str, list[str]]:
    """Distribution to the lists of pyproject.toml that name it, "" for what is installed always."""
    lists = {"": PROJECT["project"]["dependencies"], **PROJECT["project"]["optional-dependencies"]}
    found: dict[str, list[str]] = {}
    for extra, wanted in lists.items():
        for requirement in wanted:
            found.setdefault(re.match(r"[\w.-]+", requirement)[0], []).append(extra)
    return found


def test_a_dependency_is_used():
    """Imported by a module; one that is run and not imported, named by the file that runs it."""
    for distribution in required():
        if distribution in RUN_AS:
            assert distribution in (ROOT / RUN_AS[distribution]).read_text(encoding="utf-8")
        else:
            users = [path for path in OURS if IMPORTED_AS[distribution] in map(top, imports(path))]
            assert users, distribution


def test_what_is_imported_from_outside_is_a_dependency():
    """What the packages import is installed with them; extras are xdist, mutmut, and what the adapters adapt."""
    declared = {IMPORTED_AS[name] for name, extras in required().items() if "" in extras}
    outside = {top(name) for path in OURS for name in imports(path) if "adapters" not in path.parts}
    assert outside - set(sys.stdlib_module_names) - set(HOUSE) == declared | {"mutmut", "xdist"}


def test_the_readme_names_every_dependency_and_no_other():
    """In a table under "Dependencies", the distribution in backticks in its first column."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n## Dependencies\n")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\| *`([\w.-]+)`", section, re.MULTILINE)) == sorted(required())
