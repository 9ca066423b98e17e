from __future__ import annotations

from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.dtypes import (
    blanks_in,
    check_types,
    convert,
    convert_to,
    is_blank,
    names_codes,
    parse_number,
)
from skillbook.extraction.frames.number_texts import read_number


@pytest.mark.parametrize(
    ("texts", "values", "dtype", "unit"),
    [
        (["1", "2", "30"], [1, 2, 30], "int64", ""),
        (["1", "", None], [1, pd.NA, pd.NA], "Int64", ""),
        (["0", "-5", "−7"], [0, -5, -7], "int64", ""),
        (["1,234", "12"], [1234, 12], "int64", ""),
        (["1,234,567.5", "2"], [1234567.5, 2.0], "float64", ""),
        (["1.234,50", "12"], [1234.5, 12.0], "float64", ""),
        (["1.234", "12,5"], [1234.0, 12.5], "float64", ""),
        (["1 234 567", "2"], [1234567, 2], "int64", ""),
        (["1.5", "2.25"], [1.5, 2.25], "float64", ""),
        (["1,2345"], [1.2345], "float64", ""),
        (["$1,234.50", "$2.00"], [1234.5, 2.0], "float64", "$"),
        (["€1.75", "€21.00", ""], [1.75, 21.0, None], "float64", "€"),
        (["12,50 €", "3 €"], [12.5, 3.0], "float64", "€"),
        (["EUR 5", "EUR 6.5"], [5.0, 6.5], "float64", "EUR"),
        (["-$5.00", "($3.00)"], [-5.0, -3.0], "float64", "$"),
        (["12%", "7 %"], [12, 7], "int64", "%"),
    ],
)
def test_numbers(texts: list[str | None], values: list[object], dtype: str, unit: str) -> None:
    typed = convert("n", texts)
    expected = pd.Series(values, dtype=dtype)
    pd.testing.assert_series_equal(typed.values, expected)
    assert typed.unit == unit


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("n", ["007", "12"]),
        ("n", ["+4912345678", "+4912345679"]),
        ("n", ["1", "two"]),
        ("n", ["$1", "€2"]),
        ("n", ["1.2.3", "1.2.4"]),
        ("n", ["12,34,56"]),
        ("n", ["12345678901234567890"]),
        ("n", ["1E5", "12", "3"]),
        ("n", ["1/2", "3/4"]),
        ("n", ["5 - 6"]),
        ("n", ["(5"]),
        ("SKU", ["123", "456"]),
        ("postal_code", ["12345"]),
        ("Version", ["1.10", "1.9"]),
        ("Releases", ["1.10", "1.20"]),
        ("zipCode", ["12345"]),
        ("PhoneNumber", ["5551234"]),
        ("n", ["1.10", "1.9"]),
        ("n", ["1", "1.1", "1.2", "1.10", "2"]),
        ("reviews", ["(12)", "(1,204)", ""]),
        ("n", ["03/04/2021"]),
        ("n", ["2024-13-45"]),
        ("n", ["", None]),
    ],
)
def test_what_would_lose_something_stays_text(name: str, texts: list[str | None]) -> None:
    typed = convert(name, texts)
    assert pd.api.types.is_string_dtype(typed.values.dtype)
    assert [None if pd.isna(value) else value for value in typed.values] == texts


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        (["2024-01-02", "2023-12-31"], "2024-01-02"),
        (["2024-01-02T03:04:05", ""], "2024-01-02 03:04:05"),
        (["2 Jan 2024", "31 Dec 2023"], "2024-01-02"),
        (["January 2, 2024", "May 5, 2023"], "2024-01-02"),
    ],
)
def test_dates(texts: list[str], first: str) -> None:
    values = convert("when", texts).values
    assert values.dtype.kind == "M"
    assert values[0] == pd.Timestamp(first)


def test_booleans_come_from_checkboxes_only() -> None:
    assert convert("on", ["true", "false"], from_checkboxes=True).values.tolist() == [True, False]
    assert convert("on", ["true", None], from_checkboxes=True).values.dtype == "boolean"
    assert convert("on", ["true", "mixed"], from_checkboxes=True).values.tolist() == ["true", "mixed"]


@given(
    st.lists(st.none() | st.text(max_size=8) | st.sampled_from(["1", "1,5", "€2", "0x1", "−3"]), max_size=6)
)
def test_every_value_is_there_or_was_blank(texts: list[str | None]) -> None:
    values = convert("n", texts).values
    assert len(values) == len(texts)
    for text, value in zip(texts, values, strict=True):
        if text and text.strip():
            assert not pd.isna(value)


@given(st.integers(-(10**9), 10**9))
def test_numbers_come_back(number: int) -> None:
    for written in (str(number), f"{number:,}", f"{number:,}".replace(",", " ")):
        assert convert("n", [written]).values.tolist() == [number]
    assert parse_number(f"€{abs(number):,}.50") == abs(number) + 0.5


def test_decimals_keep_the_digits_that_the_page_shows() -> None:
    typed = convert_to(Decimal, "price", ["€86.30", "€1,200.00", "", None, "(€5.10)"])
    assert [None if value is None else str(value) for value in typed.values] == [
        "86.30",
        "1200.00",
        None,
        None,
        "-5.10",
    ]
    assert typed.unit == "€"
    with pytest.raises(ExtractionError, match="row 1 says 'free'"):
        convert_to(Decimal, "price", ["1.50", "free"])
    with pytest.raises(ExtractionError, match="is no column"):
        check_types({"cost": str}, ["price"])
    with pytest.raises(ExtractionError, match="can't make 'price' float"):
        check_types({"price": float}, ["price"])


@pytest.mark.parametrize("blank", ["", None])
@pytest.mark.parametrize("text", ["1", "1.5", "true", "2024-01-02", "word"])
def test_fault_45_a_blank_beside_a_value_of_each_type(text: str, blank: str | None) -> None:
    values = convert("x", [text, blank, text], from_checkboxes=text == "true").values
    assert values.isna().tolist() == [False, blank is None or text != "word", False]
    assert values[0] == values[2]


@pytest.mark.parametrize(
    ("texts", "first", "rule"),
    [
        (["31.12.2023", "01.02.2024"], "2023-12-31", "day first"),
        (["13/04/2021", "03/04/2021"], "2021-04-13", "day first"),
        (["03/04/2021", "03/14/2021"], "2021-03-04", "month first"),
        (["12-11-2020", "25-11-2020", ""], "2020-11-12", "day first"),
    ],
)
def test_dates_of_numbers_by_what_the_column_shows(texts: list[str], first: str, rule: str) -> None:
    typed = convert("when", texts)
    assert typed.values[0] == pd.Timestamp(first)
    assert typed.rule == rule


@pytest.mark.parametrize("texts", [["03/04/2021", "05/06/2021"], ["13/04/2021", "04/13/2021"]])
def test_dates_that_can_be_two_days_stay_text(texts: list[str]) -> None:
    typed = convert("when", texts)
    assert typed.values.tolist() == texts
    assert ("ambiguous" in typed.rule) == (texts[0][:2] == "03")


def test_numbers_say_the_rule_they_were_read_by() -> None:
    assert convert("n", ["1.234", "2.500"]).rule.startswith("ambiguous: '1.234' is read as 1.234")
    assert convert("n", ["1.234,50", "2"]).rule == "decimal comma"
    assert convert("n", ["($3.00)", "$2.00"]).rule == "brackets are negative"
    assert convert("n", ["1.5", "2"]).rule == ""


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["980", "1.230", "12.345"], [980, 1230, 12345]),
        (["0", "1.234", "2.468"], [0.0, 1.234, 2.468]),
        (["980.000", "1.230"], [980.0, 1.23]),
        (["980", "1.230", "12.34"], [980.0, 1.23, 12.34]),
        (["980", "0.230"], [980.0, 0.23]),
    ],
)
def test_points_that_can_only_group_thousands_do(texts: list[str], values: list[float]) -> None:
    assert convert("n", texts).values.tolist() == values


@pytest.mark.parametrize("name", ["Artikelnummer", "Código", "Номер телефона", "zipCode", "PLZ", "口座番号"])
def test_names_of_codes_in_other_languages(name: str) -> None:
    assert names_codes(name)


@pytest.mark.parametrize(
    ("texts", "rule"),
    [
        (
            ["1.9", "1.10"],
            "ambiguous: '1.10' may be a version or a number, and other values have one decimal",
        ),
        (
            ["612345678", "698 765 432"],
            "ambiguous: '612345678' may be a telephone number, a code or a number, and all have as many digits",
        ),
        (["1٢3", "4", "5"], "text: row 0 says '1٢3', which is no number"),
        (["(7)"], "ambiguous: '(7)' may be a count or a negative number, and every value has brackets"),
    ],
)
def test_what_may_be_no_number_stays_text_with_a_reason(texts: list[str], rule: str) -> None:
    assert convert("n", texts).rule == rule


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1.90", "1.10"], [1.9, 1.1]),
        (["１２３", "４５６７"], [123, 4567]),
        (["１，２３４円", "980円"], [1234, 980]),
        (["١٢٣", "٤٥٦"], [123, 456]),
        (["١٬٢٣٤٫٥", "٢٬٠٠٠٫٠"], [1234.5, 2000]),
        (["१२३", "४५६"], [123, 456]),
        (["１.２万", "３万"], [12000, 30000]),
        (["$1.9", "$1.10"], [1.9, 1.1]),
        (["4.50", "5"], [4.5, 5.0]),
        (["-1.9", "1.10"], [-1.9, 1.1]),
        (["(7)", "12"], [-7, 12]),
        (["(5.10)", "(6.00)"], [-5.1, -6.0]),
        (["($7)"], [-7.0]),
        (["612345678", "1234567890"], [612345678, 1234567890]),
        (["612,345,678", "123,456,789"], [612345678, 123456789]),
        (["12345678", "87654321"], [12345678, 87654321]),
    ],
)
def test_what_can_only_be_a_number_is_one(texts: list[str], values: list[float]) -> None:
    assert convert("n", texts).values.tolist() == values


@pytest.mark.parametrize(
    ("texts", "values", "unit"),
    [
        (["15.000 ₫", "7.500 ₫"], [15000.0, 7500.0], "₫"),
        (["Rp 15.000"], [15000.0], "Rp"),
        (["₩1.250"], [1250.0], "₩"),
        (["1.250 €", "999 €"], [1250.0, 999.0], "€"),
        (["1,250 kr"], [1250.0], "kr"),
        (["KWD 1.250"], [1.25], "KWD"),  # it has a thousandth
        (["€1.899", "€1.75"], [1.899, 1.75], "€"),
        (["R$ 7,00"], [7.0], "R$"),
        (["₹1,23,456"], [123456.0], "₹"),
        (["$(3.10)", "$2.00"], [-3.1, 2.0], "$"),
        (["12 kg", "5 kg"], [12, 5], "kg"),
        (["12.5 °C", "-3 °C"], [12.5, -3.0], "°C"),
        (["1.2K", "950"], [1200.0, 950.0], ""),
        (["1e5", "2.5e3"], [100000.0, 2500.0], ""),
    ],
)
def test_money_units_and_exponents(texts: list[str], values: list[float], unit: str) -> None:
    typed = convert("n", texts)
    assert (typed.values.tolist(), typed.unit) == (values, unit)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Sept. 14, 1999", "1999-09-14"),
        ("3. März 2021", "2021-03-03"),
        ("1er août 2020", "2020-08-01"),
        ("2021年3月4日", "2021-03-04"),
        ("2021年１月２日", "2021-01-02"),
        ("ngày 5 tháng 3 năm 2026", "2026-03-05"),
        ("Chủ Nhật, ngày 8 tháng 3 năm 2026", "2026-03-08"),
        ("16 thg 12, 2026", "2026-12-16"),
        ("Mon, 3 Mar 2021", "2021-03-03"),
        ("4 de enero de 2021", "2021-01-04"),
        ("5 марта 2020 г.", "2020-03-05"),
    ],
)
def test_dates_in_words(text: str, date: str) -> None:
    typed = convert("d", [text, "—"])
    assert str(typed.values[0].date()) == date
    assert typed.values.isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2021/03/04", "2021-03-04"),
        ("2021-3-4", "2021-03-04"),
        ("2021. 3. 4.", "2021-03-04"),
        ("2021. március 3.", "2021-03-03"),
        ("2021 Mar 3", "2021-03-03"),
        ("Mar-03-2021", "2021-03-03"),
        ("3 de marzo del 2021", "2021-03-03"),
        ("the 3rd of March, 2021", "2021-03-03"),
        ("Mittwoch, den 3. März 2021", "2021-03-03"),
        ("Mar 3, 2021, 10:30 PM", "2021-03-03 22:30"),
        ("Mar 3, 2021 at 12:05 a.m.", "2021-03-03 00:05"),
        ("3 mars 2021 à 21:00", "2021-03-03 21:00"),
        ("2021年3月4日 10:00", "2021-03-04 10:00"),
    ],
)
def test_neighbours_of_dates_in_words(text: str, date: str) -> None:
    assert convert("Day", [text, text]).values.tolist() == [pd.Timestamp(date)] * 2


@pytest.mark.parametrize(
    "text",
    [
        "Version 3 May 2021",
        "Mar 3, 2021, 13:30 PM",
        "Mar 3, 2021, 25:00",
        "2021.3.4",
        "3-Mar-21",
        "2021/13/04",
    ],
)
def test_what_may_be_no_date_stays_text(text: str) -> None:
    assert convert("Day", [text, text]).values.tolist() == [text, text]


@pytest.mark.parametrize(
    ("texts", "rule"),
    [
        (["12kg", "500 g"], "text: several units (kg in row 0, g in row 1)"),
        (["$5", "€6"], "text: several units ($ in row 0, € in row 1)"),
        (["USD 5", "6"], "text: several units (USD in row 0, none in row 1)"),
        (["1.5E+3", "2"], "text: '1.5E+3' may be a code, and other values have no exponent"),
        (["1", "2", "TBD"], "text: row 2 says 'TBD', which is no number"),
    ],
)
def test_neighbours_that_stay_text_say_why(texts: list[str], rule: str) -> None:
    found = convert("Size", texts)
    assert (found.values.tolist(), found.rule) == (texts, rule)


@pytest.mark.parametrize("blank", ["k. A.", "n / a", "#N/A", "…", "--"])
def test_neighbours_of_blanks(blank: str) -> None:
    found = convert("Size", [blank, "3", "4"])
    assert (found.values.tolist()[1:], found.rule) == ([3, 4], f"{blank!r} is blank")


@pytest.mark.parametrize(
    ("texts", "values", "unit"),
    [
        (["₩1.250", "₩900"], [1250, 900], "₩"),
        (["CHF 1'250.00", "CHF 99.50"], [1250, 99.5], "CHF"),
        (["₹1,23,456", "₹12,34,567"], [123456, 1234567], "₹"),
        (["1\u202f250,50 €", "2,00 €"], [1250.5, 2], "€"),
        (["R$ 7,00", "R$ 1.250,50"], [7, 1250.5], "R$"),
        (["1.2k", "3M"], [1200, 3000000], ""),
        (["98.6 °F", "100 °F"], [98.6, 100], "°F"),
    ],
)
def test_neighbours_of_thousands_and_units(texts: list[str], values: list[float], unit: str) -> None:
    found = convert("Size", texts)
    assert (found.values.tolist(), found.unit) == (values, unit)


@pytest.mark.parametrize("blank", ["—", "n/a", "", "N/A", "-"])
def test_one_blank_does_not_make_numbers_text(blank: str) -> None:
    typed = convert("n", ["1", blank, "3"])
    assert typed.values.dtype == "Int64"
    assert typed.values.isna().tolist() == [False, True, False]
    assert convert("n", ["north", blank, "south"]).values.tolist()[1] == blank


@pytest.mark.parametrize(
    ("texts", "rule"),
    [
        (["1", "2", "soon", "4"], "text: row 2 says 'soon', which is no number"),
        (["12 kg", "5 lb", "3 kg"], "text: several units (kg in row 0, lb in row 1)"),
        (["3 March 2021", "later", "4 March 2021"], "text: row 1 says 'later', which is no date"),
        (["a", "b", "3"], ""),
    ],
)
def test_a_column_that_stayed_text_says_which_cell_did_it(texts: list[str], rule: str) -> None:
    assert convert("n", texts).rule == rule


@given(st.lists(st.text("-–—…?.#nNaAuUlL/kK\u212a é0 \u00a0\u2003\n\u200b", max_size=9)))
def test_blanks_among_many_texts_are_those_that_are_blank_alone(texts: list[str]) -> None:
    assert blanks_in(texts) == {text for text in texts if is_blank(text)}


@given(st.from_regex(r"(?:[$€£¥]|kr)?[0-9.,e -]{1,9}", fullmatch=True))
def test_numbers_without_signs_are_read_at_once_as_others_are(text: str) -> None:
    assert read_number(text) == read_number(f" {text}")


@pytest.mark.parametrize(
    "texts",
    [
        ["2B", "3B", "12B"],
        ["1E5", "2E3", "3E4"],
        ["2K", "3K", "4M"],
        ["5k", "12"],
        ["2 B", "3 B"],
        ["1e-5", "2e-3"],
    ],
)
def test_a_letter_is_no_magnitude_where_nothing_of_its_column_says_so(texts: list[str]) -> None:
    found = convert("Seat", texts)
    assert found.values.tolist() == texts
    assert found.rule.startswith(f"ambiguous: {texts[0]!r} may be a code or a number")


@pytest.mark.parametrize(
    ("texts", "values", "rule"),
    [
        (["1.2M", "3M"], [1200000, 3000000], "K is thousands, M millions, B billions"),
        (["$3B", "$12B"], [3e9, 12e9], "K is thousands, M millions, B billions"),
        (["3K kg", "12 kg"], [3000, 12], "K is thousands, M millions, B billions"),
        (["1,200K", "950"], [1200000, 950], "K is thousands, M millions, B billions"),
        (["3 Mio", "12 Mio"], [3000000, 12000000], "K is thousands, M millions, B billions"),
        (["3万", "12万"], [30000, 120000], "K is thousands, M millions, B billions"),
        (["1.5e5", "2e3"], [150000, 2000], "E is a power of ten"),
        (["5 m", "12 m"], [5, 12], "m is a unit"),
    ],
)
def test_what_letters_were_taken_for_is_a_rule(texts: list[str], values: list[float], rule: str) -> None:
    found = convert("Size", texts)
    assert found.values.tolist() == values
    assert rule in found.rule


def test_a_caller_who_asks_for_numbers_gets_them_from_codes() -> None:
    assert convert("", ["2K", "3K"], as_numbers=True).values.tolist() == [2000, 3000]
    found = convert_to(Decimal, "Seat", ["2K", "3K"])
    assert (found.values.tolist(), found.rule) == ([2000, 3000], "K is thousands, M millions, B billions")


@pytest.mark.parametrize(
    ("texts", "flags", "rule"),
    [
        (["Yes", "no", "yes"], [True, False, True], "'Yes' is true, 'no' is false"),
        (["ja", "Nein"], [True, False], "'ja' is true, 'Nein' is false"),
        (["sí", "no"], [True, False], "'sí' is true, 'no' is false"),
        (["FALSE", "TRUE"], [False, True], "'TRUE' is true, 'FALSE' is false"),
        (["はい", "いいえ"], [True, False], "'はい' is true, 'いいえ' is false"),
        (["Yes", "—", "No"], [True, None, False], "'Yes' is true, 'No' is false; '—' is blank"),
    ],
)
def test_words_of_a_language_for_true_and_false_are_flags(
    texts: list[str], flags: list[bool | None], rule: str
) -> None:
    found = convert("Open", texts)
    assert [None if pd.isna(flag) else flag for flag in found.values] == flags
    assert found.rule == rule


@pytest.mark.parametrize(
    "texts",
    [["NO", "NO"], ["Yes", "yes"], ["yes", "nein"], ["Yes", "No", "Later"], ["NO", "SE"], ["on", "off"]],
)
def test_words_that_may_be_no_flags_stay_text(texts: list[str]) -> None:
    assert convert("Land", texts).values.tolist() == texts


def test_flags_that_a_caller_asks_for() -> None:
    found = convert_to(bool, "Open", ["no", None, "NO", "✓"])
    assert [None if pd.isna(flag) else flag for flag in found.values] == [False, None, False, True]
    assert found.rule == "'✓' is true, 'no' is false"
    with pytest.raises(ExtractionError, match="row 1 says 'perhaps'"):
        convert_to(bool, "Open", ["no", "perhaps"])


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["8,611[b]", "3,967"], [8611, 3967]),
        (["1858 [note 2]", "1861†", "1865"], [1858, 1861, 1865]),
        (["12³", "7", "9"], [12, 7, 9]),
        (["12³", "7⁴", "9"], None),  # powers, it may be
        (["10³", "7", "9"], None),
        (["[b]", "7", "9"], None),
    ],
)
def test_marks_of_notes_are_no_part_of_a_number(texts: list[str], values: list[int] | None) -> None:
    typed = convert("height", texts)
    assert list(typed.values) == (values or texts)
    assert ("marks of notes are left out" in typed.rule) == (values is not None)
