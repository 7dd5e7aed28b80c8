"""The files of a corpus: which belong to it, what kind each is, and how its JSON is read."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from oracles.cases import text_of

MANIFEST = "manifest.json"
"""The name of the file that lists the others."""

KINDS = {
    "document": re.compile(r"CHANGELOG\.md|LICENSE|README\.md"),
    "schema": re.compile(r"schema/[a-z]+\.schema\.json"),
    "dialect": re.compile(r"(?!schema/)[a-z][a-z0-9_]*/dialect\.json"),
    "cases": re.compile(r"(?!schema/)[a-z][a-z0-9_]*/(?!dialect\.json)[a-z0-9]+(-[a-z0-9]+)*\.json"),
}
"""A kind of file to how its path in the corpus reads."""


class CorpusError(ValueError):
    """A corpus, or a copy of one, isn't what was asked for; the text says what is wrong, where, and what to do."""


def kind_of(name: str) -> str:
    """The kind of the file with that path in the corpus; "" where it is none of a corpus."""
    return next((kind for kind, form in KINDS.items() if form.fullmatch(name)), "")


def files_in(folder: Path) -> dict[str, Path]:
    """Every file below a folder, by its path there with slashes, sorted. Raises CorpusError where it isn't there."""
    if not folder.is_dir():
        raise CorpusError(f"{folder}: there is no such folder; name one that has the form of corpora/")
    found = {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }
    return dict(sorted(found.items()))


def corpus_files(folder: Path) -> dict[str, Path]:
    """The files of a corpus by their paths in it, sorted; its manifest isn't among them. Raises CorpusError."""
    return {name: path for name, path in files_in(folder).items() if kind_of(name)}


def dialect_of(name: str) -> str:
    """The dialect that a file with that path, or a case with that id, belongs to; "" where it is of no dialect."""
    first, slash, _ = name.partition("/")
    return first if slash and first != "schema" else ""


def sha256(content: bytes) -> str:
    """The SHA-256 of a content, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def digest(case: Any) -> str:
    """The digest of a case as its file has it: 16 digits of the SHA-256 of its canonical JSON (RFC 8785)."""
    text = json.dumps(case, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass"))[:16]


def asked(case: Any) -> Any:
    """What an id stands for, for ever: the texts, the request and the finish of a case, written out."""
    return [text_of(case["raw"]), case["request"], case["finish"], _message(case["expected"])]


def parsed(content: bytes, place: object) -> Any:
    """The value of a JSON file's content. Raises CorpusError; ``place`` is what its text calls the file."""
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refused)
    except UnicodeDecodeError as error:
        raise CorpusError(f"{place}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise CorpusError(f"{place}: not JSON at {where}: {error.msg}; mend the file") from None
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{place}: not JSON ({error}); mend the file") from None


def read_bytes(path: Path) -> bytes:
    """The content of a file. Raises CorpusError where it can't be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CorpusError(f"{path}: the file can't be read ({error.strerror}); name one that can") from None


def listed(names: Iterable[str], most: int = 3) -> str:
    """Some names in a sentence, the others as a number."""
    known = list(names)
    more = f" and {len(known) - most:,} more" if len(known) > most else ""
    return ", ".join(known[:most]) + more


def _message(data: Any) -> Any:
    return {channel: text_of(text) for channel, text in data.items()}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} stands twice in an object")
    return found


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
