from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# CI must say the same of the same commit; exploring is for developers' machines.
settings.register_profile("ci", derandomize=True, print_blob=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where journals, learned rules and approvals of the tests go: never into the home of who runs them."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(folder))
        yield folder


HERE = Path(__file__).parent
BROWSER_FOLDERS = ("integration", "faults", "conformance", "lab")
"""The tests in these folders drive a browser. Elsewhere a test that does is marked by hand."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what drives a browser, and put the lab's tests last.

    Their blocking Playwright, kept for all of them, leaves no room for async tests.
    """
    for item in items:
        if item.path.is_relative_to(HERE) and item.path.relative_to(HERE).parts[0] in BROWSER_FOLDERS:
            item.add_marker(pytest.mark.browser)
    items.sort(key=in_lab)


def in_lab(item: pytest.Item) -> bool:
    """Whether a test is one of the lab's."""
    return item.path.is_relative_to(HERE / "lab")


def pytest_configure() -> None:
    """Ctrl-C interrupts also where the shell that started the tests in its background had it ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
