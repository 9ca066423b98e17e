"""The checks of `skillbook doctor` on each worker of a cluster."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import skillbook
from skillbook.errors import ClusterError, ClusterLost, HostUnfit, SkillbookError
from skillbook.launcher.doctor import Check, run_checks
from skillbook.policy.secrets import store as secrets
from skillbook.scale.worker_browser import worker_browser

_SECONDS = 10


async def _check_here(launch: bool) -> tuple[str, list[Check]]:
    """The host's name and its checks. A browser's start takes too long for Dask's own loop."""
    return host_name(), await asyncio.to_thread(lambda: list(run_checks(launch=launch)))


def check_hosts(address: str, *, launch: bool = True) -> Iterator[tuple[str, Check]]:
    """Check every worker of the cluster that a scheduler has.

    Parameters
    ----------
    address : the scheduler's, such as `tcp://10.0.0.1:8786`.
    launch : also start a browser on each.

    Yields
    ------
    A worker with its host's name, and a check of it.

    Raises
    ------
    ClusterError : Dask isn't installed, or there is no worker. ClusterLost : nobody answers there.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError("Dask isn't installed", hint='pip install "skillbook[scale]"') from None
    try:
        client = Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterLost(f"no scheduler answers at {address}: {error}", hint="check the address") from None
    with client:
        reports = client.run(_check_here, launch, on_error="return")
    if not reports:
        raise ClusterError("the cluster has no worker", hint="start workers, then check again")
    for worker, said in sorted(reports.items()):
        if isinstance(said, BaseException):
            words = f"{type(said).__name__}: {said}"
            yield worker, Check("worker", False, words, "install the same skillbook there as here")
            continue
        host, checks = said
        for check in checks:
            yield f"{worker} on {host}", check


def host_name() -> str:
    """The name of this machine."""
    return socket.gethostname()


def require_fit(version: str, names: Sequence[str], launch: Mapping[str, Any]) -> None:
    """See that this process has the client's version, the skill's secrets and a browser.

    Parameters
    ----------
    version : of skillbook, at the client.
    names : of the secrets that the skill types.
    launch : options of `sb.launch`.

    Raises
    ------
    HostUnfit : with the host's name, if something is missing.
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

    Raises
    ------
    HostUnfit : with every host that can't, and why. ClusterError : there is no worker.
    """
    reports = client.run(_report, version, names, launch, on_error="return")
    if not reports:
        raise ClusterError("the cluster has no worker", hint="start workers, then map again")
    unfit = {
        worker: said if isinstance(said, str) else f"{worker}: {type(said).__name__}: {said}"
        for worker, said in reports.items()
        if said
    }
    if unfit:
        raise HostUnfit("; ".join(dict.fromkeys(unfit.values())), workers=list(unfit))
