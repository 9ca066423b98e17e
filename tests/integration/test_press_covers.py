"""Presses whose page opens something at once, and elements of less than a pixel."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import SkillbookError
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

OPENS = """<button id=b>Menu</button><div id=over hidden style="position:fixed;inset:0"></div><script>
  const seen = []; for (const type of ["mousedown", "click"]) over.addEventListener(type, () => seen.push(type));
  b.onpointerdown = () => { over.hidden = false; seen.push("opened") };
  onpointerup = () => seen.push("released");
</script>"""


def test_what_a_press_opens_over_its_button_is_no_reason_to_press_again(show_html: Serve) -> None:
    page = show_html(OPENS)
    assert page.click("button 'Menu'", timeout=3).changed
    assert page.evaluate("seen") == ["opened", "released"]


def test_a_press_on_what_is_replaced_as_it_begins_is_no_success(show_html: Serve) -> None:
    page = show_html(
        "<p id=p><button>Save</button></p><script>let n = 0;"
        "p.onpointerdown = () => { p.innerHTML = '<button>Save</button>' }; p.onclick = () => n++</script>"
    )
    with pytest.raises(SkillbookError):
        page.click(page.snapshot().find("button 'Save'"), timeout=1)
    assert page.evaluate("n") == 0


def test_a_control_of_a_pixel_is_pressed_once(show_html: Serve) -> None:
    """Mouse events have whole pixels: between two pixels they go elsewhere than pointer events do."""
    page = show_html(
        """<div id=list style="position:absolute;left:20.4px;top:20.6px;width:200px;height:30px;background:#eee">
        <div style="position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(0)">
        <input readonly role=combobox aria-label=Many style="width:150px"></div></div>
        <script>let n = 0; list.onclick = () => n++</script>"""
    )
    page.click("combobox 'Many'", timeout=3)
    assert page.evaluate("n") == 1


HOLDS = """<div style="width:600px;height:60px;position:relative" onclick="seen.push('row')">Order 17
<button style="position:absolute;left:250px;top:15px;width:100px" onclick="seen.push('button');event.stopPropagation()">
Archive</button></div><a href="#x" style="display:block;width:600px" onclick="seen.push('link')">All</a>
<script>const seen = []</script>"""


def test_a_press_on_what_holds_a_control_is_none_on_that_control(show_html: Serve) -> None:
    page = show_html(HOLDS)
    page.click("text 'Order 17'")
    assert page.evaluate("seen") == ["row"]


def test_a_press_on_what_is_nothing_but_its_control_is_one_on_that(show_html: Serve) -> None:
    page = show_html(
        "<script>const seen = []</script><ul><li tabindex=0 onclick=\"seen.push('item')\">"
        "<button style='width:100%' onclick=\"seen.push('button')\">Archive</button></li></ul>"
    )
    page.click(page.snapshot().find("listitem"))
    assert page.evaluate("seen") == ["button", "item"]


def test_a_press_on_a_tab_of_a_link_and_a_way_to_close_it_is_one_on_the_link(show_html: Serve) -> None:
    page = show_html(
        "<script>const seen = []</script><ul role=tablist><li role=tab style='width:300px;text-align:center'>"
        "<a href='#one' style='display:block;margin-right:40px' onclick=\"seen.push('link')\">Sheet</a>"
        "<button style='float:right' onclick=\"seen.push('close')\">×</button></li></ul>"
    )
    page.click("tab")
    assert page.evaluate("seen") == ["link"]


def test_a_text_of_a_drawing_with_others_is_pressed_where_it_stands(show_html: Serve) -> None:
    page = show_html(
        "<svg width=600 height=200 onclick='seen.push(event.target.textContent)'><g>"
        "<rect x=240 y=80 width=120 height=40 /><text x=20 y=30>alpha</text><text x=500 y=190>gamma</text>"
        "</g></svg><script>const seen = []</script>"
    )
    page.click("text 'alpha'")
    assert page.evaluate("seen") == ["alpha"]
