"""Whether a host can run rows: asked of every worker before the first row, and of later ones at their first."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping, Sequence
from typing import Any

import skillbook
from skillbook.errors import ClusterError, HostUnfit, SkillbookError
from skillbook.policy.secrets import store as secrets
from skillbook.scale.worker_browser import worker_browser


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
