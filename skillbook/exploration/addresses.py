"""Addresses: which of them are one page, which are of one template, and which are never followed."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from urllib.parse import parse_qsl, urldefrag, urlencode, urlsplit, urlunsplit

from skillbook.perception.summary.action_intent import action_intent
from skillbook.policy.labels import danger_of, danger_of_address
from skillbook.policy.request_words import says_change
from skillbook.policy.urls import origin_of

_SESSION = re.compile(r"(?i)^(?:utm_\w+|.*sess(?:ion)?_?id|sid|phpsessid|jsessionid|gclid|fbclid)$")
_FILE = re.compile(r"(?i)\.(?:pdf|zip|t?gz|csv|xlsx?|docx?|png|jpe?g|gif|svg|mp4|mp3|exe|dmg|epub|json|xml)$")
_VARYING = re.compile(r"\d+|[0-9a-fA-F]{8,}")
_PERSONAL = {"login", "logout", "register"}
_LOOKS = {
    None,
    "search",
    "cart",
    "next_page",
    "previous_page",
    "filter",
    "edit",
    "billing",
    "settings",
    "help",
}
"""What a control may be about that is pressed to see what it shows."""
_PUTS_IN = re.compile(
    r"(?i)(?:cart|basket|bag|wish-?list|favou?rites?|watch-?list)[/_-](?:add|remove)|add[/_-]to[/_-]"
)
"""Addresses that put something into a cart or list where they are opened, as many shops have them."""
_LONGEST = 16


@lru_cache(maxsize=8192)
def canonical(url: str) -> str:
    """The address without fragment, session ids and campaign marks, its parameters in order."""
    parts = urlsplit(urldefrag(url)[0])
    query = sorted(
        pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _SESSION.match(pair[0])
    )
    path = re.sub(r"(?i);jsessionid=[^/?]*", "", parts.path) or "/"
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, urlencode(query), ""))


@lru_cache(maxsize=8192)
def path_template(url: str) -> str:
    """The address's path with numbers left out: pages of one list in all its filters share it."""
    parts = urlsplit(canonical(url))
    return f"{parts.netloc}{_VARYING.sub('*', parts.path)}"


@lru_cache(maxsize=8192)
def template(url: str) -> str:
    """The address with numbers and parameters' values left out: pages of one calendar or facet share it."""
    parts = urlsplit(canonical(url))
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{_VARYING.sub('*', parts.path)}{'?' if names else ''}{'&'.join(names)}"


def may_change(label: str) -> bool:
    """Whether words say that what they stand on signs in or out, downloads, or changes something."""
    return action_intent(label) not in _LOOKS or bool(danger_of(label, anywhere=False))


def is_loop(url: str) -> bool:
    """Whether a path goes in circles, as one that a relative link makes longer on each page."""
    parts = [part for part in urlsplit(url).path.split("/") if part]
    return len(parts) > _LONGEST or any(count > 2 for count in Counter(parts).values())


def refusal(url: str, label: str, allowed: set[str]) -> str:
    """Why a link isn't followed; empty where it may be."""
    if origin_of(url) not in allowed:
        return "another origin"
    if _FILE.search(urlsplit(url).path):
        return "a file"
    if action_intent(label) in _PERSONAL or danger_of(label, anywhere=False):
        return "may change something"
    if danger_of_address(url) or says_change(url) or _PUTS_IN.search(urlsplit(url).path):
        return "may change something"
    return "an address that goes in circles" if is_loop(url) else ""
