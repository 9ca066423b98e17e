"""Kernels on other computers: behind a proxy with TLS and a path prefix, behind jupyter-server-proxy, in a tunnel."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext

import skillbook as sb
from skillbook.errors import NotAllowed
from skillbook.testing.site import serve_site
from tests.integration.test_connect import links
from tests.integration.users_browser import answer, open_own_browser, open_popup, pair, until
from tests.relay import Relay, make_tls

__all__ = ["links"]
PREFIX = "/user/me/proxy"


async def pair_by_popup(context: BrowserContext, link: str, address: str) -> None:
    """What a user does on a pairing page from elsewhere, which the extension leaves alone by itself."""
    page = await context.new_page()
    popup = await open_popup(context)
    await page.bring_to_front()
    asked: list[object] = []
    context.on("page", lambda other: asked.append(other))
    await page.goto(link)
    await popup.get_by_text(address).wait_for()
    assert asked == [], "a page from elsewhere asked by itself"
    async with context.expect_page(lambda other: "confirm" in other.url) as opened:
        await popup.get_by_role("button", name="Pair with this page").click()
    confirm = await opened.value
    await confirm.get_by_text(f"{address} (elsewhere)").wait_for()
    await answer(confirm, "Pair")


async def use(browser: sb.aio.Browser) -> None:
    """Open, read, act."""
    with serve_site("shop") as shop:
        page = await browser.open(shop.url)
        await page.fill("searchbox 'Search products'", "lamp")
        outcome = await page.click("button 'Search'")
        assert outcome.changed
        assert "lamp" in (await page.snapshot()).text().lower()
        await page.close()


async def test_a_kernel_behind_a_proxy_with_tls_and_a_prefix(tmp_path: Path, links: list[str]) -> None:
    browser = await sb.aio.connect(
        public_url="https://hub.test/user/me/proxy/{port}/", name="far.ipynb", wait=False
    )
    port = browser.driver.server.port
    async with Relay(port, prefix=f"{PREFIX}/{port}", tls=make_tls(tmp_path, "hub.test")) as proxy:
        rules = f"--host-resolver-rules=MAP hub.test:443 127.0.0.1:{proxy.port}"
        async with open_own_browser(tmp_path / "profile", rules, "--ignore-certificate-errors") as own:
            assert links[0].startswith(f"https://hub.test{PREFIX}/{port}/skillbook/pair?code=")
            await pair_by_popup(own, links[0], f"hub.test{PREFIX}/{port}")
            await until(lambda: browser.status.state == "connected", "the browser did not dial in")
            await use(browser)
            popup = await open_popup(own)
            await popup.get_by_role("region", name="far.ipynb").get_by_text(f"hub.test{PREFIX}").wait_for()
            proxy.cut()
            await until(lambda: browser.status.state == "lost", "the cut was not noticed")
            await until(lambda: browser.status.state == "connected", "it did not come back", 30)
            assert browser.status.resumed
            with pytest.raises(NotAllowed):
                await browser.open(f"https://hub.test{PREFIX}/{port}/skillbook/pair")
    await browser.close()


async def test_a_tunnel_to_another_port(tmp_path: Path, links: list[str]) -> None:
    async with Relay(0) as tunnel:
        public = f"http://127.0.0.1:{tunnel.port}"
        browser = await sb.aio.connect(public_url=public, wait=False)
        tunnel.target = browser.driver.server.port
        async with open_own_browser(tmp_path / "profile") as own:
            await pair(own, links[0])
            await until(lambda: browser.status.state == "connected", "the browser did not dial in")
            await use(browser)
        await browser.close()


@asynccontextmanager
async def jupyter_server(folder: Path, token: str) -> AsyncIterator[int]:
    """A Jupyter Server with jupyter-server-proxy, as it comes; the answer is its port."""
    config = {
        "ServerApp": {
            "jpserver_extensions": {"jupyter_server_proxy": True},
            "root_dir": str(folder),
        },
        "IdentityProvider": {"token": token},
    }
    (folder / "jupyter_server_config.json").write_text(json.dumps(config), encoding="utf-8")
    runtime = folder / "runtime"
    env = os.environ | {"JUPYTER_CONFIG_DIR": str(folder), "JUPYTER_RUNTIME_DIR": str(runtime)}
    options = ("--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "jupyter_server", *options, env=env, stderr=(folder / "log").open("wb")
    )
    try:
        told: list[Path] = []
        await until(lambda: bool(told or told.extend(runtime.glob("jpserver-*.json"))), "no server", 30)
        await until(lambda: bool(told[0].read_text()), "no server", 30)
        yield int(json.loads(told[0].read_text())["port"])
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.more
async def test_a_kernel_behind_jupyter_server_proxy(tmp_path: Path, links: list[str]) -> None:
    if importlib.util.find_spec("jupyter_server_proxy") is None:
        pytest.skip("jupyter-server-proxy isn't installed")
    token = secrets.token_hex(16)
    async with jupyter_server(tmp_path, token) as jupyter:
        public = f"http://127.0.0.1:{jupyter}/proxy/{{port}}?token={token}"
        browser = await sb.aio.connect(public_url=public, wait=False)
        async with open_own_browser(tmp_path / "profile") as own:
            signing_in = await own.new_page()
            await signing_in.goto(f"http://127.0.0.1:{jupyter}/?token={token}")
            port = browser.driver.server.port
            assert token not in links[0]
            await pair_by_popup(own, links[0], f"127.0.0.1:{jupyter}/proxy/{port}")
            await until(lambda: browser.status.state == "connected", "the browser did not dial in")
            await use(browser)
        await browser.close()
