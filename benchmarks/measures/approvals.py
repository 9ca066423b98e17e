"""From a click on "Approve" in a notebook to the action in the page that the agent drives."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.figures import Figure
from benchmarks.peers import Peers
from benchmarks.sites import Sites
from tests.lab.notebook import LabNotebook
from tests.lab.server import LabServer

_GOAL_MS = 50.0
_MOST_SECONDS = 30.0
_CLOCK = "performance.timeOrigin + performance.now()"
_OPEN = """
import json
import ipywidgets
import skillbook as sb
from lab_shop import open_shop
from skillbook.testing.scripted_model import ScriptedModel, ToolCall

shop, browser, page = open_shop()
heading = page.snapshot().find("heading 'Quiet furniture, warm light'").ref
"""
_LISTEN = f"""page.evaluate('''(() => {{
  globalThis.pressed = [];
  addEventListener('mousedown', () => {{
    globalThis.pressed.push({_CLOCK});
    document.querySelector('.hero p').append(' Click.');
  }}, true);
}})()''')"""
_BUTTON = """
pressing = ipywidgets.Button(description="Press")
pressing.add_class("plain-button")
pressing.on_click(lambda _: page.click(heading))
pressing
"""
_AGENT = """
model = ScriptedModel([ToolCall("click", {"target": heading}) for _ in range(COUNT)] + ["done"])
run = sb.agent(page, "Click", model=model)
run.start();
"""
_PRESSED = "print(json.dumps(page.evaluate('globalThis.pressed')))"


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """Approvals in JupyterLab; the peer is a plain button of ipywidgets whose handler clicks in the same page."""
    with _notebook(peers.context, sites) as notebook:
        notebook.run(0)
        notebook.evaluate(2, _LISTEN)
        plain = _presses(notebook, rounds)
        notebook.evaluate(2, "pressing.close(); page.evaluate('globalThis.pressed = []')")
        approved = _approvals(notebook, rounds)
    yield Figure(
        "approve click to action",
        "demo shop",
        median(approved),
        median(plain),
        "ms",
        "at most",
        _GOAL_MS,
        f"the quickest of {rounds} took {min(approved):.1f} ms",
        peer="a button of ipywidgets",
    )


@contextmanager
def _notebook(context: BrowserContext, sites: Sites) -> Iterator[LabNotebook]:
    folder = sites.folder / "lab"
    folder.mkdir()
    server = LabServer(folder)
    page = context.new_page()
    try:
        notebook = LabNotebook.create(server, page, "approvals.ipynb", _OPEN.strip(), "", "")
        yield notebook
        notebook.shut_down()
    finally:
        page.close()
        server.close()


def _presses(notebook: LabNotebook, rounds: int) -> list[float]:
    notebook.set_source(1, _BUTTON)
    notebook.run(1)
    _note_clicks(notebook.page, ".plain-button")
    pressed: list[float] = []
    for done in range(1, rounds + 1):
        notebook.page.locator(".plain-button").click()
        deadline = time.monotonic() + _MOST_SECONDS
        while len(pressed) < done:
            if time.monotonic() > deadline:
                raise TimeoutError("the button doesn't act")
            pressed = json.loads(notebook.evaluate(2, _PRESSED))
    return _delays(notebook, pressed)


def _approvals(notebook: LabNotebook, rounds: int) -> list[float]:
    notebook.set_source(1, _AGENT.replace("COUNT", str(rounds)))
    notebook.run(1)
    _note_clicks(notebook.page, ".sbp-primary")
    screenshot, seen = notebook.panel.locator(".sbp-shot img"), ""
    for done in range(rounds):
        expect(notebook.panel.locator(".sbp-step")).to_have_count(done)
        # A person reads before approving: the screenshot of the last step has come, and the browser is idle again.
        expect(screenshot).not_to_have_attribute("src", seen)
        seen = screenshot.get_attribute("src") or ""
        notebook.page.evaluate("() => new Promise((done) => requestIdleCallback(done))")
        notebook.panel.get_by_role("button", name="Approve", exact=True).click()
    expect(notebook.panel.locator(".sbp-status")).to_have_text("Done")
    return _delays(notebook, json.loads(notebook.evaluate(2, _PRESSED)))


def _note_clicks(page: Page, button: str) -> None:
    page.evaluate(
        f"""() => {{
          globalThis.clicked = [];
          addEventListener('click', (event) => {{
            if (event.target.closest('{button}')) globalThis.clicked.push({_CLOCK});
          }}, true);
        }}"""
    )


def _delays(notebook: LabNotebook, acted: list[float]) -> list[float]:
    clicked = notebook.page.evaluate("() => globalThis.clicked")
    return [after - before for before, after in zip(clicked, acted, strict=True)]
