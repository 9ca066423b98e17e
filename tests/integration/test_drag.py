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
def test_a_failed_drag_lets_go_and_drops_on_nothing(show_html: Callable[[str], Page], more: str) -> None:
    page = show_html(PAGE.format(more=more))
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
    show_html: Callable[[str], Page], moved: str, position: str, to: str, order: str
) -> None:
    page = show_html(LIVE.format(ITEMS, sorts="true"))
    page.drag(f"text '{moved}'", f"text '{to}'", position=position)
    assert page.evaluate("list.innerText.split(/\\s+/).join(' ')") == order


def test_what_is_dropped_elsewhere_than_it_was_to_be_says_so(show_html: Callable[[str], Page]) -> None:
    page = show_html(LIVE.format(ITEMS, sorts="false"))
    with pytest.raises(NotActionable, match="is not after") as refused:
        page.drag("text 'One'", "text 'Three'", position="after")
    assert refused.value.data["reason"] == "dropped_elsewhere"


HELD = """<button id=card style="width:100px;height:40px">Card</button><div id=bin role=region aria-label=Bin
  style="width:300px;height:80px;background:#eee"></div><script>
  let timer, from, moves = false;
  const begin = () => {{ moves = true; card.ariaPressed = true }};
  card.onpointerdown = (e) => {{ from = e; timer = setTimeout(begin, {delay}) }};
  onpointermove = (e) => {{
    if (!moves && from && Math.hypot(e.x - from.x, e.y - from.y) > 5) clearTimeout(timer), from = null;
  }};
  onpointerup = (e) => {{
    const box = bin.getBoundingClientRect();
    if (moves && e.y > box.top && e.y < box.bottom) bin.append(card);
    clearTimeout(timer); from = null; moves = false;
  }};
</script>"""


def test_what_must_be_held_before_it_is_dragged(show_html: Callable[[str], Page]) -> None:
    """As with dnd-kit's activation delay."""
    page = show_html(HELD.format(delay=250))
    page.drag("button 'Card'", "region 'Bin'")
    assert page.evaluate("card.parentElement.id") == "bin"


def test_a_drag_to_which_the_page_did_nothing_says_so(show_html: Callable[[str], Page]) -> None:
    page = show_html(HELD.format(delay=5000))
    with pytest.raises(NotActionable, match="did nothing") as refused:
        page.drag("button 'Card'", "region 'Bin'")
    assert refused.value.data["reason"] == "not_dragged"
