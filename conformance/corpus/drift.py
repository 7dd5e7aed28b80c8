"""What drifted: how the files of a folder differ from what a manifest lists, by case where a case was changed."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterator, Mapping
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
    wanted = {id: digest for id, digest in manifest.cases.items() if id.startswith(prefix)}
    try:
        cases = cases_in(content, name)
    except CorpusError as error:
        how = str(error).removeprefix(f"{name}: ")
        return [Drift(place, f"changed; {how}") for place in _damaged(name, content, wanted)]
    digests = {id: digest(case) for id, case in cases.items()}
    found = [Drift(id, "missing") for id in wanted if id not in digests]
    found += [Drift(id, "changed") for id in wanted if digests.get(id, wanted[id]) != wanted[id]]
    found += [Drift(id, "not in the manifest") for id in digests if id not in wanted]
    if found:
        return sorted(found, key=str)
    if content == formatted(name, parsed(content, name)).encode():
        return [Drift(name, "changed outside its cases")]
    return [Drift(place, "changed in form; the values are the same") for place in _damaged(name, content, wanted)]


def _damaged(name: str, content: bytes, wanted: Mapping[str, str]) -> list[str]:
    """The cases that don't stand in a file to the letter; the file itself where that is none or nearly all of them."""
    whole = {id for id, found in _stretches(name, content) if wanted.get(id) == found}
    damaged = sorted(wanted.keys() - whole)
    return damaged if damaged and (whole or len(wanted) == 1) else [name]


def _stretches(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """The id and the digest of each case that stands in form in a file, even where the rest is no JSON."""
    begins = [found.start() for found in re.finditer(rb"^    \{$", content, re.MULTILINE)]
    ends = [found.end() for found in re.finditer(rb"^    \}(?=,?$)", content, re.MULTILINE)]
    for begin in begins:
        after = bisect(ends, begin)
        stretch = content[begin : ends[after]] if after < len(ends) else b""
        try:
            case = parsed(stretch, name)
        except CorpusError:
            continue
        if isinstance(case, dict) and formatted(name, {"cases": [case]}).encode().count(stretch) == 1:
            yield str(case.get("id")), digest(case)
