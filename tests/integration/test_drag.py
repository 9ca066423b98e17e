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
