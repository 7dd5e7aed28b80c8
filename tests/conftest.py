"""What the tests share."""

from __future__ import annotations

import os

import pytest
from rich.console import Console
from rich.table import Table

import conformance.run  # noqa: F401

# An in-process run forgets the modules it was the first to import, and rich imports some as late as when it prints:
# a class of one copy is no class of the next.
with open(os.devnull, "w") as nowhere:
    Console(file=nowhere).print(Table("", style="bold"))

pytest_plugins = ["pytester"]


def pytest_configure(config: pytest.Config) -> None:
    """Under pytest-xdist a worker with nothing left takes from another: some tests take a hundred times as long."""
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "worksteal"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that take minutes run where they are asked for."""
    if not os.environ.get("CONFORMANCE_SLOW"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="takes minutes; set CONFORMANCE_SLOW to run it"))
