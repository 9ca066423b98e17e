"""The whole way: an agent in a real JupyterLab, approved by clicking, acting in a real Chromium."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.lab.notebook import LabNotebook
from tests.waiting import until

IMAGES = Path(__file__).parents[2] / "docs" / "images"
"""Written where the environment has WRITE_IMAGES."""
OPEN = """
import skillbook as sb
from lab_shop import open_shop
from skillbook.testing.scripted_model import ScriptedModel, ToolCall, ref_of

shop, browser, page = open_shop()
"""
AGENT = """
model = ScriptedModel([
    lambda seen: ToolCall(
        "fill", {"target": ref_of(seen, "searchbox 'Search products'"), "value": "lamp"},
        "First I search the catalogue for lamps."),
    lambda seen: ToolCall(
        "click", {"target": ref_of(seen, "button 'Search'")}, "Now I start the search."),
    "There are lamps in this shop.",
])
run = sb.agent(page, "Find the lamps in this shop", model=model)
run.start();
"""
PICTURED = """
import skillbook as sb

browser = sb.launch()
page = browser.open(shop.url)
run = sb.agent(page, "Find a lamp for my bed and put it in the cart", model=model)
run.start();
"""
PICTURED_MODEL = """
from skillbook.testing.scripted_model import ScriptedModel, ToolCall, ref_of
from skillbook.testing.site import serve_site

shop = serve_site("shop")
model = ScriptedModel([
    lambda seen: ToolCall(
        "fill", {"target": ref_of(seen, "searchbox 'Search products'"), "value": "lamp"}, "I search for lamps."),
    lambda seen: ToolCall("click", {"target": ref_of(seen, "button 'Search'")}, "Now I start the search."),
    lambda seen: ToolCall(
        "click", {"target": ref_of(seen, "link 'Dusk Bedside Lamp'")},
        "The Dusk Bedside Lamp is in stock and made for beds, so I look at it more closely."),
    "Done.",
])
"""
AS_WITH_A_WINDOW = "type(browser.driver).has_window = property(lambda driver: True)"
PRESS_STORES = """
from skillbook.io_thread import io
x, y, width, height = page.snapshot().find("link 'Stores'").box
press = {"x": x + width / 2, "y": y + height / 2, "button": "left", "count": 1}
io.sync(page.driver.run("remote_input", {"events": [{"kind": kind, **press} for kind in ("down", "up")]}))
page.url.removeprefix(shop.url)
"""
CLOSE = "page.close()"
COUNT_PRESSES = """page.evaluate('''(() => {
  globalThis.presses = 0;
  addEventListener('mousedown', () => globalThis.presses++, true);
})()''')"""
CLICKS = """
heading = page.snapshot().find("heading 'Quiet furniture, warm light'").ref
model = ScriptedModel([ToolCall("click", {"target": heading}), ToolCall("click", {"target": heading}), "done"])
run = sb.agent(page, "Click", model=model)
run.start();
"""

REPORTED = "any(place.words == 'in a cell' for place, _ in run._stepper.questions.shown._since)"
Open = Callable[..., LabNotebook]


@pytest.fixture
def shop(lab: Open) -> Iterator[LabNotebook]:
    notebook = lab(OPEN.strip(), AGENT.strip(), "")
    notebook.run(0)
    yield notebook
    notebook.evaluate(2, CLOSE)


def approve(notebook: LabNotebook) -> None:
    notebook.panel.get_by_role("button", name="Approve", exact=True).click()


def test_approving_by_clicks_carries_the_run_to_its_end(shop: LabNotebook) -> None:
    shop.run(1)
    panel = shop.panel
    expect(panel.locator(".sbp-tool")).to_have_text("fill")
    expect(panel.locator(".sbp-target")).to_contain_text("Search products")
    expect(panel.locator(".sbp-said")).to_have_text("First I search the catalogue for lamps.")
    expect(panel.locator(".sbp-boxes .sbp-aim")).to_have_count(1)
    assert shop.evaluate(2, "page.get('value', \"searchbox 'Search products'\")") == "''"
    approve(shop)
    expect(panel.locator(".sbp-tool")).to_have_text("click")
    assert shop.evaluate(2, "page.get('value', \"searchbox 'Search products'\")") == "'lamp'"
    approve(shop)
    expect(panel.locator(".sbp-status")).to_have_text("Done")
    expect(panel.locator(".sbp-result")).to_have_text("There are lamps in this shop.")
    expect(panel.locator(".sbp-step")).to_have_count(2)
    expect(panel.locator(".sbp-address")).to_contain_text("/search?q=lamp")
    assert shop.evaluate(2, "'q=lamp' in page.url, run.status") == "(True, 'succeeded')"


def test_edited_arguments_and_another_element_are_what_happens(shop: LabNotebook) -> None:
    shop.run(1)
    shop.panel.get_by_label("value", exact=True).fill("desk")
    shop.panel.get_by_role("button", name="Approve edited").click()
    expect(shop.panel.locator(".sbp-tool")).to_have_text("click")
    assert shop.evaluate(2, "page.get('value', \"searchbox 'Search products'\")") == "'desk'"
    shop.panel.locator(".sbp-tree").get_by_text("Stores").first.click()
    expect(shop.panel.locator(".sbp-target")).to_contain_text("Stores")
    shop.panel.get_by_role("button", name="Approve edited").click()
    expect(shop.panel.locator(".sbp-address")).to_contain_text("/stores")
    expect(shop.panel.locator(".sbp-step")).to_have_count(2)  # the page shows before the call is done
    assert shop.evaluate(2, "[step.decision for step in run.records]") == "['edit', 'edit']"


def test_an_element_pointed_at_in_the_real_page_is_what_is_clicked(shop: LabNotebook) -> None:
    shop.evaluate(2, "was = type(browser.driver).has_window\n" + AS_WITH_A_WINDOW)
    shop.run(1)
    approve(shop)
    expect(shop.panel.locator(".sbp-tool")).to_have_text("click")
    shop.panel.get_by_role("button", name="Point").click()
    expect(shop.panel.locator(".sbp-pointing")).to_contain_text("or in the page itself")
    shop.evaluate(
        2,
        "from wait_in_kernel import until\n"
        "until(lambda: page.evaluate(\"document.documentElement.lastElementChild.localName\") == 'div')",
    )
    assert shop.evaluate(2, PRESS_STORES) == "'/'"
    expect(shop.panel.locator(".sbp-target")).to_contain_text("Stores")
    shop.panel.get_by_role("button", name="Approve edited").click()
    expect(shop.panel.locator(".sbp-address")).to_contain_text("/stores")
    shop.evaluate(2, "type(browser.driver).has_window = was")


SELECTED = """
model = ScriptedModel([ToolCall("click", {"target": "link 'Stores'"}), "done"])
run = sb.agent(page, "Click", model=model)
run.start();
"""
OUTLINED = """
from wait_in_kernel import until
until(lambda: page.evaluate("document.documentElement.lastElementChild.localName") == 'div')
print("outlined")
"""


def test_a_target_named_by_a_selector_is_marked_in_tree_screenshot_and_page(shop: LabNotebook) -> None:
    shop.set_source(1, SELECTED.strip())
    shop.run(1)
    expect(shop.panel.locator(".sbp-boxes .sbp-aim")).to_have_attribute("title", "link Stores")
    expect(shop.panel.locator(".sbp-tree .sbp-aim")).to_contain_text("Stores")
    assert shop.evaluate(2, OUTLINED) == "outlined"
    approve(shop)
    expect(shop.panel.locator(".sbp-address")).to_contain_text("/stores")
    gone = OUTLINED.replace("== 'div'", "!= 'div'").replace("outlined", "gone")
    assert shop.evaluate(2, gone) == "gone"


def test_a_run_that_is_over_is_saved_as_a_skill_by_a_cell(shop: LabNotebook) -> None:
    shop.run(1)
    for tool in ("fill", "click"):
        expect(shop.panel.locator(".sbp-tool")).to_have_text(tool)
        approve(shop)
    sources = "jupyterapp.shell.currentWidget.content.widgets.map((one) => one.model.sharedModel.getSource())"
    shop.panel.get_by_role("button", name="Insert as cells").click()
    expect(shop.page.locator(".jp-CodeCell")).to_have_count(4)
    assert (
        shop.page.evaluate(sources)[2].splitlines()[0].startswith("page.fill(\"searchbox 'Search products'")
    )
    shop.panel.get_by_role("button", name="Save as skill…").click()
    expect(shop.page.locator(".jp-CodeCell")).to_have_count(5)
    assert shop.page.evaluate(sources)[2].startswith("skill = run.save_skill('find-the-lamps-in-this-shop')")
    shop.run(2)
    assert shop.evaluate(2, "skill.name") == "'find-the-lamps-in-this-shop'"
    shop.panel.get_by_role("button", name="Export").click()
    shop.run(2)
    assert (
        shop.evaluate(3, "compile(open('find-the-lamps-in-this-shop.py').read(), 'script', 'exec') and 1")
        == "1"
    )
    shop.panel.get_by_role("button", name="Run again").click()
    shop.run(2)
    assert shop.evaluate(3, "run.status, run.origin[:10]") == "('idle', 'A fork of ')"
    # A saved skill goes before the model in the next run for this goal.
    shop.evaluate(2, "import shutil; shutil.rmtree(skill.path)")


def test_a_rejection_reaches_the_model_and_nothing_happens(shop: LabNotebook) -> None:
    shop.run(1)
    shop.panel.get_by_role("button", name="Reject…").click()
    shop.panel.get_by_label("What to tell the agent").fill("Not in this shop")
    shop.page.keyboard.press("Enter")
    expect(shop.panel.locator(".sbp-step")).to_contain_text("rejected")
    expect(shop.panel.locator(".sbp-tool")).to_have_text("click")
    assert shop.evaluate(2, "page.get('value', \"searchbox 'Search products'\")") == "''"
    assert shop.evaluate(2, "any('Not in this shop' in str(m.content) for m in run.messages)") == "True"


FORKED = """
model = ScriptedModel([
    ToolCall("fill", {"target": "searchbox 'Search products'", "value": "lamp"}),
    ToolCall("click", {"target": "link 'Stores'"}),
    ToolCall("click", {"target": "link 'Products'"}),
    "done",
])
run = sb.agent(page, "Look around", model=model)
run.start();
"""


def test_a_step_opens_to_what_it_changed_and_a_click_forks_from_there(shop: LabNotebook) -> None:
    shop.set_source(1, FORKED.strip())
    shop.run(1)
    panel = shop.panel
    expect(panel.locator(".sbp-next")).to_have_text(
        "Next: Fill in the search field 'Search products' in the search with “lamp”"
    )
    approve(shop)
    expect(panel.locator(".sbp-next")).to_contain_text("Next: Click the link 'Stores'")
    panel.locator(".sbp-line").click()
    expect(panel.locator(".sbp-detail")).to_contain_text('= "lamp": value was ""')
    panel.get_by_role("button", name="Fork from here").click()
    expect(panel.locator(".sbp-result")).to_contain_text("at step 1, in that run's `forks`")
    expect(panel.locator(".sbp-next")).to_contain_text("Next: Click the link 'Products'")
    expect(panel.locator(".sbp-step")).to_have_count(0)
    assert shop.evaluate(2, "run.status, run.forks[-1].status, len(run.forks)") == "('waiting', 'waiting', 1)"
    approve(shop)
    expect(panel.locator(".sbp-status")).to_have_text("Done")
    assert shop.evaluate(
        2, "len(run.forks[-1].records), len(run.records), page.url.removeprefix(shop.url)"
    ) == ("(1, 1, '/search')")
    # What is kept of both: who reads it later sees what the first run did, and that the other one began from there.
    record = shop.page.locator("[data-skillbook-record]")
    expect(record).to_contain_text("Fill in the search field 'Search products'")
    expect(record).to_contain_text("Click the link 'Products'")
    expect(record).to_contain_text("Waits for you:")
    shop.evaluate(2, "run.stop()")


def test_fault_88_a_run_whose_page_is_closed_waits_for_nobody(shop: LabNotebook) -> None:
    shop.run(1)
    expect(shop.panel.locator(".sbp-status")).to_have_text("Waiting for you")
    shop.evaluate(2, "page.close()")
    expect(shop.panel.locator(".sbp-status")).to_have_text("Stopped")
    assert shop.evaluate(2, "run.status, len(run.records)") == "('stopped', 0)"


def test_stop_ends_the_run(shop: LabNotebook) -> None:
    shop.run(1)
    shop.panel.get_by_role("button", name="Stop").click()
    expect(shop.panel.locator(".sbp-status")).to_have_text("Stopped")
    assert (
        shop.evaluate(2, "run.status, page.get('value', \"searchbox 'Search products'\")")
        == "('stopped', '')"
    )


@pytest.mark.parametrize("way", ["run.run()", "await run.arun()"])
def test_a_cell_that_waits_for_the_end_lets_clicks_through(shop: LabNotebook, way: str) -> None:
    shop.set_source(1, AGENT.replace("run.start();", f"run.start(); {way}"))
    shop.start(1)
    expect(shop.panel.locator(".sbp-tool")).to_have_text("fill")
    approve(shop)
    expect(shop.panel.locator(".sbp-tool")).to_have_text("click")
    approve(shop)
    expect(shop.panel.locator(".sbp-status")).to_have_text("Done")
    assert shop.evaluate(2, "run.status") == "'succeeded'"


def test_a_cell_that_starts_a_run_shows_its_panel_and_no_stale_card(shop: LabNotebook) -> None:
    shop.set_source(1, AGENT.replace("run.start();", "run.start()"))
    shop.run(1)
    expect(shop.panel.locator(".sbp-tool")).to_have_text("fill")
    assert [output["output_type"] for output in shop.outputs(1)] == ["display_data", "display_data"]
    # A cell may answer once the panel has reported its question, a frame after it is there: no person is as fast.
    until(lambda: shop.evaluate(2, REPORTED) == "True")
    assert shop.evaluate(2, "run.approve()").startswith("<Step 1: fill(target='e")
    shop.wait_for_output(1, "sb.resume(")
    assert shop.evaluate(2, "run").startswith("<Run 'Find the lamps")


def test_the_panel_after_approvals_by_clicks(lab: Open) -> None:
    notebook = lab(PICTURED_MODEL.strip(), PICTURED.strip(), "")
    page, panel = notebook.page, notebook.panel
    page.set_viewport_size({"width": 1280, "height": 1060})
    notebook.run(0)
    notebook.run(1)
    expect(panel.locator(".sbp-tool")).to_have_text("fill")
    approve(notebook)
    expect(panel.locator(".sbp-tool")).to_have_text("click")
    approve(notebook)
    expect(panel.locator(".sbp-target")).to_contain_text("Dusk Bedside Lamp")
    expect(panel.locator(".sbp-step .sbp-approve")).to_have_count(2)
    expect(panel.locator(".sbp-address")).to_contain_text("/search?q=lamp")
    expect(panel.locator(".sbp-boxes .sbp-aim")).to_have_count(1)
    page.mouse.move(1, 1)
    panel.evaluate("(panel) => panel.closest('.jp-Cell').scrollIntoView()")
    screenshot = page.screenshot()
    assert screenshot.startswith(b"\x89PNG")
    if os.environ.get("WRITE_IMAGES"):
        IMAGES.mkdir(parents=True, exist_ok=True)
        (IMAGES / "panel.png").write_bytes(screenshot)
    notebook.evaluate(2, "browser.close(); shop.close()")


def test_each_approved_click_acts_in_the_page_once(shop: LabNotebook) -> None:
    shop.evaluate(2, COUNT_PRESSES)
    shop.set_source(1, CLICKS)
    shop.run(1)
    for done in range(2):
        expect(shop.panel.locator(".sbp-step")).to_have_count(done)
        assert shop.evaluate(2, "page.evaluate('globalThis.presses')") == str(done)
        approve(shop)
    expect(shop.panel.locator(".sbp-status")).to_have_text("Done")
    assert shop.evaluate(2, "page.evaluate('globalThis.presses')") == "2"
