"""FAULTS 11 and 16 with the socket between a real browser and its kernel cut, and silent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from skillbook.errors import ConnectionLost
from skillbook.launcher.profile import EXTENSION_ID
from tests.faults.world import COUNTER, World, make_world, until
from tests.integration.users_browser import page_of
from tests.relay import Relay


@pytest_asyncio.fixture
async def relay() -> AsyncIterator[Relay]:
    async with Relay(0) as relay:
        yield relay


@pytest_asyncio.fixture
async def world(tmp_path: Path, relay: Relay, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    monkeypatch.setenv("SKILLBOOK_HEARTBEAT_SECONDS", "1")
    async with make_world(tmp_path, relay) as world:
        yield world


async def typed(world: World) -> str:
    page = await page_of(world.devtools.contexts[0], lambda at: at.endswith("/field.html"))
    return str(await page.evaluate("document.querySelector('input').value"))


async def test_fault_11_a_cut_repeats_the_read_and_not_the_write(world: World, relay: Relay) -> None:
    kernel = world.kernel
    tab = await kernel.open(world.write("field", "<input aria-label=Note>" + COUNTER))
    refs = await kernel.refs(tab)
    writing = asyncio.create_task(kernel.ask("type", tab, ref=refs["Note"], text="abcdefghij", delay_ms=100))
    reading = asyncio.create_task(
        kernel.ask("wait_for", tab, function="out.textContent === ' hit'", timeout=30)
    )
    async with asyncio.timeout(10):
        while not await typed(world):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0)
    relay.cut()
    with pytest.raises(ConnectionLost) as lost:
        await writing
    assert (lost.value.data["effect"], lost.value.data["sent"]) == ("write", True)
    assert not reading.done()
    await kernel.server.connected(30)
    assert kernel.server.status.resumed
    await kernel.ask("click", tab, ref=refs["Hit"])
    assert (await reading)["elapsed_ms"] >= 0
    value = (await kernel.ask("get", tab, what="value", ref=refs["Note"]))["value"]
    assert 0 < len(value) < 10
    assert "abcdefghij".startswith(value)


async def test_a_half_open_socket_is_noticed_by_both_sides(world: World, relay: Relay) -> None:
    kernel = world.kernel
    tab = await kernel.open(world.write("field", "<input aria-label=Note>" + COUNTER))
    refs = await kernel.refs(tab)
    popup = await world.devtools.contexts[0].new_page()
    await popup.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
    region = popup.get_by_role("region", name="launcher")
    await region.get_by_text("connected", exact=False).first.wait_for()
    dialled = relay.connections
    relay.stall()
    await until(lambda: kernel.server.status.state == "lost", 6)
    assert "silent" in str(kernel.server.status.last_error)
    # The other side gives it up as well, and dials again, into the same silence.
    await until(lambda: relay.connections > dialled, 25)
    await region.get_by_text("fell silent").wait_for()
    assert kernel.server.status.state == "lost"
    relay.resume()
    await kernel.server.connected(30)
    assert kernel.server.status.resumed
    await region.get_by_text("connected", exact=False).first.wait_for()
    assert (await kernel.ask("click", tab, ref=refs["Hit"]))["changed"]
