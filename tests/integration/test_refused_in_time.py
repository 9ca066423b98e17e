"""What can't be acted on is refused within the time that the documentation says."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from skillbook.errors import NotActionable
from skillbook.session import gateway
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

PAGE = """<div style="position:relative"><button>Save</button><div style="position:absolute;inset:0">Wait</div></div>
<label style="position:relative">Name <input disabled></label><script>setInterval(() => { document.title += '.' }, 300)
</script><button style="visibility:hidden;display:inline" id=late onclick="document.title = 'pressed'">Late</button>"""


@pytest.mark.parametrize(
    "act",
    [
        lambda page: page.click("button 'Save'"),
        lambda page: page.hover("button 'Save'"),
        lambda page: page.fill("textbox 'Name'", "Ann"),
    ],
)
def test_what_stays_unready_is_refused_after_five_seconds(
    serve_html: Serve, act: Callable[[Page], object]
) -> None:
    page = serve_html(PAGE)
    started = time.monotonic()
    with pytest.raises(NotActionable):
        act(page)
    assert time.monotonic() - started < 9


def test_a_caller_may_wait_longer(serve_html: Serve) -> None:
    page = serve_html("<button disabled id=b onclick=\"document.title = 'pressed'\">Go</button>")
    page.evaluate(
        "setInterval(() => { document.title += '.' }, 300); setTimeout(() => { b.disabled = false }, 6500)"
    )
    page.click("button 'Go'", timeout=20)
    assert page.evaluate("document.title").startswith("pressed")


INSIDE = """<!doctype html><button>Inner</button><div role=button tabindex=0 aria-label=Drop
  ondragover='event.preventDefault()' ondrop='document.title = `dropped`'>drop</div>"""
FRAME = """<script>setInterval(() => { document.title += '.' }, 200); covers = 0</script>
<div draggable=true role=button aria-label=Item tabindex=0
  ondragstart="event.dataTransfer.setData('text', 'x')">item</div>
<div style="position:relative"><iframe srcdoc="{inside}" width=300 height=150></iframe>
<div id=over style="position:absolute;inset:0;background:silver" ondragover="event.preventDefault()" ondrop="covers++">
Please wait</div></div>""".replace("{inside}", INSIDE.replace("\n", " "))
FRAMED: dict[str, Callable[[Page], object]] = {
    "click": lambda page: page.click("button 'Inner'"),
    "double click": lambda page: page.dblclick("button 'Inner'"),
    "hover": lambda page: page.hover("button 'Inner'"),
    "drag into it": lambda page: page.drag("button 'Item'", "button 'Drop'"),
    "drag out of it": lambda page: page.drag("button 'Inner'", "button 'Item'"),
}


@pytest.mark.parametrize("action", FRAMED)
def test_what_a_cover_over_its_frame_keeps_is_refused_in_time(
    serve_html: Serve, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    monkeypatch.setattr(gateway, "READ_SECONDS", 0.7)
    page = serve_html(FRAME)
    page.wait_for(selector="button 'Inner'")
    started = time.monotonic()
    with pytest.raises(NotActionable, match=r"'Please wait' .* covers the frame"):
        FRAMED[action](page)
    assert time.monotonic() - started < 4
    assert page.evaluate("covers") == 0


def test_a_cover_that_goes_is_waited_for(serve_html: Serve) -> None:
    page = serve_html(FRAME)
    page.wait_for(selector="button 'Inner'")
    page.evaluate("setTimeout(() => over.remove(), 600)")
    page.hover("button 'Inner'")
    page.drag("button 'Item'", "button 'Drop'")
    assert page.evaluate("document.querySelector('iframe').contentDocument.title") == "dropped"
