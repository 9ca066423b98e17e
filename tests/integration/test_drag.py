"""Drags that fail leave nothing held."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import NotActionable, StaleRef
from skillbook.session.sync import Page

PAGE = """<script>const seen = []</script>
<button id=thing {more}>Thing</button><p><button id=place>Place</button>
<script>for (const type of ["mousedown", "mouseup", "drop"])
  addEventListener(type, (event) => seen.push([type, event.target.id === 'place']), true)
thing.addEventListener("mousemove", (event) => {{ if (event.buttons) place.remove() }})
</script>"""


@pytest.mark.parametrize("more", ["", "draggable=true ondragstart='place.remove()'"])
def test_a_failed_drag_lets_go_and_drops_on_nothing(serve_html: Callable[[str], Page], more: str) -> None:
    page = serve_html(PAGE.format(more=more))
    with pytest.raises((StaleRef, NotActionable)):
        page.drag("button 'Thing'", "button 'Place'", timeout=3)
    assert ["drop", True] not in page.evaluate("seen")
    if not more:
        assert page.evaluate("seen.at(-1)")[0] == "mouseup"
    page.evaluate("window.onmousemove = (event) => { window.buttons = event.buttons }, 1")
    page.hover("button 'Thing'")
    assert page.evaluate("window.buttons") == 0


LIVE = """<ul id=list style="list-style:none;padding:0;width:200px">{}</ul><script>
  let held = null;
  list.onpointerdown = (e) => {{ held = e.target.closest("li"); list.setPointerCapture(e.pointerId) }};
  list.onpointermove = (e) => {{
    const over = held && [...list.children].find((li) => {{
      const box = li.getBoundingClientRect();
      return li !== held && e.clientY > box.top && e.clientY < box.bottom;
    }});
    if (over && {sorts}) (over.compareDocumentPosition(held) & 2) ? over.after(held) : over.before(held);
  }};
  onpointerup = () => {{ held = null }};
</script>"""
ITEMS = "".join(
    f"<li style='height:40px;border:1px solid'>{name}</li>" for name in ("One", "Two", "Three", "Four")
)


@pytest.mark.parametrize(
    ("moved", "position", "to", "order"),
    [
        ("One", "before", "Three", "Two One Three Four"),
        ("One", "after", "Three", "Two Three One Four"),
        ("Four", "after", "One", "One Four Two Three"),
        ("Four", "before", "One", "Four One Two Three"),
    ],
)
def test_a_list_that_sorts_while_one_drags(
    serve_html: Callable[[str], Page], moved: str, position: str, to: str, order: str
) -> None:
    page = serve_html(LIVE.format(ITEMS, sorts="true"))
    page.drag(f"text '{moved}'", f"text '{to}'", position=position)
    assert page.evaluate("list.innerText.split(/\\s+/).join(' ')") == order


def test_what_is_dropped_elsewhere_than_it_was_to_be_says_so(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(LIVE.format(ITEMS, sorts="false"))
    with pytest.raises(NotActionable, match="is not after") as refused:
        page.drag("text 'One'", "text 'Three'", position="after")
    assert refused.value.data["reason"] == "dropped_elsewhere"
