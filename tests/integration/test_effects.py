"""The mouse that a person sees in the page: there for a moment, and in nobody's way."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from websockets.sync.client import connect

import skillbook as sb
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_folder

Serve = Callable[[str], Page]
Blue = Callable[..., int]
See = Callable[[Page], bytes]

STRICT = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self'; "
    "style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; require-trusted-types-for 'script'; "
    "trusted-types 'none'\">"
)
COUNT = """(() => { window.drawn = 0; window.violations = [];
  addEventListener('securitypolicyviolation', event => violations.push(event.violatedDirective));
  new MutationObserver(records => records.forEach(record => { drawn += record.addedNodes.length }))
    .observe(document.documentElement, {childList: true}); return 0 })()"""
HOST = "document.documentElement.lastElementChild.localName === 'div'"
PAGE = """<title>Plain</title><style>button { margin: 60px } </style>
<button onclick="this.textContent = 'Pressed'">Press</button><input aria-label=Name>"""
COUNT_PIXELS = """(async () => {
  const bytes = Uint8Array.from(atob("DATA"), character => character.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4)
    count += COLOUR.reduce((sum, part, n) => sum + Math.abs(part - data[i + n]), 0) < 40;
  return count })()"""
BLUE = (25, 113, 194)
ORANGE = (232, 89, 12)


@pytest.fixture(scope="module")
def showing(home: Path) -> Iterator[Browser]:
    """A browser that shows effects though it is headless."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(home))
        browser = sb.launch(allow_evaluate=True, effects=True, args=["--remote-debugging-port=0"])
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def see(showing: Browser) -> See:
    """Takes a picture of a page as a person sees it: skillbook's own screenshots leave out what it shows there."""
    folder = showing.driver.process.profile.user_data_dir
    port = (folder / "DevToolsActivePort").read_text().splitlines()[0]

    def look(page: Page) -> bytes:
        with urlopen(f"http://127.0.0.1:{port}/json") as answer:
            (target,) = [each for each in json.load(answer) if each["url"] == page.url]
        with connect(target["webSocketDebuggerUrl"], max_size=None) as socket:
            socket.send(json.dumps({"id": 1, "method": "Page.captureScreenshot"}))
            return base64.b64decode(json.loads(socket.recv())["result"]["data"])

    return look


@pytest.fixture
def shown(showing: Browser, tmp_path: Path) -> Iterator[Page]:
    """A page in it whose policy forbids inline styles and scripts."""
    (tmp_path / "act.js").write_text(
        "document.querySelector('button').onclick = event => { event.target.textContent = 'Pressed' }"
    )
    (tmp_path / "look.css").write_text("button { margin: 60px }")
    (tmp_path / "index.html").write_text(
        f"<!doctype html><html><head>{STRICT}<title>Strict</title><link rel=stylesheet href=look.css></head><body>"
        "<button>Press</button><input aria-label=Name><script src=act.js></script></body></html>"
    )
    with serve_folder(tmp_path) as site:
        page = showing.open(site.url)
        yield page
        page.close()


@pytest.fixture
def blue(serve_html: Serve) -> Blue:
    """Tells how many of a picture's pixels have a colour, the effects' by default: another page counts them."""
    counter = serve_html("<title>Counter</title>")

    def count(picture: bytes, colour: tuple[int, int, int] = BLUE) -> int:
        data = base64.b64encode(picture).decode()
        return int(counter.evaluate(COUNT_PIXELS.replace("DATA", data).replace("COLOUR", str(list(colour)))))

    return count


def shows(page: Page, act: Callable[[], object], blue: Blue, see: See) -> None:
    """Act until a picture has the effect: it fades, and a busy machine may look too late."""
    deadline = time.monotonic() + 20
    act()
    while blue(see(page)) <= 50:
        assert time.monotonic() < deadline
        act()


def test_a_click_shows_and_leaves_nothing_behind(shown: Page, blue: Blue, see: See) -> None:
    shown.evaluate(COUNT)
    before = shown.snapshot()
    box = before.find("button 'Press'").box
    result = shown.click("button 'Press'")
    picture = see(shown)
    during = shown.snapshot()
    assert shown.evaluate(HOST)
    assert blue(shown.screenshot()) == 0
    assert blue(picture) > 50
    assert [(node.role, node.name) for node in during.nodes] == [
        (node.role, node.name.replace("Press", "Pressed")) for node in before.nodes
    ]
    assert result.diff is not None
    assert "Pressed" in result.diff.text()
    middle = f"{box.x + box.width / 2}, {box.y + box.height / 2}"
    assert shown.evaluate(f"document.elementFromPoint({middle}).localName") == "button"
    assert shown.get("html").count("<div") == 0
    assert shown.get("text").split() == ["Pressed"]
    shown.wait_for(function=f"!({HOST})", timeout=5)
    assert shown.evaluate("[drawn, violations]") == [1, []]
    assert blue(shown.screenshot()) == 0


def test_fields_are_framed_and_highlights_work_under_a_strict_policy(
    shown: Page, blue: Blue, see: See
) -> None:
    shown.evaluate(COUNT)
    shows(shown, lambda: shown.fill("textbox 'Name'", "Ann"), blue, see)
    shown.highlight("textbox 'Name'")
    before = shown.snapshot()
    assert shown.wait_for(seconds=0.1) is None
    assert shown.snapshot().version == before.version
    shown.highlight()
    shown.wait_for(function=f"!({HOST})", timeout=5)
    assert shown.evaluate("violations") == []


MODAL = """<title>Modal</title><style>dialog { margin: 40px } button { margin: 60px } </style>
<button id=menu popovertarget=pop>Menu</button><div id=pop popover>Choices</div>
<dialog id=ask><button onclick="this.textContent = 'Pressed'; pop.isConnected">Sure</button>
<input aria-label=Name autofocus></dialog>
<script>window.toggled = []; for (const type of ['toggle', 'beforetoggle'])
  addEventListener(type, event => toggled.push(event.target.id), true)</script>"""
OPEN_LAYERS = "[...document.querySelectorAll(':popover-open, :modal')].map(element => element.id)"


def test_effects_are_seen_above_modal_dialogs(showing: Browser, tmp_path: Path, blue: Blue, see: See) -> None:
    (tmp_path / "index.html").write_text(f"<!doctype html>{MODAL}")
    with serve_folder(tmp_path) as site:
        page = showing.open(site.url)
        page.evaluate("(ask.showModal(), 0)")
        assert page.evaluate("document.activeElement.ariaLabel") == "Name"
        before = page.evaluate("[...toggled]")
        shows(page, lambda: page.click("button /Sure|Pressed/"), blue, see)
        box = page.snapshot().find("button 'Pressed'").box
        middle = f"{box.x + box.width / 2}, {box.y + box.height / 2}"
        assert page.evaluate(f"document.elementFromPoint({middle}).textContent") == "Pressed"
        assert page.evaluate(OPEN_LAYERS) == ["ask"]
        shows(page, lambda: page.fill("textbox 'Name'", "Ann"), blue, see)
        assert page.evaluate("document.activeElement.ariaLabel") == "Name"
        assert page.evaluate("[...toggled]") == before
        page.wait_for(function=f"!({HOST})", timeout=5)
        page.close()


def test_effects_and_highlights_leave_popovers_open_and_stay_above(
    showing: Browser, tmp_path: Path, blue: Blue, see: See
) -> None:
    (tmp_path / "index.html").write_text(f"<!doctype html>{MODAL}")
    with serve_folder(tmp_path) as site:
        page = showing.open(site.url)
        page.click("button 'Menu'")
        assert page.evaluate(OPEN_LAYERS) == ["pop"]
        page.hover("button 'Menu'")
        assert page.evaluate(OPEN_LAYERS) == ["pop"]
        page.wait_for(function=f"!({HOST})", timeout=5)
        page.highlight("button 'Menu'")
        covering = "inset: 0; width: 100vw; height: 100vh; max-width: none; max-height: none; margin: 0"
        page.evaluate(f"(ask.style.cssText = '{covering}', ask.showModal(), 0)")
        page.wait_for(function="toggled.includes('ask')", timeout=5)
        assert page.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
        )
        assert blue(page.screenshot(), ORANGE) == 0
        assert blue(see(page), ORANGE) > 50
        assert page.evaluate(OPEN_LAYERS) == ["ask"]
        page.close()


def test_nothing_is_drawn_in_a_headless_browser_by_default(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    page.evaluate(COUNT)
    page.click("button 'Press'")
    page.fill("textbox 'Name'", "Ann")
    page.hover("button 'Pressed'")
    assert page.evaluate("drawn") == 0


def test_on_a_real_application(showing: Browser, swagger: Site) -> None:
    page = showing.open(swagger.url)
    page.wait_for(selector="button name~'Get the Jupyter Server version'")
    page.evaluate(COUNT)
    page.click("button name~'Get the Jupyter Server version'")
    page.wait_for(text="Try it out", timeout=10)
    assert page.evaluate("drawn") > 0  # a busy machine takes its picture after the effect is over
    page.wait_for(function=f"!({HOST})", timeout=5)
    assert page.evaluate("violations") == []
    assert not re.search(r"cursor|ripple", page.snapshot().text(budget=None))
    page.close()
