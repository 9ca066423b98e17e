"""Where programs are not wanted: what sites ask in `robots.txt`, and the notebook servers of this machine.

Read as RFC 9309 has it, wildcards and the longest match included: once a day for each origin; a site whose file can't
be had allows everything.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from http.client import HTTPException
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from skillbook.limits import ANSWER_SECONDS, DAY_SECONDS, PERSON_SECONDS
from skillbook.policy.urls import DEFAULT_PORTS, origin_of, same_server, same_site
from skillbook.storage import readable_home

if TYPE_CHECKING:
    from protego import Protego


AGENT = "skillbook"
Fetch = Callable[[str, float], str | None]
"""Gives an origin's robots.txt within some seconds."""
_LARGEST = 500 * 1024


@dataclass(frozen=True)
class _Rules:
    text: str
    parsed: Protego


class Robots:
    """The rules of sites, fetched when they are first needed.

    seconds: how long a site may take to answer.
    clock: seconds, monotonic.
    """

    def __init__(self, seconds: float = ANSWER_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._fetch: Fetch = fetch_text
        self._rules: dict[str, tuple[float, asyncio.Future[_Rules | None]]] = {}

    def fetch_by(self, fetch: Fetch, seconds: float) -> None:
        """Get files by another function, which may take so many seconds: many processes share one that fetches."""
        self._fetch, self._seconds = fetch, seconds

    async def allows(self, url: str) -> bool:
        """Whether the site lets the user agent "skillbook" visit an address."""
        origin = origin_of(url)
        if origin is None or urlsplit(url).path == "/robots.txt":
            return True
        rules = await self._rules_of(origin)
        return rules is None or rules.parsed.can_fetch(url, AGENT)

    async def crawl_delay(self, url: str) -> float:
        """Seconds that the site asks to wait between two pages; 0 where it asks for nothing."""
        origin = origin_of(url)
        rules = await self._rules_of(origin) if origin is not None else None
        return float(rules.parsed.crawl_delay(AGENT) or 0.0) if rules is not None else 0.0

    async def text(self, origin: str) -> str | None:
        """An origin's file; None where it has none, or can't be reached."""
        rules = await self._rules_of(origin)
        return rules.text if rules is not None else None

    async def _rules_of(self, origin: str) -> _Rules | None:
        until, found = self._rules.get(origin, (0.0, None))
        if found is None or self._clock() >= until:
            found = _in_thread(_fetched, self._fetch, origin, self._seconds)
            self._rules[origin] = (self._clock() + DAY_SECONDS, found)
        try:
            rules = await asyncio.wait_for(asyncio.shield(found), self._seconds)
        except TimeoutError:
            rules = None
        if rules is None:
            self._rules[origin] = (min(self._rules[origin][0], self._clock() + PERSON_SECONDS), found)
        return rules


def fetch_text(origin: str, seconds: float) -> str | None:
    """An origin's robots.txt; None where it has none, or can't be reached."""
    request = Request(f"{origin}/robots.txt", headers={"User-Agent": AGENT})  # noqa: S310 - an origin is http(s)
    try:
        with build_opener(_SameSite).open(request, timeout=seconds) as answer:
            text: str = answer.read(_LARGEST).decode("utf-8-sig", "replace")
            return text
    except (OSError, URLError, HTTPException, ValueError):
        return None


def _fetched(fetch: Fetch, origin: str, seconds: float) -> _Rules | None:
    from protego import Protego

    text = fetch(origin, seconds)
    return None if text is None else _Rules(text, Protego.parse(text))


class _SameSite(HTTPRedirectHandler):
    """Sends nobody to another site: the kernel may reach servers that the browser can't."""

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        wanted, got = origin_of(req.full_url), origin_of(newurl)
        if wanted is None or got is None or not same_site(wanted, got):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _in_thread(work: Callable[..., _Rules | None], *given: Any) -> asyncio.Future[_Rules | None]:
    """Do it in a thread that holds nobody up, not even the kernel's exit: looking up a name may take long."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_Rules | None] = loop.create_future()

    def settle(rules: _Rules | None) -> None:
        if not done.done():
            done.set_result(rules)

    def run() -> None:
        rules = work(*given)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, rules)

    Thread(target=run, name="skillbook-robots", daemon=True).start()
    return done


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

    folder: Jupyter's runtime folder; by default the one of this user.
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
