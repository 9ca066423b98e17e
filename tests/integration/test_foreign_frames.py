"""A page into which another extension, such as a password manager, puts a frame of its own."""

from __future__ import annotations

import asyncio
import json
import struct
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import CommandError, DebuggerUnavailable
from skillbook.hooks import hooks
from skillbook.launcher.profile import extension_path
from skillbook.testing.site import serve_folder
from tests.integration.users_browser import open_own_browser, pair, until

MANIFEST = {
    "manifest_version": 3,
    "name": "manager",
    "version": "1",
    "content_scripts": [{"matches": ["<all_urls>"], "js": ["put.js"]}],
    "web_accessible_resources": [{"resources": ["frame.html"], "matches": ["<all_urls>"]}],
}
PUT = """
const put = () => {
  const frame = document.createElement("iframe");
  frame.onload = () => { document.title = "framed"; };
  frame.src = chrome.runtime.getURL("frame.html");
  document.body.append(frame);
};
if (location.search) put();
document.addEventListener("late", put);
"""
PAGE = """<!doctype html><title>Log in</title><label>User <input id=u></label>
<button id=b onclick="document.title = 'clicked'">Log in</button><p style="height:3000px">Long</p>
"""


def width_of(png: bytes) -> int:
    """In image pixels."""
    return int(struct.unpack(">I", png[16:20])[0])


@pytest.mark.more
async def test_fault_38_a_frame_of_another_extension_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, pages = tmp_path / "other", tmp_path / "site"
    for folder in (other, pages):
        folder.mkdir()
    (other / "manifest.json").write_text(json.dumps(MANIFEST))
    (other / "put.js").write_text(PUT)
    (other / "frame.html").write_text("<button>Fill in</button>")
    (pages / "index.html").write_text(PAGE)
    links: list[str] = []
    monkeypatch.setattr(hooks, "pair_link", lambda url, name: links.append(url))
    both = f"{extension_path()},{other}"
    browser = await sb.aio.connect(wait=False, allow_evaluate=True)
    loaded = (f"--load-extension={both}", f"--disable-extensions-except={both}")
    async with open_own_browser(tmp_path / "profile", *loaded) as context:
        await pair(context, links[0])
        await until(lambda: browser.status.state == "connected", "the browser did not dial in")
        with serve_folder(pages) as site:
            for query in ("?now", ""):
                page = await browser.open(f"{site.url}/{query}")
                if not query:
                    await page.click("textbox 'User'")  # the debugger is attached when the frame comes
                    await page.evaluate(
                        "void setTimeout(() => document.dispatchEvent(new Event('late')), 300)"
                    )
                while await page.get("title") != "framed":  # noqa: ASYNC110 - the page says it, no event does
                    await asyncio.sleep(0.05)
                clicked = await page.click("button 'Log in'")
                assert clicked.data["input"] == "synthetic"
                await page.fill("textbox 'User'", "ada")
                await page.press("End", "textbox 'User'")
                assert await page.evaluate("document.title + u.value") == "clickedada"
                with pytest.raises(CommandError, match="no such thing"):
                    await page.evaluate("(() => { throw new Error('no such thing') })()")
                whole, part = await page.screenshot(), await page.screenshot(target="button 'Log in'")
                assert 20 < width_of(part) < width_of(whole) / 4
                assert (await page.snapshot()).find("button 'Log in'").ref
                with pytest.raises(DebuggerUnavailable, match="Another extension has a frame"):
                    await page.console()
    await browser.close()
