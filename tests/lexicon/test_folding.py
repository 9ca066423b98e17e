"""One form for every comparison of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.lexicon import bare, fold, letters

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
