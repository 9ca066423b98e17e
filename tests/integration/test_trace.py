"""A run as one file: HTML that is complete, offline, inert and without secrets; or what Playwright's viewer opens."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import playwright
import pytest
from playwright.sync_api import sync_playwright

import skillbook as sb
from skillbook.errors import InvalidInput
from skillbook.launcher.chromium_search import find_chromium
from skillbook.policy.secrets import store
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_folder

PAGE = """<meta charset=utf-8><title>Cart &lt;script&gt;window.hit = 1&lt;/script&gt;</title>
<h1>&lt;img src=x onerror="window.hit = 1"&gt; Cart</h1><p>key hush-trace-1</p>
<button onclick="fetch('/count?of=tea'); out.textContent = 'Added'">Add</button><p id=out></p>"""


def test_a_run_is_one_file_that_opens_anywhere(serve_html: Callable[[str], Page], tmp_path: Path) -> None:
    store.add("trace_key", "hush-trace-1", origins=None)
    page = serve_html(PAGE)
    calls = [
        ToolCall("click", {"target": "button 'Add'"}),
        ToolCall("click", {"target": "e999"}),
        ToolCall("screenshot", {}),
    ]
    run = sb.agent(
        page, "Add <b>tea</b>", model=ScriptedModel([*calls, "It is in the cart."]), autonomy="all"
    ).run()
    with pytest.raises(InvalidInput, match=r"\.html"):
        run.trace(tmp_path / "run.txt")
    text = run.trace(tmp_path / "run.html").read_text(encoding="utf-8")
    assert "<b>tea" not in text
    assert "<script" not in text
    assert "<img src=x" not in text
    assert "hush-trace-1" not in text
    for said in (
        "It is in the cart.",
        "Added",
        "/count?of=tea",
        "Page before",
        "unknown_ref",
        "data:image/png;base64,",
    ):
        assert said in text, said
    assert re.findall(r"(?:src|href)=\"([^d#][^\"]*)", text) == []
    assert "default-src 'none'" in text
    assert text.count("<section id=") == 3

    shown = serve_html(text)
    assert shown.evaluate("window.hit ?? 0") == 0
    assert shown.evaluate("getComputedStyle(document.body).display") == "grid"
    assert shown.evaluate("[...document.images].every((each) => each.complete && each.naturalWidth > 0)")


SHOP = {
    "index.html": "<title>Start</title><h1>Start</h1><a href=lamps.html>Lamps</a> <a href=about.html>About</a>",
    "about.html": "<title>About us</title><h1>About us</h1>",
    "lamps.html": """<title>Lamps</title><h1>Lamps</h1><p>Every lamp</p>
<button onclick="check()">Check</button><p id=out></p><script>async function check() {
  out.textContent = await (await fetch('/stock.json?of=lamp')).text();
}</script>""",
    "stock.json": "In stock",
}


def test_traces_of_a_skill_and_an_exploration_open_without_a_network(
    browser: Browser, open_page: Callable[[str], Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser.driver.settings, "thumbnails", "all")
    site = tmp_path / "site"
    site.mkdir()
    for name, text in SHOP.items():
        (site / name).write_text(text)
    with serve_folder(site) as served:
        page = open_page(f"{served.url}/index.html")
        with sb.recording(page) as recording:
            page.click("link 'Lamps'")
            page.click("button 'Check'")
            page.wait_for(text="In stock")
        skill = recording.save_skill("lamps", tmp_path / "skills")
        page.network.clear()
        result = skill.run(page, start="always", approve=skill.digest)
        assert result.ok, result.error
        assert "requests" not in result.steps.columns
        found = sb.explore(
            open_page(f"{served.url}/index.html"), goal=sb.goals.text("Every lamp"), remember=False
        )
        assert found.found
    traces = [result.trace(tmp_path / "skill.html"), found.trace(tmp_path / "exploration.html")]
    shown = (["Check", "/stock.json?of=lamp"], ["Lamps", "/lamps.html"])
    for trace, words in zip(traces, shown, strict=True):
        text = trace.read_text(encoding="utf-8")
        assert all(each in text for each in words), words
        assert re.findall(r"(?:src|href)=\"([^d#][^\"]*)", text) == []
    assert "no answer" not in traces[0].read_text(encoding="utf-8")
    for images, sent in opened_offline(traces):
        assert images
        assert all(width > 100 for width in images), images
        assert sent == [], "nothing is requested"


def opened_offline(files: list[Path]) -> list[tuple[list[int], list[str]]]:
    """The widths of each file's images as a plain Chromium without a network shows them, and what it requested."""
    found = []
    with sync_playwright() as started:
        options = {"executable_path": find_chromium().path, "args": ["--no-sandbox"]}
        with started.chromium.launch(**options) as chromium:
            page, sent = chromium.new_context(offline=True).new_page(), []
            page.on("request", lambda request: sent.append(request.url))
            for file in files:
                page.goto(file.as_uri())
                widths = "[...document.images].map((each) => each.complete ? each.naturalWidth : 0)"
                images = page.evaluate(widths)
                page.screenshot(path=file.with_suffix(".png"), full_page=True)
                found.append((images, [url for url in sent if not url.startswith(("file:", "data:"))]))
    return found


VIEWER = Path(playwright.__file__).parent / "driver/package/lib/vite/traceViewer"


@pytest.mark.more
def test_playwrights_viewer_opens_a_run(serve_html: Callable[[str], Page], tmp_path: Path) -> None:
    page = serve_html(PAGE)
    store.add("trace_key", "hush-trace-1", origins=None)
    calls = [
        ToolCall("click", {"target": "button 'Add'"}),
        ToolCall("click", {"target": "e999"}),
        ToolCall("screenshot", {}),
    ]
    run = sb.agent(page, "Add tea", model=ScriptedModel([*calls, "Done."]), autonomy="all").run()
    file = run.trace(tmp_path / "run.zip")
    with ZipFile(file) as archive:
        whole = b"".join(map(archive.read, archive.namelist()))
        assert b"hush-trace-1" not in whole
        assert any(name.startswith("resources/") for name in archive.namelist())
    with serve_folder(VIEWER) as viewer, sync_playwright() as started:
        shutil.copy(file, tmp_path / "served.zip")
        options = {"executable_path": find_chromium().path, "args": ["--no-sandbox"]}
        with started.chromium.launch(**options) as chromium, traces(tmp_path) as served:
            shown = chromium.new_context(viewport={"width": 1400, "height": 900}).new_page()
            shown.goto(f"{viewer.url}/index.html?trace={served}/served.zip")
            actions = shown.get_by_role("tree").first
            actions.get_by_text("Add").first.click()
            assert actions.get_by_role("treeitem").count() == 3
            shown.get_by_role("tab", name="Network").click()
            assert shown.get_by_text("count?of=tea").first.is_visible()
            shown.get_by_role("tab", name="Log").click()
            assert shown.get_by_text("Decision:").first.is_visible()
            actions.get_by_text("screenshot").first.click()
            pictured = shown.frame_locator("iframe.snapshot-visible").locator("img")
            pictured.wait_for()
            assert (
                pictured.evaluate("async (each) => { await each.decode(); return each.naturalWidth }") > 100
            )
            shown.screenshot(path=tmp_path / "viewer.png")


@contextmanager
def traces(folder: Path) -> Iterator[str]:
    """A folder served for pages of any origin, as the viewer fetches it."""

    class AnyOrigin(SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(folder))

        def end_headers(self) -> None:
            self.send_header("Access-Control-Allow-Origin", "*")
            super().end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), AnyOrigin)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
