"""Three searches on the same mutants, judged by the same checks: the suite's ladder, any text, random markers."""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import statistics
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from conformance.checks import CHECKS, OBSERVED
from conformance.collecting import Enough
from conformance.ladder import Step
from conformance.settings import Options
from conformance.surprise import surprises
from conformance.sweep import Sweep
from conformance.watchdog import TooManyHangs, Watchdog
from mutants.matrix import HANG_AFTER
from mutants.mutant import Mutant
from mutants.registry import MUTANTS
from oracles.dialects import REGISTRY
from oracles.pieces import Output, Piece

LIMIT = 500
"""Outputs that a search may try on a mutant."""

PATIENCE = 120.0
"""Seconds that it may take; what isn't found by then isn't found."""


class Found(Exception):
    """A check kills the mutant; how many outputs that took."""


def ladder(sweep: Sweep, tell: Callable[[Step], None]) -> None:
    """The suite's own: words, shapes, repetitions, bytes decoded into pieces."""
    for rung in (sweep.ladder.words, sweep.ladder.shapes, sweep.ladder.repetitions):
        for step in rung():
            tell(step)
    surprises(sweep.ladder, False, None, tell)


def any_text(sweep: Sweep, tell: Callable[[Step], None]) -> None:
    """``st.text()``: Hypothesis takes the string constants of the code it runs in among others."""
    pairs, chunker = sweep.ladder.pairs, sweep.chunker

    @settings(
        max_examples=LIMIT,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.text())
    def draw(text: str) -> None:
        output = Output((Piece("text", text),) if text else ())
        tell(Step("text", output, pairs, tuple(chunker.full(output))))

    draw()


def random_markers(sweep: Sweep, tell: Callable[[Step], None]) -> None:
    """One to eight of the dialect's markers, a word and a space, at random."""
    draw = random.Random(0)
    pieces, pairs, chunker = sweep.ladder.pieces, sweep.ladder.pairs, sweep.chunker
    stock = [*pieces.markers, Piece("word", ""), Piece("space", " ")]
    for _ in range(LIMIT):
        output = pieces.output([draw.choice(stock) for _ in range(draw.randint(1, 8))])
        tell(Step("markers", output, pairs, tuple(chunker.full(output))))


SEARCHES = {"the ladder": ladder, "st.text()": any_text, "random markers": random_markers}


def tries(mutant: Mutant, search: Callable[[Sweep, Callable[[Step], None]], None]) -> int:
    """How many outputs a search takes until a check that looks at outputs kills a mutant, 0 where none does."""
    options = Options(profile="quick", checks=frozenset(OBSERVED), hang_after=HANG_AFTER)
    with Watchdog(HANG_AFTER) as watchdog:
        sweep = Sweep(mutant.load(), REGISTRY.get(mutant.dialect), options, watchdog, lambda _: None)
        sweep.find_modes()

        def tell(step: Step) -> None:
            if search is not ladder and sweep.asker.outputs >= LIMIT:
                raise Enough
            sweep.collector.step(step)
            if any(CHECKS[one.check].level == one.level for one in sweep.collector.candidates):
                raise Found

        try:
            search(sweep, tell)
        except (Found, TooManyHangs):
            return sweep.asker.outputs
        except Enough as enough:  # calls that hang end a search too
            return sweep.asker.outputs if str(enough) else 0
        return 0


def in_child(mutant: Mutant, search: str) -> int:
    """``tries``, in a process that the mutant may end: that is a kill, by as many outputs as were tried before it."""
    context = multiprocessing.get_context("fork")
    told, telling = context.Pipe(False)
    child = context.Process(target=_be_the_child, args=(telling, mutant, search))
    child.start()
    telling.close()
    try:
        return int(told.recv()) if told.poll(PATIENCE) else 0
    except EOFError:
        return 1
    finally:
        child.kill()
        child.join()


def _be_the_child(telling: Connection, mutant: Mutant, search: str) -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    with contextlib.suppress(SystemExit):
        telling.send(tries(mutant, SEARCHES[search]))
    os._exit(0)


def rows() -> Iterator[tuple[Mutant, list[int]]]:
    """Each mutant that outputs can show, with the tries of each search."""
    for mutant in MUTANTS.values():
        if mutant.check in OBSERVED:
            yield mutant, [in_child(mutant, search) for search in SEARCHES]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true", help="a line a mutant too")
    chosen = parser.parse_args()
    console = Console(soft_wrap=True, highlight=False)
    found = []
    for mutant, tried in rows():
        found.append(tried)
        if chosen.each:
            console.print(mutant.id, *(number or "-" for number in tried))
    table = Table("search", "killed", "of", "median tries", box=None)
    for place, search in enumerate(SEARCHES):
        hits = [tried[place] for tried in found if tried[place]]
        table.add_row(search, str(len(hits)), str(len(found)), f"{statistics.median(hits):g}" if hits else "-")
    console.print(table)
    console.print(f"a search may try {LIMIT:,} outputs of each mutant; the ladder tries all it has")


if __name__ == "__main__":
    main()
