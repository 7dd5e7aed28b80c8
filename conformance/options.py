"""What the command line asks for: checked whole before anything runs, and refused in clear words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conformance import judge
from conformance.adapter import AdapterError, Implementation, Wiring, load, nearest
from conformance.checks.catalogue import CHECKS
from conformance.corpus.further import further
from conformance.dialect_files import DialectFileError, load_dialect_file
from conformance.expected import ExpectedError, ExpectedFailures, parse
from conformance.sweep import checks_for
from conformance.wire.adapter import Told
from oracles.cases import CaseFileError, RecordedCase
from oracles.dialects import REGISTRY

FILTERS = {"keyword": "-k", "markexpr": "-m", "deselect": "--deselect", "lf": "--lf", "stepwise": "--sw"}
"""pytest's own options that leave items out, by the name under which it keeps them."""


@dataclass(frozen=True)
class Judged:
    """An implementation under the name its items bear, and what is judged of it: dialect to check ids."""

    id: str
    implementation: Implementation
    plan: Mapping[str, tuple[str, ...]]

    def wanted(self, dialect: str) -> frozenset[str] | None:
        """The checks wanted for a dialect; None where they are all that there are for the implementation."""
        every = _plan(self.implementation, (dialect,), ())[dialect]
        return None if self.plan[dialect] == every else frozenset(self.plan[dialect])


@dataclass(frozen=True)
class Chosen:
    """Everything a run was asked for.

    ``case``: the text behind ``--case``. ``named``: the arguments that are node ids of items.
    ``files``: dialect id to the file that declares it.
    ``expected``: None without ``--expected-failures``. ``strict``: advice fails. ``debugs``: what is printed is for the
    person at the terminal. ``notes``: sentences about what was given and is left aside.
    """

    judged: tuple[Judged, ...]
    options: judge.Options
    case: str | None = None
    named: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    expected: ExpectedFailures | None = None
    expected_path: Path | None = None
    fix: bool = False
    report: Path | None = None
    strict: bool = False
    debugs: bool = False
    notes: tuple[str, ...] = ()

    @property
    def profile(self) -> str:
        """The name of how much is tried: the profile's, or "corpus" for recorded cases alone."""
        return "corpus" if self.options.corpus_only else self.options.profile

    def ids(self) -> list[str]:
        """The node id of every item, ``implementation::dialect::check``."""
        return [f"{one.id}::{id}" for one in self.judged for id in _ids(one.plan)]


def choose(option: Any, missing: Sequence[str] = (), told: Told | None = None) -> Chosen:
    """What ``option`` (pytest's ``config.option``) asks for.

    ``missing``: arguments that are no paths, node ids perhaps. ``told``: hears what is said with a command.
    Loads the adapters and the dialect files. Raises pytest.UsageError.
    """
    files = _dialect_files(option.conformance_dialect_files)
    wiring = Wiring(option.conformance_hang_after, told)
    implementations = _implementations(option.conformance_impl, tuple(files), wiring)
    dialects = _known(option.conformance_dialects, "--dialect", REGISTRY.ids(), "conformance dialects")
    checks = _known(option.conformance_checks, "--check", tuple(CHECKS), "")
    only = option.conformance_corpus_only
    plans = {id: _plan(one, dialects, checks, only) for id, one in implementations.items()}
    if not any(plans.values()):
        claimed = sorted({dialect for one in implementations.values() for dialect in one.dialects})
        how = " of recorded cases alone" if only else ""
        raise pytest.UsageError(
            f"nothing is left to judge{how}: {', '.join(dialects) or 'none'} with the checks "
            f"{', '.join(checks) or 'all'}; {', '.join(implementations)} can be judged by {', '.join(claimed)}"
        )
    case = option.conformance_case
    if case is not None:
        if dialects or checks:
            raise pytest.UsageError("--case names its dialect and its check itself; leave --dialect and --check out")
        plans = _case_plans(case, implementations)
    named = {arg: nodeid for arg in missing if (nodeid := _nodeid(arg)).partition("::")[0] in plans}
    if named:
        plans = _named_plans(list(named.values()), plans)
    cases, notes = _cases(option.conformance_corpus)
    fix = option.conformance_fix
    expected, path = _expected(option, implementations)
    if fix:
        _whole(option, bool(named), expected is not None)
    judging = judge.Options(
        profile=option.conformance_profile,
        seed=option.conformance_seed,
        checks=frozenset(checks) if checks else None,
        hang_after=option.conformance_hang_after,
        in_process=option.conformance_in_process,
        corpus_only=only,
        cases=cases,
    )
    return Chosen(
        judged=tuple(Judged(id, one, plans[id]) for id, one in implementations.items() if plans[id]),
        options=judging,
        case=case,
        named=tuple(named),
        files=files,
        expected=expected,
        expected_path=path,
        fix=fix,
        report=None if option.conformance_report is None else Path(option.conformance_report),
        # pytest's own option: it stands for "be strict" there too.
        strict=bool(getattr(option, "strict", False)),
        notes=notes,
        debugs=judging.in_process and (case is not None or getattr(option, "capture", "") == "no"),
    )


def listed(values: Sequence[str]) -> list[str]:
    """The words of an option that may be repeated and may hold lists: ``a,b`` and ``c``, each once."""
    words = [word.strip() for value in values for word in value.split(",")]
    return list(dict.fromkeys(word for word in words if word))


def _known(values: Sequence[str], name: str, known: Sequence[str], command: str) -> list[str]:
    words = listed(values)
    if values and not words:
        raise pytest.UsageError(f"{name} is empty; name one of {', '.join(known)}")
    for word in words:
        if word not in known:
            near = nearest(word, known)
            told = f"`{command}` lists the {len(known)} there are" if command else f"known are {', '.join(known)}"
            rest = "" if near and not command else f"; {told}"
            raise pytest.UsageError(f"{name}={word}: no {name.strip('-')} is called {word!r}{near}{rest}")
    return words


def _dialect_files(paths: Sequence[str]) -> dict[str, str]:
    files: dict[str, str] = {}
    for path in paths:
        try:
            dialect = load_dialect_file(path)
            # One process may run pytest twice; what it then finds is the file's own dialect.
            if dialect.id not in REGISTRY.ids() or REGISTRY.get(dialect.id) != dialect:
                REGISTRY.add(dialect)
        except DialectFileError as error:
            raise pytest.UsageError(f"--dialect-file: {error}") from None
        except ValueError as error:
            raise pytest.UsageError(f"--dialect-file={path}: {error}; give yours an id of its own") from None
        files[dialect.id] = path
    return files


def _cases(folders: Sequence[str]) -> tuple[tuple[RecordedCase, ...], tuple[str, ...]]:
    try:
        found = [further(Path(folder), REGISTRY.ids()) for folder in folders]
    except CaseFileError as error:
        raise pytest.UsageError(f"--corpus: {error}") from None
    cases = tuple(case for one in found for case in one.cases)
    return cases, tuple(f"--corpus: {one.skipped}" for one in found if one.skipped)


def _implementations(specs: Sequence[str], added: Sequence[str], wiring: Wiring) -> dict[str, Implementation]:
    loaded: list[Implementation] = []
    for spec in specs:
        if spec in [one.spec for one in loaded]:
            raise pytest.UsageError(f"--impl={spec} is given twice")
        try:
            loaded.append(load(spec, added=added, wiring=wiring))
        except AdapterError as error:
            raise pytest.UsageError(str(error)) from None
    names = [_node_name(one.name) for one in loaded]
    shared = [names.count(name) > 1 for name in names]
    return {
        _node_name(f"{one.name}@{one.spec}") if twice else name: one
        for one, name, twice in zip(loaded, names, shared, strict=True)
    }


def _nodeid(arg: str) -> str:
    """A node id without the path that pytest shows before it below the root folder."""
    head, colons, rest = arg.partition("::")
    return head.rpartition("/")[2] + colons + rest


def _node_name(name: str) -> str:
    """A name that a node id can bear: printable, without the separators of node ids."""
    for separator, other in (("::", ":"), ("/", "-"), ("\\", "-"), ("[", "("), ("]", ")")):
        name = name.replace(separator, other)
    return "".join(c if c.isprintable() else "?" for c in name)


def _plan(
    implementation: Implementation, dialects: Sequence[str], checks: Sequence[str], corpus_only: bool = False
) -> dict[str, tuple[str, ...]]:
    """Dialect to the checks that an implementation is judged by, in the catalogue's order."""
    asked = tuple(check for check in checks_for(implementation, corpus_only) if not checks or check in checks)
    return {dialect: asked for dialect in implementation.dialects if asked and (not dialects or dialect in dialects)}


def _ids(plan: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [f"{dialect}::{check}" for dialect, checks in plan.items() for check in checks]


def _case_plans(case: str, implementations: Mapping[str, Implementation]) -> dict[str, dict[str, tuple[str, ...]]]:
    try:
        dialect, check = judge.case_names(case)
    except ValueError as error:
        raise pytest.UsageError(f"--case: {error}") from None
    if dialect not in REGISTRY.ids():
        raise pytest.UsageError(
            f"--case: no dialect is called {dialect!r}{nearest(dialect, REGISTRY.ids())}; "
            "where it is one of your own, give its --dialect-file too"
        )
    if check not in CHECKS:
        raise pytest.UsageError(f"--case: no check is called {check!r}{nearest(check, CHECKS)}")
    plans: dict[str, dict[str, tuple[str, ...]]] = {id: {} for id in implementations}
    for id, one in implementations.items():
        if dialect in one.dialects:
            plans[id][dialect] = (check,)
            try:
                judge.refuse_damaged(one, case)
            except ValueError as error:
                raise pytest.UsageError(f"--case: {error}") from None
    if not any(plans.values()):
        raise pytest.UsageError(f"--case is one of {dialect}, which {', '.join(implementations)} doesn't claim")
    return plans


def _named_plans(
    named: Sequence[str], plans: Mapping[str, Mapping[str, tuple[str, ...]]]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """The plans cut down to the items that node ids name."""
    kept: dict[str, dict[str, tuple[str, ...]]] = {id: {} for id in plans}
    for nodeid in named:
        id, *parts = nodeid.split("::")
        dialect, check = (*parts, "", "")[:2]
        found = {
            one: tuple(known for known in checks if check in ("", known))
            for one, checks in plans[id].items()
            if dialect in ("", one)
        }
        if len(parts) > 2 or not any(found.values()):
            known = [f"{id}::{one}" for one in _ids(plans[id])]
            raise pytest.UsageError(f"there is no item {nodeid}{nearest(nodeid, known)}")
        for one, checks in found.items():
            both = {*kept[id].get(one, ()), *checks}
            kept[id][one] = tuple(check for check in CHECKS if check in both)
    return {id: {one: kept[id][one] for one in plan if one in kept[id]} for id, plan in plans.items()}


def _expected(
    option: Any, implementations: Mapping[str, Implementation]
) -> tuple[ExpectedFailures | None, Path | None]:
    name = option.conformance_expected
    if name is None:
        if option.conformance_fix:
            raise pytest.UsageError("--fix rewrites a list of expected failures; name it with --expected-failures FILE")
        return None, None
    if len(implementations) > 1:
        raise pytest.UsageError("--expected-failures is one implementation's list; give one --impl with it")
    path = Path(name)
    known = {id for one in implementations.values() for id in _ids(_plan(one, (), ()))}
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if not option.conformance_fix:
            raise pytest.UsageError(f"--expected-failures={name}: there is no such file; --fix writes it") from None
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise pytest.UsageError(f"--expected-failures={name}: the file can't be read ({reason})") from None
    try:
        return parse(text, known, name), path
    except ExpectedError as error:
        raise pytest.UsageError(str(error)) from None


def _whole(option: Any, named: bool, listed: bool) -> None:
    """Raises pytest.UsageError where a run leaves items out, so that ``--fix`` would judge lines it can't see."""
    ours = {
        "conformance_dialects": "--dialect",
        "conformance_checks": "--check",
        "conformance_case": "--case",
        "conformance_corpus_only": "--corpus-only",
    }
    filters = [flag for name, flag in {**ours, **FILTERS}.items() if getattr(option, name, None)]
    if named:
        filters.append("the ids given")
    if filters:
        raise pytest.UsageError(f"--fix needs a whole run, and {' and '.join(filters)} would leave items out")
