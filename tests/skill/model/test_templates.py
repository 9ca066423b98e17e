from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.errors import MissingInput
from skillbook.perception.selectors import Name, Selector, parse_selector
from skillbook.skill.model.templates import (
    as_texts,
    escape,
    fill,
    fill_selector,
    fill_text,
    fill_url,
    placeholders,
    write_selector,
)
from tests.skill.strategies import texts


@given(texts)
def test_an_escaped_text_fills_to_itself(text: str) -> None:
    assert fill_text(escape(text), {}) == text
    assert list(placeholders(escape(text))) == []


@given(texts, st.sampled_from(["$", "${", "$$", "${input:x}", "{", ""]), texts)
def test_a_literal_before_a_placeholder_stays_literal(before: str, odd: str, value: str) -> None:
    template = escape(before + odd) + "${input:x}"
    assert fill_text(template, {"x": value}) == before + odd + value


def test_a_dollar_price_becomes_an_input() -> None:
    assert fill_text(escape("costs $") + "${input:price}", {"price": 5}) == "costs $5"


@given(texts)
def test_an_input_in_a_selector_can_not_leave_its_quotes(value: str) -> None:
    filled = fill_selector("button '${input:x}' in dialog", {"x": value})
    assert parse_selector(filled) == Selector(role="button", name=Name(value), within=Selector(role="dialog"))


@given(texts)
def test_a_selector_written_to_a_file_reads_back_equal(text: str) -> None:
    selector = Selector(role="link", name=Name(text))
    assert parse_selector(fill_selector(write_selector(selector), {})) == selector


def test_a_whole_placeholder_keeps_the_type() -> None:
    assert fill({"dy": "${input:n}", "text": "n=${input:n}"}, {"n": 3}) == {"dy": 3, "text": "n=3"}


def test_secrets_stay_placeholders() -> None:
    assert fill_text("${secret:pw} ${input:x}", {"x": "1"}) == "${secret:pw} 1"


def test_addresses_are_encoded_but_for_the_site() -> None:
    values = {"site": "http://127.0.0.1:80", "q": "a&b=c/d"}
    assert fill_url("${input:site}/s?q=${input:q}", values) == "http://127.0.0.1:80/s?q=a%26b%3Dc%2Fd"


def test_a_missing_input_is_named() -> None:
    with pytest.raises(MissingInput, match="'city'"):
        fill_text("to ${input:city:where to}", {})


def test_shown_text_is_read() -> None:
    assert [tuple(one) for one in placeholders("${input:city:where to go}")] == [
        ("input", "city", "where to go")
    ]


def test_numbers_become_texts_where_the_command_takes_texts() -> None:
    assert as_texts("fill", {"value": 7}) == {"value": "7"}
    assert as_texts("select", {"values": [7, True]}) == {"values": ["7", "true"]}
    assert as_texts("scroll", {"dy": 7}) == {"dy": 7}
