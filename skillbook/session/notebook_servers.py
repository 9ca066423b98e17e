"""The notebook servers of this machine: pages there could run code, so they are out of bounds."""

from __future__ import annotations

import json
import os
import socket
import sys
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from skillbook.policy.urls import DEFAULT_PORTS, origin_of, same_server
from skillbook.storage import readable_home


def runtime_folder() -> Path:
    """Jupyter's runtime folder, as jupyter_core finds it."""
    if folder := os.environ.get("JUPYTER_RUNTIME_DIR"):
        return Path(folder)
    if folder := os.environ.get("JUPYTER_DATA_DIR"):
        return Path(folder) / "runtime"
    if sys.platform == "darwin":
        return readable_home() / "Library" / "Jupyter" / "runtime"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", str(readable_home()))) / "jupyter" / "runtime"
    return Path(os.environ.get("XDG_DATA_HOME", readable_home() / ".local" / "share")) / "jupyter" / "runtime"


class NotebookServers:
    """The servers that are written down in Jupyter's runtime folder now, and the hub that this kernel runs under.

    A server that listens on every address of the machine answers under names and numbers that its file doesn't have. So
    every address of this machine with a notebook server's port counts.

    Parameters
    ----------
    folder : Jupyter's runtime folder; by default the one of this user.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or runtime_folder()
        hubs = (os.environ.get(name, "") for name in ("JUPYTERHUB_PUBLIC_URL", "JUPYTERHUB_PUBLIC_HUB_URL"))
        self._hubs = {origin for url in hubs if (origin := origin_of(url))}
        self._seen: tuple[object, set[str]] = (None, set())

    def __call__(self, origin: str) -> bool:
        """Whether an origin is a notebook server's; the folder is read again when a server came or went."""
        servers = self._origins()
        if any(same_server(origin, server) for server in servers | self._hubs):
            return True
        ports = {_port(server) for server in servers if _is_here(urlsplit(server).hostname or "")}
        return _port(origin) in ports and _is_here(urlsplit(origin).hostname or "")

    def _origins(self) -> set[str]:
        files = sorted(self._folder.glob("jpserver-*.json"))
        stamp = [(file.name, _changed_at(file)) for file in files]
        if stamp != self._seen[0]:
            self._seen = (stamp, {origin for file in files if (origin := _origin_in(file))})
        return self._seen[1]


def _origin_in(file: Path) -> str | None:
    try:
        facts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return origin_of(str(facts.get("url", "")))
    except (OSError, ValueError, AttributeError):
        return None


def _changed_at(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _port(origin: str) -> int | None:
    parts = urlsplit(origin)
    return parts.port or DEFAULT_PORTS.get(parts.scheme)


@lru_cache(maxsize=256)
def _is_here(host: str) -> bool:
    """Whether a host is this machine: an address can be bound to only on the machine that has it."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        addresses = {str(ip_address(host))}
    except ValueError:
        try:
            addresses = {str(found[4][0]) for found in socket.getaddrinfo(host, None)}
        except (OSError, UnicodeError):
            return host in {socket.gethostname().lower(), socket.getfqdn().lower()}
    return any(_can_bind(address) for address in addresses)


def _can_bind(address: str) -> bool:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
