from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.perception.snapshot import Snapshot
from skillbook.skill.model.spec_steps import Check
from skillbook.skill.model.templates import fill_url
from skillbook.skill.recording.expected_checks import url_pattern
from skillbook.skill.recording.literals import Literals
from skillbook.skill.replay.checks import failing, url_matches
from tests.trees import snapshot


@pytest.mark.parametrize(
    ("pattern", "url", "fits"),
    [
        ("https://a.test/s?q=${input:q}", "https://a.test/s?q=desk+lamp%26co", True),
        ("https://a.test/s?q=${input:q}", "https://a.test/s?q=desk%20lamp%26co", True),
        ("https://a.test/s?q=${input:q}", "https://a.test/s?q=desk+lamp%26co#top", True),
        ("https://a.test/s?q=${input:q}", "https://a.test/s?q=chair", False),
        ("https://a.test/*/x", "https://a.test/1/2/x", True),
        ("https://a.test/s?a=1", "https://a.test/sXa=1", False),
        ("https://a.test/#/cart", "https://a.test/#/cart", True),
        ("https://a.test/#/cart", "https://a.test/", False),
        ("https://a.test/", "https://a.test/?x", False),
    ],
)
def test_addresses_fit_patterns(pattern: str, url: str, fits: bool) -> None:
    assert url_matches(pattern, url, {"q": "desk lamp&co"}) is fits


def test_a_star_in_an_input_is_a_star() -> None:
    assert url_matches("https://a.test/${input:q}", "https://a.test/a*b", {"q": "a*b"})
    assert not url_matches("https://a.test/${input:q}", "https://a.test/aXb", {"q": "a*b"})


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), st.text(min_size=1, max_size=5))
def test_an_address_made_of_an_input_fits_its_own_pattern(value: str, other: str) -> None:
    template = "https://a.test/s/${input:q}?q=${input:q}"
    url = fill_url(template, {"q": value})
    assert url_matches(template, url, {"q": value})
    assert url_matches(template, url, {"q": other}) is (other == value)


@given(st.from_regex(r"[a-z]{3,8}( [a-z]{3,8})?", fullmatch=True))
def test_a_recorded_address_fits_the_pattern_made_of_it(query: str) -> None:
    literals = Literals("goal", texts={query: "q"})
    url = fill_url("https://a.test/s?q=${input:q}&session=9f8a7c6d5e4f3a2b1c&page=2", {"q": query})
    pattern = url_pattern(url, literals)
    assert url_matches(pattern, url, {"q": query})
    again = fill_url("https://a.test/s?q=${input:q}&session=000&page=2", {"q": "what?&=+ else"})
    assert url_matches(pattern, again, {"q": "what?&=+ else"})
    assert not url_matches(pattern, again, {"q": query})


@pytest.mark.parametrize(
    ("url", "pattern", "again"),
    [
        ("https://a.test/#/1006", "https://a.test/#/*", "https://a.test/#/1007"),
        (
            "https://a.test/#/orders/1006?new=1",
            "https://a.test/#/orders/*?new=*",
            "https://a.test/#/orders/7?new=2",
        ),
        ("https://a.test/done?second", "https://a.test/done?*", "https://a.test/done?third"),
        ("https://a.test/#/orders", "https://a.test/#/orders", "https://a.test/#/orders"),
    ],
)
def test_fault_86_where_a_new_record_is_shown_is_no_check(url: str, pattern: str, again: str) -> None:
    assert url_pattern(url, Literals("goal"), frozenset({"orders"})) == pattern
    assert url_matches(pattern, again, {})


PAGE = """
main
  heading "Results for tea" level=1
  status ""
    "12 products"
"""


@pytest.mark.parametrize(
    ("check", "why"),
    [
        (Check(present="heading 'Results for ${input:q}'"), None),
        (Check(present="dialog"), "nothing matches dialog"),
        (Check(absent="dialog"), None),
        (Check(absent="heading"), "heading is still there"),
        (Check(text="12 PRODUCTS"), None),
        (Check(text="for ${input:q}"), None),
        (Check(text="13 products"), "doesn't show"),
        (Check(value="tea"), "holds ' milk '"),
        (Check(value="milk"), None),
        (Check(rows=3), "2 rows were read"),
        (Check(rows=2), None),
        (Check(url="http://site.test/"), None),
        (Check(url="http://site.test/x"), "the address is"),
        (Check(url="http://site.test/", text="13"), "doesn't show"),
    ],
)
def test_checks_say_what_does_not_hold(check: Check, why: str | None) -> None:
    def read(page: Snapshot) -> str:
        return " milk "

    found = failing(check, snapshot(PAGE), {"q": "tea"}, value_of=read, rows=2)
    assert (found is None) if why is None else (found is not None and why in found)


def test_fault_40_a_pattern_of_many_stars_takes_no_time() -> None:
    address = "https://a.test/" + "a" * 5000
    assert not url_matches("https://*a*a*a*a*a*a*a*b", address, {})
    assert url_matches("https://*a*a*a*a*a*a*a*", address, {})


@pytest.mark.parametrize(
    ("pattern", "url", "fits"),
    [
        ("ab*ba", "aba", False),
        ("ab*ba", "abba", True),
        ("*x*x", "ax", False),
        ("*x*x", "axx", True),
        ("**", "", True),
        ("a", "ab", False),
    ],
)
def test_parts_of_a_pattern_never_share_a_character(pattern: str, url: str, fits: bool) -> None:
    assert url_matches(pattern, url, {}) is fits


@pytest.mark.parametrize(
    ("address", "template"),
    [
        ("q=lamp", "q=${input:q}"),
        ("page=1&q=lamp", "page=1&q=${input:q}"),
        ("/search?q=lamp", "/search?q=${input:q}"),
        ("https://a.test/lamp/?q=lamp", "https://a.test/lamp/?q=${input:q}"),
        ("/lamp=1/", "/lamp=1/"),
        ("results/lamp", "results/lamp"),
    ],
)
def test_inputs_stand_in_queries_and_parts_of_them_but_in_no_path(address: str, template: str) -> None:
    assert Literals("goal", texts={"lamp": "q"}).template_url(address) == template
