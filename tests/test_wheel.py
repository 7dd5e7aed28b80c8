"""Facts about the wheel: what it holds, and that it works where nothing but it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from conformance.checks import CHECKS

ROOT = Path(__file__).parent.parent
UNREACHABLE = ("connection broken by", "ConnectionError", "NameResolutionError", "Temporary failure in name resolution")
"""What pip says where it can't reach the package index."""


def run(command: list[str | Path], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command's outcome, in a folder, with nothing of this environment but the way to the package index."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "COV"))}
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("dist")
    built = run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT], folder)
    assert built.returncode == 0, built.stdout + built.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def held(wheel: Path) -> dict[str, bytes]:
    """Each file of the wheel with its bytes."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a new environment that holds the wheel and what it depends on."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=True)
    scripts = home / Path(sysconfig.get_path("scripts")).name
    pip = [scripts / "python", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    done = run([*pip, "install", "--quiet", "--no-compile", "--retries", "1", "--timeout", "20", wheel], home)
    if done.returncode and any(sign in done.stderr for sign in UNREACHABLE):
        pytest.skip("the package index can't be reached, so the wheel's dependencies can't be installed")
    assert done.returncode == 0, done.stderr
    return scripts


def test_the_wheel_holds_the_packages_and_nothing_else(held):
    """No tests, no benchmarks, no documentation."""
    tops = {name.partition("/")[0] for name in held}
    (info,) = (top for top in tops if top.endswith(".dist-info"))
    assert tops - {"mutants"} == {"conformance", "oracles", info}


def test_the_wheel_holds_every_module_of_the_checkout(held):
    packages = ("conformance", "oracles")
    modules = {path.relative_to(ROOT).as_posix() for package in packages for path in (ROOT / package).rglob("*.py")}
    assert modules == {name for name in held if name.endswith(".py") and name.partition("/")[0] in packages}


def test_the_corpora_travel_as_data_of_the_oracles_byte_for_byte(held):
    corpora = ROOT / "corpora"
    ours = {path.relative_to(corpora).as_posix(): path.read_bytes() for path in corpora.rglob("*") if path.is_file()}
    prefix = "oracles/corpora/"
    assert ours == {name.removeprefix(prefix): data for name, data in held.items() if name.startswith(prefix)}
    assert len(ours) > 22


def test_the_page_of_reports_travels_with_its_templates(held):
    folder = ROOT / "conformance" / "page" / "templates"
    ours = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert ours == {name: data for name, data in held.items() if name.startswith("conformance/page/templates/")}
    assert len(ours) > 10


def test_the_wheel_holds_the_licence(held):
    (licence,) = (data for name, data in held.items() if name.endswith(".dist-info/licenses/LICENSE"))
    assert licence == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("package", ["conformance", "oracles"])
def test_a_package_says_that_it_is_typed(held, package):
    assert f"{package}/py.typed" in held


def test_the_wheel_says_what_the_project_does(held):
    (metadata,) = (data.decode() for name, data in held.items() if name.endswith(".dist-info/METADATA"))
    assert "\nName: llm-parser-conformance\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    (entries,) = (data.decode() for name, data in held.items() if name.endswith("entry_points.txt"))
    assert "conformance = conformance.cli:main" in entries
    assert "[pytest11]\nconformance = conformance.plugin" in entries


def test_dialects_are_listed_in_an_empty_folder(installed, tmp_path):
    done = run([installed / "conformance", "dialects"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for dialect in (ROOT / "corpora").glob("*/dialect.json"):
        assert dialect.parent.name in done.stdout


def test_shapes_are_listed_in_an_empty_folder(installed, tmp_path):
    done = run([installed / "conformance", "shapes", "qwen3"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "second-block" in done.stdout


def test_the_command_is_the_module_too(installed, tmp_path):
    done = run([installed / "python", "-m", "conformance", "dialects"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "kimi_k3" in done.stdout


def test_the_corpus_is_copied_and_verified_in_an_empty_folder(installed, tmp_path):
    done = run([installed / "conformance", "copy", "corpus"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "corpus" / "manifest.json").read_bytes() == (ROOT / "corpora" / "manifest.json").read_bytes()
    done = run([installed / "conformance", "verify", "corpus"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_implementation_is_judged_in_an_empty_folder(installed, tmp_path):
    asked = ["--impl=conformance.adapters.reference", "--profile=quick", "--dialect=mistral"]
    done = run([installed / "pytest", *asked, "-W", "error"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f" {len(CHECKS) - 1} passed" in done.stdout  # the reference names no surfaces
    left = {path.name for path in tmp_path.iterdir()} - {".pytest_cache", ".hypothesis"}
    assert left == set()


def test_nothing_of_the_checkout_is_used_there(installed, tmp_path):
    code = "import conformance, oracles.dialects as d; print(conformance.__file__, d.corpora())"
    done = run([installed / "python", "-c", code], tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(ROOT) not in done.stdout
    assert str(Path("oracles", "corpora")) in done.stdout
