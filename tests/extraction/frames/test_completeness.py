"""A frame that is not whole says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillbook.agents.tools.data_tools import describe_frame
from skillbook.errors import ExtractionError, PageClosed
from skillbook.extraction.driver import extract_frame
from skillbook.extraction.frames.completeness import claims_of
from skillbook.extraction.page_tables import read_tables
from skillbook.perception.collections import find_collections
from tests.trees import snapshot

ITEMS = [("Nut", "€1.75"), ("Bolt", "€2.50"), ("Gear", "€3.00")]
MORE = [("Cam", "€4.00"), ("Pin", "€5.00"), ("Rod", "€6.00")]
Shop = Callable[..., str]


def said(text: str) -> str:
    return f'  generic tag=p\n    "{text}"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("137 results", {"rows": 137}),
        ("about 1,370 results found", {"rows": 1370}),
        ("1–3 of 83", {"rows": 83}),
        ("1..3 out of 83", {"rows": 83}),
        ("Showing 1 to 3 of 83 entries", {"rows": 83}),
        ("Showing 3 of 9 products", {"rows": 9}),
        ("Page 1 of 4", {"pages": 4}),
    ],
)
async def test_fault_43_fewer_rows_than_the_page_says(
    pages: Any, shop_page: Shop, text: str, expected: dict[str, int]
) -> None:
    frame = await extract_frame(pages(shop_page(*ITEMS, extra=said(text))))
    assert len(frame) == 3
    assert not frame.skillbook.complete
    assert frame.skillbook.expected == expected
    assert str(f"{next(iter(expected.values())):,}") in frame.skillbook.reason
    assert frame.head(1).copy().skillbook.complete is False
    assert f"Not complete: {frame.skillbook.reason}." in describe_frame(frame)


@pytest.mark.parametrize(
    "text",
    ["3 results", "1-3 of 3", "12 reviews", "Rated 4 of 5", "2024-11-02 of 90", "Page 1 of 1"],
)
async def test_other_numbers_claim_nothing(pages: Any, shop_page: Shop, text: str) -> None:
    frame = await extract_frame(pages(shop_page(*ITEMS, extra=said(text))))
    assert frame.skillbook.complete, frame.skillbook.reason
    assert "Not complete" not in describe_frame(frame)


async def test_fault_43_a_pager_that_ends_too_early(pages: Any, shop_page: Shop) -> None:
    first = shop_page(*ITEMS, extra=said("137 results"), next='link "Next" + href=/2')
    frame = await extract_frame(pages(first, shop_page(*MORE)), next=True)
    assert len(frame) == 6
    assert frame.skillbook.reason == (
        "read 2 pages, 6 rows; stopped: no next page was found; the page says 137; page 2 is open now"
    )


async def test_fault_43_a_limit_and_a_pager_that_was_not_followed(pages: Any, shop_page: Shop) -> None:
    pager = 'navigation "Pagination"\n    link "Next" + href=/2'
    frame = await extract_frame(pages(shop_page(*ITEMS, next=pager)))
    assert "next=True" in frame.skillbook.reason
    limited = await extract_frame(
        pages(shop_page(*ITEMS, next=pager), shop_page(*MORE, next=pager)), next=True, max_pages=2
    )
    assert limited.skillbook.reason == (
        "read 2 pages, 6 rows; stopped: max_pages=2 was reached; there is a next page; page 2 is open now"
    )
    whole = await extract_frame(pages(shop_page(*ITEMS, next=pager), shop_page(*MORE)), next=True)
    assert (whole.skillbook.complete, whole.skillbook.reason) == (
        True,
        "read 2 pages, 6 rows; page 2 is open now",
    )


async def test_what_was_read_before_a_failure_is_not_whole(pages: Any, shop_page: Shop) -> None:
    first = shop_page(*ITEMS, next='link "Next" + href=/2')
    with pytest.raises(ExtractionError) as caught:
        await extract_frame(pages(first, PageClosed("the tab is gone")), next=True)
    frame = caught.value.frame  # type: ignore[attr-defined]
    assert frame.skillbook.reason == "read 1 page, 3 rows; stopped: the tab is gone"
    assert not frame.skillbook.complete


def grid(rows: int, *, claimed: int, columns: int = 2, first: int = 2) -> str:
    head = (
        '  row posinset=1\n    columnheader posinset=1\n      "A"\n    columnheader posinset=2\n      "B"\n'
    )
    line = (
        '  row posinset={0}\n    gridcell posinset=1\n      "a{0}"\n    gridcell posinset=2\n      "b{0}"\n'
    )
    return f'grid "G" setsize={claimed} colcount={columns}\n{head}' + "".join(
        line.format(n) for n in range(first, first + rows)
    )


async def test_fault_43_a_grid_with_fewer_rows_or_columns_than_it_has(pages: Any) -> None:
    (frame,) = await read_tables(pages(grid(5, claimed=1001, columns=14)))
    assert frame.skillbook.expected == {"rows": 1000, "columns": 14}
    assert frame.skillbook.reason == "read 1 page, 5 rows; the page says 1,000; 2 of 14 columns were there"
    (whole,) = await read_tables(pages(grid(5, claimed=6)))
    assert whole.skillbook.complete, whole.skillbook.reason
    (uncounted,) = await read_tables(pages(grid(5, claimed=6, first=1)))
    assert uncounted.skillbook.expected["rows"] == 6, "the header has no number among the rows'"
    assert snapshot(grid(1, claimed=9)).text()


async def test_chosen_columns_need_not_be_all(pages: Any) -> None:
    frame = await extract_frame(pages(grid(5, claimed=6, columns=14)), ["B"])
    assert frame.skillbook.complete, frame.skillbook.reason


async def test_fault_43_page_7_of_12_shows_an_error_page(pages: Any, shop_page: Shop) -> None:
    texts = [
        shop_page(*[(f"P{3 * at + n}", f"€{n}.50") for n in range(3)], next='link "Next" + href=/n')
        for at in range(6)
    ]
    frame = await extract_frame(pages(*texts, 'main\n  heading "500 Internal error" level=1\n'), next=True)
    assert len(frame) == 18
    assert not frame.skillbook.complete
    assert "the next page showed no rows" in frame.skillbook.reason
    assert "page 7 is open now" in frame.skillbook.reason


async def test_ragged_tables_keep_every_cell(pages: Any) -> None:
    lines = [["1", "2", "3"], ["4"], ["5", "6", "7", "8"], ["9", "10"]]
    cells = "".join("  row\n" + "".join(f'    cell\n      "{text}"\n' for text in line) for line in lines)
    (frame,) = await read_tables(pages(f'table "T"\n{cells}'), typed=False)
    assert frame.shape == (4, 4)
    assert [[text for text in row if isinstance(text, str)] for row in frame.to_numpy().tolist()] == lines


async def test_other_columns_in_the_middle_leave_blanks_and_no_wrong_values(pages: Any) -> None:
    def table(heads: list[str], *rows: list[str], on: str = "") -> str:
        lines = [("columnheader", heads), *(("cell", row) for row in rows)]
        text = "".join(
            "  row\n" + "".join(f'    {kind}\n      "{each}"\n' for each in line) for kind, line in lines
        )
        return f'table "Stock"\n{text}{on}'

    on = 'link "Next" + href=/n\n'
    first = table(["Part", "Price", "Stock"], ["Nut", "1", "5"], ["Bolt", "2", "6"], on=on)
    second = table(["Part", "Stock", "Origin"], ["Cam", "7", "IT"], ["Rod", "8", "NO"])
    frame = await extract_frame(pages(first, second), next=True)
    assert frame["Part"].tolist() == ["Nut", "Bolt", "Cam", "Rod"]
    assert frame["Stock"].tolist() == [5, 6, 7, 8]
    assert frame["Price"].isna().tolist() == [False, False, True, True]
    assert "a later page has other columns: without 'Price' and with 'Origin'" in frame.skillbook.reason
    assert not frame.skillbook.complete


async def test_a_column_of_a_like_name_is_another_one(pages: Any) -> None:
    line = '  row\n    {0}\n      "{1}"\n    {0}\n      "{2}"\n    {0}\n      "{3}"\n'
    tables = [
        'table "T"\n' + line.format("columnheader", *heads) + line.format("cell", *row) + on
        for heads, row, on in [
            (("Part", "Price", "Stock"), ("Nut", "1", "5"), 'link "Next" + href=/n\n'),
            (("Part", "Stock", "Price of shipping"), ("Cam", "7", "99"), ""),
        ]
    ]
    frame = await extract_frame(pages(*tables), next=True)
    assert frame["Price"].isna().tolist() == [False, True]
    assert frame["Stock"].tolist() == [5, 7]
    assert not frame.skillbook.complete


def feed(name: str, *said: str) -> str:
    counts = "".join(f'paragraph\n  "{text}"\n' for text in said)
    items = "".join(
        f'  article\n    heading "Bird {at}"\n    paragraph\n      "Hide {at}"\n' for at in range(4)
    )
    return f'heading "Today"\n{counts}region "{name}"\n{items}'


@pytest.mark.parametrize("name", ["Sightings", "Sightings of today"])
async def test_a_number_of_what_the_list_is_called_counts_its_rows(pages: Any, name: str) -> None:
    frame = await extract_frame(pages(feed(name, "130 sightings")))
    assert frame.skillbook.expected == {"rows": 130}
    assert not frame.skillbook.complete


@pytest.mark.parametrize(
    "said",
    [
        ("130 hides",),
        ("3 sightings",),
        ("2026 sightings",),
        ("130 sightings", "40 sightings"),
        ("£130 sightings",),
    ],
)
async def test_other_numbers_and_nouns_count_no_rows(pages: Any, said: tuple[str, ...]) -> None:
    frame = await extract_frame(pages(feed("Sightings", *said)))
    assert len(frame) == 4
    assert frame.skillbook.complete, frame.skillbook.reason


async def test_a_number_within_a_sentence_counts_no_rows(pages: Any) -> None:
    page = feed("Sightings").replace(
        'region "',
        'paragraph\n  "Since May we had"\n  strong\n    "130 sightings"\n  "of gulls"\nregion "',
        1,
    )
    assert (await extract_frame(pages(page))).skillbook.complete


def test_the_number_of_a_chapter_is_no_count() -> None:
    groups = "table\n" + "".join(
        f'  row\n    cell\n      "{name}"\n    cell\n      "={at}"\n' for at, name in enumerate("abc")
    )
    page = snapshot(f'heading "46 Groups" level=3\n{groups}')
    assert claims_of(page, find_collections(page)[0].rows) == {"rows": 46}
    chapter = snapshot(f'heading "46 Groups" level=3\n{groups}heading "46.1 Sums" level=4\n"Nothing"\n')
    assert claims_of(chapter, find_collections(chapter)[0].rows) == {}
