"""FAULT 21, in the first moments of a document: input that was meant for the one before it does not reach it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.faults.world import COUNTER, World, make_world

pytestmark = pytest.mark.integration

# A script that keeps the page busy from the beginning: what comes meanwhile is handled right after it, input first.
BUSY = """<button style='position: fixed; inset: 0' onpointerdown='this.textContent += " pressed"'>Other</button>
<script>const until = performance.now() + 700; while (performance.now() < until);</script>"""


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with make_world(tmp_path) as world:
        yield world


async def test_fault_21_a_press_that_comes_before_the_content_script_is_kept_from_the_page(
    world: World,
) -> None:
    kernel = world.kernel
    first, second = world.write("first", COUNTER), world.write("second", BUSY)
    tab = await kernel.open(first)
    await kernel.ask("click", tab, ref=(await kernel.refs(tab))["Hit"])
    page = next(page for page in world.devtools.contexts[0].pages if page.url == first)
    await page.goto(second, wait_until="commit")
    await page.mouse.click(100, 100)
    await page.wait_for_load_state()
    refs = await kernel.refs(tab)
    assert list(refs) == ["Other"]
    await kernel.ask("click", tab, ref=refs["Other"])
    assert await page.inner_text("button") == "Other pressed"
