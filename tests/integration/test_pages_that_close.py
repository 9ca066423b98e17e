"""Windows in which one chooses something, and which close themselves by that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import NotConnected, PageClosed
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_folder

CHOOSE = """<!doctype html><title>Pick</title>
<button onclick="opener.out.textContent = 'now'; window.close()">Now</button>
<button onclick="opener.out.textContent = 'soon'; setTimeout(() => window.close(), 20)">Soon</button>
<button onclick="opener.out.textContent = 'late'; setTimeout(() => window.close(), 300)">Late</button>
<a href="#" onclick="opener.out.textContent = 'link'; window.close()">Link</a>
<form onsubmit="opener.out.textContent = 'form ' + name.value; window.close(); return false">
<label>Name <input name=name></label></form>
<label><input type=checkbox onchange="opener.out.textContent = 'box'; window.close()"> Box</label>"""
OPENER = """<!doctype html><title>Form</title><p id=out role=status></p>
<button onclick="window.open('pick.html', 'p', 'width=500,height=400')">Choose</button>"""


@pytest.fixture(scope="module")
def form(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("popup")
    (folder / "index.html").write_text(OPENER)
    (folder / "pick.html").write_text(CHOOSE)
    with serve_folder(folder) as site:
        yield site


def _opened(browser: Browser, page: Page) -> Page:
    (tab,) = page.click("button 'Choose'").opened_tabs
    popup: Page = next(each for each in browser.pages if each.driver.tab.id == tab)
    popup.wait_for(selector="button 'Now'")
    return popup


@pytest.mark.parametrize(
    ("press", "said"),
    [
        (lambda popup: popup.click("button 'Now'"), "now"),
        (lambda popup: popup.click("link 'Link'"), "link"),
        (lambda popup: popup.press("Enter", "button 'Now'"), "now"),
        (lambda popup: popup.press("Enter", "textbox 'Name'"), "form "),
        (lambda popup: popup.dblclick("button 'Now'"), "now"),
        (lambda popup: popup.check("checkbox 'Box'"), "box"),
    ],
)
def test_a_press_that_closes_its_page_is_done_and_says_so(
    browser: Browser, form: Site, press: Callable[[Page], object], said: str
) -> None:
    page = browser.open(form.url)
    popup = _opened(browser, page)
    result = press(popup)
    assert (result.closed, result.changed) == (True, True)
    assert "the page closed" in str(result)
    assert page.get("text", "status") == said.strip()
    with pytest.raises(PageClosed):
        popup.click("button 'Now'")
    page.close()


@pytest.mark.parametrize("when", ["Soon", "Late"])
def test_a_page_that_closes_a_while_later_was_pressed(browser: Browser, form: Site, when: str) -> None:
    page = browser.open(form.url)
    popup = _opened(browser, page)
    popup.click(f"button {when!r}")
    assert page.get("text", "status") == when.lower()
    page.close()


def test_a_page_that_closes_before_a_press_comes_says_so(browser: Browser, form: Site) -> None:
    page = browser.open(form.url)
    popup = _opened(browser, page)
    popup.evaluate("document.querySelector('button').disabled = true; setTimeout(() => close(), 300)")
    with pytest.raises(PageClosed):
        popup.click("button 'Now'", timeout=3)
    page.close()


def test_what_is_closed_says_so_to_every_call(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>Orders</h1><button>Save</button>", encoding="utf-8")
    browser = sb.launch()
    with serve_folder(tmp_path) as site:
        page, other = browser.open(site.url), browser.open(site.url)
        button = page.snapshot().find("button 'Save'")
        page.close()
        page.close()
        for call in (
            lambda: page.click(button),
            lambda: page.click("e9"),
            lambda: page.get("text", "heading"),
        ):
            with pytest.raises(PageClosed, match="the page was closed"):
                call()
        other.snapshot()
        browser.close()
        for call in (lambda: other.click("e9"), other.snapshot, lambda: sb.extract(other)):
            with pytest.raises(PageClosed, match="browser closed"):
                call()
        with pytest.raises(NotConnected, match="the browser was closed"):
            browser.open(site.url)
        assert len(browser.journal) > 0
        assert repr(browser).startswith("<Browser closed: ")
