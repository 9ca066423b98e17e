"""What a cell says: what one sees in it, and what is filled in or chosen in its fields; in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

ICON = "<svg width=9 height=9><path d='M0 0L9 9'/></svg>"
CASES = {
    "select": ("<select><option>one<option selected>two</select>", "two"),
    "select of several": ("<select multiple><option selected>one<option>two<option selected>six</select>", "one, six"),
    "select beside a text": ("in <select><option>EUR<option selected>USD</select>", "in USD"),
    "radio buttons": ("<label><input type=radio>A</label><label><input type=radio checked>B</label>", "B"),
    "checkboxes": ("<label><input type=checkbox>A</label><label><input type=checkbox checked>B</label>", "B"),
    "field with a unit": ("<input value=12> kg", "12 kg"),
    "fields with a word between": ("<input value=12> to <input value=15>", "12 to 15"),
    "blank field with a label": ("<input aria-label=Filter>", ""),
    "icon that copies": (f"00123 <button aria-label=Copy>{ICON}</button>", "00123"),
    "icon with a tooltip": ("00123 <button title=Copy><i class=icon></i></button>", "00123"),
    "icon that opens the row": (f"<button aria-expanded=false aria-label='Open row'>{ICON}</button>Ada", "Ada"),
    "icon that is a link": (f"<a href=/a>Ada</a> <a href=/e aria-label=Edit>{ICON}</a>", "Ada"),
    "nothing but icons": (f"<a aria-label=Edit href=/e>{ICON}</a> <b role=button title=Cut>{ICON}</b>", "Edit Cut"),
    "button that is read": ("00123 <button>Copy</button>", "00123 Copy"),
    "button with a sign": ("Ada <button aria-label=Actions>&#8942;</button>", "Ada ⋮"),
    "number of a footnote": ("12<sup>1</sup>", "12¹"),
    "exponent": ("10<sup>12</sup>", "10¹²"),
    "base": ("101<sub>2</sub>", "101₂"),
    "letter of a footnote": ("12<sup>a</sup>", "12a"),
    "raised digit after a letter": ("m<sup>2</sup>", "m2"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_a_cell_says(serve_html: Serve, case: str) -> None:
    cell, said = CASES[case]
    page = serve_html(
        f"<table><tr><th>Name<th>Value</tr><tr><td>Ada<td>{cell}</tr><tr><td>Ben<td>x</tr></table>"
    )
    assert sb.tables(page)[0]["Value"][0] == said


def test_a_number_with_a_footnote_is_no_larger_number(serve_html: Serve) -> None:
    page = serve_html(
        "<table><tr><th>City<th>People</tr><tr><td>Ulm<td>126<sup>1</sup></tr><tr><td>Bonn<td>330</tr></table>"
    )
    assert sb.tables(page)[0]["People"].tolist() == ["126¹", "330"]


def test_a_row_with_a_field_is_no_row_of_filters(serve_html: Serve) -> None:
    page = serve_html(
        "<table><tr><th>Name<th>Level</tr><tr><td>Ada<td><select><option>low<option selected>high</select></tr>"
        "<tr><td>Ben<td>low</tr></table>"
    )
    assert sb.tables(page)[0].to_numpy().tolist() == [["Ada", "high"], ["Ben", "low"]]
