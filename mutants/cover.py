"""Choosing the recipes of the generated cases: a small cover of the kills that short outputs can make."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor

from conformance.checks import CHECKS, OBSERVED
from conformance.corpus.recipes import FILE, Recipe, recipe_parts, recipes_text
from conformance.settings import Options
from conformance.sweep import Sweep
from conformance.watchdog import TooManyHangs, Watchdog
from mutants.matrix import HANG_AFTER
from mutants.mutant import Mutant
from mutants.registry import MUTANTS
from oracles.dialects import REGISTRY
from oracles.kinds import kind_of
from oracles.messages import FINISHES, Finish, Request
from oracles.pieces import Output

ENOUGH = 200
"""So many recipes that kill a mutant are enough to choose from."""

Asked = tuple[Output, Request]


def main() -> int:
    """Chooses the recipes anew and writes their file."""
    covers = covered(os.cpu_count() or 1)
    recipes = chosen_of(covers)
    FILE.write_text(recipes_text(recipes), encoding="utf-8")
    missed = [id for id, kills in covers.items() if not kills]
    print(f"{len(recipes)} recipes kill {len(covers) - len(missed)} of {len(covers)} mutants that outputs can show")
    for id in missed:
        print(f"no candidate kills {id}: {MUTANTS[id].fault}")
    return 0


def candidates(sweep: Sweep) -> Iterator[Asked]:
    """What to choose from, the shortest first: words of up to three pieces, then what shapes write."""
    pieces, pairs = sweep.ladder.pieces, sweep.ladder.pairs
    seen: set[tuple[str, Request]] = set()
    words = (
        pieces.output(symbols)
        for length, alphabet in ((0, pieces.alphabet), (1, pieces.alphabet), (2, pieces.alphabet), (3, pieces.core))
        for symbols in itertools.product(alphabet, repeat=length)
    )
    shapes = (output for outputs in sweep.ladder.written.values() for output in outputs if len(output.raw) < 400)
    replays = (
        output for shape, outputs in sweep.ladder.written.items() if shape.id == "long-replay" for output in outputs
    )
    for output in itertools.chain(words, shapes, replays):
        for request in pairs:
            if (output.raw, request) not in seen:
                seen.add((output.raw, request))
                yield output, request


def kills(mutant: Mutant) -> dict[Recipe, str]:
    """The first recipes that kill a mutant, in the order of the candidates, each with the kind of its output."""
    dialect = REGISTRY.get(mutant.dialect)
    options = Options(profile="quick", checks=frozenset(OBSERVED), hang_after=HANG_AFTER)
    found: dict[Recipe, str] = {}
    with Watchdog(HANG_AFTER) as watchdog:
        sweep = Sweep(mutant.load(), dialect, options, watchdog, lambda _: None)
        sweep.find_modes()
        for output, request in candidates(sweep):
            for finish in _finishes(sweep, output, request):
                kind = kind_of(dialect, dialect.policy, request, output.raw, finish)
                parts = recipe_parts(output, sweep.ladder.pieces)
                found.setdefault(Recipe(kind.title, request.opened, request.thinking, finish, parts), kind.id)
            if len(found) >= ENOUGH:
                break
    return found


def covered(jobs: int) -> dict[str, dict[Recipe, str]]:
    """Id to what kills it, for each mutant that outputs can show, in the order of the registry."""
    mutants = [mutant for mutant in MUTANTS.values() if mutant.check in OBSERVED]
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        return dict(
            zip([mutant.id for mutant in mutants], pool.map(_kills_of, [one.id for one in mutants]), strict=True)
        )


def chosen_of(covers: Mapping[str, Mapping[Recipe, str]]) -> list[Recipe]:
    """A small set of recipes that kills every mutant that any recipe kills, chosen greedily.

    Of recipes that kill as many mutants still uncovered the shortest is taken, then the first.
    """
    killed: dict[Recipe, set[str]] = {}
    for id, recipes in covers.items():
        for recipe in recipes:
            killed.setdefault(recipe, set()).add(id)
    left = {id for id, recipes in covers.items() if recipes}
    chosen: list[Recipe] = []
    while left:
        best = max(killed, key=lambda recipe: (len(killed[recipe] & left), -_size(recipe)))
        chosen.append(best)
        left -= killed.pop(best)
    return sorted(
        chosen, key=lambda recipe: (_size(recipe), recipe.parts, recipe.opened, recipe.thinking, recipe.finish)
    )


def _kills_of(id: str) -> dict[Recipe, str]:
    return kills(MUTANTS[id])


def _size(recipe: Recipe) -> int:
    return len(recipe.parts) + sum(1 for part in recipe.parts if part[0] == "text" and part[-1] > 1)


def _finishes(sweep: Sweep, output: Output, request: Request) -> list[Finish]:
    """The finishes at which an output kills."""
    collector = sweep.collector
    try:
        return [
            seen.finish
            for seen in collector.observe(output, request, sweep.chunker.full(output))
            if (seen.surfaces or not sweep.asker.clean(seen))
            and any(one.level == CHECKS[one.check].level for one in collector.objections(seen, "cases"))
        ]
    except TooManyHangs:
        return list(FINISHES)


if __name__ == "__main__":
    sys.exit(main())
