"""Grids whose headers or values stand elsewhere than in rows of cells, and items in items."""

from __future__ import annotations

import pytest

from skillbook.perception.collections import Collection, find_collections
from tests.trees import snapshot


def texts(found: Collection) -> list[list[str]]:
    return [[cell.text if cell else "" for cell in row.cells] for row in found.rows]


def test_headers_outside_of_the_rows_are_the_columns_names() -> None:
    heads = "".join(
        f'  columnheader posinset={at}\n    "{name}"\n' for at, name in ((1, "Name"), (2, "City"))
    )
    rows = "".join(
        f'  row posinset={at}\n    cell posinset=1\n      "{name}"\n    cell posinset=2\n      "Ulm"\n'
        for at, name in enumerate("ab", 1)
    )
    (found,) = find_collections(snapshot(f"grid\n{heads}{rows}"))
    assert found.fields == ["Name", "City"]
    assert texts(found) == [["a", "Ulm"], ["b", "Ulm"]]


def test_rows_of_one_cell_with_names_and_values_are_columns() -> None:
    pair = '      generic\n        "{}"\n        "{}"\n'
    rows = "".join(
        f"  row\n    cell\n{pair.format('Name', name)}{pair.format('City', city)}"
        for name, city in (("a", "Ulm"), ("b", "Bonn"), ("c", "Rom"))
    )
    (found,) = find_collections(snapshot(f"table\n{rows}"))
    assert found.fields == ["Name", "City"]
    assert texts(found) == [["a", "Ulm"], ["b", "Bonn"], ["c", "Rom"]]


def test_a_blank_row_that_is_called_a_summary_is_no_record() -> None:
    """It stands among the others, as in a grid whose rows have no boxes of their own."""
    row = '  row tag={} posinset={}\n    gridcell\n      "{}"\n    gridcell\n      "{}"\n'
    heads = '  row\n    columnheader\n      "Name"\n    columnheader\n      "City"\n'
    rows = row.format("div.r", 2, "a", "Ulm") + row.format("div.r", 3, "b", "Bonn")
    blank = "  row tag=div.r.grid-summary-row posinset=4\n    gridcell\n    gridcell\n"
    (found,) = find_collections(snapshot(f"grid setsize=4\n{heads}{rows}{blank}"))
    assert texts(found) == [["a", "Ulm"], ["b", "Bonn"]]
    assert found.notes == ["left out: 1 row for sums, all blank"]
    assert found.total == 2


@pytest.mark.parametrize("tag", ["li.post", "li"])
def test_answers_are_items_as_what_they_answer_is(tag: str) -> None:
    item = f'{{0}}listitem tag={tag}\n{{0}}  link "{{1}}"\n{{0}}  paragraph\n{{0}}    "{{2}}"\n'
    said = [
        ("", "ann", "Tea?"),
        ("    ", "bob", "Yes"),
        ("        ", "cy", "No"),
        ("", "di", "Hm"),
        ("", "eve", "Milk"),
    ]
    posts = ""
    for indent, name, text in said:
        posts += f"{indent[:-2]}  list\n" if indent else ""
        posts += item.format("  " + indent, name, text)
    (found,) = (each for each in find_collections(snapshot(f"list\n{posts}")) if len(each.fields) > 1)
    assert texts(found) == [[name, text] for _, name, text in said]


def test_a_list_of_other_things_in_an_item_is_no_answer() -> None:
    item = '  listitem tag=li\n    link "{0}"\n    paragraph\n      "{1}"\n    list\n{2}'
    tags = "".join(f'      listitem tag=li\n        "{tag}"\n' for tag in ("new", "used"))
    items = "".join(
        item.format(name, text, tags) for name, text in (("a", "Tea"), ("b", "Milk"), ("c", "Rum"))
    )
    found = [each for each in find_collections(snapshot(f"list\n{items}")) if len(each.fields) > 1]
    assert [len(each.rows) for each in found] == [3]


@pytest.mark.parametrize(
    ("other", "fields"), [("$6", ["title", "price"]), ("$6 shipping", ["title", "price", "price 2"])]
)
def test_prices_are_one_column_where_they_say_nothing_more(other: str, fields: list[str]) -> None:
    items = "".join(
        f'  listitem tag=li\n    link "{name}"\n    {"generic tag=span.price" if own else "generic tag=span"}\n'
        f'      "{"$5" if own else other}"\n'
        for name, own in (("a", True), ("b", False), ("c", True), ("d", False))
    )
    (found,) = find_collections(snapshot(f"list\n{items}"))
    assert found.fields == fields
