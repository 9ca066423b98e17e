"""The shared tabs of a browser, as pages: which there are, which is in front, opening and closing them."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from skillbook.config import Settings
from skillbook.errors import CommandTimeout, PageClosed, PageUnreachable
from skillbook.launcher.process import ChromiumProcess
from skillbook.limits import PEER_SECONDS, READ_SECONDS
from skillbook.policy import Call
from skillbook.policy.rules import Actor
from skillbook.policy.urls import screen_url
from skillbook.protocol.commands.tabs import Tab
from skillbook.session.action import PreparedAction, allow_landing
from skillbook.session.gateway import Gateway
from skillbook.session.page.held_requests import PageRequests
from skillbook.session.page.network_driver import CassetteTabs
from skillbook.session.page.page_reader import BaseBrowser, PageReader

P = TypeVar("P", bound=PageReader)
T = TypeVar("T")
_BLANK = ("", "about:blank")


class SharedTabs(BaseBrowser, ABC, Generic[P]):
    """The shared tabs of a browser, as pages: opened, brought to the front, closed.

    gateway, settings, allow_evaluate: see `BaseBrowser`.
    cassettes: which of the tabs a cassette records or answers for.
    process: the Chromium that we started, if we did.
    listeners: called with a page and "opened", "updated" or "closed".
    """

    def __init__(
        self,
        gateway: Gateway,
        settings: Settings,
        allow_evaluate: bool,
        cassettes: CassetteTabs,
        process: ChromiumProcess | None,
    ) -> None:
        super().__init__(gateway, settings, allow_evaluate)
        self.journal = gateway.journal
        self.cassettes = cassettes
        self.process = process
        self.pages: dict[int, P] = {}
        self.listeners: list[Callable[[P, str], None]] = []
        self._front: int | None = None

    @abstractmethod
    def new_page(self, tab: Tab) -> P:
        """The page of a tab that was just shared."""

    @property
    def active(self) -> P | None:
        """The page in front, else the one opened last."""
        pages = list(self.pages.values())
        in_front = [page for page in pages if page.tab.active]
        # Each window has a tab in front: then the one that came there last.
        in_front.sort(key=lambda page: page.tab.id == self._front)
        found = in_front or pages
        return found[-1] if found else None

    @property
    def has_window(self) -> bool:
        """Whether there is a window that a person can use: in every browser but those that were started without."""
        return self.process is None or not self.process.headless

    def requests_of(self, tab: int) -> PageRequests | None:
        """The paused requests of a shared tab; None where there is no such tab."""
        page = self.pages.get(tab)
        return page.requests if page is not None else None

    def page(self, tab: int) -> P:
        """The page of a tab.

        Raises PageClosed: there is no such shared tab.
        """
        if tab not in self.pages:
            raise PageClosed(f"there is no shared tab {tab}", hint="see browser.pages")
        return self.pages[tab]

    async def open(
        self,
        url: str,
        *,
        wait: str = "load",
        active: bool = True,
        timeout: float | None = None,
        observe: frozenset[str] = frozenset(),
    ) -> P:
        """Open a URL in a new tab of this kernel's tab group."""
        wanted = screen_url(url)
        observed = self.observed | observe
        params: dict[str, Any] = {"url": wanted, "wait": wait, "active": active, **self.cassettes.mode()}
        if "network" in observed:
            params["watch_bytes"] = self.settings.network_bytes
        action = PreparedAction(Call("tabs_open", destination=wanted), params, timeout=timeout)
        try:
            data = await self.gateway.run(action)
        except PageUnreachable as error:
            raise self.cassettes.explain(wanted, error) from None
        page = self.adopt(Tab.model_validate(data["tab"]))
        page.shared_by = "kernel"
        page.untouched = True
        page.observe(observed)
        self.cassettes.add(page.tab.id)
        if self.cassettes.of(page.tab.id) is not None:
            await page.settled("rest")
        allow_landing(self.gateway.policy, wanted, page.url)
        return page

    def opened_by(self, page: P) -> P | None:
        """The tab that the last action on a page opened, the newest of several; None so far."""
        new = [each for tab, each in self.pages.items() if tab not in page.tabs_before]
        return next((each for each in reversed(new) if each.opener == page.tab.id), None)

    async def popup(self, page: P, timeout: float | None = None) -> P:
        """Wait for the tab that the last action on a page opened, until it has loaded.

        Raises CommandTimeout: it opened none in time, or the tab doesn't finish loading. PageClosed : the tab has gone
            again.
        """
        page.require_open()
        seconds = READ_SECONDS if timeout is None else timeout
        found = await self._until(lambda: self.opened_by(page), seconds)
        if found is None:
            raise CommandTimeout(
                f"the last action on this page opened no tab within {seconds:g} s",
                url=page.url,
                hint="call page.popup() right after the action that opens a tab; browser.pages lists all of them",
            )
        loading = self.settings.command_timeout
        # Before a tab goes anywhere its address is empty, or about:blank if the page sends it on later.
        # How long a new tab may stay blank before that counts as what it shows.
        await self._until(lambda: found.closed or found.url not in _BLANK, PEER_SECONDS)
        if not await self._until(
            lambda: found.closed or (found.url and found.tab.status == "complete"), loading
        ):
            raise CommandTimeout(f"the new tab was still loading after {loading:g} s", url=found.url)
        found.require_open()
        return found

    async def _until(self, condition: Callable[[], T], seconds: float) -> T:
        """What a condition gives once it holds; it is looked at whenever something happens to a tab, and at the end."""
        happened = asyncio.Event()

        def note(*_: object) -> None:
            happened.set()

        self.listeners.append(note)
        try:
            async with asyncio.timeout(seconds):
                while not (found := condition()):
                    await happened.wait()
                    happened.clear()
            return found
        except TimeoutError:
            return condition()
        finally:
            self.listeners.remove(note)

    async def refresh_tabs(self, *, reason: str = "closed") -> list[P]:
        """Query the extension for the shared tabs. `reason` is why a page isn't among them."""
        data = await self.gateway.run(PreparedAction(Call("tabs_list")))
        tabs = [Tab.model_validate(tab) for tab in data["tabs"]]
        for tab in tabs:
            self.adopt(tab)
        for gone in self.pages.keys() - {tab.id for tab in tabs}:
            self.drop(gone, reason)
        return list(self.pages.values())

    async def close_page(self, page: P, *, actor: Actor = "person", run: str | None = None) -> None:
        """Close a page's tab; nothing where it is closed already."""
        if page.closed:
            return
        await page.run("tabs_close", actor=actor, run=run)
        self.drop(page.tab.id, "closed")

    async def switch_to(self, page: P) -> None:
        """Bring a page's tab to the front."""
        data = await page.run("tabs_switch")
        for other in self.pages.values():
            other.updated(other.tab.model_copy(update={"active": other is page}))
        page.updated(Tab.model_validate(data["tab"]))

    def adopt(self, tab: Tab) -> P:
        """Take a tab that is shared, or what changed of one."""
        page = self.pages.get(tab.id)
        if tab.active and not (page and page.tab.active):
            self._front = tab.id
        if page is None:
            page = self.pages[tab.id] = self.new_page(tab)
            page.observe(self.observed)
            self.announce(page, "opened")
        page.updated(tab)
        return page

    def drop(self, tab: int, reason: str) -> None:
        """Forget a tab that is gone or no longer shared."""
        page = self.pages.pop(tab, None)
        if page is not None:
            page.closed = reason
            page.forget_acts()
            self.announce(page, "closed")

    def announce(self, page: P, what: str) -> None:
        """Call every listener with a page and what happened to it."""
        for listener in list(self.listeners):
            listener(page, what)
