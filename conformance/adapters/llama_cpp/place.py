"""Where llama.cpp's driver is, and what it and everything that asks the chat parser is built from."""

from __future__ import annotations

import os
from pathlib import Path

VERSION = "0.3.36"
"""The release of llama-cpp-python whose source distribution holds the llama.cpp that is built."""

INTO = "CONFORMANCE_LLAMA_CPP"
"""Environment variable: the folder to build into, and where the adapter looks."""

SOURCES = (
    "chat*.cpp",
    "common.cpp",
    "jinja/*.cpp",
    "json*.cpp",
    "log.cpp",
    "parsers/*.cpp",
    "peg-parser.cpp",
    "trie.cpp",
    "unicode.cpp",
)
"""What of llama.cpp's folder ``common`` the chat parser needs."""

INCLUDED = ("common", "include", "ggml/include", "vendor", "src")
"""The folders that its headers are looked for in."""

FLAGS = ("-std=c++17", "-O2", "-w", "-ffunction-sections", "-fdata-sections")


def home() -> Path:
    """The folder that holds the driver, whether it is built or not."""
    if given := os.environ.get(INTO):
        return Path(given).expanduser().resolve()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "llm-parser-conformance" / f"llama-cpp-python-{VERSION}"


def includes(place: Path) -> list[str]:
    """The options that let a compiler find llama.cpp's headers below a folder that was built into."""
    return [f"-I{place / 'llama.cpp' / folder}" for folder in INCLUDED]


def linked(place: Path) -> list[str]:
    """What a program that asks the chat parser is linked with."""
    return [str(place / "libchat.a"), "-Wl,--gc-sections", "-pthread"]
