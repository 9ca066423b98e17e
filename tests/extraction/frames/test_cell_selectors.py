"""Every cell's selector names that cell alone."""

from __future__ import annotations

import pytest

from skillbook.extraction.frames.provenance import cell_selector
from skillbook.perception.collections import find_collections
from tests.trees import snapshot

TABLE = """
main
  table "Stock"
    row
      columnheader "Part"
      columnheader "Price"
      columnheader "Team"
{rows}
  table "Sold"
    row
      columnheader "Part"
      columnheader "Price"
      columnheader "Team"
    row
      cell "Nut"
      cell "€9.00"
      cell "Red"
    row
      cell "It's 'new'"
      cell "€1.00"
      cell "Red"
"""


def table(*rows: tuple[str, ...]) -> str:
    lines = ["    row\n" + "".join(f'      cell\n        "{text}"\n' for text in row) for row in rows]
    return TABLE.format(rows="".join(lines))


ITEMS = """
main
  list "Parts"
    listitem
      link "Nut" + href=/nut
      "€1.75"
      "in stock"
    listitem
      link "Bolt" + href=/bolt
      "€2.75"
      "in stock"
    listitem
      link "Bolt" + href=/bolt
      "€2.75"
      "in stock"
"""
NESTED = """
main
  list
    listitem
      "Fruit"
      list
        listitem
          "Apple"
          "red"
        listitem
          "Pear"
          "green"
    listitem
      "Roots"
      list
        listitem
          "Beet"
          "red"
        listitem
          "Carrot"
          "orange"
"""


@pytest.mark.parametrize(
    "page",
    [
        table(("Bolt", "€1.75", "Red"), ("Nail", "€1.75", "Blue"), ("Screw", "", "Blue")),
        table(("Nut", "€1.75", "Red"), ("Bolt", "€1.75", "Red"), ("BOLT", "€2.00", "Red")),
        table(("Same", "€1.75", "Red"), ("Same", "€1.75", "Red"), ("Same", "€1.75", "Red")),
        ITEMS,
        NESTED,
    ],
    ids=["plain", "names in two tables", "rows that say the same", "items", "nested"],
)
def test_each_names_its_node_alone(page: str) -> None:
    shown = snapshot(page)
    named = {node: selector for node in shown.nodes if (selector := cell_selector(node))}
    assert len(named) >= 8
    for node, selector in named.items():
        assert shown.find_all(selector) == [node], selector


def test_it_goes_by_the_row_and_not_by_what_may_change() -> None:
    shown = snapshot(table(("Bolt", "€1.75", "Red"), ("Nail", "€1.75", "Blue")))
    row = find_collections(shown)[0].rows[0]
    assert [cell_selector(cell.node) for cell in row.cells if cell and cell.node] == [
        "cell in row 'Bolt' nth 1",
        "cell in row 'Bolt' nth 2",
        "cell in row 'Bolt' nth 3",
    ]
