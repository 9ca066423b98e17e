"""Tables that pages write in unusual ways: read as a person sees them, in a real browser."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

HEAD = "<table><thead><tr><th>Name<th>City</tr></thead><tbody>"
SAID = [["Ada", "Ulm"], ["Ben", "Bonn"]]
ROWS = {
    "cells that are buttons": "<tr><td role=button tabindex=0>Ada<td>Ulm<tr><td role=button tabindex=0>Ben<td>Bonn",
    "one cell that is a button": "<tr><td role=button tabindex=0>Ada<td>Ulm</tr><tr><td>Ben<td>Bonn",
    "a cell without a role": "<tr><td role=presentation>Ada<td>Ulm</tr><tr><td>Ben<td>Bonn",
    "rows that are buttons": "<tr role=button tabindex=0><td>Ada<td>Ulm</tr><tr role=button tabindex=0><td>Ben<td>Bonn",
    "one row that is a link": "<tr role=link tabindex=0><td>Ada<td>Ulm</tr><tr><td>Ben<td>Bonn",
    "a message below the rows": "<tr><td>Ada<td>Ulm</tr><tr><td>Ben<td>Bonn</tr><tr><td role=alert colspan=2>Offline",
    "the headers again": "<tr><td>Ada<td>Ulm</tr><tr><th>Name<th>City</tr><tr><td>Ben<td>Bonn",
}  # fmt: skip
GROUPS = "<tr><th colspan=2>Old<tr><td>Ada<td>Ulm<tr><th colspan=2>New<tr><td>Ben<td>Bonn"


@pytest.mark.parametrize("case", ROWS)
def test_rows_and_cells(read_html: Serve, case: str) -> None:
    (frame,) = sb.tables(read_html(f"{HEAD}{ROWS[case]}</table>"))
    assert frame.columns.tolist() == ["Name", "City"]
    assert frame.to_numpy().tolist() == SAID
    assert frame.skillbook.complete == ("role=alert" not in ROWS[case])


def test_an_alert_among_the_rows_says_why_they_may_not_be_all(read_html: Serve) -> None:
    (frame,) = sb.tables(read_html(f"{HEAD}{ROWS['a message below the rows']}</table>"))
    assert 'the page says "Offline" among the rows' in frame.skillbook.reason


def test_headings_of_groups_are_a_column(read_html: Serve) -> None:
    (frame,) = sb.tables(read_html(f"{HEAD}{GROUPS}</table>"))
    assert frame.to_dict("list") == {"group": ["Old", "New"], "Name": ["Ada", "Ben"], "City": ["Ulm", "Bonn"]}
    assert frame.skillbook.complete


@pytest.mark.parametrize(
    "details",
    [
        "<table><tr><th>Step<th>Time<tr><td>a<td>1</table>",
        "<h4>Notes</h4><div>Met in Ulm, calls back on Monday</div>",
    ],
)
def test_details_below_a_row_are_no_heading_of_the_rows_after_it(read_html: Serve, details: str) -> None:
    row = f"<tr><td>Ada<td>Ulm<tr><td colspan=2>{details}</td></tr><tr><td>Ben<td>Bonn"
    frame = sb.extract(read_html(f"{HEAD}{row}</table>"))
    assert frame.columns.tolist() == ["Name", "City"]
    assert frame.to_numpy().tolist() == SAID
    assert frame.skillbook.notes[0].startswith("left out: 1 row of one cell across all columns")


def test_headers_that_stand_again_between_the_rows_are_noted(read_html: Serve) -> None:
    (frame,) = sb.tables(read_html(f"{HEAD}{ROWS['the headers again']}</table>"))
    assert frame.skillbook.notes == ("left out: 1 row says the headers again",)


def test_a_header_that_cannot_be_seen_keeps_its_place(read_html: Serve) -> None:
    page = read_html(
        "<table><tr><th>Name<th style='visibility:hidden'>Delete<th>Age</tr>"
        "<tr><td>Ada<td>x<td>36</tr><tr><td>Ben<td style='visibility:hidden'>y<td>41</tr></table>"
    )
    frame = sb.tables(page)[0]
    assert frame["Age"].tolist() == [36, 41]
    assert frame.iloc[:, 1].tolist() == ["x", ""]


def test_a_hidden_table_is_none(read_html: Serve) -> None:
    page = read_html(f"<div style='visibility:hidden'>{HEAD}{ROWS['the headers again']}</table></div>")
    assert sb.tables(page) == []


@pytest.mark.parametrize("span", [0, 5])
def test_a_cell_ends_with_its_part_of_the_table(read_html: Serve, span: int) -> None:
    page = read_html(
        f"{HEAD}<tr><td rowspan={span}>Ada<td>Ulm</tr><tr><td>Bonn</tr></tbody><tbody><tr><td>Ben<td>Kiel</table>"
    )
    assert sb.tables(page)[0].to_numpy().tolist() == [["Ada", "Ulm"], ["Ada", "Bonn"], ["Ben", "Kiel"]]


def test_columns_that_no_row_keeps_apart_are_one(read_html: Serve) -> None:
    page = read_html(
        "<table><thead><tr><th>Version<th>On<th>Off</tr></thead>"
        "<tbody><tr><th colspan=2>1.9<td>3</tr><tr><th colspan=2>1.10<td>4</tr></tbody></table>"
    )
    frame = sb.tables(page)[0]
    assert frame.columns.tolist() == ["Version", "Off"]
    assert frame.to_numpy().tolist() == [["1.9", 3], ["1.10", 4]]


def test_fields_of_filters_under_headers_in_a_table_of_their_own(read_html: Serve) -> None:
    page = read_html(
        "<style>table { table-layout: fixed; width: 900px }</style>"
        "<div><table><tr><th>Name<th>City<th></tr><tr><td><input><td><select><option><option>Ulm</select>"
        "<td><input type=button value=Search></tr></table></div>"
        "<div><table><tr><td>Ada<td>Ulm<td></tr><tr><td>Ben<td>Bonn<td></tr></table></div>"
    )
    (frame,) = sb.tables(page)
    assert frame[["Name", "City"]].to_numpy().tolist() == SAID


@pytest.mark.parametrize("is_closed", [False, True])
def test_headers_in_a_table_of_their_own_above_groups(read_html: Serve, is_closed: bool) -> None:
    def group(name: str, *amounts: int) -> str:
        rows = "".join(f"<tr><td>{name}<td>{n}<td>{amount}</tr>" for n, amount in enumerate(amounts))
        sums = f"<tr><td><td><td>Sum: {sum(amounts)}</tr>"
        head = f"<tr><td colspan=3><span style='cursor: pointer' tabindex=0>+</span>{name}</tr>"
        return head if is_closed else f"{head}{rows}{sums}"

    body = group("Ann", 3, 4) + group("Ben", 5, 6, 7)
    frames = sb.tables(
        read_html(
            "<style>table { table-layout: fixed; width: 900px; border-spacing: 0 } td, th { padding: 0 }</style>"
            "<table><thead><tr><th>Name<th>No<th>Amount</tr></thead></table>"
            f"<table><tbody>{body}</tbody></table>"
        )
    )
    if is_closed:
        assert not any(frame.skillbook.complete for frame in frames)
        return
    (frame,) = frames
    assert frame.columns.tolist() == ["group", "Name", "No", "Amount"]
    assert frame["Amount"].tolist() == [3, 4, 5, 6, 7]
    assert "2 rows that sum up others" in frame.skillbook.notes[-1]


def test_rows_of_fields_are_rows(read_html: Serve) -> None:
    page = read_html(
        f"{HEAD}<tr><td><input value=Ada><td><input value=Ulm></tr><tr><td><input value=Ben><td><input value=Bonn>"
        "</table><table><tr><td>x<td>1</tr><tr><td>y<td>2</tr></table>"
    )
    assert sb.tables(page)[0].to_numpy().tolist() == SAID


def test_a_table_with_headers_is_one_of_data_whatever_its_role(read_html: Serve) -> None:
    page = read_html(f"<main>{HEAD.replace('<table', '<table role=presentation')}{GROUPS}</table>")
    (frame,) = sb.tables(page)
    assert frame[["Name", "City"]].to_numpy().tolist() == SAID


def test_a_table_that_only_lays_out_is_none(read_html: Serve) -> None:
    page = read_html("<table role=presentation><tr><td>Ada<td>Ulm<tr><td>Ben<td>Bonn</table>")
    assert sb.tables(page) == []


def test_a_table_made_by_a_style_sheet(read_html: Serve) -> None:
    rows = [["Name", "City", "Age"], ["Ada", "", "36"], ["Ben", "Bonn", "41"]]
    html = "".join(
        f"<div class=r>{''.join(f'<div class=c>{cell}</div>' for cell in row)}</div>" for row in rows
    )
    style = "<style>.t{display:table}.r{display:table-row}.c{display:table-cell}</style>"
    (frame,) = sb.tables(read_html(f"{style}<div class=t>{html}</div>"))
    assert frame.columns.tolist() == rows[0]
    assert frame["City"].tolist() == ["", "Bonn"]
    assert frame["Age"].tolist() == [36, 41]


def test_a_style_sheet_that_only_lays_out_makes_no_table(read_html: Serve) -> None:
    style = "<style>.t{display:table}.c{display:table-cell}</style>"
    page = read_html(f"{style}<div class=t><div class=c>Menu</div><div class=c>Text</div></div>")
    assert [node.role for node in page.snapshot().nodes if node.role in {"table", "row", "cell"}] == []


def test_terms_and_what_they_mean(read_html: Serve) -> None:
    page = read_html("<dl><dt>UPC<dd>a897<dt><a href=/w>Weight</a><dd>3 kg<dd>7 lb</dl>")
    (frame,) = sb.tables(page)
    assert frame.to_numpy().tolist() == [["UPC", "a897"], ["Weight", "3 kg"], ["Weight", "7 lb"]]


SAYS = [
    ["Ada", 36, "2020-01-05"],
    ["Ben", 41, "2021-02-06"],
    ["Cy", 17, "2022-03-07"],
    ["Di", 28, "2023-04-08"],
]
LINES = "".join(f"<tr>{''.join(f'<td>{value}' for value in row)}</tr>" for row in SAYS)
STRAY = {
    "a button for more": "<tr><td><button>Load more</button></tr>",
    "a link for more beside blanks": "<tr><td colspan=2><td><a href='?p=2' rel=next>More</a></tr>",
    "a heading of one cell": "<tr><th>Over 30<td><td></tr>",
    "an advert": "<tr class=ad><td>Ad<td>Cheap shoes<td><a href=/shoes>Buy now</a></tr>",
    "a sum": "<tr><td colspan=2>Total<td>4 people</tr>",
}


@pytest.mark.parametrize("case", STRAY)
def test_one_row_of_another_kind_makes_no_text_of_the_others(read_html: Serve, case: str) -> None:
    page = read_html(f"<main><table><tr><th>Name<th>Age<th>Since</tr>{LINES * 2}{STRAY[case]}</table></main>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = sb.extract(page)
        (same,) = sb.tables(page)
    assert frame["Age"].tolist()[:8] == [36, 41, 17, 28] * 2
    assert frame["Since"].dtype.kind == same["Since"].dtype.kind == "M"
    is_more = "more" in case
    assert len(frame) == len(same) == (8 if is_more else 9)
    assert frame.skillbook.complete is not is_more
    assert frame.skillbook.notes == same.skillbook.notes
    assert "more" in frame.skillbook.notes[0] if is_more else frame.skillbook.notes[0].startswith("row 8 (")


def test_a_heading_that_only_its_width_says_spans_the_columns_below(read_html: Serve) -> None:
    def line(role: str, *cells: tuple[str, int]) -> str:
        said = "".join(f"<div role={role} style='width: {width}px'>{text}</div>" for text, width in cells)
        return f"<div role=row style='display: flex'>{said}</div>"

    rows = (
        line("cell", ("1", 80), ("Ada", 80), ("Ulm", 80)),
        line("cell", ("2", 80), ("Ben", 80), ("Bonn", 80)),
    )
    heads = (
        line("columnheader", ("Who", 160), ("Where", 80)),
        line("columnheader", ("ID", 80), ("Name", 80), ("City", 80)),
    )
    (frame,) = sb.tables(read_html(f"<div role=table>{''.join([*heads, *rows])}</div>"))
    assert frame.columns.tolist() == ["Who / ID", "Who / Name", "Where / City"]


def test_cells_that_begin_with_their_columns_names_are_named_by_them(read_html: Serve) -> None:
    """Tables are shown so on narrow screens, without headers: a blank value leaves the name alone in its cell."""
    rows = [("Ada", "Ulm"), ("Ben", ""), ("Cy", "Bonn")]
    cells = "".join(
        f"<tr><td><div>Name</div><div>{name}</div></td><td><div>City</div><div>{city}</div></td></tr>"
        for name, city in rows
    )
    (frame,) = sb.tables(read_html(f"<table>{cells}</table>"))
    assert frame.columns.tolist() == ["Name", "City"]
    assert frame.fillna("").to_numpy().tolist() == [list(row) for row in rows]
    assert frame.skillbook.complete


def test_groups_that_are_closed_are_no_table_without_rows(read_html: Serve) -> None:
    closed = "".join(f"<tr><td colspan=2><button>+</button> {name} (5)</td></tr>" for name in ("Old", "New"))
    with pytest.warns(IncompleteFrame, match="groups may be closed"):
        (frame,) = sb.tables(read_html(f"{HEAD}{closed}</table>"))
    assert (len(frame), frame.columns.tolist()) == (0, ["Name", "City"])


def test_what_a_row_says_beside_its_cells_is_noted(read_html: Serve) -> None:
    """Narrow grids show the columns that have no room below each row."""
    row = "<div role=row><div role=cell>{}</div><div role=cell>{}</div><table><tr><td>Zip<td>{}</table></div>"
    rows = row.format("Ada", "Ulm", 89073) + row.format("Ben", "Bonn", 53111)
    heads = "<div role=row><div role=columnheader>Name</div><div role=columnheader>City</div></div>"
    frame = sb.extract(read_html(f"<div role=table>{heads}{rows}</div>"))
    assert frame.to_numpy().tolist() == SAID
    beside, nested = frame.skillbook.notes
    assert beside == 'left out: what 2 rows have beside the cells ("Zip 89073")'
    assert "2 rows of other lists stand in the rows" in nested


def test_a_title_across_all_headers_is_no_part_of_the_columns_names(read_html: Serve) -> None:
    heads = "<tr><th colspan=2>People<tr><th colspan=2>2024<tr><th>Name<th>City"
    (frame,) = sb.tables(
        read_html(f"<table><thead>{heads}</thead><tr><td>Ada<td>Ulm<tr><td>Ben<td>Bonn</table>")
    )
    assert frame.columns.tolist() == ["Name", "City"]
    assert frame.to_numpy().tolist() == SAID


def test_a_table_of_details_below_a_row_is_not_what_the_headers_above_are_of(read_html: Serve) -> None:
    """The headers are a table of their own above the rows' table, whose rows have details with a table in them."""
    style = "<style>table { width: 300px; table-layout: fixed }</style>"
    details = "<tr><td colspan=2><table><tr><th>Step<th>Time<tr><td>a<td>1</table>"
    rows = "".join(f"<tr><td>{name}<td>{city}{details}" for name, city in [*SAID, ["Cy", "Rome"]])
    page = read_html(f"{style}<table><tr><th>Name<th>City</table><table>{rows}</table>")
    frame = sb.extract(page)
    assert frame.columns.tolist() == ["Name", "City"]
    assert frame.to_numpy().tolist() == [*SAID, ["Cy", "Rome"]]


GRID = (
    "<style>[role=row] {display: flex; position: absolute} [role=row] > * {width: 90px; height: 20px}</style>"
)


def _row(top: int, cells: list[str], role: str = "cell", marks: str = "") -> str:
    place = " aria-colindex={}" if "rowindex" in marks else ""
    inside = "".join(f"<b role={role}{place.format(at)}>{cell}</b>" for at, cell in enumerate(cells, 1))
    return f"<div role=row style='top: {20 * top}px' {marks}>{inside}</div>"


def _grid(rows: list[str], style: str = "") -> str:
    return f"{GRID}<style>{style}</style><div role=grid style='position: relative'>{''.join(rows)}</div>"


@pytest.mark.parametrize("style", [".head > :first-child {order: 1}", ".row {flex-direction: row-reverse}"])
def test_cells_belong_to_the_headers_that_they_stand_under(read_html: Serve, style: str) -> None:
    rows = [_row(at, [city, name], marks="class=row") for at, (name, city) in enumerate(SAID, 1)]
    head = _row(0, ["Name", "City"], "columnheader", "class=head")
    (frame,) = sb.tables(read_html(_grid([head, *rows], style)))
    assert frame[["Name", "City"]].to_numpy().tolist() == SAID
    assert frame.skillbook.complete


def test_rows_and_items_come_in_the_order_in_which_they_are_shown(read_html: Serve) -> None:
    rows = [_row(at, SAID[at - 1]) for at in (2, 1)]
    items = "".join(f"<li><b>{at}</b> <i>point {at}</i>" for at in range(3))
    turned = f"<ol style='display: flex; flex-direction: column-reverse'>{items}</ol>"
    page = read_html(f"{turned}{_grid([_row(0, ['Name', 'City'], 'columnheader'), *rows])}")
    table, listed = sb.tables(page)
    assert table.to_numpy().tolist() == SAID
    assert listed.iloc[:, 0].tolist() == [2, 1, 0]


def test_a_part_over_a_grid_has_the_cells_that_are_blank_below(read_html: Serve) -> None:
    numbers = range(2, 4)
    over = [_row(at, [str(at)], marks=f"aria-rowindex={at}") for at in numbers]
    rows = [_row(at, ["", *SAID[at - 2]], marks=f"aria-rowindex={at}") for at in numbers]
    head = _row(1, ["", "Name", "City"], "columnheader", "aria-rowindex=1")
    (frame,) = sb.tables(read_html(_grid([head, *rows, *over])))
    assert frame.to_numpy().tolist() == [[2, *SAID[0]], [3, *SAID[1]]]
    assert frame.skillbook.complete


def test_headers_in_no_row_name_what_stands_below_them(read_html: Serve) -> None:
    heads = "".join(f"<div role=columnheader>{name}</div>" for name in ("Name", "City"))
    rows = "".join(f"<div role=row><div role=cell>{a}</div><div role=cell>{b}</div></div>" for a, b in SAID)
    style = "<style>.line, [role=row] {display: flex} .line div, [role=cell] {width: 90px}</style>"
    (frame,) = sb.tables(read_html(f"{style}<div role=table><div class=line>{heads}</div>{rows}</div>"))
    assert frame.columns.tolist() == ["Name", "City"]
    assert frame.to_numpy().tolist() == SAID
    assert frame.skillbook.complete


def test_a_caption_counts_the_rows(read_html: Serve) -> None:
    rows = (
        f"{HEAD.replace('<table>', '<table><caption>Members (12)</caption>')}{ROWS['cells that are buttons']}"
    )
    (frame,) = sb.tables(read_html(f"{rows}</table>"))
    assert frame.to_numpy().tolist() == SAID
    assert not frame.skillbook.complete
    assert "the page says 12" in frame.skillbook.reason


@pytest.mark.parametrize("heads", [["Mon", "Tue"], ["Name", "Price"]])
def test_tables_side_by_side_with_headers_of_their_own_are_two(read_html: Serve, heads: list[str]) -> None:
    rows = "<tr><td>1<td>2<tr><td>3<td>4"
    tables = [f"<table><tr><th>{one}<th>{other}{rows}</table>" for one, other in (["Mon", "Tue"], heads)]
    frames = sb.tables(read_html(f"<div style='display:flex'>{''.join(tables)}</div>"))
    assert [frame.columns.tolist() for frame in frames] == [["Mon", "Tue"], heads]
