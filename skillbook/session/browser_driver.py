"""A browser as the I/O thread sees it: the connection to its extension, what it reports, which are open."""

from __future__ import annotations

import asyncio
import logging
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any
from weakref import WeakMethod

from skillbook.bridge.conversation import BridgeStatus
from skillbook.bridge.server import BridgeServer
from skillbook.config import Settings
from skillbook.errors import BrowserEnded, InvalidParams, SkillbookError
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.journal import Journal
from skillbook.launcher.process import ChromiumProcess
from skillbook.limits import ENDING_SECONDS
from skillbook.policy import Policy, SecretStore
from skillbook.policy.urls import origin_of, screen_url
from skillbook.protocol.commands.tabs import Tab
from skillbook.protocol.envelopes import Event
from skillbook.protocol.events import (
    EVENTS,
    DebuggerDetached,
    DialogOpened,
    ExchangeRecorded,
    Gesture,
    PersonInput,
    RequestFailed,
    RequestLogged,
    RequestWanted,
    Stop,
    TabClosed,
    TabOpened,
    TabUpdated,
)
from skillbook.session.gateway import Gateway
from skillbook.session.page.held_requests import RequestEvent
from skillbook.session.page.network_driver import CassetteTabs
from skillbook.session.page.page_reader import UNSHARED
from skillbook.session.page_driver import PageDriver
from skillbook.session.rule_book import RuleBook
from skillbook.session.saved_state import SavedState
from skillbook.session.shared_tabs import SharedTabs
from skillbook.session.state_keeping import fill_session, keep_profile

_log = logging.getLogger("skillbook.session")


def _weak(method: Callable[[Any], object]) -> Callable[[Any], None]:
    """A callback that doesn't keep its object alive."""
    found = WeakMethod(method)

    def call(given: Any) -> None:
        if (alive := found()) is not None:
            alive(given)

    return call


def _watch(
    process: ChromiumProcess,
    ended: Callable[[ChromiumProcess], None],
    loop: asyncio.AbstractEventLoop,
) -> None:
    process.wait_exit()
    with suppress(RuntimeError):  # the loop is closed: the kernel ends
        loop.call_soon_threadsafe(ended, process)


class BrowserDriver(SharedTabs[PageDriver]):
    """A paired extension.

    server: the bridge, started.
    policy, journal, secrets: what the gateway works with.
    process: the Chromium that we started, if we did.
    allow_evaluate: whether JavaScript may be run in pages.
    """

    def __init__(
        self,
        server: BridgeServer,
        settings: Settings,
        policy: Policy,
        journal: Journal,
        secrets: SecretStore,
        process: ChromiumProcess | None = None,
        allow_evaluate: bool = False,
    ) -> None:
        from skillbook.session.out_of_bounds import Robots

        robots = Robots() if settings.robots else None
        rules = RuleBook(settings.home / "rules.json")
        gateway = Gateway(server, policy, journal, secrets, rules, robots)
        super().__init__(gateway, settings, allow_evaluate, CassetteTabs(server), process)
        self.server = server
        self._refreshing: asyncio.Task[object] | None = None
        self.started = time.time()
        self.comes_back = (
            False  # whether another process goes on with its pairing, so that nobody says goodbye
        )
        self.relaunch_options: dict[str, Any] = {}
        self.kept_cookies: Path | None = None  # where the cookies of a profile go when it is closed
        self.brought: SavedState | None = None
        self.signed_in: dict[str, str] = {}  # by which state, by the origin
        self.session_storage: dict[str, dict[str, str]] = {}  # what new tabs of an origin begin with
        self.answer_options: dict[str, Any] = {}
        self.asked_at = float("-inf")  # when the side panel requested something last, monotonic
        self.answers: Any = None  # what an upper layer answers to the side panel, see `hooks.browser_opened`
        # The server outlives nobody: a browser that nothing else refers to is closed, see `open_browsers`.
        server.on_event(_weak(self._on_event))
        server.on_status(_weak(self._on_status))
        self.watch_process()

    def new_page(self, tab: Tab) -> PageDriver:
        """The page of a tab that was just shared."""
        page = PageDriver(self, tab)
        if page.keeps_gestures:
            io.submit(page.keep_gestures())
        return page

    def watch_process(self) -> None:
        """Have every call fail at once from the moment on when a browser that we started ends."""
        if self.process is not None:
            ended, loop = _weak(self._on_ended), asyncio.get_running_loop()
            Thread(
                target=_watch, args=(self.process, ended, loop), name="skillbook-browser", daemon=True
            ).start()

    async def require_running(self) -> None:
        """See that the browser that we started still runs; a connection that just dropped is given a moment.

        Raises BrowserEnded: it has ended.
        """
        process = self.process
        # How long a browser may take to end after its connection has.
        if process is not None and await asyncio.to_thread(process.wait_exit, ENDING_SECONDS) is not None:
            raise BrowserEnded(f"the browser has ended ({process.ending})")

    def _on_ended(self, process: ChromiumProcess) -> None:
        if process is self.process and not self.gateway.closed:
            self.server.browser_ended(f"the browser has ended ({process.ending})")

    async def open(
        self,
        url: str,
        *,
        wait: str = "load",
        active: bool = True,
        timeout: float | None = None,
        observe: frozenset[str] = frozenset(),
    ) -> PageDriver:
        """Open a URL in a new tab, with the session storage that a state brought for its origin."""
        wanted = screen_url(url)
        origin = origin_of(wanted)
        if origin is None or origin not in self.session_storage:
            return await super().open(url, wait=wait, active=active, timeout=timeout, observe=observe)
        page = await super().open("about:blank", active=active, timeout=timeout, observe=observe)
        await fill_session(self, page.tab.id, origin)
        await page.act("goto", url=wanted, wait=wait, timeout=timeout)
        return page

    async def stop(self) -> int:
        """Stop what is under way: commands, replays, runs; returns how many commands were cut short."""
        return self.gateway.stopping.stop()

    async def unpair(self) -> None:
        """Revoke the pairing: the extension forgets the token and takes its tabs back."""
        if self.process is not None:
            raise InvalidParams("this browser was launched here", hint="browser.close() ends it")
        for tab in list(self.pages):
            self.drop(tab, "unpaired")
        await self.server.unpair()

    async def pair(self, *, wait: bool, timeout: float | None) -> None:
        """Show a new pairing link."""
        hooks.pair_link(self.server.pairing_link(), self.server.kernel.name)
        if wait:
            await self.server.connected(10 * self.settings.connect_timeout if timeout is None else timeout)

    async def close(self) -> None:
        """Stop what is under way, say goodbye to the extension, end a browser that we started, close the journal."""
        if self.gateway.closed:
            return
        self.gateway.closed = True
        self.gateway.stopping.stop()
        await keep_profile(self)
        for tab in list(self.pages):
            self.drop(tab, "browser closed")
        await (self.server.close(None) if self.comes_back else self.server.close())
        if self.process is not None:
            await asyncio.to_thread(self.process.terminate)
        self.journal.close()

    def _on_event(self, event: Event) -> None:
        model = EVENTS.get(event.event)
        if model is None:
            return
        # What a held request carries is compared with the secrets; all else shows none.
        masked = (
            event.data
            if issubclass(model, RequestEvent | RequestWanted | ExchangeRecorded)
            else self.gateway.secrets.redact_data(event.data)
        )
        data: Any = model.model_validate(masked)
        if isinstance(data, TabOpened | TabClosed):
            for each in self.pages.values():
                each.requests.windows_changed()
        if isinstance(data, TabOpened | TabUpdated):
            page = self.adopt(data.tab)
            if isinstance(data, TabOpened):
                page.shared_by, page.opener = data.shared_by, data.opener
                if (opener := self.pages.get(data.opener or -1)) is not None:
                    page.requests.follow(opener.requests)
                    page.observe(opener.observed)
                    self.cassettes.add(data.tab.id, opener.tab.id)
                if data.shared_by == "user":
                    # Who shares a tab by hand allows its origin.
                    self.gateway.policy.allow_landing(page.url, page.url)
            self.announce(page, "updated")
        elif isinstance(data, TabClosed) and event.tab is not None:
            self.drop(event.tab, data.reason)
        elif isinstance(data, DialogOpened) and event.tab in self.pages:
            self.pages[event.tab].dialogs.opened(data)
        elif isinstance(data, Gesture) and event.tab in self.pages:
            if (listener := self.pages[event.tab].on_gesture) is None:
                self.pages[event.tab].note_gesture(data)
            else:
                self.pages[event.tab].person_acted()
                listener(data)
        elif isinstance(data, PersonInput) and event.tab in self.pages:
            self.pages[event.tab].person_acted()
        elif isinstance(data, RequestEvent) and event.tab in self.pages:
            if isinstance(data, DebuggerDetached) and data.reason == "canceled_by_user":
                self.pages[event.tab].network.ended()
                self.pages[event.tab].emulation.ended()
            self.pages[event.tab].requests.take(data)
        elif isinstance(data, RequestFailed) and event.tab in self.pages:
            self.pages[event.tab].acts.take(data, self.pages[event.tab].url)
        elif isinstance(data, RequestLogged) and event.tab in self.pages:
            self.pages[event.tab].network.take(data)
        elif isinstance(data, RequestWanted | ExchangeRecorded) and event.tab is not None:
            self.cassettes.take(event.tab, data)
        elif isinstance(data, Stop):
            self.gateway.stopping.stop()

    def _on_status(self, status: BridgeStatus) -> None:
        """After a connection that forgot or missed something, request the list of tabs again."""
        if status.state != "connected":
            for page in self.pages.values():
                page.requests.lost()
        if status.state == "connected":
            for page in self.pages.values():
                page.network.lost()
                page.emulation.lost()
        if status.state == "connected" and self.pages and (not status.resumed or status.missed_events):
            # An extension that was reloaded has forgotten which tabs were shared; they are still there.
            reason = "closed" if status.resumed else UNSHARED
            self._refreshing = asyncio.ensure_future(self._refresh_quietly(reason))

    async def _refresh_quietly(self, reason: str) -> None:
        try:
            await self.refresh_tabs(reason=reason)
        except SkillbookError as error:
            _log.warning("the tabs could not be listed after a reconnect: %s", error)

    def __repr__(self) -> str:
        return f"<BrowserDriver {self.server.status.state}, {len(self.pages)} pages>"


Cell = tuple[object, object]
"""Which cell of a notebook starts a browser, and which run of it."""

_open: weakref.WeakSet[BrowserDriver] = weakref.WeakSet()
_cells: weakref.WeakKeyDictionary[BrowserDriver, Cell] = weakref.WeakKeyDictionary()


def open_drivers() -> list[BrowserDriver]:
    """Those that are open, the oldest first."""
    return sorted((each for each in list(_open) if not each.gateway.closed), key=lambda each: each.started)


def note_driver(driver: BrowserDriver, cell: Cell | None) -> None:
    """Know a browser that was just started, and close it once nothing refers to it any more."""
    _open.add(driver)
    if cell is not None:
        _cells[driver] = cell
    ending = weakref.finalize(driver, _close_rest, driver.server, driver.process, driver.journal)
    if hooks.browser_opened is not None:
        hooks.browser_opened(driver)
    ending.atexit = False  # a browser ends with its process anyway, see `launcher.process`


def note_process(driver: BrowserDriver, process: ChromiumProcess) -> None:
    """End a browser that was relaunched once nothing refers to it any more."""
    weakref.finalize(driver, _end_process, process).atexit = False


async def close_former(cell: Cell | None) -> None:
    """Close what an earlier run of this cell started; what the same run started stays, as in a loop."""
    if cell is None:
        return
    place, run = cell
    for driver in open_drivers():
        if (former := _cells.get(driver)) is not None and former[0] == place and former[1] != run:
            await driver.close()


def _close_rest(server: BridgeServer, process: ChromiumProcess | None, journal: Journal) -> None:
    # On whichever thread collects garbage, which must not wait.
    async def close() -> None:
        await server.close()
        with suppress(RuntimeError):  # the process ends, and a browser ends with it
            if process is not None:
                await asyncio.to_thread(process.terminate)
        journal.close()

    with suppress(RuntimeError):
        io.call_soon(lambda: _closing.add(asyncio.ensure_future(close())))


def _end_process(process: ChromiumProcess) -> None:
    with suppress(RuntimeError):
        io.call_soon(lambda: _closing.add(asyncio.ensure_future(asyncio.to_thread(process.terminate))))


_closing: set[asyncio.Future[None]] = set()
