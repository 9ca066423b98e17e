"""Ids in a page's address: a skill that opens a record by an input sends to that record, whichever it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote, urlsplit

_ID = re.compile(r"(?=[^\d]*\d)[\w.-]{1,100}")
_PLACE = re.compile(r"\{page\[([^\]]+)\]\}")
_NAME = re.compile(r"(?!\d+$)[\w.-]{1,60}")


def ids_of(address: str) -> dict[str, str]:
    """The ids in an address, by where they stand.

    Returns
    -------
    `4` is the fourth part of the path, `#4` that of a route after `#`, a name the query's parameter. A parameter that
    comes twice says nothing.
    """
    parts = urlsplit(address)
    route = parts.fragment.lstrip("!").partition("?")[0] if parts.fragment.startswith(("/", "!/")) else ""
    found = {
        f"{mark}{place}": unquote(segment)
        for mark, path in (("", parts.path), ("#", route))
        for place, segment in enumerate(path.split("/"))
    }
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    names = [name for name, _ in pairs]
    found |= {name: value for name, value in pairs if _NAME.fullmatch(name) and names.count(name) == 1}
    return {place: value for place, value in found.items() if _ID.fullmatch(value)}


def new_ids(address: str, before: str) -> dict[str, str]:
    """Where each id stands in an address that another address, which came before it, doesn't have."""
    known = set(ids_of(before).values())
    places: dict[str, str] = {}
    for place, value in ids_of(address).items():
        if value not in known:
            places.setdefault(value, place)
    return places


def with_page_ids(path: str, places: Mapping[str, str]) -> str:
    """A request's path and query in which `{page[…]}` stands for each id that the page's address has at that place."""
    where, mark, query = path.partition("?")
    segments = [_place_or(segment, places) for segment in where.split("/")]
    pairs = [pair.partition("=") for pair in query.split("&")]
    said = [name + equals + _place_or(value, places) for name, equals, value in pairs]
    return "/".join(segments) + mark + "&".join(said)


def _place_or(text: str, places: Mapping[str, str]) -> str:
    return f"{{page[{places[text]}]}}" if text in places else text


def fill_page_ids(path: str, address: str) -> str:
    """A path with the ids of the page's address in it; `{page[…]}` stays where the address has none there."""
    ids = ids_of(address)
    return _PLACE.sub(lambda found: ids.get(found[1], found[0]), path)
