"""What later pages have that the first one doesn't."""

from __future__ import annotations

from skillbook.extraction.reading.plans import CollectionPlan, Place
from skillbook.extraction.walking.first_page import _other_columns
from skillbook.perception.collections import find_collections
from skillbook.perception.snapshot import Snapshot
from tests.trees import snapshot


def cards(*labels: str) -> Snapshot:
    lines = ["main"]
    for number in range(4):
        lines += ["  article", f'    heading "Part {number}"']
        for label in labels:
            lines += [
                "    generic tag=div.row",
                f'      "{label}" tag=span',
                f'      "{label[0]}{number}" tag=b',
            ]
    return snapshot("\n".join(lines))


def test_a_label_that_only_a_later_page_has_is_missing_in_the_rows() -> None:
    plan = CollectionPlan.of(find_collections(cards("Price", "State"))[0], Place())
    assert plan.columns == ["title", "Price", "State"]
    assert _other_columns(plan, cards("Price", "Colour", "State")) == [
        "a later page has other columns: with 'Colour'"
    ]
    assert _other_columns(plan, cards("Price", "State")) == []
