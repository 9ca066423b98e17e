"""States: what a page is apart from its address, and the controls that may show another state of it.

Source: Browser Copilot technical specification, section 8.4 (the site graph's nodes are page summaries).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator

from skillbook.exploration.addresses import canonical, may_change
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.summary import PageSummary
from skillbook.perception.summary.action_intent import action_intent

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
    said = "\n".join(clean(node.name) for node in summary.snapshot.nodes)
    return hashlib.blake2b(said.encode(), digest_size=12).hexdigest()
