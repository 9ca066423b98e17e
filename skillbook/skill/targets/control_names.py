"""Whether two names are of the same control: equal but for case, punctuation and articles, or synonyms.

A name that has a content word more, less or other is another control: "New password" is not "Password".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from skillbook import lexicon
from skillbook.skill.targets.surroundings import plain

Likeness = Literal["same", "synonym", "other"]
_FREELY = (
    *("login", "logout", "search", "password", "username", "full_name", "email", "phone", "street", "city"),
    *("country", "quantity", "cart", "add_to_cart"),
)
"""Meanings of which all words say the same."""
_TRANSLATED = (
    *("save", "delete", "remove", "cancel", "send", "submit", "edit", "close", "pay", "register", "settings"),
    *("help", "next_page", "previous_page", "add", "create", "today"),
)
"""Meanings whose words differ within a language: "close account" is no "delete", but "löschen" is."""


@cache
def _silent() -> frozenset[str]:
    """Words that name nothing; `plain` writes "#" for a count and for how long ago something was."""
    words = [*lexicon.words("article"), *lexicon.words("polite")]
    return frozenset({"#", *map(lexicon.bare, words)})


def words_of(name: str) -> list[str]:
    """The content words of a name, in order."""
    text = lexicon.bare(plain(name))
    return [word for word in re.findall(r"[\w#+-]+", text.replace("-", " ")) if word not in _silent()]


def _joined(name: str) -> str:
    return "".join(words_of(name))


@cache
def _languages() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """Each name without blanks, its meanings, and the languages in which it has them; synonyms are of none."""
    found: dict[str, dict[str, set[str]]] = {}
    for meaning in (*_FREELY, *_TRANSLATED):
        for language in lexicon.languages():
            for word in lexicon.words(meaning, language):
                found.setdefault(_joined(word), {}).setdefault(meaning, set()).add(language)
    for number, same in enumerate(lexicon.synonyms()):
        for word in same:
            found.setdefault(_joined(word), {})[f"pair {number}"] = set()
    return {
        name: {meaning: frozenset(codes) for meaning, codes in meanings.items()}
        for name, meanings in found.items()
    }


def _are_synonyms(one: str, other: str) -> bool:
    """Whether two names without blanks say the same: freely, or in two languages."""
    first, then = _languages().get(one, {}), _languages().get(other, {})
    return any(
        meaning in _FREELY or not first[meaning] & then[meaning] for meaning in first.keys() & then.keys()
    )


def likeness(recorded: str, now: str) -> Likeness:
    """How one control's name relates to another's."""
    first, then = words_of(recorded), words_of(now)
    joined, joined_now = "".join(first), "".join(then)
    if not first or not then:
        return "same" if plain(recorded) == plain(now) else "other"
    if joined == joined_now:
        return "same"
    if _are_synonyms(joined, joined_now):
        return "synonym"
    if len(first) == len(then) and all(
        one == other or _are_synonyms(one, other) for one, other in zip(first, then, strict=True)
    ):
        return "synonym"
    return "other"


def is_generated(name: str, html_name: str | None, html_id: str | None) -> bool:
    """Whether a name is no name of the element: it has none, or only what the markup calls it."""
    return not name or name in {html_name, html_id}


def skeleton(text: str) -> str:
    """A generated name without its numbers: "form-37-stock" and "form-38-stock" have the same."""
    return re.sub(r"\d+", "#", text)
