"""Pages by plain http, in which a browser withholds a part of its interfaces."""

from __future__ import annotations

from pathlib import Path

from skillbook.session.sync import Browser
from skillbook.testing.site import serve_folder

PAGE = """<!doctype html><title>Printer</title><h1>Printer</h1>
<label>Name <input></label>
<button onclick="setTimeout(() => document.querySelector('p').textContent = 'Saved', 300)">Save</button>
<p>Not saved</p>"""


def test_acts_and_reads_work_where_the_context_is_not_secure(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(PAGE)
    with serve_folder(tmp_path) as site:
        # Of this machine's addresses, a browser takes this one for a stranger's.
        page = browser.open(site.url.replace("127.0.0.1", "0.0.0.0"))
        assert page.evaluate("isSecureContext") is False
        assert page.fill("textbox 'Name'", "Office").changed
        page.click("button 'Save'")
        assert page.text("paragraph") == "Saved"
        page.close()
