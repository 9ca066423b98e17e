"""Words in an address which say that following it changes something: `GET /items/5/delete`, `?action=publish`.

The lexicon has them, for the whole product: the extension gets them with `pause_requests`. A word is compared with
whole words of the path and of query parameters, whose hyphens, underscores and camel humps part them, never with parts
of words: `/delete-item` counts, `/deleted` does not. Nouns that name pages (`order`, `checkout`, `payment`) are left
out: looking at a page changes nothing.
"""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import unquote, urlsplit

from skillbook import lexicon
from skillbook.policy.page_names import acting_segments

CHANGE_WORDS = frozenset((*lexicon.words("changes"), *lexicon.words("changes_in_query")))
"""Every word; the extension reports requests whose address has one, and `says_change` decides."""

NEW_TAB_WORDS = frozenset(lexicon.words("changes"))
"""Words that block an address where a page opens a new tab with it, which can't be held in time."""

_SEARCH_TABLE = "q query search s term terms text keyword keywords filter k highlight _nkw search_query wd"
_SEARCH_KEYS = frozenset(_SEARCH_TABLE.split())
ROUTE_KEYS = frozenset({"route", "r", "path", "controller"})
"""Parameters that say which part of a program answers: `?route=account/order/cancel`."""
_MOST_WORDS = 3
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+")
_STATIC = re.compile(
    r"\.(?:js|mjs|css|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|eot|mp4|webm|mp3|wasm)$", re.I
)


def says_change(url: str) -> str | None:
    """The word in an address that says that following it changes something; None where there is none."""
    parts = urlsplit(url)
    if _STATIC.search(parts.path):
        return None
    for segment in acting_segments(parts, NEW_TAB_WORDS):
        if word := _said(segment, NEW_TAB_WORDS):
            return word
    for pair in parts.query.split("&"):
        key, _, value = (unquote(part.replace("+", " ")) for part in pair.partition("="))
        if key.casefold() in _SEARCH_KEYS:
            continue
        if key.casefold() in ROUTE_KEYS and (word := _said(value.rsplit("/", 1)[-1], NEW_TAB_WORDS)):
            return word
        # A long value is prose or data, such as the address to come back to.
        short = len(words_of(value)) <= _MOST_WORDS and "/" not in value
        if word := _said(key, NEW_TAB_WORDS) or (_said(value, CHANGE_WORDS) if short else None):
            return word
    return None


def words_of(text: str) -> list[str]:
    """The words of a piece of an address, in lower case."""
    return _WORD.findall(_HUMP.sub(" ", text).lower())


def _said(text: str, known: frozenset[str]) -> str | None:
    words = words_of(text)
    joined = [first + second for first, second in pairwise(words)]
    return next((word for word in [*words, *joined] if word in known), None)
