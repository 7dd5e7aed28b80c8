"""Facts about the mutants that are made of a source."""

from __future__ import annotations

import ast
import os
from collections import Counter
from importlib import metadata
from pathlib import Path

import pytest
from made_parser import READER
from mutmut import configuration
from mutmut.mutation.file_mutation import create_mutations

from conformance.mutation.changing import MakingError, tool_version
from conformance.mutation.making import Mutant, evenly, mutants_of
from conformance.mutation.outline import functions_of

ODD = '''\
# A comment before everything.

"""Text in several alphabets: äöü."""
from dataclasses import dataclass

LIMIT = 4


@dataclass
class Wide:
    größe: int = 1

    def many(self, a, b=2):
        def inner(x):
            return x + 1 if x else call(
                "ü", self.größe,
                # between
                b - a,
            )

        match inner(a):
            case 1:
                return "one"
            case 2:
                return "two"
            case _:
                return [each
                        for each in (a, b) if not each]'''


@pytest.mark.parametrize("source", [READER, ODD, f"{ODD}\n\n"], ids=["reader", "odd", "odd with blank lines"])
def test_mutants_are_those_of_the_tool_each_text_once(source: str, tmp_path: Path, monkeypatch) -> None:
    made = mutants_of(source, "odd.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    configuration.reset_config()
    module, mutations, *_ = create_mutations("odd.py", source)
    texts = {module.deep_replace(each.original_node, each.mutated_node).code for each in mutations} - {source}
    assert {mutant.text for mutant in made} == texts
    assert len(made) == len(texts) > 15


@pytest.mark.parametrize("source", [READER, ODD], ids=["reader", "odd"])
def test_a_mutant_says_what_stood_where(source: str, tmp_path: Path) -> None:
    lines = source.splitlines(keepends=True)
    for mutant in mutants_of(source, "odd.py", tmp_path):
        start, end = (sum(map(len, lines[: line - 1])) + column - 1 for line, column in (mutant.start, mutant.end))
        assert source[start:end] == mutant.original
        assert source[:start] + mutant.replacement + source[end:] == mutant.text


def test_mutants_stand_in_the_order_of_the_source_under_names_that_stay(tmp_path: Path) -> None:
    made = mutants_of(READER, "reader.py", tmp_path)
    assert [mutant.start for mutant in made] == sorted(mutant.start for mutant in made)
    assert len({mutant.id for mutant in made}) == len(made)
    assert [mutant.id for mutant in made] == [mutant.id for mutant in mutants_of(READER, "reader.py", tmp_path)]


def test_a_mutant_knows_its_function_and_the_lines_of_its_statement(tmp_path: Path) -> None:
    made = {(mutant.original, mutant.replacement): mutant for mutant in mutants_of(ODD, "odd.py", tmp_path)}
    assert made["+", "-"].function == "Wide.many.inner"
    lines = ODD.splitlines()
    call = range(lines.index("            return x + 1 if x else call(") + 1, lines.index("            )") + 2)
    inside = next(mutant for mutant in made.values() if mutant.start[0] == call[1])
    assert made["+", "-"].lines == inside.lines == set(call)
    assert made["4", "5"].function == ""


def test_a_diff_is_what_patch_reads(tmp_path: Path) -> None:
    mutant = next(
        mutant for mutant in mutants_of(READER, "pkg/reader.py", tmp_path) if mutant.function == "Reader.keep"
    )
    head, *hunk = mutant.diff.splitlines()[1:]
    assert head == "+++ pkg/reader.py"
    begin = READER.splitlines().index("    def keep(self):")
    assert hunk[0] == f"@@ -{begin},5 +{begin},5 @@"
    assert [line[1:] for line in hunk[1:] if line[0] in " -"] == READER.splitlines()[begin - 1 : begin + 4]
    assert [line[1:] for line in hunk[1:] if line[0] in " +"] == mutant.text.splitlines()[begin - 1 : begin + 4]


def test_functions_are_chosen_by_patterns(tmp_path: Path) -> None:
    every = mutants_of(READER, "reader.py", tmp_path)
    some = mutants_of(READER, "reader.py", tmp_path, ["Reader.k*", "unused"])
    assert {mutant.function for mutant in some} == {"Reader.keep", "unused"}
    assert some == [mutant for mutant in every if mutant.function in ("Reader.keep", "unused")]
    assert "Reader.keep" in functions_of(READER)


def test_every_beginning_of_the_order_of_trial_is_an_even_sample_over_functions(tmp_path: Path) -> None:
    made = mutants_of(READER, "reader.py", tmp_path)
    functions = {mutant.function for mutant in made}
    ordered = evenly(made, None)
    assert sorted(ordered, key=made.index) == made
    assert Counter(mutant.function for mutant in ordered[: len(functions)]) == Counter(functions)
    assert ordered == evenly(made, None) != evenly(made, 1)


def test_settings_of_whoever_runs_it_change_nothing(tmp_path: Path, monkeypatch) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    before = mutants_of(READER, "reader.py", ours)
    (tmp_path / "setup.cfg").write_text("[mutmut]\nsource_paths=.\ndo_not_mutate_patterns=\n    .*\n")
    monkeypatch.chdir(tmp_path)
    assert mutants_of(READER, "reader.py", ours) == before
    assert os.getcwd() == str(tmp_path)


def test_a_line_that_is_marked_is_left_alone(tmp_path: Path) -> None:
    marked = READER.replace("            return 0\n", "            return 0  # pragma: no mutate\n")
    lines = {mutant.start[0] for mutant in mutants_of(READER, "reader.py", tmp_path)}
    line = READER.splitlines().index("            return 0") + 1
    assert lines - {mutant.start[0] for mutant in mutants_of(marked, "reader.py", tmp_path)} == {line}


def test_a_source_that_is_no_python_is_told(tmp_path: Path) -> None:
    with pytest.raises(MakingError, match=r"reader\.py is no Python"):
        mutants_of("def f(:\n", "reader.py", tmp_path)


def test_without_the_tool_its_pip_line_is_told(monkeypatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(MakingError, match=r"not installed: pip install 'llm-parser-conformance\[mutate\]'"):
        tool_version()


def test_another_release_of_the_tool_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "4.0")
    with pytest.raises(MakingError, match=r"4\.0 is installed: pip install"):
        tool_version()


def test_every_mutant_can_be_read(tmp_path: Path) -> None:
    assert all(isinstance(one, Mutant) and ast.parse(one.text) for one in mutants_of(READER, "reader.py", tmp_path))
