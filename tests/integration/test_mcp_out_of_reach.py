"""A web page can't reach the bridge or the MCP server on loopback, and learns nothing from trying."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbook.mcp_server.kept_entrance import KeptEntrance
from skillbook.session.sync import Browser
from tests.integration.test_mcp_server import Shop, served  # noqa: F401

TRY = """async () => {
  const body = JSON.stringify({jsonrpc: '2.0', id: 1, method: 'tools/call',
    params: {name: 'open', arguments: {url: 'http://127.0.0.1/?reached'}}});
  const DEADLINE = 1500, within = (begin) => new Promise((done) => { setTimeout(done, DEADLINE); begin(done); });
  const learned = [], add = (port, how, what) => learned.push(`${port} ${how} ${what}`);
  for (const port of PORTS) {
    const at = `http://127.0.0.1:${port}/mcp`;
    for (const mode of ['cors', 'no-cors']) for (const method of ['GET', 'POST']) {
      const headers = {'Content-Type': mode === 'cors' ? 'application/json' : 'text/plain'};
      if (mode === 'cors') headers.Authorization = 'Bearer guessed';
      try {
        const signal = AbortSignal.timeout(DEADLINE);
        const answer = await fetch(at, {method, mode, headers, signal, ...(method === 'POST' ? {body} : {})});
        if (answer.type !== 'opaque') add(port, `${mode} ${method}`, answer.status);
      } catch { /* refused or unreadable: nothing was learned */ }
    }
    for (const path of ['/', '/mcp', '/bridge']) await within((done) => {
      const made = new WebSocket(`ws://127.0.0.1:${port}${path}`);
      made.onopen = () => { add(port, 'WebSocket', 'open'); made.send('{"token": "guessed"}\\n' + body); };
      made.onmessage = (event) => add(port, 'WebSocket', event.data);
      made.onclose = done;
    });
    await within((done) => {
      const made = new EventSource(at);
      made.onopen = () => { add(port, 'EventSource', 'open'); made.close(); done(); };
      made.onerror = () => { made.close(); done(); };
    });
    const frame = document.createElement('iframe');
    frame.name = `frame${port}`;
    document.body.append(frame);
    const form = document.body.appendChild(document.createElement('form'));
    Object.assign(form, {method: 'post', action: at, target: frame.name, enctype: 'text/plain'});
    const field = form.appendChild(document.createElement('input'));
    field.name = '{"token": "guessed"}\\n' + body; field.value = '';
    await within((done) => { frame.onload = done; form.submit(); });
    try { add(port, 'form', frame.contentDocument.URL + frame.contentDocument.body.innerText); }
    catch { /* the frame is of another origin: its page can't be read */ }
  }
  return learned;
}"""


@pytest.fixture
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.server.shutdown()


def test_a_page_that_knows_the_ports_reaches_nothing(
    browser: Browser,
    shop: Shop,
    served: tuple[Path, KeptEntrance],  # noqa: F811
) -> None:
    entrance = served[1]
    page = browser.open(shop.url)
    tabs = set(browser.driver.pages)
    ports = [entrance.port, entrance.socket_port, browser.driver.server.port]
    assert page.evaluate(f"({TRY.replace('PORTS', str(ports))})()") == []
    assert set(browser.driver.pages) == tabs
    page.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Host": "127.0.0.1", "Origin": "http://127.0.0.1:8888"},
        {"Host": "localhost", "Origin": "null"},
        {"Host": "127.0.0.1", "Origin": "chrome-extension://abcdefghijklmnopabcdefghijklmnop"},
        {"Host": "127.0.0.1.evil.example", "Authorization": "Bearer "},
    ],
)
def test_without_the_token_the_answer_says_nothing_whatever_host_and_origin_a_request_names(
    browser: Browser,
    served: tuple[Path, KeptEntrance],  # noqa: F811
    headers: dict[str, str],
) -> None:
    """A page whose own host name leads here (DNS rebinding) could read the answer."""
    entrance = served[1]
    for method in ("GET", "POST", "OPTIONS"):
        status, body, said = answer_of(entrance.port, method, headers)
        assert (status, body) == (401, ""), method
        assert "access-control" not in said
        status, body, said = answer_of(browser.driver.server.port, method, headers)
        assert status == 0 or status >= 400, method
        assert "access-control" not in said
        assert "skillbook" not in body.lower()
        assert answer_of(entrance.socket_port, method, headers) == (0, "", "")


def answer_of(port: int, method: str, headers: dict[str, str]) -> tuple[int, str, str]:
    """The status, the body and the head in small letters of what a port answers; 0 for nothing."""
    body = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    lines = [f"{method} /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close", "", body]
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as made:
        made.sendall("\r\n".join(lines).encode())
        try:
            while block := made.recv(65536):
                answer += block
        except ConnectionResetError:
            pass
    head, _, text = answer.decode().partition("\r\n\r\n")
    return int(head.split()[1]) if head else 0, text, head.lower()
