"""A recording by hand in JupyterLab: a person acts in the page, and marks and mends the steps in the notebook."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect

from tests.axe import violations
from tests.lab.notebook import LabNotebook
from tests.lab.test_remote_input import press_on
from tests.lab.test_run import IMAGES

OPEN = """
import skillbook as sb
from skillbook.testing.site import serve_site
from wait_in_kernel import until

shop = serve_site("shop")
browser = sb.launch(args=["--remote-debugging-port=0"])
page = browser.open(shop.url + "/")
"""
PORT = (
    "print((browser.driver.process.profile.user_data_dir / 'DevToolsActivePort').read_text().splitlines()[0])"
)
RECORD = 'rec = sb.record(page, "Find products")'
SAVE = """
skill = rec.save_skill("find-products", "kept-skills")
other = skill.run(browser.open(shop.url + "/stores"), query="chair")
print([step.command for step in skill.spec.steps], [one.name for one in skill.inputs], skill.proof.status)
print(other.ok, other.error, len(other.frame) > 0, "chair" in other.frame.to_csv().lower())
"""
CLOSE = "browser.close(); shop.close()"

Open = Callable[..., LabNotebook]


@pytest.fixture
def notebook(lab: Open) -> Iterator[LabNotebook]:
    notebook = lab(OPEN.strip(), RECORD, "")
    notebook.run(0)
    yield notebook
    notebook.evaluate(2, CLOSE)


@pytest.fixture
def hands(notebook: LabNotebook, lab_browser: Browser) -> Iterator[Page]:
    """The page that is recorded, as the person at the mouse and keyboard has it."""
    port, address = notebook.evaluate(2, PORT), notebook.evaluate(2, "print(page.url)")
    kind = lab_browser.browser_type
    browser = kind.connect_over_cdp(f"http://127.0.0.1:{port}")
    yield next(page for page in browser.contexts[0].pages if page.url == address)
    browser.close()


def press(hands: Page, target: Locator) -> None:
    box = target.bounding_box()
    assert box is not None
    hands.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_skill_is_shown_marked_mended_saved_and_replayed_on_another_input(
    notebook: LabNotebook, hands: Page
) -> None:
    notebook.run(1)
    recorder = notebook.page.locator(".jp-OutputArea .sbp-recorder")
    status, steps = recorder.get_by_role("status"), recorder.locator(".sbp-recorded")
    button = lambda name: recorder.get_by_role("button", name=name, exact=True)  # noqa: E731
    expect(status).to_have_text("Recording")

    button("Pause").click()
    expect(status).to_have_text("Paused")
    press(hands, hands.get_by_role("link", name="Stores"))
    hands.wait_for_url("**/stores")
    hands.go_back(wait_until="commit")
    button("Resume").click()
    expect(status).to_have_text("Recording")
    expect(steps).to_have_count(0)

    press(hands, hands.get_by_role("searchbox", name="Search products"))
    hands.keyboard.type("lamp")
    expect(steps.filter(has_text="lamp")).to_be_visible()
    press(hands, hands.get_by_role("button", name="Search", exact=True))
    hands.wait_for_url("**/search?q=lamp*")
    expect(steps.last).to_contain_text("button 'Search'")
    turn_wheel(hands)
    expect(steps.last).to_contain_text("Scroll")
    button("Undo").click()
    expect(steps.last).to_contain_text("button 'Search'")
    expect(steps.first).to_contain_text("Click searchbox")
    button("Delete step 1").click()
    expect(steps.first).to_contain_text("Fill searchbox")
    button("Step 1 is an input").click()
    expect(steps.filter(has_text="(input query)")).to_be_visible()

    point(recorder, hands, "Check…", hands.get_by_role("heading", name="Results for"))
    expect(steps.last).to_contain_text("Results for")
    point(recorder, hands, "Read rows…", hands.get_by_role("listitem").filter(has_text="$").first)
    expect(steps.last).to_contain_text("Read the rows")
    expect(recorder.locator(".sbp-shot img")).to_be_visible()
    if os.environ.get("WRITE_IMAGES"):
        (IMAGES / "recorder.png").write_bytes(recorder.screenshot())
    button("Stop").click()
    expect(status).to_have_text("Recorded")
    assert violations(notebook.page, ".jp-OutputArea .sbp-recorder") == []
    recorder.get_by_role("button", name="Insert all steps as cell").click()
    written = notebook.page.locator(".jp-Notebook .jp-Cell").nth(2).locator(".cm-line")
    expect(written).to_contain_text(["page.fill(\"searchbox 'Search products'\", 'lamp')", "page.click("])
    assert notebook.evaluate(2, SAVE).splitlines() == [
        "['fill', 'click', 'extract'] ['site', 'query'] passed",
        "True None True True",
    ]


def test_the_page_of_a_browser_without_a_window_is_recorded_in_its_screenshot(notebook: LabNotebook) -> None:
    notebook.run(1)
    recorder = notebook.page.locator(".jp-OutputArea .sbp-recorder")
    expect(recorder).to_contain_text("☝ over the screenshot lets you use the page")
    recorder.get_by_role("button", name="Use the page here").click()
    press_on(recorder, "Stores")
    expect(recorder.locator(".sbp-recorded")).to_contain_text(["Click link 'Stores'"])
    expect(recorder.locator(".sbp-address")).to_contain_text("/stores")
    notebook.page.keyboard.press("Shift+Escape")
    recorder.get_by_role("button", name="Stop", exact=True).click()
    recorder.get_by_role("button", name="Save as skill…").click()
    written = notebook.page.locator(".jp-Notebook .jp-Cell").nth(2).locator(".cm-line")
    expect(written).to_contain_text(["skill = rec.save_skill('find-products')", "skill"])


def turn_wheel(hands: Page) -> None:
    """Scroll once the page shows that it is recorded: Chromium drops what is turned before its first picture."""
    hands.wait_for_function("document.documentElement.childElementCount > 2")
    for _ in range(20):
        hands.mouse.wheel(0, 300)
        with contextlib.suppress(TimeoutError):
            hands.wait_for_function("scrollY > 0", timeout=1000)
            return
    raise AssertionError("the page didn't scroll")


def point(recorder: Locator, hands: Page, mark: str, target: Locator) -> None:
    """Mark something by a press in the page, once that waits for it, which a second sign in the page shows."""
    signs = hands.evaluate("document.documentElement.childElementCount")
    count = recorder.locator(".sbp-recorded").count()
    recorder.get_by_role("button", name=mark, exact=True).click()
    hands.wait_for_function(f"document.documentElement.childElementCount > {signs}")
    target.scroll_into_view_if_needed()
    press(hands, target)
    expect(recorder.locator(".sbp-recorded")).to_have_count(count + 1)
