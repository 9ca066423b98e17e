"""What shows a page, a browser or a kernel that is gone says so, on each kind of view, for each ending."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect

from skillbook.launcher.profile import EXTENSION_ID
from tests.lab.notebook import LabNotebook
from tests.lab.test_recorder import PORT
from tests.lab.test_skill_card import FOREIGN

Open = Callable[..., LabNotebook]
SETUP = """
import skillbook as sb
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_site
shop = serve_site("shop")
browser = sb.launch(args=["--remote-debugging-port=0"])
page = browser.open(shop.url + "/search?q=lamp")
frame = sb.extract(page, fields={"name": "heading", "link": "link@href"})
"""
CELLS = (
    "page",
    """model = ScriptedModel([ToolCall("click", {"target": "link 'Stores'"}), "done"])
run = sb.agent(page, "Be where the stores are", model=model)
run.start();""",
    "frame.skillbook.show()",
    "rec = sb.record(page, 'Find lamps')",
    "sb.browsers",
    FOREIGN,
)
VIEW, RUN, FRAME, RECORDER, BROWSERS, SKILL = range(1, len(CELLS) + 1)
CLOSED = "The page was closed. browser.open() opens one."
ENDINGS = {
    "page": ("page.close()", CLOSED, ""),
    "browser": (
        "browser.close()",
        "The browser was closed. browser.relaunch() starts it again.",
        "was closed",
    ),
    "killed": ("browser.driver.process._process.kill()", "The browser has ended (", "has ended ("),
    "extension": ("", "The page isn't shared any more. The extension's popup shares it again.", ""),
}


@pytest.fixture
def views(lab: Open) -> Iterator[LabNotebook]:
    notebook = lab(SETUP.strip(), *CELLS, "")
    notebook.page.set_viewport_size({"width": 1280, "height": 6000})
    notebook.run(0)
    for index in range(1, len(CELLS) + 1):
        notebook.start(index) if index == SKILL else notebook.run(index)
        widget(notebook, index).wait_for()
    for index in (VIEW, RUN, RECORDER):
        expect(widget(notebook, index).locator(".sbp-status").first).to_have_text(
            {VIEW: "Live", RUN: "Waiting for you", RECORDER: "Recording"}[index]
        )
    yield notebook
    notebook.page.evaluate("localStorage.removeItem('skillbook.beside')")
    if notebook.evaluate(len(CELLS) + 1, "'browser' in globals()") == "True":
        notebook.evaluate(len(CELLS) + 1, "browser.close(); shop.close()")


def widget(notebook: LabNotebook, index: int) -> Locator:
    return notebook.page.locator(".jp-Notebook .jp-Cell").nth(index).locator(".jp-OutputArea .sbp")


def reload_extension(notebook: LabNotebook, browser: Browser) -> None:
    port = notebook.evaluate(len(CELLS) + 1, PORT)
    devtools = browser.browser_type.connect_over_cdp(f"http://127.0.0.1:{port}")
    page = devtools.contexts[0].new_page()
    page.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
    page.evaluate("setTimeout(() => chrome.runtime.reload())")
    devtools.close()


@pytest.mark.parametrize("end", ENDINGS)
def test_fault_88_each_view_of_a_page_that_is_gone_says_so(
    views: LabNotebook, lab_browser: Browser, end: str
) -> None:
    code, words, of_browser = ENDINGS[end]
    reload_extension(views, lab_browser) if not code else views.evaluate(len(CELLS) + 1, code)
    began = time.monotonic()
    for index in (VIEW, FRAME, RECORDER):
        expect(widget(views, index).locator(".sbp-gone")).to_contain_text(words)
        print(end, index, f"{time.monotonic() - began:.1f} s")
        expect(widget(views, index)).to_have_attribute("data-status", "gone")
    expect(widget(views, VIEW).locator(".sbp-status")).to_have_text("Gone")
    expect(widget(views, VIEW).locator(".sbp-page")).to_have_attribute("inert", "")
    # Nobody waits for an answer to a run that can't go on.
    run = widget(views, RUN)
    expect(run.locator(".sbp-status").first).to_have_text(re.compile("^(Stopped|Page gone)$"))
    expect(run.locator(".sbp-answer:not([inert])").get_by_role("button", name="Approve")).to_have_count(0)
    recorder = widget(views, RECORDER)
    expect(recorder.locator(".sbp-status").first).to_have_text("Page gone")
    for name in ("Pause", "Read rows…", "Check…"):
        expect(recorder.get_by_role("button", name=name)).to_be_disabled()
    recorder.get_by_role("button", name="Stop").click()
    expect(recorder.locator(".sbp-status").first).to_have_text("Recorded")
    # What needs the kernel alone goes on.
    frame = widget(views, FRAME)
    frame.get_by_role("gridcell").first.click()
    expect(frame.get_by_role("region", name="Source of the cell")).to_contain_text("/search?q=lamp")
    line = widget(views, BROWSERS).locator(".sbp-openlist > li").last
    if of_browser:
        expect(line.locator(".sbp-note").first).to_contain_text(of_browser)
        expect(line.get_by_role("button", name="Closed")).to_be_disabled()
    else:
        expect(line.get_by_role("button", name="Close page")).to_have_count(0)
    skill = widget(views, SKILL)
    skill.get_by_role("button", name="Approve this version").click()
    expect(skill.locator(".sbp-status")).to_have_text("Approved")


def test_fault_88_views_of_a_kernel_that_restarted_give_way_to_their_records(views: LabNotebook) -> None:
    beside = widget(views, RUN).get_by_role("button", name="Show beside")
    beside.click()
    docked = views.page.locator("#jp-right-stack .sbp-run")
    expect(docked).to_be_visible()
    views.wait_for_output(RUN, "Waits for you")
    views.restart()
    for index in range(1, len(CELLS) + 1):
        expect(widget(views, index)).to_be_hidden()
        cell = views.page.locator(".jp-Notebook .jp-Cell").nth(index)
        expect(cell.locator("[data-skillbook-record]")).to_be_visible()
        expect(cell.locator(".jp-OutputArea button:visible")).to_have_count(0)
    expect(docked).to_have_attribute("data-status", "gone")
    expect(docked.locator(".sbp-gone").first).to_contain_text("The kernel has ended or was restarted")
