"""Installs vLLM's parsers without torch: ``python -m conformance.adapters.install vllm``; docs/adapters/vllm.md."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

VERSION = "0.33.0"
REQUIREMENTS = Path(__file__).parent / "vllm" / "requirements.txt"
BUILD = ("setuptools>=77,<81", "setuptools-scm>=8", "setuptools-rust", "wheel", "packaging", "cmake", "ninja", "jinja2")

TORCH = {
    "__init__.py": "from torch import version\n\n__version__ = version.__version__\n",
    "version.py": '__version__ = "2.14.0"\ncuda = hip = xpu = None\n',
    "utils/__init__.py": "",
    "utils/cpp_extension.py": "CUDA_HOME = ROCM_HOME = None\n",
}
"""What vLLM's setup.py reads of torch, file by file: for which device it is built, which here is none."""


class InstallError(Exception):
    """A step failed; the text says which, and what pip said last."""


def install(folder: Path) -> None:
    """Builds vLLM in ``folder`` from its source distribution and installs it here, with what its parsers import.

    Raises InstallError.
    """
    builder = folder / "build" / ("Scripts" if os.name == "nt" else "bin") / "python"
    step("makes an environment for the build")
    venv.create(folder / "build", with_pip=True)
    pip("installs the build's tools there", "install", *BUILD, python=str(builder))
    for name, text in TORCH.items():
        file = folder / "stand-in" / "torch" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    pip(
        f"builds vllm {VERSION} from its source distribution (47 MB), for no device, with a stand-in for torch",
        *("wheel", "--no-deps", "--no-build-isolation", "--no-binary", "vllm"),
        *("--wheel-dir", str(folder / "wheel"), f"vllm=={VERSION}"),
        python=str(builder),
        # Without the version pip refuses the wheel: its metadata would say 0.33.0+empty.
        environment={
            "PYTHONPATH": str(folder / "stand-in"),
            "VLLM_TARGET_DEVICE": "empty",
            "VLLM_VERSION_OVERRIDE": VERSION,
        },
    )
    count = len(REQUIREMENTS.read_text(encoding="utf-8").split())
    pip(f"installs the {count} packages that the parsers import", "install", "--no-deps", "-r", str(REQUIREMENTS))
    pip("installs vllm, without its other requirements", "install", "--no-deps", str(next(folder.glob("wheel/*.whl"))))


def step(what: str) -> None:
    """Says what comes next."""
    print(f"vllm_install {what}", flush=True)


def pip(what: str, *arguments: str, python: str = sys.executable, environment: dict[str, str] | None = None) -> None:
    """One step done by pip; raises InstallError."""
    step(what)
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, env={**os.environ, **(environment or {})}, capture_output=True, text=True)
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise InstallError(f"vllm_install failed where it {what}; pip said:\n{last}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; gives its exit code. It takes no arguments."""
    if sys.argv[1:] if arguments is None else arguments:
        print("vllm_install takes no arguments: python -m conformance.adapters.vllm_install", file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory() as folder:
            install(Path(folder))
    except InstallError as error:
        print(error, file=sys.stderr)
        return 1
    step(f"is done: pytest --impl=conformance.adapters.vllm judges vllm {VERSION}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
