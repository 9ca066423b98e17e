"""Labels are ranked for a goal's words, always alike, and quickly."""

from __future__ import annotations

import time

from skillbook.perception.summary import summarize
from skillbook.perception.summary.ranking import MOST_CANDIDATES, rank
from tests.trees import snapshot

LABELS = ["Help", "Download invoice", "Invoices", "Invoice settings", "Sign out", "Fakturen"]


def test_the_words_of_a_query_and_their_beginnings_come_first() -> None:
    assert next(LABELS[place] for _, place in rank("download invoice", LABELS)) == "Download invoice"
    assert {LABELS[place] for _, place in rank("invoice", LABELS)} == set(LABELS[1:4])
    assert rank("", LABELS) == rank("|", LABELS) == rank("x", []) == []


def test_letters_that_are_swapped_still_find_it() -> None:
    assert next(LABELS[place] for _, place in rank("donwload invoce", LABELS)) == "Download invoice"


def test_of_alternatives_the_better_counts() -> None:
    found = {LABELS[place] for _, place in rank("help|sign out", LABELS)}
    assert {"Help", "Sign out"} <= found


def test_of_very_many_those_with_the_querys_letters_are_scored() -> None:
    many = [f"Row {n}" for n in range(5000)] + ["Download invoice"] + [f"Row {n}" for n in range(5000)]
    found = rank("download the invoice", many)
    assert many[found[0][1]] == "Download invoice"
    assert len(found) <= MOST_CANDIDATES
    assert found == rank("download the invoice", many)


def test_200_candidates_take_a_few_milliseconds() -> None:
    labels = [f"{LABELS[n % 6]} {n} of the account" for n in range(MOST_CANDIDATES)]
    times = []
    for _ in range(20):
        started = time.perf_counter()
        rank("download last month's invoice|statement|bill", labels)
        times.append(time.perf_counter() - started)
    assert min(times) < 0.008


def test_of_two_links_of_one_name_the_one_whose_address_says_it_comes_first() -> None:
    tree = """
main
  link "Overview of the year" + href=/misc/17
  link "Overview of the year" + href=/billing/17
"""
    found = summarize(snapshot(tree)).query("billing overview")
    refs = [entry.id for _, entry in found]
    assert len(refs) == 2
    assert summarize(snapshot(tree)).snapshot[refs[0]].href.endswith("/billing/17")
