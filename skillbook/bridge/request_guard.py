"""Where browsers reach a kernel that isn't on their computer: a proxy's address, or a tunnel's end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from skillbook.errors import ConfigError

_LOOPBACK = {"127.0.0.1", "localhost", "[::1]"}
_HOST = re.compile(r"([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:\d{1,5})?")
_PATH = re.compile(r"(/[A-Za-z0-9._~@%+-]+)*/?")
_QUERY = re.compile(r"[A-Za-z0-9._~%=&+-]*")
_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True)
class PublicAddress:
    """A base URL, taken apart.

    scheme: "https", or "http" on loopback.
    host: what a browser sends as Host: lower case, without the scheme's own port.
    path: the prefix that the proxy adds; empty, or it begins with a slash and ends without.
    query: what the proxy wants to see besides, such as "token=…": secret, so it is in no link and no message.
    """

    scheme: str
    host: str
    path: str
    query: str = field(default="", repr=False)

    @classmethod
    def parse(cls, url: str, port: int) -> PublicAddress:
        """Read a setting; `{port}` in it stands for the kernel's port.

        Raises ConfigError: it is no such URL, or it would carry the pairing unencrypted over a network.
        """
        parts = urlsplit(url.strip().replace("{port}", str(port)))
        host = parts.netloc.lower()
        if parts.scheme not in _PORTS or not _HOST.fullmatch(host) or not _PATH.fullmatch(parts.path):
            raise _refused("isn't an http or https URL of host and path alone")
        if parts.fragment or not _QUERY.fullmatch(parts.query):
            raise _refused("has a fragment, or a query that isn't of plain NAME=VALUE")
        host = host.removesuffix(_PORTS[parts.scheme])
        address = cls(parts.scheme, host, parts.path.rstrip("/"), parts.query)
        if address.scheme == "http" and address._name not in _LOOPBACK:
            raise _refused("is http on another computer, where everybody on the way could read along")
        return address

    def __str__(self) -> str:
        return self.origin + self.path

    @property
    def origin(self) -> str:
        """Scheme and host."""
        return f"{self.scheme}://{self.host}"

    @property
    def local(self) -> bool:
        """Whether it looks like a kernel of the browser's own computer, such as a tunnel's end."""
        return self.scheme == "http" and not self.path

    @property
    def _name(self) -> str:
        return re.sub(r":\d+$", "", self.host)


def _refused(why: str) -> ConfigError:
    return ConfigError(
        f"the public URL {why}",
        hint="give the address that leads to the kernel's port, such as https://hub.example/user/me/proxy/{port}/",
        setting="SKILLBOOK_PUBLIC_URL",
    )


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
