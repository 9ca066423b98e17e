"""Parts of the suite of which `make test` runs a few tests while nothing that they test has changed since all passed.

`make test-more` always runs them all. A checkout knows from the ledger, else from git, whether anything has changed.
One that knows neither, such as a fresh clone of the main branch, runs the part.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.parts import PARTS, Part

ROOT = Path(__file__).resolve().parents[1]
LEDGER = ROOT / ".pytest_cache" / "passed.json"
ALL_BUT_MORE, EVERYTHING = "not soak and not more", "more"
"""Which tests `make test` and `make test-more` ask for."""


def part_of(file: str) -> str:
    """The part that a file of tests belongs to, by its path in the repository; empty for none."""
    return next(
        (name for name, part in PARTS.items() if any(fnmatchcase(file, pattern) for pattern in part.files)),
        "",
    )


_NO_SOURCES = {"__pycache__", "node_modules", ".ipynb_checkpoints"}


def leave_out(items: list[pytest.Item], expression: str) -> dict[str, int]:
    """Mark what is left to `make test-more` of the parts; gives how many tests of each these are.

    Parameters
    ----------
    items : all tests.
    expression : which marks are wanted, as pytest has it.
    """
    of_parts: dict[str, list[pytest.Item]] = {}
    for item in items:
        if part := part_of(item.nodeid.partition("::")[0]):
            of_parts.setdefault(part, []).append(item)
    found = {}
    files = changed_files() if "not more" in expression else []
    for part, tests in of_parts.items():
        is_left = "not more" in expression and not has_changed(part, files=files)
        left = _left(PARTS[part], tests) if is_left else []
        for item in tests if expression == EVERYTHING else left:
            item.add_marker(pytest.mark.more)
        found[part] = len(left)
    return found


def _left(part: Part, items: list[pytest.Item]) -> list[pytest.Item]:
    """What needs not run of a part in which nothing has changed."""
    others = [item for item in items if not any(name in item.nodeid for name in part.core)]
    return [item for number, item in enumerate(others) if not part.nth or number % part.nth]


def has_changed(part: str, ledger: Path = LEDGER, files: Sequence[str] | None = None) -> bool:
    """Whether something that a part tests has changed since its tests passed, or since the main branch.

    Parameters
    ----------
    files : what has changed since the main branch, where that is known (`changed_files`).
    """
    if (passed := _passed(ledger).get(part)) is not None:
        return passed != digest(PARTS[part])
    folders = tuple(f"{name}/" for name in PARTS[part].tests)
    return any(
        file in PARTS[part].tests
        or file.startswith(folders)
        or any(fnmatchcase(file, pattern) for pattern in PARTS[part].files)
        for file in (changed_files() if files is None else files)
    )


def changed_files() -> list[str]:
    """What has changed since the main branch; a commit in `TESTS_SINCE` stands for the one before the change."""
    since = os.environ.get("TESTS_SINCE") or _git("merge-base", "HEAD", "origin/main")
    since = since or _git("merge-base", "HEAD", "main") or "HEAD"
    changed = _git("diff", "--name-only", "-z", since)
    new = _git("ls-files", "--others", "--exclude-standard", "-z")
    return [file for file in f"{changed}\0{new}".split("\0") if file]


class Watch:
    """Notes of which parts all tests pass.

    Parameters
    ----------
    config : of a session that runs all tests that `make test` or `make test-more` has.
    """

    def __init__(self, config: pytest.Config) -> None:
        everything = config.option.markexpr == EVERYTHING
        files = changed_files()
        self._whole = {
            name: digest(part) for name, part in PARTS.items() if everything or has_changed(name, files=files)
        }
        self._failed: set[str] = set()
        self._ran: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that ran."""
        part = part_of(report.nodeid.partition("::")[0])
        self._ran.add(part)
        if report.failed:
            self._failed.add(part)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write down what passed, unless the session was cut short."""
        if exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            for part in (self._whole.keys() & self._ran) - self._failed:
                note_passed(part, self._whole[part])


def watch(config: pytest.Config) -> None:
    """Note what passes, in a session that leaves out nothing by name."""
    option = config.option
    is_whole = option.markexpr in {EVERYTHING, ALL_BUT_MORE} and not (option.keyword or option.maxfail)
    if is_whole and "tests" in config.args and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Watch(config))


def note_passed(part: str, content: str, ledger: Path = LEDGER) -> None:
    """All tests of a part have passed: until something changes, a few of them are enough."""
    passed = {**_passed(ledger), part: content}
    ledger.parent.mkdir(exist_ok=True)
    ledger.write_text(json.dumps(passed), encoding="utf-8")


def digest(part: Part) -> str:
    """One text for the content of all files of a part's tests, and of what they test."""
    found = hashlib.sha256()
    named = [ROOT / name for name in part.tests]
    for path in (*named, *sorted(path for pattern in part.files for path in ROOT.glob(pattern))):
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
