"""Who may speak to the server at all: checked on the HTTP request, before anything of it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from skillbook.bridge.address import PublicAddress

BRIDGE_PATH = "/skillbook/bridge"
PAIR_SOCKET_PATH = "/skillbook/pair-socket"
PAIR_PAGE_PATH = "/skillbook/pair"


class HeadersLike(Protocol):
    """What is used of HTTP headers."""

    def get_all(self, key: str) -> Sequence[str]:
        """Every value of a header."""


@dataclass(frozen=True)
class Refusal:
    """An HTTP status and the sentence that goes with it; `sentence` repeats nothing of the request."""

    status: int
    sentence: str


@dataclass(frozen=True)
class RequestGuard:
    """The rules for one server: its port, the one extension that may connect, and the proxy before it, if any."""

    port: int
    extension_id: str
    public: PublicAddress | None = None

    def check(self, path: str, headers: HeadersLike) -> Refusal | None:
        """None where the request may go on.

        The Host must be a loopback name with our port, or the configured public one, else a page elsewhere has
        rebound its name to us.
        A WebSocket's Origin must be the extension's, which no web page can forge; a program can, so that
        alone lets nobody in. The page is for a tab: nothing may frame, embed or fetch it from elsewhere.
        """
        hosts = {f"127.0.0.1:{self.port}", f"localhost:{self.port}", f"[::1]:{self.port}"}
        if self.public is not None:
            hosts.add(self.public.host)
        if [host.lower() in hosts for host in headers.get_all("Host")] != [True]:
            return Refusal(403, "This server answers only under its loopback address.")
        route = self.route(path)
        if route in (BRIDGE_PATH, PAIR_SOCKET_PATH):
            if list(headers.get_all("Origin")) != [f"chrome-extension://{self.extension_id}"]:
                return Refusal(403, "Only the skillbook extension may connect.")
            return None
        if route == PAIR_PAGE_PATH:
            if headers.get_all("Origin") or set(headers.get_all("Sec-Fetch-Dest")) - {"document"}:
                return Refusal(403, "Open this page in a tab.")
            return None
        return Refusal(404, "Nothing is here.")

    def route(self, path: str) -> str:
        """A request's path without query, and without the proxy's prefix where the proxy left it there."""
        return urlsplit(path).path.removeprefix(self.public.path if self.public is not None else "")


def code_in(path: str) -> str:
    """The pairing code in a page's address; empty where there is none."""
    return parse_qs(urlsplit(path).query).get("code", [""])[0]
