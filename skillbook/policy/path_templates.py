"""Addresses as templates: `{id}` for what names one thing, and query parameters by name."""

from __future__ import annotations

import re
from operator import itemgetter
from urllib.parse import parse_qsl, unquote, urlsplit

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

    Parameters
    ----------
    keeps_keys : whether random keys in the path stay as they are; sites make these anew for what is only posted to.
    """
    path, _, query = address.partition("?")
    segments = [unquote(segment) for segment in path.split("/")]
    written = [
        segment if keeps_keys or not _is_random(segment) else template(segment) for segment in segments
    ]
    pairs = sorted(parse_qsl(query, keep_blank_values=True), key=itemgetter(0))
    said = [f"{key}={value}" if _ID_VALUE.fullmatch(value) else key for key, value in pairs]
    return "/".join(written) + (f"?{'&'.join(said)}" if said else "")


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
