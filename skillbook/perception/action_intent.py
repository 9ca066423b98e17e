"""The intent of an action by its label, and whether somebody is logged in."""

from __future__ import annotations

import re
from typing import Literal

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.protocol.snapshot import State

ACTION_KINDS: dict[str, tuple[str, ...]] = {
    "logout": ("logout",),
    "login": ("login",),
    "register": ("register",),
    "download": ("download",),
    "search": ("search",),
    "checkout": ("checkout", "pay"),
    "add_to_cart": ("add_to_cart",),
    "cart": ("cart",),
    "upload": ("upload",),
    "delete": ("delete", "remove", "discard"),
    "edit": ("edit", "rename"),
    "save": ("save",),
    "apply": ("apply",),
    "send": ("send", "submit", "publish"),
    "next_page": ("next_page",),
    "previous_page": ("previous_page",),
    "filter": ("filter",),
    "reject": ("reject",),
    "close": ("close", "cancel"),
    "accept": ("accept",),
    "confirm": ("confirm",),
    "book": ("book", "book_now"),
    "billing": ("billing", "payment_method"),
    "settings": ("settings",),
    "help": ("help",),
}
"""The kinds of actions, and the lexicon's meanings of each; if a label has several, the first kind counts."""

_KIND_OF = {meaning: kind for kind, meanings in ACTION_KINDS.items() for meaning in meanings}
_RANK = {kind: rank for rank, kind in enumerate(ACTION_KINDS)}
_FILE = re.compile(
    r"(?i)\.(?:pdf|csv|tsv|xlsx?|docx?|pptx?|zip|t?gz|dmg|exe|msi|deb|json|xml|ics|epub)(?:[?#]|\Z)"
)
_SHORT_WORDS, _SHORT_TEXT = 5, 30


def action_intent(label: str, href: str | None = None) -> str | None:
    """What an action does, by its label, or the file that it leads to.

    In a long label only its first and its last words count: it may be a title that talks about something.
    """
    text = clean(label)[:100]
    is_short = len(text) <= _SHORT_TEXT or len(text.split()) <= _SHORT_WORDS
    kinds = [
        _KIND_OF[hit.meaning]
        for hit in lexicon.find(text)
        if hit.meaning in _KIND_OF and not hit.is_part and (is_short or hit.begins or hit.ends)
    ]
    if kinds:
        return min(kinds, key=_RANK.__getitem__)
    return "download" if href and _FILE.search(href) else None


def login_state(snapshot: BaseSnapshot) -> Literal["in", "out", "unknown"]:
    """Whether someone is logged in: by a way to log out, to log in, or a password field."""
    intents = {
        action_intent(clean(node.label))
        for node in snapshot.elements
        if node.role in {"button", "link", "menuitem"} and len(node.label) <= 40
    }
    if "logout" in intents:
        return "in"
    has_password = any(flags & State.SECRET for flags in snapshot.columns.flags)
    return "out" if "login" in intents or has_password else "unknown"
