"""The commands about the corpus: what each is asked, and what it prints."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from conformance.adapter import nearest
from conformance.corpus.changes import changes
from conformance.corpus.files import MANIFEST, CorpusError, kind_of, listed, sha256
from conformance.corpus.foreign import canitoolcall, lines
from conformance.corpus.foreign.importing import imported, slug, write
from conformance.corpus.foreign.items import Item, Skipped
from conformance.corpus.formatting import unformatted
from conformance.corpus.generating import Disagreement, regenerated
from conformance.corpus.inspection import inspect
from conformance.corpus.lint import lint
from conformance.corpus.manifest import Manifest, read_manifest, renewed
from conformance.corpus.packing import npm, pack
from conformance.corpus.vendoring import copy, verify
from conformance.literals import escaped
from oracles.dialects import REGISTRY, UnknownDialect, corpora

COMMANDS = {
    "copy": "copy the corpus into a project, with its manifest",
    "verify": "tell what was changed in a copy of the corpus, case by case",
    "import": "make cases of other people's outputs, for pytest --corpus",
    "corpus": "work on a corpus: its form, its rules, its manifest, its archives",
}
"""The commands, with a line about each."""


def add_arguments(made: dict[str, Any]) -> None:
    """Gives the parsers of these commands their arguments. ``made``: command to its parser."""
    made["copy"].add_argument("target", type=Path, metavar="DEST", help="a new folder, or an older copy")
    made["copy"].add_argument("--dialect", action="append", default=[], metavar="ID", help="only this one; repeatable")
    made["copy"].set_defaults(act=_copy)
    made["verify"].add_argument("folder", type=Path, metavar="DEST", help="the copy")
    made["verify"].set_defaults(act=_verify)
    _add_importers(made["import"])
    works = made["corpus"].add_subparsers(dest="work", required=True, metavar="WORK")

    def work(name: str, act: Callable[[Any], int], about: str, folder: bool = True) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = works.add_parser(name, help=about, description=about)
        parser.set_defaults(act=act)
        if folder:
            parser.add_argument("folder", nargs="?", type=Path, default=corpora(), metavar="DIR", help="corpora/")
        return parser

    work("lint", _lint, "tell what breaks the rules of a corpus")
    format = work("format", _format, "bring the JSON files of a corpus in form")
    format.add_argument("--check", action="store_true", help="only tell which files aren't in form")
    generate = work("generate", _generate, "write the generated cases of each dialect")
    generate.add_argument("--check", action="store_true", help="only tell which files differ")
    manifest = work("manifest", _manifest, "write the manifest of a corpus")
    manifest.add_argument("--version", metavar="X.Y.Z", help="the corpus's version from now on")
    gone = manifest.add_mutually_exclusive_group()
    gone.add_argument("--retire", dest="gone", action="store_const", const="retire", help="retire ids that are gone")
    gone.add_argument(
        "--forget", dest="gone", action="store_const", const="forget", help="forget ids that no release had"
    )
    archive = work("pack", _pack, "write the corpus as one archive, the same to the byte each time")
    archive.add_argument("-o", dest="out", type=Path, metavar="FILE", help="ends in .tar.gz or .zip")
    package = work("npm", _npm, "make a folder an npm package that holds the corpus and no code", folder=False)
    package.add_argument("target", type=Path, metavar="DEST", help="a new folder, or an older package")
    between = work("changes", _changes, "tell what changed between two versions, and which promise broke", folder=False)
    between.add_argument("old", type=Path, metavar="OLD", help="the corpus before")
    between.add_argument("new", type=Path, metavar="NEW", help="the corpus now")


def _add_importers(parser: Any) -> None:
    importers = parser.add_subparsers(dest="form", required=True, metavar="FORM")
    for form, act, about in (
        ("canitoolcall", _import_canitoolcall, "the fixtures of canitoolcall, as JSON lines"),
        (
            "lines",
            _import_lines,
            "a JSON string a line, or an object with raw and what is known of it",
        ),
    ):
        made = importers.add_parser(form, help=about, description=about)
        made.add_argument("files", nargs="+", type=Path, metavar="FILE", help="or a folder with .jsonl files")
        made.add_argument("-o", dest="out", type=Path, required=True, metavar="DIR", help="where the cases go")
        made.add_argument("--group", default=form, metavar="NAME", help="what the files of cases are called")
        if form == "lines":
            made.add_argument("--dialect", required=True, metavar="ID", help="the dialect of the outputs")
        made.set_defaults(act=act)


def run(asked: Any) -> int:
    """Carries out one of these commands; the exit code. Raises CorpusError."""
    try:
        code: int = asked.act(asked)
    except Disagreement as error:
        raise CorpusError(str(error)) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise CorpusError(f"{where}{error.strerror or error}; name a place that can be read and written") from None
    return code


def _told(text: object) -> None:
    print(escaped(str(text)))


def _copy(asked: Any) -> int:
    done = copy(asked.target, asked.dialect)
    _counted(asked.target, done.manifest)
    for names, how in ((done.mended, "was changed there, and is replaced"), (done.removed, "is removed")):
        for name in names:
            _told(f"  {name} {how}")
    return 0


def _verify(asked: Any) -> int:
    found = verify(asked.folder)
    for each in found:
        _told(each)
    if not found:
        manifest = read_manifest(asked.folder)
        files, cases = len(manifest.files), len(manifest.cases)
        _told(f"{asked.folder}: nothing drifted from version {manifest.version} ({files} files, {cases:,} cases)")
    return 1 if found else 0


def _counted(place: object, manifest: Manifest) -> None:
    _told(f"{place}: version {manifest.version}, {len(manifest.files)} files, {len(manifest.cases):,} cases")


def _lint(asked: Any) -> int:
    complaints = [*inspect(asked.folder), *lint(asked.folder)]
    for complaint in dict.fromkeys(map(str, complaints)):
        _told(complaint)
    if not (asked.folder / MANIFEST).is_file():
        _told(f"{asked.folder}: no {MANIFEST}, so only the single files were looked at")
    if not complaints:
        _told(f"{asked.folder}: nothing breaks a rule")
    return 1 if complaints else 0


def _format(asked: Any) -> int:
    found = list(unformatted(asked.folder))
    for path, text in found:
        if not asked.check:
            path.write_bytes(text.encode())
        _told(f"{path}: {'not in form' if asked.check else 'written in form'}")
    if not found:
        _told(f"{asked.folder}: every file is in form")
    return 1 if found and asked.check else 0


def _generate(asked: Any) -> int:
    found = 0
    for path, text in regenerated(asked.folder):
        found += 1
        if not asked.check:
            path.write_bytes(text.encode("utf-8"))
        _told(f"{path}: {'differs from what the grammar gives' if asked.check else 'written'}")
    if not found:
        _told(f"{asked.folder}: every generated case is as the grammar gives it")
    return 1 if found and asked.check else 0


def _manifest(asked: Any) -> int:
    before = read_manifest(asked.folder) if (asked.folder / MANIFEST).is_file() else None
    now = renewed(asked.folder, asked.version, asked.gone or "")
    (asked.folder / MANIFEST).write_bytes(now.text().encode())
    _counted(asked.folder / MANIFEST, now)
    if before:
        shared = before.cases.keys() & now.cases.keys()
        changed = sorted(id for id in shared if before.cases[id] != now.cases[id])
        for ids, how in (
            (sorted(now.cases.keys() - before.cases.keys()), "new"),
            (changed, "changed"),
            (sorted(before.cases.keys() - now.cases.keys()), "gone"),
        ):
            if ids:
                _told(f"  {len(ids):,} {how}: {listed(ids)}")
    return 0


def _pack(asked: Any) -> int:
    path, files = pack(asked.out, asked.folder)
    _told(f"{path}: {len(files)} files, sha256 {sha256(path.read_bytes())}")
    return 0


def _npm(asked: Any) -> int:
    _counted(asked.target, npm(asked.target).manifest)
    return 0


def _changes(asked: Any) -> int:
    found = changes(asked.old, asked.new)
    for change in found:
        _told(change)
    if not found:
        _told(f"{asked.new}: nothing changed")
    return 1 if any(change.broken for change in found) else 0


def _import_canitoolcall(asked: Any) -> int:
    return _import(asked, (item for path in _inputs(asked.files) for item in canitoolcall.items(path, REGISTRY)))


def _import_lines(asked: Any) -> int:
    try:
        dialect = REGISTRY.get(asked.dialect)
    except UnknownDialect:
        near = nearest(asked.dialect, REGISTRY.ids())
        raise CorpusError(f"no dialect is called {asked.dialect!r}{near}; `conformance dialects` lists them") from None
    return _import(asked, (item for path in _inputs(asked.files) for item in lines.items(path, dialect)))


def _import(asked: Any, items: Iterable[Item | Skipped]) -> int:
    if slug(asked.group) != asked.group or kind_of(f"any/{asked.group}.json") != "cases":
        raise CorpusError(f"--group: {asked.group!r} names no file of cases; use small letters, digits, hyphens")
    done = imported(items, asked.group, REGISTRY)
    write(asked.out, done.files)
    _told(f"{asked.out}: {done.cases:,} cases of {done.read:,} outputs, in {len(done.files)} files")
    if done.differing:
        _told(f"  {done.differing:,} of them are read otherwise by their own corpus; their descriptions say how")
    for reason, count in done.skipped.items():
        _told(f"  {count:,} skipped: {reason}")
    return 0 if done.cases else 1


def _inputs(paths: Iterable[Path]) -> Iterator[Path]:
    """The files named, and the .jsonl files of the folders named."""
    for path in paths:
        yield from sorted(path.rglob("*.jsonl")) if path.is_dir() else (path,)
