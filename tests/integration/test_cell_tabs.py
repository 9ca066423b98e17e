"""Cells that work in two tabs, in a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.errors import CommandTimeout, InvalidSkill
from skillbook.session.sync import Page
from skillbook.testing.site import Site, serve_folder
from tests.integration.test_connect import links, own_browser
from tests.integration.test_pairings import connected, worker_of
from tests.integration.users_browser import until
from tests.shown import after_reading

__all__ = ["links", "own_browser"]

Start = Callable[..., Run]
LIST = """<!doctype html><title>Lamps</title><h1>Lamps</h1><ul>
<li><a href="one.html" target="_blank">One</a><li><a href="two.html" target="_blank" rel="noopener">Two</a></ul>
<button>Reserve</button><button onclick="setTimeout(() => window.open('two.html'), 300)">Later</button>
<button onclick="this.textContent = 'Done'">Nothing</button>"""
ITEM = """<!doctype html><title>{name}</title><h1>{name}</h1><p>Costs <b>{price}</b></p>
<button onclick="document.title = 'reserved'">Reserve</button><button onclick="window.close()">Close</button>"""
PRICES = """\
prices = []
for name in ["One", "Two"]:
    page.click(f"link '{name}'")
    item = page.popup()
    item.click("button 'Reserve'")
    prices.append([item.title, item.text("css 'b'"), page.title])
    item.close()
prices
"""


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("lamps")
    (folder / "index.html").write_text(LIST)
    (folder / "one.html").write_text(ITEM.format(name="One", price=10))
    (folder / "two.html").write_text(ITEM.format(name="Two", price=20))
    with serve_folder(folder) as site:
        yield site


@pytest.fixture
def start(lamps: Site, open_page: Callable[[str], Page], start_cells: Start) -> Start:
    def begin(*cells: str, page: Page | None = None, **options: object) -> Run:
        return start_cells(*cells, page=page or open_page(lamps.url), **options)

    return begin


def test_a_person_gets_the_tab_that_an_action_opened(lamps: Site, open_page: Callable[[str], Page]) -> None:
    page = open_page(lamps.url)
    for name in ("One", "Two"):
        page.click(f"link '{name}'")
        item = page.popup()
        assert item is page.popup()
        assert (item.title, item.text("heading")) == (name, name)
        item.close()
    page.click("button 'Later'")
    assert page.popup().title == "Two"
    page.click("button 'Nothing'")
    with pytest.raises(CommandTimeout, match="opened no tab"):
        page.popup(timeout=0)


@pytest.mark.more
@pytest.mark.parametrize("awaitable", [False, True])
def test_a_cell_works_in_the_tabs_that_its_clicks_open(
    start: Start, lamps: Site, open_page: Callable[[str], Page], awaitable: bool
) -> None:
    page = open_page(lamps.url)
    twin = sb.aio.Page(page.browser, page.driver) if awaitable else page  # type: ignore[arg-type]
    tabs = len(page.browser.pages)
    run = start(PRICES, page=twin, autonomy="all")
    if awaitable:
        asyncio.run(run.arun())
    else:
        run.run()
    assert run.status == "succeeded", run.error
    assert "[['reserved', '10', 'Lamps'], ['reserved', '20', 'Lamps']]" in run.records[0].result
    assert [step.tool for step in run.records[1:]] == 2 * [
        "click", "popup", "click", "get", "get", "get", "tabs_close"
    ]  # fmt: skip
    assert page.title == "Lamps"
    assert len(page.browser.pages) == tabs


def test_a_call_of_another_tab_is_shown_there_and_refs_do_not_mix(start: Start) -> None:
    first = """\
page.click("link 'One'")
item = page.popup()
here = page.find("button 'Reserve'")[0]
try:
    item.click(here)
except TypeError as error:
    print(error)
item.click("button 'Reserve'")
"""
    run = start(
        first, "print(item.title, page.title)\nitem.click(\"button 'Close'\")", "item.title", "page.title"
    )
    run.start()
    run._do(run._stepper.settled())
    after_reading(run).approve(stepping=True)
    seen = []
    while run.pending is not None and run.pending.tool != "run_cell":
        seen.append((run.pending.tool, run.pending.cell.line, run.page.title))
        run.step()
    assert seen == [("click", 1, "Lamps"), ("popup", 2, "Lamps"), ("find", 3, "Lamps"), ("click", 8, "One")]
    result = run.records[0].result
    assert "was found in another tab" in result
    assert '- heading "One"' in result
    assert "In another tab" in result
    for _ in range(3):  # each approves a whole cell: reads of another tab ask no more
        after_reading(run).approve()
    assert run.status == "succeeded", run.error
    answers = [step.result for step in run.records if step.tool == "run_cell"]
    assert "reserved Lamps" in answers[1]
    assert "[page_closed]" in answers[2]
    assert "\nLamps\n" in answers[3]
    assert "`page.popup()`" not in result


def test_a_tab_that_a_cell_opened_is_announced(start: Start, lamps: Site) -> None:
    two = f'other = sb.open(page, "{lamps.url}/two.html")\nother.text("heading")'
    run = start("page.click(\"link 'One'\")", "page.popup().title", two, autonomy="all")
    run.run()
    assert run.status == "succeeded", run.error
    answers = [step.result for step in run.records if step.tool == "run_cell"]
    assert "It opened a tab" in answers[0]
    assert "`page.popup()`" in answers[0]
    assert "\nOne\n" in answers[1]
    assert "\nTwo\n" in answers[2]
    with pytest.raises(InvalidSkill, match="another tab"):
        run.save_skill("two-tabs")


def test_a_cell_goes_on_in_the_tab_where_it_stopped(
    start: Start, lamps: Site, open_page: Callable[[str], Page]
) -> None:
    page = open_page(lamps.url)
    run = start(PRICES, page=page)
    run.start()
    run._do(run._stepper.settled())
    after_reading(run).approve(stepping=True)
    run.step()
    run.step()
    assert run.page.title == "One"
    run.stop()
    again = sb.resume(run.id, page, mode="cells", autonomy="all")
    again.run()
    assert again.status == "succeeded", again.error
    assert "[['reserved', '10', 'Lamps'], ['reserved', '20', 'Lamps']]" in again.records[0].result
    assert page.title == "Lamps"


async def test_a_tab_that_another_kernel_takes_ends_the_run_before_its_call(
    own_browser: BrowserContext, links: list[str], start_cells: Start, lamps: Site
) -> None:
    first = await connected("one.ipynb", own_browser, links)
    second = await connected("two.ipynb", own_browser, links)
    page, other = await first.open(lamps.url), await second.open(lamps.url)
    run = start_cells("page.click(\"button 'Nothing'\")\npage.click(\"button 'Later'\")", page=page)
    run.start()
    await until(lambda: run.pending is not None, "the cell doesn't wait")
    run.decide(run.pending.id, {"type": "step", "until": "call"})
    await until(lambda: run.pending is not None and run.pending.tool == "click", "the call doesn't wait")
    # As a person does who drags the tab into the other kernel's group.
    tab, beside = page.driver.tab.id, other.driver.tab.id
    group = f"chrome.tabs.get({beside}).then(({{groupId}}) => chrome.tabs.group({{tabIds: {tab}, groupId}}))"
    await (await worker_of(own_browser)).evaluate(group)
    await until(lambda: run.status == "stopped", "the run goes on without its page")
    assert run.error is not None
    assert run.error.code == "page_closed"
    assert "another kernel has its tab now" in run.error.message
    assert "drag the tab back" in run.error.hint
    assert run.pending is None
    taken = next(each for each in await second.refresh() if each.driver.tab.id == tab)
    assert (await taken.find("button 'Nothing'"))[0].role == "button"
    again = sb.resume(run.id, page, mode="cells", autonomy="all")
    await again.arun()
    assert again.error is not None
    assert (again.status, again.error.code) == ("stopped", "page_closed")
    assert (await taken.find("button 'Nothing'"))[0].role == "button"
    await first.close()
    await second.close()
