"""The words as `words/*.toml` lists them, names of months and weekdays, and the one form for every comparison."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

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


class _Shown(dict[int, int | None]):
    """For `str.translate`: leaves out what `is_unseen`, each character judged once."""

    def __missing__(self, code: int) -> int | None:
        self[code] = None if is_unseen(chr(code)) else code
        return self[code]


_SHOWN = _Shown()


def without_unseen(text: str) -> str:
    """A text without the characters that show nothing; joiners of letters and of emoji go, too."""
    return text if text.isascii() and text.isprintable() else text.translate(_SHOWN)


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


MARKS = "=^~"
_STEPS = "steps"
APART = ("goals", "addresses", "columns", "patterns")
"""Files whose words aren't looked for on pages."""


@dataclass(frozen=True)
class Grammar:
    """What the matcher knows of languages; `words/grammar.toml` says what each part is for."""

    languages: tuple[str, ...]
    accented: frozenset[str]
    nouns: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]
    shared: Mapping[str, frozenset[str]]
    synonyms: tuple[tuple[str, ...], ...]
    currency_signs: str
    currency_codes: tuple[str, ...]


@cache
def table() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Meaning → language → words with their marks, as they are listed."""
    return {
        meaning: {
            language: split(line)
            for language, line in lines.items()
            if language != "holes" and isinstance(line, str)
        }
        for name in sorted(_files())
        for meaning, lines in _files()[name].items()
    }


@cache
def grammar() -> Grammar:
    """The languages and what is known of them."""
    read = _read("grammar")
    return Grammar(
        tuple(read["languages"].split()),
        frozenset(read["accented"].split()),
        frozenset(read["nouns"].split()),
        _sides(read["before"]),
        _sides(read["after"]),
        {word: frozenset(names.split()) for names, line in read["shared"].items() for word in split(line)},
        tuple(
            tuple(word.strip() for word in same.split(","))
            for line in read["synonyms"].values()
            for same in split(line)
        ),
        "".join(read["currency_signs"].split()),
        tuple(read["currency_codes"].split()),
    )


@cache
def steps() -> frozenset[str]:
    """The meanings that name a step which may not be undone."""
    return frozenset(_read(_STEPS))


@cache
def apart(name: str) -> frozenset[str]:
    """The meanings of one of the files `APART`."""
    return frozenset(_read(name))


def holes(meaning: str) -> tuple[str, ...]:
    """The languages in which a meaning has no word, as the table names them."""
    return next(
        tuple(str(lines[meaning].get("holes", "")).split()) for lines in _files().values() if meaning in lines
    )


def languages() -> tuple[str, ...]:
    """The codes of the languages that the lexicon knows."""
    return grammar().languages


def currency_signs() -> str:
    """The signs of currencies, each one character."""
    return grammar().currency_signs


def currency_codes() -> tuple[str, ...]:
    """Codes and abbreviations of the currencies that pages name most."""
    return grammar().currency_codes


def synonyms() -> tuple[tuple[str, ...], ...]:
    """Words for controls that say the same within a language."""
    return grammar().synonyms


@cache
def words(meaning: str, language: str | None = None) -> tuple[str, ...]:
    """The words of a meaning, folded, without marks.

    meaning: a name such as "delete" or "next_page".
    language: a code such as "de"; all languages by default.
    Raises KeyError: there is no such meaning.
    """
    listed = table()[meaning]
    found = (word for code, line in listed.items() if language in {None, code} for word in line)
    return tuple(dict.fromkeys(fold(word).strip(MARKS + "*") for word in found))


def split(line: str) -> tuple[str, ...]:
    """The words of a line, which "|" separates."""
    return tuple(word for part in line.split("|") if (word := part.strip()))


@cache
def _files() -> Mapping[str, Mapping[str, Any]]:
    folder = files("skillbook.lexicon") / "words"
    names = (entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return {name: _read(name) for name in names if name != "grammar"}


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("skillbook.lexicon") / "words" / f"{name}.toml").read_text(encoding="utf-8"))


def _sides(lines: Mapping[str, str]) -> frozenset[str]:
    return frozenset(fold(word) for line in lines.values() for word in split(line))


_LEAST = 3
"""Letters of a short name; "lu" and "su" are too many other things."""


@cache
def months(language: str | None = None, *, short: bool = False) -> Mapping[str, int]:
    """The months' names with and without accents, folded, and their numbers.

    Names that two languages use differently are left out.

    Parameters
    ----------
    language : a code such as "de"; all languages by default.
    short : whether abbreviations count; many are other words too ("pro" is December in Czech).

    Examples
    --------
    >>> months()["märz"], months()["июня"], months("en", short=True)["oct"]
    (3, 6, 10)
    """
    return _names("months", language, short)


@cache
def weekdays(language: str | None = None, *, short: bool = False) -> Mapping[str, int]:
    """The same of weekdays; Monday is 0."""
    return _names("days", language, short)


def _names(kind: Literal["months", "days"], language: str | None, short: bool) -> Mapping[str, int]:
    from babel import Locale

    found: dict[str, set[int]] = {}
    for code in [language] if language else languages():
        for context in getattr(Locale.parse(code), kind).values():
            for width in ("wide", "abbreviated") if short else ("wide",):
                for number, name in context[width].items():
                    for form in (fold(name), bare(name)):
                        found.setdefault(form.rstrip("."), set()).add(number)
    return {
        name: number
        for name, (number, *others) in found.items()
        if not others
        and not any(char.isdigit() for char in name)
        and (len(name) >= _LEAST or not name.isascii())
    }
