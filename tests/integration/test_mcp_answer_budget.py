"""No answer over MCP is over its token budget, whichever tool answers, on a page with much of everything."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.client_tools import client_tools
from skillbook.perception.text.tokens import count_tokens
from skillbook.session.sync import Browser
from tests.integration.test_mcp_server import MODERN, Person, visit

IN_A_ROW = 5
_BODY = (
    "<title>Long</title><main><button onclick='change()'>Change all</button><button>Other</button>"
    "<label>Name <input></label><label>Sure <input type=checkbox></label>"
    f"<label>Kind <select>{''.join(f'<option>Kind {n}' for n in range(400))}</select></label><table>"
    "<tr><th>Number</th><th>Text</th><th>Link</th></tr></table></main><script>"
    "const table = document.querySelector('table'), long = 'a long text that goes on '.repeat(200);"
    "for (let n = 0; n < ROWS; n++) { const row = table.insertRow(); row.insertCell().textContent = n;"
    "  row.insertCell().textContent = n % 100 ? `Row ${n}` : long;"
    "  row.insertCell().innerHTML = `<a href=/${n}>Link ${n}</a>`; }"
    "for (let n = 0; n < 1000; n++) console.error(`line ${n} of the log`);"
    "function change() { for (const cell of document.querySelectorAll('td:nth-child(2)')) cell.textContent += ' now';"
    "  for (let n = 0; n < 1000; n++) fetch(`/quiet?${n}`); }</script>"
)
CALLS: dict[str, list[dict[str, Any]]] = {
    "snapshot": [{}, {"mode": "interactive"}, {"of": "summary"}],
    "find": [{"by": "words", "query": "link"}, {"by": "site", "query": "text"}],
    "wait_for": [{"text": "Row 1"}],
    "screenshot": [{}],
    "get": [{"what": what, "target": "main"} for what in ("text", "html")]
    + [{"what": "options", "target": "combobox 'Kind'"}],
    "console": [{}],
    "click": [{"target": "link"}, {"target": "button 'Change all'"}],
    "fill": [{"target": "textbox 'Name'", "value": "x" * 30_000}],
    "type": [{"target": "textbox 'Name'", "text": "y"}],
    "press": [{"key": "Tab"}],
    "check": [{"target": "checkbox 'Sure'"}],
    "select": [
        {"target": "combobox 'Kind'", "values": ["Kind 3"]},
        {"target": "combobox 'Kind'", "values": ["No"]},
    ],
    "drag": [{"target": "button 'Other'", "to": "textbox 'Name'"}],
    "scroll": [{"to": "bottom"}],
    "upload": [{"target": "textbox 'Name'", "files": ["nothing.txt"]}],
    "handle_dialog": [{"accept": True}],
    "page_tool": [{}],
    "tables": [{}],
    "extract": [{}],
    "tabs": [{"do": "list"}],
    "read": [{}],
    "run_cell": [{"code": "page.markdown()"}, {"code": "print('a line\\n' * 20000)"}],
    "open": [{"url": "same"}],
}
NOT_TRIED = {"more", "ask_person"}
"""`more` is tried on whatever was cut; a request for help has no text of the page."""


QUICK: dict[str, list[dict[str, Any]]] = {
    "snapshot": [{}],
    "find": [{"by": "words", "query": "link"}],
    "get": [{"what": "html", "target": "main"}],
    "extract": [{}],
    "click": [{"target": "button 'Change all'"}],
}
"""What shows most of the page's own text."""


@pytest.fixture
def long_page(request: pytest.FixtureRequest) -> Iterator[str]:
    """A page with a table of so many elements that its script makes, some with long texts."""
    page = _BODY.replace("ROWS", str(request.param // IN_A_ROW)).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page if self.path == "/" else b"")

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_every_tool_is_tried() -> None:
    offered = {tool.name for tool in client_tools(read_only=False, cells=True, page_tools=True)}
    assert offered == CALLS.keys() | NOT_TRIED


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("long_page", "tried"),
    [(2_000, QUICK), pytest.param(10_000, CALLS, marks=pytest.mark.soak)],
    indirect=["long_page"],
)
def test_no_answer_about_a_long_page_is_over_the_budget(
    browser: Browser, long_page: str, tried: dict[str, list[dict[str, Any]]]
) -> None:
    limits = ClientLimits(answer_tokens=1000)
    browser.allow(long_page)
    lengths: dict[str, int] = {}

    async def ask(client: Client, name: str, args: dict[str, Any]) -> str:
        result = await client.call_tool(name, args)
        text = "\n".join(each.text for each in result.content if isinstance(each, types.TextContent))
        lengths[f"{name} {str(args)[:60]}"] = count_tokens(text)
        return text

    async def work(client: Client) -> None:
        await ask(client, "open", {"url": long_page})
        cut = ""
        for name, calls in tried.items():
            for args in calls:
                text = await ask(client, name, {"url": long_page} if name == "open" else args)
                cut = text if "`more` with answer='" in text else cut
        answer = cut.rpartition("`more` with answer='")[2].partition("'")[0]
        start = int(cut.rpartition("start=")[2].partition(" ")[0])
        assert "[page-content" not in await ask(client, "more", {"answer": answer, "start": start})

    visit(browser, work, mode=MODERN, person=Person("approve"), limits=limits, seconds=560)
    over = {call: length for call, length in lengths.items() if length > limits.answer_tokens}
    assert not over
    assert sum(length > limits.answer_tokens // 2 for length in lengths.values()) >= 4, lengths
