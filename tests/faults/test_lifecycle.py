"""FAULTS 10 to 16: the worker, the connection and the pages come and go."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from skillbook.bridge.server import BridgeServer
from skillbook.config import load_settings
from skillbook.errors import ConnectionLost, PageUnreachable
from skillbook.launcher.process import launch_chromium
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.protocol.envelopes import KernelInfo
from tests.faults.attack.site import serve_attack
from tests.faults.world import COUNTER, FRAMED, World, make_world, until


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with make_world(tmp_path) as world:
        yield world


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_fault_10_after_ten_idle_minutes_a_command_works(world: World) -> None:
    tab = await world.kernel.open(world.write("page", COUNTER))
    refs = await world.kernel.refs(tab)
    session = world.kernel.server.status.session
    await asyncio.sleep(600)  # being idle is what is tested
    began = time.monotonic()
    await world.kernel.ask("click", tab, ref=refs["Hit"])
    assert time.monotonic() - began < 5
    assert world.kernel.server.status.session == session
    assert (await world.kernel.ask("evaluate", tab, expression="out.textContent"))["value"] == " hit"


async def test_fault_12_a_killed_worker_loses_nothing_but_what_was_under_way(world: World) -> None:
    kernel = world.kernel
    tab = await kernel.open(world.write("field", "<input aria-label=Note>" + COUNTER + FRAMED))
    refs = await kernel.refs(tab)
    await kernel.ask("click", tab, ref=refs["Hit"])
    note = refs["Note"]
    typing = asyncio.create_task(kernel.ask("type", tab, ref=note, text="abcdefghij", delay_ms=100))
    waiting = asyncio.create_task(
        kernel.ask("wait_for", tab, function="out.textContent === ' hit hit'", timeout=30)
    )
    typed = "document.querySelector('input').value.length"
    async with asyncio.timeout(10):
        while not await _count(world, typed):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0)
    await world.kill_worker()
    with pytest.raises(ConnectionLost):
        await typing
    # The shared page itself brings the worker back.
    await kernel.server.connected(10)
    assert kernel.server.status.resumed
    outcome = await kernel.ask("click", tab, ref=refs["Hit"])
    assert outcome["input"] == "trusted"
    assert (await kernel.ask("click", tab, ref=refs["Inside"]))["changed"]
    assert (await kernel.refs(tab))["Hit"] == refs["Hit"]
    text = await kernel.ask("evaluate", tab, expression="out.textContent")
    assert text["value"] == " hit hit"
    # A read that was under way was asked again, and saw what came after.
    assert (await waiting)["elapsed_ms"] >= 0


async def test_fault_11_a_write_that_the_worker_died_under_is_not_repeated(world: World) -> None:
    kernel = world.kernel
    tab = await kernel.open(world.write("field", "<input aria-label=Note>"))
    note = (await kernel.refs(tab))["Note"]
    typing = asyncio.create_task(kernel.ask("type", tab, ref=note, text="abcdefghij", delay_ms=100))
    reading = "document.querySelector('input').value.length"
    async with asyncio.timeout(10):
        while not await _count(world, reading):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0)
    await world.kill_worker()
    with pytest.raises(ConnectionLost) as lost:
        await typing
    assert (lost.value.data["effect"], lost.value.data["sent"]) == ("write", True)
    await kernel.server.connected(10)
    typed = (await kernel.ask("get", tab, what="value", ref=note))["value"]
    assert typed
    assert "abcdefghij".startswith(typed)
    assert typed != "abcdefghij"


async def _count(world: World, expression: str) -> int:
    pages = [page for page in world.devtools.contexts[0].pages if page.url.endswith("/field.html")]
    # Playwright learns of a tab a moment later.
    return int(await pages[0].evaluate(expression)) if pages else 0


async def test_fault_13_a_frame_that_leaves_for_another_program(world: World) -> None:
    kernel = world.kernel
    button = "<button onclick=\"inner.src = 'customscheme://x'\">Leave</button><iframe id=inner></iframe>"
    tab = await kernel.open(world.write("leave", button + COUNTER))
    refs = await kernel.refs(tab)
    await kernel.ask("click", tab, ref=refs["Leave"])
    assert (await kernel.ask("screenshot", tab))["data"]
    refused = None
    try:
        assert (await kernel.ask("click", tab, ref=refs["Hit"]))["input"] == "trusted"
    except PageUnreachable as error:
        refused = error
    # The browser may ask whether to open the program, in a dialog of its own that keeps input from the page.
    assert refused is None or refused.data["reason"] == "kept_by_browser"
    hits = "" if refused else " hit"
    assert (await kernel.ask("evaluate", tab, expression="out.textContent"))["value"] == hits


@pytest.mark.soak
@pytest.mark.timeout(240)
async def test_fault_14_a_kernel_gone_for_long_gets_its_tabs_debuggers_detached(world: World) -> None:
    kernel = world.kernel
    tab = await kernel.open(world.write("page", COUNTER))
    await kernel.ask("click", tab, ref=(await kernel.refs(tab))["Hit"])
    attached = (
        f"(async () => (await chrome.debugger.getTargets()).some(t => t.tabId === {tab} && t.attached))()"
    )
    # The DevTools that look on are attached as well; only ours ends the wait.
    own = f"chrome.debugger.sendCommand({{tabId: {tab}}}, 'Page.enable').then(() => true, () => false)"
    assert await world.in_worker(attached)
    assert await world.in_worker(own)
    kernel.server._server.close(close_connections=False)
    for peer in list(kernel.server._peers.values()):
        peer._socket.transport.abort()
    async with asyncio.timeout(60):
        while await world.in_worker(own):  # noqa: ASYNC110 - another process
            await asyncio.sleep(1)


async def test_fault_15_a_reloaded_extension_replaces_the_scripts_of_the_earlier_one(world: World) -> None:
    kernel = world.kernel
    tab = await kernel.open(world.write("page", COUNTER))
    await kernel.ask("click", tab, ref=(await kernel.refs(tab))["Hit"])
    session = kernel.server.status.session
    page = await world.devtools.contexts[0].new_page()
    await page.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
    await page.evaluate("setTimeout(() => chrome.runtime.reload())")
    await until(
        lambda: kernel.server.status.state == "connected" and kernel.server.status.session != session, 30
    )
    # A reloaded extension has forgotten what was shared: the user shares it again.
    assert (await kernel.ask("tabs_list"))["tabs"] == []
    popup = await world.devtools.contexts[0].new_page()
    await popup.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
    front = next(each for each in popup.context.pages if each.url.endswith("/page.html"))
    await front.bring_to_front()
    await popup.get_by_role("region", name="This tab").get_by_role("button", name="Share this tab").click()
    await until(lambda: any(event.event == "tab_opened" for event in kernel.events))
    await kernel.ask("click", tab, ref=(await kernel.refs(tab))["Hit"])
    assert (await kernel.ask("get", tab, what="text", ref=(await kernel.refs(tab))["Hit"]))["value"] == "Hit"
    text = await kernel.ask("evaluate", tab, expression="out.textContent")
    assert text["value"] == " hit hit"


async def test_fault_16_a_server_that_starts_after_the_browser_is_found(tmp_path: Path) -> None:
    info = KernelInfo(id="late", name="late")
    first = BridgeServer(load_settings(), EXTENSION_ID, kernel=info)
    await first.start()
    port, token = first.port, first.token
    await first.close()
    process = await asyncio.to_thread(
        launch_chromium, port=port, token=token, kernel_id=info.id, kernel_name=info.name
    )
    server = BridgeServer(load_settings(), EXTENSION_ID, kernel=info, token=token, port=port)
    try:
        # The browser is up, and has been turned away at least once, when its profile is written.
        async with asyncio.timeout(30):
            while not (process.profile.user_data_dir / "Default" / "Preferences").exists():  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        await server.start()
        assert (await server.connected(30)).state == "connected"
    finally:
        await server.close()
        await asyncio.to_thread(process.terminate)


@pytest.mark.parametrize(
    ("verdict", "frame"),
    [
        ("allow", "the page"),
        ("allow", "a frame of another site"),
        ("block", "the page"),
        ("let go", "a frame of another site"),
    ],
)
async def test_fault_33_a_request_that_waits_when_the_worker_is_killed_still_waits(
    world: World, frame: str, verdict: str
) -> None:
    kernel = world.kernel
    with serve_attack() as site:
        far = site.url.replace("127.0.0.1", "localhost")
        send = f"fetch('{site.url}/write/x', {{method: 'POST', mode: 'no-cors'}})"
        button = f'<button onclick="{send}">Send</button>'
        site.app.pages["/frame"] = button
        inner = f"<iframe src='{far}/frame'></iframe>"
        tab = await kernel.open(world.write("field", button if frame == "the page" else inner))
        await kernel.ask(
            "pause_requests", tab, on=True, words=["delete"], new_tab_words=[], secret_origins=None
        )
        await kernel.ask("click", tab, ref=(await kernel.refs(tab))["Send"])
        await until(lambda: any(event.event == "request_paused" for event in kernel.events))
        id = next(event for event in kernel.events if event.event == "request_paused").data["id"]
        assert await kernel.ask("release_request", tab, id=id, verdict="ask") == {"released": True}
        await world.kill_worker()
        # The shared page itself brings the worker back.
        await kernel.server.connected(10)
        await kernel.ask("snapshot", tab)
        assert site.app.arrived == []
        if verdict == "let go":
            await kernel.ask("pause_requests", tab, on=False)
        else:
            # A frame's session ends with the worker, so that what waited there is blocked at once.
            released = await kernel.ask("release_request", tab, id=id, verdict=verdict)
            assert released == {"released": frame == "the page"}
        if verdict == "allow" and frame == "the page":
            await until(lambda: site.app.arrived == ["POST /write/x"])
            return
        await kernel.ask("page_settled", tab, budget_ms=5_000)
        assert site.app.arrived == []
