"""Scrolling what scrolls by itself, the documents in frames, and what loads more as one scrolls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.errors import AmbiguousMatch, CommandTimeout, NoMatch
from skillbook.session.sync import Page
from skillbook.testing.site import serve_folder

SCROLLED = "element => element.ownerDocument.defaultView.scrollY"


@pytest.mark.parametrize("other_process", [False, True])
def test_a_frame_is_scrolled_by_its_own_ref(
    tmp_path: Path, open_page: Callable[[str], Page], other_process: bool
) -> None:
    (tmp_path / "inner.html").write_text("<!doctype html><button style='margin-top: 3000px'>End</button>")
    with serve_folder(tmp_path) as site:
        inner = site.url.replace("127.0.0.1", "localhost") if other_process else site.url
        page = open_page(_outer(tmp_path, site.url, inner))
        page.browser.allow(inner)
        page.wait_for(selector="button 'End'")
        page.scroll("iframe 'Long'", dy=500)
        assert page.evaluate(SCROLLED, "button 'End'") == 500
        page.scroll("iframe 'Long'", to="bottom")
        assert page.evaluate(SCROLLED, "button 'End'") > 2500
        assert page.evaluate("scrollY") == 0
        page.scroll(to="bottom")
        page.scroll("iframe 'Long'")
        assert page.evaluate("scrollY") < 500


FEED = """<main id=feed style="{style}"></main><p id=clock></p><script>
  const feed = document.getElementById("feed"), box = {box};
  let loading = false;
  const add = () => {{ for (let i = 0; i < 20; i++) feed.append(Object.assign(document.createElement("p"),
    {{textContent: `Row ${{feed.children.length + 1}}`, style: "height: 40px"}})); loading = false; }};
  add();
  setInterval(() => {{ clock.textContent = performance.now(); }}, 50);
  {events}.addEventListener("scroll", () => {{
    if (loading || feed.children.length >= {rows} || box.scrollTop + box.clientHeight < box.scrollHeight - 50) return;
    loading = true;
    setTimeout(add, 300);
  }});
</script>"""
PAGE = {"style": "", "box": "document.scrollingElement", "events": "window"}
LIST = {"style": "height: 300px; overflow: auto", "box": "feed", "events": "feed"}


@pytest.mark.parametrize(("where", "target"), [(PAGE, None), (LIST, "main")], ids=["page", "list"])
def test_what_loads_as_one_scrolls_is_scrolled_to_its_end(
    show_html: Callable[[str], Page], where: dict[str, str], target: str | None
) -> None:
    page = show_html(FEED.format(**where, rows=100))
    result = page.scroll(target, to="end")
    assert result.changed
    assert page.snapshot().has_text("Row 100")
    assert page.evaluate(f"({where['box']}).scrollTop") > 3000


def test_what_never_ends_is_given_up_in_time(show_html: Callable[[str], Page]) -> None:
    page = show_html(FEED.format(**PAGE, rows=10**9))
    with pytest.raises(CommandTimeout, match="more was loaded"):
        page.scroll(to="end", timeout=1)
    assert page.snapshot().has_text("Row 40")


def _outer(folder: Path, url: str, inner: str) -> str:
    frame = f"<iframe title=Long width=300 height=200 src='{inner}/inner.html'></iframe>"
    text = f"<!doctype html><h1>Outer</h1>{frame}<p style='margin-top: 4000px'>Bottom</p>"
    (folder / "index.html").write_text(text)
    return url


ROWS = """<h1>Log</h1><div role=grid id=grid
 aria-rowcount=5001 style="height: 300px; overflow: auto; position: relative">
<div id=room style="height: 150000px"></div></div><p id=clock></p><script>
setInterval(() => { clock.textContent = performance.now(); }, 50);
const draw = () => {
  const from = Math.max(0, Math.floor(grid.scrollTop / 30) - 2);
  room.innerHTML = Array.from({length: Math.min(14, 5000 - from)}, (_, i) => from + i).map((n) => `<div role=row
    aria-rowindex=${n + 2} style="position: absolute; height: 30px; top: ${n * 30}px">
    <span role=gridcell>Line ${n}</span></div>`).join('');
};
grid.onscroll = () => setTimeout(draw, 60);
draw();
</script>"""


def test_scrolling_to_a_row_that_the_page_numbers(show_html: Callable[[str], Page]) -> None:
    page = show_html(ROWS)
    for number in (4002, 12, 5001):
        page.scroll("grid", to_row=number)
        # One snapshot: the grid renders its rows anew after each scroll.
        row = page.snapshot().find(f"row 'Line {number - 2}'")
        assert row is not None
        assert "offscreen" not in row.states
    with pytest.raises(NoMatch, match="no row 6000"):
        page.scroll("grid", to_row=6000)


def test_scrolling_until_something_matches_tells_the_end_from_the_time(
    show_html: Callable[[str], Page],
) -> None:
    page = show_html(ROWS)
    with pytest.raises(CommandTimeout, match="not to the end, and nothing matches"):
        page.scroll("grid", until="row 'Line 4999'", timeout=1)
    page.scroll("grid", to_row=4990)
    with pytest.raises(NoMatch, match="scrolled to the end"):
        page.scroll("grid", until="row 'Nowhere'", timeout=30)


LONG_LIST = (
    "<ul id={name} aria-label={name} style='height: 120px; width: 150px; overflow-y: auto'></ul><script>"
    "for (let i = 0; i < 60; i++) "
    "{name}.append(Object.assign(document.createElement('li'), {{textContent: 'item ' + i}}));"
    "let {name}More = false; "
    "{name}.onscroll = () => {{ if ({name}More || {name}.scrollTop < 900) return; {name}More = true;"
    " {name}.insertAdjacentHTML('beforeend', '<li><button>Last {name}</button></li>') }};</script>"
)


def test_the_only_list_that_scrolls_needs_no_name(show_html: Callable[[str], Page]) -> None:
    page = show_html("<main style='height: 300px'></main>" + LONG_LIST.format(name="left"))
    page.scroll(until="button 'Last left'")
    assert page.is_("in_view", "button 'Last left'")


def test_several_lists_that_scroll_are_told_apart_by_name(show_html: Callable[[str], Page]) -> None:
    page = show_html(LONG_LIST.format(name="left") + LONG_LIST.format(name="right"))
    with pytest.raises(AmbiguousMatch, match="2 things in it do"):
        page.scroll(until="button 'Last right'")
    page.scroll("list 'right'", until="button 'Last right'")
    assert page.is_("in_view", "button 'Last right'")


WIDE = """<h1>Wide</h1><div id=g role=grid aria-label=W aria-rowcount=400 aria-colcount=60
style="height:200px;width:400px;overflow:auto;position:relative">
<div id=room style="height:12000px;width:6000px"></div></div><script>
const render = () => {
  for (const old of g.querySelectorAll("[role=row]")) old.remove();
  const [top, left] = [Math.floor(g.scrollTop / 30), Math.floor(g.scrollLeft / 100)];
  for (let i = Math.max(0, top - 1); i < Math.min(400, top + 9); i++) {
    const row = document.createElement("div");
    row.role = "row";
    row.setAttribute("aria-rowindex", String(i + 1));
    row.style = `position:absolute;top:${i * 30}px;height:30px;width:6000px`;
    for (let j = left; j < Math.min(60, left + 5); j++) {
      const style = `position:absolute;left:${j * 100}px`;
      row.innerHTML += `<span role=gridcell aria-colindex=${j + 1} style="${style}">R${i + 1} C${j + 1}</span>`;
    }
    g.append(row);
  }
};
g.addEventListener("scroll", () => requestAnimationFrame(render));
render();
</script>"""


def test_scrolling_to_a_row_leaves_its_columns_as_they_are(show_html: Callable[[str], Page]) -> None:
    page = show_html(WIDE)
    for left in (0, 1000):
        page.evaluate(f"(() => {{ g.scrollLeft = {left}; }})()")
        for number in (200, 3):
            page.scroll("grid 'W'", to_row=number)
            assert page.evaluate("g.scrollLeft") == left
            first = left // 100 + 1
            assert page.snapshot().find(f"gridcell 'R{number} C{first}'").states.isdisjoint({"offscreen"})
