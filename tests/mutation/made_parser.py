"""A parser that a test may mutate: a right reader of two tags, with its adapter, written into a folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.profiles import PROFILES

SMALL = replace(
    PROFILES["quick"],
    core_words=2, paired_words=1, edges=1_000, tracks=4, examples=10, longest=20_000, patience=0.1,
)  # fmt: skip
"""A profile that is enough for this parser and its faults."""

DIALECT = '{"schema": 1, "id": "tags", "markers": {"reasoning_open": ["<t>"], "reasoning_close": ["</t>"]}}\n'

READER = '''\
"""A reader of two tags."""

OPEN, CLOSE = "<t>", "</t>"


class Reader:
    def __init__(self, opened):
        self.mark = CLOSE if opened else OPEN
        self.inside = opened
        self.held = ""

    def feed(self, text):
        self.held += text
        deltas = []
        while self.mark and self.mark in self.held:
            before, _, self.held = self.held.partition(self.mark)
            self.release(before, deltas)
            self.mark = CLOSE if not self.inside else None
            self.inside = not self.inside
        keep = self.keep()
        cut = len(self.held) - keep
        self.release(self.held[:cut], deltas)
        self.held = self.held[cut:]
        return deltas

    def release(self, text, deltas):
        if text:
            deltas.append(("reasoning" if self.inside else "content", text))

    def keep(self):
        if not self.mark:
            return 0
        sizes = range(len(self.mark) - 1, 0, -1)
        return next((size for size in sizes if self.held.endswith(self.mark[:size])), 0)

    def finish(self):
        deltas = []
        self.release(self.held, deltas)
        return deltas


def unused(text):
    return text + "!"
'''

ADAPTER = """\
from PACKAGE.reader import Reader

name = "PACKAGE"
version = "1.2.3"
dialects = {"tags"}
policy = {"declined": "text"}


def split(raw, request, finish):
    reader = Reader(request.opened)
    deltas = reader.feed(raw) + reader.finish()
    return tuple("".join(text for to, text in deltas if to == channel) for channel in ("reasoning", "content"))


def stream(request):
    return Stream(Reader(request.opened))


class Stream:
    def __init__(self, reader):
        self.reader = reader

    def feed(self, chunk):
        return self.reader.feed(chunk.text)

    def finish(self, finish):
        return self.reader.finish()
"""


def write_package(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """Writes the package and its dialect; the path of the reader. ``changes``: of the reader's source, each once."""
    source = changed(READER, *changes)
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("", encoding="utf-8")
    (folder / name / "adapter.py").write_text(ADAPTER.replace("PACKAGE", name), encoding="utf-8")
    (folder / "tags.json").write_text(DIALECT, encoding="utf-8")
    reader = folder / name / "reader.py"
    reader.write_text(source, encoding="utf-8")
    return reader


def changed(source: str, *changes: tuple[str, str]) -> str:
    """The source with each old text, which stands there once, replaced."""
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, with what it holds."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
