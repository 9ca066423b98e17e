"""Which words of a text count, and for which meaning."""

from __future__ import annotations

import re

import pytest

from skillbook import lexicon


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Nästa sida", "next_page"), ("次のページ", "next_page"), ("더보기", "next_page"), ("Vorwärts", "next_page"),
        ("Sonraki »", "next_page"), ("Další", "next_page"), ("SİL", "delete"), ("xóa", "delete"), ("Gửi", "send"),
        ("Sign-in", "login"), ("S’abonner", "subscribe"), ("Supprimez ce message", "delete"), ("USUN", "delete"),
        ("Añadir al carrito", "add_to_cart"), ("Eliminarlo", "delete"),
    ],
)  # fmt: skip
def test_words_count_whatever_their_case_accents_and_script(text: str, meaning: str) -> None:
    assert lexicon.matches(meaning, text)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Undeleted", "delete"), ("GUI", "send"), ("Silber", "delete"), ("削除済み", "delete"), ("Đã xóa", "delete"),
        ("Payment methods", "pay"), ("Add to cart", "cart"), ("Cancel order", "cancel"), ("موارد حذف شده", "delete"),
        ("Sales - Order", "pay"), ("Next post", "publish"), ("Log. In other words", "login"),
    ],
)  # fmt: skip
def test_parts_of_words_and_longer_phrases_do_not_count(text: str, meaning: str) -> None:
    assert not lexicon.matches(meaning, text)


def test_where_words_stand() -> None:
    assert lexicon.is_all("next_page", "→ Next »")
    assert not lexicon.is_all("next_page", "Next chapter")
    assert lexicon.begins("next_page", "Next chapter")
    assert not lexicon.begins("delete", "You can delete it")
    (hit,) = lexicon.find("Next.js")
    assert hit.is_part
    said = "Ja, löschen!"
    assert [lexicon.fold(said)[hit.start : hit.end] for hit in lexicon.find(said)] == ["löschen"]


def test_all_meanings_of_a_text() -> None:
    assert lexicon.meanings("Remove filter") == {"remove", "filter"}
    assert lexicon.meanings("Colour") == frozenset()


def test_a_quick_look_at_many_texts_leaves_none_out_that_has_the_words() -> None:
    said = [*lexicon.words("sum"), *lexicon.words("total"), "TOTÁL: 3", "Zwischensummen", "小計 5"]
    for name in ("sum", "total"):
        others = [f"Part {number}" for number in range(250)]
        having = [text for text in said if lexicon.matches(name, text)]
        assert having
        for text in having:
            assert 250 in lexicon.places_that_may_say((name,), [*others, text])
            assert lexicon.places_that_may_say((name,), [text]) == [0]
    assert lexicon.places_that_may_say(("sum", "total"), [f"Part {number}" for number in range(250)]) == []


def test_words_as_a_part_of_a_pattern() -> None:
    pattern = re.compile(rf"(\d+) {lexicon.alternation('cart', 'search')}")
    assert pattern.search(lexicon.bare("3 Košík"))
    assert pattern.search(lexicon.bare("3 検索結果"))
    assert not pattern.search("3 carts")


def test_names_of_months_and_weekdays() -> None:
    months = lexicon.months()
    assert {months[name] for name in ("märz", "marz", "marzo", "mars", "марта", "三月")} == {3}
    assert "oct" not in months
    assert lexicon.months("en", short=True)["oct"] == lexicon.months(short=True)["okt"] == 10
    assert lexicon.weekdays()["dienstag"] == lexicon.weekdays("es")["martes"] == 1
