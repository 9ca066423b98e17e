"""A site that nobody allowed yet, over MCP: the first call that needs it asks, and the answer holds from then on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client

from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.session.sync import Browser
from tests.integration.test_mcp_server import MODERN, Person, Shop, call, clients_of, visit
from tests.shown import after_reading
from tests.waiting import until


@pytest.fixture
def shop(browser: Browser) -> Iterator[Shop]:
    """A site of an origin that nobody allowed: one of a test before may have had the same port."""
    while (shop := Shop()).url in browser.driver.gateway.policy.allowed:
        shop.server.shutdown()
        shop.server.server_close()
    yield shop
    shop.server.shutdown()


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_opening_a_new_site_asks_once_and_lets_the_client_act_there(
    browser: Browser, shop: Shop, mode: str
) -> None:
    person = Person("approve")

    async def work(client: Client) -> None:
        assert "Shop" in await call(client, "open", url=shop.url)
        await call(client, "fill", target="textbox 'Name'", value="Ann")
        assert "Hello Ann" in await call(client, "click", target="button 'Greet'")
        await call(client, "tabs", do="open", url=f"{shop.url}/link")
        await call(client, "open", url=shop.url)
        assert len(person.asked) == 1, person.asked
        await call(client, "click", target="button 'Delete order 7'")

    visit(browser, work, mode=mode, person=person)
    asked = person.asked[0]
    assert asked.startswith(f"Go to {shop.url}\n"), asked
    assert "in '…'" not in asked, "nothing in it comes from the page"
    assert f"{shop.url} isn't allowed yet; if you approve, every program may act there from now on" in asked
    assert person.asked[1].count("can't be undone") == 1
    assert "Words in '…' come from the page" in person.asked[1]
    assert not any("allowed yet" in each for each in person.asked[1:])


@pytest.mark.parametrize("mode", ["legacy"])
def test_a_rejected_site_is_asked_about_again_and_nothing_happens_there(
    browser: Browser, shop: Shop, mode: str
) -> None:
    person = Person("reject")

    async def work(client: Client) -> None:
        for _ in range(2):
            assert "rejected" in await call(client, "open", url=shop.url)
        assert shop.url not in await call(client, "tabs", do="list")

    visit(browser, work, mode=mode, person=person)
    assert len(person.asked) == 2
    assert shop.url not in browser.driver.gateway.policy.allowed


@pytest.mark.parametrize("mode", [MODERN])
def test_acting_where_a_link_led_asks_about_that_site_and_the_step_at_once(
    browser: Browser, shop: Shop, mode: str
) -> None:
    """The link's own site is allowed; what can't be undone on the other one is still asked about one by one."""
    other = Shop()
    browser.allow(shop.url)
    person = Person("approve")

    async def work(client: Client) -> None:
        await call(client, "open", url=f"{shop.url}/link?to={other.url}")
        await call(client, "click", target="link 'Elsewhere'")
        assert "Oslo" in await call(client, "extract")
        assert person.asked == []
        await call(client, "click", target="button 'Delete order 7'")
        await call(client, "fill", target="textbox 'Name'", value="Ann")
        await call(client, "click", target="button 'Delete order 7'")

    visit(browser, work, mode=mode, person=person)
    other.server.shutdown()
    assert other.sent == ["DELETE /orders/7"] * 2
    assert f"{other.url} isn't allowed yet" in person.asked[0]
    assert "can't be undone" in person.asked[0]
    clicks = [each for each in person.asked if each.startswith("Click the button 'Delete order 7'")]
    assert ["allowed yet" in each for each in clicks] == [True, False]


def test_a_cell_on_a_new_site_asks_when_it_comes_to_the_first_step(browser: Browser, shop: Shop) -> None:
    other = Shop()
    browser.allow(shop.url)
    person = Person("approve")

    async def work(client: Client) -> None:
        await call(client, "open", url=f"{shop.url}/link?to={other.url}")
        await call(client, "click", target="link 'Elsewhere'")
        code = "page.fill(\"textbox 'Name'\", 'Bo')\npage.click(\"button 'Greet'\")\npage.get('text', \"css '#said'\")"
        assert "Hello Bo" in await call(client, "run_cell", code=code)

    visit(browser, work, mode=MODERN, person=person)
    other.server.shutdown()
    assert [f"{other.url} isn't allowed yet" in each for each in person.asked] == [True], person.asked


def test_a_server_that_only_reads_asks_once_for_a_site_and_allows_nothing_but_going_there(
    browser: Browser, shop: Shop
) -> None:
    person = Person("approve")

    async def work(client: Client) -> None:
        for path in ("", "/link"):
            await call(client, "open", url=shop.url + path)

    visit(browser, work, mode=MODERN, person=person, limits=ClientLimits(read_only=True))
    assert len(person.asked) == 1, person.asked
    assert "if you approve, programs may go there from now on" in person.asked[0]
    assert shop.url not in browser.driver.gateway.policy.allowed


def test_a_notebook_that_shows_the_run_answers_for_a_client_without_dialogs(
    browser: Browser, shop: Shop
) -> None:
    clients, words = clients_of(browser), list[str]()

    def approve(run: Any) -> None:
        until(lambda: run.pending is not None)
        words.append(run.pending.review.reason)
        after_reading(run).approve()

    async def work(client: Client) -> None:
        await call(client, "tabs", do="list")
        run = clients.known("test").run
        run.on_change.append(lambda _: None)  # as a live view of it does
        person = threading.Thread(target=approve, args=(run,), daemon=True)
        person.start()
        assert "Shop" in await call(client, "open", url=shop.url)
        assert "Hello" in await call(client, "click", target="button 'Greet'")

    visit(browser, work, clients=clients)
    assert len(words) == 1
    assert "isn't allowed yet" in words[0]
