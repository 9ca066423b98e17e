"""Where a replay finds no sure target a person points at it in the page: trusted input by the browser's protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.notebook.html.object_views import patch_html
from skillbook.session.sync import Browser, Page
from skillbook.skill import Skill, load_skill
from skillbook.testing.site import Site, serve_folder
from tests.integration.test_demonstration import hands_on, person_browser, press

__all__ = ["person_browser"]

PAGE = """<!doctype html><title>Files</title><h1>Files</h1>
<button id=save style="padding:8px;background:#cde">Save the file</button>
<button>Throw away</button><p role=status></p>
<script>
for (const button of document.querySelectorAll('button'))
  button.onclick = () => { document.querySelector('p').textContent = button.textContent; };
</script>"""
RENAMED = PAGE.replace("<button id=save", "<button id=x9").replace("Save the file", "Archive for ever")
RELABELLED = PAGE.replace("Save the file", "Store the file")
BADGE = "document.documentElement.lastElementChild.localName === 'div'"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "files.html").write_text(PAGE)
    with serve_folder(folder) as served:
        yield served


@pytest.fixture
def page(person_browser: Browser, site: Site) -> Iterator[Page]:
    page = person_browser.open(f"{site.url.rstrip('/')}/files.html")
    yield page
    page.close()


@pytest.fixture
def skill(page: Page, tmp_path: Path) -> Skill:
    with sb.recording(page) as rec:
        page.click("button 'Save the file'")
    rec.save_skill("keep", tmp_path)
    page.reload()
    return load_skill("keep", tmp_path)


def change(tmp_path: Path, html: str) -> None:
    (tmp_path / "site/files.html").write_text(html)


@pytest.mark.more
async def test_the_person_presses_what_the_step_means_and_the_patch_has_it(
    person_browser: Browser, page: Page, skill: Skill, tmp_path: Path
) -> None:
    change(tmp_path, RENAMED)
    await asyncio.to_thread(page.reload)
    async with hands_on(person_browser, page.url) as hands:
        running = asyncio.ensure_future(skill.arun(page, healer="person", start="here"))
        await hands.wait_for_function(BADGE, timeout=30_000)
        await press(hands, hands.get_by_role("button", name="Archive for ever"))
        result = await running
    assert result.healed[0].how == "person"
    assert result.patch is not None
    assert result.patch.changes[0].new.selectors[0] == "button 'Archive for ever'"
    assert page.driver.latest is not None
    assert page.driver.latest.has_text("Archive for ever")
    # The recorded check of what the button says in the status is another matter.
    mended = skill.apply(result.patch)
    assert mended.spec.steps[0].target is not None
    assert mended.spec.steps[0].target.selectors[0] == "button 'Archive for ever'"


async def test_escape_leaves_the_step_refused_and_the_page_alone(
    person_browser: Browser, page: Page, skill: Skill, tmp_path: Path
) -> None:
    change(tmp_path, RENAMED)
    await asyncio.to_thread(page.reload)
    async with hands_on(person_browser, page.url) as hands:
        running = asyncio.ensure_future(skill.arun(page, healer="person", start="here"))
        await hands.wait_for_function(BADGE, timeout=30_000)
        await hands.keyboard.press("Escape")
        result = await running
        assert await hands.inner_text("p") == ""
    assert result.error is not None
    assert result.error.code == "replay_failed"


def test_a_patch_shows_both_elements_and_how_alike_they_are(page: Page, skill: Skill, tmp_path: Path) -> None:
    change(tmp_path, RELABELLED)
    page.reload()
    result = skill.run(page, start="here")
    assert result.patch is not None
    (changed,) = result.patch.changes
    assert changed.confidence is not None
    assert 0.5 < changed.confidence < 1
    assert changed.before.startswith(b"\x89PNG")
    assert changed.after.startswith(b"\x89PNG")
    shown = patch_html(result.patch)
    assert shown.count("data:image/png;base64,") == 2
    assert f"{changed.confidence:.0%} alike" in shown
    assert f"{changed.confidence:.0%} alike" in repr(result.patch)
