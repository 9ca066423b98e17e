"""A list that shows a part of its items says so, errors name it, and actions look through it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import NoMatch, StaleRef
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

LISTBOX = """
<h1>Countries</h1>
<div id=list role=listbox aria-label=Countries style="height:200px;width:200px;overflow:auto;position:relative">
<div id=space style="height:20000px"></div></div>
<p id=said></p>
<script>
const list = document.getElementById("list");
const render = () => {
  const from = Math.max(0, Math.floor(list.scrollTop / 20) - 1);
  for (const old of list.querySelectorAll("[role=option]")) old.remove();
  for (let i = from; i < Math.min(1000, from + 12); i++) {
    const item = document.createElement("div");
    item.role = "option";
    item.setAttribute("aria-setsize", "1000");
    item.setAttribute("aria-posinset", String(i + 1));
    item.style = `position:absolute;top:${i * 20}px;height:20px`;
    item.textContent = `C${i + 1}`;
    item.onclick = () => { document.getElementById("said").textContent = item.textContent; };
    list.append(item);
  }
};
list.addEventListener("scroll", () => requestAnimationFrame(render));
render();
</script>
"""
TABS = """<ul aria-label=Steps><li aria-setsize=9 aria-posinset=1>A<li aria-setsize=9 aria-posinset=2>B</ul>
<ul><li>One<li>Two</ul>"""


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_the_text_says_how_many_of_how_many(read_html: Serve, engine: str) -> None:
    assert "… 12 of 1,000" in read_html(LISTBOX).snapshot(engine=engine).text()
    text = read_html(TABS).snapshot(engine=engine).text()
    assert text.count("… 2 of 9") == 1
    assert text.count("…") == 1


def test_errors_name_the_list(serve_html: Serve) -> None:
    page = serve_html(LISTBOX)
    snapshot = page.snapshot()
    with pytest.raises(NoMatch, match='listbox "Countries"') as failed:
        snapshot.find("option 'C500'")
    assert "12 of 1,000" in str(failed.value)
    assert failed.value.data["partial_lists"] == [
        {"ref": snapshot.find("listbox 'Countries'").ref, "shown": 12, "total": 1000}
    ]
    first = snapshot.find("option 'C1'").ref
    page.scroll("listbox 'Countries'", dy=4000)
    with pytest.raises(StaleRef, match='listbox "Countries"') as gone:
        page.click(first)
    assert "12 of 1,000" in str(gone.value)


def test_an_action_looks_through_the_list(serve_html: Serve) -> None:
    page = serve_html(LISTBOX)
    page.click("option 'C150'")
    assert page.get("text", "paragraph") == "C150"
    page.click("option 'C3'")
    assert page.get("text", "paragraph") == "C3"
    page.click("option nth 800 in listbox 'Countries'")
    assert page.get("text", "paragraph") == "C800"


def test_what_the_list_does_not_have_is_refused_in_time(serve_html: Serve) -> None:
    page = serve_html(LISTBOX)
    with pytest.raises(NoMatch, match="12 of 1,000"):
        page.click("option 'Atlantis'", timeout=3)
    with pytest.raises(NoMatch):
        page.click("button 'Atlantis'", timeout=0)
    assert page.evaluate("list.scrollTop") > 0
