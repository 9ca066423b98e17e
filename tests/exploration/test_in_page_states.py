"""States without an address: menus, tabs, what is collapsed, and pagers, pressed where that only reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.exploration.page_states import controls, fingerprint
from skillbook.perception.summary import summarize
from skillbook.session.sync import Browser
from tests.trees import snapshot

pytestmark = pytest.mark.browser
Site = Callable[[Mapping[str, Any]], Any]
TOGGLE = "this.setAttribute('aria-expanded', true); document.getElementById('{id}').hidden = false"
SELECT = (
    "for (const one of document.querySelectorAll('[role=tab]')) one.setAttribute('aria-selected', one === this);"
    "for (const one of document.querySelectorAll('[role=tabpanel]')) one.hidden = one.id !== this.id + '-panel';"
)
START = f"""<title>Start</title><nav><button aria-expanded=false aria-haspopup=menu
  onclick="{TOGGLE.format(id="menu")}">Menu</button><div id=menu hidden><a href=/prices>Prices</a></div></nav>
<main><h1>Start</h1><p>Welcome.</p><button aria-expanded=false onclick="fetch('/visited', {{method: 'POST'}});
  {TOGGLE.format(id="more")}">Read more</button><div id=more hidden><h2>Opening hours</h2></div>
<button aria-expanded=false onclick="fetch('/gone', {{method: 'POST'}})">Delete everything</button>
<form><button aria-expanded=false>Send</button></form></main>"""
PRICES = f"""<title>Prices</title><main><h1>Prices</h1><div role=tablist>
<button role=tab id=a aria-selected=true onclick="{SELECT}">Lamps</button>
<button role=tab id=b aria-selected=false onclick="{SELECT}">Shelves</button></div>
<div role=tabpanel id=a-panel><h2>Lamps by the piece</h2></div>
<div role=tabpanel id=b-panel hidden><h2>Shelves by the metre</h2></div></main>"""
ROWS = """<title>Orders</title><main><h1>Orders</h1><table aria-label=Orders><thead><tr><th>Number<th>Date</thead>
<tbody id=rows></tbody></table><button onclick="page += 1; show()">Next page</button></main><script>
let page = 0; function show() { document.getElementById('rows').innerHTML = [0, 1, 2].map(n =>
  `<tr><td>Order ${page * 3 + n + 1}<td>2025-0${page + 1}-0${n + 1}</tr>`).join(''); } show();</script>"""


def test_a_menu_and_a_tab_lead_to_the_goal_and_nothing_is_sent(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    shop = site({"/": START, "/prices": PRICES})
    page = browser.open(shop.url)
    found = sb.explore(page, "shelves by the metre")
    assert found.found, found.why
    assert [label for _, label in found.path] == ["", "Menu", "Prices", "Shelves"]
    assert found.path[-1][0] == f"{shop.url}/prices › Shelves"
    assert page.snapshot().find("tab 'Shelves'").states >= {"selected"}
    frame = found.frame.set_index("address")
    assert not [key for key in frame.index if "Delete" in key or "Send" in key]
    assert shop.writes == []
    assert browser.refresh() == [page]
    skill = found.save_skill("shelves", tmp_path)
    assert [step.note for step in skill.spec.steps] == [
        "Click button 'Menu'",
        "Click link 'Prices'",
        "Click tab 'Shelves'",
    ]
    page.goto(shop.url)
    result = skill.run(page)
    assert result.ok, result.error
    assert page.snapshot().find("heading 'Shelves by the metre'")
    page.close()


def test_what_a_control_wants_to_send_is_refused_and_its_state_left_out(browser: Browser, site: Site) -> None:
    shop = site({"/": START, "/prices": PRICES})
    page = browser.open(shop.url)
    result = sb.explore(page, "opening hours")
    assert not result.found
    more = result.frame.set_index("address").loc[f"{shop.url}/ › Read more"]
    assert (more["status"], more["why"]) == (
        "left out",
        "'Read more' wanted to send something, which was refused",
    )
    assert shop.writes == []
    page.close()


def test_a_pager_without_addresses_is_pressed_again(browser: Browser, site: Site) -> None:
    page = browser.open(site({"/": ROWS}).url)
    found = sb.explore(page, "orders of 2025-03-02")
    assert found.found, found.why
    assert [label for _, label in found.path] == ["", "Next page", "Next page"]
    assert "Order 8" in page.snapshot().text()
    page.close()


def test_texts_that_change_make_no_other_state_and_other_rows_do() -> None:
    def state(clock: str, rows: tuple[str, str], title: str = "Orders") -> str:
        tree = f"""
main
  heading "{title}" level=1
  heading "{clock} visitors" level=2
  text "{clock}"
  table "Orders"
    row
      columnheader "Number"
      columnheader "Date"
    row
      cell "{rows[0]}"
      cell "x"
    row
      cell "{rows[1]}"
      cell "x"
"""
        return fingerprint(summarize(snapshot(tree)))

    assert state("12", ("Order 1", "Order 2")) == state("13", ("Order 1", "Order 2"))
    assert state("12", ("Order 1", "Order 2")) != state("12", ("Order 3", "Order 4"))
    assert state("12", ("Order 1", "Order 2")) != state("12", ("Order 1", "Order 2"), "Returns")


def test_what_submits_signs_out_or_changes_something_is_no_control() -> None:
    tree = """
navigation
  button "Products" + haspopup=menu
  button "Log out" + collapsed
  link "Elsewhere" + href=/x haspopup=menu
main
  tab "Open" + selected
  tab "Closed" +
  button "Delete all" + collapsed
  button "Details" + collapsed
  button "Download" + collapsed
  form
    button "Options" + collapsed
    button "Tips" + collapsed type=button
  button "Next page" +
  button "Buy" +
"""
    found = [node.label for node in controls(summarize(snapshot(tree)))]
    assert found == ["Products", "Closed", "Details", "Tips", "Next page"]
