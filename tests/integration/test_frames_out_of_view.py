"""Controls in frames that one has to scroll to, wherever the frame lies."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_folder

Serve = Callable[[str], Page]

FORM = """<button onclick="say('pressed')" ondblclick="say('twice')" onmousemove="say('over')">Go</button>
<label><input type=checkbox onchange="say('checked')"> Agree</label>
<a href='#x' onclick="say('went'); return false">More</a>
<script>const say = text => top.postMessage(text, '*')</script>"""
FRAME = f'<iframe title=Form width=300 height=150 srcdoc="{html.escape(FORM)}"></iframe>'
TALL = FRAME.replace("height=150", "height=3000").replace(
    'srcdoc="', 'srcdoc="<p style=height:2400px>Top</p>'
)
SAYS = "<p id=out></p><script>onmessage = event => { out.textContent += ' ' + event.data }</script>"
LAYOUTS = {
    "below": f"<div style='height:900px'>Text</div>{FRAME}<div style='height:2000px'></div>",
    "to the right": f"<div style='width:4000px;padding-left:3000px'>{FRAME}</div>",
    "in a box that scrolls": f"""<div style='height:700px'></div><div style='height:300px;overflow:auto'>
        <div style='height:900px'></div>{FRAME}<div style='height:900px'></div></div>
        <div style='height:2000px'></div>""",
    "taller than the window": f"{TALL}<div style='height:2000px'></div>",
    "in another frame": f"""<div style='height:900px'></div><iframe title=Outer width=400 height=300
        srcdoc="<div style='height:700px'></div>{html.escape(FRAME)}<div style='height:700px'></div>"></iframe>
        <div style='height:2000px'></div>""",
    "under a bar": f"""<div style='position:sticky;top:0;height:120px;background:white'>Bar</div>
        <div style='height:1500px'>Text</div>{FRAME}<div style='height:2000px'></div>""",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_controls_in_a_frame_out_of_view_are_pressed(show_html: Serve, layout: str) -> None:
    page = show_html(SAYS + LAYOUTS[layout])
    page.wait_for(selector="button 'Go'")

    def said(word: str) -> bool:
        heard = f"document.getElementById('out').textContent.split(' ').includes('{word}')"
        page.wait_for(function=heard, timeout=5)  # the frame's message comes after the press has returned
        return True

    page.evaluate("scrollTo(0, 0)")
    page.click("button 'Go'", timeout=5)
    assert said("pressed")
    page.evaluate("scrollTo(0, 0)")
    page.check("checkbox 'Agree'", timeout=5)
    assert said("checked")
    page.evaluate("scrollTo(0, 0)")
    page.click("link 'More'", timeout=5)
    assert said("went")
    page.evaluate("scrollTo(0, 0)")
    page.dblclick("button 'Go'", timeout=5)
    assert said("twice")
    page.evaluate("scrollTo(0, 0); document.getElementById('out').textContent = ''")
    page.hover("button 'Go'", timeout=5)
    assert said("over")


def test_a_frame_of_another_origin_is_scrolled_to(
    tmp_path: Path, open_page: Callable[[str], Page], browser: Browser
) -> None:
    with serve_folder(tmp_path) as site:
        other = site.url.replace("127.0.0.1", "localhost")
        browser.allow(other)
        (tmp_path / "inner.html").write_text(f"<!doctype html><title>Inner</title>{FORM}")
        (tmp_path / "index.html").write_text(
            f"<!doctype html><title>Outer</title>{SAYS}<div style='height:1900px'></div>"
            f"<iframe title=In src='{other}/inner.html'></iframe><div style='height:900px'></div>"
        )
        page = open_page(site.url)
        page.wait_for(selector="button 'Go'")
        page.click("button 'Go'", timeout=5)
        page.wait_for(text="pressed", timeout=3)
