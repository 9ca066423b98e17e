"""The words as `words/*.toml` lists them, read at first use."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from skillbook.lexicon.folding import fold

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


def synonyms() -> tuple[tuple[str, ...], ...]:
    """Words for controls that say the same within a language."""
    return grammar().synonyms


@cache
def words(meaning: str, language: str | None = None) -> tuple[str, ...]:
    """The words of a meaning, folded, without marks.

    Parameters
    ----------
    meaning : a name such as "delete" or "next_page".
    language : a code such as "de"; all languages by default.

    Raises
    ------
    KeyError : there is no such meaning.
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
