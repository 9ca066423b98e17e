"""The faults, each brought about from outside as it would come by itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from playwright.async_api import Browser as Devtools
from playwright.async_api import CDPSession, async_playwright
from playwright.async_api import Error as DevtoolsError

import skillbook as sb
from skillbook.io_thread import io

BLOCKED_SECONDS = 1.0


class Faults:
    """What can go wrong with one browser and its kernel.

    Parameters
    ----------
    browser : the browser under test.
    session : a DevTools session with the whole browser, to do what no command can.
    """

    def __init__(self, browser: sb.aio.Browser, session: CDPSession) -> None:
        self._browser = browser
        self._session = session
        self.kinds: dict[str, Callable[[sb.aio.Page], Awaitable[None]]] = {
            "worker killed": self.kill_worker,
            "socket cut": self.cut_socket,
            "tab crashed": self.crash_tab,
            "page navigated": self.navigate,
            "kernel blocked": self.block_kernel,
        }

    async def kill_worker(self, _: sb.aio.Page) -> None:
        """End the extension's service worker."""
        for target in await self._targets():
            if target["type"] == "service_worker":
                await self._session.send("Target.closeTarget", {"targetId": target["targetId"]})

    async def cut_socket(self, _: sb.aio.Page) -> None:
        """Break the connection without a goodbye."""

        async def cut() -> None:
            for peer in list(self._browser.driver.server._peers.values()):
                peer._socket.transport.abort()

        await io.wait(cut())

    async def crash_tab(self, page: sb.aio.Page) -> None:
        """Crash the page's process."""
        for target in await self._targets():
            if target["type"] == "page" and target["url"] == page.url:
                attached = await self._session.send(
                    "Target.attachToTarget", {"targetId": target["targetId"], "flatten": False}
                )
                with suppress(DevtoolsError):
                    await self._session.send(
                        "Target.sendMessageToTarget",
                        {"sessionId": attached["sessionId"], "message": '{"id":1,"method":"Page.crash"}'},
                    )
                return

    async def navigate(self, page: sb.aio.Page) -> None:
        """Have the page leave for itself, behind everybody's back."""
        for target in await self._targets():
            if target["type"] == "page" and target["url"] == page.url:
                attached = await self._session.send(
                    "Target.attachToTarget", {"targetId": target["targetId"], "flatten": False}
                )
                ids = {"sessionId": attached["sessionId"]}
                await self._session.send(
                    "Target.sendMessageToTarget", {**ids, "message": '{"id":1,"method":"Page.reload"}'}
                )
                await self._session.send("Target.detachFromTarget", ids)
                return

    async def block_kernel(self, _: sb.aio.Page) -> None:
        """Block the kernel's thread for the connection, as a long call into C does."""

        async def block() -> None:
            time.sleep(BLOCKED_SECONDS)  # noqa: ASYNC251 - that is the fault

        await io.wait(block())

    async def _targets(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = (await self._session.send("Target.getTargets"))["targetInfos"]
        return found


@asynccontextmanager
async def devtools_of(browser: sb.aio.Browser) -> AsyncIterator[tuple[Devtools, CDPSession]]:
    """DevTools of a browser that was launched with `--remote-debugging-port=0`."""
    process = browser.driver.process
    assert process is not None
    port_file = Path(process.profile.user_data_dir) / "DevToolsActivePort"
    async with asyncio.timeout(20):
        while not (port_file.exists() and "\n" in port_file.read_text()):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.05)
    port = port_file.read_text().splitlines()[0]
    async with async_playwright() as playwright:
        devtools = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        yield devtools, await devtools.new_browser_cdp_session()
