"""A goal in words is the predicate that a person would mean by it."""

from __future__ import annotations

from datetime import date

from skillbook.goals import from_words
from skillbook.perception.summary import PageSummary, summarize
from skillbook.testing.trees import snapshot

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
