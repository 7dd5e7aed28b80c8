"""A run: what pytest does while an implementation is judged, from collecting to the summary."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Generator, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from conformance.checks.catalogue import CHECKS
from conformance.expected import changes, rewrite
from conformance.failure_text import FailureText
from conformance.literals import escaped
from conformance.options import choose
from conformance.report import ReportFile, header, told_of
from conformance.results import Result
from conformance.suite import CheckItem, Suite
from conformance.summary import Summary
from conformance.sweeps import Sweeps
from conformance.wire.listening import Listener


class Run:
    """The plugin that ``--impl`` registers. Under xdist each worker has one, and the controller's does the telling."""

    def __init__(self, config: pytest.Config) -> None:
        """Reads the options, loads what they name. Raises pytest.UsageError."""
        self._config = config
        self._tells = not hasattr(config, "workerinput")
        given = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
        self._chosen = chosen = choose(
            config.option, [arg for arg in given if not _exists(config, arg)], _listener(config)
        )
        # Without paths of the user's own, the suite is all there is to collect.
        config.args = [arg for arg in given if arg not in chosen.named]
        colour = getattr(config.option, "color", "no") != "no" and not os.environ.get("NO_COLOR")
        self._sweeps = Sweeps(chosen, draws=self._tells and getattr(config.option, "verbose", -2) > -2, colour=colour)
        self._results: dict[str, Result] = {}
        self._collected: set[str] = set()
        self._troubles: list[str] = []
        self._interrupted = False
        self._said: list[str] = []
        self._began = time.monotonic()
        self._report = self._open_report() if self._tells and not config.option.collectonly else None

    def _open_report(self) -> ReportFile | None:
        chosen = self._chosen
        if chosen.report is None:
            return None
        try:
            report = ReportFile(chosen.report)
        except OSError as error:
            raise pytest.UsageError(f"--report={chosen.report} can't be written: {error.strerror}") from None
        implementations = [told_of(one.id, one.implementation, list(one.plan)) for one in chosen.judged]
        dialects = list(dict.fromkeys(dialect for one in chosen.judged for dialect in one.plan))
        planned = {check for one in chosen.judged for checks in one.plan.values() for check in checks}
        checks = [check for check in CHECKS if check in planned]
        options = chosen.options
        report.begin(header(_suite_version(), implementations, chosen.profile, options.seed, dialects, checks))
        return report

    def pytest_report_header(self) -> list[str]:
        """Who is judged, and by what."""
        return [
            f"conformance: {escaped(one.implementation.name)} {escaped(one.implementation.version)} "
            f"({escaped(one.implementation.spec)}), profile {self._chosen.profile}, "
            f"dialects: {', '.join(one.plan)}"
            for one in self._chosen.judged
        ]

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Puts the suite beside whatever the paths gave. No path leads to it: the user's conftests stay out of it."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result = [*report.result, *(Suite.of(collector, one, self._sweeps) for one in self._chosen.judged)]
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Remembers what is to run; refuses ``--fix`` where something was left out after all."""
        self._collect(item.nodeid for item in items if isinstance(item, CheckItem))
        if self._chosen.fix and len(self._collected) != len(self._chosen.ids()):
            left = len(self._chosen.ids()) - len(self._collected)
            raise pytest.UsageError(f"--fix needs a whole run, and {left} items were deselected")

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """The controller collects nothing itself; it hears from its workers."""
        self._collect(ids)

    def _collect(self, nodeids: Iterable[str]) -> None:
        self._collected |= {*nodeids} & {*self._chosen.ids()}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """One worker a dialect: its items share a sweep."""
        if config.getoption("dist") not in ("load", "worksteal", "loadscope", "loadgroup"):
            return None
        # xdist is optional, and calls this hook only where it is installed.
        from conformance.scheduling import DialectScheduling

        return DialectScheduling(config, log, {id.rpartition("::")[0] for id in self._chosen.ids()})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool | None, bool | None]:
        """Judges a dialect when its first item comes: before pytest captures output, so that progress can be seen."""
        if isinstance(item, CheckItem):
            began = time.monotonic()
            self._sweeps.need(item.judged, item.dialect)
            item.stash[TOOK] = time.monotonic() - began
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Lets a result travel on its report, as text, through xdist too."""
        report = yield
        if isinstance(item, CheckItem) and call.when == "call":
            result = self._sweeps.result(item.judged, item.dialect, item.check)
            report.conformance = result.to_text()  # type: ignore[attr-defined]
            report.duration += item.stash.get(TOOK, 0.0)
            if result.outcome == "expected":
                report.outcome = "skipped"
                report.wasxfail = escaped(result.reason)
            elif result.outcome == "skipped":
                reason = result.verdict.reason or "the implementation can't be asked"
                report.longrepr = (f"{item.judged.id}::{item.dialect}", None, f"Skipped: {escaped(reason)}")  # type: ignore[assignment]
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes a result in; a failure that came as plain text from a worker gets its colours back."""
        text = getattr(report, "conformance", None)
        if text is None or not self._tells:
            return
        result = Result.from_text(text)
        if result.outcome in ("failed", "expected"):
            report.longrepr = FailureText(result)  # type: ignore[assignment]
        if self._report is not None and result.id not in self._results:
            self._report.add(result)
        self._results[result.id] = result

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> Any:
        """An item that passes with advice has a letter of its own."""
        text = getattr(report, "conformance", None)
        if text is not None and report.passed and Result.from_text(text).verdict.outcome == "advice":
            return "passed", "a", ("PASSED (advice)", {"yellow": True})
        return None

    def pytest_keyboard_interrupt(self) -> None:
        """The run doesn't come to its end."""
        self._interrupted = True

    def pytest_internalerror(self) -> None:
        """The run doesn't come to its end."""
        self._troubles.append("pytest had an internal error")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """A worker that goes with an error has crashed."""
        if error and error != "keyboard-interrupt":
            self._troubles.append(f"the worker {node.gateway.id} crashed")

    def pytest_sessionfinish(self) -> None:
        """Ends the report and rewrites the list, where the run is whole."""
        if not self._tells or self._config.option.collectonly:
            return
        if self._interrupted:
            self._troubles.append("it was interrupted")
        elif set(self._results) != self._collected:
            left = len(self._collected - set(self._results))
            self._troubles.append(f"{left} of {len(self._collected)} items did not run")
        if self._troubles and not self._interrupted:
            self._said.append(f"the run is not whole: {'; '.join(self._troubles)}")
        self._end_report()
        if self._chosen.fix:
            self._fix()

    def _end_report(self) -> None:
        if self._report is None:
            return
        for result in self._sweeps.unfinished:
            if result.verdict.outcome == "fail":
                self._report.add(result)
        if not self._troubles:
            self._report.end(time.monotonic() - self._began)
        self._report.close()
        if self._report.broken:
            self._said.append(f"the report {self._report.path} is not whole: {self._report.broken}")
        elif self._troubles:
            self._said.append(f"the report {self._report.path} is not whole")

    def _fix(self) -> None:
        chosen = self._chosen
        assert chosen.expected is not None
        assert chosen.expected_path is not None
        troubles = list(self._troubles)
        if any(result.fault for result in self._results.values()):
            troubles.append("the suite itself failed")
        if troubles:
            self._said.append(f"{chosen.expected_path} is left as it was: {'; '.join(troubles)}")
            return
        unjudged = {result.verdict.id for result in self._results.values() if result.standing == "unjudged"}
        found = {r.verdict.id: r.verdict for r in self._results.values() if r.verdict.id not in unjudged}
        text = rewrite(chosen.expected, found, chosen.strict)
        added, dropped = changes(chosen.expected, text)
        if not added and not dropped:
            self._said.append(f"{chosen.expected_path} is true as it stands")
            return
        try:
            chosen.expected_path.write_text(text, encoding="utf-8")
        except OSError as error:
            self._said.append(f"{chosen.expected_path} can't be written: {error.strerror}")
        else:
            self._said.append(f"{chosen.expected_path} rewritten: {added} added, {dropped} dropped")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Writes the summary."""
        config = self._config
        if config.option.collectonly or config.option.verbose < -1 or not self._tells:
            return
        writer = config.get_terminal_writer()
        # In the order of the plan, whatever order xdist or another plugin gave the items.
        results = [self._results[id] for id in self._chosen.ids() if id in self._results]
        unfinished = self._sweeps.unfinished
        if not results and not unfinished and not self._said:
            return
        terminalreporter.section("conformance")
        for result in [*unfinished, *results]:
            if (result.verdict.outcome == "fail" and result in unfinished) or self._advises(result):
                FailureText(result).toterminal(writer)
                writer.line()
        notes = [f"{one.id}: {note}" for one in self._chosen.judged for note in one.implementation.notes]
        notes += self._chosen.notes
        summary = Summary(writer.fullwidth, writer.hasmarkup, cases=config.option.verbose > 0)
        writer.write(summary.text(results, unfinished, notes))
        if self._interrupted:
            writer.line("interrupted: this is what was found so far", red=True, bold=True)
        for line in self._said:
            writer.line(escaped(line), bold=True)

    def _advises(self, result: Result) -> bool:
        """A single case that violates a should passes, and yet is what was asked for."""
        return self._chosen.case is not None and result.verdict.outcome == "advice" and result.standing == "passed"

    def pytest_unconfigure(self) -> None:
        """Closes the report, whatever happened."""
        if self._report is not None:
            self._report.close()


TOOK = pytest.StashKey[float]()


def _listener(config: pytest.Config) -> Listener | None:
    """What shows the conversation with a command, where that is wanted: on the terminal's stderr, not pytest's."""
    if not config.option.conformance_wire_debug:
        return None
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    with contextlib.nullcontext() if capture is None else capture.global_and_fixture_disabled():
        return Listener(os.dup(2))


def _exists(config: pytest.Config, arg: str) -> bool:
    return (config.invocation_params.dir / Path(arg.partition("::")[0])).exists()


def _suite_version() -> str:
    try:
        return version("llm-parser-conformance")
    except PackageNotFoundError:
        return "unknown"
