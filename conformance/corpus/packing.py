"""The corpus as one file or one package: archives that are the same to the byte whenever they are made."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from conformance.corpus.files import MANIFEST, CorpusError, parsed
from conformance.corpus.vendoring import NAME, PACKAGE, Copied, contents, replace
from oracles.dialects import corpora

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time that stands in a zip archive, which knows no earlier one."""


def pack(path: Path | None = None, source: Path | None = None) -> tuple[Path, Mapping[str, bytes]]:
    """Writes the corpus as an archive: its path, and the files in it. Raises CorpusError.

    ``path``: where, ending in .tar.gz or .zip; by default the corpus's name and version in the current folder.
    ``source``: another corpus than the installed one.
    """
    files = contents(source or corpora())
    top = f"{NAME}-{_version(files)}"
    target = path or Path(f"{top}.tar.gz")
    if target.name.endswith((".tar.gz", ".tgz")):
        content = gzip.compress(_tar(top, files), compresslevel=9, mtime=0)
    elif target.suffix == ".zip":
        content = _zip(top, files)
    else:
        raise CorpusError(f"{target}: no archive is called so; let its name end in .tar.gz or .zip")
    scratch = target.with_name(f".{target.name}.new")
    try:
        scratch.write_bytes(content)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
    return target, files


def npm(target: Path, source: Path | None = None) -> Copied:
    """Makes a folder an npm package of the corpus and nothing else, over an older one. Raises CorpusError."""
    files = contents(source or corpora())
    package = {
        "name": NAME,
        "version": _version(files),
        "description": "Raw outputs of language models with the reasoning and the content that each one means, as JSON",
        "keywords": ["llm", "conformance", "corpus", "reasoning", "tool calls", "streaming", "parser"],
        "license": "Apache-2.0",
        "files": sorted({name.partition("/")[0] for name in files}),
    }
    return replace(target, {**files, PACKAGE: (json.dumps(package, indent=2) + "\n").encode()})


def _version(files: Mapping[str, bytes]) -> str:
    return str(parsed(files[MANIFEST], MANIFEST)["version"])


def _tar(top: str, files: Mapping[str, bytes]) -> bytes:
    """A tar archive in which nothing tells who made it, or when."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size, member.mode, member.mtime = len(content), 0o644, 0
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def _zip(top: str, files: Mapping[str, bytes]) -> bytes:
    """A zip archive in which nothing tells who made it, when, or on what system."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            member = zipfile.ZipInfo(f"{top}/{name}", EARLIEST)
            member.compress_type, member.create_system, member.external_attr = zipfile.ZIP_DEFLATED, 3, 0o100644 << 16
            archive.writestr(member, content)
    return out.getvalue()
