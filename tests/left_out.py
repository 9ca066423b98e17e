"""Folders whose tests `make test` runs in part while nothing that they test has changed since all passed.

`make test-more` always runs them all. A checkout knows from the ledger, else from git, whether anything has changed.
One that knows neither, such as a fresh clone of the main branch, runs the part.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
LEDGER = ROOT / ".pytest_cache" / "passed.json"
ALL_BUT_MORE, EVERYTHING = "not soak and not more", "more"
"""Which tests `make test` and `make test-more` ask for."""


class Kind(NamedTuple):
    """A folder of tests.

    Attributes
    ----------
    tests : what they test, files and folders of the repository.
    core : parts of the ids of those that always run.
    nth : of the others, each so many runs as well.
    """

    tests: tuple[str, ...]
    core: tuple[str, ...]
    nth: int


KINDS: Mapping[str, Kind] = {
    "conformance": Kind(
        ("extension/src/engine", "extension/src/shared", "skillbook/perception", "tests/conformance"),
        (
            "test_page[own/",
            "test_generated_documents[0]",
            "test_what_is_not_allowed",
            "test_a_wrong_expectation",
        ),
        9,
    ),
    "lab": Kind(
        ("skillbook/notebook", "skillbook/serving", "tests/lab", "requirements-dev.txt"),
        ("test_quickstart.py",),
        8,
    ),
}
_NO_SOURCES = {"__pycache__", "node_modules", ".ipynb_checkpoints"}


def leave_out(items: list[pytest.Item], folder: str, expression: str) -> int:
    """Mark what is left to `make test-more` of a folder's tests; gives how many these are.

    Parameters
    ----------
    items : the folder's tests.
    expression : which marks are wanted, as pytest has it.
    """
    if expression == EVERYTHING:
        left = items
    elif "not more" in expression and not has_changed(folder):
        kind = KINDS[folder]
        left = [item for item in items if not any(part in item.nodeid for part in kind.core)]
        left = [item for number, item in enumerate(left) if number % kind.nth]
    else:
        return 0
    for item in left:
        item.add_marker(pytest.mark.more)
    return len(left)


def has_changed(folder: str, ledger: Path = LEDGER) -> bool:
    """Whether something that a folder tests has changed since its tests passed, or since the main branch.

    A commit in `TESTS_SINCE` stands for the one before the change.
    """
    kind = KINDS[folder]
    if (passed := _passed(ledger).get(folder)) is not None:
        return passed != digest(kind)
    since = os.environ.get("TESTS_SINCE") or _git("merge-base", "HEAD", "origin/main")
    since = since or _git("merge-base", "HEAD", "main") or "HEAD"
    changed = _git("diff", "--name-only", since, "--", *kind.tests)
    new = _git("ls-files", "--others", "--exclude-standard", "--", *kind.tests)
    return bool(changed or new)


class Watch:
    """Notes which folders' tests all pass.

    Parameters
    ----------
    config : of a session that runs all tests that `make test` or `make test-more` has.
    """

    def __init__(self, config: pytest.Config) -> None:
        everything = config.option.markexpr == EVERYTHING
        self._whole = {folder: digest(KINDS[folder]) for folder in KINDS if everything or has_changed(folder)}
        self._failed: set[str] = set()
        self._ran: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that ran."""
        folder = report.nodeid.removeprefix("tests/").partition("/")[0]
        self._ran.add(folder)
        if report.failed:
            self._failed.add(folder)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write down what passed, unless the session was cut short."""
        if exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            for folder in (self._whole.keys() & self._ran) - self._failed:
                note_passed(folder, self._whole[folder])


def watch(config: pytest.Config) -> None:
    """Note what passes, in a session that leaves out nothing by name."""
    option = config.option
    is_whole = option.markexpr in {EVERYTHING, ALL_BUT_MORE} and not (option.keyword or option.maxfail)
    if is_whole and "tests" in config.args and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Watch(config))


def note_passed(folder: str, content: str, ledger: Path = LEDGER) -> None:
    """All tests of a folder have passed: until something changes, a part of them is enough."""
    passed = {**_passed(ledger), folder: content}
    ledger.parent.mkdir(exist_ok=True)
    ledger.write_text(json.dumps(passed), encoding="utf-8")


def digest(kind: Kind) -> str:
    """One text for the content of all files that a folder tests."""
    found = hashlib.sha256()
    for name in kind.tests:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not _NO_SOURCES & set(file.parts):
                found.update(f"{file.relative_to(ROOT)} ".encode() + file.read_bytes())
    return found.hexdigest()


def _passed(ledger: Path) -> dict[str, str]:
    passed: dict[str, str] = json.loads(ledger.read_text("utf-8")) if ledger.exists() else {}
    return passed


def _git(*arguments: str) -> str:
    """What git prints; nothing where there is no git, or it doesn't know."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
