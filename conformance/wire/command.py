"""The command ``conformance smoke``: what it is asked, and what it prints."""

from __future__ import annotations

import os
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance.adapter import AdapterError, Wiring, load
from conformance.literals import escaped, fitted
from conformance.settings import seconds
from conformance.wire.adapter import Wire
from conformance.wire.handshake import LIMIT
from conformance.wire.listening import Listener
from conformance.wire.smoke import Smoke, Told

COMMANDS = {"smoke": "talk to a command as an adapter: is it the adapter that is wrong, or the parser?"}
"""The command, with a line about it."""


class SmokeError(Exception):
    """There is nothing to talk to; the text is one sentence."""


def add_arguments(parser: Any) -> None:
    """Gives the command's parser its arguments."""
    parser.add_argument("spec", metavar="SPEC", help="as of --impl: 'cmd:node adapter.mjs', or a module with a command")
    parser.add_argument("--wire-debug", action="store_true", help="show each line of the conversation on stderr")
    parser.add_argument(
        "--hang-after", type=seconds, default=LIMIT, metavar="SECONDS", help=f"how long an answer may take ({LIMIT:g})"
    )


def run(asked: Any, added: list[str]) -> int:
    """Talks, and tells: 1 where the adapter is wrong. ``added``: dialects of the user's own. Raises SmokeError."""
    listener = Listener(os.dup(2)) if asked.wire_debug else None
    try:
        implementation = load(asked.spec, added=added, wiring=Wiring(asked.hang_after, listener, smokes=False))
    except AdapterError as error:
        raise SmokeError(str(error)) from None
    if not isinstance(implementation.adapter, Wire):
        raise SmokeError(f"{asked.spec} is no command: an adapter in Python is called, and pytest --impl judges it")
    console = Console(highlight=False, soft_wrap=True)
    language = f" ({escaped(implementation.language)})" if implementation.language else ""
    console.print(
        Text.assemble((f"{escaped(implementation.name)} {escaped(implementation.version)}", "bold"), language),
        f"chunks: {implementation.chunks}, dialects: {', '.join(implementation.dialects)}",
    )
    for note in implementation.notes:
        console.print(Text(f"note: {escaped(note)}"))
    faults: set[str] = set()
    try:
        for told in Smoke(implementation, listener).whole():
            _show(console, told)
            faults.add(told.whose)
    finally:
        implementation.adapter.close()
    _conclude(console, asked.spec, faults)
    return 1 if "adapter" in faults else 0


def _show(console: Console, told: Told) -> None:
    style = {"": "green", "adapter": "bold red", "parser": "yellow"}[told.whose]
    mark = told.whose or "ok"
    console.print(Text.assemble((f"{mark:8}", style), f"  {told.dialect}  {escaped(told.what)}"))
    for label, text in (
        ("prompt", told.prompt),
        ("sent", told.sent),
        ("came", told.came),
        ("expected", told.expected),
        ("because", told.because),
        ("next", told.then),
    ):
        if told.whose and text:
            shown = text if label in ("because", "next") else fitted(text, max(console.width - 22, 60))
            console.print(Text.assemble("          ", (f"{label:10}", "cyan"), escaped(shown)))


def _conclude(console: Console, spec: str, faults: set[str]) -> None:
    if "adapter" in faults:
        told, style = "the adapter is wrong: mend what is marked adapter, and run this again", "bold red"
    elif "parser" in faults:
        told = "the adapter answers as it should; what is marked parser is read otherwise than the dialect means it"
        style = "bold yellow"
    else:
        told, style = f"the adapter answers as it should; judge the parser: pytest --impl='{spec}'", "bold green"
    console.print(Text(escaped(told), style))
