"""The suite that pytest collects: an implementation, its dialects, an item for each check."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.failure_text import FailureText
from conformance.results import Result

if TYPE_CHECKING:
    from conformance.options import Judged
    from conformance.sweeps import Sweeps


class CheckFailed(Exception):
    """An item fails; it carries the result, not a text."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.verdict.id)
        self.result = result


class Suite(pytest.File):
    """What one implementation is judged by. No file of the user's: nothing of theirs is imported for it."""

    judged: Judged
    sweeps: Sweeps

    @classmethod
    def of(cls, parent: pytest.Session, judged: Judged, sweeps: Sweeps) -> Suite:
        """The collector for one implementation."""
        # Without a node id of its own it would bear the path of this module, as it looks from the user's folder.
        suite: Suite = cls.from_parent(parent, path=Path(__file__), name=judged.id, nodeid=judged.id)
        suite.judged = judged
        suite.sweeps = sweeps
        return suite

    def collect(self) -> Iterator[pytest.Collector]:
        """A collector a dialect."""
        for dialect in self.judged.plan:
            node: DialectNode = DialectNode.from_parent(self, name=dialect)
            node.suite = self
            yield node


class DialectNode(pytest.Collector):
    """A dialect of an implementation."""

    suite: Suite

    def collect(self) -> Iterator[pytest.Item]:
        """An item a check."""
        for check in self.suite.judged.plan[self.name]:
            item: CheckItem = CheckItem.from_parent(self, name=check)
            item.judged, item.dialect, item.check, item.sweeps = self.suite.judged, self.name, check, self.suite.sweeps
            if item.config.pluginmanager.hasplugin("timeout"):
                # A limit for the user's own tests is none for a sweep, which has a watchdog for each call.
                item.add_marker(pytest.mark.timeout(0))
            yield item


class CheckItem(pytest.Item):
    """One check of one dialect of one implementation. Its verdict comes from the sweep that all checks share."""

    judged: Judged
    dialect: str
    check: str
    sweeps: Sweeps

    def runtest(self) -> None:
        """Reads the verdict."""
        result = self.sweeps.result(self.judged, self.dialect, self.check)
        if result.outcome == "skipped":
            pytest.skip(result.verdict.reason or "the implementation can't be asked")
        if result.outcome != "passed":
            raise CheckFailed(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure as a person reads it."""
        if isinstance(excinfo.value, CheckFailed):
            return FailureText(excinfo.value.result)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the item is: under its implementation's name, as in its node id."""
        id = self.judged.id
        # pytest reads a dot in the last part as a separator.
        name = self.nodeid if "." not in id else f"{self.dialect}::{self.check}"
        return self.config.rootpath / id, None, name
