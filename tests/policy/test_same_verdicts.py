"""The same meaning gets the same verdict in every language."""

from __future__ import annotations

import pytest

from skillbook.lexicon.table import APART, MARKS, apart, grammar, table
from skillbook.policy.labels import danger_of

KINDS = {
    "pay": "pay",
    "subscribe": "pay",
    "donate": "pay",
    "book_now": "pay",
    "delete": "delete",
    "remove": "delete",
    "send": "send",
    "publish": "publish",
    "cancel_contract": "cancel",
}
PAGES = sorted(set(table()).difference(*map(apart, APART)))


@pytest.mark.parametrize("meaning", PAGES)
def test_every_word_of_a_meaning_asks_or_none_does(meaning: str) -> None:
    shared = {word for word, meanings in grammar().shared.items() if meanings & KINDS.keys()}
    said = {
        (language, word): danger_of(word.lstrip(MARKS).rstrip("*"))
        for language, words in table()[meaning].items()
        for word in words
        if word not in shared
    }
    assert {key: kind for key, kind in said.items() if kind != KINDS.get(meaning)} == {}


@pytest.mark.parametrize(
    "word", ["Remove", "Retirer", "Quitar", "Supprimer", "Entfernen", "Rimuovi", "Ta bort", "移除"]
)
def test_to_take_away_asks(word: str) -> None:
    assert danger_of(word) == "delete"


@pytest.mark.parametrize(
    "word", ["Submit", "Absenden", "Abschicken", "Soumettre", "Indienen", "提交", "제출", "Skicka in"]
)
def test_to_submit_alone_does_not_say_what_is_done(word: str) -> None:
    assert danger_of(word) is None


@pytest.mark.parametrize(
    "label",
    [
        "Remove filter",
        "Filter entfernen",
        "Retirer le filtre",
        "Remove from cart",
        "Aus dem Warenkorb entfernen",
        "Quitar de la cesta",
    ],
)
def test_what_is_taken_off_a_page_destroys_nothing(label: str) -> None:
    assert danger_of(label) is None
