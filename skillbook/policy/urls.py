"""Origins, decided on the URL that the browser committed.

Parsers disagree about odd URLs, so what a person or model asks for is only screened here for forms that no honest
URL needs; the decision falls on the address that the browser reports afterwards, which is normalised already.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from skillbook.errors import NotAllowed

DEFAULT_PORTS = {"http": 80, "https": 443}
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}
_CONTROL = re.compile(r"[\x00-\x20\x7f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def screen_url(url: str) -> str:
    """Return a URL to go to, or refuse it.

    Parameters
    ----------
    url : an absolute http or https URL, or about:blank; a bare host gets https in front.

    Raises
    ------
    NotAllowed : another scheme, user info, a backslash, a control or invisible character, or no host.
    """
    text = url.strip()
    if text == "about:blank":
        return text
    if _CONTROL.search(text) or "\\" in text:
        raise NotAllowed(
            f"the URL {text!r} has a backslash, blank, control or invisible character",
            hint="percent-encode it",
            url=text,
        )
    if re.match(r"^[\w.-]+(:\d+)?(/|$)", text) and "://" not in text:
        scheme = "http" if text.split(":")[0].split("/")[0] in _LOOPBACK else "https"
        text = f"{scheme}://{text}"
    scheme, separator, _ = text.partition(":")
    if scheme.lower() not in DEFAULT_PORTS or not separator:
        raise NotAllowed(f"{scheme!r} addresses are not opened", hint="give an http or https URL", url=text)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise NotAllowed(f"{text!r} isn't a URL: {error}", hint="check the address", url=text) from None
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise NotAllowed(
            "a URL with user info is refused", hint="leave out what stands before the @", url=parts.hostname
        )
    if not parts.hostname or port == 0:
        raise NotAllowed(
            f"{text!r} has no host", hint="give an address such as https://example.com", url=text
        )
    return text


def origin_of(url: str) -> str | None:
    """The origin of a committed URL, such as `https://example.com:8443`; None where it has none of its own.

    Scheme and host in lower case, default ports left out, a trailing dot of the host dropped (URL Standard §4.7).
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in DEFAULT_PORTS or not parts.hostname:
        return None
    host = parts.hostname.lower().rstrip(".")
    if ":" in host:
        host = f"[{host}]"
    return f"{scheme}://{host}" if port in (None, DEFAULT_PORTS[scheme]) else f"{scheme}://{host}:{port}"


def same_site(first: str, second: str) -> bool:
    """Whether two origins differ only as a site's own redirects make them differ.

    That is http to https on default ports, and a host to or from its `www.` name.
    """
    one, two = urlsplit(first), urlsplit(second)
    if (one.hostname or "").removeprefix("www.") != (two.hostname or "").removeprefix("www."):
        return False
    return one.port == two.port and (one.scheme == two.scheme or two.scheme == "https")


def same_server(first: str, second: str) -> bool:
    """Whether two origins reach the same server, loopback's several names counted as one."""
    one, two = urlsplit(first), urlsplit(second)

    def host(name: str | None) -> str:
        text = name or ""
        return "loopback" if text in {"localhost", "::1"} or text.startswith("127.") else text

    def port(parts_port: int | None, scheme: str) -> int | None:
        return parts_port or DEFAULT_PORTS.get(scheme)

    return host(one.hostname) == host(two.hostname) and port(one.port, one.scheme) == port(
        two.port, two.scheme
    )
