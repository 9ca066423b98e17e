"""A picture with the places of chosen elements in it."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from skillbook.errors import NoMatch
from skillbook.session.actions.shown_page import Capture
from skillbook.session.sync import Page

BODY = """<style>body { margin: 20px } button { border: 0; width: 80px; height: 30px; color: transparent }</style>
<button style="background: rgb(200, 0, 0)">One</button>
<iframe style="border: 0; margin: 40px" srcdoc="<body style='margin: 20px'><button aria-label=Two
  style='border: 0; width: 60px; height: 20px; background: rgb(0, 200, 0)'></button>"></iframe>
<button style="background: rgb(0, 0, 200); position: absolute; top: 2500px">Three</button>"""
NAMES = ("One", "Two", "Three")
COLOURS = ([200, 0, 0], [0, 200, 0], [0, 0, 200])
PIXELS = """(async () => {
  const picture = await createImageBitmap(await (await fetch('data:image/png;base64,DATA')).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
  canvas.drawImage(picture, 0, 0);
  return POINTS.map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data.slice(0, 3)]);
})()"""


def _colours(page: Page, taken: Capture) -> list[list[int]]:
    """The colours that the picture has just inside two corners of each element."""
    points = [
        corner
        for box in taken.boxes
        for corner in ([box.x + 2, box.y + 2], [box.x + box.width - 3, box.y + box.height - 3])
    ]
    data = base64.b64encode(taken.data).decode()
    found: list[list[int]] = page.evaluate(PIXELS.replace("DATA", data).replace("POINTS", str(points)))
    return found


@pytest.mark.parametrize("count", [2, 3], ids=["in view", "one outside"])
@pytest.mark.parametrize("scrolled", [0, 5])
def test_elements_are_where_the_picture_shows_them(
    serve_html: Callable[[str], Page], count: int, scrolled: int
) -> None:
    page = serve_html(BODY)
    page.wait_for(selector="button 'Two'")
    if scrolled:
        page.scroll(dy=scrolled)
    taken = page.capture(*(f"button '{name}'" for name in NAMES[:count]))
    assert [box.label for box in taken.boxes] == [f"button '{name}'" for name in NAMES[:count]]
    assert [page[box.ref].name for box in taken.boxes] == list(NAMES[:count])
    assert _colours(page, taken) == [colour for colour in COLOURS[:count] for _ in range(2)]
    assert taken._repr_mimebundle_()["image/png"].startswith("iVBOR")


@pytest.mark.usefixtures("hasty")
def test_what_is_not_there_is_not_pictured(serve_html: Callable[[str], Page]) -> None:
    with pytest.raises(NoMatch):
        serve_html(BODY).capture("button 'Four'")
