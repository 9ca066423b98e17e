"""What labels, dialogs and addresses say of steps which can't be undone: paying, deleting, sending, publishing.

`label_words` has the words. They are matched as whole words, whatever the case and, in all languages but Vietnamese,
the accents; those of Chinese, Japanese and Korean anywhere in the label.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qsl, urlsplit

from skillbook.policy.label_words import (
    ACCENTED,
    AFTER_ACCENTED,
    AFTER_PARTS,
    AFTER_WORDS,
    BEFORE_ACCENTED,
    BEFORE_PARTS,
    BIN_PARTS,
    BINS,
    CANCELS,
    PAGE_NOUNS,
    PARTS,
    REFUSALS,
    WORDS,
)
from skillbook.policy.page_names import acting_segments
from skillbook.policy.request_words import ROUTE_KEYS

LONGEST = 60
"""Characters; what is longer is prose: its words count where a sentence or a part of one begins with them."""

_LETTERS = str.maketrans(
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "’": "'", "ي": "ی", "ى": "ی", "ك": "ک"}
)


_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"


def fold(text: str) -> str:
    """A label without case, accents, double blanks and what nobody sees, so that `SİL` and `sil` are one word."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in plain if not _is_unseen(char))
    return " ".join(unicodedata.normalize("NFC", bare).translate(_LETTERS).split())


def _is_unseen(char: str) -> bool:
    """Accents, soft hyphens, marks of direction, characters without a width, variation selectors."""
    return unicodedata.category(char) in {"Mn", "Me", "Cf"} or char in _FILLERS


def fold_case(text: str) -> str:
    """The same with its accents, for languages in which words differ by them."""
    bare = "".join(char for char in text if unicodedata.category(char) != "Cf" and char not in _FILLERS)
    return " ".join(unicodedata.normalize("NFC", bare).casefold().split())


@dataclass(frozen=True)
class _Matcher:
    """The words of one kind of step, in all languages."""

    plain: re.Pattern[str]
    accented: re.Pattern[str]

    def search(self, text: str) -> bool:
        return bool(self.plain.search(fold(text)) or self.accented.search(fold_case(text)))

    def match(self, text: str) -> bool:
        return bool(self.plain.match(fold(text)) or self.accented.match(fold_case(text)))

    def fullmatch(self, text: str) -> bool:
        return bool(self.plain.fullmatch(fold(text)) or self.accented.fullmatch(fold_case(text)))


def _listed(table: str, folded: Callable[[str], str] = lambda text: fold(text)) -> list[str]:
    return [word for entry in table.split("|") if (word := folded(entry))]


def _either(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))


@lru_cache
def _matcher(kind: str) -> _Matcher:
    entries = [entry for table in WORDS[kind].values() for entry in _listed(table)]
    noun = rf"(?:{_either(PAGE_NOUNS.split())})\b"
    unless = "".join(f"(?<!{re.escape(fold(part))})" for part in BEFORE_PARTS.split("|"))
    parts = rf"{unless}(?:{_either(_listed(PARTS[kind]))})(?!\s?(?:{_either(_listed(AFTER_PARTS))}))"
    words = "|".join(
        [
            rf"(?<!\w)(?:{_either(entry for entry in entries if entry[-1] != '*' and entry[0] not in '=^~')})(?!\w)",
            *(rf"(?<!\w){re.escape(entry[:-1])}\w*" for entry in entries if entry[-1] == "*"),
            *(rf"\A\W*{re.escape(entry[1:])}\W*\Z" for entry in entries if entry[0] == "="),
            *(rf"\A\W*{re.escape(entry[1:])}(?!\w)(?! {noun})" for entry in entries if entry[0] == "^"),
            *(rf"(?<!\w){re.escape(entry[1:])}(?!\w)(?! {noun})" for entry in entries if entry[0] == "~"),
        ]
    )
    plain = re.compile(rf"(?:{words})(?! (?:{_either(_listed(AFTER_WORDS))})(?!\w))|{parts}")
    return _Matcher(plain, _accented(kind))


def _accented(kind: str) -> re.Pattern[str]:
    entries = [entry for table in ACCENTED[kind].values() for entry in _listed(table, fold_case)]
    unless = "".join(f"(?<!{re.escape(word)} )" for word in BEFORE_ACCENTED.split("|"))
    words = _either(entry for entry in entries if entry[0] != "=")
    whole = "".join(rf"|\A\W*{re.escape(entry[1:])}\W*\Z" for entry in entries if entry[0] == "=")
    return re.compile(rf"{unless}(?<!\w)(?:{words})(?!\w)(?! {AFTER_ACCENTED}){whole}")


_PART = re.compile(r"[.!?:;,|\u2013\u2014\u2022\u3001\u3002()\[\]]+|\s-\s")


def danger_of(label: str, *, anywhere: bool = False) -> str | None:
    """The kind of irreversible step that a label speaks of: pay, delete, send, publish, or None.

    Parameters
    ----------
    label : what it says.
    anywhere : whether the words of a long label count wherever they stand, as on a button.
    """
    if anywhere or len(fold(label)) <= LONGEST:
        return _first(lambda words: words.search(label))
    parts = [part.strip() for part in _PART.split(fold_case(label))]
    return _first(lambda words: any(words.match(part) for part in parts))


def danger_of_value(value: str) -> str | None:
    """The same of an option, or of a word for programs: `delete_selected`, `deleteAll`, `Delete selected users`.

    Options name things as often as steps ("Release date", "Sent"), so all but deleting has to be the whole of it.
    """
    plain = re.sub(r"[_\-./]+", " ", _HUMP.sub(" ", value))
    if _matcher("delete").match(plain):
        return "delete"
    return _first(lambda words: words.fullmatch(plain))


_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _first(speaks: Callable[[_Matcher], bool]) -> str | None:
    return next((kind for kind in WORDS if speaks(_matcher(kind))), None)


_CANCELS = frozenset(_listed(CANCELS)) | frozenset(_listed(CANCELS, fold_case))
_REFUSALS = frozenset(_listed(REFUSALS)) | frozenset(_listed(REFUSALS, fold_case))
_BINS = re.compile(rf"(?<!\w)(?:{_either(_listed(BINS))})(?!\w)|{_either(_listed(BIN_PARTS))}")


def is_refusal(label: str, *, of: str | None = None) -> bool:
    """Whether a button in a dialog leaves things as they are: Cancel, No, Close; `of`: the step that it is about."""
    said = {fold(label), fold_case(label)}
    return bool(said & _REFUSALS) or (of != "cancel" and bool(said & _CANCELS))


def danger_of_drop(label: str) -> str | None:
    """The kind of irreversible step that dropping something on an element stands for, or None."""
    return "delete" if _BINS.search(fold(label)) else danger_of(label)


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
        key = fold(name).strip("_")
        if key in ROUTE_KEYS and (kind := _verb(value.rsplit("/", 1)[-1])):
            return kind
        says_what = key in _WHAT_TO_DO
        if kind := _verb(value if says_what else name) or (_verb_at_start(value) if says_what else None):
            return kind
    return None


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
