"""What the tests share."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["pytester"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that take minutes run where they are asked for."""
    if not os.environ.get("CONFORMANCE_SLOW"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="takes minutes; set CONFORMANCE_SLOW to run it"))
