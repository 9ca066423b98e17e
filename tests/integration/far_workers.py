"""A Dask cluster as on several machines: a scheduler and workers in network namespaces, each with a home of its own.

If namespaces can't be made (another system, no rights), they are separate processes on loopback with separate folders.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import psutil

_count = itertools.count()
_REPOSITORY = Path(__file__).resolve().parents[2]
_SETTLE = 'hostname "$1"; mkdir -p "$2"; mount -t tmpfs none "$2"; shift 2; exec "$@"'
"""Gives a process a host name, and an empty folder in place of the client's."""


@dataclass
class FarCluster:
    """A running cluster.

    Parameters
    ----------
    address : the scheduler's.
    ip : an address of this process that all workers reach.
    isolated : whether they are in namespaces.
    """

    address: str
    ip: str
    isolated: bool
    folder: Path
    number: int
    scheduler: subprocess.Popen[bytes]
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start_worker(self, name: str, **environment: str) -> None:
        """Start a worker on a host of that name."""
        host = f"{self.ip.rpartition('.')[0]}.{len(self.workers) + 2}" if self.isolated else self.ip
        if self.isolated:
            _link(f"sb{self.number}{name}", f"sb{self.number}hub", f"{host}/24")
        program = [
            "distributed.cli.dask_worker",
            self.address,
            "--name",
            name,
            "--nthreads",
            "1",
            "--no-nanny",
        ]
        more = ["--no-dashboard", "--host", host, "--local-directory", str(self.folder / name / "dask")]
        self.workers[name] = _start(self, name, [*program, *more], environment)

    def start_missing(self, count: int) -> None:
        """Start workers until so many run."""
        for _ in range(count - sum(worker.poll() is None for worker in self.workers.values())):
            self.start_worker(f"host{len(self.workers)}")

    def worker_of(self, peer: tuple[str, int]) -> subprocess.Popen[bytes]:
        """The worker whose browser has a connection to us from that address."""
        if self.isolated:
            return list(self.workers.values())[int(peer[0].rpartition(".")[2]) - 2]
        found = next(one.pid for one in psutil.net_connections("tcp") if one.laddr == peer and one.pid)
        family = {found, *(parent.pid for parent in psutil.Process(found).parents())}
        return next(worker for worker in self.workers.values() if worker.pid in family)

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """End a worker as a power failure does."""
        worker.kill()
        worker.wait()


@lru_cache
def why_not_isolated() -> str:
    """Why network namespaces can't be made here; empty if they can."""
    if sys.platform != "linux" or not shutil.which("ip") or not shutil.which("unshare"):
        return "network namespaces need Linux, ip and unshare"
    name = f"sbtry{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode:
        return made.stderr.strip() or "ip netns add failed"
    linked = subprocess.run(
        ["ip", "-n", name, "link", "add", "br0", "type", "bridge"],
        capture_output=True,
        text=True,
        check=False,
    )
    subprocess.run(["ip", "netns", "del", name], check=False)
    return linked.stderr.strip() if linked.returncode else ""


@contextmanager
def far_cluster(folder: Path) -> Iterator[FarCluster]:
    """A scheduler, to which workers are added; all ended at the end, with their namespaces."""
    number, isolated = (os.getpid() * 7 + next(_count)) % 100_000, not why_not_isolated()
    with ExitStack() as stack:
        ip = "127.0.0.1"
        if isolated:
            stack.callback(_remove_namespaces, number)
            ip = _make_hub(number)
        host, port = (f"{ip.rpartition('.')[0]}.1", 8786) if isolated else (ip, _free_port())
        cluster = FarCluster(f"tcp://{host}:{port}", ip, isolated, folder, number, None)  # type: ignore[arg-type]
        program = ["distributed.cli.dask_scheduler", "--host", host, "--port", str(port), "--no-dashboard"]
        cluster.scheduler = _start(cluster, "hub", program, {})
        stack.callback(lambda: _end([cluster.scheduler, *cluster.workers.values()]))
        yield cluster


def _start(
    cluster: FarCluster, name: str, program: list[str], environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    home = cluster.folder / name
    (home / "tmp").mkdir(parents=True)
    wrap: list[str] = []
    if cluster.isolated:
        hidden = str(cluster.folder / "client")
        wrap = [
            "ip",
            "netns",
            "exec",
            f"sb{cluster.number}{name}",
            "unshare",
            "--uts",
            "sh",
            "-c",
            _SETTLE,
            "sh",
        ]
        wrap += [name, hidden]
    own = {"HOME": str(home), "SKILLBOOK_HOME": str(home / "skillbook"), "TMPDIR": str(home / "tmp")}
    with (home / "log.txt").open("wb") as log:
        return subprocess.Popen(
            [*wrap, sys.executable, "-m", *program], cwd=home, stdout=log, stderr=log,
            env={**os.environ, "PYTHONPATH": str(_REPOSITORY), **own, **environment},
        )  # fmt: skip


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + 10
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _make_hub(number: int) -> str:
    """The namespace of the scheduler, with a bridge to which the others are linked; returns our address there."""
    hub, net = f"sb{number}hub", f"10.213.{number % 250}"
    _ip("netns", "add", hub)
    _ip("-n", hub, "link", "set", "lo", "up")
    _ip("-n", hub, "link", "add", "br0", "type", "bridge")
    _ip("-n", hub, "addr", "add", f"{net}.1/24", "dev", "br0")
    _ip("-n", hub, "link", "set", "br0", "up")
    _ip("link", "add", f"sb{number}", "type", "veth", "peer", "name", "test", "netns", hub)
    _ip("-n", hub, "link", "set", "test", "master", "br0", "up")
    _ip("addr", "add", f"{net}.254/24", "dev", f"sb{number}")
    _ip("link", "set", f"sb{number}", "up")
    return f"{net}.254"


def _link(name: str, hub: str, address: str) -> None:
    _ip("netns", "add", name)
    _ip("-n", name, "link", "set", "lo", "up")
    _ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", name[-10:], "netns", hub)
    _ip("-n", hub, "link", "set", name[-10:], "master", "br0", "up")
    _ip("-n", name, "addr", "add", address, "dev", "eth0")
    _ip("-n", name, "link", "set", "eth0", "up")


def _remove_namespaces(number: int) -> None:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    for name in (line.split()[0] for line in listed.splitlines() if re.match(rf"sb{number}\D", line)):
        subprocess.run(["ip", "netns", "del", name], check=False)
    subprocess.run(["ip", "link", "del", f"sb{number}"], check=False, capture_output=True)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
