"""What came nearest to killing a survivor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conformance.mutation.seeing import Seen

UNREACHED = "no output that was asked reaches this line; perhaps another dialect or request would"


def nearest(clean: Mapping[str, Seen], now: Iterable[Seen], unsteady: frozenset[str]) -> str:
    """A sentence: the check that saw a difference between a survivor and the clean implementation, and as what.

    ``unsteady``: dialects in which the clean implementation itself isn't the same in two sweeps.
    """
    seen = [one for one in now if one.dialect not in unsteady]
    told = [_advised(clean[one.dialect], one) for one in seen]
    told += [_skipped(clean[one.dialect], one) for one in seen]
    told += [_results(clean[one.dialect], one) for one in seen]
    told += [_timing(clean[one.dialect], one) for one in seen]
    first = next((text for text in told if text), "")
    if first:
        return first
    outputs = sum(one.outputs for one in seen)
    left = f"; {', '.join(sorted(unsteady))} can't be compared, no two sweeps are alike there" if unsteady else ""
    if not seen:
        return f"nothing could be compared{left}"
    return f"no difference was observed in {outputs:,} outputs{left}: perhaps it is equivalent"


def _advised(clean: Seen, now: Seen) -> str:
    """A should that is violated otherwise than before."""
    for (check, level), kinds in now.kinds.items():
        if level != "should" or kinds <= clean.kinds.get((check, level), frozenset()):
            continue
        text = f"nearest is {check} in {now.dialect}, as a should"
        if check in now.told and now.outcomes.get(check) == "advice":
            text += f" ({now.told[check]})"
        if check in ("released-at-once", "memory-bounded"):
            return f"{text}: advice fails a run with --strict alone"
        return f"{text}: an undeclared policy axis excuses it, and declaring the axis would make it a must"
    return ""


def _skipped(clean: Seen, now: Seen) -> str:
    skipped = [check for check, outcome in now.outcomes.items() if outcome == "skip" != clean.outcomes.get(check)]
    if not skipped:
        return ""
    return f"{now.dialect} was skipped ({now.reasons.get(skipped[0], '')}), and a run passes where it is skipped"


def _results(clean: Seen, now: Seen) -> str:
    if now.results == clean.results:
        return ""
    return (
        f"nearest is reads-as-declared in {now.dialect}: some messages differ, all in outputs of kinds that were "
        "objected to before"
    )


def _timing(clean: Seen, now: Seen) -> str:
    if now.timing == clean.timing:
        return ""
    return f"nearest is released-at-once in {now.dialect}: nothing differs but when text comes"
