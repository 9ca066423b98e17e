"""FAULT 21, in the first moments of a document: the gate of tabs that are acted on, looked at from outside."""

from __future__ import annotations

from pathlib import Path

from tests.faults.world import COUNTER, make_world
from tests.integration.users_browser import page_of


async def test_fault_21_new_documents_of_a_tab_that_is_acted_on_have_gates_and_open_them(
    tmp_path: Path,
) -> None:
    async with make_world(tmp_path) as world:
        kernel = world.kernel
        url = world.write("page", COUNTER)
        tab = await kernel.open(url)
        await kernel.ask("click", tab, ref=(await kernel.refs(tab))["Hit"])
        page = await page_of(world.devtools.contexts[0], lambda at: at == url)
        session = await page.context.new_cdp_session(page)
        worlds: list[str] = []
        session.on("Runtime.executionContextCreated", lambda event: worlds.append(event["context"]["name"]))
        await session.send("Runtime.enable")
        worlds.clear()
        await page.reload()
        refs = await kernel.refs(tab)
        assert "skillbook input blocker" in worlds
        await kernel.ask("click", tab, ref=refs["Hit"])
        assert await page.inner_text("#out") == "hit"
