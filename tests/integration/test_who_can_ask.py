"""Only the extension's pages ask a kernel: no web page, no content script, no other extension, no stranger's socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page, Worker
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

import skillbook as sb
from skillbook.launcher.profile import EXTENSION_ID, extension_path
from skillbook.serving.service import Service
from skillbook.testing.site import Site, serve_site
from tests.integration.users_browser import open_own_browser, pair, until

PANEL = f"chrome-extension://{EXTENSION_ID}/sidepanel.html"
ASK = """async ([kernel, name, params]) => {
  const port = chrome.runtime.connect({ name: "ui" });
  return new Promise((resolve) => {
    port.onDisconnect.addListener(() => resolve({ refused: true }));
    port.onMessage.addListener((message) => message.ui === "answer" && resolve(message));
    port.postMessage({ ui: "ask", id: 1, kernel, name, params });
  });
}"""
SHARE = (
    """([kernel, tab]) => chrome.runtime.connect({ name: "ui" }).postMessage({ ui: "share", kernel, tab })"""
)
FROM_OUTSIDE = """async ([id, kernel]) => {
  const tries = [];
  if (globalThis.chrome?.runtime?.connect) {
    tries.push(new Promise((resolve) => {
      try {
        const port = chrome.runtime.connect(id, { name: "ui" });
        port.onMessage.addListener((message) => resolve(JSON.stringify(message)));
        port.onDisconnect.addListener(() => resolve("refused"));
        port.postMessage({ ui: "ask", id: 1, kernel, name: "about", params: {} });
      } catch (error) { resolve("refused"); }
    }));
    tries.push(new Promise((resolve) => {
      try {
        chrome.runtime.sendMessage(id, { ui: "ask", id: 1, kernel, name: "about", params: {} }, (answer) =>
          resolve(chrome.runtime.lastError || answer === undefined ? "refused" : JSON.stringify(answer)));
      } catch (error) { resolve("refused"); }
    }));
  }
  return Promise.all(tries);
}"""


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site("shop") as site:
        yield site


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    for name in ("SKILLBOOK_MODEL", "SKILLBOOK_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with sb.serve(wait=False) as service:
        yield service


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """Another extension, with every right that it can have."""
    folder = tmp_path / "stranger"
    folder.mkdir()
    manifest = {
        "manifest_version": 3,
        "name": "stranger",
        "version": "1",
        "background": {"service_worker": "worker.js"},
        "permissions": ["tabs", "scripting"],
        "host_permissions": ["<all_urls>"],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "worker.js").write_text("self.isStranger = true;")
    return folder


async def stranger_of(context: BrowserContext) -> Worker:
    """The other extension's worker."""
    for _ in range(200):
        for worker in context.service_workers:
            if EXTENSION_ID not in worker.url:
                return worker
        await asyncio.sleep(0.1)
    raise AssertionError("the other extension never started")


async def in_content_script(page: Page, code: str) -> Any:
    """What code gives in the world of our content script in a page."""
    session = await page.context.new_cdp_session(page)
    worlds: list[int] = []

    def note(event: dict[str, Any]) -> None:
        if EXTENSION_ID in event["context"]["origin"]:
            worlds.append(event["context"]["id"])

    session.on("Runtime.executionContextCreated", note)
    await session.send("Runtime.enable")
    await until(lambda: bool(worlds), "the content script")
    given = {"expression": code, "contextId": worlds[-1], "awaitPromise": True, "returnByValue": True}
    return (await session.send("Runtime.evaluate", given))["result"].get("value")


async def in_content_script_of_pairing(context: BrowserContext, service: Service, code: str) -> Any:
    """What code gives in the world of our content script on a pairing page."""
    page = await context.new_page()
    await page.goto(service.pair_link())
    return await in_content_script(page, code)


async def try_from_elsewhere(context: BrowserContext, page: Page, service: Service, shop: Site) -> None:
    """Ask from everywhere but the panel: each is refused."""
    kernel = service.browser.driver.server.kernel.id
    assert set(await page.evaluate(FROM_OUTSIDE, [EXTENSION_ID, kernel])) <= {"refused"}
    await page.evaluate(
        "(kernel) => window.postMessage({ ui: 'ask', id: 1, kernel, name: 'about', params: {} }, '*')",
        kernel,
    )
    worker = await stranger_of(context)
    assert await worker.evaluate(FROM_OUTSIDE, [EXTENSION_ID, kernel]) == ["refused", "refused"]
    mine = f"({FROM_OUTSIDE})({json.dumps([EXTENSION_ID, kernel])})"
    assert set(await in_content_script(page, mine)) == {"refused"}
    framed = await page.evaluate(
        """(url) => new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.onload = () => resolve(frame.contentDocument === null ? "foreign" : "blank");
          frame.src = url; document.body.append(frame);
        })""",
        PANEL,
    )
    frames = [frame for frame in page.frames if frame.url.startswith(PANEL)]
    assert framed
    for frame in frames:
        assert not await frame.locator("button").count()
    socket = await page.evaluate(
        """(port) => new Promise((resolve) => {
          const socket = new WebSocket(`ws://127.0.0.1:${port}/skillbook/bridge`);
          socket.onopen = () => resolve("open"); socket.onerror = () => resolve("refused");
        })""",
        service.port,
    )
    assert socket == "refused"
    with pytest.raises(InvalidStatus):
        await connect(f"ws://127.0.0.1:{service.port}/skillbook/bridge", origin=shop.url)  # type: ignore[arg-type]
    forged = connect(
        f"ws://127.0.0.1:{service.port}/skillbook/bridge",
        origin=f"chrome-extension://{EXTENSION_ID}",  # type: ignore[arg-type]
    )
    async with forged as stranger_socket:
        await stranger_socket.send(json.dumps({"v": 1, "type": "ask", "id": 1, "name": "about"}))
        assert json.loads(await stranger_socket.recv())["type"] == "refused"


async def test_the_panel_asks_and_nobody_else_can(
    service: Service, stranger: Path, shop: Site, tmp_path: Path
) -> None:
    both = f"{extension_path()},{stranger}"
    kernel = service.browser.driver.server.kernel.id
    asked: list[str] = []
    server = service.browser.driver.server
    answer = server._asks.answer
    assert answer is not None

    async def noting(name: str, params: dict[str, Any]) -> Any:
        asked.append(name)
        return await answer(name, params)

    server.answer_with(noting)
    args = (f"--load-extension={both}", f"--disable-extensions-except={both}")
    async with open_own_browser(tmp_path / "profile", *args) as context:
        await pair(context, service.pair_link())
        await until(lambda: service.connected, "the connection")
        page = await context.new_page()
        await page.goto(shop.url)
        panel = await context.new_page()
        await panel.goto(PANEL)
        about = await panel.evaluate(ASK, [kernel, "about", {}])
        assert about["result"]["name"] == tmp_path.name
        tab = await panel.evaluate("async (url) => (await chrome.tabs.query({ url }))[0].id", f"{shop.url}/*")
        alone = await panel.evaluate(ASK, [kernel, "run_goal", {"tab": tab, "goal": "Search for lamp"}])
        assert (alone["error"]["code"], alone["error"]["hint"]) == ("page_closed", "share this tab first")
        await panel.evaluate(SHARE, [kernel, tab])
        await until(lambda: tab in service.browser.driver.pages, "the shared tab")
        skills = await panel.evaluate(ASK, [kernel, "list_skills", {"tab": tab}])
        assert skills["result"]["skills"][0]["why"]
        started = await panel.evaluate(
            ASK, [kernel, "run_skill", {"tab": tab, "name": "search", "inputs": {"query": "lamp"}}]
        )
        run = started["result"]["run"]

        async def state() -> str:
            view = (await panel.evaluate(ASK, [kernel, "show_run", {"run": run}]))["result"]
            assert view["state"] != "failed", view["error"]
            return str(view["state"])

        for _ in range(400):
            if await state() == "succeeded":
                break
            await asyncio.sleep(0.05)
        assert "q=lamp" in page.url
        unknown = await panel.evaluate(ASK, [kernel, "evaluate", {}])
        assert "there is no ask" in unknown["error"]["message"]
        gone = await panel.evaluate(ASK, ["another", "about", {}])
        assert (gone["error"]["code"], gone["error"]["hint"]) == ("not_connected", "pair it again")

        await panel.close()
        asked.clear()
        await try_from_elsewhere(context, page, service, shop)
        assert asked == []
        panel = await context.new_page()
        await panel.goto(PANEL)
        assert (await panel.evaluate(ASK, [kernel, "about", {}]))["result"]
        assert "about" in asked


@pytest.mark.more
async def test_a_paired_browser_is_paired_again_after_it_was_closed(
    service: Service, shop: Site, tmp_path: Path
) -> None:
    async with open_own_browser(tmp_path / "profile") as context:
        await pair(context, service.pair_link())
        await until(lambda: service.connected, "the connection")
        page = await context.new_page()
        await page.goto(shop.url)
        stored = "chrome.storage.local.get().then((all) => JSON.stringify(all), (error) => 'refused')"
        assert await in_content_script_of_pairing(context, service, stored) == "refused"
    await until(lambda: not service.connected, "the end of the browser")
    async with open_own_browser(tmp_path / "profile"):
        await until(lambda: service.connected, "the same browser, without a click")
