from __future__ import annotations

from skillbook.perception.collections.between import without_lines_between
from skillbook.perception.collections.collection import Cell


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
