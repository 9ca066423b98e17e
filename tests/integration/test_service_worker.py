"""The extension's service worker in real Chromium: its death, pairing, several kernels, and presses that go astray."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser as Devtools
from playwright.async_api import Page as DevtoolsPage
from playwright.async_api import async_playwright

from skillbook.bridge.server import BridgeServer
from skillbook.config import load_settings
from skillbook.errors import ConnectionLost, DialogBlocked, NotActionable, PageClosed, StaleRef
from skillbook.launcher.extension import EXTENSION_ID
from skillbook.launcher.process import ChromiumProcess, launch_chromium
from skillbook.protocol.envelopes import Event, KernelInfo
from skillbook.testing.site import serve_folder

pytestmark = pytest.mark.integration


class Kernel:
    """A bare kernel: a bridge, and requests on it."""

    def __init__(self, name: str) -> None:
        self.server = BridgeServer(
            load_settings(), EXTENSION_ID, kernel=KernelInfo(id=name, name=name), allow_evaluate=True
        )
        self.events: list[Event] = []
        self.server.on_event(self.events.append)

    async def ask(self, command: str, tab: int | None = None, timeout: float = 15, **params: Any) -> Any:
        return await self.server.request(command, params, tab, timeout)

    async def open(self, url: str) -> int:
        return int((await self.ask("tabs_open", url=url))["tab"]["id"])

    async def refs(self, tab: int) -> dict[str, str]:
        """Refs by name, of all documents."""
        found: dict[str, str] = {}
        for tree in (await self.ask("snapshot", tab))["documents"]:
            prefix = f"f{tree['frame']}" if tree["frame"] else ""
            for number, name in zip(tree["number"], tree["name"], strict=True):
                if number and name:
                    found.setdefault(name, f"{prefix}e{number}")
        return found


class World:
    """A launched browser with its kernel, looked at from outside through DevTools."""

    def __init__(self, kernel: Kernel, devtools: Devtools, folder: Path, site: str) -> None:
        self.kernel = kernel
        self.devtools = devtools
        self._folder = folder
        self._site = site

    def write(self, name: str, html: str) -> str:
        text = f"<!doctype html><title>{name}</title>{html}"
        (self._folder / f"{name}.html").write_text(text, encoding="utf-8")
        return f"{self._site.rstrip('/')}/{name}.html"

    async def kill_worker(self) -> None:
        session = await self.devtools.new_browser_cdp_session()
        for target in (await session.send("Target.getTargets"))["targetInfos"]:
            if target["type"] == "service_worker":
                await session.send("Target.closeTarget", {"targetId": target["targetId"]})
        await until(lambda: self.kernel.server.status.state != "connected")

    async def wake_worker(self) -> None:
        """A tab that opens is an event, for which the browser starts the worker."""
        page = await self.devtools.contexts[0].new_page()
        await self.kernel.server.connected(30)
        await page.close()

    async def follow_link(self, link: str) -> DevtoolsPage:
        """Open a pairing link; the page that asks the user is the answer."""
        context = self.devtools.contexts[0]
        page = await context.new_page()
        async with context.expect_page() as opened:
            await page.goto(link)
        confirm = await opened.value
        await confirm.get_by_role("button", name="Pair").wait_for()
        return confirm


async def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in another process
            await asyncio.sleep(0.01)


@asynccontextmanager
async def devtools_of(process: ChromiumProcess) -> AsyncIterator[Devtools]:
    told = process.profile.user_data_dir / "DevToolsActivePort"
    await until(lambda: told.exists() and "\n" in told.read_text())
    port = told.read_text().splitlines()[0]
    async with async_playwright() as playwright:
        devtools = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        # A listener keeps Playwright from answering the page's dialogs itself.
        devtools.contexts[0].on("dialog", lambda _: None)
        yield devtools


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    kernel = Kernel("launcher")
    await kernel.server.start()
    info = kernel.server.kernel
    process = await asyncio.to_thread(
        launch_chromium,
        port=kernel.server.port,
        token=kernel.server.token,
        kernel_id=info.id,
        kernel_name=info.name,
        args=("--remote-debugging-port=0",),
    )
    try:
        await kernel.server.connected(30)
        with serve_folder(tmp_path) as site:
            async with devtools_of(process) as devtools:
                yield World(kernel, devtools, tmp_path, site.url)
    finally:
        await kernel.server.close()
        await asyncio.to_thread(process.terminate)


@pytest_asyncio.fixture
async def second() -> AsyncIterator[Kernel]:
    kernel = Kernel("analysis.ipynb")
    await kernel.server.start()
    yield kernel
    await kernel.server.close()


COUNTER = "<button onclick=\"out.textContent += ' hit'\">Hit</button><p id=out></p>"
FRAMED = "<iframe srcdoc=\"<button onclick='this.textContent=1'>Inside</button>\"></iframe>"


async def test_fault_11_12_a_killed_worker_loses_nothing_but_what_was_under_way(world: World) -> None:
    kernel = world.kernel
    tab = await kernel.open(world.write("page", COUNTER + FRAMED))
    refs = await kernel.refs(tab)
    await kernel.ask("click", tab, ref=refs["Hit"])
    waiting = asyncio.create_task(kernel.ask("wait_for", tab, url="never"))
    await until(lambda: not waiting.done())
    await world.kill_worker()
    with pytest.raises(ConnectionLost):
        await waiting
    await world.wake_worker()
    assert kernel.server.status.resumed
    outcome = await kernel.ask("click", tab, ref=refs["Hit"])
    assert outcome["input"] == "trusted"
    assert (await kernel.ask("click", tab, ref=refs["Inside"]))["changed"]
    assert (await kernel.refs(tab))["Hit"] == refs["Hit"]
    text = await kernel.ask("evaluate", tab, expression="out.textContent")
    assert text["value"] == " hit hit"


async def test_fault_13_a_frame_that_leaves_for_another_program(world: World) -> None:
    kernel = world.kernel
    button = "<button onclick=\"inner.src = 'customscheme://x'\">Leave</button><iframe id=inner></iframe>"
    tab = await kernel.open(world.write("leave", button + COUNTER))
    refs = await kernel.refs(tab)
    await kernel.ask("click", tab, ref=refs["Leave"])
    assert (await kernel.ask("screenshot", tab))["data"]
    assert (await kernel.ask("click", tab, ref=refs["Hit"]))["input"] == "trusted"


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
    async with confirm.expect_event("close"):
        await confirm.get_by_role("button", name="Pair").click()
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
    async with confirm.expect_event("close"):
        await confirm.get_by_role("button", name="Cancel").click()
    await page.wait_for_function("document.documentElement.dataset.skillbook === 'declined'")
    assert second.server.status.state == "waiting"


async def test_a_kernels_goodbye_unshares_its_tabs(world: World, second: Kernel) -> None:
    confirm = await world.follow_link(second.server.pairing_link())
    await confirm.get_by_role("button", name="Pair").click()
    await second.server.connected(10)
    await second.open(world.write("theirs", COUNTER))
    await second.server.close()
    popup = await world.devtools.contexts[0].new_page()
    await popup.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
    theirs = popup.get_by_role("region", name="analysis.ipynb")
    await theirs.get_by_text("ended").wait_for()
    await theirs.get_by_text("sees no tab").wait_for()
