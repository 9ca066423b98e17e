"""Whatever a page or a model says, nothing of the side panel is cut or pushed away, and its answers stay in place."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from skillbook.io_thread import io
from skillbook.testing.site import Site, serve_site
from tests.axe import violations
from tests.integration.canned_kernel import NOW, CannedKernel, rows, summary
from tests.integration.panel_views import skills, states
from tests.integration.side_panel import PanelWorld, keep_picture, keep_sheet, narrow_pictures, panel_world

WIDTHS = (200, 320, 800)
"""320 pixels are the narrowest panel; 200 what a panel of 400 has at a zoom of 200 %."""
HOSTILE = ("x" * 240 + " <b><img src=x onerror=pwned></b> " * 3, "مصباح السرير " * 12 + "\u202e\u0000 y")
MEASURE = """(widths) => {
  const cut = [], places = {};
  const root = document.querySelector(".panel"), bar = document.querySelector(".sbp-actions");
  const name = (each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 30)}`;
  const seen = (each) => each.checkVisibility() && each.getBoundingClientRect().width > 0;
  for (const [width, way] of widths.flatMap((each) => [[each, "ltr"], [each, "rtl"]])) {
    document.body.style.width = `${width}px`;
    document.body.dir = way;
    const note = (each, what) => cut.push(`${width} ${way}: ${name(each)}: ${what}`);
    for (const box of [root, ...root.querySelectorAll(
      ".top, .areas, .area, .page, .sbp, .sbp-header, .sbp-body, .sbp-side, .sbp-card, .sbp-tasks, " +
      ".sbp-steps, .outputs, .card, .inside, .sbp-cell, .sbp-code, .sbp-variables")])
      if (seen(box) && box.scrollWidth > box.clientWidth + 1) note(box, "wider than its place");
    const outer = root.getBoundingClientRect();
    for (const each of root.querySelectorAll("button, input, select, textarea")) {
      if (!seen(each) || each.closest(".table")) continue;
      const box = each.getBoundingClientRect();
      if (box.left < outer.left - 0.5 || box.right > outer.right + 0.5 || box.width < 12) note(each, "aside");
    }
    for (const each of bar?.querySelectorAll("button") ?? [])
      if (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight + 1) note(each, "text");
    if (bar) places[`${width} ${way}`] = [bar.getBoundingClientRect().top, bar.offsetHeight].map(Math.round).join();
  }
  document.body.style.width = document.body.dir = "";
  return [cut, places];
}"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, CannedKernel]]:
    folder = tmp_path_factory.mktemp("prices", numbered=False)
    with pytest.MonkeyPatch.context() as patch, serve_site("shop") as shop:
        patch.chdir(folder)
        with panel_world(folder) as world:
            yield from shown_in(world, shop)


def shown_in(world: PanelWorld, shop: Site) -> Iterator[tuple[Page, CannedKernel]]:
    """The panel of a kernel whose answers are canned."""
    kernel = CannedKernel(world.browser)
    kernel.answers = {
        "about": {"name": "prices.ipynb", "version": "1", "model": None, "notebook": True, "autonomy": "ask",
                  "skills": 100, "workflows": 0},
        "list_skills": {"skills": []}, "list_workflows": {"workflows": []},
        "list_page_tools": {"tools": []},
        "show_recording": {"recording": None}, "list_preferences": {"preferences": []},
        "list_runs": {"runs": [summary(live=True)]},
        "read_rows": rows(10_000), "read_thumbnail": {"image": None},
        "show_run": next(states(""))[1],
    }  # fmt: skip
    panel = world.open_panel()
    kernel.page = world.show(shop.url)
    expect(panel.get_by_role("region", name="This tab")).to_contain_text("Stop sharing")
    # Only what is in front is drawn at full speed.
    panel.bring_to_front()
    yield panel, kernel


def show_run(panel: Page, kernel: CannedKernel, state: dict[str, Any], number: int) -> None:
    """Show a state of the run, once the panel has it."""
    title = f"{number} {state['title']}"
    kernel.answers["show_run"] = {**state, "title": title}
    kernel.report("run_changed", run="r1", title=title, state=state["state"], words=state["words"])
    panel.get_by_role("tab", name="Run").click()
    panel.wait_for_function(
        "n => document.querySelector('.sbp-goal')?.textContent.startsWith(n)", arg=f"{number} "
    )


def measure(panel: Page) -> tuple[list[str], dict[str, str]]:
    """What is cut, and where the bar with the answers is, at each width and in each direction."""
    cut, places = panel.evaluate(MEASURE, list(WIDTHS))
    return cut, places


def test_no_state_breaks_a_rule_of_accessibility(world: tuple[Page, CannedKernel]) -> None:
    panel, kernel = world
    wrong: list[str] = []
    pictures: list[bytes] = []
    for number, (name, state) in enumerate(states("")):
        show_run(panel, kernel, state, number)
        wrong += [f"{name}: {each}" for each in violations(panel, ".panel")]
        pictures += narrow_pictures(panel)
        if name == "irreversible":
            keep_picture(panel, "waiting")
        if name == "cell":
            panel.get_by_text("Variables").click()
            wrong += [f"variables: {each}" for each in violations(panel, ".panel")]
        if name in {"irreversible", "help", "succeeded", "failed", "line of a cell"}:
            panel.emulate_media(color_scheme="dark")
            wrong += [f"{name}, dark: {each}" for each in violations(panel, ".panel")]
            if name == "help":
                keep_picture(panel, "help")
            panel.emulate_media(color_scheme="light")
    assert wrong == []
    keep_sheet(pictures, "states")


def test_nothing_is_cut_and_no_answer_moves_in_any_state(world: tuple[Page, CannedKernel]) -> None:
    panel, kernel = world
    wrong: list[str] = []
    places: dict[str, dict[str, str]] = {}
    for number, pair in enumerate(zip(*map(states, HOSTILE), strict=True)):
        name, state = pair[number % 2]
        show_run(panel, kernel, state, number)
        cut, places[name] = measure(panel)
        if name == "irreversible":
            panel.get_by_role("button", name="Approve", exact=True).click()
            expect(panel.get_by_role("button", name="Yes, do it")).to_be_visible()
            more, places[f"{name} again"] = measure(panel)
            cut += more
        if name == "cell":
            panel.get_by_role("button", name="Edit", exact=True).click()
            more, places["cell edited"] = measure(panel)
            cut += more
        if name == "write":
            panel.get_by_role("button", name="Reject…").click()
            more, places[f"{name} replying"] = measure(panel)
            cut += more
            panel.get_by_label("What to tell the agent").press("Escape")
        wrong += [f"{name}: {each}" for each in cut]
    assert wrong == []
    first = places["created"]
    assert {name: place for name, place in places.items() if place != first} == {}
    assert panel.locator(".panel img[src=x]").count() == 0


def test_tools_of_the_page_fit(world: tuple[Page, CannedKernel]) -> None:
    panel, kernel = world
    field = {"type": "text", "label": "Name", "help": "What to add " * 9, "required": True, "default": None}
    tool = {
        "title": "add_item_to_the_list_of_things_that_are_wanted", "description": "Add <b>one</b> item. " * 12,
        "inputs": [{**field, "name": "name", "choices": []}], "frame": "", "problem": "", "last": None,
    }  # fmt: skip
    framed = {
        "frame": "https://pay.shop.test/form/" + "x" * 200,
        "problem": "A form can't hold it.",
        "inputs": [],
    }
    tools = [{**tool, "name": "add"}, {**tool, "name": "pay", "title": "pay", **framed}]
    kernel.answers["list_page_tools"] = {"tools": tools}
    kernel.report("run_changed", run="r9", title="x", state="succeeded", words="done")
    panel.get_by_role("tab", name="Start").click()
    section = panel.get_by_role("region", name="The page's tools")
    expect(section.get_by_role("listitem")).to_have_count(2)
    for card in section.get_by_role("listitem").all():
        card.get_by_role("button").first.click()
    expect(section).to_contain_text("<b>one</b>")
    assert measure(panel)[0] == []
    assert violations(panel, ".panel") == []
    kernel.answers["list_page_tools"] = {"tools": []}
    section.get_by_role("button", name="Look again").click()
    expect(section).to_have_count(0)
    panel.get_by_role("tab", name="Run").click()


def test_a_hundred_skills_and_their_forms(world: tuple[Page, CannedKernel]) -> None:
    panel, kernel = world
    kernel.answers["list_skills"] = {"skills": skills("")}
    kernel.report("run_changed", run="r2", title="x", state="succeeded", words="done")
    panel.get_by_role("tab", name="Start").click()
    section = panel.get_by_role("region", name="Skills")
    expect(section.get_by_role("listitem")).to_have_count(100)
    expect(section.get_by_role("heading").first).to_have_text("For this page")
    keep_picture(panel, "start")
    panel.get_by_role("searchbox").fill("catalogue 77")
    expect(section.get_by_role("listitem")).to_have_count(1)
    panel.get_by_role("searchbox").fill("")
    section.get_by_role("button", name="Search the catalogue 0").click()
    assert measure(panel)[0] == []
    assert violations(panel, ".panel") == []
    kernel.page.bring_to_front()
    expect(panel.get_by_role("region", name="This tab")).to_be_visible()
    section.get_by_role("button", name="Run on this tab").click()
    query = section.get_by_label("Query")
    expect(query).to_be_focused()
    expect(query).to_have_attribute("aria-invalid", "true")
    assert kernel.taken("run_skill") == []
    query.fill("lamp")
    section.get_by_label("Order").select_option("price")
    section.get_by_label("Numbers").fill("1\n2")
    kernel.answers["run_skill"] = {"run": "r1"}
    query.press("Enter")
    expect(panel.get_by_role("region", name="Run")).to_be_visible()
    panel.bring_to_front()
    (asked,) = kernel.taken("run_skill")
    assert asked["name"] == "skill-0"
    assert asked["inputs"] == {
        "query": "lamp", "max_price": 50, "pages": 3, "in_stock": True, "order": "price", "ids": ["1", "2"]
    }  # fmt: skip


def rows_output() -> dict[str, Any]:
    """Ten thousand rows of an output that no other test has sorted."""
    columns = ["Name", "Price", "In stock"]
    return {"id": uuid4().hex, "kind": "rows", "title": "lamps", "columns": columns, "count": 10_000}


def show_rows(panel: Page, kernel: CannedKernel, number: int) -> Locator:
    """The table of a run that has read ten thousand rows."""
    kernel.answers["show_source"] = lambda asked: {"found": True, "words": f"row {asked.row}, {asked.column}"}
    done = {"state": "succeeded", "words": "done", "status": "succeeded", "title": "Rows"}
    show_run(panel, kernel, {**summary(), **done, "outputs": [rows_output()]}, number)
    table = panel.get_by_role("grid", name="lamps")
    expect(table).to_have_attribute("aria-rowcount", "10001")
    expect(table.get_by_role("gridcell", name="Lamp 0", exact=True)).to_be_visible()
    return table


def test_ten_thousand_rows(world: tuple[Page, CannedKernel]) -> None:
    panel, kernel = world
    table = show_rows(panel, kernel, 90)
    assert table.get_by_role("row").count() < 60
    # A tab that isn't drawn sends no event for its scrolling.
    table.evaluate("table => { table.scrollTop = 26 * 5000; table.dispatchEvent(new Event('scroll')) }")
    table.get_by_role("gridcell", name="Lamp 5003", exact=True).click()
    expect(panel.get_by_text("row 5003, Name")).to_be_visible()
    table.evaluate("table => { table.scrollTop = 0; table.dispatchEvent(new Event('scroll')) }")
    price = table.get_by_role("button", name="Price")
    price.click()
    price.click()
    expect(table.get_by_role("columnheader", name="Price")).to_have_attribute("aria-sort", "descending")
    highest = max(range(10_000), key=lambda n: round(5 + n * 7919 % 100 + n / 100, 2))
    expect(table.get_by_role("gridcell", name=f"Lamp {highest}", exact=True)).to_be_visible()
    table.focus()
    table.press("ArrowUp")
    table.press("ArrowRight")
    table.press("Enter")
    expect(panel.get_by_text(re.compile(r"^row \d+, Price$"))).to_be_visible()
    assert kernel.taken("show_source")[-1]["row"] != 5003
    keep_picture(panel, "rows")
    assert violations(panel, ".panel") == []


def test_a_row_that_is_still_read_shows_its_source_when_it_is_pressed(
    world: tuple[Page, CannedKernel],
) -> None:
    panel, kernel = world
    read, later = kernel.answers["read_rows"], asyncio.Event()

    async def slow(asked: Any) -> Any:
        if asked.count > 1 and asked.start > 0:
            await later.wait()
        return read(asked)

    kernel.answers["read_rows"] = slow
    try:
        table = show_rows(panel, kernel, 91)
        table.focus()
        for key in ("ArrowDown", "End", "ArrowRight", "Enter"):
            table.press(key)
        expect(panel.get_by_text("row 9999, Price", exact=True)).to_be_visible()
        assert table.get_by_role("gridcell", name="Lamp 9999", exact=True).count() == 0
    finally:
        kernel.answers["read_rows"] = read
        io.call_soon(later.set)


def test_history_and_preferences_by_keys_alone(world: tuple[Page, CannedKernel]) -> None:
    panel, kernel = world
    old = [summary(id=f"r{n}", kind="skill", name="skill-0", title=f"Old {n}", state="succeeded", words="done",
                   ended=NOW + n, inputs={"query": "lamp", "pages": 7}, live=False) for n in range(3)]  # fmt: skip
    kernel.answers |= {"list_runs": {"runs": old}, "list_skills": {"skills": skills("", 2)}}
    tab = panel.get_by_role("tab", name="Start")
    tab.click()
    for name in ("Run", "History"):
        panel.keyboard.press("ArrowRight")
        expect(panel.get_by_role("tab", name=name)).to_be_focused()
    panel.get_by_role("button", name="Run again: Old 1").press("Enter")
    entry = panel.get_by_role("list", name="Last runs").get_by_role("listitem").nth(1)
    expect(entry.get_by_label("Query")).to_have_value("lamp")
    expect(entry.get_by_label("Pages")).to_have_value("7")
    assert measure(panel)[0] == [] == violations(panel, ".panel")
    kept = [{"site": None, "words": "With tax."}]
    kernel.answers["list_preferences"] = lambda _: {"preferences": kept}

    def keep(preference: Any) -> dict[str, Any]:
        kept[:] = [preference.model_dump()]
        return {"preferences": kept}

    kernel.answers["set_preference"] = keep
    panel.get_by_role("tab", name="History").press("ArrowRight")
    field = panel.get_by_label("For all sites")
    expect(field).to_have_value("With tax.")
    field.fill("Without tax.")
    assert violations(panel, ".panel") == []
    panel.get_by_role("button", name="Save").press("Enter")
    expect(panel.get_by_role("button", name="Save")).to_be_disabled()
    expect(field).to_have_value("Without tax.")
    assert kept == [{"site": None, "words": "Without tax."}]
