"""Visits: a page opened in a background tab that only reads, looked at, and closed in every case."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Coroutine
from contextlib import suppress
from contextvars import Context
from dataclasses import replace
from typing import Any, TypeVar

from skillbook.errors import CommandError, ConnectionLost, SkillbookError, Stopped
from skillbook.exploration.page_states import Move, Press, canonical
from skillbook.limits import ANSWER_SECONDS, PAGE_SECONDS
from skillbook.perception.summary import PageSummary
from skillbook.policy import Call
from skillbook.policy.rules import Actor
from skillbook.policy.urls import origin_of, screen_url
from skillbook.protocol.commands.tabs import Tab
from skillbook.session.action import PreparedAction
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
from skillbook.session.page.request_log import NetworkRequest
from skillbook.session.page_driver import PageDriver

T = TypeVar("T")
MOST_DELAY = 30.0
"""Seconds between two pages at most, whatever robots.txt asks for."""
_REFUSED = 400
_QUALITY, _WIDTH = 40, 240


class ReadOnly:
    """Lets no request through that may change something, while a page of the exploration is open."""

    key = "exploration"
    actor: Actor = "agent"
    send_allowlist = True
    announced_is_approved = False

    async def judge(self, request: HeldRequest) -> RequestDecision:
        """Refuse it."""
        return RequestDecision(False, "exploration only reads")


class AskedToWait(Exception):
    """A server that is asked too often says for how many seconds it isn't to be asked again."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"asks to wait {seconds:g} s")
        self.seconds = seconds


class NotSeen(Exception):
    """A page that can't be looked at: its status in the graph, and why."""

    def __init__(self, status: str, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Visits:
    """Opens the pages of one exploration.

    driver: the page that it began on.
    thumbnails: gets a small JPEG screenshot of each state, by what names it; None for none.
    requests: gets what each state's page has sent.
    """

    def __init__(self, driver: PageDriver, allowed: set[str]) -> None:
        self._driver, self._allowed = driver, allowed
        self.thumbnails: dict[str, bytes] | None = None
        self.requests: dict[str, tuple[NetworkRequest, ...]] = {}
        self._review = ReadOnly()
        self._pace = asyncio.Lock()
        self._next_visit = 0.0

    async def look(self, move: Move) -> PageSummary:
        """What a move leads to.

        Raises NotSeen: the page fails, leads away or asks to send something. Stopped, ConnectionLost.
        """
        # Closing is outside of the operation: one that is stopped sends no more commands.
        opening = apart(self._open(move.url))
        try:
            page = await asyncio.shield(opening)
            await page.requests.attach(self._review)
            try:
                await self._go(page, move.url)
            except AskedToWait as refusal:
                # The site's other pages are not asked for meanwhile, either.
                self._next_visit = max(self._next_visit, asyncio.get_running_loop().time() + refusal.seconds)
                await self._go(page, move.url, is_last=True)
            # How long a page may take in all: one that redirects for ever, or never answers, is left.
            async with asyncio.timeout(PAGE_SECONDS):
                await self._rest(page)
                for press in move.presses:
                    await self.press(page, press)
                summary = page.summarize(await page.snapshot())
                landed = canonical(summary.url)
                key = move.key if landed == move.url else landed
                self.requests[key] = tuple(page.network.requests())
                await self.take_thumbnail(page, key)
                return summary
        except (Stopped, ConnectionLost):
            raise
        except TimeoutError:
            raise NotSeen("failed", f"took more than {PAGE_SECONDS:.0f} s") from None
        except SkillbookError as error:
            raise NotSeen("failed", error.message) from error
        finally:
            await asyncio.shield(apart(self._close(opening)))

    async def _go(self, page: PageDriver, url: str, *, is_last: bool = False) -> None:
        """Open an address in its turn."""
        await self._wait_turn(url)
        async with asyncio.timeout(PAGE_SECONDS):
            go = page.action("goto", {"url": url, "wait": "load"}, actor="agent", run=self._review.key)
            await page.do_judged(go)
            self._check_origin(page)
            if (status := await page.status()) < _REFUSED:
                return
            seconds = await page.retry_after()
        if seconds is not None and seconds <= MOST_DELAY and not is_last:
            raise AskedToWait(max(seconds, 1.0))
        asks = f" and asks to wait {seconds:g} s" if seconds is not None else ""
        raise NotSeen("failed", f"answered with status {status}{asks}")

    async def take_thumbnail(self, page: PageDriver, key: str) -> None:
        """Keep a small screenshot of a state, where they are wanted; one that fails is left out."""
        if self.thumbnails is None:
            return
        options = {"format": "jpeg", "quality": _QUALITY, "max_width": _WIDTH}
        with suppress(CommandError):
            look = page.action("screenshot", options, quiet=True, timeout=ANSWER_SECONDS)
            data = await page.browser.gateway.run(look)
            self.thumbnails[key] = base64.b64decode(data["data"])

    async def press(self, page: PageDriver, press: Press) -> None:
        """Press a control; the policy and the held requests judge it as any agent's click.

        Raises NotSeen: it asked to send something, opened a dialog, or led to another origin.
        """
        result = await page.act("click", press.selector, actor="agent", run=self._review.key)
        if result.dialog is not None:
            raise NotSeen("left out", f"{press.label!r} opened a dialog")
        await self._rest(page)
        self._check_origin(page)
        if page.requests.take_outcomes():
            raise NotSeen("left out", f"{press.label!r} wanted to send something, which was refused")

    def _check_origin(self, page: PageDriver) -> None:
        if origin_of(page.url) not in self._allowed:
            raise NotSeen("left out", "led to another origin")

    async def _rest(self, page: PageDriver) -> None:
        await page.settled("rest", ANSWER_SECONDS)

    async def _wait_turn(self, url: str) -> None:
        """Visit pages no faster than the site's robots.txt or hints ask for, and none while it asks to wait."""
        delay = await self._driver.browser.crawl_delay(url)
        loop = asyncio.get_running_loop()
        async with self._pace:
            waits = self._next_visit - loop.time()
            self._next_visit = max(self._next_visit, loop.time()) + min(delay, MOST_DELAY)
        if waits > 0:
            await asyncio.sleep(waits)

    async def _open(self, url: str) -> PageDriver:
        browser = self._driver.browser
        call = Call("tabs_open", actor="agent", destination=screen_url(url))
        opening = PreparedAction(call, {"url": "about:blank", "wait": "load", "active": False})
        opened = await browser.gateway.run(replace(opening, run=self._review.key))
        await browser.refresh_tabs()
        return browser.page(Tab.model_validate(opened["tab"]).id)

    async def _close(self, opening: asyncio.Task[PageDriver]) -> None:
        with suppress(SkillbookError):  # the browser or the tab is gone
            page = await opening
            if not page.closed:
                await page.requests.detach(self._review, at_once=True)
                await self._driver.browser.close_page(page)

    async def close_blank(self, before: set[int]) -> None:
        """Close the tabs that were being opened when the search was stopped: nobody was told which they are."""
        browser = self._driver.browser
        with suppress(SkillbookError):
            for page in await browser.refresh_tabs():
                if page.tab.id not in before and page.url == "about:blank":
                    await browser.close_page(page)

    async def show(self, url: str, presses: tuple[Press, ...]) -> PageSummary:
        """Open what was found in the page that the exploration began on.

        Raises SkillbookError, NotSeen: it doesn't open, or a control isn't there or asks to send something.
        """
        page = self._driver
        await page.act("goto", url=url, wait="load", actor="agent", run=self._review.key)
        await self._rest(page)
        if presses:
            await page.requests.attach(self._review)
            try:
                for press in presses:
                    await self.press(page, press)
            finally:
                await page.requests.detach(self._review)
        return page.summarize(await page.snapshot())


def apart(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """A task that isn't part of the operation that starts it."""
    return asyncio.get_running_loop().create_task(work, context=Context())
