"""The intent of actions and forms, and whether somebody is logged in, by the words on a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.summary.kind_words import CONCEALED_FIELD, KINDS, word_pattern, words_of
from skillbook.protocol.snapshot import State

_FILE = re.compile(
    r"(?i)\.(?:pdf|csv|tsv|xlsx?|docx?|pptx?|zip|t?gz|dmg|exe|msi|deb|json|xml|ics|epub)(?:[?#]|\Z)"
)
_SHORT_WORDS, _SHORT_TEXT = 5, 30
_CARD = "card ?number|card no|cvc|cvv|iban|expiry|expiration|kartennummer|numéro de carte|número de tarjeta"
_MORE_FIELDS = (
    ("upload", r"(?:^|\| )[^|]* ?file\b"),
    (
        "contact",
        "message|subject|comment|nachricht|betreff|sujet|mensaje|asunto|messaggio|mensagem|сообщение",
    ),
    (
        "address",
        "street|zip|postal|postcode|city|straße|plz|ville|code postal|calle|ciudad|indirizzo|cidade|rua",
    ),
    ("schedule", "date|time|check-?in|datum|fecha|data|дата"),
)
FORM_PURPOSES = (
    *(
        "login",
        "register",
        "change_password",
        "payment",
        "search",
        "newsletter",
        "upload",
        "contact",
        "address",
    ),
    *("schedule", "filter", "checkout", "book"),
)
_NEWSLETTER = "subscribe|newsletter|notify|abonnieren|s'abonner|suscribirse|iscriviti|assinar|подписаться"


def action_intent(label: str, href: str | None = None) -> str | None:
    """What an action does, by its label, or the file that it leads to.

    In a long label only its first and its last words count: it may be a title that talks about something.
    """
    said = clean(label)[:100].casefold()
    if said:
        is_short = len(said) <= _SHORT_TEXT or len(said.split()) <= _SHORT_WORDS
        for kind in KINDS:
            for match in _pattern(kind).finditer(said):
                if is_short or match.start() == 0 or match.end() == len(said):
                    return kind
    return "download" if href and _FILE.search(href) else None


def form_purpose(fields: Sequence[str], submit: str, name: str) -> str | None:
    """What a form is for, by its fields' labels and types and what submits it.

    Parameters
    ----------
    fields : each field's label and type.
    submit : the label of what submits it.
    name : the form's name.
    """
    said = " | ".join(fields).casefold()
    doing = clean(f"{submit} {name}").casefold()
    secrets = sum(_password().search(field.casefold()) is not None for field in fields)
    if secrets:
        # Who chooses a password types it twice; who changes one has no other field.
        if secrets > 1 and secrets == len(fields):
            return "change_password"
        return "register" if secrets > 1 or _pattern("register").search(doing) else "login"
    if re.search(_CARD, said):
        return "payment"
    if re.search(r"\bsearch(?:box)?\b", said) or _pattern("search").search(f"{said} {doing}"):
        return "search"
    if re.search(r"e-?mail", said) and re.search(_NEWSLETTER, doing):
        return "newsletter"
    for purpose, words in _MORE_FIELDS:
        if re.search(rf"(?<!\w)(?:{words})", said):
            return purpose
    if re.search(r"\b(?:min|max|category)\b", said) or _pattern("filter").search(f"{said} {doing}"):
        return "filter"
    intent = action_intent(doing)
    return intent if intent in {"login", "register", "checkout", "book"} else None


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return word_pattern(words_of(KINDS[kind]))


@cache
def _password() -> re.Pattern[str]:
    return word_pattern(words_of(CONCEALED_FIELD))


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
