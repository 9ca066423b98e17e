"""A goal in words is the predicate that a person would mean by it."""

from __future__ import annotations

from datetime import date

import pytest

from skillbook.goals import beyond_one_skill, from_words, only_looks, wants_action
from skillbook.goals.goal_words import is_relative
from skillbook.perception.summary import PageSummary, summarize
from tests.trees import snapshot

TODAY = date(2026, 3, 10)


def page_with(heading: str, more: str = "") -> PageSummary:
    return summarize(snapshot(f'heading "{heading}" level=1\n{more}'))


def test_a_page_of_another_year_is_not_the_goal() -> None:
    goal = from_words("invoices of 2024", TODAY)
    assert repr(goal) == "text(words='invoices', where='heading') & dated('2024')"
    assert goal.holds(page_with("Invoices of 2024"))
    assert not goal.holds(page_with("Invoices of 2026"))
    assert not goal.holds(page_with("Invoices", 'link "2024" href=/invoices?year=2024'))
    assert repr(from_words("opening hours today", TODAY)) == "text(words='opening hours', where='heading')"


def test_a_row_of_that_month_is_enough() -> None:
    rows = """table "Invoices"
  row
    columnheader
      "Number"
    columnheader
      "Month"
  row
    cell
      "Q-1"
    cell
      "March 2025"
  row
    cell
      "Q-2"
    cell
      "April 2025"
"""
    assert from_words("invoice of March 2025", TODAY).holds(page_with("Invoice archive", rows))
    assert not from_words("invoice of May 2025", TODAY).holds(page_with("Invoice archive", rows))


@pytest.mark.parametrize(
    "goal",
    ["open the settings", "how billing works", "Where are my invoices?", "Zeige die Preise", "find the docs"],
)
def test_goals_that_ask_to_see_something(goal: str) -> None:
    assert only_looks(goal)


@pytest.mark.parametrize(
    "goal", ["add the lamp to the cart", "buy two lamps", "delete the user Ann", "opening hours"]
)
def test_goals_that_an_open_page_is_not_all_of(goal: str) -> None:
    assert not only_looks(goal)
    assert wants_action(goal) is (goal != "opening hours")


@pytest.mark.parametrize(
    "goal",
    [
        "Log in and delete my account", "Search for lamps, then buy the first", "Download all invoices",
        "Download each report", "Find the newest order and cancel it", "Suche Lampen und öffne die erste",
        "Download the invoice and send it to Ann", "Download the invoice but don't open it",
    ],
)  # fmt: skip
def test_goals_that_are_more_than_one_skill(goal: str) -> None:
    assert beyond_one_skill(goal)


@pytest.mark.parametrize(
    "goal",
    [
        "Search for salt and pepper",
        "Download the terms and conditions",
        "Download last month's invoice",
        "log in",
    ],
)
def test_goals_of_one_skill(goal: str) -> None:
    assert not beyond_one_skill(goal)


@pytest.mark.parametrize(
    ("text", "relative"), [("last month's invoice", True), ("invoice of March 2025", False)]
)
def test_times_by_the_present_day(text: str, relative: bool) -> None:
    assert is_relative(text) is relative


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("Open the documentation of the json module", "json"),
        ("the chapter about sorting", "sorting"),
        ("How do I use logging?", "logging"),
        ("how to use logging", "logging"),
        ("the demo page", "demo"),
        ("open the module", "module"),
        ("README", "readme"),
    ],
)
def test_what_a_page_is_is_not_what_it_is_about(goal: str, words: str) -> None:
    assert repr(from_words(goal, TODAY)) == f"text(words={words!r}, where='heading')"
