"""A page without the wanted rows that says so is read as no rows, and a page that doesn't is an error."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pydantic
import pytest

from skillbook.errors import ExtractionError
from skillbook.extraction.driver import extract_frame

SEARCH = """
banner
  link "Cart" + href=/cart
main
  heading "Search" level=1
  region "Results"
    paragraph
      "{said}"
"""
TABLE = """
main
  table "Orders"
    rowgroup tag=thead
      row
        columnheader
          "Who"
        columnheader
          "Sum"
    rowgroup tag=tbody
      row
        cell colspan=2
          "{said}"
"""
LIST = """
  list "Popular"
    listitem
      link "Desk lamp" + href=/1
      "€5"
    listitem
      link "Floor lamp" + href=/2
      "€7"
    listitem
      link "Candle" + href=/3
      "€1"
"""


class Product(pydantic.BaseModel):
    """What is looked for."""

    title: str
    price: float


@pytest.mark.parametrize(
    ("arguments", "columns"),
    [
        ({}, []),
        ({"within": "region 'Results'"}, []),
        ({"fields": {"title": "heading", "price": "text ~'€'"}}, ["title", "price"]),
        ({"schema": Product}, ["title", "price"]),
        ({"types": {"price": Decimal}, "next": True, "unique": True}, []),
    ],
)
async def test_a_search_without_results_has_no_rows(
    pages: Any, arguments: dict[str, Any], columns: list[str]
) -> None:
    frame = await extract_frame(pages(SEARCH.format(said="No results for “zzz”.")), **arguments)
    about = frame.skillbook
    assert (len(frame), list(frame.columns), about.complete) == (0, columns, True), about.reason
    assert about.notes == ('the page says "No results for “zzz”."',)


async def test_a_table_with_headers_only_has_no_rows(pages: Any) -> None:
    frame = await extract_frame(pages(TABLE.format(said="No orders yet")))
    assert (list(frame.columns), len(frame), frame.skillbook.complete) == (["Who", "Sum"], 0, True)
    assert frame.skillbook.notes == ('the table "Orders" (Who, Sum) has no rows; it says "No orders yet"',)
    beside = pages(TABLE.format(said="No orders yet") + LIST)
    assert list((await extract_frame(beside, ["Sum"])).columns) == ["Sum"]
    assert len(await extract_frame(beside, within="table 'Orders'")) == 0


@pytest.mark.parametrize(
    ("page", "arguments"),
    [
        (SEARCH.format(said="Find anything"), {}),
        (SEARCH.format(said="No results for “zzz”.") + LIST, {"fields": {"picture": "img"}}),
        (TABLE.format(said="No orders yet"), {"fields": ["Price"]}),
        (TABLE.format(said="No orders yet") + LIST, {}),
        (SEARCH.format(said="No results for “zzz”."), {"within": "region 'Orders'"}),
    ],
)
async def test_where_rows_may_be_meant_it_is_an_error(
    pages: Any, page: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(ExtractionError):
        await extract_frame(pages(page), **arguments)


async def test_a_table_that_still_loads_is_not_complete(pages: Any) -> None:
    frame = await extract_frame(pages(TABLE.format(said="Loading…")), wait=0)
    assert not frame.skillbook.complete
    assert "still loading" in frame.skillbook.reason
