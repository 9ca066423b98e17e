"""Rows that sum up others are no items."""

from __future__ import annotations

import pytest

from skillbook.extraction.frames.make import frame_of
from skillbook.perception.collections import find_collections
from tests.perception.collections.test_collections import table
from tests.trees import snapshot

HEAD = "th:Item | Count | Price"
NUT, BOLT, GEAR = "Nut | 2 | 1.75", "Bolt | 3 | 2.50", "Gear | 1 | 1,200.00"


def read(*rows: str) -> tuple[list[str], tuple[str, ...]]:
    (found,) = find_collections(snapshot(table(*rows)))
    frame = frame_of(found)
    return frame.iloc[:, 0].fillna("").tolist(), frame.skillbook.notes


@pytest.mark.parametrize(
    "last",
    [
        "Total | 6 | 1,204.25",
        "TOTAL: | 6 | 1,204.25",
        "Grand total | | 1,204.25",
        "Summe | 6 | 1,204.25",
        "Итого | 6 | 1,204.25",
        "合計 | 6 | 1,204.25",
        "Total (3 items) | 6 | 1,204.25",
        " | 6 | 1,204.25",
        " | | Sum: 1,204.25",
    ],
)
def test_a_last_row_of_sums(last: str) -> None:
    items, notes = read(HEAD, NUT, BOLT, GEAR, last)
    assert items == ["Nut", "Bolt", "Gear"]
    assert len(notes) == 1
    assert notes[0].startswith("left out: 1 row that sums up others")
    assert "1,204.25" in notes[0]


def test_sums_between_groups_and_of_all() -> None:
    rows = (
        NUT,
        BOLT,
        "Subtotal small | 5 | 4.25",
        GEAR,
        "Subtotal big | 1 | 1,200.00",
        "Total | 6 | 1,204.25",
    )
    items, notes = read(HEAD, *rows)
    assert items == ["Nut", "Bolt", "Gear"]
    assert "left out: 3 rows that sum up others" in notes[0]


def test_sums_of_groups_that_have_a_name() -> None:
    north, south = "{colspan=3}2024", "{colspan=3}2025"
    small, big = "Subtotal | 5 | 4.25", "Subtotal | 1 | 1,200.00"
    total = "Total | 6 | 1,204.25"
    (found,) = find_collections(
        snapshot(table(HEAD, f"th:{north}", NUT, BOLT, small, f"th:{south}", GEAR, big, total))
    )
    frame = frame_of(found)
    assert frame.iloc[:, :2].to_numpy().tolist() == [[2024, "Nut"], [2024, "Bolt"], [2025, "Gear"]]
    assert "left out: 3 rows that sum up others" in frame.skillbook.notes[0]
    (found,) = find_collections(
        snapshot(table(HEAD, f"th:{north}", NUT, BOLT, "Total | 9 | 9.99", f"th:{south}", GEAR))
    )
    assert any('row 2 ("Total") says so: it may sum up' in said for said in frame_of(found).skillbook.notes)


def test_sums_with_tax_above_all_rows_and_with_a_decimal_comma() -> None:
    assert read(HEAD, NUT, BOLT, "Subtotal | | 4.25", "Tax | | 1.00", "Total | | 5.25")[0] == [
        "Nut",
        "Bolt",
        "Tax",
    ]
    assert read(HEAD, "Total | 6 | 1,204.25", NUT, BOLT, GEAR)[0] == ["Nut", "Bolt", "Gear"]
    assert read(HEAD, "Mutter | 2 | 1,75", "Rad | 1 | 1.200,00", "Summe | 3 | 1.201,75")[0] == [
        "Mutter",
        "Rad",
    ]


@pytest.mark.parametrize(
    "last", ["Total | 7 | 1,300.00", "Total Recall | 1 | 9.99", "Sum | n/a | ", " | 6 | 7.00"]
)
def test_a_row_that_is_no_sum_stays(last: str) -> None:
    items, notes = read(HEAD, NUT, BOLT, GEAR, last)
    assert len(items) == 4
    assert not any("left out" in note for note in notes)
    assert "Recall" in last or not last.strip("| 67.0") or any("may sum up" in note for note in notes)


def test_a_film_of_the_price_of_the_one_above_stays() -> None:
    assert read("th:Film | Price", "Alien | 9.99", "Total Recall | 9.99")[0] == ["Alien", "Total Recall"]


def test_rows_without_a_name_that_sum_up_each_group() -> None:
    groups = [NUT, BOLT, " | 5 | 4.25", GEAR, NUT, " | 3 | 1,201.75", BOLT, " | 3 | 2.50"]
    assert read(HEAD, *groups)[0] == ["Nut", "Bolt", "Gear", "Nut", "Bolt"]


def test_a_row_without_a_name_that_sums_up_nothing_stays() -> None:
    assert read(HEAD, NUT, BOLT, " | 4 | 4.25", GEAR, NUT, " | 3 | 1,201.75")[0][2] == ""


@pytest.mark.parametrize(
    "label", ["{colspan=2}VAT 19% | 0.81", "{colspan=2}Discount | -0.50"], ids=["tax", "discount"]
)
def test_lines_beside_the_sums_are_no_items(label: str) -> None:
    tax = float(label.rpartition("|")[2])
    end = ("{colspan=2}Subtotal | 4.25", label, f"{{colspan=2}}Total | {4.25 + tax:.2f}")
    items, notes = read(HEAD, NUT, BOLT, *end)
    assert items == ["Nut", "Bolt"]
    assert "beside the sums, made as these are" in notes[1]


def test_what_is_due_is_no_item_though_it_is_no_sum_of_the_rows() -> None:
    end = (
        "{colspan=2}Subtotal | 4.25",
        "{colspan=2}VAT rate | 20%",
        "{colspan=2}VAT due | 0.85",
        "{colspan=2}Due | 5.10",
    )
    items, notes = read(HEAD, NUT, BOLT, *end)
    assert items == ["Nut", "Bolt"]
    assert "left out: 3 rows beside the sums, made as these are" in notes[1]


def test_the_total_of_a_bill_is_one_of_its_lines() -> None:
    items, notes = read("Subtotal | 245.00", "Shipping | 5.00", "Tax | 0.00", "Total | 250.00")
    assert items == ["Subtotal", "Shipping", "Tax", "Total"]
    assert any("may sum up" in note for note in notes)


def test_items_of_the_form_of_a_sum_stay() -> None:
    head = "th:Group | Item | Kind | Price"
    rows = ("A | Nut | x | 1.00", " | | Bolt | 2.00", " | | Total | 3.00")
    (found,) = find_collections(snapshot(table(head, *rows)))
    assert frame_of(found)["Kind"].tolist()[:2] == ["x", "Bolt"]
