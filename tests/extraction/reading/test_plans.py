"""A collection that is one of several alike isn't the whole page."""

from __future__ import annotations

from textwrap import indent

import pytest

from skillbook.extraction.reading.plans import alike_elsewhere
from skillbook.perception.collections import find_collections
from tests.trees import snapshot

ORDERS = {
    "1001": [("Lamp", "2"), ("Rug", "1")],
    "1002": [("Sofa", "1")],
    "1003": [("Cup", "4"), ("Pan", "3")],
}


def orders(title: str, *names: str, tag: str = "div.order") -> str:
    lines = []
    for number, rows in ORDERS.items():
        heads = "".join(f'\n    columnheader\n      "{name}"' for name in names)
        cells = [f'\n    cell\n      "{thing}"\n    cell\n      "{count}"' for thing, count in rows]
        table = "table" + "".join(f"\n  row{line}" for line in ([heads] if names else []) + cells)
        state = ".open" if number == "1002" else ""
        lines.append(f"generic tag={tag}{state}\n{indent(title.format(number), '  ')}\n{indent(table, '  ')}")
    return "main\n" + indent("\n".join(lines), "  ")


@pytest.mark.parametrize("names", [(), ("Item", "Count")])
@pytest.mark.parametrize("title", ['heading "Order {}"', '"Order {}" tag=div', 'heading "Your order"'])
def test_a_table_in_each_of_several_items_is_not_all(title: str, names: tuple[str, ...]) -> None:
    page = snapshot(orders(title, *names))
    tables = [each for each in find_collections(page) if each.kind == "table"]
    assert len(tables) == len(ORDERS)
    [said] = alike_elsewhere(page, tables[0])
    assert said.startswith("2 more tables ")


def test_a_table_that_lacks_some_of_the_columns_is_another_one_too() -> None:
    heads = ["Price | State | Weight", "Price | Weight", "Stock | Place"]
    lines = [
        f'article\n  heading "{name}"\n  table\n    row\n'
        + "".join(f'      columnheader\n        "{head}"\n' for head in said.split(" | "))
        + "    row\n"
        + "".join(f'      cell\n        "{name}{at}"\n' for at, _ in enumerate(said.split(" | ")))
        for name, said in zip("ABC", heads, strict=True)
    ]
    page = snapshot("main\n" + indent("".join(lines), "  "))
    tables = [each for each in find_collections(page) if each.kind == "table"]
    assert alike_elsewhere(page, tables[0])[0].startswith("1 more table ")


def test_a_copy_of_a_table_is_no_other_one() -> None:
    table = 'table\n  row\n    cell\n      "a"\n    cell\n      "b"\n  row\n    cell\n      "c"\n    cell\n      "d"'
    page = snapshot("main\n" + indent(f"{table}\n{table}", "  "))
    tables = [each for each in find_collections(page) if each.kind == "table"]
    assert alike_elsewhere(page, tables[0]) == []
