"""Origins, decided on the URL that the browser committed; and addresses as templates, `{id}` for what names one thing.

Parsers disagree about odd URLs, so what a person or model wants is only screened here for forms that no honest
URL needs; the decision falls on the address that the browser reports afterwards, which is normalised already.
"""

from __future__ import annotations

import re
import unicodedata
from ipaddress import IPv6Address
from operator import itemgetter
from urllib.parse import parse_qsl, unquote, urlsplit

from skillbook.errors import NotAllowed

DEFAULT_PORTS = {"http": 80, "https": 443}
_DEVIATIONS = frozenset("ßẞς\u200c\u200d")
_ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - compared with, never bound
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}
_CONTROL = re.compile(r"[\x00-\x20\x7f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def screen_url(url: str) -> str:
    """Return a URL to go to, or refuse it.

    url: an absolute http or https URL, or about:blank; a bare host gets https in front.
    Raises NotAllowed: another scheme, user info, a backslash, a control or invisible character, or no host.
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
    if why := odd_host(parts.netloc, parts.hostname):
        raise NotAllowed(
            f"{text!r} is refused: {why}",
            hint="write the host as the browser's address bar shows it",
            url=text,
        )
    return text


def odd_host(netloc: str, host: str) -> str | None:
    """Why a host isn't plain, so that parsers may take it for different ones; None where it is plain."""
    if netloc.startswith("["):
        plain_v6 = re.fullmatch(r"\[[0-9A-Fa-f:.]+\](?::[0-9]*)?", netloc)
        return None if plain_v6 else "its IPv6 address has a zone or other characters"
    if "%" in host:
        return "its host is percent-encoded"
    if unicodedata.normalize("NFKC", host) != host or any(
        unicodedata.category(ch) in "CfCcCnCoCs" for ch in host
    ):
        return "its host has characters that stand for others"
    if not host.isascii() and ascii_host(host) is None:
        return "its host has letters that browsers and programs write differently"
    if host.isascii() and not re.fullmatch(r"[a-z0-9_.-]+", host):
        return "its host has characters that no host has"
    if ".." in host or host.startswith("."):
        return "its host has an empty part"
    last = host.rstrip(".").rsplit(".", 1)[-1]
    if re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last):
        plain = re.fullmatch(r"(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}", host)
        if not plain or any(int(part) > 255 for part in host.split(".")):
            return "its host is a number that isn't written as four decimal parts"
    return None


def ascii_host(host: str) -> str | None:
    """An international host in its ASCII form; None where IDNA 2003 and UTS 46 differ, or it has none."""
    if any(char in _DEVIATIONS for char in host):
        return None
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None


def is_web(url: str) -> bool:
    """Whether a committed URL is of a page that may be read: http, https, or an empty page."""
    return origin_of(url) is not None or url.split("#", 1)[0].split("?", 1)[0] in {
        "about:blank",
        "about:srcdoc",
    }


def origin_of(url: str) -> str | None:
    """The origin of a committed URL, such as `https://example.com:8443`; None where it has none of its own.

    Scheme and host in lower case, the host in ASCII, default ports and a trailing dot left out (URL Standard §4.7).
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in DEFAULT_PORTS or not parts.hostname:
        return None
    host = parts.hostname.lower().removesuffix(".")
    if not host.isascii():
        encoded = ascii_host(host)
        if encoded is None:
            return None
        host = encoded
    if not host:
        return None
    if ":" in host:
        try:
            host = f"[{_compressed(IPv6Address(host))}]"
        except ValueError:
            return None
    return f"{scheme}://{host}" if port in (None, DEFAULT_PORTS[scheme]) else f"{scheme}://{host}:{port}"


def _compressed(address: IPv6Address) -> str:
    """As browsers write it, also an IPv4 address in it (URL Standard §3.5)."""
    if address.ipv4_mapped is None:
        return address.compressed
    number = int(address.ipv4_mapped)
    return f"::ffff:{number >> 16:x}:{number & 0xFFFF:x}"


def same_site(first: str, second: str) -> bool:
    """Whether two origins differ only as a site's own redirects make them differ.

    That is http to https on default ports, and a host to or from its `www.` name.
    """
    one, two = urlsplit(first), urlsplit(second)
    if (one.hostname or "").removeprefix("www.") != (two.hostname or "").removeprefix("www."):
        return False
    return one.port == two.port and (one.scheme == two.scheme or two.scheme == "https")


def shares_domain(first: str, second: str) -> bool:
    """Whether two origins are of one owner by their names: one host, or hosts of one domain such as `api.` and `www.`.

    No list of public suffixes is asked: of two labels a domain is one unless they look like `co.uk`. Addresses and
    names without a dot have no domain; there the port counts as well.
    """
    one, two = urlsplit(first), urlsplit(second)
    labels, others = ((parts.hostname or "").split(".") for parts in (one, two))
    if labels == others:
        return (len(labels) > 1 and not _is_address(labels)) or one.port == two.port
    if len(labels) == 1 or len(others) == 1 or _is_address(labels) or _is_address(others):
        return False
    shared = 0
    while shared < min(len(labels), len(others)) and labels[-shared - 1] == others[-shared - 1]:
        shared += 1
    is_suffix = shared == 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return shared > 2 or (shared == 2 and not is_suffix)


def _is_address(labels: list[str]) -> bool:
    return labels[-1].isdigit() or ":" in labels[-1]


def same_server(first: str, second: str) -> bool:
    """Whether two origins reach the same server, loopback's several names counted as one."""
    one, two = urlsplit(first), urlsplit(second)

    def host(name: str | None) -> str:
        text = name or ""
        local = text in {"localhost", "::1", "::", _ANY_ADDRESS} or text.endswith(".localhost")
        return "loopback" if local or text.startswith(("127.", "::ffff:7f")) else text

    def port(parts_port: int | None, scheme: str) -> int | None:
        return parts_port or DEFAULT_PORTS.get(scheme)

    return host(one.hostname) == host(two.hostname) and port(one.port, one.scheme) == port(
        two.port, two.scheme
    )


LONGEST_NAME = 80


def path_template(url: str) -> str:
    """An address's path with `{id}` for what names one thing, and its query parameters by name.

    `/orders/2041/items/7f3c…` and `/orders/2042/items/09ab…` have the same template; versions such as `v2` stay.
    """
    parts = urlsplit(url)
    path = "/".join(template(unquote(segment)) for segment in (parts.path or "/").split("/"))
    names = sorted({key[:LONGEST_NAME] for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return path + (f"?{'&'.join(names)}" if names else "")


def literal_path(address: str, *, keeps_keys: bool) -> str:
    """A path and query as a skill writes them down: ids as they are, and no long or random values.

    keeps_keys: whether random keys in the path stay as they are; sites make these anew for what is only posted to.
    """
    path, _, query = address.partition("?")
    segments = [unquote(segment) for segment in path.split("/")]
    written = [
        segment if keeps_keys or not _is_random(segment) else template(segment) for segment in segments
    ]
    pairs = sorted(parse_qsl(query, keep_blank_values=True), key=itemgetter(0))
    kept_pairs = [f"{key}={value}" if _ID_VALUE.fullmatch(value) else key for key, value in pairs]
    return "/".join(written) + (f"?{'&'.join(kept_pairs)}" if kept_pairs else "")


_ID_VALUE = re.compile(r"\d{1,20}|[A-Za-z_.-]{1,40}")
"""A query's value that says what is meant: a number, or one word."""


def _is_random(segment: str) -> bool:
    """Whether a part of a path is a random key, rather than a word or a number."""
    return bool(_UUID.search(segment)) or any(
        kind.fullmatch(segment) and not segment.isdigit() for kind in (_HASH, _TOKEN, _RANDOM)
    )


_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)
_HASH = re.compile(r"(?=[^\d]*\d)[0-9a-f]{8,}", re.I)
_TOKEN = re.compile(r"(?=[^\d]*\d)[\w-]{16,}")
_RANDOM = re.compile(r"(?=(?:[a-z]*\d+[a-z]+){2}|\d+[a-z]+\d)[a-z\d]{6,}", re.I)
"""Letters and digits in turns, as in `k3Jf9aQz`: where the digits are differs from one id to the next."""


def template(segment: str) -> str:
    """A part of a path with `{id}` for what names one thing."""
    if re.fullmatch(r"v\d{1,2}(\.\d+)?", segment) or not segment:
        return segment
    if "@" in segment or len(segment) > LONGEST_NAME:
        return "{id}"
    stem, dot, ending = segment.rpartition(".")
    if dot and ending.isalpha() and len(ending) <= 5:
        return f"{template(stem)}.{ending}"
    without_uuids = _UUID.sub("{id}", segment)
    if without_uuids != segment:
        return without_uuids
    if any(kind.fullmatch(segment) for kind in (_HASH, _TOKEN, _RANDOM)):
        return "{id}"
    return re.sub(r"\d+(?:[-_.:]\d+)*", "{id}", segment)
