"""A fit as a person reads it, and as a machine does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance.fitting.choosing import Axis
from conformance.fitting.fit import Fit, Unexplained
from conformance.implementation import Implementation
from conformance.literals import escaped, fitted
from conformance.observation import Failure
from oracles.messages import Request
from oracles.policies import AXES, Policy

VERDICTS = {
    "decided": "",
    "tied": "a tie",
    "undecided": "no word decides",
    "neither": "no value is what it does",
    "unclear": "words speak for several",
}
FAILURES = {
    "raised": "an exception",
    "hung": "a hang",
    "malformed": "a malformed answer",
    "died": "an end of the process",
}
"""Kind of failure to how it is counted."""


def show_fit(console: Console, implementation: Implementation, fit: Fit, most: int) -> None:
    """Prints a fit. ``most``: how many kinds of unexplained readings are shown."""
    console.print(Text.assemble((fit.dialect.id, "bold cyan"), f"  {implementation.name} {implementation.version}"))
    mode = "its stream, whole in one chunk" if fit.mode == "stream" else "its split"
    _line(console, "asked", f"{fit.words:,} words, {fit.readings:,} readings, by {mode}")
    for reason, count in fit.refused.items():
        _line(console, "refused", f"{count:,}: {escaped(reason)}")
    if fit.note:
        _line(console, "not all", f"{escaped(fit.note)}; the rest was not asked")
    if not fit.readings:
        _line(console, "fit", "nothing was answered, so nothing fits")
        return
    _line(console, "best policy", f"explains {_share(fit.explained, fit.readings)}")
    _line(console, "declared", _declared(fit))
    for kind, count in fit.failures.items():
        _line(console, "failed", f"{count:,} of the others: {FAILURES.get(kind, kind)}")
    console.print()
    for axis in fit.choice.axes:
        _axis(console, fit, axis)
    shown = fit.unexplained[:most]
    for title, some in (
        ("no policy explains, the shortest of each kind", [each for each in shown if each.by is None]),
        ("another policy explains", [each for each in shown if each.by is not None]),
    ):
        if some:
            console.print(f"\n  {title}")
            for each in some:
                _unexplained(console, fit, each)
    if len(fit.unexplained) > most:
        console.print(f"\n  and {len(fit.unexplained) - most:,} kinds more; --kinds=N shows more")
    console.print()


def show_policies(console: Console, fits: Iterable[Fit]) -> None:
    """Prints the lines to paste into an adapter."""
    console.print("policy = {")
    for fit in fits:
        values = ", ".join(f"{_quoted(axis)}: {_quoted(value)}" for axis, value in fit.choice.values.items())
        part = f"  # of {fit.readings:,} readings; the rest was not asked" if fit.note else ""
        console.print(f"    {_quoted(fit.dialect.id)}: {{{values}}},{part}", soft_wrap=True, markup=False)
    console.print("}")


def as_json(implementation: Implementation, fits: Iterable[Fit]) -> dict[str, Any]:
    """All fits of an implementation, as JSON holds them."""
    return {
        "implementation": {"name": implementation.name, "version": implementation.version},
        "fits": [_as_json(fit) for fit in fits],
    }


def _as_json(fit: Fit) -> dict[str, Any]:
    return {
        "dialect": fit.dialect.id,
        "mode": fit.mode,
        "words": fit.words,
        "readings": fit.readings,
        "refused": dict(fit.refused),
        "note": fit.note,
        "explained": fit.explained,
        "policy": fit.choice.values,
        "axes": [
            {
                "axis": axis.name,
                "verdict": axis.verdict,
                "value": axis.value,
                "turning": axis.turning,
                "explicable": axis.explicable,
                "explained": [{"value": value, "count": count} for value, count in axis.explained.items()],
            }
            for axis in fit.choice.axes
        ],
        "declared": {"policy": dict(fit.declared), "explained": fit.declared_explains},
        "failures": dict(fit.failures),
        "unexplained": [
            {
                "kind": each.kind,
                "count": each.count,
                "request": {"opened": each.question.request.opened, "thinking": each.question.request.thinking},
                "finish": each.question.finish,
                "raw": each.question.output.raw,
                "answer": {each.answer.kind: each.answer.text}
                if isinstance(each.answer, Failure)
                else _message(each.answer),
                "best": _message(each.expected),
                "nearest": _message(each.like) | {"policy": _changes(fit, each.nearest)},
                "explained_by": None if each.by is None else _changes(fit, each.by),
            }
            for each in fit.unexplained
        ],
    }


def _message(texts: tuple[str, str]) -> dict[str, Any]:
    return {"reasoning": texts[0], "content": texts[1]}


def _line(console: Console, head: str, text: str) -> None:
    console.print(Text.assemble("  ", (f"{head:<12}", "dim"), text), soft_wrap=True)


def _share(count: int, total: int) -> str:
    # Rounded down: all is only said of all.
    percent = int(1000 * count / total) / 10
    return f"{count:,} of {total:,} ({percent:.1f} %)"


def _declared(fit: Fit) -> str:
    if not fit.declared:
        return "nothing"
    rest = ", with the best policy's values where it says nothing" if len(fit.declared) < len(fit.choice.axes) else ""
    return f"explains {_share(fit.declared_explains, fit.readings)}{rest}"


def _axis(console: Console, fit: Fit, axis: Axis) -> None:
    """One line: the value, how many readings speak for it, and what is declared where that is something else."""
    value = _word(axis.value) if axis.verdict == "decided" else "–"
    told = ""
    if axis.turning:
        others = [each for each in AXES[axis.name] if each != axis.value]
        counts = ", ".join(f"{_word(each)} {axis.explained[each]:,}" for each in others)
        own = "" if axis.verdict == "decided" else f"{_word(axis.value)} "
        told = f"{own}{axis.explained[axis.value]:,} of {axis.turning:,}; {counts}"
    remarks = [VERDICTS[axis.verdict]] if VERDICTS[axis.verdict] else []
    declared = fit.declared.get(axis.name)
    if declared is not None and (axis.verdict != "decided" or declared != axis.value):
        remarks.append(f"declared: {_word(declared)}")
    elif declared is None and axis.verdict == "decided" and fit.declared:
        remarks.append("not declared")
    remark = "  " + "; ".join(remarks) if remarks else ""
    console.print(Text.assemble(f"    {axis.name:<20}  {value:<18}  {told}", (remark, "yellow")), soft_wrap=True)


def _unexplained(console: Console, fit: Fit, each: Unexplained) -> None:
    width = max(console.width - 16, 40)
    question = each.question
    more = f"  ({each.count:,} readings)" if each.count > 1 else ""
    console.print(Text.assemble("    ", (each.title, "bold"), (more, "dim")), soft_wrap=True)
    console.print(f"      prompt    {_prompt(question.request)}; finish: {question.finish}", markup=False)
    console.print(f"      output    {fitted(repr(question.output.raw), width)}", markup=False, soft_wrap=True)
    if isinstance(each.answer, Failure):
        console.print(
            f"      {fit.mode:<8}  {each.answer.kind}: {escaped(each.answer.text)}", markup=False, soft_wrap=True
        )
        return
    console.print(f"      {fit.mode:<8}  {_told(each.answer, width)}", markup=False, soft_wrap=True)
    if each.by is not None:
        console.print(f"      best      {_told(each.expected, width)}", markup=False, soft_wrap=True)
        console.print(f"      with      {_listed(_changes(fit, each.by))}", markup=False, soft_wrap=True)
        return
    changes = _changes(fit, each.nearest)
    by = f"  with {_listed(changes)}" if changes else ""
    console.print(f"      nearest   {_told(each.like, width)}{by}", markup=False, soft_wrap=True)


def _prompt(request: Request) -> str:
    opened = "opened" if request.opened else "not opened"
    return f"reasoning {opened}, thinking {'on' if request.thinking else 'off'}"


def _told(texts: tuple[str, str], width: int) -> str:
    return "(" + ", ".join(fitted(repr(text), width // 2) for text in texts) + ")"


def _changes(fit: Fit, policy: Policy) -> dict[str, Any]:
    """Where a policy differs from the best one."""
    best = fit.choice.policy
    return {axis: value for axis, value in policy.values() if value != getattr(best, axis)}


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{axis}: {_word(value)}" for axis, value in values.items())


def _word(value: Any) -> str:
    return str(value)


def _quoted(value: Any) -> str:
    """As a formatter of Python would have it."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
