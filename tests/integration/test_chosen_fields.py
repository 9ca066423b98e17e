"""Fields that are chosen, by a selector, a schema or an example, are what the page says of just these."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from pydantic import BaseModel

import skillbook as sb
from skillbook.extraction.frames.validation import InvalidRows
from skillbook.session.sync import Page

BOATS = [
    ("Heron", "1,249.00", 4.6, 38),
    ("Otter", "899.50", 4.1, 12),
    ("Mallard", "", 4.9, 61),
    ("Coot", "", 4.8, 5),
]


def boats() -> str:
    cards = ""
    for at, (name, price, rating, count) in enumerate(BOATS):
        cost = f"&pound;{price}" if price else "<span>Sold out</span>" if name == "Coot" else ""
        stars = f'<span class=stars role=img aria-label="{rating} out of 5">&#9733;&#9733;&#9733;</span>'
        cards += (
            f'<article class=boat><a href="/boats/{at}"><img src="/{at}.svg" alt="{name} on the water"></a>'
            f'<h3><a href="/boats/{at}">{name}</a></h3>{f"<p class=cost>{cost}</p>" if cost else ""}'
            f"<div>{stars} <small>({count})</small></div></article>"
        )
    return f'<main><h1>Boats</h1><section aria-label="Boats">{cards}</section></main>'


def test_an_image_found_by_its_name_is_that_name(read_html: Callable[[str], Page]) -> None:
    page = read_html(boats())
    for selector in ("img ~'out of 5'", "css '.stars'"):
        frame = sb.extract(page, {"name": "heading", "price": "text ~'£'", "rating": selector})
        assert frame["rating"].tolist() == ["4.6 out of 5", "4.1 out of 5", "4.9 out of 5", "4.8 out of 5"]
        assert frame.skillbook.notes == ("'price': 2 of 4 rows have none",)
    assert set(sb.extract(page, {"rating": "img ~'out of 5' @text"})["rating"]) == {"★★★"}


class Boat(BaseModel):
    name: str
    price: float
    url: str | None = None
    image: str | None = None
    rating: float | None = None


def test_a_schema_takes_addresses_and_ratings_of_cards(read_html: Callable[[str], Page]) -> None:
    with pytest.warns(InvalidRows):
        frame = sb.extract(read_html(boats()), schema=Boat)
    assert frame["name"].tolist() == ["Heron", "Otter", "Mallard", "Coot"]
    assert [urlsplit(url).path for url in frame["url"]] == [f"/boats/{at}" for at in range(4)]
    assert [urlsplit(url).path for url in frame["image"]] == [f"/{at}.svg" for at in range(4)]
    assert frame["rating"].tolist() == [4.6, 4.1, 4.9, 4.8]
    assert frame["price"].tolist()[:2] == [1249.0, 899.5]
    assert frame["price"][2:].isna().all()
