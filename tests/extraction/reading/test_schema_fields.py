"""A schema's field is what its name and type say for sure; else its column is blank, and a note says why."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, HttpUrl

from skillbook.errors import ExtractionError
from skillbook.extraction.driver import extract_frame


def table(heads: list[str], *rows: list[str]) -> str:
    """A table in which "text -> address" is a link."""
    lines = "  row\n" + "".join(f'    columnheader\n      "{head}"\n' for head in heads)
    for row in rows:
        lines += "  row\n"
        for text in row:
            said, _, href = text.partition(" -> ")
            inner = f'      link "{said}" + href={href}\n' if href else f'      "{said}"\n'
            lines += f"    cell\n{inner}"
    return f'table "Boats"\n{lines}'


class Boat(BaseModel):
    name: str
    price: float
    url: str | None = None
    rating: float | None = None


async def test_an_address_is_no_text_and_a_rating_no_count(pages: Any) -> None:
    page = table(
        ["Name", "Price", "Link", "Rating", "Reviews"],
        ["Heron -> /b/1", "£1,249.00", "See it -> /b/1", "4.6 out of 5", "(38)"],
        ["Otter -> /b/2", "£899.50", "See it -> /b/2", "4.1 out of 5", "(12)"],
        ["Coot -> /b/3", "Sold out", "See it -> /b/3", "n/a", "(5)"],
    )
    frame = await extract_frame(pages(page), schema=Boat)
    assert [url.removeprefix("http://site.test") for url in frame["url"]] == ["/b/1", "/b/2", "/b/3"]
    assert frame["rating"].tolist()[:2] == [4.6, 4.1]
    assert frame["price"].tolist()[:2] == [1249.0, 899.5]
    assert frame.skillbook.rules["rating"] == "out of 5"
    assert frame.skillbook.report["value"].tolist() == ["Sold out", "n/a"]


@pytest.mark.parametrize(
    ("heads", "row", "field", "why"),
    [
        (["Name", "Price", "Score of staff", "Score of guests"], ["A", "£2", "7", "8"], "rating", ""),
        (["Name", "Price", "Reviews"], ["A", "£2", "(38)"], "rating", "no field fits"),
        (["Name", "Price", "Maker"], ["A -> /a", "£2", "M -> /m"], "url", '"Name" and "Maker" fit alike'),
        (["Name", "Price", "Picture"], ["A", "£2", "A on the water"], "url", "no field fits"),
    ],
)
async def test_what_is_not_sure_is_blank_and_noted(
    pages: Any, heads: list[str], row: list[str], field: str, why: str
) -> None:
    other = [text.replace("A", "B").replace("/", "/b") for text in row]
    frame = await extract_frame(pages(table(heads, row, other)), schema=Boat)
    assert frame.columns.tolist() == ["name", "price", "url", "rating"]
    assert frame[field].isna().all()
    assert any(note.startswith(f"'{field}' is blank: {why}") for note in frame.skillbook.notes)
    assert frame.skillbook.complete


async def test_a_required_field_in_doubt_is_never_complete(pages: Any) -> None:
    page = table(
        ["Name", "Price net", "Price gross", "URL", "Rating"],
        ["A", "£2", "£3", "/a", "4/5"],
        ["B", "£4", "£5", "/b", "3/5"],
    )
    frame = await extract_frame(pages(page), schema=Boat)
    assert frame["url"].tolist() == ["/a", "/b"]
    assert frame["price"].isna().all()
    assert not frame.skillbook.complete
    assert '\'price\' is blank: "Price net" and "Price gross" fit alike' in frame.skillbook.reason

    class Priced(BaseModel):
        name: str
        price: float

    with pytest.raises(ExtractionError, match=r'price \("Price net" and "Price gross" fit alike\)'):
        await extract_frame(pages(page), schema=Priced)


async def test_whose_address_it_is_counts(pages: Any) -> None:
    class Work(BaseModel):
        name: str
        maker_url: str | None = None
        page: HttpUrl | None = None
        agent_url: str | None = None

    page = table(["Name", "Maker"], ["A -> /a", "M -> /m"], ["B -> /b", "N -> /n"])
    frame = await extract_frame(pages(page), schema=Work)
    assert [url.removeprefix("http://site.test") for url in frame["maker_url"]] == ["/m", "/n"]
    assert frame["agent_url"].isna().all()
    assert frame["page"].isna().all()
