from __future__ import annotations

from skillbook.perception.collections import Collection, find_collections
from skillbook.perception.collections.between import without_lines_between
from skillbook.perception.collections.collection import Cell
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from tests.trees import snapshot


def lines(*rows: str) -> list[list[Cell | None]]:
    """Lines of cells: "a | b"; a cell goes on where the next one is a quotation mark."""
    made: list[list[Cell | None]] = []
    for row in rows:
        line: list[Cell | None] = []
        for text in row.split("|"):
            line.append(line[-1] if text.strip() == '"' else Cell(text.strip()))
        made.append(line)
    return made


def kept(grid: list[list[Cell | None]], heads: int = 1) -> tuple[list[int], list[str]]:
    left = without_lines_between(None, grid, list(range(len(grid))), heads)
    return left.nodes, left.notes


def test_a_line_across_all_columns_is_no_row() -> None:
    assert kept(lines("H | I | J", 'Old | " | "', "a | 1 | x")) == (
        [0, 2],
        ['left out: 1 row of one cell across all columns ("Old")'],
    )


def test_a_line_behind_an_indent_is_none_either() -> None:
    assert kept(lines("H | I | J", "a | 1 | x", ' | more of a | "'))[0] == [0, 1]


def test_lines_of_groups_that_are_all_closed_are_no_rows() -> None:
    assert kept(lines("H | I", 'Old (2) | "', 'New (3) | "'))[0] == [0]


def test_a_cell_over_some_columns_is_a_row() -> None:
    assert kept(lines("H | I | J", 'Mon | Art | "', "Tue | Bio | Art", " | x | y"))[0] == [0, 1, 2, 3]


def test_two_columns_with_a_blank_are_a_row() -> None:
    assert kept(lines("H | I", " | x", "a | "))[0] == [0, 1, 2]


def table(*rows: str) -> Collection:
    """A table of rows "a | b"; "# a" is one cell across both columns, with a button where it ends with "+"."""
    said = ["table"]
    for row in rows:
        role = "columnheader" if row == rows[0] else "cell"
        said.append("  row")
        if row.startswith("#"):
            button = "\n      button" if row.endswith("+") else ""
            said.append(f'    cell colspan=2{button}\n      "{row.strip("#+ ")}"')
        else:
            said += [f'    {role}\n      "{text.strip()}"' for text in row.split("|")]
    (found,) = find_collections(snapshot("\n".join(said)))
    return found


def texts(found: Collection) -> list[list[str]]:
    return [[cell.text if cell else "" for cell in row.cells] for row in found.rows]


def test_a_heading_that_can_be_opened_and_has_no_rows_is_a_closed_group() -> None:
    found = table("Name | City", "# Old +", "# New +", "a | Ulm", "b | Bonn")
    assert texts(found) == [["New", "a", "Ulm"], ["New", "b", "Bonn"]]
    assert found.faults == ['1 group shows no rows and may be closed ("Old")']


def test_an_alert_among_the_rows_says_that_something_went_wrong() -> None:
    source = """table
  row
    columnheader
      "Name"
    columnheader
      "City"
  row
    cell
      "a"
    cell
      "Ulm"
  row
    cell colspan=2
      alert
        "Could not load the data"
"""
    (found,) = find_collections(snapshot(source))
    assert texts(found) == [["a", "Ulm"]]
    assert found.faults == ['the page says "Could not load the data" among the rows']


def test_a_heading_of_headings_is_no_closed_group() -> None:
    found = table("Name | City", "# Old", "a | Ulm", "b | Bonn", "# Europe", "# New", "c | Rom", "d | Bern")
    assert found.faults == []


def test_what_ends_each_group_with_a_wide_cell_is_no_row() -> None:
    old = ['Old | " | "', "a | x | 1", "b | x | 3", 'Mean of all | " | 2']
    new = ['New | " | "', "c | y | 4", "d | y | 8", 'Mean of all | " | 6']
    grid = lines("Name | Of | Age", *old, *new)
    found = without_lines_between(_roles(len(grid)), grid, list(range(len(grid))), 1)
    assert found.nodes == [0, 2, 3, 6, 7]
    assert [cell.text if cell else None for cell in found.groups] == [None, "Old", "Old", "New", "New"]
    assert found.notes[0].endswith('that end the groups ("Mean of all | 2", "Mean of all | 6")')


def _roles(count: int) -> BaseSnapshot:
    return snapshot("\n".join(["row"] * count))
