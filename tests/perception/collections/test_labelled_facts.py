"""Facts in cards: labels name columns, and a fact that a card lacks is blank in its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import indent

import pytest

from skillbook.extraction.reading.plans import CollectionPlan, Place
from skillbook.perception.collections import Collection, find_collections
from tests.trees import snapshot

GOODS = [
    ("Lamp", {"Price": "12", "State": "In stock", "Weight": "3 kg"}),
    ("Chair", {"Price": "45", "Weight": "7 kg"}),
    ("Table", {"Price": "99", "State": "Sold out", "Weight": "22 kg"}),
    ("Sofa", {"State": "In stock", "Weight": "41 kg"}),
    ("Shelf", {"Price": "31", "State": "In stock", "Weight": "9 kg"}),
]
WHOLE = [item for item in GOODS if len(item[1]) == len(GOODS[0][1])]
Fact = Callable[[str, str], str]


def cards(
    items: Sequence[tuple[str, dict[str, str]]], fact: Fact, item: str = "article", around: str = ""
) -> str:
    lines = []
    for title, facts in items:
        said = "\n".join(fact(label, value) for label, value in facts.items())
        said = f"{around}\n{indent(said, '  ')}" if around else said
        lines.append(f'{item}\n  heading "{title}"\n{indent(said, "  ")}')
    return "main\n" + indent("\n".join(lines), "  ")


def first(text: str) -> Collection:
    return next(each for each in find_collections(snapshot(text)) if not each.minor)


def texts(found: Collection) -> list[list[str | None]]:
    return [[cell.text if cell else None for cell in row.cells] for row in found.rows]


SHAPES: dict[str, tuple[Fact, str, str]] = {
    "rows of blocks": (lambda a, b: f'generic tag=div.row\n  "{a}" tag=div\n  "{b}" tag=div', "article", ""),
    "rows in blocks": (
        lambda a, b: f'generic tag=div.row\n  "{a}" tag=span.k\n  "{b}" tag=span.v',
        "generic tag=div.card",
        "",
    ),
    "rows without class": (
        lambda a, b: f'generic tag=div\n  "{a}" tag=div\n  "{b}" tag=div',
        "listitem",
        "",
    ),
    "definitions": (lambda a, b: f'"{a}" tag=dt\ndefinition tag=dd\n  "{b}"', "article", "generic tag=dl"),
    "definitions in blocks": (
        lambda a, b: f'generic tag=div\n  "{a}" tag=dt\n  definition tag=dd\n    "{b}"',
        "generic tag=div.card",
        "generic tag=dl",
    ),
    "a colon, then bold": (lambda a, b: f'"{a}:" tag=span\n"{b}" tag=b', "generic tag=div.card", ""),
    "labels of forms": (lambda a, b: f'"{a}" tag=label\n"{b}" tag=span', "article", ""),
    "one text with a colon": (lambda a, b: f'paragraph\n  "{a}: {b}"', "article", ""),
    "list items with a colon": (lambda a, b: f'listitem\n  "{a}: {b}"', "article", "list"),
    "paragraphs with classes": (
        lambda a, b: f'paragraph tag=p.k\n  "{a}"\nparagraph tag=p.v\n  "{b}"',
        "article",
        "",
    ),
    "paragraphs by turns": (lambda a, b: f'paragraph\n  "{a}"\nparagraph\n  "{b}"', "article", ""),
    "blocks by turns": (lambda a, b: f'"{a}" tag=div\n"{b}" tag=div', "generic tag=div.card", ""),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_label_names_a_column_and_what_a_card_lacks_is_blank(shape: str) -> None:
    fact, item, around = SHAPES[shape]
    found = first(cards(GOODS, fact, item, around))
    assert found.fields == ["title", "Price", "State", "Weight"]
    assert texts(found) == [
        ["Lamp", "12", "In stock", "3 kg"],
        ["Chair", "45", None, "7 kg"],
        ["Table", "99", "Sold out", "22 kg"],
        ["Sofa", None, "In stock", "41 kg"],
        ["Shelf", "31", "In stock", "9 kg"],
    ]
    assert (found.notes, found.faults) == ([], [])


@pytest.mark.parametrize("shape", SHAPES)
def test_cards_that_lack_no_fact_are_a_row_each(shape: str) -> None:
    fact, item, around = SHAPES[shape]
    found = first(cards(WHOLE, fact, item, around))
    assert found.fields == ["title", "Price", "State", "Weight"]
    assert texts(found)[1] == ["Table", "99", "Sold out", "22 kg"]
    assert found.count == len(WHOLE)
    # Nothing at all says that these are labels.
    assert bool(found.faults) is shape.endswith("by turns")


@pytest.mark.parametrize(
    ("places", "is_sure"),
    [
        ([(0, 0), (60, 0), (0, 20), (60, 20), (0, 40), (60, 40)], True),  # a line each
        ([(0, 0), (0, 20), (0, 50), (0, 70), (0, 100), (0, 120)], True),  # nearer to each other
        ([(0, 0), (0, 20), (0, 40), (0, 60), (0, 80), (0, 100)], False),
        ([(0, 0), (60, 0), (120, 0), (180, 0), (240, 0), (300, 0)], False),
    ],
)
def test_texts_by_turns_are_labels_for_sure_where_their_place_shows_pairs(
    places: list[tuple[int, int]], is_sure: bool
) -> None:
    lines = []
    for number, (title, facts) in enumerate(WHOLE):
        said = [text for pair in facts.items() for text in pair]
        boxes = [f"box={x},{200 * number + y},40,20" for x, y in places]
        texts = "\n".join(f'  "{text}" tag=span {box}' for text, box in zip(said, boxes, strict=True))
        lines.append(f'article\n  heading "{title}"\n{texts}')
    found = first("main\n" + indent("\n".join(lines), "  "))
    assert found.fields == ["title", "Price", "State", "Weight"]
    assert (found.faults == []) is is_sure


def cells(*said: str) -> str:
    return "row\n" + indent("\n".join(f'cell\n  "{text}"' for text in said), "  ")


TABLES: dict[str, tuple[Fact, str]] = {
    "cells": (lambda a, b: cells(a, b), "article"),
    "headers of rows": (lambda a, b: f'row\n  rowheader tag=th\n    "{a}"\n  cell\n    "{b}"', "listitem"),
}


@pytest.mark.parametrize("shape", TABLES)
@pytest.mark.parametrize("goods", [GOODS, WHOLE])
def test_a_table_of_facts_in_each_card_is_a_part_of_it(
    shape: str, goods: list[tuple[str, dict[str, str]]]
) -> None:
    fact, item = TABLES[shape]
    text = cards(goods, fact, item, "table")
    every = [each for each in find_collections(snapshot(text)) if not each.minor]
    assert [each.kind in {"cards", "list"} for each in every] == [True]
    assert every[0].fields == ["title", "Price", "State", "Weight"]
    assert texts(every[0]) == [
        [title, facts.get("Price"), facts.get("State"), facts.get("Weight")] for title, facts in goods
    ]
    assert every[0].faults == []


def test_two_facts_in_a_row_of_a_card_s_table_are_two() -> None:
    lines = [
        f'article\n  heading "{title}"\n  table\n'
        + indent(f"{cells('Price', price, 'Size', size)}\n{cells('Place', place, 'Kind', kind)}", "    ")
        for title, price, size, place, kind in [
            ("A", "1", "L", "x", "u"),
            ("B", "2", "M", "y", "v"),
            ("C", "3", "S", "z", "w"),
        ]
    ]
    found = first("main\n" + indent("\n".join(lines), "  "))
    assert found.fields == ["title", "Price", "Size", "Place", "Kind"]
    assert (texts(found)[0], found.faults) == (["A", "1", "L", "x", "u"], [])


def test_tables_with_rows_of_their_own_stay_tables() -> None:
    orders = [
        ("Order 1", [("Lamp", "2"), ("Rug", "1")]),
        ("Order 2", [("Sofa", "1"), ("Bed", "4")]),
        ("Order 3", [("Cup", "9"), ("Pan", "3")]),
    ]
    lines = [
        f'article\n  heading "{title}"\n  table\n' + indent("\n".join(cells(*each) for each in rows), "    ")
        for title, rows in orders
    ]
    every = find_collections(snapshot("main\n" + indent("\n".join(lines), "  ")))
    assert [texts(each) for each in every if each.kind == "table"] == [
        [list(row) for row in rows] for _, rows in orders
    ]


def test_a_fact_that_few_cards_have_does_not_shift_others() -> None:
    goods = [
        (f"Part {n}", {"Price": f"{n}", "Size": f"{n} cm"} | ({"Ends": "soon"} if n == 3 else {}))
        for n in range(9)
    ]
    found = first(cards(goods, SHAPES["rows in blocks"][0], "generic tag=div.card"))
    assert found.fields == ["title", "Price", "Size", "Ends"]
    assert [row[3] for row in texts(found)] == [None, None, None, "soon", *[None] * 5]


def test_the_same_text_on_all_cards_is_no_label_without_a_value_beside_it() -> None:
    lines = [
        f'generic tag=div.card\n  heading "{title}"\n  "{price}" tag=span.price\n  "In stock" tag=span.state\n'
        '  "EUR" tag=span.unit\n  button "Add to cart" +'
        for title, price in zip("ABCD", ["1", "2", "3", "4"], strict=True)
    ]
    found = first("main\n" + indent("\n".join(lines), "  "))
    assert found.fields[:4] == ["title", "price", "state", "unit"]
    assert texts(found)[0][:4] == ["A", "1", "In stock", "EUR"]


def test_numbers_before_what_they_count_are_no_values_of_the_word_before_them() -> None:
    lines = [
        f'article\n  heading "{name}"\n  "{n}" tag=b\n  "followers" tag=span\n  "{n + 3}" tag=b\n  "posts" tag=span'
        for n, name in enumerate(["Ann", "Bob", "Cy", "Di"])
    ]
    found = first("main\n" + indent("\n".join(lines), "  "))
    assert not {"followers", "posts"} & set(found.fields)


def test_names_that_repeat_in_some_cards_are_no_labels() -> None:
    teams = ["Ulm", "Bonn", "Kiel", "Jena", "Trier", "Celle"]
    pairs = [(0, 1), (2, 3), (4, 5), (1, 2), (3, 4), (5, 0)]
    games = [(f"Day {n}", {teams[a]: f"{n}", teams[b]: f"{n + 1}"}) for n, (a, b) in enumerate(pairs)]
    found = first(cards(games, SHAPES["rows without class"][0]))
    assert not set(teams) & set(found.fields)


def test_categories_beside_prices_are_values() -> None:
    lines = [
        f'article\n  generic tag=div.row\n    "{kind}" tag=div\n    "{n}" tag=div\n  paragraph\n    "Part {n}"'
        for n, kind in enumerate(["Lamps", "Chairs", "Lamps", "Chairs", "Lamps"])
    ]
    found = first("main\n" + indent("\n".join(lines), "  "))
    assert not {"Lamps", "Chairs"} & set(found.fields)


def test_titles_with_a_colon_stay_titles() -> None:
    lines = [f'article\n  heading "Review: part {n}"\n  paragraph\n    "Part {n} is good"' for n in range(4)]
    found = first("main\n" + indent("\n".join(lines), "  "))
    assert texts(found)[0] == ["Review: part 0", "Part 0 is good"]


@pytest.mark.parametrize("shape", ["rows of blocks", "rows in blocks", "definitions"])
def test_a_single_card_on_the_last_page_has_the_columns_of_the_others(shape: str) -> None:
    fact, item, around = SHAPES[shape]
    seen = first(cards(GOODS, fact, item, around))
    last = snapshot(cards([("Rug", {"State": "Sold out", "Weight": "4 kg"})], fact, item, around))
    plan = CollectionPlan.of(seen, Place())
    assert plan.columns[1:] == ["Price", "State", "Weight"]
    assert [[cell and cell.text for cell in row.cells] for row in plan.read(last)] == [
        ["Rug", None, "Sold out", "4 kg"]
    ]


def test_a_label_without_its_value_is_a_blank_of_its_item() -> None:
    def card(*facts: tuple[str, str]) -> str:
        rows = (
            f'generic tag=div.row\n  generic tag=div.k\n    "{label}"'
            + (f'\n  generic tag=div.v\n    "{value}"' if value else "")
            for label, value in facts
        )
        return "generic tag=div.card\n" + indent("\n".join(rows), "  ")

    items = [(f"Oak {at}", str(at), "" if at % 4 == 0 else f"n{at}") for at in range(8)]
    page = "\n".join(card(*zip(("Name", "Count", "Note"), item, strict=True)) for item in items)
    found = first("main\n" + indent(page, "  "))
    assert found.fields == ["Name", "Count", "Note"]
    assert texts(found) == [[text or None for text in item] for item in items]
