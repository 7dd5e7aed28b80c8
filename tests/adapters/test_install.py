"""Facts about installing the implementations that adapters adapt."""

import configparser
import re
from pathlib import Path

import pytest

from conformance.adapters.install import CHECKOUTS, STEPS, main

ROOT = Path(__file__).parents[2]
ADAPTERS = ROOT / "conformance" / "adapters"
OURS = {"install", "reference", "vllm_install"}

adapters = sorted(
    path.stem
    for path in ADAPTERS.iterdir()
    if not path.name.startswith(("_", ".")) and (path.suffix == ".py" or (path / "__init__.py").is_file())
)


def test_every_adapter_of_a_registry_has_steps_and_no_other():
    assert set(STEPS) == set(adapters) - set(CHECKOUTS) - OURS


@pytest.mark.parametrize("id", STEPS)
def test_every_release_is_pinned_where_the_page_says(id):
    page = (ROOT / "docs" / "adapters" / f"{id}.md").read_text(encoding="utf-8")
    assert f"python -m conformance.adapters.install {id}" in page
    pinned = [word for step in STEPS[id] for word in step if re.search(r"==|@\d", word)]
    assert pinned or any("conformance.adapters" in word for step in STEPS[id] for word in step)
    assert [word for word in pinned[:1] if word not in page] == []


@pytest.mark.parametrize("id", STEPS)
def test_every_environment_installs_by_the_same_steps(id):
    tox = configparser.ConfigParser()
    tox.read(ROOT / "tox.ini")
    section = tox[f"testenv:impl-{id}"]
    by_extra = "pydantic-ai" in section.get("extras", "")
    assert by_extra or f"conformance.adapters.install {id}" in section["commands_pre"]
    assert f"--impl=conformance.adapters.{id}" in section["commands"]
    assert "--expected-failures=conformance/adapters/" in section["commands"]


def test_an_unknown_adapter_is_told_with_those_there_are(capsys):
    assert main(["sgland"]) == 2
    assert "no adapter 'sgland' has steps to install; there are ai_sdk, " in capsys.readouterr().err


def test_a_step_whose_program_is_not_there_is_told(monkeypatch, capsys):
    monkeypatch.setitem(STEPS, "sglang", (("no-such-program", "install"),))
    assert main(["sglang"]) == 1
    assert "there is no no-such-program on the path" in capsys.readouterr().err


def test_a_step_that_fails_is_told_with_its_exit_code(monkeypatch, capsys):
    monkeypatch.setitem(STEPS, "sglang", (("false",), ("true",)))
    assert main(["sglang"]) == 1
    assert "exit code 1" in capsys.readouterr().err


def test_what_no_registry_holds_needs_a_checkout(capsys):
    assert main(["freetoken"]) == 2
    assert "it needs a checkout, as docs/adapters/freetoken.md says" in capsys.readouterr().err


def test_help_names_every_adapter(capsys):
    assert main(["--help"]) == 0
    assert ", ".join(STEPS) in capsys.readouterr().out
