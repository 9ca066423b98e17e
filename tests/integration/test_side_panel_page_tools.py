"""The tools that a page declares, in the side panel: listed, called once approved, what they send asked about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.integration.side_panel import PanelWorld, panel_world
from tests.integration.test_page_tools import Shop
from tests.waiting import until

PAGE = """<title>Shop</title><h1>Shop</h1><ul id=found></ul><script>
const text = words => ({content: [{type: 'text', text: words}]});
const declare = (name, description, properties, required, execute) => document.modelContext.registerTool(
  {name, description, inputSchema: {type: 'object', properties, required}, execute});
declare('add_item', 'Add an <b>item</b> \u202e to the list, and say how many of it are wanted until the next delivery',
  {name: {type: 'string', description: 'What to add'}, count: {type: 'integer'}, gift: {type: 'boolean'},
   size: {enum: ['small', 'large']}, tags: {type: 'array', items: {type: 'string'}}, more: {type: 'object'}},
  ['name'], async (given) => {
    await fetch('/items', {method: 'POST', body: new URLSearchParams({name: given.name})});
    document.getElementById('found').innerHTML += '<li>' + JSON.stringify(given) + '</li>';
    return text('added <i>' + given.name + '</i>');
  });
declare('set_address', 'Where to send it', {address: {type: 'object'}}, ['address'], () => text('set'));
window.addLate = () => declare('late', 'Declared later', {}, [], () => text('late answer'));
</script>"""


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    shop = Shop()
    shop.page = PAGE
    yield shop
    shop.server.shutdown()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PanelWorld]:
    folder = tmp_path_factory.mktemp("panel_tools")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SKILLBOOK_HOME", str(folder / "home"))
        with panel_world(Path(folder), page_tools=True) as world:
            yield world


def test_a_pages_tool_is_listed_approved_and_called(world: PanelWorld, shop: Shop) -> None:
    panel = world.open_panel()
    page = world.show(shop.url)
    tools = panel.get_by_role("region", name="The page's tools")
    expect(tools.get_by_role("listitem")).to_have_count(2)
    expect(tools.get_by_role("button", name="set_address")).to_be_visible()
    tools.get_by_role("button", name="set_address").click()
    expect(tools).to_contain_text("A form can't hold its argument 'address'")
    tools.get_by_role("button", name="set_address").click()
    tools.get_by_role("button", name="add_item").click()
    expect(tools).to_contain_text("Add an <b>item</b>")
    expect(tools).not_to_contain_text("\u202e")
    run = tools.get_by_role("button", name="Run on this tab")
    run.click()
    expect(tools.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    tools.get_by_label("Name").fill("lamp")
    tools.get_by_label("Count").fill("2")
    tools.get_by_label("Size").select_option("large")
    tools.get_by_label("Tags").fill("a\nb")
    run.click()
    waits = panel.get_by_role("region", name="Waiting for you")
    expect(waits).to_contain_text("the page's tool 'add_item' runs the page's own code")
    assert shop.sent == []
    approve = panel.get_by_role("button", name="Approve", exact=True)
    approve.click()
    expect(waits).to_contain_text("/items")
    assert shop.sent == [], "what it sends is asked about, too"
    approve.click()
    expect(panel.get_by_text("added <i>lamp</i>")).to_be_visible()
    until(lambda: shop.sent == ["lamp"], "what was allowed never arrived")
    expected = '{"count":2,"gift":false,"name":"lamp","size":"large","tags":["a","b"]}'
    expect(page.locator("#found")).to_have_text(expected)
    steps = world.browser.journal
    called = steps[steps["command"] == "call_page_tool"]
    assert "side panel" in called["actor"].tolist()[-1]
    page.close()
    panel.close()


@pytest.mark.more
def test_a_rejected_call_is_not_made_and_a_late_tool_is_found(world: PanelWorld, shop: Shop) -> None:
    sent = list(shop.sent)
    panel = world.open_panel()
    page = world.show(shop.url)
    tools = panel.get_by_role("region", name="The page's tools")
    tools.get_by_role("button", name="add_item").click()
    tools.get_by_label("Name").fill("chair")
    tools.get_by_role("button", name="Run on this tab").click()
    panel.get_by_role("button", name="Reject…").click()
    panel.get_by_role("button", name="Reject", exact=True).click()
    expect(panel.get_by_text("the person rejected it").first).to_be_visible()
    assert shop.sent == sent
    page.evaluate("() => void addLate()")
    panel.get_by_role("tab", name="Start").click()
    expect(tools.get_by_role("button", name="late")).to_be_visible()
    page.evaluate("() => void declare('later', 'Still later', {}, [], () => '')")
    tools.get_by_role("button", name="Look again").click()
    expect(tools.get_by_role("listitem")).to_have_count(4)
    page.close()
    expect(tools).to_have_count(0)
    panel.close()
