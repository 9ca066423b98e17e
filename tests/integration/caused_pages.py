"""Small pages on which a press causes something that comes later, a kind each, and the server that they need."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
import tomllib
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from tests.integration.transparency_programs import page_script

HEAD = (
    "<!doctype html><meta charset=utf-8><title>caused</title><link rel=icon href=data:,><body>"
    "<script>const say=t=>{out.textContent=t}</script>"
    "<button id=go>Go</button><p id=out>start</p>"
)
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@dataclass(frozen=True)
class CausedPage:
    """A page: its script, what its output says once all is over, and whether it goes on for ever by itself."""

    script: str
    ends_with: str = "done"
    goes_on: bool = False
    """Something of it never ends."""


_SCRIPTS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_BESIDE = "const c=document.createElement('p');document.body.append(c);"
CLICKED: dict[str, CausedPage] = {
    **{name: CausedPage(script) for name, script in _SCRIPTS["clicked"].items()},
    **{
        f"timer beside a {name}": CausedPage(
            f"{_BESIDE}{script};go.onclick=()=>setTimeout(()=>say('done'),300)", goes_on=True
        )
        for name, script in _SCRIPTS["clocks"].items()
    },
    **{
        f"{name} by the press": CausedPage(f"{_BESIDE}go.onclick=()=>{{say('done');{script}}}", goes_on=True)
        for name, script in _SCRIPTS["clocks"].items()
    },
}
LOADED: dict[str, CausedPage] = {name: CausedPage(script) for name, script in _SCRIPTS["loaded"].items()}
SIGNED: dict[str, CausedPage] = {name: CausedPage(script) for name, script in _SCRIPTS["signed"].items()}


class CausedSite:
    """The server of these pages, on a thread."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


_DONE_PAGE = HEAD + "<script>say('done')</script>"
FILES = {
    "/inner": ("text/html", "<script>onmessage=e=>setTimeout(()=>e.source.postMessage(1,'*'),400)</script>"),
    "/storing": ("text/html", "<script>onmessage=()=>{localStorage.x=Math.random()}</script>"),
    "/worker.js": (
        "text/javascript",
        "onmessage=()=>fetch('/slow?ms=400').then(()=>postMessage(1))",
    ),
    "/shared.js": (
        "text/javascript",
        "onconnect=e=>{const p=e.ports[0];p.onmessage=()=>setTimeout(()=>p.postMessage(1),400)}",
    ),
    "/service.js": (
        "text/javascript",
        "onactivate=e=>e.waitUntil(clients.claim());onmessage=e=>setTimeout(()=>e.source.postMessage(1),300)",
    ),
    "/late.js": ("text/javascript", "setTimeout(()=>say('done'),200)"),
    "/module.js": ("text/javascript", "export const text='done'"),
    "/slow": ("application/json", '{"n":7}'),
    "/slow_page": ("text/html", _DONE_PAGE),
    "/late_page": (
        "text/html",
        HEAD + "<script>fetch('/slow?ms=300').then(()=>setTimeout(()=>say('done'),200))</script>",
    ),
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Write nothing."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.do_GET()

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        try:
            self._answer(parts.path, query)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _answer(self, path: str, query: dict[str, str]) -> None:
        pause = int(query.get("ms", 0)) / 1000
        if path == "/socket":
            return self._socket(int(query.get("then", 0)) / 1000)
        if path in {"/events", "/stream"}:
            return self._stream(path, pause, int(query["n"]))
        time.sleep(pause)
        if path == "/image":
            return self._send("image/png", PIXEL)
        kind, text = FILES.get(path, ("text/html", ""))
        if path.startswith("/program/"):
            seed, programs = path.split("/")[2:]
            text = f"{HEAD}<script>{page_script(int(seed), int(programs))}</script>"
        elif path.startswith("/page/"):
            pages: dict[str, Any] = {"clicked": CLICKED, "loaded": LOADED, "signed": SIGNED}[
                path.split("/")[2]
            ]
            script = list(pages.values())[int(path.split("/")[3])].script
            text = f"{HEAD}<script>{script}</script>"
        return self._send(kind, text.encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, path: str, pause: float, count: int) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if path == "/events" else "text/plain")
        self.send_header("Connection", "close")
        self.end_headers()
        for number in range(count):
            time.sleep(pause)
            self.wfile.write(f"data: {json.dumps(number)}\n\n".encode())
            self.wfile.flush()

    def _socket(self, then: float) -> None:
        """A WebSocket that answers each message after a while; with `then`, at once and again so many seconds later."""
        self.close_connection = True
        secret = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        accepted = base64.b64encode(hashlib.sha1(secret.encode()).digest()).decode()
        self.send_header("Sec-WebSocket-Accept", accepted)
        self.end_headers()
        while head := self.rfile.read(2):
            if head[0] & 15 == 8:
                return
            self.rfile.read(4 + (head[1] & 127))
            for pause in (0, then) if then else (0.4,):
                time.sleep(pause)
                self.wfile.write(b"\x81\x01x")
                self.wfile.flush()
