"""What a page exchanges with the network: seen, written to a file, mocked, blocked; a server counts what arrives."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest

import skillbook as sb
from skillbook.errors import CommandTimeout, InvalidParams
from skillbook.session.sync import Browser, Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from tests.shown import after_reading
from tests.waiting import until

PAGE = """<!doctype html><title>Orders</title><p id="out"></p><script>
const show = (text) => { document.getElementById("out").textContent = text; };
const send = (url, options) => fetch(url, options).then(
  async (r) => show(`${r.status} ${await r.text()}`), () => show("failed"));
</script>
<button onclick="send('/api/list?token=abcd1234')">List</button>
<button onclick="send('/api/orders', {method: 'POST', headers: {'content-type': 'application/json',
  authorization: 'Bearer letmein'}, body: JSON.stringify({item: 7, password: 'hunter2'})})">Order</button>
<button onclick="send('/api/hop')">Hop</button>
<button onclick="send(new URLSearchParams(location.search).get('far') + '/api/far',
  {method: 'PUT', headers: {'x-own': '1'}})">Far</button>
<button onclick="send('/api/large')">Large</button>
<button onclick="setTimeout(() => send('/api/late'), 700)">Late</button>
<button onclick="setInterval(() => fetch('/api/poll'), 150)">Poll</button>
"""


class Handler(BaseHTTPRequestHandler):
    far: ClassVar[str] = ""

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = urlsplit(self.path).path
        self.server.seen.append((self.command, path, dict(self.headers), body))  # type: ignore[attr-defined]
        if path == "/api/hop":
            self.send_response(302)
            self.send_header("location", f"{Handler.far}/landed")
            self.end_headers()
            return
        text = PAGE if path == "/" else json.dumps({"path": path, "session_token": "s3cret"})
        if path == "/api/large":
            text = json.dumps("x" * 50_000)
        self.send_response(201 if self.command == "POST" else 200)
        self.send_header("content-type", "text/html" if path == "/" else "application/json")
        self.send_header("set-cookie", "sid=cookievalue")
        self.send_header("access-control-allow-origin", "*")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = do_PUT = do_OPTIONS = answer

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Recorder:
    """A server that keeps what arrives."""

    def __init__(self) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.seen = self.seen = []  # type: ignore[attr-defined]
        self.seen: list[tuple[str, str, dict[str, str], bytes]]
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def arrived(self, path: str) -> list[str]:
        return [method for method, each, _, _ in self.seen if each == path]


@pytest.fixture(scope="module")
def near() -> Iterator[Recorder]:
    recorder = Recorder()
    yield recorder
    recorder.server.shutdown()


@pytest.fixture(scope="module")
def far() -> Iterator[Recorder]:
    recorder = Recorder()
    Handler.far = recorder.url
    yield recorder
    recorder.server.shutdown()


@pytest.fixture(scope="module")
def watched(browser: Browser, near: Recorder, far: Recorder) -> Iterator[Page]:
    page = browser.open(f"{near.url}/?far={far.url}")
    yield page
    page.close()


@pytest.fixture
def page(watched: Page, near: Recorder, far: Recorder) -> Page:
    watched.network.clear()
    near.seen.clear()
    far.seen.clear()
    return watched


def press(page: Page, name: str) -> Any:
    page.wait_for(load=True)
    result = page.click(f"button '{name}'")
    return result


def shown(page: Page, text: str) -> None:
    page.wait_for(text=text, timeout=20)


def test_nothing_is_watched_before_it_is_wanted(browser: Browser, near: Recorder) -> None:
    fresh = browser.open(near.url)
    try:
        assert press(fresh, "List").requests == ()
        assert not fresh.driver.network.on
    finally:
        fresh.close()


def test_a_page_is_observed_from_its_first_request_if_that_is_wanted(
    browser: Browser, near: Recorder
) -> None:
    page = browser.open(near.url, observe="network")
    try:
        first = page.network.requests.iloc[0]
        assert (first["type"], first["status"]) == ("document", 200)
        (sent,) = press(page, "List").requests
        assert sent.url.startswith(f"{near.url}/api/list")
    finally:
        page.close()
    with pytest.raises(InvalidParams, match="nothing is known of 'headers'"):
        browser.open(near.url, observe=["network", "headers"])


def test_requests_are_a_table_and_each_result_has_its_own(page: Page) -> None:
    result = press(page, "Order")
    shown(page, "/api/orders")
    (sent,) = result.requests
    assert (sent.method, sent.status, sent.step) == ("POST", 201, "click button 'Order'")
    press(page, "List")
    page.wait_for(request="/api/list")
    frame = page.network.requests
    assert list(frame.columns) == [
        "method",
        "address",
        "status",
        "type",
        "size",
        "time",
        "step",
        "source",
        "error",
        "by_itself",
    ]
    assert frame.method.tolist() == ["POST", "GET"]
    assert frame.type.tolist() == ["fetch", "fetch"]
    assert (frame["size"] > 50).all()
    assert (frame.time > 0).all()
    assert "abcd1234" not in frame.address.iloc[1]
    assert "token=" in frame.address.iloc[1]
    assert repr(page.network) == "<Network 2 requests>"


def test_bodies_are_read_with_secrets_masked(page: Page) -> None:
    n = press(page, "List").requests[0].n
    page.wait_for(request="/api/list")
    assert page.network.json(n) == {"path": "/api/list", "session_token": "••••••"}
    assert "s3cret" not in page.network.body(n)
    with pytest.raises(InvalidParams, match="isn't there"):
        page.network.body(n + 100)
    page.reload()
    assert page.network.json(n)["path"] == "/api/list", "it is kept when its document is gone"
    document = page.network.requests.query("type == 'document'").index[-1]
    with pytest.raises(InvalidParams, match="no JSON, it is text/html"):
        page.network.json(document)


def test_the_archive_is_har_1_2_without_secrets(page: Page, tmp_path: Path) -> None:
    press(page, "Order")
    page.wait_for(request="/api/orders")
    press(page, "Hop")
    page.wait_for(request="/landed")
    text = page.network.har(tmp_path / "page.har").read_text(encoding="utf-8")
    for secret in ("letmein", "hunter2", "s3cret", "cookievalue"):
        assert secret not in text
    check_har(json.loads(text))
    entries = json.loads(text)["log"]["entries"]
    assert [entry["response"]["status"] for entry in entries] == [201, 302, 200]
    assert entries[0]["request"]["postData"]["text"] == '{"item":7,"password":"••••••"}'
    assert entries[1]["response"]["redirectURL"] == f"{Handler.far}/landed"


def check_har(archive: Any) -> None:
    """What the specification of HAR 1.2 requires of each part, with types."""
    log = archive["log"]
    assert log["version"] == "1.2"
    assert log["creator"].keys() >= {"name", "version"}
    ids = {page["id"] for page in log["pages"]}
    for page in log["pages"]:
        assert page.keys() >= {"startedDateTime", "id", "title", "pageTimings"}
    for entry in log["entries"]:
        assert entry["pageref"] in ids
        assert datetime.fromisoformat(entry["startedDateTime"]).tzinfo is not None
        assert abs(entry["time"] - sum(v for v in entry["timings"].values() if v > 0)) < 1e-6
        assert entry["timings"].keys() >= {"send", "wait", "receive"}
        assert entry["cache"] == {}
        check_message(entry["request"], {"method": str, "url": str, "queryString": list})
        check_message(
            entry["response"], {"status": int, "statusText": str, "content": dict, "redirectURL": str}
        )
        assert isinstance(entry["response"]["content"]["size"], int)
        assert isinstance(entry["response"]["content"]["mimeType"], str)
        if "postData" in entry["request"]:
            assert entry["request"]["postData"].keys() >= {"mimeType", "params", "text"}


def check_message(message: Any, more: dict[str, type]) -> None:
    fields = {
        "httpVersion": str,
        "cookies": list,
        "headers": list,
        "headersSize": int,
        "bodySize": int,
        **more,
    }
    for name, kind in fields.items():
        assert isinstance(message[name], kind), name
    for header in [*message["headers"], *message.get("queryString", [])]:
        assert header.keys() == {"name", "value"}
        assert isinstance(header["value"], str)


def test_what_is_mocked_or_blocked_never_leaves(
    page: Page, near: Recorder, far: Recorder, tmp_path: Path
) -> None:
    page.network.mock("/api/list", json={"rows": [1, 2]})
    result = press(page, "List")
    shown(page, '200 {"rows": [1, 2]}')
    assert result.requests[0].source == "mock"
    page.network.mock("/api/orders", status=503, text="busy", method="POST")
    press(page, "Order")
    shown(page, "503 busy")
    (tmp_path / "far.json").write_text('"from a file"', encoding="utf-8")
    page.network.mock(f"{far.url}/*", file=tmp_path / "far.json")
    press(page, "Far")
    shown(page, '200 "from a file"')
    assert far.seen == [], "neither the request nor its preflight left"
    page.network.block("/api/list")
    assert press(page, "List").requests[0].source == "block"
    shown(page, "failed")
    assert near.arrived("/api/list") == near.arrived("/api/orders") == []
    assert "block */api/list*" in repr(page.network)
    page.network.clear()
    press(page, "List")
    shown(page, "200")
    page.wait_for(request="/api/list")
    assert near.arrived("/api/list") == ["GET"]
    with pytest.raises(InvalidParams, match="one body"):
        page.network.mock("/x", json=1, text="2")


def test_mocks_hold_in_the_documents_after(page: Page, near: Recorder) -> None:
    page.network.mock("/api/list", text="mocked")
    page.reload()
    press(page, "List")
    shown(page, "200 mocked")
    assert near.arrived("/api/list") == []


def test_headers_go_to_their_origin_alone(page: Page, near: Recorder, far: Recorder) -> None:
    page.network.headers({"X-Trial": "yes"})
    press(page, "Hop")
    page.wait_for(request="/landed")
    sent = {path: headers for _, path, headers, _ in [*near.seen, *far.seen]}
    assert sent["/api/hop"].get("X-Trial") == "yes"
    assert "x-trial" not in {name.lower() for name in sent["/landed"]}, "where it was redirected gets none"
    page.network.headers(None)
    press(page, "List")
    page.wait_for(request="/api/list")
    assert "X-Trial" not in near.seen[-1][2]


def test_a_mock_opens_no_hole_in_what_is_held(
    page: Page, near: Recorder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page.network.mock("/api/list", text="mocked")
    page.network.headers({"X-HTTP-Method-Override": "DELETE"})
    monkeypatch.chdir(tmp_path)
    steps = [ToolCall("click", {"target": "button 'Order'"}), lambda seen: seen[-1].text]
    with OpenAIServer(steps) as server:
        for name, value in {"HOME": str(tmp_path), "BASE_URL": server.base_url, "MODEL": "scripted"}.items():
            monkeypatch.setenv(f"SKILLBOOK_{name}", value)
        run = sb.agent(page, "Do it.", autonomy="all")
        run.run()
        try:
            assert run.pending is not None
            assert near.arrived("/api/orders") == []
            after_reading(run).approve()
            run.run()
            assert near.arrived("/api/orders") == ["POST"]
            assert "It sent:" in str(run.result)
            assert "POST /api/orders 201" in str(run.result)
        finally:
            run.stop()


def test_bodies_are_kept_up_to_a_limit(page: Page) -> None:
    numbers = []
    page.driver.network.log.limit, limit = 4_000, page.driver.network.log.limit
    try:
        for _ in range(6):
            numbers.append(press(page, "List").requests[0].n)
            page.wait_for(request="/api/list")
        with pytest.raises(InvalidParams, match="isn't kept any more"):
            page.network.body(numbers[0])
        assert "older ones dropped" in repr(page.network)
    finally:
        page.driver.network.log.limit = limit


def test_waiting_for_a_request(page: Page) -> None:
    press(page, "Late")
    page.wait_for(request="*/api/late", timeout=20)
    assert re.search("late", page.network.requests.address.iloc[-1])
    with pytest.raises(CommandTimeout, match="no answer to it within"):
        page.wait_for(request="/never", timeout=0.3)


def test_what_a_page_polls_for_is_no_action_s_doing(page: Page, near: Recorder) -> None:
    page.reload()
    press(page, "Poll")
    until(lambda: len(near.arrived("/api/poll")) >= 5, "the page doesn't poll")
    page.wait_for(request="/api/poll")
    sent = press(page, "List").requests
    assert [each.by_itself for each in sent if "/api/list" in each.url] == [False]
    until(lambda: page.network.requests.by_itself.any(), "a poll is taken for an action's")
    assert page.network.requests.query("by_itself").address.str.contains("/api/poll").all()
    page.reload()
