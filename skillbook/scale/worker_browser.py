"""A worker's browser: its checks by `skillbook doctor`, and the state by which a mapped skill is signed in."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from distributed import WorkerPlugin

import skillbook
from skillbook.config import load_settings
from skillbook.errors import ClusterError, ClusterLost, ConfigError, HostUnfit, SkillbookError
from skillbook.launcher.doctor import Check, run_checks
from skillbook.limits import CAUSE_SECONDS
from skillbook.policy.secrets import store as secrets
from skillbook.session.saved_state import SavedState, read_state, state_path
from skillbook.session.state_keeping import part_for
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.replay.permission import skill_addresses

if TYPE_CHECKING:
    from skillbook.session.saved_state import SavedState
    from skillbook.session.sync import Browser


_SIGNS_IN = ("state", "profile", "user_data_dir")


def state_to_hand(
    spec: SkillSpec, rows: Sequence[Mapping[str, Any]], launch: Mapping[str, Any]
) -> SavedState | None:
    """The part of a skill's state that its rows need; None for a skill without one.

    launch: options of `sb.launch` for the workers.
    Raises ConfigError: there is no such state, it is for other origins than a row's, or `launch` signs in otherwise.
    """
    if not spec.state:
        return None
    if given := [name for name in _SIGNS_IN if launch.get(name) is not None]:
        raise ConfigError(
            f"the skill is signed in by the state {spec.state!r}, and `launch` has {given[0]!r}",
            hint=f"leave {given[0]!r} out",
        )
    state = read_state(state_path(spec.state, load_settings().home))
    origins: dict[str, None] = {}
    for place, row in enumerate(rows):
        try:
            part = part_for(state, spec.state, skill_addresses(spec, bind_inputs(spec, row), ""))
        except SkillbookError as error:
            error.message = f"row {place}: {error.message}"
            raise
        origins |= dict.fromkeys(part.origins)
    return state.only(origins)


_browsers: list[Browser] = []
_users: dict[str, SavedState | None] = {}
_from_launch: set[str] = set()
_rows = 0
_started = 0.0


def use_worker_browser(user: str, state: SavedState | None = None) -> None:
    """Note that a map uses the process's browser, and by which state its skill is signed in."""
    _users[user] = state


def worker_state(user: str) -> SavedState | None:
    """The state by which a map's skill is signed in. A browser that another state signed in is ended."""
    state = _users.get(user)
    mine = _from_launch | ({state.source} if state is not None else set())
    if _browsers and not set(_browsers[-1].driver.signed_in.values()) <= mine:
        _close()
    return state


def leave_worker_browser(user: str) -> None:
    """A map has ended: end the browser, unless another map uses it."""
    _users.pop(user, None)
    if not _users:
        _close()


def recycle_worker_browser(rows: int, seconds: float) -> None:
    """Count a row; end the browser if it had so many, or is so old, so that the next row gets a fresh one."""
    global _rows
    if _rows >= rows or (_browsers and time.monotonic() - _started > seconds):
        _close()
    _rows += 1


def worker_browser(options: Mapping[str, Any]) -> Browser:
    """The process's browser; it is started if there is none, or if the last one ended.

    options: of `sb.launch`.
    Raises LaunchError: it can't be started.
    """
    import skillbook as sb

    global _rows, _started
    process = _browsers[-1].driver.process if _browsers else None
    if process is not None and not process.alive:
        _browsers.pop().close()
    if not _browsers:
        _rows, _started = 0, time.monotonic()
        _browsers.append(sb.launch(**options))
        _from_launch.clear()
        _from_launch.update(_browsers[-1].driver.signed_in.values())
    return _browsers[-1]


def _close() -> None:
    while _browsers:
        _browsers.pop().close()


RESOURCE = {"browser": 1}


class BrowserPlugin(WorkerPlugin):
    """Declares each worker's browser, also of workers that join later.

    user: the map that uses the browsers.
    state: each worker's copy of the state by which the skill is signed in.
    """

    def __init__(self, user: str, state: SavedState | None = None) -> None:
        self._user, self._state = user, state

    async def setup(self, worker: Any) -> None:
        """Declare the browser; the first row, or the check before it, starts it."""
        use_worker_browser(self._user, self._state)
        await worker.set_resources(**RESOURCE)

    async def teardown(self, worker: Any) -> None:
        """End the browser, unless another map uses it."""
        await asyncio.to_thread(leave_worker_browser, self._user)


async def _check_here(launch: bool) -> tuple[str, list[Check]]:
    """The host's name and its checks. A browser's start takes too long for Dask's own loop."""
    return host_name(), await asyncio.to_thread(lambda: list(run_checks(launch=launch)))


def check_hosts(address: str, *, launch: bool = True) -> Iterator[tuple[str, Check]]:
    """Check every worker of the cluster that a scheduler has.

    address: the scheduler's, such as `tcp://10.0.0.1:8786`.
    launch: also start a browser on each.
    Raises ClusterError: there is no worker. ClusterLost : nobody answers there.
    """
    from distributed import Client

    try:
        client = Client(address, timeout=CAUSE_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterLost(f"no scheduler answers at {address}: {error}", hint="check the address") from None
    with client:
        reports = client.run(_check_here, launch, on_error="return")
    if not reports:
        raise ClusterError("the cluster has no worker", hint="start workers, then check again")
    for worker, report in sorted(reports.items()):
        if isinstance(report, BaseException):
            words = f"{type(report).__name__}: {report}"
            yield worker, Check("worker", False, words, "install the same skillbook there as here")
            continue
        host, checks = report
        for check in checks:
            yield f"{worker} on {host}", check


def host_name() -> str:
    """The name of this machine."""
    return socket.gethostname()


def require_fit(version: str, names: Sequence[str], launch: Mapping[str, Any]) -> None:
    """See that this process has the client's version, the skill's secrets and a browser.

    launch: options of `sb.launch`.
    Raises HostUnfit: with the host's name, if something is missing.
    """
    host = host_name()
    if skillbook.__version__ != version:
        raise HostUnfit(f"{host} has skillbook {skillbook.__version__}, and you have {version}", host=host)
    if missing := [name for name in names if not secrets.has(name)]:
        listed = ", ".join(f"{name} (variable {secrets.variable(name)})" for name in missing)
        raise HostUnfit(f"{host} has no value for the secret {listed}", host=host)
    try:
        worker_browser(launch)
    except SkillbookError as error:
        raise HostUnfit(
            f"{host} can't start a browser: {error.message}", hint=error.hint, host=host
        ) from error
    except OSError as error:
        raise HostUnfit(f"{host} can't start a browser: {error}", host=host) from error


async def _report(version: str, names: Sequence[str], launch: Mapping[str, Any]) -> str:
    """What keeps a worker from running rows; empty if nothing does. A start takes too long for Dask's own loop."""
    try:
        await asyncio.to_thread(require_fit, version, names, launch)
    except HostUnfit as error:
        return error.message
    return ""


def check_workers(client: Any, version: str, names: Sequence[str], launch: Mapping[str, Any]) -> None:
    """Refuse a cluster in which a worker can't run rows.

    Raises HostUnfit: with every host that can't, and why. ClusterError : there is no worker.
    """
    reports = client.run(_report, version, names, launch, on_error="return")
    if not reports:
        raise ClusterError("the cluster has no worker", hint="start workers, then map again")
    unfit = {
        worker: report if isinstance(report, str) else f"{worker}: {type(report).__name__}: {report}"
        for worker, report in reports.items()
        if report
    }
    if unfit:
        raise HostUnfit("; ".join(dict.fromkeys(unfit.values())), workers=list(unfit))
