"""How a page writes numbers and dates: by its columns, then by its language."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd
import pytest

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.date_columns import Notation, notation_of
from skillbook.extraction.frames.dtypes import convert, convert_to, notation_shown


@pytest.mark.parametrize(
    ("lang", "point", "first"),
    [
        ("de", ",", "day"),
        ("de-CH", ".", "day"),
        ("en-US", ".", "month"),
        ("en_us", ".", "month"),
        ("en-GB", ".", "day"),
        ("en", ".", None),
        ("es", None, "day"),
        ("es-MX", ".", "day"),
        ("fr-CA", ",", None),
        ("ja", ".", None),
        ("", None, None),
        ("no language at all", None, None),
        ("<script>", None, None),
    ],
)
def test_a_language_says_what_its_countries_agree_on(lang: str, point: str | None, first: str | None) -> None:
    notation = notation_of(lang)
    assert (notation.decimal_point and notation.decimal_point.value) == point
    assert (notation.first and notation.first.value) == first


def test_thousands_and_decimals_are_read_by_the_language() -> None:
    german = convert("n", ["1.299 €", "2.499 €"], notation=notation_of("de"))
    assert german.values.tolist() == [1299.0, 2499.0]
    assert german.rule == "decimal comma: the page's language is German"
    english = convert("n", ["1.234", "2.345"], notation=notation_of("en"))
    assert english.values.tolist() == [1.234, 2.345]
    assert english.rule.startswith("decimal point: ")


def test_groups_of_three_behind_a_decimal_comma_stay_text() -> None:
    typed = convert("n", ["1,234", "5,678"], notation=notation_of("de"))
    assert typed.values.tolist() == ["1,234", "5,678"]
    assert typed.rule.startswith("ambiguous: '1,234' may have thousands or decimals")
    with pytest.raises(ExtractionError, match="ambiguous"):
        convert_to(Decimal, "n", ["1,234", "5,678"], notation=notation_of("de"))


def test_what_a_column_shows_counts_more_than_the_language() -> None:
    assert convert("n", ["1.5", "1.234"], notation=notation_of("de")).values.tolist() == [1.5, 1.234]
    assert convert("d", ["13/04/2021"], notation=notation_of("en-US")).values[0] == pd.Timestamp(2021, 4, 13)


def test_what_another_column_shows_counts_more_than_the_language() -> None:
    columns = {"price": ["12,50", "3,75"], "sold": ["1.234", "5.678"], "version": ["1.5", "2.0"]}
    notation = notation_shown(columns, notation_of("en"))
    assert convert("sold", columns["sold"], notation=notation).values.tolist() == [1234, 5678]
    assert convert("sold", columns["sold"], notation=notation).rule == "decimal comma: as in another column"
    dates = {"begin": ["03/04/2021", None], "end": ["30/04/2021", ""]}
    notation = notation_shown(dates, Notation())
    assert convert("begin", dates["begin"], notation=notation).values[0] == pd.Timestamp(2021, 4, 3)


def test_columns_that_differ_show_nothing() -> None:
    columns = {"price": ["12,50"], "weight": ["1.5"], "sold": ["1.234"]}
    assert notation_shown(columns, Notation()) == Notation()


@pytest.mark.parametrize(("lang", "day"), [("en-US", (2021, 3, 4)), ("fr", (2021, 4, 3))])
def test_dates_are_read_by_the_language_and_say_so(lang: str, day: tuple[int, int, int]) -> None:
    typed = convert("when", ["03/04/2021", "05/06/2021"], notation=notation_of(lang))
    assert typed.values[0] == pd.Timestamp(*day)
    assert "first: the page's language is " in typed.rule


def test_dates_of_a_language_that_several_countries_share_stay_text() -> None:
    typed = convert("when", ["03/04/2021", "05/06/2021"], notation=notation_of("en"))
    assert typed.values.tolist() == ["03/04/2021", "05/06/2021"]
    assert typed.rule.startswith("ambiguous")
