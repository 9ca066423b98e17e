"""From a click in the side panel to what it does in the page: a skill's first step, and the call that was approved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from statistics import median
from typing import Any

from playwright.sync_api import Page as PlaywrightPage
from playwright.sync_api import expect

import skillbook as sb
from benchmarks.figures import Figure
from benchmarks.peers import Peers
from benchmarks.sites import ROOT, Sites
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_site

_SKILL_MS, _DECISION_MS = 300.0, 60.0
_MOST_MS = 30_000.0
_PANEL = f"chrome-extension://{EXTENSION_ID}/sidepanel.html"
_CLOCK = "performance.timeOrigin + performance.now()"
_HEADING = "heading 'Quiet furniture, warm light'"
_LISTEN = f"""() => {{
  globalThis.acted = [];
  for (const kind of ['mousedown', 'input'])
    addEventListener(kind, () => globalThis.acted.push({_CLOCK}), true);
}}"""
_NOTE_CLICKS = f"""() => {{
  globalThis.clicked = [];
  addEventListener('click', () => globalThis.clicked.push({_CLOCK}), true);
}}"""


def measure(peers: Peers, _: Sites, rounds: int) -> Iterator[Figure]:
    """The bundled skill that searches the demo shop, and approvals of clicks that a scripted model wants."""
    sb.load_skill(str(ROOT / "skills/search-products"), approve=True)
    with serve_site("shop") as shop, chdir(ROOT):
        started = [_skill_delay(peers, shop.url) for _ in range(rounds)]
        decided, plain = _decision_delays(peers, shop.url, rounds)
    quickest = "the quickest of {} took {:.1f} ms"
    yield Figure(
        "side panel: skill click to first step", "demo shop", median(started), None, "ms", "at most", _SKILL_MS,
        quickest.format(rounds, min(started)),
    )  # fmt: skip
    yield Figure(
        "side panel: decision to action", "demo shop", median(decided), median(plain), "ms", "at most", _DECISION_MS,
        quickest.format(rounds, min(decided)), peer="page.click in the kernel",
    )  # fmt: skip


def _skill_delay(peers: Peers, url: str) -> float:
    page, theirs, panel = _open(peers, url)
    skills = panel.get_by_role("region", name="Skills", exact=True)
    panel.get_by_role("searchbox").first.fill("search products")
    skills.get_by_role("button", name="Search products").first.click()
    skills.get_by_label("query").first.fill("lamp")
    panel.evaluate(_NOTE_CLICKS)
    theirs.add_init_script(f"({_LISTEN})()")  # where the skill opens its start page once more
    theirs.evaluate(_LISTEN)
    skills.get_by_role("button", name="Run on this tab").click()
    theirs.wait_for_function("() => globalThis.acted?.length", polling="raf")
    began, acted = panel.evaluate("clicked")[-1], theirs.evaluate("acted")[0]
    expect(panel.locator(".run-head .status")).to_have_text("done", timeout=_MOST_MS)
    panel.close()
    page.close()
    return float(acted - began)


def _decision_delays(peers: Peers, url: str, rounds: int) -> tuple[list[float], list[float]]:
    page, theirs, panel = _open(peers, url)
    target = page.snapshot().find(_HEADING).ref
    model = ScriptedModel([ToolCall("click", {"target": target}) for _ in range(rounds)] + ["Done."])
    run = sb.agent(page, "Press the heading", model=model)
    theirs.evaluate(_LISTEN)
    plain = []
    for _ in range(rounds):
        began = theirs.evaluate(_CLOCK)
        page.click(target)
        plain.append(theirs.evaluate("acted.at(-1)") - began)
    theirs.evaluate("globalThis.acted = []")
    panel.evaluate(_NOTE_CLICKS)
    run.start()
    _show_run(panel)
    decided: list[float] = []
    for done in range(rounds):
        expect(panel.get_by_role("region", name="Steps").get_by_role("listitem")).to_have_count(done)
        panel.get_by_role("button", name="Approve", exact=True).click()
        theirs.wait_for_function("most => globalThis.acted.length > most", arg=done, polling="raf")
        decided.append(theirs.evaluate("acted.at(-1)") - panel.evaluate("clicked.at(-1)"))
        assert decided[-1] > 0, "an earlier action was counted"
    panel.close()
    page.close()
    return decided, plain


def _show_run(panel: PlaywrightPage) -> None:
    if not panel.get_by_role("button", name="Approve", exact=True).is_visible():
        panel.get_by_text("Press the heading").first.click()
    expect(panel.get_by_role("button", name="Approve", exact=True)).to_be_visible()


def _open(peers: Peers, url: str) -> tuple[Page, PlaywrightPage, Any]:
    panel = peers.context.new_page()
    panel.set_viewport_size({"width": 360, "height": 720})
    panel.goto(_PANEL)
    with peers.context.expect_page() as opened:
        page = peers.browser.open(url)
    opened.value.bring_to_front()
    return page, opened.value, panel
