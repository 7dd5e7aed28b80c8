"""Builds the driver of llama.cpp's adapter: ``python -m conformance.adapters.llama_cpp.build``."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conformance.adapters.llama_cpp.place import FLAGS, INCLUDED, INTO, SOURCES, VERSION, home, includes, linked

HERE = Path(__file__).parent
VENDOR = f"llama_cpp_python-{VERSION}/vendor/llama.cpp"
JOBS = 2


class BuildError(Exception):
    """The driver can't be built; the text says why and what to do."""


def build(into: Path, compiler: str) -> Path:
    """Downloads, compiles and links into a folder; the driver's path. Raises BuildError."""
    if shutil.which(compiler) is None:
        raise BuildError(f"there is no C++ compiler {compiler!r}; install g++, or name another with CXX=…")
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="llama-cpp-", dir=into) as scratch:
        work = Path(scratch)
        _say(f"downloading the source distribution of llama-cpp-python {VERSION} (77 MB)")
        _unpack(_download(work), work)
        _say(f"unpacked; compiling llama.cpp's chat parser, {JOBS} files at a time (a minute or two)")
        archive = _compile(work, compiler)
        driver = work / "driver"
        sources = [str(HERE / "driver.cpp")]
        _run([compiler, *FLAGS, *includes(work), *sources, "-o", str(driver), *linked(work)], "linking the driver")
        for name in ("llama.cpp", "templates"):
            shutil.rmtree(into / name, ignore_errors=True)
        shutil.move(work / "llama.cpp" / "models" / "templates", into / "templates")
        shutil.move(work / "llama.cpp", into / "llama.cpp")
        archive.replace(into / "libchat.a")
        driver.replace(into / "driver")
    return into / "driver"


def _is_current(driver: Path) -> bool:
    """Whether a driver is there that is no older than what it is built from."""
    sources = [*HERE.glob("*.cpp"), HERE / "build.py", HERE / "place.py"]
    return driver.is_file() and driver.stat().st_mtime >= max(source.stat().st_mtime for source in sources)


def _download(work: Path) -> Path:
    """The source distribution, by pip. Its build isn't run."""
    # pip asks a source distribution for its metadata, which needs the tool that builds it.
    tools = work / "tools"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    _run([*pip, "install", "--target", str(tools), "scikit-build-core[pyproject]"], "getting scikit-build-core")
    options = ("--no-deps", "--no-binary", ":all:", "--no-build-isolation")
    paths = os.pathsep.join(filter(None, [str(tools), os.environ.get("PYTHONPATH", "")]))
    _run(
        [*pip, "download", *options, "--dest", str(work), f"llama-cpp-python=={VERSION}"],
        "downloading llama-cpp-python",
        PYTHONPATH=paths,
    )
    return work / f"llama_cpp_python-{VERSION}.tar.gz"


def _unpack(distribution: Path, work: Path) -> None:
    """What the build and the templates need, below ``llama.cpp``."""
    wanted = tuple(f"{VENDOR}/{folder}/" for folder in (*INCLUDED, "models/templates"))
    try:
        with tarfile.open(distribution) as held:
            members = [each for each in held.getmembers() if each.name.startswith(wanted)]
            held.extractall(work, members, filter="data")
        (work / VENDOR).rename(work / "llama.cpp")
    except (OSError, tarfile.TarError) as error:
        raise BuildError(f"{distribution.name} can't be unpacked: {error}") from None


def _compile(work: Path, compiler: str) -> Path:
    """The archive of everything but the driver."""
    common = work / "llama.cpp" / "common"
    sources = [path for pattern in SOURCES for path in sorted(common.glob(pattern))] + [HERE / "stubs.cpp"]
    objects = work / "objects"
    objects.mkdir()

    def compiled(numbered: tuple[int, Path]) -> str:
        number, source = numbered
        made = objects / f"{number:02}-{source.stem}.o"
        _run([compiler, *FLAGS, *includes(work), "-c", str(source), "-o", str(made)], f"compiling {source.name}")
        return str(made)

    with ThreadPoolExecutor(JOBS) as pool:
        made = [*_counted(pool.map(compiled, enumerate(sources)), len(sources))]
    archive = work / "libchat.a"
    _run(["ar", "rcs", str(archive), *made], "putting the objects together")
    return archive


def _counted(done: Iterator[str], of: int) -> Iterator[str]:
    """The same, told on stderr one by one."""
    for number, each in enumerate(done, 1):
        _say(f"{number}/{of} {Path(each).stem[3:]}")
        yield each


def _run(words: Sequence[str], what: str, **added: str) -> None:
    """A command that must succeed."""
    try:
        done = subprocess.run(
            words, env=os.environ | added, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    except OSError as error:
        raise BuildError(f"{what} failed: {words[0]}: {error.strerror}") from None
    if done.returncode:
        last = "\n".join(done.stdout.strip().splitlines()[-12:])
        raise BuildError(f"{what} failed (exit {done.returncode}):\n{last}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    """Builds, and says where the driver is; 1 where that failed."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.adapters.llama_cpp.build",
        description="Builds llama.cpp's chat parser with the driver that the adapter speaks to.",
    )
    parser.add_argument(
        "--into", metavar="DIR", help=f"the folder to build into (default: {INTO}, or a folder of the user's cache)"
    )
    parser.add_argument("--again", action="store_true", help="build also where the driver is there already")
    options = parser.parse_args(words)
    into = Path(options.into).expanduser().resolve() if options.into else home()
    if not options.again and _is_current(into / "driver"):
        print(into / "driver")
        return 0
    try:
        driver = build(into, os.environ.get("CXX", "g++"))
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{into}: {error}; name another folder with --into", file=sys.stderr)
        return 1
    print(driver)
    if into != home():
        _say(f"the adapter finds it with {INTO}={into}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
