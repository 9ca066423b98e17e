"""Trusted and synthetic input do the same to a page, and say which of them it was; actions of one tab take turns."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.io_thread import io
from skillbook.session.sync import Browser
from skillbook.testing.site import serve_folder

pytestmark = pytest.mark.integration
PAGE = """<!doctype html><title>Form</title>
<form onsubmit="event.preventDefault(); out.textContent = 'sent'">
<label>Name <input id=who></label><label>Note <textarea id=note></textarea></label>
<label><input type=checkbox id=news> News</label>
<label>Size <select id=size><option value=s>Small<option value=l>Large</select></label>
<label>Day <input type=date id=day></label><div contenteditable id=rich role=textbox aria-label=Rich>old</div>
<button onclick="window.trusted = event.isTrusted">Send</button></form>
<button type=button onmouseenter="window.over = 1" ondblclick="window.twice = 1">Other</button><p id=out></p>
<script>
window.keys = []; window.log = [];
for (const type of ['keydown', 'input']) addEventListener(type, event => log.push(event.target.id), true);
addEventListener('keydown', event => keys.push(event.key), true)
</script>"""


@pytest.fixture(scope="module", params=["trusted", "synthetic"])
def kind(request: pytest.FixtureRequest, home: Path) -> Iterator[tuple[str, Browser]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(home))
        browser = sb.launch(allow_evaluate=True, input=request.param)
    yield request.param, browser
    browser.close()


def test_both_kinds_do_the_same(kind: tuple[str, Browser], tmp_path: Path) -> None:
    name, browser = kind
    (tmp_path / "index.html").write_text(PAGE)
    with serve_folder(tmp_path) as site:
        page = browser.open(site.url)
        page.fill("textbox 'Name'", "Ann")
        page.type("textbox 'Note'", "Hi!")
        page.check("checkbox 'News'")
        page.select("combobox 'Size'", "Large")
        page.fill("textbox 'Rich'", "new")
        page.hover("button 'Other'")
        page.dblclick("button 'Other'")
        result = page.click("button 'Send'")
        assert result.data["input"] == name
        values = "[who.value, note.value, news.checked, size.value, rich.textContent, out.textContent, over, twice]"
        assert page.evaluate(values) == ["Ann", "Hi!", True, "l", "new", "sent", 1, 1]
        assert page.evaluate("window.trusted") is (name == "trusted")
        assert [key for key in page.evaluate("keys") if key != "Shift"][:3] == ["H", "i", "!"]
        page.close()


def test_actions_of_one_tab_take_turns(kind: tuple[str, Browser], tmp_path: Path) -> None:
    _, browser = kind
    (tmp_path / "index.html").write_text(PAGE)
    with serve_folder(tmp_path) as site:
        page = browser.open(site.url)
        driver = page.driver
        snapshot = page.snapshot()
        name, note = (str(snapshot.find(f"textbox '{label}'").ref) for label in ("Name", "Note"))

        async def together() -> None:
            typing = [
                driver.run("type", {"ref": ref, "text": "x" * 12, "delay_ms": 5})
                for ref in (name, note, name)
            ]
            await asyncio.gather(*typing)

        io.sync(together())
        seen = page.evaluate("log.filter((id, n) => id !== log[n - 1])")
        assert seen == ["who", "note", "who"]
        page.close()
