"""The checks of `skillbook doctor` on each worker of a cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from skillbook.errors import ClusterError, ClusterLost
from skillbook.launcher.doctor import Check, run_checks
from skillbook.scale.preflight import host_name

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
