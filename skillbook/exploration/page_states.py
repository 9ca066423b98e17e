"""Addresses: which of them are one page, which are of one template, and which are never followed."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote_plus, urldefrag, urlencode, urlsplit, urlunsplit

from skillbook.goals.goal_words import exactness, likeness
from skillbook.perception.action_intent import action_intent
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.summary import PageSummary
from skillbook.policy.labels import danger_of, danger_of_address, says_change
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


MOST_CONTROLS = 12
"""Controls of one state that are tried."""
_NUMBER = re.compile(r"\d+")
_OPENERS = {"button", "link", "menuitem", "treeitem", "tab", "generic"}
_MENUS = {"menu", "true"}
_OPEN = {"expanded", "selected", "current"}
_TURNS = "next_page"


def fingerprint(summary: PageSummary) -> str:
    """What makes a state the one that it is, beside its address.

    Counts, clocks and other texts that change are not in it. The first and the last item of each collection are: the
    next page of a list is another state.
    """
    snapshot = summary.snapshot
    lists = [
        (one.kind, clean(one.name), list(one.fields), [_first_words(row.node) for row in (one.rows[0], one.rows[-1])])
        for one in find_collections(snapshot)
        if not one.minor and one.rows
    ]  # fmt: skip
    facts = [
        _plain(summary.title),
        sorted(summary.landmarks),
        [(form.purpose, [field.label for field in form.fields]) for form in summary.forms],
        lists,
        [_plain(one.name) for one in snapshot.nodes if one.role == "heading" and (one.level or 9) < 3],
        sorted(clean(node.label) for node in snapshot.elements if node.role in _OPENERS and _OPEN & node.states),
    ]  # fmt: skip
    return hashlib.blake2b(json.dumps(facts).encode(), digest_size=12).hexdigest()


def controls(summary: PageSummary) -> list[Node]:
    """Tabs that aren't selected, what is collapsed, and what turns a list's pages without an address, in order.

    Nothing that submits a form, signs in or out, downloads, or says that it changes something.
    """
    return [node for node in _openers(summary.snapshot) if not _is_refused(node)][:MOST_CONTROLS]


def turns_pages(label: str) -> bool:
    """Whether a control shows the next page of a list, and so may be pressed again."""
    return action_intent(label) == _TURNS


def opens_menu(node: Node) -> bool:
    """Whether a control opens a menu or a part of the navigation, so that links may be behind it."""
    return node.extra.get("haspopup") in _MENUS or node.landmark in {"navigation", "banner"}


def _openers(snapshot: BaseSnapshot) -> Iterator[Node]:
    seen = set()
    for node in snapshot.elements:
        if node.role not in _OPENERS or {"disabled", "selected", "expanded"} & node.states or _leads_on(node):
            continue
        is_opener = (
            node.role == "tab"
            or "collapsed" in node.states
            or node.extra.get("haspopup") in _MENUS
            or (node.role in {"button", "link"} and turns_pages(node.label))
        )
        key = (node.role, clean(node.label), node.landmark)
        if is_opener and key not in seen and clean(node.label):
            seen.add(key)
            yield node


def _leads_on(node: Node) -> bool:
    """Whether it is a link to another address: that is followed by its address."""
    return node.href is not None and canonical(node.href) != canonical(node.snapshot.url)


def _is_refused(node: Node) -> bool:
    in_form = any(up.tag == "form" or up.role in {"form", "search"} for up in node.ancestors)
    return may_change(node.label) or node.type == "submit" or (in_form and node.type != "button")


def _first_words(node: Node) -> str:
    return clean(node.text)[:80]


def _plain(text: str) -> str:
    return _NUMBER.sub("#", clean(text))


def text_digest(summary: PageSummary) -> str:
    """What tells two pages apart that are called the same: all that they say."""
    texts = "\n".join(clean(node.name) for node in summary.snapshot.nodes)
    return hashlib.blake2b(texts.encode(), digest_size=12).hexdigest()


ARROW = " › "
_STEP = 0.05
_MENU, _NO_MENU = 0.03, -0.02


class Press(NamedTuple):
    """A control that is pressed: its role selector, and its label."""

    selector: str
    label: str


@dataclass(frozen=True)
class Move:
    """An address to open, and the controls to press there.

    url, presses: what is done; without presses it is a link.
    label: what the link or the last control says.
    depth: how many moves from the start it leads.
    score: how good it looks, by words.
    promise: how exactly its label is the goal's words, from 0 to 1; 0 where one is missing.
    """

    url: str
    label: str
    source: str
    depth: int
    score: float
    promise: float
    presses: tuple[Press, ...] = ()

    @property
    def key(self) -> str:
        """What names the state that it leads to."""
        return state_key(self.url, self.presses)


def state_key(url: str, presses: Sequence[Press]) -> str:
    """The name of a state: its address, and the labels of what was pressed there."""
    return ARROW.join([url, *(press.label for press in presses)])


def link(url: str, label: str, source: str, depth: int, near: float, words: str) -> Move:
    """The move that a link is; `near` is how near its page is to the goal."""
    alike = likeness(f"{label} {unquote_plus(urlsplit(url).path)}", words)
    return Move(url, label, source, depth, _score(alike, near, depth), exactness(label, words))


def press(
    url: str, presses: tuple[Press, ...], source: str, depth: int, near: float, words: str, *, menu: bool
) -> Move:
    """The move that a control is; `menu` says that links may be behind it."""
    label = presses[-1].label
    score = _score(likeness(label, words), near, depth) + (_MENU if menu else _NO_MENU)
    return Move(url, label, source, depth, round(score, 4), exactness(label, words), presses)


def best_of(moves: Sequence[Move], most: int) -> list[Move]:
    """What is tried next: only those that say just the goal's words, where there are any, else the best few."""
    ranked = sorted(moves, key=lambda one: (-one.promise if one.promise == 1 else 0, -one.score, one.key))
    exact = [one for one in ranked if one.promise == 1]
    return (exact or ranked)[:most]


def _score(alike: float, near: float, depth: int) -> float:
    return round(0.7 * alike + 0.3 * near - _STEP * (depth - 1), 4)
