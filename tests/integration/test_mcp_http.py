"""The newer protocol over streamable HTTP: no sessions, a bearer token, questions that the client brings answers to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from skillbook.mcp_server.kept_entrance import KeptEntrance
from skillbook.session.sync import Browser
from tests.integration.test_mcp_server import MODERN, Person, Shop, call, served  # noqa: F401


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.server.shutdown()


def client_of(
    url: str, token: str, name: str, person: Any = None, statuses: list[int] | None = None
) -> Client:
    """The official client; `statuses` gets what HTTP answers."""

    async def note(response: httpx2.Response) -> None:
        if statuses is not None:
            statuses.append(response.status_code)

    headers = {"Authorization": f"Bearer {token}"}
    http = httpx2.AsyncClient(headers=headers, timeout=60, event_hooks={"response": [note]})
    info = types.Implementation(name=name, version="1")
    made = streamable_http_client(url, http_client=http)
    return Client(made, mode=MODERN, client_info=info, elicitation_callback=person)


def test_two_clients_with_the_token_work_and_ask_each_their_person(
    browser: Browser,
    shop: Shop,
    served: tuple[Path, KeptEntrance],  # noqa: F811
) -> None:
    browser.allow(shop.url)
    shop.sent.clear()
    entrance, statuses = served[1], []  # type: tuple[KeptEntrance, list[int]]
    agrees, refuses = Person("approve"), Person("reject")
    before = set(browser.driver.pages)

    async def do() -> None:
        delete = {"target": "button 'Delete order 7'"}
        async with (
            client_of(entrance.url, entrance.token, "One", agrees, statuses) as one,
            client_of(f"{entrance.url}?client=second", entrance.token, "One", refuses) as two,
        ):
            assert one.protocol_version == MODERN
            await call(one, "open", url=shop.url)
            await call(two, "open", url=shop.url)
            first, second = await call(one, "tabs", do="list"), await call(two, "tabs", do="list")
            assert (first.count("Shop"), second.count("Shop")) == (1, 1)
            assert first != second
            assert "rejected" in await call(two, "click", **delete)
            assert shop.sent == []
            assert "Failed" not in await call(one, "click", **delete)

    asyncio.run(asyncio.wait_for(do(), 60))
    assert shop.sent == ["DELETE /orders/7"]
    assert "Delete order 7" in agrees.asked[0]  # the request that it sends may ask, too
    assert len(refuses.asked) == 1
    assert set(statuses) <= {200, 202}
    for page in list(browser.pages):  # nobody says in this era that they leave
        if page.driver.tab.id not in before:
            page.close()


def test_with_a_wrong_token_the_official_client_gets_nothing(
    browser: Browser,
    shop: Shop,
    served: tuple[Path, KeptEntrance],  # noqa: F811
) -> None:
    entrance, tabs, statuses = served[1], set(browser.driver.pages), []  # type: ignore[var-annotated]

    async def do() -> None:
        async with client_of(entrance.url, "wrong", "Thief", statuses=statuses) as thief:
            await call(thief, "open", url=shop.url)

    with pytest.raises(Exception):  # noqa: B017 - what the client makes of a 401 is its own affair
        asyncio.run(asyncio.wait_for(do(), 60))
    assert statuses
    assert set(statuses) == {401}
    assert set(browser.driver.pages) == tabs
