"""Copies of the corpus in other projects: written whole or not at all, and held to their manifests."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from conformance.adapter import nearest
from conformance.corpus.drift import Drift, differences, drift
from conformance.corpus.files import MANIFEST, CorpusError, files_in, listed, read_bytes, sha256
from conformance.corpus.manifest import Manifest, manifest_from, read_manifest
from oracles.dialects import corpora

NAME = "llm-parser-conformance-corpus"
"""What the corpus is called where it stands alone."""
DISTRIBUTION = "llm-parser-conformance"
VENDORED = "VENDORED"
"""The file of a copy that says, in a line, what was copied from where."""
PACKAGE = "package.json"
"""The file that makes a copy an npm package."""


@dataclass(frozen=True, slots=True)
class Vendored:
    """What a copy says of itself: the corpus's version, the distribution it is from, its manifest's SHA-256."""

    version: str
    origin: str
    manifest: str

    def __str__(self) -> str:
        return f"{NAME} {self.version}, copied from {self.origin}; sha256 of {MANIFEST}: {self.manifest}\n"

    @classmethod
    def read(cls, path: Path) -> Vendored | None:
        """What the file of a copy says; None where it isn't the line that was written. Raises CorpusError."""
        form = rf"{NAME} (\S+), copied from ({DISTRIBUTION} \S+); sha256 of {MANIFEST}: ([0-9a-f]{{64}})\n"
        found = re.fullmatch(form, read_bytes(path).decode("utf-8", "replace"))
        return cls(*found.groups()) if found else None


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy has become: its manifest, and the files of an older copy that it replaced or removed."""

    manifest: Manifest
    mended: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def contents(folder: Path, dialects: Collection[str] = ()) -> dict[str, bytes]:
    """The files of a copy of the corpus in a folder, by their paths. ``dialects``: only these, all where empty.

    Raises CorpusError where a dialect isn't there, and where the corpus isn't as its manifest says.
    """
    manifest = read_manifest(folder)
    for id in dialects:
        if id not in manifest.dialects:
            raise CorpusError(f"no dialect is called {id!r}{nearest(id, manifest.dialects)}; name one of the corpus")
    if found := drift(folder, manifest, (VENDORED, PACKAGE)):
        raise CorpusError(f"{folder}: the corpus isn't as its manifest says ({found[0]}); `conformance corpus lint`")
    wanted = manifest.restricted(dialects) if dialects else manifest
    files = {name: read_bytes(folder / name) for name in wanted.files}
    listing = wanted.text().encode()
    return {**files, MANIFEST: listing, VENDORED: str(Vendored(wanted.version, _ours(), sha256(listing))).encode()}


def copy(target: Path, dialects: Collection[str] = (), source: Path | None = None) -> Copied:
    """Copies the corpus to a folder, over an older copy if one stands there; all of it, or, when it fails, nothing.

    ``source``: another corpus than the installed one. Raises CorpusError where something else stands at ``target``.
    """
    return replace(target, contents(source or corpora(), dialects))


def replace(target: Path, files: Mapping[str, bytes]) -> Copied:
    """Makes a folder hold these files of a copy, in the place of an older copy of the same kind. Raises CorpusError."""
    target = target.resolve()
    before = _standing(target, {MANIFEST, VENDORED, *({PACKAGE} & files.keys())})
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as scratch:
        made, old = Path(scratch, "new"), Path(scratch, "old")
        for name, content in files.items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if target.exists():
            shutil.copymode(target, made)
            target.rename(old)
        try:
            made.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    manifest = manifest_from(files[MANIFEST], target / MANIFEST)
    if before is None:
        return Copied(manifest)
    known, found = before
    mended = [each.place for each in found if each.how != "missing"]
    return Copied(manifest, tuple(mended), tuple(sorted(known.files.keys() - files.keys())))


def verify(folder: Path, installed: Path | None = None) -> list[Drift]:
    """How a copy differs from what was copied: by its manifest, and by the installed corpus of the same version.

    ``installed``: another corpus than the installed one. Raises CorpusError where no copy stands in the folder.
    """
    path, line = folder / MANIFEST, folder / VENDORED
    if not path.is_file() and not line.is_file():
        raise CorpusError(f"{folder}: no copy of the corpus stands there; make one with `conformance copy {folder}`")
    if not path.is_file():
        return [Drift(MANIFEST, "missing")]
    found: list[Drift] = []
    content = read_bytes(path)
    said = Vendored.read(line) if line.is_file() else None
    if said is None:
        found.append(Drift(VENDORED, "changed; it isn't the line that was written" if line.is_file() else "missing"))
    elif said.manifest != sha256(content):
        found.append(Drift(MANIFEST, f"changed; it isn't the one that {VENDORED} names"))
    try:
        manifest = manifest_from(content, MANIFEST)
    except CorpusError as error:
        return [*found, Drift(MANIFEST, f"unreadable; {error}")]
    if said and said.version != manifest.version:
        found.append(Drift(VENDORED, f"its version is {said.version}, the manifest's {manifest.version}"))
    found += drift(folder, manifest, (VENDORED, PACKAGE))
    ours = read_manifest(installed or corpora())
    if ours.version == manifest.version:
        told = {each.place for each in found}
        other = differences(manifest, ours.restricted(manifest.dialects), f"the installed corpus {ours.version}")
        found += [each for each in other if each.place not in told]
    return found


def _standing(target: Path, beside: Collection[str]) -> tuple[Manifest, list[Drift]] | None:
    """The copy that stands at a place, and what was changed in it; None where nothing does. Raises CorpusError."""
    if not target.exists():
        return None
    if not target.is_dir():
        raise CorpusError(f"{target}: a file stands there; name a folder")
    there = files_in(target)
    if not there and not any(target.iterdir()):
        return None
    if not {MANIFEST, VENDORED} <= there.keys():
        raise CorpusError(f"{target}: what stands there is no copy of the corpus; name a folder that is new or empty")
    try:
        manifest = read_manifest(target)
    except CorpusError as error:
        raise CorpusError(f"{error}, or remove {target} first if nothing there is yours") from None
    if foreign := sorted(there.keys() - manifest.files.keys() - set(beside)):
        told = f"{listed(foreign)}: not of the corpus, and would be lost; move what is yours out of {target}"
        raise CorpusError(told)
    return manifest, drift(target, manifest, beside)


def _ours() -> str:
    """The distribution that copies; where it isn't installed, that a checkout does."""
    try:
        return f"{DISTRIBUTION} {version(DISTRIBUTION)}"
    except PackageNotFoundError:
        return f"{DISTRIBUTION} checkout"
