"""The pages that a run came over, in words."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.notebook.escaping import shorten
from skillbook.policy.urls import origin_of

_LEAST_PAGES, _MOST_PAGES, _PATH_LENGTH = 2, 4, 40


def place_of(url: str, home: str) -> str:
    """An address as seen from another one: its path alone where both are of one site."""
    origin = origin_of(home)
    same = origin is not None and origin_of(url) == origin
    return shorten((url.removeprefix(origin) or "/") if same and origin else url, _PATH_LENGTH)


def visited_line(breadcrumbs: Sequence[tuple[str, str]]) -> str:
    """The last pages of a run as one line, oldest first; paths alone where they are of the newest page's site."""
    addresses = [url for url, _ in breadcrumbs]
    if len(addresses) < _LEAST_PAGES:
        return ""
    names = [place_of(url, addresses[-1]) for url in addresses]
    return " › ".join(["…", *names[-_MOST_PAGES:]] if len(names) > _MOST_PAGES else names)
