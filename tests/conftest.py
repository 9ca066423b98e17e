from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A few examples a run, other ones in each; `make property` tries very many.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("few", max_examples=25, **_COMMON)
settings.register_profile("many", max_examples=500, **_COMMON)
# CI must say the same of the same commit; exploring is for developers' machines.
settings.register_profile("ci", settings.get_profile("few"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "few")


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
    """Mark what drives a browser, and put the lab's tests last, its files with the most tests first.

    Their blocking Playwright, kept for all of them, leaves no room for async tests.
    """
    tests = Counter(item.path for item in items)
    for item in items:
        if item.path.is_relative_to(HERE) and item.path.relative_to(HERE).parts[0] in BROWSER_FOLDERS:
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: (1, -tests[item.path]) if in_lab(item) else (0, 0))


def in_lab(item: pytest.Item) -> bool:
    """Whether a test is one of the lab's."""
    return item.path.is_relative_to(HERE / "lab")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Half as many again as there are cores for `-n auto`: tests that drive a browser wait for much of their time."""
    return min(6, (os.cpu_count() or 1) * 3 // 2) if config.option.numprocesses == "auto" else None


def pytest_configure() -> None:
    """Ctrl-C interrupts also where the shell that started the tests in its background had it ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
