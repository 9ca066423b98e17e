""" "This form only reads", chosen over MCP and in a terminal: a search by POST asks once, an order always."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from skillbook.serving.service import Service
from skillbook.session.sync import Browser
from skillbook.testing.site import Site
from tests.integration.test_mcp_server import MODERN, call, visit
from tests.integration.test_searches_by_post import ORDER, Shop, shop, site
from tests.integration.test_terminal import PATIENCE, Terminal, home, service, terminal, waits
from tests.waiting import until

__all__ = ["home", "service", "shop", "site", "terminal"]

FIELD, BUTTON = "textbox 'Search products'", "button 'Search'"
ONLY_READS = "approve, this form only reads"


def arrived(shop: Shop) -> list[str]:
    return [f"{request.path} {request.form['q']}" for request in shop.sent]


def order_at(site: Site, shop: Shop) -> str:
    """The address of an order, whose form has the same names, and a button of the same name."""
    shop.others = [ORDER]
    return f"{site.url}/?other=0"


def take_back(browser: Browser, site: Site) -> None:
    """Remove the one rule that there is, which says in words what it is for."""
    (rule,) = browser.rules
    assert str(rule) == (
        f"this form only reads: POST {site.url}/list with any Search products, Sort by, Category, In stock "
        "and the same list, by button 'Search' (session)"
    )
    browser.rules.remove(rule.id)
    assert list(browser.rules) == []


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_over_mcp_a_search_asks_once_and_an_order_always(
    browser: Browser, site: Site, shop: Shop, mode: str
) -> None:
    browser.allow(site.url)
    browser.rules.clear()
    asked: list[str] = []
    decisions: list[str] = []

    async def person(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        assert decisions, f"asked once more: {params.message}"
        return types.ElicitResult(action="accept", content={"decision": decisions.pop(0)})

    async def search(client: Client, words: str, *answers: str) -> str:
        decisions.extend(answers)
        await call(client, "fill", target=FIELD, value=words)
        answer = await call(client, "click", target=BUTTON)
        assert decisions == [], "nothing was asked"
        return answer

    async def work(client: Client) -> None:
        await call(client, "open", url=site.url)
        await search(client, "lamp", ONLY_READS)
        assert f"If you choose {ONLY_READS!r}, this asks no more: this form only reads: POST" in asked[0]
        await search(client, "chair")
        assert arrived(shop) == ["/list lamp", "/list chair"]
        await call(client, "open", url=order_at(site, shop))
        assert "it was not sent" in await search(client, "desk", "reject")
        take_back(browser, site)
        await call(client, "open", url=site.url)
        assert "it was not sent" in await search(client, "lamp", "reject")
        assert arrived(shop) == ["/list lamp", "/list chair"]

    visit(browser, work, mode=mode, person=person)  # type: ignore[arg-type]


@pytest.mark.more
def test_in_a_terminal_a_search_asks_once_and_an_order_always(
    terminal: Terminal, service: Service, site: Site, shop: Shop
) -> None:
    service.browser.allow(site.url)

    def press(answer: str = "", *options: str) -> int | None:
        """Press the button; its question, if one is to come, is answered at another terminal."""
        asking = terminal.start("click", BUTTON, "--deadline", "60")
        if answer:
            until(lambda: waits(terminal), "nothing was asked")
            assert terminal.answer(answer, *options)[0] == 0
        _, err = asking.communicate(timeout=PATIENCE)
        assert ("waits for a person" in err) == bool(answer), err
        return asking.returncode

    terminal.done("open", site.url)
    terminal.done("fill", FIELD, "lamp")
    assert press("y", "--form") == 0
    terminal.done("fill", FIELD, "chair")
    assert press() == 0
    assert arrived(shop) == ["/list lamp", "/list chair"]
    terminal.done("goto", order_at(site, shop))
    terminal.done("fill", FIELD, "desk")
    assert press("n") == 4
    take_back(service.browser, site)
    terminal.done("goto", site.url)
    terminal.done("fill", FIELD, "lamp")
    assert press("n") == 4
    assert arrived(shop) == ["/list lamp", "/list chair"]
