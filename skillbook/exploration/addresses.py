"""Addresses: which of them are one page, which are of one template, and which are never followed."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urldefrag, urlencode, urlsplit, urlunsplit

from skillbook.perception.summary.action_intent import action_intent
from skillbook.policy.labels import danger_of, danger_of_address
from skillbook.policy.request_words import says_change
from skillbook.policy.urls import origin_of

_SESSION = re.compile(r"(?i)^(?:utm_\w+|.*sess(?:ion)?_?id|sid|phpsessid|jsessionid|gclid|fbclid)$")
_FILE = re.compile(r"(?i)\.(?:pdf|zip|t?gz|csv|xlsx?|docx?|png|jpe?g|gif|svg|mp4|mp3|exe|dmg|epub|json|xml)$")
_VARYING = re.compile(r"\d+|[0-9a-fA-F]{8,}")
_PERSONAL = {"login", "logout", "register"}


def canonical(url: str) -> str:
    """The address without fragment, session ids and campaign marks, its parameters in order."""
    parts = urlsplit(urldefrag(url)[0])
    query = sorted(
        pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _SESSION.match(pair[0])
    )
    path = re.sub(r"(?i);jsessionid=[^/?]*", "", parts.path) or "/"
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, urlencode(query), ""))


def template(url: str) -> str:
    """The address with numbers and parameters' values left out: pages of one calendar or facet share it."""
    parts = urlsplit(canonical(url))
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc}{_VARYING.sub('*', parts.path)}{'?' if names else ''}{'&'.join(names)}"


def refusal(url: str, label: str, allowed: set[str]) -> str:
    """Why a link isn't followed; empty where it may be."""
    if origin_of(url) not in allowed:
        return "another origin"
    if _FILE.search(urlsplit(url).path):
        return "a file"
    if action_intent(label) in _PERSONAL or danger_of(label, anywhere=False):
        return "may change something"
    return "may change something" if danger_of_address(url) or says_change(url) else ""
