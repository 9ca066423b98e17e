"""What labels, dialogs and addresses say of steps which can't be undone: paying, deleting, sending, publishing.

A word such as `delete` in an address mostly asks for a step: `/items/5/delete`, `/delete.php?id=5`. In documentation,
encyclopedias, news and code it is a part of a name. What no step has distinguishes these: many words, a dotted name
of a document, a place for documentation, no item and no parameters that it could be about.

The lexicon has them, for the whole product: the extension gets them with `pause_requests`. A word is compared with
whole words of the path and of query parameters, whose hyphens, underscores and camel humps part them, never with parts
of words: `/delete-item` counts, `/deleted` does not. Nouns that name pages (`order`, `checkout`, `payment`) are left
out: looking at a page changes nothing.

The words are the lexicon's, so that a meaning decides the same in every language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from itertools import pairwise
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from skillbook import lexicon


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DOCUMENTS = re.compile(r"\.(?:html?|xhtml|md|rst|txt|pdf|epub|ipynb|djvu|ps)$", re.I)
_FILES = re.compile(r"\.(?:md|rst|txt|pdf|epub|ipynb|djvu|ps)$", re.I)
"""Documents that no server program answers for."""
_PROGRAMS = re.compile(r"\.\w{2,5}$")
_DOC_HOSTS = re.compile(r"(?:^|\.)(?:docs?|developers?|learn|man|manual|guides)\.[\w.-]+$|\.readthedocs\.io$")
_DOC_PLACES = _names(
    "doc docs documentation reference ref refman manual manpages man-pages handbook tutorial tutorials"
)
_DOC_EDITIONS = re.compile(
    r"latest|stable|current|main|master|reference|api|v?\d+(?:\.(?:\d+|x))+|[a-z]{2}(?:-[a-z]{2})?"
)
_CODE_PLACES = _names("blob tree raw blame commits")
_PACKAGE_PLACES = _names("package packages crate crates gem gems formula")
_TECHNICAL = _names(
    "lang sql git fn func function method met cmd ref prop kubectl docker class module js css php"
)
_HARMLESS_KEYS = re.compile(
    r"utm_\w+|ref_?|fbclid|gclid|hl|lang|language|locale|highlight|v|version|view|q|query|search|sort|page|tab"
)
_ITEM = re.compile(r"\d+|[0-9a-f]{8,}|(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w-]{10,}|[0-9a-f-]{32,}", re.I)
_PROSE, _LONG_PROSE = 4, 5
"""Words of a headline: where the step's word comes late, and where it is among the first two."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def acting_segments(parts: SplitResult, verbs: Container[str]) -> Iterator[str]:
    """The segments of an address's path that don't name a page.

    verbs: words that ask for a step.
    """
    segments = [segment for segment in _decoded(parts.path).split("/") if segment]
    keys = [key for key, _ in parse_qsl(parts.query, keep_blank_values=True)]
    has_parameters = any(not _HARMLESS_KEYS.fullmatch(key.casefold()) for key in keys)
    for at, segment in enumerate(segments):
        if has_parameters or not _names_a_page(parts.hostname or "", segments, at, verbs):
            yield segment


def _names_a_page(host: str, segments: list[str], at: int, verbs: Container[str]) -> bool:
    before, segment = segments[:at], segments[at]
    after_item = bool(before) and _is_item(before[-1])
    before_item = at + 1 < len(segments) and _is_item(segments[at + 1])
    if _CODE_PLACES & set(before[2:]) and not after_item:
        return True
    if before[-1:] == ["wiki"]:
        return segment[0].isupper() and not segment.startswith("Special:")
    name = _PROGRAMS.sub("", segment)
    if not before_item and _is_prose(name, verbs, after_item=after_item):
        return True
    if any(_is_item(one) and not one.isdigit() for one in before):
        return False
    words = _parts_of(name)
    if len(words) > 1 and words[0] in _TECHNICAL:
        return True
    in_docs = bool(_DOC_HOSTS.search(host)) or any(one.casefold() in _DOC_PLACES for one in before)
    if in_docs and _DOCUMENTS.search(segment) and len(words) > 1:
        return True
    if after_item:
        return False
    if _FILES.search(segment) or (_DOCUMENTS.search(segment) and (in_docs or "." in name)):
        return True
    is_last = at == len(segments) - 1
    if is_last and before and before[-1].casefold() in _PACKAGE_PLACES:
        return True
    return in_docs and _is_documented(host, before, segment, words, verbs)


def _is_documented(
    host: str, before: list[str], segment: str, words: list[str], verbs: Container[str]
) -> bool:
    """Whether a segment in a place for documentation is an entry there: `/docs/latest/commands/restart`."""
    if segment.startswith("_"):
        return False
    has_edition = any(_DOC_EDITIONS.fullmatch(one.casefold()) for one in before)
    if _DOC_HOSTS.search(host) or has_edition:
        return True
    return len(words) > 1 and words[0] not in verbs


def _is_prose(segment: str, verbs: Container[str], *, after_item: bool) -> bool:
    """Whether a segment is a headline: `how-to-cancel-a-subscription`, not `permanently-delete-my-account`."""
    words = [word for word in re.split(r"[-_+ ]+", segment.lower()) if word.isalpha()]
    if any(word in verbs for word in words[:2]):
        return len(words) >= _LONG_PROSE and not after_item
    return len(words) >= _PROSE


def _is_item(segment: str) -> bool:
    """Whether a segment looks like the number or key of one item."""
    return _ITEM.fullmatch(segment) is not None


def _parts_of(text: str) -> list[str]:
    return [word for word in re.split(r"[_\-. ]+", _HUMP.sub(" ", text).lower()) if word]


CHANGE_WORDS = frozenset((*lexicon.words("changes"), *lexicon.words("changes_in_query")))
"""Every word; the extension reports requests whose address has one, and `says_change` decides."""

NEW_TAB_WORDS = frozenset(lexicon.words("changes"))
"""Words that block an address where a page opens a new tab with it, which can't be held in time."""

_SEARCH_TABLE = "q query search s term terms text keyword keywords filter k highlight _nkw search_query wd"
_SEARCH_KEYS = frozenset(_SEARCH_TABLE.split())
ROUTE_KEYS = frozenset({"route", "r", "path", "controller"})
"""Parameters that say which part of a program answers: `?route=account/order/cancel`."""
_MOST_WORDS = 3
_WORD = re.compile(r"[a-z]+")
_JSON_PAIR = re.compile(r'"(\w+)"\s*:\s*"([^"]*)"')
WHAT_TO_DO = _names("act action cmd command do event method mode op operation task")
"""Parameters that say what is to be done."""
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
        key, _, value = (_decoded(part.replace("+", " ")) for part in pair.partition("="))
        if word := _said_by(key, value):
            return word
    return None


def _said_by(key: str, value: str) -> str | None:
    """The word in a parameter of an address, or in the JSON that its value is."""
    if value[:1] in {"{", "["}:
        return next((word for pair in _JSON_PAIR.findall(value) if (word := _said_by(*pair))), None)
    if key.casefold() in _SEARCH_KEYS:
        return None
    if key.casefold() in ROUTE_KEYS and (word := _said(value.rsplit("/", 1)[-1], NEW_TAB_WORDS)):
        return word
    # A long value is prose or data, such as the address to come back to; unless it says what is to be done.
    counts = (len(words_of(value)) <= _MOST_WORDS and "/" not in value) or key.casefold() in WHAT_TO_DO
    return _said(key, NEW_TAB_WORDS) or (_said(value, CHANGE_WORDS) if counts else None)


def _decoded(text: str) -> str:
    """A piece of an address that is encoded no more, in the letters that servers take its own for."""
    while (once := unquote(text)) != text:
        text = once
    return unicodedata.normalize("NFKC", text)


def words_of(text: str) -> list[str]:
    """The words of a piece of an address, in lower case."""
    return _WORD.findall(_HUMP.sub(" ", text).lower())


def _said(text: str, known: frozenset[str]) -> str | None:
    for words in (words_of(text), words_of(text.lower())):
        joined = [first + second for first, second in pairwise(words)]
        if found := next((word for word in [*words, *joined] if word in known), None):
            return found
    return None if text.isascii() else danger_of_value(text)


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

_SPELLED = re.compile(r"(?<!\w)\w(?:\W\w(?!\w)){2,}")
"""A word that is written letter by letter: "D e l e t e"."""
_PART = re.compile(r"[.!?:;,|\u2013\u2014\u2022\u3001\u3002()\[\]]+|\s-\s")


def danger_of(label: str, *, anywhere: bool = False) -> str | None:
    """The kind of irreversible step that a label speaks of: pay, delete, send, publish, or None.

    anywhere: whether the words of a long label count wherever they stand, as on a button.
    """
    label = _SPELLED.sub(lambda found: re.sub(r"\W", "", found[0]), label)
    if anywhere and " " not in label and (kind := danger_of_value(label)):
        return kind
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


def _kind_of(hits: Iterable[lexicon.Hit]) -> str | None:
    found = {hit.meaning for hit in hits}
    if found & _TAKEN_BACK:
        found.discard("remove")
    return next((kind for kind, meanings in _MEANINGS.items() if found.intersection(meanings)), None)


_CROSSES = frozenset("x×✕✖")
_REFUSALS = ("no", "not_now", "close", "back")


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


_VERBS = {
    "delete": _names("delete destroy remove purge deactivate erase wipe"),
    "pay": _names("pay purchase buy"),
    "send": _names("send transfer"),
    "publish": _names("publish deploy"),
    "cancel": _names("cancel unsubscribe logout signout signoff logoff revoke confirm approve"),
}
_ALL_VERBS = frozenset().union(*_VERBS.values())
_ANYWHERE = _VERBS["delete"] | _names("unsubscribe logout signout signoff logoff")


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
        says_what = key in WHAT_TO_DO
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
    parts = _parts_of(_PROGRAMS.sub("", text))
    joined = "".join(parts)
    for kind, verbs in _VERBS.items():
        if joined in verbs or (parts and {parts[0], parts[-1], "".join(parts[:2])} & verbs & _ANYWHERE):
            return kind
    return None
