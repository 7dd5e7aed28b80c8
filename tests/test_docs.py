"""What the documents say is so: examples run, links lead somewhere, and every option, id and module named exists."""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from conformance.adapter import EXAMPLES, OPTIONAL
from conformance.checks.catalogue import CHECKS
from conformance.cli import COMMANDS
from conformance.dialect_files import DialectFileError, load_dialect_file
from conformance.report import Entry, header
from conformance.verdicts import Verdict, Violation
from mutants.registry import MUTANTS
from oracles.dialects import REGISTRY, ROLES
from oracles.kinds import KINDS
from oracles.policies import AXES
from oracles.second import RULES
from oracles.shape_table import SHAPES

ROOT = Path(__file__).parent.parent
TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "corpora/README.md", "corpora/CHANGELOG.md")
PAGES = [
    *TOP,
    *(
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "docs").rglob("*.md"))
        if path.parent.name != "contract"
    ),
]
WRITTEN = [page for page in PAGES if not page.startswith("docs/adapters/")]
"""The pages whose ids in backticks are all ours; those about implementations name the implementations' own too."""

FOREIGN_OPTIONS = {
    "--cached": "git's",
    "--check": "ruff format's, too",
    "--dyn-reasoning-parser": "Dynamo's",
    "--into": "a build script's",
    "--no-deps": "pip's",
    "--no-save": "npm's",
    "--orphan": "git's",
    "--reasoning-parser": "SGLang's",
}
FOREIGN_IDS = {
    "impl-pydantic_ai": "a tox environment",
    "impl-sglang": "a tox environment",
    "llm-router-utils": "a distribution",
    "pydantic-ai-slim": "a distribution",
    "pytest-xdist": "a distribution",
}
NAMES = {*ROLES, "policy_reasons", "kind_title", "known_as", "pydantic_ai"}
"""Names of ours with an underscore that are no axis, no value and no dialect."""

PARSER = """
class Parser:
    def __init__(self, opened=False): pass
    def parse(self, raw): return "", raw
    def feed(self, text): return [("content", text)]
    def flush(self): return []
"""
"""What a page may import as ``mypkg``."""


@dataclass(frozen=True)
class Block:
    """A fenced block. ``words``: behind its fence. ``remark``: the comment on the line before it, or ""."""

    page: str
    line: int
    words: tuple[str, ...]
    remark: str
    text: str

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def file(self) -> str:
        return next((word.removeprefix("file=") for word in self.words if word.startswith("file=")), "")

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


@cache
def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@cache
def parted(page: str) -> tuple[str, tuple[Block, ...]]:
    """A page's prose, and its fenced blocks."""
    prose: list[str] = []
    blocks: list[Block] = []
    lines = iter(enumerate(text_of(page).splitlines(), 1))
    before = ""
    for number, line in lines:
        if fence := re.fullmatch(r"(```+)([^`]*)", line):
            inside = [inner for _, inner in itertools.takewhile(lambda each: each[1] != fence[1], lines)]
            remark = before.removeprefix("<!--").removesuffix("-->").strip() if before.startswith("<!--") else ""
            blocks.append(Block(page, number, tuple(fence[2].split()), remark, "".join(f"{each}\n" for each in inside)))
        else:
            prose.append(line)
        before = line
    return "\n".join(prose), tuple(blocks)


def prose(page: str) -> str:
    return parted(page)[0]


def blocks(page: str) -> tuple[Block, ...]:
    return parted(page)[1]


def spans(page: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", prose(page))


def tables(page: str) -> Iterator[list[list[str]]]:
    """Each table as its rows of cells, the head first."""
    for table in re.findall(r"(?:^\|.*\n?)+", prose(page), re.MULTILINE):
        rows = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in table.splitlines()]
        yield [[cell.strip() for cell in row] for row in rows if not set("".join(row)) <= set(" -:")]


def in_backticks(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def section(page: str, title: str) -> str:
    """The prose under a heading, to the next of its depth or above."""
    heading = re.search(rf"^(#+) {re.escape(title)}$", prose(page), re.MULTILINE)
    assert heading, f"{page} has no heading {title!r}"
    return re.split(rf"^#{{1,{len(heading[1])}}} ", prose(page)[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0]


# Examples


def runs(block: Block) -> bool:
    return block.language in ("python", "console", "json", "diff") and not block.remark.startswith("not run")


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "FORCE_COLOR"))}
    return {**kept, "COLUMNS": "80", "NO_COLOR": "1", "PYTHON": sys.executable}


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a console block, and what it is said to print."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        yield line, shown


def pattern(shown: str) -> str:
    """``shown`` as a regular expression: a line ``…`` stands for lines, ``…`` in a line for anything in it."""
    lines = [r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line) + "\n" for line in shown.splitlines()]
    return "".join(lines).replace("…", ".*")


def run(command: str, folder: Path) -> tuple[int, str]:
    ours = "".join(f'{name}() {{ "$PYTHON" -m {name} "$@"; }}\n' for name in ("pytest", "conformance"))
    ours += 'python() { "$PYTHON" "$@"; }\n'
    done = subprocess.run(
        ["sh", "-c", ours + command], cwd=folder, env=environment(), timeout=120, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
    )  # fmt: skip
    return done.returncode, "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def hold_console(block: Block, folder: Path) -> None:
    wanted = int(block.remark.removeprefix("exit ")) if block.remark.startswith("exit ") else 0
    for command, shown in commands(block):
        code, output = run(command, folder)
        assert code == wanted, f"{block.place}: {command} exits with {code}:\n{output}"
        if shown.strip():
            fits = re.fullmatch(pattern(shown), output)
            assert fits, f"{block.place}: {command} doesn't print what the page shows, but:\n{output}"


def hold_dialect(block: Block, folder: Path) -> None:
    path = folder / (block.file or "example.json")
    path.write_text(block.text, encoding="utf-8")
    if "invalid" in block.words:
        with pytest.raises(DialectFileError):
            load_dialect_file(path)
    else:
        load_dialect_file(path)


def change(block: Block, folder: Path) -> None:
    """Replaces the lines with a minus by those with a plus."""
    old, new = ("".join(f"{line[1:]}\n" for line in block.text.splitlines() if line[:1] == sign) for sign in ("-", "+"))
    path = folder / block.file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{block.place}: {block.file} doesn't have those lines once"
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(runs, blocks(page)))])
def test_the_examples_of_a_page_do_what_it_says(page: str, tmp_path: Path) -> None:
    """In the page's order, in one folder."""
    (tmp_path / "mypkg").mkdir()
    (tmp_path / "mypkg" / "__init__.py").write_text(PARSER, encoding="utf-8")
    for block in filter(runs, blocks(page)):
        if block.language == "console":
            hold_console(block, tmp_path)
        elif block.language == "json":
            hold_dialect(block, tmp_path)
        elif block.language == "diff":
            change(block, tmp_path)
        elif block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            done = subprocess.run(
                [sys.executable, "-W", "error", "-c", block.text], cwd=tmp_path, env=environment(), timeout=60,
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (0, ""), block.place


def test_a_block_that_is_not_run_says_why() -> None:
    marked = [block for page in PAGES for block in blocks(page) if block.remark.startswith("not run")]
    assert [block.place for block in marked if not re.match(r"not run: \w", block.remark)] == []


# Links and paths


def slugs(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_inside_the_repository_leads_somewhere() -> None:
    broken = []
    for page in PAGES:
        for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (ROOT / page).parent / path if path else ROOT / page
            known = target.exists() and (not anchor or anchor in slugs(target.resolve().relative_to(ROOT).as_posix()))
            if not known:
                broken.append((page, link))
    assert broken == []


def test_every_path_in_backticks_exists() -> None:
    """Those that begin with a folder of the repository."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"mypkg"}
    missing = [
        (page, span)
        for page in WRITTEN
        for span in spans(page)
        if re.fullmatch(r"[\w.]+/[\w./-]*", span) and span.partition("/")[0] in folders and not (ROOT / span).exists()
    ]
    assert missing == []


def test_the_architecture_names_every_module() -> None:
    modules = [
        path.relative_to(ROOT).as_posix()
        for folder in ("oracles", "conformance", "mutants")
        for path in sorted((ROOT / folder).glob("*.py"))
        if not path.name.startswith("__") and path.stem not in ("messages", "policies", "dialects")
    ]
    assert [module for module in modules if module not in spans("docs/architecture.md")] == []


# Names


OPTION = r"(?<![\w-])--[a-z][\w-]*"


@cache
def pytest_help() -> str:
    """What pytest says of its options, the suite's with them."""
    return run("pytest --impl=conformance.adapters.reference --help", ROOT)[1]


def known_options() -> set[str]:
    """Every option of pytest with the suite's, and of the command line."""
    inner = ("corpus format", "corpus manifest", "corpus pack", "import lines")
    helps = " && ".join(f"conformance {command} --help" for command in (*COMMANDS, *inner) if command != "run")
    helps += ' && "$PYTHON" -m mutants --help && "$PYTHON" -m mutants.mechanical --help'
    return {*re.findall(OPTION, pytest_help()), *re.findall(OPTION, run(helps, ROOT)[1])}


def test_every_option_that_a_page_names_exists() -> None:
    known = {*known_options(), *FOREIGN_OPTIONS}
    named = [(page, option) for page in PAGES for option in re.findall(OPTION, text_of(page))]
    assert [each for each in named if each[1] not in known] == []


def test_every_option_of_the_suite_is_documented() -> None:
    pages = "".join(map(text_of, PAGES))
    group = pytest_help().partition("conformance of reasoning")[2].partition("\n\n")[0]
    ours = re.findall(r"^  (--[\w-]+)", group, re.MULTILINE)
    assert len(ours) > 8
    assert [option for option in ours if option not in pages] == []


VALUES = {value for values in AXES.values() for value in values}
WORDS = {str(value).lower() for value in VALUES}
IDS = {*CHECKS, *RULES, *(shape.id for shape in SHAPES), *(kind.id for kind in KINDS), *MUTANTS, *FOREIGN_IDS}


def unknown(span: str) -> bool:
    """Whether what stands in backticks has the form of an id of ours and is none."""
    if re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", span):
        return span not in IDS
    if re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", span):
        return span not in {*AXES, *WORDS, *REGISTRY.ids(), *NAMES}
    if pair := re.fullmatch(r"([a-z_]+)(?:: |=)([a-z_]+)", span):
        axis, value = pair.groups()
        return axis in AXES and value not in {str(known).lower() for known in AXES[axis]}
    if item := re.fullmatch(r"([a-z0-9_]+)::([a-z-]+)", span):
        return span != "dialect::check" and (item[1] not in REGISTRY.ids() or item[2] not in CHECKS)
    return False


@pytest.mark.parametrize("page", WRITTEN)
def test_every_id_in_backticks_exists(page: str) -> None:
    assert [span for span in spans(page) if unknown(span)] == []


@pytest.mark.parametrize(
    ("span", "wrong"),
    [("order-kept", False), ("order-keeps", True), ("kimi_k4", True), ("reopen: opens", False), ("reopen=open", True),
     ("qwen3::order-kept", False), ("qwen3::orders", True), ("finish", False)],
)  # fmt: skip
def test_an_id_that_is_none_is_told(span: str, wrong: bool) -> None:
    assert unknown(span) == wrong


def test_every_dialect_check_and_axis_of_a_table_exists() -> None:
    known = {"dialect": REGISTRY.ids(), "dialects": REGISTRY.ids(), "axis": tuple(AXES), "check": tuple(CHECKS)}
    wrong = []
    for page in PAGES:
        for head, *rows in tables(page):
            for row in rows if head[0] in known else ():
                words = in_backticks(row[0]) or re.split(r", | ", row[0])
                wrong += [(page, word) for word in words if "_" in word and word not in known[head[0]]]
    assert wrong == []


def test_the_ids_that_commands_name_exist() -> None:
    """Those of ours; a dialect may also be one that the page declares."""
    for page in PAGES:
        own = [*re.findall(r'"id": "(\w+)"', text_of(page)), "your_dialect"]
        dialects = re.findall(r"--dialect[= ]([a-z0-9_]+)", text_of(page))
        dialects += re.findall(r"conformance (?:read|shapes) ([a-z0-9_]+)", text_of(page))
        assert [id for id in dialects if id not in (*REGISTRY.ids(), *own)] == [], page
        assert [id for id in re.findall(r"--check[= ]([a-z-]{6,})", text_of(page)) if id not in CHECKS] == [], page


# Pages that must be whole


def test_every_check_has_its_section_and_its_level_there() -> None:
    page = "docs/checks.md"
    headings = re.findall(r"^## (.+)$", prose(page), re.MULTILINE)
    assert [heading for heading in headings if "-" in heading] == list(CHECKS)
    for id, check in CHECKS.items():
        told = section(page, id)
        assert told.lstrip().startswith(f"**{check.level}"), id
        for what in ("Why", "Not its business", "Smallest case", "Usual remedy"):
            assert f"- **{what}.**" in told, (id, what)


def test_the_sorts_of_checks_hold_every_must() -> None:
    sorts = next(table for table in tables("docs/checks.md") if table[0][0] == "sort")
    named = [id for row in sorts[1:] for id in in_backticks(row[1])]
    musts = {id for id, check in CHECKS.items() if check.level == "must"}
    assert sorted(named) == sorted(musts)


def test_the_protocol_is_documented_whole() -> None:
    page = "docs/adapters.md"
    cells = [word for table in tables(page) for row in table for word in in_backticks(row[0])]
    named = {re.match(r"\w+", cell)[0] for cell in cells if re.match(r"\w+", cell)}
    assert {*EXAMPLES, *OPTIONAL, "feed", "finish"} <= named


@pytest.mark.parametrize("page", ["docs/adapters.md", "corpora/README.md"])
def test_every_axis_stands_in_the_table_with_its_values(page: str) -> None:
    table = next(table for table in tables(page) if table[0][0] == "axis")
    told = {in_backticks(row[0])[0]: [word.lower() for word in in_backticks(row[1])] for row in table[1:]}
    assert told == {axis: [str(value).lower() for value in values] for axis, values in AXES.items()}


def fields_of(title: str) -> list[str]:
    """The fields that docs/ci.md describes under a line such as ``A result:``."""
    told = section("docs/ci.md", "The report").partition(f"\n{title}:\n")[2]
    table = re.search(r"(?:^\|.*\n)+", told, re.MULTILINE)
    assert table, title
    return [word for line in table[0].splitlines()[2:] for word in in_backticks(line.split("|")[1])]


def test_every_field_of_a_report_is_documented() -> None:
    assert fields_of("The header") == list(header("", [], "", None, [], []))
    assert sorted(fields_of("A verdict")) == sorted(field.name for field in dataclasses.fields(Verdict))
    assert sorted(fields_of("A violation")) == sorted(field.name for field in dataclasses.fields(Violation))
    assert {field.name for field in dataclasses.fields(Entry)} <= {*fields_of("A result")}
    assert fields_of("The footer") == ["kind", "whole", "counts", "seconds"]


@pytest.mark.parametrize("page", [page for page in WRITTEN if page.startswith("docs/")] + ["CONTRIBUTING.md"])
def test_a_page_says_first_whom_it_is_for_and_what_they_get(page: str) -> None:
    begin = " ".join(prose(page).split("\n\n")[1].split())
    assert begin.startswith("For ")
    assert "You get: " in begin or "You get: " in " ".join(prose(page).split("\n\n")[2].split())


@pytest.mark.parametrize("title", ["Try it", "Tests"])
def test_the_set_up_commands_of_the_readme_are_run_by_ci(title: str) -> None:
    rest = text_of("README.md").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    fenced = re.search(r"^```\w*\n(.+)\n```$", rest, re.MULTILINE)
    assert fenced, f"README.md: no fenced command of one line under {title!r}"
    assert fenced[1] in (ROOT / ".ci/run").read_text("utf-8") + (ROOT / "tox.ini").read_text("utf-8")
