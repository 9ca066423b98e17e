"""Other programs' agents over MCP: the official client against our server and a real browser, in both eras."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from skillbook.io_thread import io
from skillbook.mcp_server import person_questions
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.client_list import ClientList
from skillbook.mcp_server.request_handlers import RequestHandlers
from skillbook.session.sync import Browser

PAGE = """<title>Shop</title><main><h1>Shop</h1>
<label>Name <input id=name></label><button onclick="said.textContent = 'Hello ' + document.getElementById('name').value">Greet</button>
<p id=said></p>
<button onclick="fetch('/orders/7', {method: 'DELETE'}).then(() => said.textContent = 'gone')">Delete order 7</button>
<button onclick="fetch('/quiet', {method: 'POST', body: 'x'}).then(r => said.textContent = r.ok ? 'kept' : 'lost')">Next</button>
<table><caption>Lamps</caption><tr><th>Lamp</th><th>Price</th></tr>
<tr><td>Oslo</td><td>12</td></tr><tr><td>Rome</td><td>9</td></tr></table></main>"""
LONG = "<title>Long</title><main>" + "".join(f"<p>Line {n} of a long page</p>" for n in range(2000)) + "</main>"
MODES = ("legacy", "2026-07-28")


class Shop:
    """The site, and what was sent to it."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        sent = self.sent

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(LONG if self.path == "/long" else PAGE if self.path == "/" else "")

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                sent.append(f"{self.command} {self.path}")
                self.answer("")

            do_DELETE = do_POST

            def answer(self, text: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.server.shutdown()


class Person:
    """Answers a client's dialogs: `approve`, `reject`, or nothing where it is None; keeps what it was asked."""

    def __init__(self, decision: str | None) -> None:
        self.decision = decision
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        if self.decision is None:
            return types.ElicitResult(action="cancel")
        return types.ElicitResult(action="accept", content={"decision": self.decision})


Work = Callable[[Client], Awaitable[Any]]


def visit(
    browser: Browser, work: Work, *, mode: str = "legacy", person: Person | None = None, limits: ClientLimits | None = None
) -> Any:
    """Do some work as a client of its own, then leave."""

    async def do() -> Any:
        clients = ClientList(browser.driver, limits or ClientLimits())
        server = RequestHandlers(clients, "test").server()
        info = types.Implementation(name="Tester", version="1")
        try:
            async with Client(server, mode=mode, elicitation_callback=person, client_info=info) as client:
                return await work(client)
        finally:
            await clients.leave("test")

    return io.sync(do(), timeout=60)


async def call(client: Client, name: str, **args: Any) -> str:
    """What a call answers, as text."""
    result = await client.call_tool(name, args)
    return "\n".join(each.text for each in result.content if isinstance(each, types.TextContent))


@pytest.mark.parametrize("mode", MODES)
def test_a_client_opens_reads_fills_and_clicks_and_gets_what_changed(browser: Browser, shop: Shop, mode: str) -> None:
    browser.allow(shop.url)

    async def work(client: Client) -> None:
        assert "Shop" in await call(client, "open", url=shop.url)
        page = await call(client, "snapshot")
        assert "<page-content untrusted" in page and 'button "Greet"' in page
        await call(client, "fill", target="textbox 'Name'", value="Ann")
        clicked = await call(client, "click", target="button 'Greet'")
        assert "Hello Ann" in clicked and "Delete order" not in clicked
        rows = await client.call_tool("extract", {})
        assert rows.structured_content["rows"] == 2 and rows.structured_content["complete"] is True
        assert "Oslo" in rows.structured_content["text"]

    visit(browser, work, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("decision", "sent"), [("approve", True), ("reject", False), (None, False)])
def test_what_cant_be_undone_is_asked_in_the_clients_dialog(
    browser: Browser, shop: Shop, mode: str, decision: str | None, sent: bool
) -> None:
    browser.allow(shop.url)
    shop.sent.clear()
    person = Person(decision)

    async def work(client: Client) -> str:
        await call(client, "open", url=shop.url)
        return await call(client, "click", target="button 'Delete order 7'")

    said = visit(browser, work, mode=mode, person=person)
    assert (shop.sent == ["DELETE /orders/7"]) is sent, said
    assert "Click the button 'Delete order 7'" in person.asked[0] and "can't be undone" in person.asked[0]
    assert ("rejected" in said) is not sent


@pytest.mark.parametrize("mode", MODES)
def test_a_request_that_a_harmless_button_sends_is_held_and_asked_about(browser: Browser, shop: Shop, mode: str) -> None:
    browser.allow(shop.url)
    shop.sent.clear()
    person = Person("reject")

    async def work(client: Client) -> str:
        await call(client, "open", url=shop.url)
        return await call(client, "click", target="button 'Next'")

    visit(browser, work, mode=mode, person=person)
    assert shop.sent == [] and "POST" in person.asked[0]


@pytest.mark.parametrize("mode", MODES)
def test_where_nobody_can_be_asked_it_is_refused_with_the_ways_to_approve(
    browser: Browser, shop: Shop, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_questions, "_GRACE_SECONDS", 0.2)
    browser.allow(shop.url)
    browser.driver.asked_at = float("-inf")
    shop.sent.clear()

    async def work(client: Client) -> str:
        await call(client, "open", url=shop.url)
        return await call(client, "click", target="button 'Delete order 7'")

    said = visit(browser, work, mode=mode)
    assert shop.sent == [] and "side panel" in said and "elicitation" in said
