"""Cards as pages make them: prices side by side, parts that only some cards have, cards that are links as a whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Page

PRODUCTS = [
    ("Sale", "Red Lamp", "$85.30", "$27.80", "3.2 / 5", "In stock"),
    ("", "Tall Desk", "", "$40.90", "4.1 / 5", "Sold out"),
    ("New", "Blue Rug", "", "$12.00", "", "In stock"),
    ("", "Old Mug", "$9.99", "$7.70", "", "Sold out"),
    ("", "Oak Shelf", "", "$55.00", "2.2 / 5", ""),
]


def card(product: tuple[str, ...], tag: str, named: bool) -> str:
    badge, title, old, price, rating, stock = product
    name = (lambda text: f" class={text}") if named else (lambda text: "")
    parts = [
        f"<span{name('badge')}>{badge}</span>" if badge else "",
        f"<h3>{title}</h3>",
        f"<del{name('was')}>{old}</del> " if old else "",
        f"<span{name('price')}>{price}</span>",
        f"<div{name('rating')}>{rating}</div>" if rating else "",
        f"<div{name('stock')}>{stock}</div>" if stock else "",
    ]
    link = f" href='/p/{title[0]}'" if tag == "a" else ""
    return f"<{tag}{name('card')}{link} style='display: block; border: 1px solid'>{''.join(parts)}</{tag}>"


@pytest.mark.parametrize("tag", ["div", "li", "a"])
@pytest.mark.parametrize("named", [True, False])
def test_every_part_of_a_card_is_in_its_column(
    read_html: Callable[[str], Page], tag: str, named: bool
) -> None:
    cards = "".join(card(each, tag, named) for each in PRODUCTS)
    page = read_html(f"<main><h1>Products</h1><{'ul' if tag == 'li' else 'div'}>{cards}</main>")
    raw = sb.extract(page).skillbook.raw.fillna("")
    assert len(raw) == len(PRODUCTS)
    columns = [tuple(raw[name]) for name in raw.columns]
    for place, said in enumerate(zip(*PRODUCTS, strict=True)):
        assert said in columns, (place, raw)


@pytest.mark.parametrize(
    "part",
    [
        "<div>{}</div>",
        "<p class=small>{}</p>",
        "<div><span>{}</span></div>",
        "<span class=x style='display: block'>{}</span>",
    ],
)
def test_a_value_that_is_missing_moves_no_other_up_where_its_element_is_there(
    read_html: Callable[[str], Page], part: str
) -> None:
    rows = [
        ("Cook", "Ritz", "Paris"),
        ("Baker", "Oven Ltd", "Lyon"),
        ("Waiter", "", "Nice"),
        ("Clerk", "Bank", ""),
    ]
    cards = "".join(
        f"<article><h3>{title}</h3>{part.format(firm)}{part.format(city)}</article>"
        for title, firm, city in rows
    )
    frame = sb.extract(read_html(f"<main>{cards}</main>"))
    raw = frame.skillbook.raw.fillna("")
    assert list(raw.itertuples(index=False, name=None)) == rows
    assert frame.skillbook.complete


def test_what_only_one_card_has_and_no_class_names_is_in_a_column_of_its_own(
    read_html: Callable[[str], Page],
) -> None:
    cards = "".join(card((*each[:5], ""), "div", named=False) for each in PRODUCTS[1:4])
    page = read_html(f"<main><div>{cards}</div></main>")
    assert sb.extract(page)["other text"].tolist() == ["4.1 / 5", "New", "$9.99"]


def test_fields_of_a_card_have_their_values_and_what_fits_twice_is_noted(
    read_html: Callable[[str], Page],
) -> None:
    cards = "".join(
        f"<article class=card>{card(each, 'div', named=True)}"
        f"<input type=number aria-label=Quantity value={place}><select aria-label=Size><option>S<option selected>M"
        f"</select></article>"
        for place, each in enumerate(PRODUCTS, 1)
    )
    page = read_html(f"<main>{cards}</main>")
    fields = {"title": "heading", "price": "text ~'$'", "count": "spinbutton 'Quantity'", "size": "combobox"}
    frame = sb.extract(page, fields)
    assert frame["count"].tolist() == [1, 2, 3, 4, 5]
    assert frame["price"].tolist() == [85.3, 40.9, 12.0, 9.99, 55.0]
    assert set(frame["size"]) == {"M"}
    assert frame.skillbook.notes == (
        "'price': 2 rows have several that fit, and the first is read: say nth, or more",
    )


def test_a_line_of_named_texts_has_a_column_for_each(read_html: Callable[[str], Page]) -> None:
    cards = "".join(
        f"<li class=card><h3>{title}</h3><p class=line><span class=price>{price}</span> "
        f"<em class=stock>{stock}</em></p>"
        for _, title, _, price, _, stock in PRODUCTS[:4]
    )
    frame = sb.extract(read_html(f"<ul>{cards}</ul>"))
    assert frame.columns.tolist() == ["title", "price", "stock"]
    assert frame["price"].tolist() == [27.8, 40.9, 12.0, 7.7]


def test_controls_side_by_side_are_no_rows_and_the_warning_says_how_to_read_them(
    read_html: Callable[[str], Page],
) -> None:
    tiles = "".join(f"<a href='/p{n}'>Part {n}</a>" for n in range(12))
    page = read_html(f"<title>Parts</title><h1>Parts</h1><main><div class=tiles>{tiles}</div></main>")
    with pytest.warns(
        IncompleteFrame, match=r"12 links side by side: fields={'name': 'link'} with sb.extract"
    ):
        assert sb.tables(page) == []
    frame = sb.extract(page, fields={"name": "link"})
    assert frame["name"].tolist() == [f"Part {n}" for n in range(12)]


JOURNAL = """<style>ul {list-style: none; padding: 0} .line {display: flex} .line > * {width: 120px}</style>
<ul><li class=head><div class=line><button>Date</button><button>Payee</button><div class=num>Amount</div></div>
""" + "".join(
    f"<li class=entry><div class=line><div><a href=#{n}>2024-01-0{n}</a></div><div class=name>Shop {n}</div>"
    f"<div class=sum>{n}.50</div></div>"
    for n in range(1, 5)
)


def test_a_first_item_that_names_what_stands_below_it_is_no_row(read_html: Callable[[str], Page]) -> None:
    frame = sb.extract(read_html(JOURNAL))
    assert frame.columns.tolist() == ["Date", "Payee", "Amount"]
    assert frame["Payee"].tolist() == [f"Shop {n}" for n in range(1, 5)]
    assert frame["Amount"].tolist() == [1.5, 2.5, 3.5, 4.5]
    assert frame.skillbook.complete
    assert "the first item, which names what stands below it" in frame.skillbook.notes[-1]


PRICES = {
    "an old one beside it": (
        ["<div class=price><del>$20.00</del> <ins>$15.00</ins></div>", "<div class=price>$40.00</div>"],
        {"struck": [20.0, None], "price": [15.0, 40.0]},
    ),
    "in an element of its own in some": (["<span class=price>$15.00</span>", "$40.00"], {"price": [15.0, 40.0]}),
}  # fmt: skip


@pytest.mark.parametrize("case", PRICES)
def test_what_something_costs_is_in_one_column(read_html: Callable[[str], Page], case: str) -> None:
    prices, said = PRICES[case]
    cards = "".join(
        f"<article class=card><h3>Thing {n}</h3>{prices[n % 2]}<p>In stock</p></article>" for n in range(4)
    )
    frame = sb.extract(read_html(f"<h1>Things</h1><div>{cards}</div>"))
    assert frame["title"].tolist() == [f"Thing {n}" for n in range(4)]
    found = {name: frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in said}
    assert found == {name: values * 2 for name, values in said.items()}
    assert not [name for name in frame.columns if name.startswith("price ")]


def test_what_can_be_chosen_in_a_card_is_one_value(read_html: Callable[[str], Page]) -> None:
    sizes = "<select><option>S<option selected>M<option>L</select>"
    cards = "".join(
        f"<div class=card><h3>Tee {n}</h3><span class=price>${n}9.00</span>{sizes}</div>" for n in range(1, 5)
    )
    (frame,) = sb.tables(read_html(f"<main>{cards}</main>"))
    assert frame["title"].tolist() == [f"Tee {n}" for n in range(1, 5)]
    assert frame["price"].tolist() == [19.0, 29.0, 39.0, 49.0]
    assert frame.iloc[:, -1].tolist() == ["M"] * 4
