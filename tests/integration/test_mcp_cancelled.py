"""A call that a client cancels ends at once, its question is withdrawn, and the next call doesn't wait for it."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

import skillbook as sb
from skillbook.mcp_server.kept_entrance import KeptEntrance
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.serving.workflows.workflow import Workflow
from skillbook.session.sync import Browser, Page
from tests.integration.test_mcp_server import MODERN, Person, call, served, visit
from tests.waiting import until

__all__ = ["served"]
AT_ONCE = 5.0
"""What is cancelled lasts for half a minute; a machine under load may take some time for the next call."""
PAGE = """<title>Hall</title><label>Name <input id=name oninput="fetch('/typed/' + value.length)"></label>
<button onclick="fetch('/orders/7', {method: 'DELETE'})">Delete order 7</button>
<table><caption>Lamps</caption><tr><th>Lamp</th></tr><tr><td>Lamp %(n)s a</td></tr>
<tr><td>Lamp %(n)s b</td></tr></table>
<nav aria-label=Pages><a rel=next href='/%(next)s'>Next</a></nav>"""
LONG = "a long text that takes a while, letter by letter"


class Hall:
    """Twenty pages of lamps, each but the first after two seconds, and what was sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.read: list[str] = []
        hall = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                number = (
                    int(self.path.strip("/") or 1)
                    if self.path.strip("/").isdigit() or self.path == "/"
                    else 0
                )
                if number > 1:
                    time.sleep(2)
                hall.read.append(self.path)
                text = PAGE % {"n": number, "next": number + 1}
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def do_DELETE(self) -> None:
                hall.sent.append(self.path)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


@pytest.fixture
def hall() -> Iterator[Hall]:
    hall = Hall()
    yield hall
    hall.server.shutdown()


async def cancelled(client: Client, under_way: Callable[[], Any], name: str, **args: Any) -> float:
    """Make a call, cancel it once it is under way, and make another: the seconds until that is answered."""
    asking = asyncio.ensure_future(call(client, name, **args))
    for _ in range(300):
        if asking.done():
            raise AssertionError(asking.result())
        if await asyncio.to_thread(under_way):
            break
        await asyncio.sleep(0.05)
    else:
        raise AssertionError(f"{name} never began")
    asking.cancel()
    began = time.monotonic()
    assert "(here)" in await call(client, "tabs", do="list")
    return time.monotonic() - began


def after(seconds: float) -> Callable[[], bool]:
    """Whether so much time went by since now."""
    begun = time.monotonic()
    return lambda: time.monotonic() - begun > seconds


def in_page(browser: Browser, expression: str) -> Any:
    """A value of the page that was opened last."""
    return browser.pages[-1].evaluate(expression)


def last_step(browser: Browser, command: str) -> Any:
    """The journal's newest step of a command."""
    return browser.journal.query("command == @command").iloc[-1]


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_a_wait_that_is_cancelled_ends_at_once(browser: Browser, hall: Hall, mode: str) -> None:
    browser.allow(hall.url)

    async def work(client: Client) -> None:
        await call(client, "open", url=hall.url)
        for condition in ({"seconds": 30}, {"text": "never seen"}, {"selector": "button 'Never'"}):
            assert await cancelled(client, after(0.3), "wait_for", **condition) < AT_ONCE, condition
        assert "Hall" in await call(client, "snapshot")

    visit(browser, work, mode=mode, seconds=90)


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_a_walk_that_is_cancelled_ends_and_its_rows_are_kept(browser: Browser, hall: Hall, mode: str) -> None:
    browser.allow(hall.url)

    async def work(client: Client) -> None:
        await call(client, "open", url=hall.url)
        seconds = await cancelled(client, lambda: "/3" in hall.read, "extract", next=True)
        assert seconds < AT_ONCE
        await call(client, "wait_for", idle=True)  # one may have been on its way
        count = len(hall.read)
        assert "Lamp" in await call(client, "snapshot")
        await call(client, "wait_for", idle=True)
        assert len(hall.read) == count, "no page is opened any more"

    visit(browser, work, mode=mode)
    kept = sb.recover()
    assert list(kept["Lamp"])[:4] == ["Lamp 1 a", "Lamp 1 b", "Lamp 2 a", "Lamp 2 b"]


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_typing_that_is_cancelled_stops_at_the_letter_and_counts_as_begun(
    browser: Browser, hall: Hall, mode: str
) -> None:
    browser.allow(hall.url)
    typed = "document.getElementById('name').value"

    async def work(client: Client) -> None:
        await call(client, "open", url=hall.url)
        seconds = await cancelled(
            client, lambda: "/typed/3" in hall.read,
            "type", target="textbox 'Name'", text=LONG, delay_ms=400,
        )  # fmt: skip
        assert seconds < AT_ONCE
        so_far = await asyncio.to_thread(in_page, browser, typed)
        assert LONG.startswith(so_far)
        await asyncio.to_thread(until, lambda: last_step(browser, "type")["outcome"] == "unknown")
        assert await asyncio.to_thread(in_page, browser, typed) == so_far
        assert len(so_far) < len(LONG)

    visit(browser, work, mode=mode)
    assert last_step(browser, "type")["outcome"] == "unknown"


def test_a_cell_that_is_cancelled_makes_no_further_call(browser: Browser, hall: Hall) -> None:
    browser.allow(hall.url)
    code = (
        "for n in range(5):\n    try:\n        page.wait_for(text='never seen')\n    except Exception:\n        pass\n"
        "    page.fill(\"textbox 'Name'\", f'try {n}')"
    )

    async def work(client: Client) -> None:
        await call(client, "open", url=hall.url)
        begun = time.monotonic()
        assert (
            await cancelled(client, lambda: time.monotonic() - begun > 1.5, "run_cell", code=code) < AT_ONCE
        )
        assert await asyncio.to_thread(in_page, browser, "document.getElementById('name').value") == ""

    visit(browser, work)


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_a_question_that_is_withdrawn_holds_nothing_up(browser: Browser, hall: Hall, mode: str) -> None:
    browser.allow(hall.url)
    asked: list[str] = []

    async def never(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        await asyncio.Event().wait()
        raise AssertionError

    async def work(client: Client) -> None:
        await call(client, "open", url=hall.url)
        seconds = await cancelled(client, lambda: asked, "click", target="button 'Delete order 7'")
        assert seconds < AT_ONCE
        assert "Hall" in await call(client, "snapshot")

    visit(browser, work, mode=mode, person=never)  # type: ignore[arg-type]
    assert hall.sent == []


@asynccontextmanager
async def connected(transport: str, mode: str, served: tuple[Path, KeptEntrance]) -> AsyncIterator[Client]:
    """The official client over a wire."""
    entrance = served[1]
    if transport == "stdio":
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "skillbook.cli", "mcp"],
            env={**os.environ, "SKILLBOOK_HOME": str(served[0])},
        )
        async with Client(stdio_client(command), mode=mode) as client:
            yield client
        return
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {entrance.token}"}, timeout=60)
    info = types.Implementation(name=f"Tester {mode}", version="1")
    async with Client(
        streamable_http_client(entrance.url, http_client=http), mode=mode, client_info=info
    ) as client:
        yield client


@pytest.mark.parametrize("mode", ["legacy", MODERN])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_over_every_wire_what_is_cancelled_ends_at_once(
    browser: Browser,
    hall: Hall,
    served: tuple[Path, KeptEntrance],
    transport: str,
    mode: str,
) -> None:
    browser.allow(hall.url)
    before = list(browser.pages)

    async def do() -> None:
        async with connected(transport, mode, served) as client:
            await call(client, "open", url=hall.url)
            begun = time.monotonic()
            waited = await cancelled(
                client, lambda: time.monotonic() - begun > 1, "wait_for", text="never seen"
            )
            assert waited < AT_ONCE
            assert await cancelled(client, lambda: "/2" in hall.read, "extract", next=True) < AT_ONCE

    asyncio.run(asyncio.wait_for(do(), 90))
    for page in [page for page in browser.pages if page not in before]:
        page.close()


def test_a_workflow_that_is_cancelled_stops_at_its_next_yield(
    browser: Browser, hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.allow(hall.url)
    said: list[int] = []
    over = Event()

    def counts(page: Page) -> Iterator[str]:
        """Count."""
        try:
            for number in range(200):
                said.append(number)
                yield f"{number} of 200"
                time.sleep(0.05)
        finally:
            over.set()

    monkeypatch.setitem(workflows._known, "counts", Workflow("counts", counts))

    async def work(client: Client) -> None:
        await call(client, "open", url=hall.url)
        assert await cancelled(client, lambda: len(said) > 3, "workflow_counts") < AT_ONCE
        assert await asyncio.to_thread(over.wait, AT_ONCE)
        assert len(said) < 200

    visit(browser, work, person=Person("approve"))
