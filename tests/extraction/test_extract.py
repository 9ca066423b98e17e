from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from pydantic import BaseModel, Field

from skillbook.errors import AmbiguousMatch, ExtractionError, PageClosed, SelectorSyntaxError, UnknownRef
from skillbook.extraction.driver import extract_frame
from skillbook.extraction.page_tables import read_tables
from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.perception.collections import Collection

ITEMS = [("Nut", "€1.75"), ("Bolt", "€2.50"), ("Gear", "€1,200.00")]


async def test_tables_are_every_collection(pages: Any, shop_page: Callable[..., str]) -> None:
    table = 'table "Stock"\n' + "".join(
        f'  row\n    {kind}\n      "{a}"\n    {kind}\n      "{b}"\n'
        for kind, a, b in [("columnheader", "Part", "Count"), ("cell", "Nut", "12"), ("cell", "Bolt", "")]
    )
    frames = await read_tables(pages(table + shop_page(*ITEMS)))
    assert [list(frame.columns) for frame in frames] == [["Part", "Count"], ["title", "price", "image"]]
    assert frames[0]["Count"].dtype == "Int64"
    assert frames[0].skillbook.name == "Stock"
    assert frames[1]["price"].tolist() == [1.75, 2.5, 1200.0]
    assert frames[1].skillbook.units == {"price": "€"}


async def test_tables_of_a_part_of_the_page(pages: Any, shop_page: Callable[..., str]) -> None:
    def table(name: str, *rows: str) -> str:
        lines = "".join(
            f'    row\n      {kind}\n        "{text}"\n' * 1 for kind, text in map(str.split, rows)
        )
        return f'region "{name}"\n  table "{name} table"\n' + lines

    stock = table("Stock", "columnheader Part", "cell Nut", "cell Bolt")
    orders = table("Orders", "columnheader Order", "cell A1", "cell A2")
    empty = table("Empty", "columnheader Nothing")
    page = pages(stock + orders + empty + shop_page(*ITEMS))
    assert len(await read_tables(page)) >= 3
    for within in ("region 'Orders'", "Orders"):
        assert [list(frame.columns) for frame in await read_tables(page, within=within)] == [["Order"]]
    with pytest.raises(ExtractionError, match="nothing matches within="):
        await read_tables(page, within="region 'Gone'")


async def test_without_fields_the_main_collection(pages: Any, shop_page: Callable[..., str]) -> None:
    frame = await extract_frame(pages(shop_page(*ITEMS)))
    assert frame["title"].tolist() == ["Nut", "Bolt", "Gear"]
    raw = await extract_frame(pages(shop_page(*ITEMS)), typed=False)
    assert raw["price"].tolist() == [price for _, price in ITEMS]


async def test_columns_choose_and_order(pages: Any, shop_page: Callable[..., str]) -> None:
    frame = await extract_frame(pages(shop_page(*ITEMS)), columns=["price", "title"])
    assert frame.columns.tolist() == ["price", "title"]
    assert frame["price"].tolist() == [1.75, 2.5, 1200.0]
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame.skillbook.source(1, "title").text == "Bolt"


async def test_a_table_that_only_lays_out_fields_is_not_meant(pages: Any) -> None:
    def table(*rows: str, role: str = "cell") -> str:
        return "table\n" + "".join(
            "  row\n" + "".join(f"    {role}\n      {cell}\n" for cell in row.split("|")) for row in rows
        )

    found = table('"Nut"|"1"|"2"', '"Bolt"|"3"|"4"')
    form = table(*[f'"Sort by"|combobox "{n}" +|"Group by"|combobox "{n}" +|"Last"' for n in range(4)])
    frame = await extract_frame(pages(found + form))
    assert frame["column 1"].tolist() == ["Nut", "Bolt"]
    assert len(await read_tables(pages(found + form))) == 2
    empty = table('"Part"', role="columnheader") + table('button "Redisplay" +')
    with pytest.raises(ExtractionError):
        await extract_frame(pages(empty.replace('"Part"', '"Part"\n    columnheader\n      "Count"')))


async def test_no_other_list_is_read_in_place_of_an_empty_table(
    pages: Any, shop_page: Callable[..., str]
) -> None:
    table = """table "Orders"
  rowgroup tag=thead
    row
      columnheader
        "Who"
      columnheader
        "Sum"
  rowgroup tag=tbody
    row
      cell colspan=2
        "No orders yet"
"""
    with pytest.raises(ExtractionError, match=r'"Orders" \(Who, Sum\) has no rows; it says "No orders yet"'):
        await extract_frame(pages(table + shop_page(*ITEMS)))
    frames = await read_tables(pages(table + shop_page(*ITEMS)))
    assert [list(frame.columns) for frame in frames] == [["Who", "Sum"], ["title", "price", "image"]]
    assert [len(frame) for frame in frames] == [0, 3]
    empty = frames[0].skillbook
    assert (empty.name, empty.complete, empty.reason) == ("Orders", True, "read 1 page, 0 rows")
    assert empty.notes == ('it says "No orders yet"',)


@pytest.mark.parametrize(
    ("table", "says", "reason"),
    [
        ('table "Orders"', "Loading…", "read 1 page, 0 rows; it is still loading"),
        ('table "Orders" busy', "", "read 1 page, 0 rows; it is still loading"),
        ('grid "Orders" setsize=121', "", "read 1 page, 0 rows; the page says 120"),
    ],
)
async def test_an_empty_table_that_has_rows_to_come_is_not_whole(
    pages: Any, table: str, says: str, reason: str
) -> None:
    row = f'  row\n    cell colspan=2\n      "{says}"\n' if says else ""
    head = '  row\n    columnheader\n      "Who"\n    columnheader\n      "Sum"\n'
    [frame] = await read_tables(pages(f"{table}\n{head}{row}"))
    assert frame.empty
    assert not frame.skillbook.complete
    assert frame.skillbook.reason == reason


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "heading", "cost": "text ~'€'", "url": "link@href"},
        {"name": "title", "cost": "price", "url": "title@href"},
        {"name": "link", "cost": "text ~'€'", "url": "heading@href"},
        {"name": "text nth 1", "cost": "text /€/", "url": "link@href"},
    ],
)
async def test_fields(pages: Any, shop_page: Callable[..., str], fields: dict[str, str]) -> None:
    frame = await extract_frame(pages(shop_page(*ITEMS)), fields)
    assert frame.to_dict("list") == {
        "name": ["Nut", "Bolt", "Gear"],
        "cost": [1.75, 2.5, 1200.0],
        "url": ["/p/Nut", "/p/Bolt", "/p/Gear"],
    }


async def test_other_attributes(pages: Any, shop_page: Callable[..., str]) -> None:
    frame = await extract_frame(
        pages(shop_page(*ITEMS)), {"src": "img@src", "alt": "img@name", "buy": "button@ref"}
    )
    assert frame.iloc[0].tolist() == ["/i/Nut.png", "photo", "e7"]


async def test_a_listed_field_called_text_is_that_field_and_not_the_first_text(pages: Any) -> None:
    item = '  generic tag=div.card\n    heading "{0}" level=3\n    generic tag=div\n      "{1} left"\n'
    stock = {"Nut": 4, "Bolt": 5, "Gear": 6}
    page = "main\n" + "".join(item.format(name, count) for name, count in stock.items())
    whole = await extract_frame(pages(page))
    assert "text" in whole.columns
    frame = await extract_frame(pages(page), {"count": "text", "name": "title"})
    assert frame["count"].tolist() == whole["text"].tolist() == ["4 left", "5 left", "6 left"]
    assert frame["name"].tolist() == ["Nut", "Bolt", "Gear"]
    first = await extract_frame(pages(page), {"first": "text nth 1"})
    assert first["first"].tolist() == ["Nut", "Bolt", "Gear"]


async def test_a_list_of_names(pages: Any, shop_page: Callable[..., str]) -> None:
    assert list((await extract_frame(pages(shop_page(*ITEMS)), ["Title", "PRICE"])).columns) == [
        "Title",
        "PRICE",
    ]


async def test_rows_without_any_collection_are_found_around_the_fields(pages: Any) -> None:
    page = (
        'main\n  heading "One" level=2\n  textbox "Note" + value=a\n'
        '  generic\n    heading "Two" level=2\n    textbox "Note" + value=b\n'
    )
    frame = await extract_frame(pages(page), {"note": "textbox@value"})
    assert frame["note"].tolist() == ["a", "b"]


@pytest.mark.parametrize("within", ["Stock", "table 'Stock'", "e1"])
async def test_within(pages: Any, shop_page: Callable[..., str], within: str) -> None:
    row = '  row\n    cell\n      "{}"\n    cell\n      "{}"\n'
    table = 'table "Stock"\n' + row.format("Nut", "x") + row.format("Bolt", "y")
    frame = await extract_frame(pages(table + shop_page(*ITEMS)), within=within)
    assert frame["column 1"].tolist() == ["Nut", "Bolt"]


async def test_within_can_name_the_rows(pages: Any, shop_page: Callable[..., str]) -> None:
    frame = await extract_frame(pages(shop_page(*ITEMS)), {"name": "heading"}, within="card")
    assert frame["name"].tolist() == ["Nut", "Bolt", "Gear"]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"fields": {"x": "nonsense"}}, ExtractionError, "no rows have the field 'x'"),
        ({"fields": {"x": "button 'Sell'"}}, ExtractionError, "no rows have the field 'x'"),
        ({"fields": {"x": "button 'a"}}, SelectorSyntaxError, "can't read"),
        ({"fields": {}}, ExtractionError, "no fields given"),
        ({"fields": ["title"], "example": ["e2"]}, ExtractionError, "each say what the columns are"),
        ({"columns": ["title"], "details": {"upc": "UPC"}}, ExtractionError, "columns= and details="),
        ({"columns": ["title", "size"]}, ExtractionError, "no column 'size'"),
        ({"within": "region 'Nowhere'"}, ExtractionError, "nothing matches within"),
        ({"example": ["e999"]}, UnknownRef, "no element"),
        ({"example": []}, ExtractionError, "no example"),
        ({"max_pages": 0}, ExtractionError, "reads nothing"),
    ],
)
async def test_what_cannot_be_extracted(
    pages: Any, shop_page: Callable[..., str], arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        await extract_frame(pages(shop_page(*ITEMS)), **arguments)


async def test_a_page_without_rows_says_so(pages: Any) -> None:
    with pytest.raises(ExtractionError) as caught:
        await extract_frame(pages('main\n  button "A" +'))
    assert "no table, list or cards" in caught.value.hint


async def test_by_example(pages: Any, shop_page: Callable[..., str]) -> None:
    page = shop_page(*ITEMS)  # e2 is the first card, e4 its link, e5 its price; e8 the second card
    assert list((await extract_frame(pages(page), example=["e5"])).columns) == ["price"]
    assert list((await extract_frame(pages(page), example=["e4", "e5"])).columns) == ["title", "price"]
    assert list((await extract_frame(pages(page), example=["e2"])).columns) == ["title", "price", "image"]
    assert len(await extract_frame(pages(page), example=["e2", "e8"])) == 3
    assert (await extract_frame(pages(page), example=["e7"])).shape == (
        3,
        3,
    )  # a button is no field, but in a row


async def test_by_example_outside_of_collections(pages: Any) -> None:
    page = 'main\n  paragraph\n    link "A" + href=/a ref=e5\n  paragraph\n    link "B" + href=/b\n  button "C" +'
    assert (await extract_frame(pages(page), example=["e5"])).to_dict("list") == {"value": ["A", "B"]}


class Product(BaseModel):
    name: str = Field(alias="title")
    price: float


class Deal(BaseModel):
    label: str
    cost: float


async def test_by_schema(pages: Any, shop_page: Callable[..., str]) -> None:
    frame = await extract_frame(pages(shop_page(*ITEMS)), schema=Product)
    assert frame.columns.tolist() == ["name", "price"]
    assert frame["price"].sum() == 1204.25


async def test_a_schema_that_names_do_not_tell_needs_a_mapper(
    pages: Any, shop_page: Callable[..., str]
) -> None:
    with pytest.raises(ExtractionError, match="label"):
        await extract_frame(pages(shop_page(*ITEMS)), schema=Deal)

    async def mapper(schema: type[BaseModel], collections: list[Collection]) -> tuple[int, dict[str, str]]:
        assert schema is Deal
        return 0, {"label": "title", "cost": "price"}

    frame = await extract_frame(pages(shop_page(*ITEMS)), schema=Deal, mapper=mapper)
    assert frame.columns.tolist() == ["label", "cost"]


def numbered(first: int, count: int = 3) -> list[tuple[str, str]]:
    return [(f"P{n}", f"€{n}.00") for n in range(first, first + count)]


@pytest.mark.parametrize(
    ("control", "following"),
    [
        ('link "Next" + href=/n', True),
        ('link "Next page ›" + href=/n', True),
        ('button "›" +', True),
        ('link "Weiter" + href=/n', True),
        ('link "More" + href=/n', "link 'More'"),
        ('button "Load more" +', "button name~'more'"),
    ],
)
async def test_next_pages(
    pages: Any, shop_page: Callable[..., str], control: str, following: str | bool
) -> None:
    source = pages(
        shop_page(*numbered(0), next=control), shop_page(*numbered(3), next=control), shop_page(*numbered(6))
    )
    seen: list[tuple[int, int]] = []
    frame = await extract_frame(source, next=following, progress=lambda *at: seen.append(at))
    assert frame["title"].tolist() == [f"P{n}" for n in range(9)]
    assert seen == [(1, 3), (2, 6), (3, 9)]
    assert [command for command, _ in source.done] == ["click", "click"]
    assert frame.skillbook.source(7, "price").url == "http://site.test/2"


async def test_next_by_ref_becomes_a_locator(pages: Any, shop_page: Callable[..., str]) -> None:
    first = shop_page(*numbered(0), next='link "Next" + href=/n ref=e90')
    source = pages(
        first, shop_page(*numbered(3), next='link "Next" + href=/n ref=e95'), shop_page(*numbered(6))
    )
    assert len(await extract_frame(source, next="e90")) == 9


@pytest.mark.parametrize(
    "last",
    ['link "Next" + disabled href=/n', 'link "Next" + href=/n'],  # disabled, or leads back to the same rows
)
async def test_the_last_page(pages: Any, shop_page: Callable[..., str], last: str) -> None:
    source = pages(shop_page(*numbered(0), next='link "Next" + href=/n'), shop_page(*numbered(3), next=last))
    assert len(await extract_frame(source, next=True)) == 6


async def test_pages_at_most(pages: Any, shop_page: Callable[..., str]) -> None:
    texts = [shop_page(*numbered(3 * at), next='link "Next" + href=/n') for at in range(9)]
    source = pages(*texts)
    assert len(await extract_frame(source, next=True, max_pages=2)) == 6
    assert len(source.done) == 1


async def test_pages_that_go_round_end(pages: Any, shop_page: Callable[..., str]) -> None:
    one, two = (shop_page(*numbered(3 * at), next='link "Next" + href=/n') for at in range(2))
    assert len(await extract_frame(pages(one, two, one, two), next=True)) == 6


async def test_equal_rows_of_different_pages_are_kept(pages: Any, shop_page: Callable[..., str]) -> None:
    one = shop_page(("A", "€1"), ("B", "€2"), ("C", "€3"), next='link "Next" + href=/n')
    two = shop_page(("B", "€2"), ("D", "€4"), ("E", "€5"))
    frame = await extract_frame(pages(one, two), next=True)
    assert frame["title"].tolist() == ["A", "B", "C", "B", "D", "E"]


async def test_a_list_that_grows_gives_each_row_once(pages: Any, shop_page: Callable[..., str]) -> None:
    more = 'button "Load more" +'
    texts = [
        shop_page(*numbered(0, 3), next=more),
        shop_page(*numbered(0, 6), next=more),
        shop_page(*numbered(0, 7)),
    ]
    frame = await extract_frame(pages(*texts, same_document=True), next=True)
    assert frame["title"].tolist() == [f"P{n}" for n in range(7)]


async def test_scrolling(pages: Any, shop_page: Callable[..., str]) -> None:
    texts = [shop_page(*numbered(0, count)) for count in (3, 6, 8, 8)]
    source = pages(*texts, same_document=True)
    frame = await extract_frame(source, scroll=True)
    assert len(frame) == 8
    assert source.done[0] == ("scroll", {"to": "bottom"})


async def test_scrolling_a_virtual_list(pages: Any) -> None:
    def window(first: int) -> str:
        return "main\n" + "".join(
            f'  generic tag=div.card ref=e{10 * (n + 2)}\n    heading "P{n}" ref=e{10 * (n + 2) + 1}\n'
            f'    generic tag=div.price ref=e{10 * (n + 2) + 2}\n      "€{n}"\n'
            f'    button "Buy" + ref=e{10 * (n + 2) + 3}\n'
            for n in range(first, first + 5)
        )

    frame = await extract_frame(
        pages(window(0), window(3), window(6), window(6), same_document=True), scroll=True
    )
    assert frame["title"].tolist() == [f"P{n}" for n in range(11)]


async def test_rows_are_kept_when_a_page_fails(pages: Any, shop_page: Callable[..., str]) -> None:
    source = pages(shop_page(*numbered(0), next='link "Next" + href=/n'), PageClosed("the page was closed"))
    so_far = PartialResult()
    with pytest.raises(ExtractionError) as caught:
        await extract_frame(source, next=True, so_far=so_far)
    assert caught.value.data == {"pages": 1, "rows": 3, "cause": "page_closed"}
    frame = caught.value.frame  # type: ignore[attr-defined]
    assert frame["title"].tolist() == ["P0", "P1", "P2"]
    assert len(so_far.rows) == 3
    assert list(so_far.columns) == list(frame.columns)


async def test_two_ways_on_are_refused(pages: Any, shop_page: Callable[..., str]) -> None:
    page = shop_page(*numbered(0), next='link "Next" + href=/a', extra='  link "Next" + href=/b\n')
    with pytest.raises(ExtractionError) as caught:
        await extract_frame(pages(page), next="link 'Next'")
    assert isinstance(caught.value.__cause__, AmbiguousMatch)


async def test_hostile_text_is_only_text(pages: Any, shop_page: Callable[..., str]) -> None:
    frame = await extract_frame(pages(shop_page(("=1+1", "€1"), ("<b>x</b>", "€2"), ("@SUM(A1)", "€3"))))
    assert frame["title"].tolist() == ["=1+1", "<b>x</b>", "@SUM(A1)"]
    assert "<b>" not in frame.to_html()
    assert isinstance(frame, pd.DataFrame)


async def test_synonyms_name_the_same_field(pages: Any) -> None:
    item = (
        '  generic tag=div.op\n    "{0}" tag=span.op-line-method\n    generic tag=div.op-line-path-wrapper\n'
        '      link "/{1}" +\n      generic\n    "About {1}" tag=div.op-line-description\n'
    )
    page = "main\n" + "".join(map(item.format, ["GET", "PUT", "POST"], "abc"))
    frame = await extract_frame(pages(page), fields=["method", "path", "summary"])
    assert frame.values.tolist() == [
        ["GET", "/a", "About a"],
        ["PUT", "/b", "About b"],
        ["POST", "/c", "About c"],
    ]

    class Operation(BaseModel):
        verb: str
        path: str
        summary: str

    frame = await extract_frame(pages(page), schema=Operation)
    assert frame["verb"].tolist() == ["GET", "PUT", "POST"]
    assert frame["summary"].tolist()[2] == "About c"


@pytest.mark.parametrize("label", ["Price (incl. tax)", "Price/kg", "UPC"])
async def test_a_field_may_be_a_label_with_brackets(pages: Any, label: str) -> None:
    page = f'table\n  row\n    columnheader "{label}"\n  row\n    cell "7"\n  row\n    cell "8"\n'
    frame = await extract_frame(pages(page), {"x": label})
    assert list(frame["x"]) == [7, 8]


async def test_menus_called_as_their_column_hide_no_fact(pages: Any) -> None:
    rows = "".join(
        f'  row\n    cell "{n}"\n    cell "Actions"\n      button "Actions" + collapsed\n' for n in (1, 2)
    )
    page = f'table\n  row\n    columnheader "Size"\n    columnheader "Actions"\n{rows}'
    frame = await extract_frame(pages(page))
    assert frame.skillbook.complete


async def test_hints_say_what_to_do(pages: Any, shop_page: Callable[..., str]) -> None:
    for given, hint in (
        ({"example": "Nut", "schema": Product}, "leave out all but one"),
        ({"types": {"price": float}}, "na_values="),
    ):
        with pytest.raises(ExtractionError) as error:
            await extract_frame(pages(shop_page(*ITEMS)), **given)
        assert hint in str(error.value.hint)
