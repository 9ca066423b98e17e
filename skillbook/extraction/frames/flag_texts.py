"""Texts that say whether something holds: "yes" and "no" in any language, "true" and "false", signs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from skillbook import lexicon

_TRUE_SIGNS = frozenset({"1", "y", "on", "✓", "✔", "☑", "✅"})
_FALSE_SIGNS = frozenset({"0", "n", "off", "✗", "✘", "☐", "❌"})
_PAIRS = (("yes", "no"), ("says_true", "says_false"))
"""Meanings of words, of which a column has both or none."""


def flag_of(text: str) -> bool | None:
    """Whether a cell of a column of flags says that something holds; None where it says neither."""
    word = text.strip().casefold()
    for true, false in _PAIRS:
        if word in _TRUE_SIGNS or lexicon.is_all(true, word):
            return True
        if word in _FALSE_SIGNS or lexicon.is_all(false, word):
            return False
    return None


def flags_shown(texts: Sequence[str | None]) -> tuple[list[bool | None], str] | None:
    """The flags of a column that has a word for true and one for false of a language, and nothing else; and the rule.

    A column that says "No" only may be of Norway, and one of "1" and "0" of counts: nothing there shows which.

    texts: what the page says, None for a blank.
    """
    folded: dict[str, str] = {}
    for text in texts:
        if text and text not in folded:
            folded[text] = lexicon.bare(text)
            if len(set(folded.values())) > 2:
                return None
    words = set(folded.values())
    for true, false in _PAIRS:
        for language in lexicon.languages():
            holds, fails = (words.intersection(_words(meaning, language)) for meaning in (true, false))
            if holds and fails and holds | fails == words:
                flags = [folded[text] in holds if text else None for text in texts]
                return flags, rule_of(texts, flags)
    return None


def rule_of(texts: Sequence[str | None], flags: Sequence[bool | None]) -> str:
    """What was taken for true and false, in words."""
    words = {
        flag: text.strip()
        for text, flag in reversed(list(zip(texts, flags, strict=True)))
        if text and flag is not None
    }
    return ", ".join(f"{words[flag]!r} is {str(flag).lower()}" for flag in (True, False) if flag in words)


@cache
def _words(meaning: str, language: str) -> frozenset[str]:
    return frozenset(map(lexicon.bare, lexicon.words(meaning, language)))
