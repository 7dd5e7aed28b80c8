"""What drifted: how the files of a folder differ from what a manifest lists, by case where a case was changed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from conformance.corpus.files import MANIFEST, CorpusError, digest, files_in, kind_of, parsed, read_bytes, sha256
from conformance.corpus.formatting import formatted
from conformance.corpus.manifest import Manifest, cases_in


@dataclass(frozen=True, slots=True)
class Drift:
    """Something that differs: a case's id or a file's path, and how."""

    place: str
    how: str

    def __str__(self) -> str:
        return f"{self.place}: {self.how}"


def drift(folder: Path, manifest: Manifest, beside: Collection[str] = ()) -> list[Drift]:
    """How a folder differs from a manifest, file by file. ``beside``: paths that may stand there too."""
    there = files_in(folder)
    found: list[Drift] = []
    for name, entry in sorted(manifest.files.items()):
        if name not in there:
            found.append(Drift(name, "missing"))
            continue
        try:
            content = read_bytes(there[name])
        except CorpusError as error:
            found.append(Drift(name, f"unreadable, {error}"))
            continue
        if sha256(content) != entry.sha256:
            found += _changes(name, content, manifest) if kind_of(name) == "cases" else [Drift(name, "changed")]
    extra = there.keys() - manifest.files.keys() - {MANIFEST, *beside}
    return found + [Drift(name, "not in the manifest") for name in sorted(extra)]


def differences(manifest: Manifest, other: Manifest, whose: str) -> list[Drift]:
    """How one manifest differs from another of the same version, which ``whose`` names."""
    found = [
        Drift(id, f"not as in {whose}")
        for id in sorted(manifest.cases.keys() | other.cases.keys())
        if manifest.cases.get(id) != other.cases.get(id)
    ]
    told = {each.place.rpartition("/")[0] for each in found}
    found += [
        Drift(name, f"not as in {whose}")
        for name in sorted(manifest.files.keys() | other.files.keys())
        if manifest.files.get(name) != other.files.get(name) and name.removesuffix(".json") not in told
    ]
    if manifest.retired != other.retired:
        found.append(Drift(MANIFEST, f"its retired ids are not as in {whose}"))
    return found


def _changes(name: str, content: bytes, manifest: Manifest) -> list[Drift]:
    """What was changed in a file of cases: the ids of its cases, or else the file."""
    prefix = name.removesuffix(".json") + "/"
    listed_here = {id: digest for id, digest in manifest.cases.items() if id.startswith(prefix)}
    try:
        cases = cases_in(content, name)
    except CorpusError as error:
        near = _case_before(content, _break(content))
        return [Drift(near if near in listed_here else name, f"changed; {str(error).removeprefix(f'{name}: ')}")]
    digests = {id: digest(case) for id, case in cases.items()}
    found = [Drift(id, "missing") for id in listed_here if id not in digests]
    found += [Drift(id, "changed") for id in listed_here if digests.get(id, listed_here[id]) != listed_here[id]]
    found += [Drift(id, "not in the manifest") for id in digests if id not in listed_here]
    return sorted(found, key=str) or [_form(name, content)]


def _form(name: str, content: bytes) -> Drift:
    """What is told of a file whose cases are as they were: where it isn't in form, or that the rest was changed."""
    wanted = formatted(name, parsed(content, name)).encode()
    if content == wanted:
        return Drift(name, "changed outside its cases")
    at = next((at for at, (old, new) in enumerate(zip(wanted, content, strict=False)) if old != new), len(wanted))
    return Drift(_case_before(content, at) or name, "changed in form; the values are the same")


def _break(content: bytes) -> int:
    """The byte at which a content stops being JSON; 0 where it is."""
    try:
        json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        return error.start
    except json.JSONDecodeError as error:
        return len(error.doc[: error.pos].encode())
    except (ValueError, RecursionError):
        pass
    return 0


def _case_before(content: bytes, at: int) -> str:
    """The id that stands last before a byte, as the corpus's form has it; "" where none does."""
    ids = re.findall(rb'^      "id": "([^"\n]*)"', content[:at], re.MULTILINE)
    return ids[-1].decode("utf-8", "replace") if ids else ""
