"""What an act causes is waited for until it ends, and no longer: pages of each kind are pressed, then read at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from skillbook.io_thread import io
from skillbook.protocol.envelopes import RequestBody
from skillbook.session.sync import Page
from tests.integration.caused_pages import CLICKED, LOADED, CausedSite

Open = Callable[[str], Page]


@pytest.fixture(scope="module")
def site() -> Iterator[CausedSite]:
    """The server of the pages."""
    with CausedSite() as site:
        yield site


def send(page: Page, command: str, **params: Any) -> dict[str, Any]:
    """Send a command past all of the kernel's own waiting."""
    driver = page.driver
    body = RequestBody(command=command, tab=driver.tab.id, params=params)
    answer: dict[str, Any] = io.sync(driver.browser.gateway.bridge.request(body))
    return answer


def output(page: Page) -> str:
    """What the page shows at this moment."""
    text: str = send(page, "evaluate", expression="document.getElementById('out').textContent")["value"]
    return text


def settle(page: Page, need: str = "rest", budget: int = 5_000, since: str | None = None) -> dict[str, Any]:
    return send(page, "page_settled", since=since, need=need, budget_ms=budget)


def press(page: Page) -> str:
    """Press the button; gives the act's id."""
    found = page.snapshot().find("button 'Go'").ref
    act: str = send(page, "click", ref=found)["act"]
    return act


@pytest.mark.parametrize("name", list(CLICKED))
def test_what_a_press_causes_is_over_when_the_page_is_at_rest(
    name: str, site: CausedSite, open_page: Open
) -> None:
    wanted = CLICKED[name]
    page = open_page(f"{site.url}/page/clicked/{list(CLICKED).index(name)}")
    settle(page)
    act = press(page)
    began = time.monotonic()
    state = settle(page, "answers", 3_000, act)
    seconds = time.monotonic() - began
    assert output(page) == wanted.ends_with, state
    if not wanted.goes_on:
        assert state["state"] in {"rest", "never"}, state
    assert seconds < 3.5, state


@pytest.mark.parametrize("name", list(LOADED))
def test_what_a_load_causes_is_over_when_the_page_is_at_rest(
    name: str, site: CausedSite, open_page: Open
) -> None:
    page = open_page(f"{site.url}/page/loaded/{list(LOADED).index(name)}")
    state = settle(page)
    assert output(page) == LOADED[name].ends_with, state
    assert state["state"] in {"rest", "never"}, state


def test_who_queries_in_between_takes_no_rest_from_who_waits(site: CausedSite, open_page: Open) -> None:
    page = open_page(f"{site.url}/page/clicked/{list(CLICKED).index('timer')}")
    settle(page)
    act = press(page)
    driver = page.driver

    def question(budget: int) -> Any:
        params = {"since": act, "need": "rest", "budget_ms": budget}
        body = RequestBody(command="page_settled", tab=driver.tab.id, params=params)
        return driver.browser.gateway.bridge.request(body)

    async def both() -> Any:
        waiting = asyncio.ensure_future(question(5_000))
        while not waiting.done():
            await question(1)
        return await waiting

    def seconds() -> float:
        began = time.monotonic()
        assert io.sync(both())["state"] == "rest"
        return time.monotonic() - began

    if seconds() >= 0.9:  # a busy machine may be late once
        act = press(page)
        assert seconds() < 0.9, "it waited until its slice was over"


def test_a_tab_that_is_not_shown_renders_nothing_that_is_waited_for_again(
    site: CausedSite, open_page: Open
) -> None:
    page = open_page(f"{site.url}/page/clicked/{list(CLICKED).index('timer')}")
    open_page(f"{site.url}/page/clicked/0")
    act = press(page)
    state = settle(page, "answers", 3_000, act)
    again = settle(page, "answers", 0, act)
    assert (state["state"], output(page)) == ("rest", "done")
    assert again["state"] == "rest", "a frame is waited for once more"
