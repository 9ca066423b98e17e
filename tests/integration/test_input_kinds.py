"""Trusted and synthetic input do the same to a page, and say which of them it was; actions of one tab take turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import NotActionable
from skillbook.io_thread import io
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_folder

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


DRAGS = """<!doctype html><title>Drags</title><style>#box, #zone { width: 80px; height: 40px; margin: 20px }
#knob { position: absolute; left: 10px; top: 200px; width: 40px; height: 40px }</style>
<div id=box draggable=true role=button aria-label=Card>Card</div><div id=zone role=region aria-label=Zone>Zone</div>
<div id=knob role=slider aria-label=Knob tabindex=0>o</div><p role=status id=out></p><script>
box.ondragstart = event => event.dataTransfer.setData('text/plain', 'card 7');
zone.ondragover = event => event.preventDefault();
zone.ondrop = event => { event.preventDefault(); out.textContent = 'got ' + event.dataTransfer.getData('text/plain') };
knob.onpointerdown = down => { const start = down.clientX;
  const move = event => { knob.dataset.moved = Math.round(event.clientX - start) };
  addEventListener('pointermove', move);
  addEventListener('pointerup', () => removeEventListener('pointermove', move), {once: true}) };
</script>"""


def test_both_kinds_drag_by_pointer_and_with_data(kind: tuple[str, Browser], tmp_path: Path) -> None:
    name, browser = kind
    (tmp_path / "index.html").write_text(DRAGS)
    with serve_folder(tmp_path) as site:
        page = browser.open(site.url)
        result = page.drag("button 'Card'", "region 'Zone'")
        assert result.data["input"] == name
        assert page.get("text", "status") == "got card 7"
        page.drag("slider 'Knob'", dx=70)
        assert page.evaluate("Number(knob.dataset.moved)") == 70
        page.close()


FILES = """<!doctype html><title>Files</title>
<input type=file aria-label=Field onchange="out.textContent = this.files[0].name">
<input type=file id=chooser style="display: none" onchange="out.textContent = 'hidden ' + this.files[0].name">
<button onclick="chooser.click()">Browse</button><a href=data.csv download>Served</a>
<button onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['made']));
  a.download = 'made.txt'; a.click()">Made</button><p role=status id=out></p>"""


def test_both_kinds_move_files(kind: tuple[str, Browser], tmp_path: Path) -> None:
    name, browser = kind
    site_folder, kept = tmp_path / "site", tmp_path / "kept"
    site_folder.mkdir()
    (site_folder / "index.html").write_text(FILES)
    (site_folder / "data.csv").write_text("a,b\n")
    note = tmp_path / "note.txt"
    note.write_text("hello")
    with serve_folder(site_folder) as site:
        page = browser.open(site.url)
        # First of all: without trusted input nothing attached a debugger yet, which tells of downloads.
        served = page.download("link 'Served'", kept, timeout=10)
        assert served.path is not None
        assert (served.path.name, served.path.read_text()) == ("data.csv", "a,b\n")
        if name == "synthetic":
            # The browser lets a page that nobody pressed on begin one download.
            page.close()
            page = browser.open(site.url)
        made = page.download("button 'Made'", kept, timeout=10)
        assert made.path is not None
        assert (made.path.name, made.path.read_text(), made.data["input"]) == ("made.txt", "made", name)
        page.upload("button 'Field'", str(note))
        assert page.get("text", "status") == "note.txt"
        if name == "trusted":
            page.upload("button 'Browse'", str(note))
            assert page.get("text", "status") == "hidden note.txt"
        page.close()


@pytest.mark.parametrize("sites", [1, 2])
def test_without_a_debugger_a_download_is_tied_to_its_tab(home: Path, tmp_path: Path, sites: int) -> None:
    """Two tabs download at the same time: each command gets its own tab's file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(home))
        browser = sb.launch(input="synthetic")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text("<!doctype html><a href=data.csv download>Get</a>")
        (tmp_path / name / "data.csv").write_text(name)
    with serve_folder(tmp_path) as first, serve_folder(tmp_path) as second:
        urls = [f"{first.url}/one/", f"{(first if sites == 1 else second).url}/two/"]
        pages = [browser.open(url) for url in urls]

        async def get_both() -> list[dict[str, Any]]:
            refs = [str((await page.driver.snapshot("dom")).find("link 'Get'").ref) for page in pages]
            asked = [page.driver.run("download", {"ref": ref}) for page, ref in zip(pages, refs, strict=True)]
            return await asyncio.gather(*asked)

        got = io.sync(get_both())
        assert [each["files"][0]["url"] for each in got] == [f"{url}data.csv" for url in urls]
    browser.close()


def test_a_key_for_what_takes_no_focus_says_what_to_do(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<h1>Slider</h1>")
    with pytest.raises(NotActionable) as refused:
        page.press("ArrowRight", target="heading 'Slider'")
    assert "press the key without a target" in str(refused.value)
