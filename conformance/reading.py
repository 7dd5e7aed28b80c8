"""How the oracle reads a text, shown in colour: which character goes where, and why."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.literals import escaped, fitted
from oracles import second
from oracles.dialects import Dialect
from oracles.messages import Finish, Request
from oracles.policies import Policy
from oracles.reader import Machine

COLOURS = {"reasoning": "cyan", "content": "green", "dropped": "dim strike"}
LETTERS = {"reasoning": "r", "content": "c", "dropped": "-"}
"""What stands below each character, where colours don't tell."""
DRAWN = 2000  # of a longer output, only the table is shown


def show(
    console: Console, dialect: Dialect, policy: Policy, raw: str, opened: bool, thinking: bool, finish: Finish
) -> bool:
    """Prints how ``raw`` is read, and whether both readers of the suite agree on it."""
    request = Request(dialect.id, opened, thinking)
    reading = second.read(dialect, policy, request, raw, finish)
    if len(raw) <= DRAWN:
        _picture(console, raw, reading)
        console.print()
    console.print(_table(console, raw, reading))
    console.print()
    width = max(console.width - 12, 40)
    for channel in ("reasoning", "content"):
        text = fitted(repr(getattr(reading.message, channel)), width)
        console.print(Text.assemble((f"{channel:11}", COLOURS[channel]), text), overflow="fold")
    if reading.replayed:
        console.print("the channel was skipped: its text is reasoning, and content once more", style="yellow")
    specified = Machine(dialect, policy).split(request, raw, finish)
    if specified != reading.message:
        console.print(
            Text(
                "the suite's two readers disagree, please report it: the specified reader gives "
                f"reasoning {specified.reasoning!r}, content {specified.content!r}",
                "bold red",
            ),
            overflow="fold",
        )
    return specified == reading.message


def _picture(console: Console, raw: str, reading: second.Reading) -> None:
    """The output in the colours of its channels, with a line of letters below it."""
    line, letters = Text(), Text(style="dim")
    for span in reading.spans:
        for char in raw[span.start : span.end]:
            shown = repr(char)[1:-1] if char != "'" else char
            if line.cell_len + len(shown) > console.width - 1:
                console.print(line)
                console.print(letters)
                line, letters = Text(), Text(style="dim")
            line.append(escaped(shown), COLOURS[span.fate])
            letters.append(LETTERS[span.fate] * Text(shown).cell_len)
    console.print(line)
    console.print(letters)
    legend = Text("")
    for fate, colour in COLOURS.items():
        legend.append(f"{LETTERS[fate]} {fate}   ", colour)
    console.print(legend)


def _table(console: Console, raw: str, reading: second.Reading) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for head in ("at", "text", "state", "goes to", "why"):
        table.add_column(head, overflow="fold", no_wrap=head != "why", justify="right" if head == "at" else "left")
    width = max(console.width // 3, 16)
    for span in reading.spans:
        table.add_row(
            str(span.start),
            Text(fitted(repr(raw[span.start : span.end]), width)),
            span.state,
            Text(span.fate, COLOURS[span.fate].replace("strike", "")),
            Text.assemble(second.RULES[span.rule], (f"  {span.rule}", "dim")),
        )
    return table
