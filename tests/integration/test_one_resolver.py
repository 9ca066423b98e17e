"""What an action gets is the one element that its selector finds, for every call that takes a selector."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import NoMatch
from skillbook.session.sync import Page

Show = Callable[[str], Page]

GRID = """<h1>Grid</h1><div id=g role=grid aria-label=G aria-rowcount=300
style="height:200px;width:420px;overflow:auto;position:relative">
<div id=room style="height:9000px"></div></div><script>
const pressed = [];
const render = () => {
  for (const old of g.querySelectorAll("[role=row]")) old.remove();
  const from = Math.max(0, Math.floor(g.scrollTop / 30) - 1);
  for (let i = from; i < Math.min(300, from + 10); i++) {
    const row = document.createElement("div");
    row.role = "row";
    row.setAttribute("aria-rowindex", String(i + 1));
    row.style = `position:absolute;top:${i * 30}px;height:30px`;
    const cells = [`P${i + 1}`, i % 7];
    row.innerHTML = cells.map((text, j) => `<span role=gridcell aria-colindex=${j + 1}>${text}</span>`).join(" ");
    row.onclick = () => pressed.push(`P${i + 1}`);
    g.append(row);
  }
};
g.addEventListener("scroll", () => requestAnimationFrame(render));
render();
</script>"""


@pytest.mark.usefixtures("hasty")
def test_a_cell_of_a_row_that_is_not_there_is_no_other_rows_cell(show_html: Show) -> None:
    page = show_html(GRID)
    for selector in ("gridcell nth 2 in row 'NOT THERE'", "gridcell nth 2 in row 'P1' in grid 'Other'"):
        with pytest.raises(NoMatch):
            page.click(selector, timeout=2)
        assert page.count(selector) == 0
    assert page.evaluate("pressed") == []


def test_a_cell_of_a_row_beyond_the_screen_is_that_rows(show_html: Show) -> None:
    page = show_html(GRID)
    page.click("gridcell nth 2 in row 'P3'")
    page.click("gridcell nth 2 in row 'P120'")
    page.click("gridcell nth 2 in (row nth 250)")
    assert page.evaluate("pressed") == ["P3", "P120", "P250"]


def test_the_number_of_a_row_is_the_pages_however_far_its_grid_is_scrolled(show_html: Show) -> None:
    page = show_html(GRID)
    page.scroll("grid 'G'", to_row=100)
    assert page.count("row nth 2 in grid 'G'") == 0
    assert [node.text for node in page.find("row nth 99 in grid 'G'")] == [f"P99 {98 % 7}"]
    page.click("row nth 2 in grid 'G'")
    page.click("row nth 290")
    assert page.evaluate("pressed") == ["P2", "P290"]
