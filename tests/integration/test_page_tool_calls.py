"""Calls of a page's tools: in frames, with structured answers, cancelled in time, declared late and removed."""

from __future__ import annotations

import asyncio
import os
import sys
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import skillbook as sb
from skillbook.errors import ApprovalRequired, CommandError, CommandTimeout, NotAllowed
from skillbook.io_thread import io
from skillbook.session.sync import Browser, Page
from tests.waiting import until

REGISTER = """const declare = (name, execute, more = {}) => document.modelContext.registerTool(
  {name, description: 'Says ' + name, inputSchema: {type: 'object', properties: {}}, execute, ...more.tool},
  more.options);
"""
PAGE = """<title>Desk</title><h1>Desk</h1><p id=said>nothing</p>
<button onclick="declare('late', () => 'here now')">Add</button>
<button onclick="ends.abort()">Remove</button>
<iframe src="/near?visit=7"></iframe><iframe src="http://localhost:PORT/far" allow="tools"></iframe>
<script>REGISTER
const ends = new AbortController();
const say = words => { document.getElementById('said').textContent = words; };
declare('rows', () => ({structuredContent: {rows: [1, 2]}, isError: false}));
declare('count', () => 3);
declare('long', () => ['x'.repeat(200000)]);
declare('fails', () => { throw new RangeError('out of lamps'); });
declare('leaves', () => { location.href = '/near'; return new Promise(() => {}); });
declare('peek', () => { say('peeked'); return 'a look'; }, {tool: {annotations: {readOnlyHint: true}}});
declare('waits', (args, {signal}) => new Promise(() => {
  say('waiting'); signal.addEventListener('abort', () => say('called off')); }));
declare('brief', () => new Promise(() => { say('waiting'); }), {options: {signal: ends.signal}});
</script>"""
FRAME = "<title>Frame</title><script>REGISTER declare('where', () => 'in ' + location.pathname)</script>"


class Site:
    """Serves the page on two origins: by number, and by name."""

    def __init__(self) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                port = str(self.server.server_address[1])
                page = PAGE if self.path == "/" else FRAME
                body = page.replace("REGISTER", REGISTER).replace("PORT", port).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.server.shutdown()


@pytest.fixture(scope="module", params=["trusted", "synthetic"])
def tool_browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """One that calls tools by its debugger, and one whose content scripts call them."""
    with sb.launch(page_tools=True, allow_evaluate=True, input=request.param) as browser:
        yield browser


@pytest.fixture
def page(tool_browser: Browser, site: Site) -> Iterator[Page]:
    page = tool_browser.open(site.url)
    until(lambda: has_frame(page, f"{site.url}/near"), "the frame is not there")
    yield page
    if page.closed is None:
        page.close()


def has_frame(page: Page, frame: str) -> bool:
    """Whether a frame's tools are listed; the page is loaded again where the browser never says which there are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {tool.frame for tool in page.page_tools()}
    if frame not in found and frame in page.driver.silent_frames:
        assert f'doesn\'t say which tools the frame "{frame}" has' in page.snapshot().text()
        page.reload()
    return frame in found


def said(page: Page) -> str:
    return page.get("text", "css '#said'")


def uses_debugger(page: Page) -> bool:
    return page.driver.browser.settings.input == "trusted"


def test_answers_are_values_and_too_long_ones_are_marked(page: Page) -> None:
    rows = page.call_page_tool("rows").data
    assert rows["value"] == {"structuredContent": {"rows": [1, 2]}, "isError": False}
    assert '"rows":[1,2]' in rows["answer"]
    count = page.call_page_tool("count").data
    assert str(count["value"]) == count["answer"] == "3"
    if uses_debugger(page):
        assert count["value"] == 3
    long = page.call_page_tool("long").data
    assert long["value"] is None
    assert long["answer"].endswith("x…")


def test_a_tool_that_fails_says_why(page: Page) -> None:
    with pytest.raises(CommandError, match="'fails' failed: ") as failed:
        page.call_page_tool("fails")
    if uses_debugger(page):
        assert "RangeError: out of lamps" in str(failed.value)


def test_frames_have_tools_of_their_own(tool_browser: Browser, page: Page, site: Site) -> None:
    near, far = f"{site.url}/near", f"http://localhost:{site.port}/far"
    found = until(
        lambda: (
            {tool.frame: tool.name for tool in page.page_tools() if tool.frame}
            if len(page.page_tools()) >= 10
            else None
        ),
        "a frame's tool is missing",
    )
    assert found == {near: "where", far: "where"}
    assert f'- "where"() in frame "{near}": "Says where"' in page.snapshot().text().splitlines()
    assert page.call_page_tool("where", frame=near).data["answer"] == "in /near"
    with pytest.raises(CommandError, match="declares no tool 'where'"):
        page.call_page_tool("where")
    with pytest.raises(CommandError, match="no frame at"):
        page.call_page_tool("where", frame=f"{site.url}/nowhere")
    with pytest.raises(NotAllowed, match="localhost"):
        page.call_page_tool("where", frame=far)
    tool_browser.allow(f"http://localhost:{site.port}")
    assert page.call_page_tool("where", frame=far).data["answer"] == "in /far"


def test_a_call_that_takes_too_long_is_called_off(page: Page) -> None:
    with pytest.raises(CommandTimeout, match="'waits' didn't answer"):
        page.call_page_tool("waits", timeout=3)
    until(lambda: said(page) == "called off", "the tool went on")


def test_an_interrupt_calls_it_off(page: Page) -> None:
    async def interrupted() -> None:
        call = asyncio.ensure_future(page.driver.act("call_page_tool", name="waits", args={}))
        while "waiting" not in (await page.driver.run("get", {"what": "text"}))["value"]:
            pass
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    io.sync(interrupted(), timeout=30)
    until(lambda: said(page) == "called off", "the tool went on")
    assert page.call_page_tool("count").data["answer"] == "3"


def test_tools_that_come_late_and_go(page: Page) -> None:
    assert "late" not in {tool.name for tool in page.page_tools()}
    page.click("button 'Add'")
    assert '"late"' in page.snapshot().text()
    assert page.call_page_tool("late").data["answer"] == "here now"
    page.click("button 'Remove'")
    assert '"brief"' not in page.snapshot().text()
    with pytest.raises(CommandError, match="declares no tool 'brief'"):
        page.call_page_tool("brief")


def test_a_tool_may_leave_its_page(page: Page) -> None:
    done = page.call_page_tool("leaves")
    assert done.navigated
    assert done.data["answer"] == ""
    assert page.url.endswith("/near")


def test_what_a_tool_says_of_itself_is_not_believed(page: Page, site: Site) -> None:
    """A tool that says it only reads is asked about like any other."""
    with pytest.raises(ApprovalRequired, match="runs the page's own code"):
        io.sync(page.driver.act("call_page_tool", name="peek", args={}, actor="agent", run="r"))
    asked: dict[str, Any] = {"name": "where", "args": {}, "frame": f"{site.url}/near"}
    with pytest.raises(ApprovalRequired, match="of the frame http://"):
        io.sync(page.driver.act("call_page_tool", **asked, actor="agent", run="r"))
    assert said(page) == "nothing"


def test_a_page_finds_no_tool_but_its_own(page: Page) -> None:
    said_by_page = page.evaluate(
        "(async () => [(await document.modelContext.getTools()).map(({name}) => name).sort(),"
        " typeof globalThis.chrome?.runtime, typeof navigator.modelContext, typeof globalThis.skillbook])()"
    )
    own = ["brief", "count", "fails", "leaves", "long", "peek", "rows", "waits", "where"]
    assert said_by_page == [own, "undefined", "undefined", "undefined"]


def test_over_mcp_one_tool_lists_and_calls_them_and_asks(site: Site, tmp_path: Path) -> None:
    asked: list[str] = []

    async def approve(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"decision": "approve"})

    command = StdioServerParameters(
        command=sys.executable,
        args=[
            "-m",
            "skillbook.cli",
            "mcp",
            "--own-browser",
            "--headless",
            "--page-tools",
            "--origins",
            site.url,
        ],
        env={**os.environ, "SKILLBOOK_HOME": str(tmp_path)},
    )

    async def call(client: Client, tool: str, **args: Any) -> str:
        result = await client.call_tool(tool, args)
        return "\n".join(each.text for each in result.content if isinstance(each, types.TextContent))

    async def do() -> tuple[str, str]:
        async with Client(stdio_client(command), mode="auto", elicitation_callback=approve) as client:
            assert "page_tool" in {tool.name for tool in (await client.list_tools()).tools}
            await call(client, "open", url=site.url)
            asked.clear()
            listed = await call(client, "page_tool")
            assert not asked
            return listed, await call(client, "page_tool", name="peek", args={})

    listed, answer = asyncio.run(asyncio.wait_for(do(), 90))
    assert "Says peek" in listed
    assert any("peek" in question and "page's own code" in question for question in asked), asked
    assert "a look" in answer
    for text in (listed, answer):
        assert "<page-content untrusted" in text, "the page's words are not fenced"
