"""Rows like those whose values are given, and what an extraction would read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from skillbook.errors import ExtractionError
from skillbook.extraction.driver import extract_frame

Shop = Callable[..., str]
ITEMS = [("Nut", "€1.75"), ("Bolt", "€2.50"), ("Gear", "€1,200.00")]


def table(name: str, *rows: tuple[str, ...]) -> str:
    heads, *body = rows
    lines = [f'table "{name}"\n  row\n' + "".join(f'    columnheader\n      "{head}"\n' for head in heads)]
    lines += ["  row\n" + "".join(f'    cell\n      "{text}"\n' for text in row) for row in body]
    return "".join(lines)


@pytest.mark.parametrize(
    "example",
    [
        {"name": "Bolt", "cost": "€2.50"},
        {"name": "bolt", "cost": 2.5},
        [{"name": "Bolt", "cost": 2.5}, {"name": "Gear", "cost": 1200}],
        pd.DataFrame({"name": ["Gear"], "cost": [1200.0]}),
    ],
)
async def test_values_of_one_row_say_what_is_read_of_all(pages: Any, shop_page: Shop, example: Any) -> None:
    frame = await extract_frame(pages(shop_page(*ITEMS)), example=example)
    assert frame.to_dict("list") == {"name": ["Nut", "Bolt", "Gear"], "cost": [1.75, 2.5, 1200.0]}
    assert frame.skillbook.complete


@pytest.mark.parametrize("example", ["Bolt", ["Bolt"], ["€2.50", "Bolt"]])
async def test_values_without_names_have_the_pages_names(pages: Any, shop_page: Shop, example: Any) -> None:
    frame = await extract_frame(pages(shop_page(*ITEMS)), example=example)
    assert list(frame.columns) == (["price", "title"] if len(example) == 2 else ["title"])


async def test_values_must_be_of_one_row(pages: Any, shop_page: Shop) -> None:
    with pytest.raises(ExtractionError, match=r'no row of the page says "Bolt", "€1\.75"'):
        await extract_frame(pages(shop_page(*ITEMS)), example={"name": "Bolt", "cost": "€1.75"})
    for broken in ({}, [{"a": "Nut"}, {"b": "Bolt"}]):
        with pytest.raises(ExtractionError, match="rows with the same columns"):
            await extract_frame(pages(shop_page(*ITEMS)), example=broken)


async def test_a_value_in_two_fields_needs_a_second_row(pages: Any) -> None:
    page = table("Stock", ("Part", "Sold", "Left"), ("Nut", "4", "4"), ("Bolt", "7", "2"), ("Gear", "2", "7"))
    with pytest.raises(ExtractionError, match='"4" is in several fields: "Sold" and "Left"'):
        await extract_frame(pages(page), example={"part": "Nut", "left": 4})
    frame = await extract_frame(
        pages(page), example=[{"part": "Nut", "left": 4}, {"part": "Bolt", "left": 2}]
    )
    assert frame["left"].tolist() == [4, 2, 7]


async def test_a_value_in_two_lists_needs_within(pages: Any) -> None:
    rows = [("Part", "Left"), ("Nut", "4"), ("Bolt", "7")]
    page = table("Shop", *rows) + table("Store", *rows[:2], ("Gear", "9"))
    with pytest.raises(ExtractionError, match='several lists: table "Shop", table "Store"'):
        await extract_frame(pages(page), example={"part": "Nut"})
    frame = await extract_frame(pages(page), example={"part": "Nut"}, within="Store")
    assert frame["part"].tolist() == ["Nut", "Gear"]


async def test_values_go_on_over_pages(pages: Any, shop_page: Shop) -> None:
    source = pages(shop_page(*ITEMS, next='link "Next" + href=/n'), shop_page(("A", "€1"), ("B", "€2")))
    frame = await extract_frame(source, example={"name": "Nut"}, next=True)
    assert frame["name"].tolist() == ["Nut", "Bolt", "Gear", "A", "B"]


async def test_a_preview_turns_no_page_and_says_what_would_be_read(pages: Any, shop_page: Shop) -> None:
    items = [(f"P{n}", f"€{n}.00") for n in range(8)]
    source = pages(shop_page(*items, next='link "Next" + href=/n'), shop_page(("A", "€1"), ("B", "€2")))
    frame = await extract_frame(source, example={"cost": "€3.00"}, next=True, preview=True)
    assert (source.at, source.done) == (0, [])
    assert frame["cost"].tolist() == [0, 1, 2, 3, 4]
    assert not frame.skillbook.complete
    assert frame.skillbook.reason == "a preview: 5 of the 8 rows that the page shows"
    assert frame.skillbook.notes[1:] == (
        "'cost' is the page's 'price'",
        'the way to the next page is link "Next"',
    )


async def test_numbers_are_found_by_value_and_the_error_names_what_is_not(pages: Any) -> None:
    page = table(
        "Boats",
        ("Name", "Price", "Rating"),
        ("Heron", "£1,249.00", "4.6 out of 5"),
        ("Otter", "£899.50", "4.1 out of 5"),
    )
    for price, rating in ((1249, 4.6), ("1249", "4.6")):
        frame = await extract_frame(pages(page), example={"name": "Heron", "price": price, "rating": rating})
        assert frame["price"].tolist() == [1249.0, 899.5]
        assert frame["rating"].tolist() == ["4.6 out of 5", "4.1 out of 5"]
    for value, said in ((4.7, "4.7"), ("€1249", "€1249"), (1250, "1250")):
        with pytest.raises(ExtractionError) as error:
            await extract_frame(pages(page), example={"name": "Heron", "any": value})
        assert error.value.message == f'no row of the page says "{said}"'
