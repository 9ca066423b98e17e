"""JavaScript dialogs: reported, answered by hand, by a rule or by a function."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import DialogBlocked, InvalidParams, NotActionable
from skillbook.protocol.events import DialogOpened
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_folder

Serve = Callable[[str], Page]

ASKING = """<title>Asking</title>
<button onclick="alert('Hi'); said.textContent = 'told'">Tell</button>
<button onclick="said.textContent = confirm('Sure?')">Ask</button>
<button onclick="said.textContent = String(prompt('Name?', 'Bo'))">Name</button>
<button onclick="said.textContent = confirm('One?') + ' ' + prompt('Two?', '')">Both</button>
<p role=status id=said></p>"""
LEAVING = "<input aria-label=Note><script>addEventListener('beforeunload', event => event.preventDefault())</script>"


@pytest.mark.parametrize(
    ("rule", "button", "said"),
    [
        ("accept", "Tell", "told"),
        ("accept", "Ask", "true"),
        ("dismiss", "Ask", "false"),
        ("accept", "Name", "Bo"),
        ("dismiss", "Name", "null"),
        (lambda dialog: "Ann", "Name", "Ann"),
        (lambda dialog: dialog.kind == "confirm" or f"{dialog.message}!", "Both", "true Two?!"),
    ],
)
def test_a_rule_answers(serve_html: Serve, rule: object, button: str, said: str) -> None:
    page = serve_html(ASKING)
    page.on_dialog(rule)
    result = page.click(f"button '{button}'")
    assert result.dialog is not None
    assert page.get("text", "status") == said
    assert result.diff is not None
    assert said in result.diff.text()


def test_a_function_may_leave_a_dialog_to_the_caller(serve_html: Serve) -> None:
    page = serve_html(ASKING)
    seen: list[DialogOpened] = []
    page.on_dialog(seen.append)
    assert page.click("button 'Ask'").dialog is not None
    assert [(dialog.kind, dialog.message) for dialog in seen] == [("confirm", "Sure?")]
    with pytest.raises(DialogBlocked, match="Sure"):
        page.snapshot()
    page.handle_dialog(accept=False)
    assert page.get("text", "status") == "false"


def test_a_dialog_that_opens_by_itself_is_answered(serve_html: Serve, browser: Browser) -> None:
    browser.on_dialog("accept")
    try:
        page = serve_html(ASKING)
        page.snapshot()
        page.click("button 'Tell'")
        page.evaluate("setTimeout(() => { said.textContent = 'later ' + confirm('Later?') }, 50), 0")
        page.wait_for(text="later true", timeout=5)
    finally:
        browser.on_dialog("ask")
    with pytest.raises(InvalidParams):
        browser.on_dialog("perhaps")


@pytest.mark.parametrize("leave", [True, False])
def test_leaving_a_page_that_asks(serve_html: Serve, leave: bool) -> None:
    page = serve_html(LEAVING)
    start = page.url
    page.type("textbox 'Note'", "x")
    page.on_dialog("accept" if leave else "dismiss")
    result = page.goto(f"{start}?next")
    assert (result.url == f"{start}?next") is leave
    assert (page.get("url") == f"{start}?next") is leave
    page.on_dialog("accept")


async def test_the_awaitable_twin_takes_an_awaitable_function(browser: Browser, serve_html: Serve) -> None:
    page = serve_html(ASKING)
    twin = sb.aio.Page(sb.aio.Browser(browser.driver), page.driver)

    async def answer(dialog: DialogOpened) -> bool:
        await asyncio.sleep(0)
        return dialog.message == "Sure?"

    twin.on_dialog(answer)
    await twin.click("button 'Ask'")
    assert await twin.get("text", "status") == "true"


UNSEEN = """<!doctype html><title>Unseen</title><input aria-label=Note value=kept><p role=status id=said>before</p>
<script>
const ask = async () => {
  if ((await fetch('go')).ok) said.textContent = 'said ' + KIND('Sure?')
  else setTimeout(ask, 100)
}
ask()
</script>"""
BUSY = "(() => { const end = Date.now() + 8000; while (Date.now() < end); return 'idle' })"


@pytest.fixture
def unattached(synthetic_browser: Browser) -> Browser:
    """A browser in which no debugger is attached, so that nobody sees a dialog open."""
    return synthetic_browser


@pytest.mark.parametrize(("kind", "said"), [("alert", "undefined"), ("confirm", "false"), ("prompt", "null")])
def test_a_dialog_that_nobody_saw_open_is_dismissed(
    unattached: Browser, tmp_path: Path, kind: str, said: str
) -> None:
    (tmp_path / "index.html").write_text(UNSEEN.replace("KIND", kind))
    with serve_folder(tmp_path) as site:
        page = unattached.open(site.url)
        (tmp_path / "go").touch()
        with pytest.raises(DialogBlocked, match=r"opened unseen[^$]*accept=False"):
            look_until_it_fails(page)
        with pytest.raises(DialogBlocked, match="before the debugger was attached"):
            page.handle_dialog(accept=True)
        page.handle_dialog(accept=False)
        page.wait_for(text=f"said {said}", timeout=5)
        assert page.get("value", "textbox 'Note'") == "kept"
        assert page.url.rstrip("/") == site.url.rstrip("/")
        with pytest.raises(NotActionable, match="No dialog is open"):
            page.handle_dialog(accept=False)
        page.close()


def look_until_it_fails(page: Page) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        page.snapshot(timeout=1)


def test_a_busy_page_is_not_taken_for_a_dialog(unattached: Browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(UNSEEN.replace("KIND", BUSY))
    with serve_folder(tmp_path) as site:
        page = unattached.open(site.url)
        (tmp_path / "go").touch()
        with pytest.raises(DialogBlocked, match="a script keeps it busy"):
            look_until_it_fails(page)
        with pytest.raises(NotActionable, match="No dialog is open"):
            page.handle_dialog(accept=False)
        page.wait_for(text="said idle", timeout=20)
        assert page.get("value", "textbox 'Note'") == "kept"
        page.close()


LOADING = "<!doctype html><title>Loading</title><h1>Top</h1><script>{}</script><p>Rest</p>"


def test_a_dialog_at_load_that_nobody_saw_is_told_soon(unattached: Browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(LOADING.format("alert('Hi')"))
    (tmp_path / "plain.html").write_text(LOADING.format(""))
    with serve_folder(tmp_path) as site:
        began = time.monotonic()
        page = unattached.open(site.url)
        with pytest.raises(DialogBlocked, match=r"opened unseen[^$]*accept=False"):
            page.snapshot()
        assert time.monotonic() - began < 10
        page.handle_dialog(accept=False)
        page.wait_for(text="Rest", timeout=5)
        page.goto(f"{site.url.rstrip('/')}/plain.html")
        assert "Rest" in page.snapshot().text()
        page.close()
        other = unattached.open(f"{site.url.rstrip('/')}/plain.html")
        with pytest.raises(DialogBlocked, match="opened unseen"):
            other.goto(site.url)
        other.handle_dialog(accept=False)
        assert "Rest" in other.snapshot().text()
        other.close()


def test_a_page_that_loads_slowly_is_not_taken_for_a_dialog(unattached: Browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        LOADING.format("const end = Date.now() + 2500; while (Date.now() < end);")
    )
    with serve_folder(tmp_path) as site:
        page = unattached.open(site.url)
        assert "Rest" in page.snapshot().text()
        page.close()
