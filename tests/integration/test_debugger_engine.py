"""The debugger's engine answers by itself where a page's content script can't."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import CommandTimeout
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_folder
from tests.conformance.devtools import DevTools

MARKUP = """<!doctype html><title>Stops</title><h1>Orders</h1>
<button>Save</button><input aria-label=Name value=Ann><a href="next.html">Next</a>
<script>setInterval(() => { if (window.stopped) debugger; }, 20)</script>"""


@pytest.fixture(scope="module")
def profile() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def debugged(profile: Path) -> Iterator[Browser]:
    """A browser to which DevTools can be opened."""
    browser = sb.launch(allow_evaluate=True, user_data_dir=profile, args=["--remote-debugging-port=0"])
    yield browser
    browser.close()


@pytest.fixture
def page(debugged: Browser, tmp_path: Path) -> Iterator[Page]:
    (tmp_path / "stops.html").write_text(MARKUP, encoding="utf-8")
    with serve_folder(tmp_path) as site:
        page = debugged.open(f"{site.url.rstrip('/')}/stops.html")
        yield page
        page.close()


def stop(tools: DevTools, page: Page) -> str:
    """Open DevTools on a page, and stop its scripts at a breakpoint; gives the session."""
    targets = tools.send("Target.getTargets")["targetInfos"]
    target = next(each["targetId"] for each in targets if each["url"] == page.url)
    session = str(tools.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
    tools.send("Debugger.enable", session)
    page.evaluate("window.stopped = true; 0")
    end = time.monotonic() + 10
    while not tools.take_events("Debugger.paused", session):
        assert time.monotonic() < end
        tools.send("Runtime.evaluate", session, expression="0")
    return session


def test_a_page_that_is_stopped_at_a_breakpoint(profile: Path, page: Page) -> None:
    before = page.snapshot()
    assert before.engine == "dom"
    with DevTools(profile) as tools:
        session = stop(tools, page)
        snapshot = page.snapshot()
        assert snapshot.engine == "cdp"
        assert snapshot.instead == "the page answers the debugger, but not the content scripts"
        found = {node.name: node.ref for node in snapshot.elements}
        assert found == {node.name: node.ref for node in before.elements}
        assert snapshot.find("textbox 'Name'").value == "Ann"
        text = snapshot.text()
        assert "debugger" in text.splitlines()[1]
        assert "covers" in text.splitlines()[1]
        with pytest.raises(CommandTimeout):
            page.click(found["Save"], timeout=2)
        tools.send("Runtime.evaluate", session, expression="window.stopped = false")
        tools.send("Debugger.disable", session)
    after = page.snapshot()
    assert after.engine == "dom"
    assert after.instead is None
    assert "debugger" not in after.text()


def test_a_pdf_says_that_it_cannot_be_read(page: Page, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(
        b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n"
    )
    page.goto(page.url.replace("stops.html", "report.pdf"))
    snapshot = page.snapshot()
    assert [frame.url for frame in snapshot.missing] == [page.url]
    assert "PDF" in snapshot.text()
