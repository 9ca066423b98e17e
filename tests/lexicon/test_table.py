"""What the table of words promises to those who read and extend it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from skillbook.lexicon.folding import fold
from skillbook.lexicon.table import APART, MARKS, apart, grammar, holes, languages, table, words


@pytest.mark.parametrize("meaning", sorted(table()))
def test_every_meaning_has_every_language_or_names_the_hole(meaning: str) -> None:
    has, named = set(table()[meaning]), set(holes(meaning))
    assert has | named == set(languages())
    assert has & named == set()
    assert all(table()[meaning].values())


def test_a_word_stands_under_two_meanings_only_where_a_line_says_so() -> None:
    known: dict[tuple[str, str], set[str]] = {}
    for meaning in table():
        for word in words(meaning):
            where = next((name for name in APART if meaning in apart(name)), "pages")
            known.setdefault((word, where), set()).add(meaning)
    twice = {word: frozenset(found) for (word, _), found in known.items() if len(found) > 1}
    said = {fold(word): names for word, names in grammar().shared.items()}
    assert twice == said


def test_no_word_is_listed_twice_for_a_language() -> None:
    twice = [
        (meaning, language, word)
        for meaning, lines in table().items()
        for language, listed in lines.items()
        for word in {fold(word) for word in listed}
        if [fold(other) for other in listed].count(word) > 1
    ]
    assert twice == []


def test_marks_stand_before_words_and_stars_after_them() -> None:
    for lines in table().values():
        for listed in lines.values():
            for word in listed:
                rest = word[1:] if word[0] in MARKS else word
                assert rest[:1].isalnum(), word
                assert not set(rest) & set(MARKS), word


def test_no_meaning_is_in_two_files() -> None:
    from skillbook.lexicon.table import _files

    names = [meaning for lines in _files().values() for meaning in lines]
    assert len(names) == len(set(names))


def test_importing_the_library_reads_no_words() -> None:
    code = "import sys, skillbook; sys.exit('skillbook.lexicon' in sys.modules or 'babel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
