from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_timeout
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from skillbook.io_thread import io
from skillbook.policy.secrets import store
from tests import left_out, second_tries
from tests.parts import WHOLE

# A test run whose bytecode isn't kept rewrites all test files in each worker, and compiles the package in each command.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A few examples a run, other ones in each; `make property` tries very many.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("few", max_examples=15, **_COMMON)
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
    _close_checkpoints()


@pytest.fixture(scope="module", autouse=True)
def _own_secrets() -> Iterator[None]:
    """A process knows a secret until it ends, and masks its value wherever that stands: each file has its own."""
    known = {name: type(held)(held) for name, held in vars(store).items() if isinstance(held, dict | set)}
    yield
    vars(store).update(known)


def _close_checkpoints() -> None:
    """End the runs' connections, which live as long as their process: many a test makes one in a folder of its own."""
    checkpoints = sys.modules.get("skillbook.agents.state.checkpoints")
    for path in list(checkpoints._open.get(io.loop, ())) if checkpoints else ():
        io.sync(checkpoints.close_checkpoints(path))


HERE = Path(__file__).parent
BROWSER_FOLDERS = ("integration", "faults", "conformance", "lab")
"""The tests in these folders drive a browser. Elsewhere a test that does is marked by hand."""
ONE_WORKER = ("lab", "conformance")
"""The files of each of these folders share what takes long to start, so that one worker runs them all."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m "not browser"` imports nothing of the folders whose tests all drive one."""
    return (
        True
        if config.option.markexpr == "not browser" and folder_of(collection_path) in BROWSER_FOLDERS
        else None
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what drives a browser, and put it first: what takes seconds a test leaves no worker alone at the end.

    The lab's tests begin, for they take longest, and the files with the most tests follow; of those without a browser
    the ones with properties are the slowest.
    """
    tests = Counter(item.path for item in items)
    slow = {item.path for item in items if item.get_closest_marker("hypothesis")}
    for item in items:
        if folder_of(item.path) in BROWSER_FOLDERS:
            item.add_marker(pytest.mark.browser)
        # `--reruns 0` is for who wants to see every failure.
        is_browsers = item.path.is_relative_to(HERE) and item.get_closest_marker("browser")
        if is_browsers and config.option.reruns is None:
            item.add_marker(pytest.mark.flaky(reruns=1))

    _leave_some(items)
    left = left_out.leave_out(items, config.option.markexpr)
    config.stash[_LEFT] = left
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = left

    def rank(item: pytest.Item) -> tuple[int, bool, int]:
        folder = folder_of(item.path)
        if folder in ONE_WORKER:
            return ONE_WORKER.index(folder), False, 0
        is_quick = item.path.is_relative_to(HERE) and folder not in BROWSER_FOLDERS
        return len(ONE_WORKER) + is_quick, is_quick and item.path not in slow, -tests[item.path]

    items.sort(key=rank)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give a second try the time of a first one, of which the limits were for both."""
    if getattr(item, "execution_count", 1) > 1:
        item.ihook.pytest_timeout_set_timer(item=item, settings=pytest_timeout._get_item_settings(item))


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_timeout_set_timer(settings: Any) -> None:
    """End the worker, and it alone, whose test swallows its timeout."""
    faulthandler.dump_traceback_later(settings.timeout + SWALLOWED, file=sys.__stderr__, exit=True)


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_timeout_cancel_timer() -> None:
    """Nothing is left to end."""
    faulthandler.cancel_dump_traceback_later()


SWALLOWED = 120
"""Seconds that a test has to clean up after its timeout."""


QUICK = {"read_html", "engine"}
"""Fixtures whose pages cost no tab: all cases of a test that has one are tried each time."""


def _params(item: pytest.Item) -> dict[str, Any]:
    """What a test is parametrised with, by name."""
    return getattr(getattr(item, "callspec", None), "params", {})


def _leave_some(items: list[pytest.Item]) -> None:
    """Of a test that drives a browser with many cases a few are tried by `make test`, all by `make test-more`.

    Four times as many cases are one more that is tried: 1 of up to 7, 2 of 8, 3 of 32, 4 of 128, spread over them all.
    A test that has each kind of input tries both from 4 cases on.
    """
    cases: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        # A parameter may have the name of a fixture.
        quick = QUICK & (set(getattr(item, "fixturenames", ())) - _params(item).keys())
        quick = quick or left_out.part_of(item.nodeid.partition("::")[0]) in WHOLE
        if item.get_closest_marker("browser") and not quick and not item.get_closest_marker("more"):
            cases.setdefault((item.path, item.name.partition("[")[0]), []).append(item)
    for of_one in cases.values():
        tried = max(1, len(of_one).bit_length() // 2)
        if len(of_one) >= 4 and "synthetic" in [_params(item).get("kind") for item in of_one]:
            tried = max(2, tried)
        # One further each time, as cases that are products have every other value of the last part at even places.
        chosen = {at * len(of_one) // tried + at for at in range(tried)}
        for number, item in enumerate(of_one):
            if number not in chosen:
                item.add_marker(pytest.mark.more)


_LEFT = pytest.StashKey[dict[str, int]]()
"""How many tests of each part are left to `make test-more`, since nothing that they test has changed."""
_TWICE = pytest.StashKey[list[str]]()
"""The tests that failed at the first try more than once."""


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Learn from a worker, which collects the tests, what is left out."""
    node.config.stash[_LEFT] = getattr(node, "workeroutput", {}).get("left_out", {})


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write down what failed at the first try; a run with a test that did so before has failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    session.config.stash[_TWICE] = twice = second_tries.note(reporter.stats.get("rerun", ()))
    if twice and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what was left out, and what needs a second try and is still to be mended: why it failed at first."""
    for part, count in config.stash.get(_LEFT, {}).items():
        if count and config.option.markexpr != left_out.EVERYTHING:
            terminalreporter.write_line(
                f"left to `make test-more`: {count} tests of {part}, as nothing that they test has changed",
                yellow=True,
            )
    for test in config.stash.get(_TWICE, ()):
        terminalreporter.write_line(f"FAILED: {test} needed a second try once more", red=True)
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.section(f"failed at the first try: {report.nodeid}", sep="_", yellow=True)
        terminalreporter.write_line(str(report.longreprtext)[-3_000:])


def folder_of(path: Path) -> str:
    """The folder of `tests` that a test is in; empty for one of elsewhere."""
    return path.relative_to(HERE).parts[0] if path != HERE and path.is_relative_to(HERE) else ""


class Scheduler(LoadFileScheduling):
    """A file's tests stay on one worker, and so do those of the folders in `ONE_WORKER`."""

    def _split_scope(self, nodeid: str) -> str:
        file = Path(super()._split_scope(nodeid))
        folder = folder_of(self.config.rootpath / file)
        return folder if folder in ONE_WORKER else str(file)

    def remove_node(self, node: Any) -> str | None:
        """Give the tests of a worker that died to others, but not the one that it died of: they would die, too."""
        workload = self.assigned_work.pop(node)
        crashed = next(
            (test for tests in workload.values() for test, ended in tests.items() if not ended), None
        )
        if crashed is not None:
            workload[self._split_scope(crashed)].pop(crashed)
            self.workqueue.update({scope: tests for scope, tests in workload.items() if tests})
            for other in self.assigned_work:
                self._reschedule(other)
        return crashed


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduler | None:
    """Schedule by file and folder wherever files stay together."""
    return Scheduler(config, log) if config.option.dist == "loadfile" else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Two for each core for `-n auto`: a test that drives a browser computes for less than half of its time."""
    return min(6, (os.cpu_count() or 1) * 2) if config.option.numprocesses == "auto" else None


class _ShownFailures:
    """Names a failure when it happens: a run that is ended from outside has no summary."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print the test and the last line of its error."""
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and reporter is not None:
            reporter.ensure_newline()
            lines = report.longreprtext.strip().splitlines()
            reporter.write_line(
                f"FAILED {report.nodeid} ({report.when}): {lines[-1] if lines else ''}", red=True
            )


def pytest_configure(config: pytest.Config) -> None:
    """Ctrl-C interrupts also where the shell that started the tests in its background had it ignored."""
    left_out.watch(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_ShownFailures(config))
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
