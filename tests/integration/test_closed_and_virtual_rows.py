"""Rows that a page has and doesn't show: below closed rows of a tree, or not rendered by a script that scrolls."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page

pytestmark = pytest.mark.filterwarnings("ignore::skillbook.extraction.frames.completeness.IncompleteFrame")

Serve = Callable[[str], Page]

OPENER = "<button aria-expanded={} aria-label=Open style='width:16px;height:16px'></button> "
HEAD = "<table{}><thead><tr><th>Name<th>Size</tr></thead><tbody>"


def _row(name: str, size: int, opened: str = "", facts: str = "") -> str:
    return f"<tr {facts}><td>{OPENER.format(opened) if opened else ''}{name}<td>{size}</tr>"


TREES = {
    "a button before the name": HEAD.format("")
    + _row("src", 1, "true")
    + _row("a.c", 2)
    + _row("doc", 3, "false"),
    "levels by ARIA, places among those of a level": HEAD.format(" role=treegrid")
    + _row("src", 1, "", "aria-level=1 aria-posinset=1 aria-setsize=2 aria-expanded=true")
    + _row("a.c", 2, "", "aria-level=2 aria-posinset=1 aria-setsize=1")
    + _row("doc", 3, "", "aria-level=1 aria-posinset=2 aria-setsize=2 aria-expanded=false"),
    "levels by class, and a sign without a state": HEAD.format("")
    + "".join(
        f"<tr class=tree-level-{level}><td>{sign}{name}<td>{size}</tr>"
        for name, size, level, sign in [
            ("src", 1, 0, "<i tabindex=0 style='display:inline-block;width:9px;height:9px;border:solid'></i>"),
            ("a.c", 2, 1, ""),
            ("doc", 3, 0, "<i tabindex=0 style='display:inline-block;width:9px;height:9px;border:solid'></i>"),
        ]
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TREES)
def test_a_tree_with_closed_rows_is_not_complete(read_html: Serve, case: str) -> None:
    frame = sb.extract(read_html(TREES[case]))
    assert frame.to_numpy().tolist() == [["src", 1], ["a.c", 2], ["doc", 3]]
    assert not frame.skillbook.complete
    assert "1 row is closed: rows below it aren't shown" in frame.skillbook.reason
    assert "number of another" not in frame.skillbook.reason


def test_signs_of_a_tree_that_say_no_state_are_known_by_where_they_stand_and_how_they_look(
    read_html: Serve,
) -> None:
    def row(name: str, size: int, left: int, sign: str = "") -> str:
        shown = f"<span class='node {sign}' style='padding-left:{left}px'><button></button>{name}</span>"
        return f"<tr><td>{shown if sign else name}<td>{size}</tr>"

    body = row("src", 1, 0, "open") + row("a.c", 2, 0) + row("lib", 3, 20, "shut") + row("doc", 4, 0, "shut")
    frame = sb.extract(read_html(HEAD.format("") + body + row("README", 5, 0)))
    assert len(frame) == 5
    assert "2 rows are closed: rows below them aren't shown" in frame.skillbook.reason


def test_an_open_tree_is_complete(read_html: Serve) -> None:
    rows = _row("src", 1, "true") + _row("a.c", 2) + _row("b.c", 3)
    frame = sb.extract(read_html(HEAD.format("") + rows))
    assert frame.skillbook.complete
    assert len(frame) == 3


def test_details_that_are_closed_are_no_rows(read_html: Serve) -> None:
    rows = "".join(f"<tr><td>{OPENER.format('false')}<td>{name}<td>1</tr>" for name in ("Ada", "Ben"))
    frame = sb.extract(read_html(f"<table><thead><tr><th><th>Name<th>Size</tr></thead><tbody>{rows}</table>"))
    assert frame["Name"].tolist() == ["Ada", "Ben"]
    assert frame.skillbook.complete


def test_a_menu_before_each_name_opens_no_rows(read_html: Serve) -> None:
    menu = "<button aria-haspopup=menu aria-expanded=false aria-label=Menu></button> "
    rows = f"<tr><td>{menu}Ada<td>1</tr><tr><td>{menu}Ben<td>2</tr><tr><td>Cy<td>3</tr>"
    assert sb.extract(read_html(HEAD.format("") + rows)).skillbook.complete


VIRTUAL = """<style>table {border-collapse: collapse} .cell, th {width: 100px; height: 24px; padding: 0}
.row {display: flex; height: 24px}</style>
<table><thead><tr><th>Name<th>City<th>Price</tr></thead></table>
<div style="max-height: 120px; overflow-y: hidden"><div style="height: 960px; position: relative">""" + "".join(
    f"<div class=row><div class=cell>P{n}</div><div class=cell>Ulm</div><div class=cell>{n}.50</div></div>"
    for n in range(6)
)


def test_rows_of_blocks_have_the_headers_above_and_what_a_script_scrolls_is_a_part(read_html: Serve) -> None:
    page = read_html(VIRTUAL)
    (table,) = sb.tables(page)
    frame = sb.extract(page)
    for each in (table, frame):
        assert each.columns.tolist() == ["Name", "City", "Price"]
        assert each.to_numpy().tolist() == [[f"P{n}", "Ulm", n + 0.5] for n in range(6)]
        assert not each.skillbook.complete
        assert "room for about 40" in each.skillbook.reason


FILTERS = """<style>[role=row] {display: flex; height: 24px} [role=row] > * {width: 90px}</style>
<div role=treegrid aria-rowcount=5 aria-colcount=3><div class=head role=rowgroup>
<div class=header-row role=row aria-rowindex=1>
<div role=columnheader aria-colindex=1>Name</div><div role=columnheader aria-colindex=2>City</div>
<div role=columnheader aria-colindex=3>Size</div></div>
<div class=header-row role=row aria-rowindex=2><div class=header-cell role=gridcell aria-colindex=1>
<i role=img aria-label="Open filters"></i></div><div class=header-cell role=gridcell aria-colindex=2>
<input aria-label="City filter"><button aria-label="Open filters"></button></div>
<div class=header-cell role=gridcell aria-colindex=3><i role=img aria-label="Open filters"></i></div></div></div>
<div role=rowgroup>""" + "".join(
    f"<div role=row aria-rowindex={n + 3}><div role=gridcell aria-colindex=1>P{n}</div>"
    f"<div role=gridcell aria-colindex=2>Ulm</div><div role=gridcell aria-colindex=3>{n}</div></div>"
    for n in range(3)
)


def test_a_row_of_filters_in_the_headers_group_is_no_row(read_html: Serve) -> None:
    frame = sb.extract(read_html(FILTERS))
    assert frame.columns.tolist() == ["Name", "City", "Size"]
    assert frame.to_numpy().tolist() == [["P0", "Ulm", 0], ["P1", "Ulm", 1], ["P2", "Ulm", 2]]
    assert frame.skillbook.complete, frame.skillbook.reason
