"""Clicks by coordinates: only canvases and images take them, by the engine's own hit test; all else has a ref."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.errors import InvalidParams, NotActionable, NotAllowed
from skillbook.session.sync import Page
from skillbook.testing.site import serve_folder

GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
TELL = "onclick='top.document.title = [event.target.id, event.offsetX, event.offsetY].join()'"
PAGE = f"""<meta charset=utf-8><style>body{{margin:0}} body>*{{position:absolute; border:0; margin:0}}</style>
<canvas id=map width=200 height=100 style="left:0;top:0" {TELL}></canvas>
<div style="left:150px;top:0;width:50px;height:50px;background:#ccc" id=over>over it</div>
<img id=photo alt=Photo src="{GIF}" style="left:220px;top:0;width:100px;height:100px" {TELL}>
<button style="left:340px;top:0;width:100px;height:50px"><img alt=Save src="{GIF}" width=60 height=30></button>
<a href=/elsewhere style="left:340px;top:60px"><canvas width=60 height=30></canvas></a>
<p style="left:450px;top:0;width:100px">Text</p>
<svg role=img aria-label=Chart style="left:560px;top:0" width=100 height=100 {TELL}>
  <rect width=100 height=100 id=bar /><a href=/elsewhere><rect width=20 height=20 fill=red /></a></svg>
<iframe style="left:0;top:120px;width:200px;height:100px;transform:scale(.5);transform-origin:0 0"
  srcdoc="<body style=margin:0><canvas id=inner width=200 height=100 {TELL.replace("'", "&apos;")}></canvas>"></iframe>
<x-map style="left:220px;top:120px"></x-map>
<canvas id=tall width=100 height=3000 style="left:0;top:240px" {TELL}></canvas>
<script>
  const root = document.querySelector("x-map").attachShadow({{mode: "closed"}});
  root.innerHTML = "<canvas width=100 height=50></canvas>";
  root.firstChild.onclick = (event) => document.title = ["closed", event.offsetX, event.offsetY].join();
</script>"""


@pytest.fixture
def page(serve_html: Callable[[str], Page]) -> Page:
    return serve_html(PAGE)


def test_a_point_of_a_canvas_or_image_is_clicked_there(page: Page) -> None:
    for (x, y), seen in {
        (30, 40): "map,30,40",
        (230, 15): "photo,10,15",
        (640, 50): "bar,80,50",
        (50, 145): "inner,100,50",
        (240, 130): "closed,20,10",
    }.items():
        result = page.click(x=x, y=y)
        assert page.get("title") == seen, result
    photo = page.snapshot().find("img 'Photo'")
    page.click(photo, at=(99, 1))
    assert page.get("title") == "photo,99,1"
    tall = next(node for node in page.snapshot().nodes if node.role == "canvas" and node.box.height == 3000)
    page.click(tall, at=(10, 2900))
    assert page.get("title") == "tall,10,2900"


def test_elsewhere_the_ref_is_named(page: Page) -> None:
    before = page.get("title")
    snapshot = page.snapshot()
    for (x, y), wanted in {
        (360, 10): snapshot.find("button 'Save'"),
        (350, 70): snapshot.find("link nth 1"),
        (460, 5): None,
        (565, 5): None,
    }.items():
        with pytest.raises(NotActionable, match="coordinates are for canvases and images") as caught:
            page.click(x=x, y=y)
        assert caught.value.data["reason"] == "has_ref"
        named = caught.value.data["candidates"][0]["ref"]
        assert f"click {named} instead" in str(caught.value.hint)
        assert wanted is None or wanted.ref == named
    for x, y in ((170, 20), (5000, 5)):
        with pytest.raises(NotActionable, match=f"no canvas or image is at {x}, {y}"):
            page.click(x=x, y=y)
    covered = next(node for node in snapshot.nodes if node.role == "canvas")
    with pytest.raises(NotActionable, match="covers it"):
        page.click(covered, at=(170, 20), timeout=1)
    with pytest.raises(InvalidParams, match="outside"):
        page.click(covered, at=(500, 20))
    with pytest.raises(InvalidParams, match="Only a canvas or an image"):
        page.click("button 'Save'", at=(1, 1))
    for given in ({"x": 1}, {"target": "e1", "x": 1, "y": 1}, {}):
        with pytest.raises(InvalidParams, match="either a target or x and y"):
            page.click(**given)
    assert page.get("title") == before


def test_a_frame_of_another_origin_needs_its_permission(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "index.html").write_text(
        f"<body style=margin:0><canvas id=other width=100 height=50 {TELL}></canvas>"
    )
    with serve_folder(folder) as other:
        page = serve_html(f"<style>*{{margin:0;border:0}}</style><iframe src='{other.url}'></iframe>")
        page.wait_for(selector="canvas")
        with pytest.raises(NotAllowed, match="allowed origins"):
            page.click(x=20, y=20)
        assert "other" not in str(page.get("title"))
