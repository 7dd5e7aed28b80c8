"""The command line: what is known of dialects and shapes, how a text is read, and runs of the suite."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance import report_commands
from conformance.adapter import nearest
from conformance.corpus import command as corpus
from conformance.corpus.files import CorpusError
from conformance.dialect_files import DialectFileError, load_dialect_file
from conformance.fitting import command as fitting
from conformance.literals import escaped, fitted
from conformance.mutation import command as mutation
from conformance.page import command as page
from conformance.reading import show
from conformance.report_commands import CommandError
from conformance.wire import command as smoke
from oracles.dialects import REGISTRY, Dialect, UnknownDialect
from oracles.messages import FINISHES
from oracles.policies import AXES, DEFAULT, PolicyError, check_values
from oracles.shape_table import shapes_of

COMMANDS = {
    "dialects": "list the dialects: models, roles, where the default policy is not the general one",
    "shapes": "list the shapes of outputs that a dialect's markers allow, with an example each",
    "read": "show how an output is read: which character goes where, and why",
    "run": "judge an implementation: pytest with the suite, and all of pytest's options",
    "fit": "say which policy explains how an implementation reads, as the lines to declare",
    "mutate": "mutate a parser's own source, and tell which of the faults the suite catches",
    "page": page.HELP,
    **report_commands.COMMANDS,
    **smoke.COMMANDS,
    **corpus.COMMANDS,
}


ASKING = {"fit": fitting.run, "mutate": mutation.run, "smoke": smoke.run}
"""The commands that put questions to an implementation, by any dialect."""


class Failed(Exception):
    """A command can't do what was asked; the text is one sentence."""


class Parser(argparse.ArgumentParser):
    """Tells what is wrong in one sentence."""

    def error(self, message: str) -> NoReturn:
        """Leaves with exit code 2."""
        raise Failed(f"{message[:1].lower()}{message[1:]}; `{self.prog} --help` tells more")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit code. ``arguments``: None for the process's own."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words and not words[0].startswith("-") and words[0] not in COMMANDS:
            known = ", ".join(COMMANDS)
            raise Failed(f"there is no command {words[0]!r}{nearest(words[0], COMMANDS)}; the commands are {known}")
        if words[:1] == ["run"]:
            return _run(words[1:])
        return _parsed(words)
    except (Failed, CorpusError, CommandError) as error:
        print("conformance: " + "\n".join(map(escaped, str(error).split("\n"))), file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, head or less, has seen enough
        sys.stderr.close()
        return 0


def _parsed(words: Sequence[str]) -> int:
    parser = Parser(prog="conformance", description="Conformance of reasoning and tool call parsers.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    made = {name: commands.add_parser(name, help=help, description=help) for name, help in COMMANDS.items()}
    for name in ("dialects", "shapes", "read", "fit", "mutate", "smoke"):
        made[name].add_argument(
            "--dialect-file", action="append", default=[], metavar="FILE", help="a dialect of your own"
        )
    for name in ("shapes", "read"):
        made[name].add_argument("dialect", metavar="DIALECT")
    made["read"].add_argument("--opened", action="store_true", help="the prompt already opened reasoning")
    made["read"].add_argument("--thinking", choices=("on", "off"), default="on", help="what the caller asked for")
    made["read"].add_argument("--finish", choices=FINISHES, default="stop", help="how the output ended")
    made["read"].add_argument("--policy", action="append", default=[], metavar="AXIS=VALUE", help="repeatable")
    made["read"].add_argument("text", metavar="TEXT", help="the output, or - to read it from standard input")
    fitting.add_arguments(made["fit"])
    mutation.add_arguments(made["mutate"])
    page.add_arguments(made["page"])
    report_commands.add_arguments(made)
    smoke.add_arguments(made["smoke"])
    corpus.add_arguments(made)
    if not words:
        parser.print_help()
        return 2
    asked = parser.parse_args(words)
    if asked.command in corpus.COMMANDS:
        return corpus.run(asked)
    if asked.command == "page":
        return page.run(asked)
    if asked.command in report_commands.COMMANDS:
        return report_commands.run(asked)
    own: list[str] = []
    for path in asked.dialect_file:
        try:
            dialect = load_dialect_file(path)
            REGISTRY.add(dialect)
            own.append(dialect.id)
        except (DialectFileError, ValueError) as error:
            raise Failed(str(error)) from None
    console = Console(highlight=False)
    match asked.command:
        case "dialects":
            _dialects(console)
        case "shapes":
            _shapes(console, _dialect(asked.dialect))
        case "read":
            return _read(console, asked)
        case "fit" | "mutate" | "smoke":
            try:
                return ASKING[asked.command](asked, own)
            except (fitting.FitError, mutation.MutateError, smoke.SmokeError) as error:
                raise Failed(str(error)) from None
    return 0


def _dialect(id: str) -> Dialect:
    try:
        return REGISTRY.get(id)
    except UnknownDialect:
        known = REGISTRY.ids()
        raise Failed(f"no dialect is called {id!r}{nearest(id, known)}; `conformance dialects` lists them") from None


def _dialects(console: Console) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for head in ("id", "models", "markers of", "own policy"):
        table.add_column(head, no_wrap=head == "id")
    for id in REGISTRY.ids():
        dialect = REGISTRY.get(id)
        own = [f"{axis}={_word(value)}" for axis, value in dialect.policy.values() if value != getattr(DEFAULT, axis)]
        models = ", ".join(dialect.models) or dialect.title
        doubt = "tentative: " if dialect.tentative else ""
        table.add_row(Text(id, "cyan"), doubt + escaped(models), ", ".join(_roles(dialect)), ", ".join(own))
    console.print(table)


def _roles(dialect: Dialect) -> list[str]:
    """The roles that a dialect's markers hold; an opener and its closer are one word."""
    roles: list[str] = []
    for name in ("reasoning", "answer", "calls"):
        held = [role for role in (f"{name}_open", f"{name}_close") if dialect.of(role)]
        roles += [name] if len(held) == 2 else held
    return [*roles, "framing"] if dialect.of("framing") else roles


def _word(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _shapes(console: Console, dialect: Dialect) -> None:
    width = max(console.width - 4, 40)
    for shape in shapes_of(dialect):
        outputs = shape.outputs(dialect)
        more = f"  ({len(outputs):,} outputs)" if len(outputs) > 1 else ""
        known = f"  known as {escaped(shape.known_as)}" if shape.known_as else ""
        console.print(Text.assemble((shape.id, "bold cyan"), f"  {escaped(shape.title)}", (more + known, "dim")))
        if outputs:
            prompt = {True: "opened: ", False: "not opened: ", None: ""}[outputs[0].opened]
            example = fitted(repr(outputs[0].raw), width - len(prompt))
            console.print(Text.assemble("    ", (prompt, "dim"), example), overflow="fold")


def _read(console: Console, asked: Any) -> int:
    dialect = _dialect(asked.dialect)
    try:
        policy = dialect.policy.with_values(_policy(asked.policy))
    except PolicyError as error:
        hint = nearest(error.axis, AXES) if error.axis not in AXES else ""
        raise Failed(f"--policy: {error}{hint}") from None
    raw = asked.text
    if raw == "-":
        # As it stands: what is no UTF-8 becomes lone surrogates, and no line end is changed.
        raw = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return 0 if show(console, dialect, policy, raw, asked.opened, asked.thinking == "on", asked.finish) else 1


def _policy(values: Sequence[str]) -> dict[str, str | bool]:
    policy: dict[str, str | bool] = {}
    for text in values:
        axis, equals, value = text.partition("=")
        if not equals:
            raise Failed(f"--policy wants AXIS=VALUE, not {text!r}; the axes are {', '.join(AXES)}")
        booleans = {"true": True, "false": False}
        boolean = isinstance(AXES.get(axis, ("",))[0], bool)
        policy[axis] = booleans.get(value.lower(), value) if boolean else value
    check_values(policy)
    return policy


def _run(words: Sequence[str]) -> int:
    if not any(word == "--impl" or word.startswith("--impl=") for word in words) and not {"-h", "--help"} & {*words}:
        raise Failed("run wants an implementation to judge: --impl=MODULE, such as conformance.adapters.sglang")
    if {"-h", "--help"} & {*words}:
        # Our options are added where an implementation is named.
        words = ["--impl=conformance.adapters.reference", *words]
    # In a checkout that isn't installed nothing tells pytest of the plugin.
    installed = any(found.name == "conformance" for found in entry_points(group="pytest11"))
    # A process of its own: pytest is to be the first to import what it collects and rewrites.
    plugin = [] if installed else ["-p", "conformance.plugin"]
    with subprocess.Popen([sys.executable, "-m", "pytest", *plugin, *words]) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue  # pytest has it too, and ends by itself
