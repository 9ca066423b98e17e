"""Starting: a bridge, a journal, a policy, and a browser that is launched or paired."""

from __future__ import annotations

import asyncio
import os
import secrets as tokens
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from skillbook.bridge.server import BridgeServer
from skillbook.config import Settings, load_settings
from skillbook.errors import InvalidParams, NotConnected
from skillbook.hooks import hooks
from skillbook.journal import Journal
from skillbook.launcher.process import ChromiumProcess, launch_chromium
from skillbook.launcher.profile import EXTENSION_ID, require_free
from skillbook.policy import Policy
from skillbook.policy.secrets import store
from skillbook.protocol.envelopes import KernelInfo
from skillbook.session.browser_driver import BrowserDriver, Cell, close_former, note_driver, note_process
from skillbook.session.out_of_bounds import NotebookServers
from skillbook.session.saved_state import SavedState
from skillbook.session.state_keeping import bring_state, keep_profile, use_profile


async def launch_driver(
    *,
    headless: bool | None = None,
    allow: Iterable[str] = (),
    allow_evaluate: bool = False,
    page_tools: bool = False,
    observe: frozenset[str] = frozenset(),
    input: Literal["trusted", "synthetic"] | None = None,
    effects: bool | None = None,
    executable: str | None = None,
    user_data_dir: str | None = None,
    args: Sequence[str] = (),
    window: tuple[int, int] = (1280, 800),
    port: int = 0,
    name: str | None = None,
    timeout: float | None = None,
    cell: Cell | None = None,
    state: SavedState | None = None,
) -> BrowserDriver:
    """Start Chromium with the extension and wait until it has dialled in; what `cell` started before is closed."""
    await close_former(cell)
    settings = load_settings()
    hidden = settings.headless if headless is None else headless
    settings = _chosen(settings, input, effects, default=not hidden)
    kernel = KernelInfo(id=tokens.token_hex(8), name=name or kernel_name())
    server = _server(settings, kernel, port=port, allow_evaluate=allow_evaluate)
    async with _started(server, settings) as journal:
        process = await _launched(
            server,
            kernel,
            settings.connect_timeout if timeout is None else timeout,
            headless=hidden,
            executable=executable or settings.chromium,
            user_data_dir=user_data_dir,
            args=with_page_tools(args) if page_tools else tuple(args),
            window=window,
        )
    driver = _driver(server, settings, journal, allow, process=process, allow_evaluate=allow_evaluate)
    driver.page_tools, driver.observed = page_tools, observe
    driver.relaunch_options = {
        "executable": executable, "user_data_dir": user_data_dir, "args": tuple(args), "window": window,
        "page_tools": page_tools,
    }  # fmt: skip
    note_driver(driver, cell)
    await _sign_in(driver, user_data_dir, state)
    return driver


async def relaunch_browser(driver: BrowserDriver, timeout: float | None = None) -> None:
    """Start the browser of a driver again, without its tabs; one that still runs is ended first.

    Raises InvalidParams: it wasn't started here. NotConnected : it was closed. LaunchError : it doesn't start.
    """
    former, options = driver.process, dict(driver.relaunch_options)
    if former is None:
        raise InvalidParams("this browser was not launched here", hint="start it yourself; it dials again")
    if driver.gateway.closed:
        raise NotConnected("the browser was closed", hint="start another with `sb.launch()`")
    await keep_profile(driver)
    driver.process = None
    driver.gateway.stopping.stop()
    for tab in list(driver.pages):
        driver.drop(tab, "the browser was relaunched")
    await asyncio.to_thread(former.terminate)
    driver.server.browser_ended("the browser is being relaunched")
    if options.pop("page_tools", False):
        options["args"] = with_page_tools(options["args"])
    seconds = driver.settings.connect_timeout if timeout is None else timeout
    driver.process = former
    driver.process = await _launched(
        driver.server, driver.server.kernel, seconds, headless=former.headless, **options
    )
    note_process(driver, driver.process)
    driver.watch_process()
    await _sign_in(driver, options.get("user_data_dir"), driver.brought)


async def connect_driver(
    *,
    allow: Iterable[str] = (),
    allow_evaluate: bool = False,
    page_tools: bool = False,
    observe: frozenset[str] = frozenset(),
    input: Literal["trusted", "synthetic"] | None = None,
    effects: bool | None = None,
    port: int = 0,
    public_url: str | None = None,
    name: str | None = None,
    wait: bool = True,
    timeout: float | None = None,
) -> BrowserDriver:
    """Offer a pairing link and wait until the user's own browser has dialled in."""
    settings = _chosen(load_settings(), input, effects, default=True)
    kernel = KernelInfo(id=tokens.token_hex(8), name=name or kernel_name())
    server = _server(
        settings,
        kernel,
        port=port,
        allow_evaluate=allow_evaluate,
        public_url=public_url or settings.public_url,
    )
    async with _started(server, settings) as journal:
        hooks.pair_link(server.pairing_link(), kernel.name)
        if wait:
            await server.connected(10 * settings.connect_timeout if timeout is None else timeout)
    driver = _driver(server, settings, journal, allow, allow_evaluate=allow_evaluate)
    driver.page_tools, driver.observed = page_tools, observe
    note_driver(driver, None)
    return driver


async def serve_driver(
    kernel: KernelInfo,
    token: str,
    *,
    port: int = 0,
    allow: Iterable[str] = (),
    launch: bool = False,
    headless: bool = False,
    user_data_dir: Path | None = None,
    page_tools: bool = False,
    timeout: float | None = None,
) -> BrowserDriver:
    """Open a bridge whose pairing outlives this process; waits for nobody but a browser that it launches.

    kernel, token: as they were in the process before, so that a paired browser finds them again.
    port: the port that such a browser dials; 0 takes a free one.
    allow: origins on which writes are allowed.
    user_data_dir: a profile to keep; a temporary one by default.
    page_tools: whether tools that pages declare are listed.
    """
    settings = _chosen(load_settings(), None, None, default=not headless)
    server = BridgeServer(settings, EXTENSION_ID, kernel=kernel, token=token, port=port, lasting=not launch)
    process: ChromiumProcess | None = None
    async with _started(server, settings) as journal:
        if launch:
            limit = settings.connect_timeout if timeout is None else timeout
            process = await _launched(
                server,
                kernel,
                limit,
                headless=headless,
                executable=settings.chromium,
                user_data_dir=user_data_dir,
                args=with_page_tools(()) if page_tools else (),
            )
    driver = _driver(server, settings, journal, allow, process=process, allow_evaluate=False)
    driver.comes_back, driver.page_tools = True, page_tools
    note_driver(driver, None)
    await _sign_in(driver, user_data_dir)
    return driver


async def _sign_in(
    driver: BrowserDriver, profile: str | Path | None, state: SavedState | None = None
) -> None:
    """Bring back what a profile or a state kept; a browser that doesn't take it is closed."""
    try:
        if profile is not None:
            await use_profile(driver, Path(profile))
        if state is not None:
            driver.brought = state
            await bring_state(driver, state)
    except BaseException:
        await driver.close()
        raise


def with_page_tools(args: Sequence[str]) -> tuple[str, ...]:
    """Command-line switches with the one that lets pages declare tools; Chromium heeds the last of its kind only."""
    switch = "--enable-features="
    features = [one.removeprefix(switch) for one in args if one.startswith(switch)]
    others = [one for one in args if not one.startswith(switch)]
    return (*others, switch + ",".join([*features, "WebMCP"]))


def kernel_name() -> str:
    """What the popup calls this kernel: the notebook's file name, else the folder's."""
    session = os.environ.get("JPY_SESSION_NAME", "")
    return Path(session).name or f"{Path.cwd().name} (Python {os.getpid()})"


def _chosen(
    settings: Settings, input: Literal["trusted", "synthetic"] | None, effects: bool | None, *, default: bool
) -> Settings:
    """The settings with what the caller chose; effects by default where somebody can see them."""
    shown = next((each for each in (effects, settings.effects) if each is not None), default)
    return settings.model_copy(update={"input": input or settings.input, "effects": shown})


def _server(
    settings: Settings,
    kernel: KernelInfo,
    *,
    port: int,
    allow_evaluate: bool,
    public_url: str | None = None,
) -> BridgeServer:
    return BridgeServer(
        settings, EXTENSION_ID, kernel=kernel, port=port, allow_evaluate=allow_evaluate, public_url=public_url
    )


def _driver(
    server: BridgeServer,
    settings: Settings,
    journal: Journal,
    allow: Iterable[str],
    *,
    process: ChromiumProcess | None = None,
    allow_evaluate: bool,
) -> BrowserDriver:
    # The bridge's own pages pair browsers: nothing on them is for agents. A proxy's origin runs code as well.
    bridge = {f"http://127.0.0.1:{server.port}"} | ({server.public.origin} if server.public else set())
    policy = Policy.of(allow, forbidden=bridge)
    policy.is_notebook_server = NotebookServers()
    return BrowserDriver(
        server, settings, policy, journal, store, process=process, allow_evaluate=allow_evaluate
    )


async def _ended(process: ChromiumProcess) -> None:
    """Wait until the browser ends, in short waits: a worker thread in a long one would hold up the kernel's exit."""
    while await asyncio.to_thread(process.wait_exit, 0.2) is None:
        pass


@asynccontextmanager
async def _started(server: BridgeServer, settings: Settings) -> AsyncIterator[Journal]:
    """Make the journal, without which nothing is driven, and start the server; a failure closes both again."""
    stamp, kernel = time.strftime("%Y%m%d-%H%M%S"), server.kernel.id
    journal = Journal(settings.home / "journals" / f"{stamp}-{kernel}.sqlite", kernel, store.redact_kept)
    try:
        await server.start()
        yield journal
    except BaseException:
        await server.close()
        journal.close()
        raise


async def _launched(
    server: BridgeServer, kernel: KernelInfo, timeout: float, **options: Any
) -> ChromiumProcess:
    """Start Chromium and wait until it has dialled in; one that doesn't is ended."""
    process = await asyncio.to_thread(
        launch_chromium,
        port=server.port,
        token=server.token,
        kernel_id=kernel.id,
        kernel_name=kernel.name,
        **options,
    )
    try:
        await _dialled_in(server, process, timeout)
    except BaseException:
        await asyncio.to_thread(process.terminate)
        raise
    return process


async def _dialled_in(server: BridgeServer, process: ChromiumProcess, timeout: float) -> None:
    connected = asyncio.ensure_future(server.connected(timeout))
    ended = asyncio.ensure_future(_ended(process))
    done, pending = await asyncio.wait({connected, ended}, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    if connected in done:
        connected.result()
        return
    require_free(process.profile.user_data_dir)  # another one was started at the same time
    raise process.failure("Chromium ended before it dialled in", quote=True)
