"""Other programs' agents over MCP: the official client against our server and a real browser, in both eras."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from skillbook.agents.state.step_records import FINAL_STATUSES
from skillbook.io_thread import io
from skillbook.mcp_server import person_questions
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.client_list import ClientList
from skillbook.mcp_server.kept_entrance import KeptEntrance, read_entrance
from skillbook.mcp_server.mcp_command import entrances_for
from skillbook.mcp_server.mcp_options import add_limits
from skillbook.mcp_server.request_handlers import RequestHandlers
from skillbook.session.sync import Browser
from tests.waiting import until

PAGE = """<title>Shop</title><main><h1>Shop</h1>
<label>Name <input id=name></label>
<button onclick="said.textContent = 'Hello ' + document.getElementById('name').value">Greet</button>
<p id=said></p>
<button onclick="fetch('/orders/7', {method: 'DELETE'}).then(() => said.textContent = 'gone')">Delete order 7</button>
<button onclick="fetch('/quiet', {method: 'POST', body: 'x'}).then(() => said.textContent = 'kept')">Next</button>
<table><caption>Lamps</caption><tr><th>Lamp</th><th>Price</th></tr>
<tr><td>Oslo</td><td>12</td></tr><tr><td>Rome</td><td>9</td></tr></table></main>"""
LONG = (
    "<title>Long</title><main>" + "".join(f"<p>Line {n} of a long page</p>" for n in range(2000)) + "</main>"
)
MODERN = "2026-07-28"


class Shop:
    """The site, and what was sent to it."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        sent = self.sent

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path, _, query = self.path.partition("?to=")
                pages = {"/": PAGE, "/long": LONG, "/link": f"<a href='{query}'>Elsewhere</a>"}
                self.answer(pages.get(path, ""))

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


def clients_of(browser: Browser, limits: ClientLimits | None = None) -> ClientList:
    """The clients of a browser; none yet."""

    async def the_browser() -> Any:
        return browser.driver

    return ClientList(the_browser, limits or ClientLimits())


def visit(
    browser: Browser,
    work: Work,
    *,
    mode: str = "legacy",
    person: Person | None = None,
    limits: ClientLimits | None = None,
    messages: Any = None,
    clients: ClientList | None = None,
    seconds: float = 60,
) -> Any:
    """Do some work as a client of its own, then leave."""
    clients = clients or clients_of(browser, limits)

    async def do() -> Any:
        server = RequestHandlers(clients, "test").server()
        info = types.Implementation(name="Tester", version="1")
        try:
            async with Client(
                server, mode=mode, elicitation_callback=person, client_info=info, message_handler=messages
            ) as client:
                return await work(client)
        finally:
            await clients.leave("test")

    return io.sync(do(), timeout=seconds)


async def call(client: Client, name: str, **args: Any) -> str:
    """What a call answers, as text."""
    result = await client.call_tool(name, args)
    return "\n".join(each.text for each in result.content if isinstance(each, types.TextContent))


WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("wait_for", {}, "exactly one condition", "text, text_gone, selector, url, idle, seconds"),
    ("wait_for", {"text": "a", "url": "b"}, "exactly one condition", "text, text_gone, selector, url"),
    ("tabs", {"do": "open"}, "`tabs`: url: Field required", "do, url"),
    ("find", {"by": "purpose"}, "`find`: text: Field required", "by, text, kind"),
    ("get", {"what": "visible"}, "`get`: target: Field required", "what, target"),
    ("open", {}, "`open`: url: Field required", "go, url"),
    ("click", {"selector": "button"}, "`click`: target: Field required", "target"),
    ("more", {}, "`more`: answer, start: Field required", "answer, start"),
    ("drag", {"target": "e1"}, "`drag`: to: Field required", "target, to"),
]


async def refuse_wrong_arguments(client: Client) -> None:
    """Wrong arguments are told in the words of the tools that the client has."""
    schemas = {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}
    for name, args, message, names in WRONG:
        result = await client.call_tool(name, args)
        text = result.content[0].text
        assert result.is_error
        assert message in text, text
        named = text.partition("Its arguments are: ")[2].partition(".")[0].split(", ")
        assert set(names.split(", ")) <= set(named) <= set(schemas[name]), text
    templates = (await client.list_resource_templates()).resource_templates
    assert [each.uri_template for each in templates] == [
        "skillbook://rows/{call}",
        "skillbook://screenshot/{call}",
    ]


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_wrong_arguments_cost_no_time_and_name_what_the_client_has(
    browser: Browser, shop: Shop, mode: str
) -> None:
    browser.allow(shop.url)

    async def work(client: Client) -> float:
        await call(client, "open", url=shop.url)
        begun = time.monotonic()
        await refuse_wrong_arguments(client)
        return time.monotonic() - begun

    assert visit(browser, work, mode=mode) < 15, "a wait without a condition took as long"


async def read_structured(client: Client) -> str:
    """Look at the shop as data: each answer has the structure that its tool declares; the address of all rows."""
    found = await client.call_tool("find", {"by": "words", "query": "button Greet"})
    (ref,) = found.structured_content["refs"]
    assert f"[ref={ref}]" in found.structured_content["text"]
    lists = await client.call_tool("tables", {})
    (lamps,) = lists.structured_content["tables"]
    assert (lamps["kind"], lamps["rows"], lamps["columns"], lamps["estimated"]) == ("table", 2, 2, False)
    assert f"[ref={lamps['ref']}]" in lists.structured_content["text"]
    rows = (await client.call_tool("extract", {})).structured_content
    assert (rows["rows"], rows["complete"]) == (2, True)
    assert "Oslo" in rows["text"]
    csv = await client.read_resource(rows["csv"])
    assert csv.contents[0].text.splitlines() == ["Lamp,Price", "Oslo,12", "Rome,9"]
    code = "[row for row in sb.extract(page) if row['Price'] > 10]"
    dear = (await client.call_tool("run_cell", {"code": code})).structured_content
    assert (dear["rows"], dear["complete"]) == (1, False)
    csv = await client.read_resource(dear["csv"])
    assert csv.contents[0].text.splitlines() == ["Lamp,Price", "Oslo,12"]
    return str(rows["csv"])


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_a_client_opens_reads_fills_and_clicks_and_gets_what_changed(
    browser: Browser, shop: Shop, mode: str
) -> None:
    browser.allow(shop.url)

    async def work(client: Client) -> None:
        assert "Shop" in await call(client, "open", url=shop.url)
        page = await call(client, "snapshot")
        assert "<page-content untrusted" in page
        assert re.search(r'button "Greet" \[ref=e\d+\]', page)  # also where the client may send code
        await call(client, "fill", target="textbox 'Name'", value="Ann")
        clicked = await call(client, "click", target="button 'Greet'")
        assert "Hello Ann" in clicked
        assert "Delete order" not in clicked
        rows = await read_structured(client)
        fits = await client.call_tool("find", {"by": "purpose", "text": "greet"})
        assert f"[ref={fits.structured_content['refs'][0]}]" in fits.structured_content["text"]
        listed = {str(each.uri) for each in (await client.list_resources()).resources}
        assert {"skillbook://page", "skillbook://journal", rows} <= listed
        journal = await client.read_resource("skillbook://journal")
        assert [step["tool"] for step in json.loads(journal.contents[0].text)][:2] == ["goto", "snapshot"]
        cell = await client.call_tool("run_cell", {"code": "page.fill(\"textbox 'Name'\", 'Bo')\n1 + 1"})
        assert 'value was "Ann"' in cell.structured_content["text"]
        assert "csv" not in cell.structured_content

    visit(browser, work, mode=mode)


@pytest.mark.parametrize(
    ("mode", "decision", "sent"),
    [
        ("legacy", "approve", True),
        ("legacy", None, False),
        (MODERN, "approve", True),
        (MODERN, "reject", False),
    ],
)
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
    assert "Click the button 'Delete order 7'" in person.asked[0]
    assert "can't be undone" in person.asked[0]
    assert ("rejected" in said) is not sent


@pytest.mark.parametrize("mode", [MODERN])
def test_a_request_that_a_harmless_button_sends_is_held_and_asked_about(
    browser: Browser, shop: Shop, mode: str
) -> None:
    browser.allow(shop.url)
    shop.sent.clear()
    person = Person("reject")

    async def work(client: Client) -> str:
        await call(client, "open", url=shop.url)
        return await call(client, "click", target="button 'Next'")

    visit(browser, work, mode=mode, person=person)
    assert shop.sent == []
    assert "POST" in person.asked[0]


@pytest.mark.parametrize("mode", ["legacy"])
def test_where_nobody_can_be_asked_it_is_refused_with_the_ways_to_approve(
    browser: Browser, shop: Shop, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_questions, "ANSWER_SECONDS", 0.2)
    browser.allow(shop.url)
    browser.driver.asked_at = float("-inf")
    shop.sent.clear()

    async def work(client: Client) -> str:
        await call(client, "open", url=shop.url)
        return await call(client, "click", target="button 'Delete order 7'")

    said = visit(browser, work, mode=mode)
    assert shop.sent == []
    assert "side panel" in said
    assert "elicitation" in said


def test_a_client_that_leaves_in_the_middle_of_a_question_leaves_nothing(
    browser: Browser, shop: Shop
) -> None:
    browser.allow(shop.url)
    shop.sent.clear()
    before = len(browser.pages)
    clients = clients_of(browser)
    asked = asyncio.Event()

    async def never(context: Any, params: Any) -> types.ElicitResult:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def do() -> Any:
        server = RequestHandlers(clients, "test").server()
        async with Client(server, mode="legacy", elicitation_callback=never) as client:
            await call(client, "open", url=shop.url)
            asking = asyncio.ensure_future(call(client, "click", target="button 'Delete order 7'"))
            await asked.wait()
            work = clients.known("test")
            assert work is not None
            assert work.question is not None
            asking.cancel()
        await clients.leave("test")
        return work

    work = io.sync(do(), timeout=60)
    until(lambda: work.question is None and work.run.status in FINAL_STATUSES, "its run goes on")
    until(lambda: len(browser.pages) == before, "its tab stays")
    assert shop.sent == []
    assert clients.known("test") is None


def test_limits_hold_whatever_a_client_calls(browser: Browser, shop: Shop) -> None:
    browser.allow(shop.url)
    shop.sent.clear()

    async def only_reads(client: Client) -> None:
        assert "Shop" in await call(client, "open", url=shop.url)
        assert "only reads" in await call(client, "fill", target="textbox 'Name'", value="Ann")
        assert "only reads" in await call(client, "run_cell", code="1")
        for _ in range(8):  # the person isn't asked what to do about them
            assert "there is no tool 'nonsense'" in await call(client, "nonsense")

    async def elsewhere(client: Client) -> None:
        assert "isn't one of the origins" in await call(client, "open", url=shop.url)
        assert "isn't one of the origins" in await call(client, "tabs", do="open", url=shop.url)

    async def often(client: Client) -> None:
        await call(client, "tabs", do="list")
        assert "budget_exceeded" in await call(client, "tabs", do="list")

    async def long(client: Client) -> None:
        first = await call(client, "open", url=f"{shop.url}/long")
        text = await call(client, "read")
        assert len(first) < 4500
        assert len(text) < 4500
        assert "Line 1999 of" not in text
        start = int(text.rpartition("start=")[2].partition(" ")[0])
        name = text.rpartition("answer='")[2].partition("'")[0]
        assert "of a long page" in await call(client, "more", answer=name, start=start)

    visit(browser, only_reads, limits=ClientLimits(read_only=True))
    visit(browser, elsewhere, limits=ClientLimits(origins=("https://example.com",)))
    visit(browser, often, limits=ClientLimits(calls_a_minute=1))
    visit(browser, long, limits=ClientLimits(answer_tokens=1000))
    assert shop.sent == []


@pytest.fixture(scope="module")
def served(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, KeptEntrance]]:
    """The browser, served to clients as `skillbook serve --mcp` does, with the folder that has the token."""
    home = tmp_path_factory.mktemp("home")
    options = ["--mcp", "--mcp-port", "0"]
    parser = argparse.ArgumentParser()
    parser.add_argument("--mcp", action="store_true")
    parser.add_argument("--mcp-port", type=int)
    add_limits(parser)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(home))
        service: Any = SimpleNamespace(browser=browser)
        with entrances_for(service, parser.parse_args(options)):
            yield home, read_entrance(home)


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_over_stdio_the_command_passes_on_to_the_browser_that_is_served(
    browser: Browser, shop: Shop, served: tuple[Path, KeptEntrance], mode: str
) -> None:
    browser.allow(shop.url)
    shop.sent.clear()
    person = Person("approve")
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "skillbook.cli", "mcp"],
        env={**os.environ, "SKILLBOOK_HOME": str(served[0])},
    )

    async def do() -> str:
        async with Client(stdio_client(command), mode=mode, elicitation_callback=person) as client:
            await call(client, "open", url=shop.url)
            await refuse_wrong_arguments(client)
            await read_structured(client)
            return await call(client, "click", target="button 'Delete order 7'")

    said = asyncio.run(asyncio.wait_for(do(), 60))
    assert shop.sent == ["DELETE /orders/7"], said
    assert any("Click the button" in each for each in person.asked)


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_over_http_two_clients_each_have_tabs_of_their_own(
    browser: Browser, shop: Shop, served: tuple[Path, KeptEntrance], mode: str
) -> None:
    browser.allow(shop.url)
    entrance = served[1]
    before = len(browser.pages)

    def client(name: str) -> Client:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {entrance.token}"}, timeout=60)
        info = types.Implementation(name=name, version="1")
        return Client(streamable_http_client(entrance.url, http_client=http), mode=mode, client_info=info)

    async def do() -> None:
        async with client("One") as one, client("Two") as two:
            await call(one, "open", url=shop.url)
            await call(two, "open", url=f"{shop.url}/long")
            await refuse_wrong_arguments(one)
            await read_structured(one)
            first, second = await call(one, "tabs", do="list"), await call(two, "tabs", do="list")
            assert "Shop" in first
            assert "Long" not in first
            assert "Long" in second
            assert "Shop" not in second
            number = second.partition(" (here)")[0].rpartition("\n")[2]
            assert "no tab" in await call(one, "tabs", do="switch", tab=int(number))

    asyncio.run(asyncio.wait_for(do(), 60))
    if mode == "legacy":  # in the other era nobody says that they leave
        until(lambda: len(browser.pages) == before)


def test_without_the_token_nothing_is_answered(served: tuple[Path, KeptEntrance]) -> None:
    entrance = served[1]
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        assert httpx2.post(entrance.url, json=body, headers=headers).status_code == 401
    right = {"Authorization": f"Bearer {entrance.token}", "Accept": "application/json, text/event-stream"}
    assert httpx2.post(entrance.url, json=body, headers=right | {"Host": "evil.example"}).status_code == 421
    assert (
        httpx2.post(entrance.url, json=body, headers=right | {"Origin": "https://evil.example"}).status_code
        == 403
    )
    with socket.create_connection(("127.0.0.1", entrance.socket_port), timeout=20) as made:
        made.sendall(b'{"token": "wrong"}\n' + json.dumps(body).encode() + b"\n")
        assert made.recv(100) == b""
    assert (served[0] / "mcp.json").stat().st_mode & 0o077 == 0
