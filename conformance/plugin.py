"""The pytest plugin: its options, and the run that ``--impl`` starts."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Generator
from typing import Any

import pytest

# pytest imports this module in every run of everybody who has the suite installed, so it imports nothing else here
# and adds no option but --impl: the rest follows once that is given, and can't collide with another plugin before.


def _seconds(text: str) -> float:
    from conformance.settings import seconds  # only where the option is given

    return seconds(text)


PROFILES = ("quick", "standard", "deep")
OPTIONS: dict[str, dict[str, Any]] = {
    "--dialect": {
        "dest": "conformance_dialects",
        "action": "append",
        "default": [],
        "metavar": "ID[,ID]",
        "help": "judge by these dialects alone (repeatable; `conformance dialects` lists them)",
    },
    "--check": {
        "dest": "conformance_checks",
        "action": "append",
        "default": [],
        "metavar": "ID[,ID]",
        "help": "run these checks alone (repeatable)",
    },
    "--profile": {
        "dest": "conformance_profile",
        "default": "standard",
        "choices": PROFILES,
        "help": "how much to try: some seconds a dialect, some ten seconds (the default), or long",
    },
    "--case": {
        "dest": "conformance_case",
        "default": None,
        "metavar": "CASE",
        "help": "run one case again, as a failure's last line gives it",
    },
    "--expected-failures": {
        "dest": "conformance_expected",
        "default": None,
        "metavar": "FILE",
        "help": "lines `dialect::check  # reason`; an unlisted failure, a listed pass and a listed skip fail the run",
    },
    "--fix": {
        "dest": "conformance_fix",
        "action": "store_true",
        "default": False,
        "help": "rewrite the expected failures to what this run finds; what it puts right doesn't fail the run",
    },
    "--report": {
        "dest": "conformance_report",
        "default": None,
        "metavar": "FILE",
        "help": "write every verdict as a line of JSON",
    },
    "--dialect-file": {
        "dest": "conformance_dialect_files",
        "action": "append",
        "default": [],
        "metavar": "FILE",
        "help": "a dialect of your own, as JSON (repeatable)",
    },
    "--corpus": {
        "dest": "conformance_corpus",
        "action": "append",
        "default": [],
        "metavar": "DIR",
        "help": "try the recorded cases of this folder too, <dialect>/<group>.json (repeatable)",
    },
    "--corpus-only": {
        "dest": "conformance_corpus_only",
        "action": "store_true",
        "default": False,
        "help": "try recorded cases and nothing else",
    },
    "--seed": {
        "dest": "conformance_seed",
        "type": int,
        "default": None,
        "metavar": "N",
        "help": "search new ground; without it, each run is the same",
    },
    "--hang-after": {
        "dest": "conformance_hang_after",
        "type": _seconds,
        "default": 10.0,
        "metavar": "SECONDS",
        "help": "how long one call may take before it counts as hanging (default 10)",
    },
    "--wire-debug": {
        "dest": "conformance_wire_debug",
        "action": "store_true",
        "default": False,
        "help": "show on stderr what is said with a command (cmd:…), and hold each message to its schema",
    },
    "--in-process": {
        "dest": "conformance_in_process",
        "action": "store_true",
        "default": False,
        "help": "judge in pytest's own process, for a debugger (-s, a long --hang-after); a crash ends the run",
    },
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--impl``."""
    group = parser.getgroup("conformance", "conformance of reasoning and tool call parsers")
    group.addoption(
        "--impl",
        dest="conformance_impl",
        action="append",
        default=[],
        metavar="MODULE[:OBJECT] | cmd:COMMAND",
        help="judge the implementation behind this adapter (repeatable; `pytest --impl=… --help` shows more options)",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, None, None]:
    """Adds the other options where ``--impl`` is given, and says so where one of them is given without it.

    Conftest files may have options of the same names, so theirs come first.
    """
    judging = early_config.known_args_namespace.conformance_impl
    if judging:
        # pytest looks for conftest files along the paths, and takes a value it doesn't know yet for one.
        known = early_config.known_args_namespace
        early_config.known_args_namespace = parser.parse_known_args(_without_ours(args), copy.copy(early_config.option))
        early_config.known_args_namespace.confcutdir = known.confcutdir
    yield
    if not judging:
        unknown = parser.parse_known_and_unknown_args(args, copy.copy(early_config.option))[1]
        for name in (word.partition("=")[0] for word in unknown):
            if name in OPTIONS:
                raise pytest.UsageError(f"{name} is about judging an implementation; name one with --impl=MODULE")
        return
    group = parser.getgroup("conformance")
    for name, how in OPTIONS.items():
        try:
            group.addoption(name, **how)
        except ValueError:  # taken; --conformance-seed, say, is left
            group.addoption(f"--conformance{name[1:]}", **how)


def _without_ours(args: list[str]) -> list[str]:
    ours = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for name, how in OPTIONS.items():
        ours.add_argument(name, action="store_true" if how.get("action") == "store_true" else "store")
    try:
        return ours.parse_known_args(args)[1]
    except (argparse.ArgumentError, SystemExit):  # pytest will say what is wrong
        return args


def pytest_configure(config: pytest.Config) -> None:
    """Starts a run where ``--impl`` asks for one; nothing else is imported before."""
    if config.option.conformance_impl and not config.option.help:
        # Every pytest run loads this module; only those that judge need the rest.
        from conformance.run import Run

        config.pluginmanager.register(Run(config), "conformance-run")
