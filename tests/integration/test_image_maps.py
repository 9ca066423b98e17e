"""Areas of image maps have no boxes of their own; they are found and clicked where their image is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.session.sync import Page

MAP = """
<div style="height:2000px"></div><map name=m>
<area href="#left" alt=Left shape=rect coords="0,0,10,20">
<area href="#round" alt=Round shape=circle coords="15,10,5">
<area href="#corner" alt=Corner shape=poly coords="20,20,40,20,40,40">
<area href="#rest" alt=Rest shape=default></map>
<img usemap="#m" width=40 height=40
 src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
<map name=unused><area href="#unused" alt=Unused shape=default></map>
"""


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_areas_are_where_their_image_is(show_html: Callable[[str], Page], engine: str) -> None:
    page = show_html(MAP)
    left, top = page.evaluate("(({x, y}) => [x, y])(document.querySelector('img').getBoundingClientRect())")
    links = page.snapshot(engine=engine).find_all("link")
    assert [(link.name, *link.box) for link in links] == [
        ("Left", left, top, 10, 20),
        ("Round", left + 10, top + 5, 10, 10),
        ("Corner", left + 20, top + 20, 20, 20),
        ("Rest", left, top, 40, 40),
    ]


@pytest.mark.parametrize("name", ["Left", "Round"])
def test_areas_are_clicked(show_html: Callable[[str], Page], name: str) -> None:
    page = show_html(MAP)
    page.click(f"link '{name}'")
    assert page.url.endswith(f"#{name.lower()}")
