"""`within=`: any list, however short, groups of lists, the items themselves, and what is in a frame."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page

PAGE = """<!doctype html><html><meta charset=utf-8><title>Within</title><body>
<h1>Shop</h1>
<section aria-label="Two things"><ul><li><b>Nut</b> <i class=price>€1.50</i></li>
  <li><b>Bolt</b> <i class=price>€2.50</i></li></ul></section>
<h2>Three words</h2><ul id=words><li>one</li><li>two</li><li>three</li></ul>
<div id=menu aria-label=Menu role=region>
  <h3>Starters</h3><ul><li><b>Soup</b><span>4.00</span></li><li><b>Salad</b><span>5.00</span></li>
    <li><b>Bread</b><span>2.00</span></li></ul>
  <h3>Mains</h3><ul><li><b>Fish</b><span>14.00</span></li></ul>
</div>
<ul id=tree><li>Fruit<ul><li>Apple</li><li>Pear</li><li>Fig</li></ul></li><li>Nuts<ul><li>Almond</li></ul></li></ul>
<div id=deals><div class=deal><b>A</b><p>1</p></div><p>ad</p><div class=deal><b>B</b><p>2</p></div></div>
<h2>Something else</h2>
<iframe title="Orders of today" srcdoc="<table><tr><th>No<th>Sum</tr><tr><td>7<td>70</tr><tr><td>8<td>80</tr></table>">
</iframe>
<ul><x-row><li><b>Ann</b><i>1</i></li></x-row><x-row><li><b>Bob</b><i>2</i></li></x-row></ul>
<x-items></x-items>
<script>
const shadow = document.querySelector('x-items').attachShadow({mode: 'open'});
shadow.innerHTML = '<ul><x-part></x-part><x-part></x-part><x-part></x-part></ul>';
shadow.querySelectorAll('x-part').forEach((part, n) => {
  part.attachShadow({mode: 'open'}).innerHTML = `<li><b>Part ${n}</b> <i>${n} left</i></li>`;
});
</script>"""


@pytest.fixture
def page(read_html: Callable[[str], Page]) -> Page:
    return read_html(PAGE)


def test_lists_of_two_and_three_items(page: Page) -> None:
    two = sb.extract(page, within="Two things")
    assert two.iloc[:, 0].tolist() == ["Nut", "Bolt"]
    assert two["price"].tolist() == [1.5, 2.5]
    assert sb.extract(page, within="css '#words'").iloc[:, 0].tolist() == ["one", "two", "three"]


def test_groups_give_their_names_as_a_column(page: Page) -> None:
    menu = sb.extract(page, within="Menu")
    assert menu.iloc[:, :2].to_numpy().tolist() == [
        ["Starters", "Soup"],
        ["Starters", "Salad"],
        ["Starters", "Bread"],
        ["Mains", "Fish"],
    ]
    assert menu.columns[0] == "group"
    assert menu.iloc[:, 2].tolist() == [4.0, 5.0, 2.0, 14.0]
    tree = sb.extract(page, within="css '#tree'")
    assert tree.to_numpy().tolist() == [
        ["Fruit", "Apple"],
        ["Fruit", "Pear"],
        ["Fruit", "Fig"],
        ["Nuts", "Almond"],
    ]


def test_items_that_the_selector_names(page: Page) -> None:
    deals = sb.extract(page, within="css '.deal'")
    assert deals.to_numpy().tolist() == [["A", 1], ["B", 2]]


@pytest.mark.parametrize("within", ["Orders of today", "iframe 'Orders of today'"])
def test_a_table_in_a_frame_belongs_to_the_frames_name(page: Page, within: str) -> None:
    orders = sb.extract(page, within=within)
    assert orders.to_dict("list") == {"No": [7, 8], "Sum": [70, 80]}
    assert orders.skillbook.name == "Orders of today"


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_list_items_inside_custom_elements_are_list_items(page: Page, engine: str) -> None:
    found = page.snapshot(engine=engine).find_all("listitem")
    said = [node.text for node in found]
    for text in ("Ann 1", "Bob 2", "Part 0 0 left", "Part 2 2 left"):
        assert any(text.split()[0] in one and text.split()[-1] in one for one in said), (text, said)
