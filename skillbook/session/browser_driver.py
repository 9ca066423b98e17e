"""A browser as the I/O thread sees it: its connection, its shared tabs, its gateway."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from skillbook.bridge.server import BridgeServer
from skillbook.bridge.status import BridgeStatus
from skillbook.config import Settings
from skillbook.errors import InvalidParams, PageClosed, SkillbookError
from skillbook.hooks import hooks
from skillbook.journal import Journal
from skillbook.launcher.process import ChromiumProcess
from skillbook.policy import Call, Policy, RuleBook, SecretStore
from skillbook.policy.rules import Actor
from skillbook.policy.urls import screen_url
from skillbook.protocol.commands.tabs import Tab
from skillbook.protocol.envelopes import Event
from skillbook.protocol.events import EVENTS, DialogOpened, Stop, TabClosed, TabOpened, TabUpdated
from skillbook.session.gateway import Gateway
from skillbook.session.page.dialogs import DialogRule
from skillbook.session.page_driver import PageDriver

_log = logging.getLogger("skillbook.session")

PageListener = Callable[[PageDriver, str], None]


class BrowserDriver:
    """A paired extension.

    Parameters
    ----------
    server : the bridge, started.
    settings : the settings in force.
    policy, journal, secrets : what the gateway works with.
    process : the Chromium that we started, if we did.
    allow_evaluate : whether JavaScript may be run in pages.
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
        self.server = server
        self.settings = settings
        self.process = process
        self.allow_evaluate = allow_evaluate
        self.journal = journal
        rules = RuleBook(settings.home / "rules.json")
        from skillbook.policy.robots import Robots

        robots = Robots() if settings.robots else None
        self.gateway = Gateway(server, policy, journal, secrets, rules, robots)
        self.pages: dict[int, PageDriver] = {}
        self.listeners: list[PageListener] = []
        self.dialog_rule: DialogRule = "ask"
        self._closed = False
        self._front: int | None = None
        self._refreshing: asyncio.Task[object] | None = None
        server.on_event(self._on_event)
        server.on_status(self._on_status)

    @property
    def active(self) -> PageDriver | None:
        """The page in front, else the one opened last."""
        pages = list(self.pages.values())
        in_front = [page for page in pages if page.tab.active]
        # Each window has a tab in front: then the one that came there last.
        in_front.sort(key=lambda page: page.tab.id == self._front)
        found = in_front or pages
        return found[-1] if found else None

    def page(self, tab: int) -> PageDriver:
        """The page of a tab.

        Raises
        ------
        PageClosed : there is no such shared tab.
        """
        if tab not in self.pages:
            raise PageClosed(f"there is no shared tab {tab}", hint="see browser.pages")
        return self.pages[tab]

    async def open(
        self, url: str, *, wait: str = "load", active: bool = True, timeout: float | None = None
    ) -> PageDriver:
        """Open a URL in a new tab of this kernel's tab group."""
        wanted = screen_url(url)
        call = Call("tabs_open", destination=wanted)
        params = {"url": wanted, "wait": wait, "active": active}
        data = await self.gateway.run(
            call, params, tab=None, timeout=timeout or self.settings.command_timeout
        )
        page = self._adopt(Tab.model_validate(data["tab"]))
        page.shared_by = "kernel"
        self.gateway.policy.allow_landing(wanted, page.url)
        return page

    async def refresh_tabs(self) -> list[PageDriver]:
        """Ask the extension for the shared tabs."""
        data = await self.gateway.run(Call("tabs_list"), {}, tab=None)
        tabs = [Tab.model_validate(tab) for tab in data["tabs"]]
        for tab in tabs:
            self._adopt(tab)
        for gone in self.pages.keys() - {tab.id for tab in tabs}:
            self._drop(gone, "closed")
        return list(self.pages.values())

    async def close_page(self, page: PageDriver, *, actor: Actor = "person", run: str | None = None) -> None:
        """Close a page's tab."""
        await page.run("tabs_close", actor=actor, run=run)
        self._drop(page.tab.id, "closed")

    async def switch_to(self, page: PageDriver) -> None:
        """Bring a page's tab to the front."""
        data = await page.run("tabs_switch")
        for other in self.pages.values():
            other.updated(other.tab.model_copy(update={"active": other is page}))
        page.updated(Tab.model_validate(data["tab"]))

    async def stop(self) -> int:
        """Stop what is under way: commands, replays, runs; returns how many commands were cut short."""
        return self.gateway.stopping.stop()

    async def unpair(self) -> None:
        """Revoke the pairing: the extension forgets the token and takes its tabs back."""
        if self.process is not None:
            raise InvalidParams("this browser was launched here", hint="browser.close() ends it")
        for tab in list(self.pages):
            self._drop(tab, "unpaired")
        await self.server.unpair()

    async def pair(self, *, wait: bool, timeout: float | None) -> None:
        """Show a new pairing link."""
        hooks.pair_link(self.server.pairing_link(), self.server.kernel.name)
        if wait:
            await self.server.connected(timeout or 10 * self.settings.connect_timeout)

    async def close(self) -> None:
        """Stop what is under way, say goodbye to the extension, end a browser that we started, close the journal."""
        if self._closed:
            return
        self._closed = True
        self.gateway.stopping.stop()
        for tab in list(self.pages):
            self._drop(tab, "browser closed")
        await self.server.close()
        if self.process is not None:
            await asyncio.to_thread(self.process.terminate)
        self.journal.close()

    def _adopt(self, tab: Tab) -> PageDriver:
        page = self.pages.get(tab.id)
        if tab.active and not (page and page.tab.active):
            self._front = tab.id
        if page is None:
            page = self.pages[tab.id] = PageDriver(self, tab)
            self._announce(page, "opened")
        page.updated(tab)
        return page

    def _drop(self, tab: int, reason: str) -> None:
        page = self.pages.pop(tab, None)
        if page is not None:
            page.closed = reason
            self._announce(page, "closed")

    def _announce(self, page: PageDriver, what: str) -> None:
        for listener in list(self.listeners):
            listener(page, what)

    def _on_event(self, event: Event) -> None:
        model = EVENTS.get(event.event)
        if model is None:
            return
        data: Any = model.model_validate(event.data)
        if isinstance(data, TabOpened | TabUpdated):
            page = self._adopt(data.tab)
            if isinstance(data, TabOpened):
                page.shared_by = data.shared_by
                if data.shared_by == "user":
                    self._trust(page)
            self._announce(page, "updated")
        elif isinstance(data, TabClosed) and event.tab is not None:
            self._drop(event.tab, data.reason)
        elif isinstance(data, DialogOpened) and event.tab in self.pages:
            self.pages[event.tab].dialogs.opened(data)
        elif isinstance(data, Stop):
            self.gateway.stopping.stop()

    def _on_status(self, status: BridgeStatus) -> None:
        """After a connection that forgot or missed something, the list of tabs is asked for again."""
        if status.state == "connected" and self.pages and (not status.resumed or status.missed_events):
            self._refreshing = asyncio.ensure_future(self._refresh_quietly())

    async def _refresh_quietly(self) -> None:
        try:
            await self.refresh_tabs()
        except SkillbookError as error:
            _log.warning("the tabs could not be listed after a reconnect: %s", error)

    def _trust(self, page: PageDriver) -> None:
        """The user shared this tab by hand: that allows its origin."""
        self.gateway.policy.allow_landing(page.url, page.url)

    def __repr__(self) -> str:
        return f"<BrowserDriver {self.server.status.state}, {len(self.pages)} pages>"


def require_driver(thing: Any) -> PageDriver:
    """The driver of a Page of either twin, or the driver itself.

    Raises
    ------
    InvalidParams : it is no page.
    """
    driver = getattr(thing, "driver", thing)
    if not isinstance(driver, PageDriver):
        raise InvalidParams(f"{thing!r} isn't a page", hint="give what browser.open(url) returns")
    return driver
