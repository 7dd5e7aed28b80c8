"""How pytest-xdist spreads a run: a worker a dialect, for its items share a sweep."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from xdist.scheduler import LoadGroupScheduling, LoadScopeScheduling


class DialectScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """xdist's scheduling by scope, which is ``implementation::dialect`` here, made safe for workers that die.

    Where a worker dies, xdist 3.8 gives all its work to the next one: also what it had finished, for which the next
    waits forever, and the item that killed it, which kills the next.
    """

    def __init__(self, config: Any, log: Any, ours: Collection[str]) -> None:
        """``ours``: the scopes that are a sweep each."""
        super().__init__(config, log)
        self._ours = ours
        self._grouped = config.getoption("dist") == "loadgroup"

    def _split_scope(self, nodeid: str) -> str:
        scope = nodeid.rpartition("::")[0]
        if self._grouped and scope not in self._ours:
            # The user's own tests stay in the groups that they name.
            group: str = LoadGroupScheduling._split_scope(self, nodeid)
            return group
        return scope

    def remove_node(self, node: Any) -> str | None:
        """Takes a worker out; the item that it died of, if any."""
        workload = self.assigned_work.pop(node)
        left = {scope: {id: done for id, done in unit.items() if not done} for scope, unit in workload.items()}
        died_of: str | None = next((id for unit in left.values() for id in unit), None)
        for scope, unit in left.items():
            if died_of in unit:
                # All items of a sweep would die of it.
                unit = {} if scope in self._ours else {id: False for id in unit if id != died_of}
            if unit:
                self.workqueue[scope] = unit
        for other in self.nodes:
            self._reschedule(other)
        return died_of

    def schedule(self) -> None:
        """Spreads the work that is left."""
        super().schedule()
        if self.collection:
            # A worker keeps its last item back until it knows that none follows.
            for node in self.nodes:
                self._reschedule(node)
