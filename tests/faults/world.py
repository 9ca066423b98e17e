"""A launched browser with a bare kernel, looked at from outside through DevTools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser as Devtools
from playwright.async_api import Page as DevtoolsPage
from playwright.async_api import async_playwright

from skillbook.bridge.server import BridgeServer
from skillbook.config import load_settings
from skillbook.launcher.process import ChromiumProcess, launch_chromium
from skillbook.launcher.profile import EXTENSION_ID
from skillbook.protocol.envelopes import Event, KernelInfo, RequestBody
from skillbook.testing.site import serve_folder
from tests.relay import Relay


class Kernel:
    """A bare kernel: a bridge, and requests on it."""

    def __init__(self, name: str, public_url: str | None = None) -> None:
        self.server = BridgeServer(
            load_settings(),
            EXTENSION_ID,
            kernel=KernelInfo(id=name, name=name),
            allow_evaluate=True,
            public_url=public_url,
        )
        self.events: list[Event] = []
        self.server.on_event(self.events.append)

    async def ask(self, command: str, tab: int | None = None, timeout: float = 15, **params: Any) -> Any:
        return await self.server.request(RequestBody(command=command, params=params, tab=tab), timeout)

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

    async def in_worker(self, expression: str) -> Any:
        """Evaluate an expression in a page of the extension's own."""
        page = await self.devtools.contexts[0].new_page()
        await page.goto(f"chrome-extension://{EXTENSION_ID}/popup.html")
        try:
            return await page.evaluate(expression)
        finally:
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


@asynccontextmanager
async def make_world(folder: Path, relay: Relay | None = None) -> AsyncIterator[World]:
    """Launch a browser that serves and shows the files of a folder, and dials its kernel through a relay if given."""
    kernel = Kernel("launcher", f"http://127.0.0.1:{relay.port}" if relay else None)
    await kernel.server.start()
    if relay is not None:
        relay.target = kernel.server.port
    info = kernel.server.kernel
    process = await asyncio.to_thread(
        launch_chromium,
        port=relay.port if relay else kernel.server.port,
        token=kernel.server.token,
        kernel_id=info.id,
        kernel_name=info.name,
        args=("--remote-debugging-port=0",),
    )
    try:
        await kernel.server.connected(30)
        with serve_folder(folder) as site:
            async with devtools_of(process) as devtools:
                yield World(kernel, devtools, folder, site.url)
    finally:
        await kernel.server.close()
        await asyncio.to_thread(process.terminate)


COUNTER = "<button onclick=\"out.textContent += ' hit'\">Hit</button><p id=out></p>"
FRAMED = "<iframe srcdoc=\"<button onclick='this.textContent=1'>Inside</button>\"></iframe>"
