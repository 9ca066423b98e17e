"""The side panel over a real kernel: ask, decide, read rows, run a skill; opened in the window, badge and notices."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import expect

import skillbook as sb
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.serving.workflows.workflow import Workflow
from skillbook.session.sync import Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import Script, ToolCall, ref_of
from skillbook.testing.site import serve_app, serve_site
from skillbook.testing.sites.web import Request, Response
from tests.faults.attack.site import serve_attack
from tests.integration.side_panel import PANEL, POPUP, PanelWorld, panel_world
from tests.waiting import until

CONTEXTS = "chrome.runtime.getContexts({contextTypes: ['SIDE_PANEL']}).then((all) => all.length)"


def read_prices(page: Page, *, most: int = 3) -> pd.DataFrame:
    """Read some prices.

    Parameters
    ----------
    most : int
        How many.
    """
    return pd.DataFrame({"name": [f"Lamp {n}" for n in range(most)], "price": [n * 2.5 for n in range(most)]})


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer([]) as server:
        yield server


@pytest.fixture(scope="module")
def world(model: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PanelWorld]:
    folder = tmp_path_factory.mktemp("side_panel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SKILLBOOK_HOME", str(folder / "home"))
        patch.setenv("SKILLBOOK_BASE_URL", model.base_url)
        patch.setenv("SKILLBOOK_MODEL", "scripted")
        patch.setenv("SKILLBOOK_MODEL_RETRIES", "0")
        with panel_world(folder) as world:
            yield world


def test_a_goal_is_asked_decided_and_done(world: PanelWorld, model: OpenAIServer) -> None:
    fill = [
        lambda seen: ToolCall(
            "fill", {"target": ref_of(seen, "searchbox 'Search products'"), "value": "lamp"}
        ),
        "The field says lamp.",
    ]
    model.script = Script(fill)
    with serve_site("shop") as shop:
        panel = world.open_panel()
        world.show(shop.url)
        panel.get_by_label("What shall be done on this page?").fill("Write lamp into the search field")
        panel.get_by_role("button", name="Send").click()
        expect(panel.get_by_role("region", name="Waiting for you")).to_contain_text("Search products")
        worker = "chrome.action.getBadgeText({})"
        expect(panel.locator(".sbp-run")).to_have_attribute("data-status", "waiting")
        panel.wait_for_function(f"{worker}.then((text) => text === '1')", polling=100)
        panel.get_by_label("value").fill("floor lamp")
        panel.get_by_role("button", name="Approve edited").click()
        expect(panel.locator(".sbp-result")).to_contain_text("The field says lamp.")
        page = world.browser.pages[-1]
        assert page.get("value", "searchbox 'Search products'") == "floor lamp"
        panel.wait_for_function(f"{worker}.then((text) => text === '')", polling=100)
        steps = panel.get_by_role("region", name="Steps")
        expect(steps).to_contain_text("edited")
        steps.get_by_role("button", name="edited").click()
        expect(steps.get_by_role("img", name="The page after step 1")).to_be_visible()
        panel.get_by_role("button", name="Save as skill…").click()
        panel.get_by_label("Name of the skill").fill("write-lamp")
        panel.locator("form.end").get_by_role("button", name="Save").click()
        expect(panel.get_by_text("Saved as write-lamp.")).to_be_visible()
        assert Path("skills/write-lamp/replay.yaml").exists()
        panel.get_by_role("button", name="Open as notebook").click()
        written = panel.get_by_text("Written to").locator("code")
        cells = json.loads(Path(written.inner_text()).read_text())["cells"]
        assert any("floor lamp" in "".join(cell["source"]) for cell in cells)
        page.close()
        panel.close()


def test_a_held_request_is_decided_in_the_panel(world: PanelWorld, model: OpenAIServer) -> None:
    model.script = Script([ToolCall("click", {"target": "button 'Next tip'"}), "Shown."])
    send = "fetch('/write/x', {method: 'POST', body: 'id=5'})"
    with serve_attack() as site:
        site.app.pages["/page"] = f'<h1>Tips</h1><button onclick="{send}">Next tip</button>'
        panel = world.open_panel()
        world.show(f"{site.url}/page")
        panel.get_by_label("What shall be done on this page?").fill("Show the next tip")
        panel.get_by_role("button", name="Send").click()
        waits = panel.get_by_role("region", name="Waiting for you")
        approve = panel.get_by_role("button", name="Approve", exact=True)
        expect(waits).to_contain_text("Next tip")
        approve.click()
        expect(waits).to_contain_text("/write/x")
        assert site.app.arrived == []
        expect(waits).to_contain_text("irreversible")
        expect(approve).to_have_css("background-color", "rgb(179, 38, 30)")
        approve.click()
        panel.get_by_role("button", name="Yes, do it").click()
        expect(panel.locator(".sbp-result")).to_contain_text("Shown.")
        until(lambda: len(site.app.arrived) == 1, "what was allowed never arrived")
        panel.close()
        world.browser.pages[-1].close()


def test_menu_shortcut_and_notification_open_the_panel(world: PanelWorld) -> None:
    """Without a person's gesture the browser opens no side panel: then it is a tab."""
    other = world.open_panel(POPUP)
    (worker,) = world.context.service_workers
    for event, given in (
        ("chrome.commands.onCommand", "'open_panel'"),
        ("chrome.contextMenus.onClicked", "{menuItemId: 'panel'}"),
        ("chrome.notifications.onClicked", "'kernel run'"),
    ):
        with world.context.expect_page(lambda page: page.url == PANEL) as opened:
            worker.evaluate(f"{event}.dispatch({given})")
        expect(opened.value.get_by_role("tab", name="Start")).to_be_visible()
        opened.value.close()
    shortcut = other.evaluate(
        "chrome.commands.getAll().then((all) => all.map(({name, shortcut}) => [name, shortcut]))"
    )
    assert ["open_panel", "Alt+Shift+S"] in shortcut
    other.close()


LAST_RUN = """new Promise((resolve) => {
  const port = chrome.runtime.connect({name: "ui"});
  let kernel = null;
  port.onMessage.addListener((reply) => {
    if (reply.ui === "answer") resolve(`${kernel} ${reply.result.runs[0].id}`);
    if (reply.ui !== "state" || kernel) return;
    kernel = reply.state.kernels[0].id;
    port.postMessage({ui: "ask", id: 1, kernel, name: "list_runs", params: {limit: 1}});
  });
  port.postMessage({ui: "watch"});
})"""
"""The newest run as a notification names it."""


def test_a_notification_opens_its_run(world: PanelWorld) -> None:
    workflows.add(Workflow("lamps", read_prices))
    panel = world.open_panel()
    with serve_site("shop") as shop:
        world.show(shop.url)
        section = panel.get_by_role("region", name="Workflows")
        section.get_by_role("button", name="lamps").click()
        section.get_by_role("button", name="Run on this tab").click()
        expect(panel.get_by_role("gridcell", name="Lamp 2")).to_be_visible()
        named = panel.evaluate(LAST_RUN)
        (worker,) = world.context.service_workers
        panel.get_by_role("tab", name="Preferences").click()
        for closed in (None, panel):
            if closed is not None:
                closed.close()
            with world.context.expect_page(lambda page: page.url == PANEL) as opened:
                worker.evaluate(f"chrome.notifications.onClicked.dispatch({named!r})")
            for shown in {opened.value, panel} - {closed}:
                expect(shown.get_by_role("tab", name="Run")).to_have_attribute("aria-selected", "true")
                expect(shown.get_by_role("gridcell", name="Lamp 2")).to_be_visible()
            opened.value.close()
        world.browser.pages[-1].close()


FAR = {
    "/": "<title>Start</title><h1>Start</h1><a href=/company>Company</a>",
    "/company": "<title>Company</title><h1>Company</h1><a href=/stores>Stores</a>",
    "/stores": "<title>Stores</title><h1>Stores</h1><p>Oslo, Rome",
}
"""A site in which the goal is two pages away, so that the run can't be over before it is paused."""


@pytest.mark.more
def test_an_exploration_is_started_paused_and_gone_on_with(world: PanelWorld) -> None:
    answers = threading.Event()
    answers.set()

    class Company:
        def respond(self, request: Request) -> Response:
            answers.wait(30)
            html = FAR.get(request.path)
            return Response(f"<!doctype html>{html}") if html else Response("", status=404)

    with serve_app(Company()) as shop:
        panel = world.open_panel()
        page = world.show(shop.url)
        section = panel.get_by_role("region", name="Workflows")
        section.get_by_role("button", name="Explore").click()
        section.get_by_label("Goal").fill("stores")
        answers.clear()
        section.get_by_role("button", name="Run on this tab").click()
        panel.get_by_role("button", name="Pause").click()
        answers.set()
        go_on = panel.get_by_role("button", name="Go on")
        expect(go_on).to_be_visible()
        expect(panel.locator(".sbp-status")).to_have_text("paused")
        go_on.click()
        expect(panel.locator(".sbp-status")).to_have_text("done")
        tasks = panel.get_by_role("region", name="Tasks")
        expect(tasks.get_by_role("listitem").filter(has_text="fits the goal").first).to_be_visible()
        expect(tasks.get_by_label("Add a task")).to_have_count(0)
        expect(panel.get_by_role("grid", name="Pages")).to_be_visible()
        assert page.url.endswith("/stores")
        panel.close()
        world.browser.pages[-1].close()


def test_another_element_is_pointed_at_in_the_page(world: PanelWorld, model: OpenAIServer) -> None:
    wrong = [lambda seen: ToolCall("click", {"target": ref_of(seen, "link 'Products'")}), "Opened."]
    model.script = Script(wrong)
    with serve_site("shop") as shop:
        panel = world.open_panel()
        page = world.show(shop.url)
        panel.get_by_label("What shall be done on this page?").fill("Open the stores")
        panel.get_by_role("button", name="Send").click()
        target = panel.get_by_label("target")
        before = target.input_value()
        signs = page.evaluate("document.documentElement.childElementCount")
        panel.get_by_role("button", name="Point at another element").click()
        expect(panel.get_by_text("Click it in the page")).to_be_visible()
        page.bring_to_front()
        page.wait_for_function(f"document.documentElement.childElementCount > {signs}")
        page.get_by_role("link", name="Stores").first.click()
        expect(target).not_to_have_value(before)
        assert page.url.rstrip("/") == shop.url.rstrip("/"), "the page didn't take the click"
        panel.get_by_role("button", name="Approve edited").click()
        page.wait_for_url("**/stores")
        expect(panel.locator(".sbp-result")).to_contain_text("Opened.")
        world.browser.pages[-1].close()
        panel.close()


@pytest.mark.more
def test_a_workflow_gives_rows_and_runs_again(world: PanelWorld) -> None:
    workflows.add(Workflow("prices", read_prices))
    with serve_site("shop") as shop:
        panel = world.open_panel()
        world.show(shop.url)
        section = panel.get_by_role("region", name="Workflows")
        section.get_by_role("button", name="Prices Read").click()
        section.get_by_label("most").fill("5")
        section.get_by_role("button", name="Run on this tab").click()
        table = panel.get_by_role("grid")
        expect(table).to_have_attribute("aria-rowcount", "6")
        expect(table.get_by_role("gridcell", name="Lamp 4")).to_be_visible()
        with panel.expect_download() as kept:
            panel.get_by_role("button", name="CSV").click()
        assert "Lamp 4" in kept.value.path().read_text()
        with panel.expect_download() as kept:
            panel.get_by_role("button", name="JSON").click()
        assert json.loads(kept.value.path().read_text())[4] == {"name": "Lamp 4", "price": 10.0}
        panel.bring_to_front()
        panel.get_by_role("button", name="Copy").click()
        expect(panel.get_by_role("button", name="Copied ✓")).to_be_visible()
        search = panel.get_by_role("tab", name="Start")
        search.click()
        panel.get_by_label("What shall be done on this page?").focus()
        panel.keyboard.press("ControlOrMeta+V")
        expect(panel.get_by_label("What shall be done on this page?")).to_have_value(re.compile("Lamp 4\t10"))
        panel.get_by_role("tab", name="History").click()
        panel.get_by_role("button", name="Run again").first.click()
        expect(panel.get_by_label("most").filter(visible=True)).to_have_value("5")
        panel.close()
        world.browser.pages[-1].close()


def test_a_run_that_waits_outlives_the_panel_the_worker_and_says_when_its_tab_is_gone(
    world: PanelWorld, model: OpenAIServer
) -> None:
    def fill(value: str) -> Callable[[list[Any]], ToolCall]:
        return lambda seen: ToolCall(
            "fill", {"target": ref_of(seen, "searchbox 'Search products'"), "value": value}
        )

    model.script = Script([fill("lamp"), fill("chair"), "Done."])
    with serve_site("shop") as shop:
        panel = world.open_panel()
        world.show(shop.url)
        page = world.browser.pages[-1]
        panel.get_by_label("What shall be done on this page?").fill("Write lamp, then chair")
        panel.get_by_role("button", name="Send").click()
        expect(panel.get_by_label("value")).to_have_value("lamp")
        panel.close()

        panel = world.open_panel()
        expect(panel.get_by_label("value"), "a new panel shows what waits").to_have_value("lamp")
        status = lambda: world.browser.status  # noqa: E731
        began = status().since
        panel.get_by_label("value").fill("desk lamp")
        world.kill_worker()
        expect(panel.get_by_label("value"), "so does one whose worker was ended").to_have_value("desk lamp")
        until(lambda: status().since != began and status().state == "connected", "no worker comes back")
        expect(panel.get_by_label("value"), "what was typed is kept").to_have_value("desk lamp")

        def is_next() -> bool:
            """The panel may not know yet that its kernel is there: then an answer isn't taken, and nothing is lost."""
            if panel.get_by_label("value").input_value() == "desk lamp":
                panel.get_by_label("value").blur()
                panel.keyboard.press("e")
            return panel.get_by_label("value").input_value() == "chair"

        until(is_next, "the edited call isn't done")
        assert page.get("value", "searchbox 'Search products'") == "desk lamp"

        page.close()
        expect(panel.get_by_role("alert")).to_contain_text("page was closed")
        expect(panel.get_by_role("button", name="Approve", exact=True)).to_be_hidden()
        panel.close()


def test_a_page_s_device_is_shown_and_it_and_the_rules_outlive_the_worker(world: PanelWorld) -> None:
    with serve_site("shop") as shop:
        panel = world.open_panel()
        tab = world.show(shop.url)
        page = world.browser.pages[-1]
        page.emulate("iPhone 15")
        page.network.mock("/mocked", text="from the mock")
        here = panel.get_by_role("region", name="This tab")
        expect(here).to_contain_text("shared, as on iPhone 15")
        status = lambda: world.browser.status  # noqa: E731
        began = status().since
        world.kill_worker()
        mocked = "fetch('/mocked').then((answer) => answer.text())"
        assert tab.evaluate(mocked) == "from the mock", "it is paused until there is a worker again"
        until(lambda: status().since != began and status().state == "connected", "no worker comes back")
        expect(here).to_contain_text("shared, as on iPhone 15")
        tab.reload()
        assert tab.evaluate("innerWidth") == 393
        assert tab.evaluate(mocked) == "from the mock"
        page.network.clear()
        page.emulate(None)
        expect(here).not_to_contain_text("iPhone")
        assert tab.evaluate("innerWidth") != 393
        page.close()
        panel.close()


def test_with_two_kernels_the_panel_shows_the_one_that_is_chosen(
    world: PanelWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    with sb.serve(wait=False) as service:
        asking = world.context.new_page()
        with world.context.expect_page(lambda page: "confirm" in page.url) as asked:
            asking.goto(service.pair_link())
        with asked.value.expect_event("close"):
            asked.value.get_by_role("button", name="Pair").click()
        until(lambda: service.connected, "the browser doesn't connect")
        panel = world.open_panel()
        panel.get_by_role("tab", name="History").click()
        chosen = panel.get_by_role("combobox", name="Kernel")
        # A skill that was saved of it stands in the area that is hidden.
        earlier = panel.get_by_text("Write lamp").filter(visible=True)
        chosen.select_option(service.browser.driver.server.kernel.id)
        panel.get_by_role("tab", name="History").click()
        expect(panel.get_by_role("tabpanel")).to_be_visible()
        expect(earlier).to_have_count(0)
        panel.get_by_role("tab", name="Start").click()
        panel.get_by_label("What shall be done on this page?").fill("Find a lamp")
    expect(panel.get_by_text("is away. What you typed stays")).to_be_visible()
    with sb.serve(wait=False) as service:
        until(lambda: service.connected, "the browser doesn't come back")
        expect(panel.get_by_text("is away. What you typed stays")).to_have_count(0)
        expect(panel.get_by_label("What shall be done on this page?")).to_have_value("Find a lamp")
        expect(panel.get_by_role("region", name="Skills").get_by_role("listitem").first).to_be_visible()
        chosen.select_option(world.browser.driver.server.kernel.id)
        panel.get_by_role("tab", name="History").click()
        expect(earlier.first).to_be_visible()
        panel.close()
        asking.close()


def test_the_popup_opens_the_real_side_panel(world: PanelWorld) -> None:
    popup = world.open_panel(POPUP)
    popup.get_by_role("button", name="Open panel").click()
    other = world.open_panel(POPUP)
    other.wait_for_function(f"{CONTEXTS}.then((count) => count === 1)", polling=100)
    session = world.context.browser.new_browser_cdp_session()  # type: ignore[union-attr]
    targets = session.send("Target.getTargets")["targetInfos"]
    assert [each["url"] for each in targets if each["url"] == PANEL]
    assert other.evaluate("chrome.runtime.id") == EXTENSION_ID
    other.close()
