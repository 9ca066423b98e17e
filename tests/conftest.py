from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The lab's tests come last: their blocking Playwright, kept for all of them, leaves no room for async tests."""
    items.sort(key=lambda item: item.get_closest_marker("lab") is not None)
