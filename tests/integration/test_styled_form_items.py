"""Controls of component libraries: one in another, labels without a control, fields under their text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.errors import AmbiguousMatch, NoMatch, NotActionable
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

NESTED = """<script>const done = [];</script>
<span role=button tabindex=0><input type=file id=file hidden onchange="done.push(files[0].name)">
  <button onclick="file.click()">Select file</button></span>
<div role=checkbox tabindex=0 aria-label="Notify me" aria-checked=false><input type=checkbox role=switch
  aria-label="Notify me" onchange="done.push(checked)"></div>
<div role=button tabindex=0 onclick="done.push('card')">Open Lamp
  <button onclick="done.push('edit')">Open</button></div>
"""


def test_a_control_in_another_of_its_name_is_the_one(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(NESTED)
    file = tmp_path / "a.txt"
    file.write_text("a", encoding="utf-8")
    page.upload("button 'Select file'", str(file))
    page.check("label 'Notify me'")
    assert page.evaluate("done") == ["a.txt", True]


def test_a_control_in_another_of_another_name_is_not(show_html: Serve) -> None:
    page = show_html(NESTED)
    with pytest.raises(AmbiguousMatch):
        page.click("button ~'Open'")


LOOSE = """<script>const done = {};</script>
<div class=item><div><label>Name</label></div><div><input oninput="done.name = value"></div></div>
<div class=item><div><label>Amount</label></div><div><input type=number oninput="done.amount = value"></div></div>
<div class=item><div><label>From and to</label></div><div><input><input></div></div>
<label for=kind>Kind</label><span role=combobox id=kind tabindex=0 aria-label="Select a kind" aria-expanded=false
  aria-haspopup=listbox onclick="list.hidden = false; ariaExpanded = true">Select a kind</span>
<label for=size>Size</label><span role=combobox id=size tabindex=0>-</span>
<ul id=list role=listbox hidden><li role=option onclick="done.kind = 'b'; kind.textContent = 'B'; list.hidden = true;
  kind.ariaExpanded = false">B</ul>"""


def test_a_label_without_a_control_stands_for_the_only_field_of_its_item(show_html: Serve) -> None:
    page = show_html(LOOSE)
    page.fill("label 'Name'", "Ann")
    page.fill("spinbutton 'Amount'", 7)
    assert page.evaluate("done") == {"name": "Ann", "amount": "7"}
    with pytest.raises(NoMatch):
        page.fill("label 'From and to'", "x", timeout=0.5)


@pytest.mark.parametrize("target", ["label 'Kind'", "combobox 'Kind'"])
def test_a_label_may_refer_to_a_list_made_by_a_script(serve_html: Serve, target: str) -> None:
    page = serve_html(LOOSE)
    page.select(target, "B")
    assert page.evaluate("done") == {"kind": "b"}
    assert page.get("value", "label 'Size'") is not None


COVERED = """
<style>.box { position: relative; height: 2em; width: 9em } .box > * { position: absolute; inset: 0 }
.off { clip: rect(0 0 0 0); width: 1px; height: 1px } a { background: white }</style>
<div class=box><label for=status_field class=off>Status</label><input id=status_field
  role=button class=off aria-labelledby=shown aria-expanded=false
  aria-haspopup=listbox
  onkeydown="if (event.key === 'Enter') { offered.hidden = false; ariaExpanded = true }">
  <a id=shown onmousedown="event.preventDefault()">draft</a></div>
<ul id=offered role=listbox hidden><li role=option onclick="shown.textContent = 'sent'; offered.hidden = true;
  status_field.ariaExpanded = false">sent</ul>"""


def test_a_list_under_what_shows_its_choice_is_opened_by_its_key(show_html: Serve) -> None:
    page = show_html(COVERED)
    page.select("label 'Status'", "sent")
    assert page.evaluate("shown.textContent") == "sent"


def test_a_field_that_is_read_only_until_it_has_the_focus_is_filled(show_html: Serve) -> None:
    page = show_html(
        "<label>Date <input id=date readonly onfocus='setTimeout(() => { readOnly = false })'></label>"
        "<label>Total <input id=total readonly value=5></label>"
    )
    page.fill("label 'Date'", "2026-05-04")
    assert page.evaluate("date.value") == "2026-05-04"
    with pytest.raises(NotActionable, match="read-only"):
        page.fill("label 'Total'", "7")
    assert page.evaluate("total.value") == "5"
