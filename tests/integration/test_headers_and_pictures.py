"""Headers with controls in them, and cells that say what they say by a picture, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

import skillbook as sb
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

HEADS = {
    "the control is named": '<span>Name</span><span tabindex=0 aria-label="Name: Activate to sort"></span>',
    "the control is a button": '<span>Name</span><span role=button aria-label="Name: Activate to sort"></span>',
    "a sign of a menu": "<span style='float:left'>&#8942;</span>Name",
    "the title is a button": '<span role=button>Name</span><span aria-label="Name: Activate to sort"></span>',
}


@pytest.mark.parametrize("head", HEADS)
def test_what_sorts_a_column_is_no_part_of_its_name(read_html: Serve, head: str) -> None:
    page = read_html(
        f"<table><thead><tr><th>{HEADS[head]}</th><th>Time: local</th></tr></thead>"
        "<tr><td>Ada<td>12</tr><tr><td>Ben<td>13</tr></table>"
    )
    assert list(sb.tables(page)[0].columns) == ["Name", "Time: local"]


AS_CARDS = {
    "attributes, the head is out of sight": "thead { position: absolute; clip: rect(0 0 0 0) } "
    "td::before { content: attr(data-label) ': ' }",
    "attributes, without a head": "thead { display: none } td::before { content: attr(data-label) }",
    "the style sheet's words": "thead { display: none } tr, td { display: block } "
    "td:nth-child(1)::before { content: 'No' } td:nth-child(2)::before { content: 'Sum: ' } "
    "td:nth-child(3)::before { content: 'State' }",
}


@pytest.mark.parametrize("case", AS_CARDS)
def test_what_names_a_column_in_its_cells_is_no_part_of_their_values(read_html: Serve, case: str) -> None:
    lines = "".join(
        f"<tr><td data-label=No>{no}<td data-label=Sum>{total}<td data-label=State>{state}</tr>"
        for no, total, state in ((1, "$10", "<b>Paid</b> <a href=#>slip</a>"), (2, "-$5", ""))
    )
    page = read_html(
        f"<style>{AS_CARDS[case]}</style><table><thead><tr><th>No<th>Sum<th>State</thead>{lines}</table>"
    )
    (frame,) = sb.tables(page)
    assert frame.to_dict("list") == {"No": [1, 2], "Sum": [10, -5], "State": ["Paid slip", ""]}
    assert frame.skillbook.notes == ()


def test_a_currency_that_a_style_sheet_shows_is_part_of_the_value(read_html: Serve) -> None:
    page = read_html(
        "<style>.sum::before { content: attr(data-in) ' ' }</style><table><tr><th>No<th>Sum</tr>"
        "<tr><td>1<td class=sum data-in=USD>10</tr><tr><td>2<td class=sum data-in=EUR>5</tr></table>"
    )
    assert sb.tables(page)[0]["Sum"].tolist() == ["USD 10", "EUR 5"]


STYLE = """<style>.fa::before { content: "\\f00c" } .ok::before { content: "\\2713" }
.drawn { display: inline-block; width: 16px; height: 16px; background-image: linear-gradient(red, blue) }
.tick { background: url("data:image/svg+xml,<svg/>") no-repeat } .stripe { background: linear-gradient(red, blue) }
.turned::after { content: ""; display: inline-block; width: 4px; height: 9px; border: solid; border-width: 0 2px 2px 0;
transform: rotate(45deg) } .masked { display: inline-block; width: 9px; height: 9px; background: green;
mask: url("data:image/svg+xml,<svg/>") } .clear::after { content: ""; display: table }</style>"""
NAMED = {
    "title of an icon font's element": '<i class=fa title="Yes"></i>',
    "title of one hidden from readers": '<i class=fa aria-hidden=true title="Yes"></i>',
    "label": '<i class=fa aria-label="Yes"></i>',
    "title of a background": '<i class=drawn title="Yes"></i>',
    "title in a drawing": "<svg width=9 height=9><title>Yes</title><path d='M0 0L9 9'/></svg>",
}
UNNAMED = {
    "icon font": "<i class=fa></i>",
    "icon font hidden from readers": "<i class=fa aria-hidden=true></i>",
    "background": "<i class=drawn></i>",
    "mask": "<i class=masked></i>",
    "shape of borders": "<i class=turned></i>",
    "the cell's own background": "<td class=tick>",
    "the cell's own sign": "<td class=fa>",
    "drawing": "<svg width=9 height=9><path d='M0 0L9 9'/></svg>",
    "image without a text": '<img width=9 height=9 alt="" src="data:image/svg+xml,<svg/>">',
}


def of_cells(read_html: Serve, cell: str) -> pd.DataFrame:
    cell = cell if cell.startswith("<td") else f"<td>{cell}"
    page = read_html(
        f"{STYLE}<table><tr><th>Name</th><th>Active</th></tr>"
        f"<tr><td>Ada{cell}</tr><tr><td>Ben<td></tr><tr><td>Cleo<td>asked</tr></table>"
    )
    return sb.tables(page)[0]


@pytest.mark.parametrize("case", NAMED)
def test_a_picture_says_what_its_title_says(read_html: Serve, case: str) -> None:
    frame = of_cells(read_html, NAMED[case])
    assert frame["Active"][0] == "Yes"
    assert frame.skillbook.notes == ()


@pytest.mark.parametrize("case", UNNAMED)
def test_a_picture_that_nothing_names_is_told(read_html: Serve, case: str) -> None:
    frame = of_cells(read_html, UNNAMED[case])
    assert frame.skillbook.notes == ("column 'Active' has icons that no text names",)


@pytest.mark.parametrize("cell", ["<span></span>", "<span class=clear></span>", "<td class=stripe>"])
def test_blank_cells_are_no_pictures(read_html: Serve, cell: str) -> None:
    assert of_cells(read_html, cell).skillbook.notes == ()


@pytest.mark.filterwarnings("ignore::skillbook.extraction.frames.completeness.IncompleteFrame")
@pytest.mark.parametrize(
    "beside",
    [
        "<ul class=pagination><li><a href=?p=1>1</a><li><a href=?p=2>2</a><li><a href=?p=3>3</a></ul>",
        "<ul role=menu><li role=menuitem>Copy<li role=menuitem>Paste<li role=menuitem>Cut</ul>",
    ],
)
def test_pagers_and_menus_are_no_tables(read_html: Serve, beside: str) -> None:
    page = read_html(f"<table><tr><th>Name</tr><tr><td>Ada</tr><tr><td>Ben</tr></table>{beside}")
    assert [list(frame.columns) for frame in sb.tables(page)] == [["Name"]]
