"""What labels, dialogs and addresses say of steps which can't be undone: paying, deleting, sending, publishing.

The words are the lexicon's, so that a meaning decides the same in every language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlsplit

from skillbook import lexicon
from skillbook.policy.page_names import acting_segments
from skillbook.policy.request_words import ROUTE_KEYS

LONGEST = 60
"""Characters; what is longer is prose: its words count where a sentence or a part of one begins with them."""

_MEANINGS = {
    "pay": ("pay", "subscribe", "donate", "book_now"),
    "delete": ("delete", "remove"),
    "send": ("send",),
    "publish": ("publish",),
    "cancel": ("cancel_contract",),
}
"""The kinds of steps that can't be undone, and the lexicon's meanings of each.

"Submit" is none of them in any language: it doesn't say what is sent where. Requests that change something are judged
when they are sent.
"""
_TAKEN_BACK = frozenset({"filter", "range", "cart"})
"""To remove one of these from a page destroys nothing."""

_PART = re.compile(r"[.!?:;,|\u2013\u2014\u2022\u3001\u3002()\[\]]+|\s-\s")


def danger_of(label: str, *, anywhere: bool = False) -> str | None:
    """The kind of irreversible step that a label speaks of: pay, delete, send, publish, or None.

    Parameters
    ----------
    label : what it says.
    anywhere : whether the words of a long label count wherever they stand, as on a button.
    """
    if anywhere or len(lexicon.fold(label)) <= LONGEST:
        return _kind_of(lexicon.find(label))
    parts = (lexicon.find(part.strip()) for part in _PART.split(lexicon.fold(label)))
    return _kind_of(hit for hits in parts for hit in hits if hit.begins)


def danger_of_value(value: str) -> str | None:
    """The same of an option, or of a word for programs: `delete_selected`, `deleteAll`, `Delete selected users`.

    Options name things as often as steps ("Release date", "Sent"), so all but deleting has to be the whole of it.
    """
    hits = lexicon.find(re.sub(r"[_\-./]+", " ", _HUMP.sub(" ", value)))
    deletes = _kind_of(hit for hit in hits if hit.begins and hit.meaning in _MEANINGS["delete"])
    return deletes or _kind_of(hit for hit in hits if hit.is_all)


_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _kind_of(hits: Iterable[lexicon.Hit]) -> str | None:
    said = {hit.meaning for hit in hits}
    if said & _TAKEN_BACK:
        said.discard("remove")
    return next((kind for kind, meanings in _MEANINGS.items() if said.intersection(meanings)), None)


_CROSSES = frozenset("x×✕✖")
_REFUSALS = ("no", "close", "back")


def is_refusal(label: str, *, of: str | None = None) -> bool:
    """Whether a button in a dialog leaves things as they are: Cancel, No, Close; `of`: the step that it is about."""
    meanings = _REFUSALS if of == "cancel" else (*_REFUSALS, "cancel")
    return lexicon.fold(label) in _CROSSES or any(lexicon.is_all(meaning, label) for meaning in meanings)


def danger_of_drop(label: str) -> str | None:
    """The kind of irreversible step that dropping something on an element stands for, or None."""
    return "delete" if lexicon.matches("bin", label) else danger_of(label)


_PATH = {
    "pay": re.compile(
        r"(?:^|[/_.-])(?:checkout|payments?|pay|purchase|place-?order|buy|subscribe|donate)(?:$|[/_.-])"
    ),
    "delete": re.compile(r"(?:^|[/_.-])(?:delete|destroy|remove|purge|deactivate)(?:$|[/_.-])"),
    "send": re.compile(r"(?:^|[/_.-])(?:send|transfer|wire|sendmail)(?:$|[/_.-])"),
    "publish": re.compile(r"(?:^|[/_.-])(?:publish|deploy|release)(?:$|[/_.-])"),
}


def danger_of_path(path: str) -> str | None:
    """The kind of irreversible step that the path of a form's action speaks of, or None."""
    lower = path.lower()
    return next((kind for kind, pattern in _PATH.items() if pattern.search(lower)), None)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VERBS = {
    "delete": _words("delete destroy remove purge deactivate erase wipe"),
    "pay": _words("pay purchase buy"),
    "send": _words("send transfer"),
    "publish": _words("publish deploy"),
    "cancel": _words("cancel unsubscribe logout signout signoff logoff revoke confirm approve"),
}
_ALL_VERBS = frozenset().union(*_VERBS.values())
_ANYWHERE = _VERBS["delete"] | _words("unsubscribe logout signout signoff logoff")
_WHAT_TO_DO = _words("act action cmd command do event method mode op operation task")


def danger_of_address(url: str) -> str | None:
    """The kind of step that going to an address stands for: `/users/3/delete`, `?action=delete`, `/logout`; or None."""
    parts = urlsplit(url)
    for segment in acting_segments(parts, _ALL_VERBS):
        if kind := _verb(segment):
            return kind
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        key = lexicon.bare(name).strip("_")
        if key in ROUTE_KEYS and (kind := _verb(value.rsplit("/", 1)[-1])):
            return kind
        says_what = key in _WHAT_TO_DO
        if kind := _verb(value if says_what else name) or (_verb_at_start(value) if says_what else None):
            return kind
    return None


def danger_of_name(name: str) -> str | None:
    """The kind of step that a program's name for it speaks of: `deleteAll`, `publish`, `removeitem`; or None."""
    return _verb(name) or _verb_at_start(name) or danger_of_value(name)


def _verb_at_start(text: str) -> str | None:
    """The same of a command written in one word: `action=deletecomment`, but not `deleted`."""
    lower = text.lower()
    starts = ((kind, verb) for kind in ("delete", "publish", "cancel") for verb in _VERBS[kind])
    return next((kind for kind, verb in starts if re.match(verb + r"(?!e?d\b|ed|d_)[a-z]", lower)), None)


def _verb(text: str) -> str | None:
    """The kind of step that a part of an address names: as a whole, or by its first or last word."""
    name = re.sub(r"\.\w{2,5}$", "", text)
    parts = [part for part in re.split(r"[_\-. ]+", _HUMP.sub(" ", name).lower()) if part]
    joined = "".join(parts)
    for kind, verbs in _VERBS.items():
        if joined in verbs or (parts and {parts[0], parts[-1], "".join(parts[:2])} & verbs & _ANYWHERE):
            return kind
    return None
