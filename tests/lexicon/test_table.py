"""What the table of words promises to those who read and extend it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.lexicon import bare, letters
from skillbook.lexicon.table import APART, MARKS, apart, fold, grammar, holes, languages, table, words


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


TEXTS = st.text(max_size=40)


@given(TEXTS)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert bare(bare(text)) == bare(text)
    assert bare(fold(text)) == bare(text)
    assert letters(letters(text)) == letters(text)


@given(st.text(alphabet="aZéöß İıłĐđ\u0301\u00ad\u200b-’ﬁ１ガｶﾞ한ي", max_size=20))
def test_folding_twice_changes_nothing_more_in_awkward_letters(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert bare(bare(text)) == bare(text)
    assert bare(fold(text)) == bare(text)


@given(TEXTS)
def test_case_and_unseen_characters_do_not_count(text: str) -> None:
    assert fold("\u200b" + text.replace(" ", "  ") + "\u00ad") == fold(text)


@pytest.mark.parametrize(
    ("text", "folded", "without_accents"),
    [
        ("  Löschen\u00a0jetzt ", "löschen jetzt", "loschen jetzt"),
        ("SİL", "sil", "sil"),
        ("De\u00adlete\u200b", "delete", "delete"),
        ("D\ufe0fe\u0336lete", "delete", "delete"),
        ("Straße", "strasse", "strasse"),
        ("S’abonner", "s'abonner", "s'abonner"),
        ("Ｄｅｌｅｔｅ", "delete", "delete"),
        ("ｶﾞｲﾄﾞ", "ガイド", "ガイド"),
        ("e\u0301te\u0301", "été", "ete"),
        ("usuń", "usuń", "usun"),
        ("한국어", "한국어", "한국어"),
        ("हिन्दी", "हिन्दी", "हिन्दी"),
        ("ثبت\u200cنام", "ثبتنام", "ثبتنام"),
    ],
)
def test_what_folds_to_what(text: str, folded: str, without_accents: str) -> None:
    assert (fold(text), bare(text)) == (folded, without_accents)


def test_letters_leave_out_what_stands_between() -> None:
    assert letters("DE89 3704-0044") == letters("de89.37040044")
