"""One form of a text for every comparison of words, so that `SİL`, `sil` and `s\u00adil` are the same."""

from __future__ import annotations

import re
import unicodedata

FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0")
"""Signs that are blank, though Unicode has them as letters or symbols."""
_SIGNS = str.maketrans(
    dict.fromkeys("‘’ʼ`´", "'") | dict.fromkeys("‐‑", "-") | {"ي": "ی", "ى": "ی", "ك": "ک"}
)
_LETTERS = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"})
_ACCENTS = re.compile("[\u0300-\u036f]+")
_KEPT_MARKS = range(0x0900, 0x1800)
"""South and Southeast Asian scripts, whose vowels are marks."""


def fold(text: str) -> str:
    """A text without case, compatibility forms, double blanks and characters that nobody sees; accents stay.

    Folding twice changes nothing more.
    """
    if text.isascii():
        return " ".join(text.lower().replace("`", "'").split())
    once = _compose(_compose(unicodedata.normalize("NFD", text.translate(_SEEN))))
    return " ".join(once.translate(_JOINED).translate(_SIGNS).split())


def bare(text: str) -> str:
    """The same without accents: `Löschen` and `LOSCHEN` are one word, as are `usuń` and `usun`."""
    folded = fold(text)
    if folded.isascii():
        return folded
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", folded)).translate(_LETTERS)
    return fold(unicodedata.normalize("NFC", plain))


def letters(text: str) -> str:
    """A folded text's letters and digits, without all that stands between them."""
    return "".join(char for char in fold(text) if char.isalnum())


def is_unseen(char: str) -> bool:
    """Whether a character shows nothing, whatever its category: format and control characters, fillers, variations.

    Whitespace is no such character.
    """
    code = ord(char)
    return (
        char in FILLERS
        or unicodedata.category(char) == "Cf"
        or (unicodedata.category(char) == "Cc" and not char.isspace())
        or 0xFE00 <= code <= 0xFE0F
        or 0x180B <= code <= 0x180F
        or 0xFFF0 <= code <= 0xFFF8
        or 0xE0000 <= code <= 0xE0FFF
    )


def _compose(text: str) -> str:
    return unicodedata.normalize("NFKC", text.casefold())


class _Seen(dict[int, int | None]):
    """For `str.translate`: leaves out what nobody sees, each character judged once.

    That is soft hyphens, marks of direction, characters without width, and marks that join no letter.
    """

    def __init__(self, unseen: frozenset[str]) -> None:
        self._unseen = unseen

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        hidden = code not in _KEPT_MARKS and unicodedata.category(char) in self._unseen
        self[code] = None if hidden or char in FILLERS else code
        return self[code]


_SEEN, _JOINED = _Seen(frozenset({"Cf"})), _Seen(frozenset({"Cf", "Mn", "Me"}))
