from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

# CI must say the same of the same commit; exploring is for developers' machines.
settings.register_profile("ci", derandomize=True, print_blob=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The lab's tests come last: their blocking Playwright, kept for all of them, leaves no room for async tests."""
    items.sort(key=lambda item: item.get_closest_marker("lab") is not None)


def pytest_configure() -> None:
    """Ctrl-C interrupts also where the shell that started the tests in its background had it ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
