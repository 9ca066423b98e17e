"""The extension's service worker in real Chromium: pairing, several kernels, and presses that go astray."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from skillbook.errors import DialogBlocked, NotActionable, PageClosed, StaleRef
from skillbook.launcher.profile import EXTENSION_ID
from tests.faults.world import COUNTER, FRAMED, Kernel, World, make_world, until
from tests.integration.users_browser import answer


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with make_world(tmp_path) as world:
        yield world


@pytest_asyncio.fixture
async def second() -> AsyncIterator[Kernel]:
    kernel = Kernel("analysis.ipynb")
    await kernel.server.start()
    yield kernel
    await kernel.server.close()


TRAPS = {
    "an overlay that comes with the mouse": (
        "<button onmouseenter=\"cover.style.display = 'block'\" onclick=\"log('WRONG')\">Go</button>"
        "<div id=cover style='display:none;position:fixed;inset:0' onclick=\"log('WRONG')\""
        " onpointerdown=\"log('WRONG')\"></div>",
        NotActionable,
    ),
    "another element in its place when the mouse comes": (
        "<button id=go onmousemove=\"const other = go.cloneNode(true); other.onclick = () => log('WRONG');"
        'go.replaceWith(other)">Go</button>',
        StaleRef,
    ),
    "an overlay over the frame": (
        "<div style='position:relative'><iframe srcdoc=\"<button onclick='parent.log(1)'>Go</button>\"></iframe>"
        "<div style='position:absolute;inset:0' onclick=\"log('WRONG')\"></div></div>",
        NotActionable,
    ),
}


@pytest.mark.parametrize("trap", TRAPS)
async def test_fault_21_a_press_never_lands_on_something_else(world: World, trap: str) -> None:
    html, error = TRAPS[trap]
    script = "<script>const seen = []; function log(what) { seen.push(what); }</script>"
    tab = await world.kernel.open(world.write("trap", script + html))
    refs = await world.kernel.refs(tab)
    with pytest.raises(error):
        await world.kernel.ask("click", tab, timeout=2, ref=refs["Go"])
    assert (await world.kernel.ask("evaluate", tab, expression="seen"))["value"] == []


async def test_a_listener_of_the_page_that_stops_the_press_gets_it_once(world: World) -> None:
    stop = "<script>addEventListener('pointerdown', e => e.stopImmediatePropagation(), true)</script>"
    tab = await world.kernel.open(world.write("stop", stop + COUNTER))
    await world.kernel.ask("click", tab, ref=(await world.kernel.refs(tab))["Hit"])
    assert (await world.kernel.ask("evaluate", tab, expression="out.textContent"))["value"] == " hit"


async def test_a_question_before_leaving_holds_the_navigation_until_it_is_answered(world: World) -> None:
    kernel = world.kernel
    tab = await kernel.open(
        world.write("stay", "<input aria-label=Note><script>onbeforeunload = () => 1</script>")
    )
    await kernel.ask("type", tab, ref=(await kernel.refs(tab))["Note"], text="unsaved")
    target = world.write("target", "there")
    with pytest.raises(DialogBlocked):
        await kernel.ask("goto", tab, url=target)
    outcome = await kernel.ask("handle_dialog", tab, accept=True)
    assert (outcome["navigated"], outcome["url"]) == (True, target)


@pytest.mark.parametrize("cycle", range(3))
async def test_submitting_a_form_is_seen_as_the_navigation_that_it_is(world: World, cycle: int) -> None:
    kernel = world.kernel
    form = "<form action=target.html><input name=q aria-label=Query><button>Search</button></form>"
    world.write("target", "there")
    tab = await kernel.open(world.write("form", form))
    outcome = await kernel.ask("click", tab, ref=(await kernel.refs(tab))["Search"])
    assert outcome["navigated"]
    assert outcome["url"].endswith("target.html?q=")
    await kernel.ask("back", tab)
    outcome = await kernel.ask("press", tab, key="Enter", ref=(await kernel.refs(tab))["Query"])
    assert outcome["navigated"]


async def test_frames_of_a_page_that_comes_back_are_there_again(world: World) -> None:
    kernel = world.kernel
    tab = await kernel.open(world.write("first", FRAMED))
    before = await kernel.refs(tab)
    await kernel.ask("goto", tab, url=world.write("next", "next"))
    await kernel.ask("back", tab)
    after = await kernel.refs(tab)
    assert "Inside" in after
    if before["Inside"] == after["Inside"]:
        assert (await kernel.ask("click", tab, ref=before["Inside"]))["changed"]


async def test_pairing_takes_one_click_and_shows_only_shared_tabs(world: World, second: Kernel) -> None:
    tab = await world.kernel.open(world.write("page", COUNTER))
    confirm = await world.follow_link(second.server.pairing_link())
    assert await confirm.get_by_text(f"port {second.server.port}").count() == 1
    await answer(confirm, "Pair")
    await second.server.connected(10)
    assert await second.ask("tabs_list") == {"tabs": []}
    with pytest.raises(PageClosed):
        await second.ask("snapshot", tab)
    assert [each["id"] for each in (await world.kernel.ask("tabs_list"))["tabs"]] == [tab]

    popup = await world.devtools.contexts[0].new_page()
    await popup.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
    front = next(page for page in popup.context.pages if page.url.endswith("/page.html"))
    await front.bring_to_front()
    mine = popup.get_by_role("region", name="This tab")
    await mine.get_by_text("shared with launcher").wait_for()
    await mine.get_by_role("button", name="Stop sharing").click()
    await until(lambda: world.kernel.events[-1].event == "tab_closed")
    assert world.kernel.events[-1].data == {"reason": "unshared"}
    await mine.get_by_role("button", name="Share this tab").nth(1).click()
    await until(lambda: any(event.event == "tab_opened" for event in second.events))
    assert second.events[0].data["shared_by"] == "user"
    assert (await second.ask("click", tab, ref=(await second.refs(tab))["Hit"]))["changed"]


async def test_a_declined_pairing_gives_no_connection(world: World, second: Kernel) -> None:
    confirm = await world.follow_link(second.server.pairing_link())
    page = next(page for page in confirm.context.pages if "/skillbook/pair" in page.url)
    await answer(confirm, "Cancel")
    await page.wait_for_function("document.documentElement.dataset.skillbook === 'declined'")
    assert second.server.status.state == "waiting"


async def test_a_kernels_goodbye_unshares_its_tabs(world: World, second: Kernel) -> None:
    confirm = await world.follow_link(second.server.pairing_link())
    await answer(confirm, "Pair")
    await second.server.connected(10)
    await second.open(world.write("theirs", COUNTER))
    await second.server.close()
    popup = await world.devtools.contexts[0].new_page()
    await popup.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
    theirs = popup.get_by_role("region", name="analysis.ipynb")
    await theirs.get_by_text("ended").wait_for()
    await theirs.get_by_text("sees no tab").wait_for()


async def test_a_tab_dragged_into_the_group_is_shared_and_dragged_out_is_not(world: World) -> None:
    kernel = world.kernel
    first = await kernel.open(world.write("first", COUNTER))
    other = await world.devtools.contexts[0].new_page()
    await other.goto(world.write("other", COUNTER))
    # What dragging does in the tab strip, which a headless browser doesn't have.
    find = "const tab = (await chrome.tabs.query({})).find((each) => each.url.endsWith('/other.html'));"
    group = f"const {{ groupId }} = await chrome.tabs.get({first});"
    drag = "await chrome.tabs.group({ tabIds: tab.id, groupId }); return tab.id;"
    tab = await world.in_worker(f"(async () => {{ {find} {group} {drag} }})()")
    await until(lambda: any(event.event == "tab_opened" and event.tab == tab for event in kernel.events))
    assert next(event for event in kernel.events if event.tab == tab).data["shared_by"] == "user"
    assert (await kernel.ask("click", tab, ref=(await kernel.refs(tab))["Hit"]))["changed"]
    await world.in_worker(f"chrome.tabs.ungroup({tab})")
    await until(lambda: any(event.event == "tab_closed" and event.tab == tab for event in kernel.events))
    with pytest.raises(PageClosed):
        await kernel.ask("snapshot", tab)


async def test_a_page_that_opens_another_shares_it_and_says_so(world: World) -> None:
    kernel = world.kernel
    target = world.write("popup", COUNTER)
    opener = f"<button onclick=\"open('{target}', '', 'popup,width=400,height=300')\">Open</button>"
    tab = await kernel.open(world.write("opener", opener))
    outcome = await kernel.ask("click", tab, ref=(await kernel.refs(tab))["Open"])
    await until(lambda: any(event.event == "tab_opened" and event.tab != tab for event in kernel.events))
    event = next(event for event in kernel.events if event.event == "tab_opened" and event.tab != tab)
    assert (event.data["opener"], event.data["shared_by"]) == (tab, "page")
    assert outcome["opened_tabs"] == [event.tab]
    assert event.tab is not None
    assert (await kernel.ask("click", event.tab, ref=(await kernel.refs(event.tab))["Hit"]))["changed"]


async def test_a_token_that_the_user_revoked_in_the_popup_opens_nothing(world: World, second: Kernel) -> None:
    confirm = await world.follow_link(second.server.pairing_link())
    await answer(confirm, "Pair")
    await second.server.connected(10)
    tokens = "chrome.storage.session.get('pairings').then((found) => JSON.stringify(found))"
    assert second.server.token in await world.in_worker(tokens)
    assert second.server.token not in await world.in_worker("chrome.storage.local.get().then(JSON.stringify)")
    forget = "chrome.runtime.connect({ name: 'ui' }).postMessage({ ui: 'forget', kernel: 'analysis.ipynb' })"
    await world.in_worker(f"void {forget}")
    await until(lambda: second.server.status.state == "lost")
    assert second.server.token not in await world.in_worker(tokens)


@pytest.mark.parametrize(("command", "given"), [("fill", {"value": "Ann"}), ("type", {"text": "Ann"})])
async def test_a_text_goes_into_a_field_by_two_messages(
    world: World, command: str, given: dict[str, str]
) -> None:
    kernel = world.kernel
    tab = await kernel.open(world.write("form", "<input aria-label=Name>"))
    field = (await kernel.refs(tab))["Name"]
    await kernel.ask(command, tab, ref=field, **given)
    (worker,) = world.devtools.contexts[0].service_workers
    await worker.evaluate(
        """() => {
            globalThis.sent = [];
            const send = chrome.tabs.sendMessage.bind(chrome.tabs);
            chrome.tabs.sendMessage = (tab, request, ...rest) => {
                // Nobody waits for what announces an act.
                if (request.op !== "acts") sent.push(request.op);
                return send(tab, request, ...rest);
            };
        }"""
    )
    await kernel.ask(command, tab, ref=field, **given)
    assert await worker.evaluate("sent") == ["act", "unguard_keys"]
