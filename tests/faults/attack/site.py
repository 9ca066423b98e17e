"""A hostile site that counts what arrives: each control sends a write in another way, under another disguise."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from skillbook.testing.site import Site, _Server

WAYS: dict[str, str] = {
    "fetch": "fetch('/write/fetch', {method: 'POST', body: 'x=1'})",
    "late fetch": "setTimeout(() => fetch('/write/late', {method: 'POST', body: 'x=1'}), 300)",
    "xhr": "const x = new XMLHttpRequest(); x.open('DELETE', '/write/xhr'); x.send()",
    "beacon": "navigator.sendBeacon('/write/beacon', 'x=1')",
    "keepalive": "fetch('/write/keepalive', {method: 'PUT', body: '{\"a\": 1}', keepalive: true})",
    "form": "document.getElementById('f').submit()",
    "hidden iframe": "const f = document.getElementById('f'); f.target = 'hid'; f.submit()",
    "worker": "w.postMessage('/write/worker')",
    "service worker itself": "navigator.serviceWorker.controller "
    "? navigator.serviceWorker.controller.postMessage('/write/sw') : "
    "fetch('/write/sw', {method: 'POST'}).finally(over)",
    "shared worker": "s.port.postMessage('/write/shared')",
    "foreign frame": "document.getElementById('far').contentWindow.postMessage('/write/far', '*')",
    "form into a foreign frame": "const g = document.getElementById('g'); g.submit()",
    "new foreign frame": "const i = document.createElement('iframe'); i.src = FAR + '/autosend'; "
    "document.body.append(i)",
    "blob worker": "new Worker(window.URL.createObjectURL(new Blob(["
    "`fetch('${location.origin}/write/blob', {method: 'POST', mode: 'no-cors'}).finally(() => postMessage(1))`])))"
    ".onmessage = over",
    "nested worker": "w.postMessage('nest')",
    "popup form": "const p = document.getElementById('f'); p.target = '_blank'; p.submit()",
    "popup that writes": "window.open('/autosend')",
    "popup window": "window.open('/items/9/delete', '_blank', 'width=300,height=300')",
    "popup window that writes": "window.open('/autosend', '_blank', 'width=300,height=300')",
    "popup without opener": "window.open('/items/10/delete', '_blank', 'noopener')",
    "popup without opener that writes": "window.open('/autosend', '_blank', 'noopener')",
    "empty popup": "window.open('').fetch(location.origin + '/write/empty', {method: 'POST', mode: 'no-cors'})",
    "sandboxed popup": "sandboxed.contentWindow.postMessage(location.origin + '/items/11/delete', '*')",
    "debugger driven off": "leaver.src = 'customscheme://x'; "
    "setTimeout(() => fetch('/write/off', {method: 'POST'}).finally(over), 1500)",
    "leaving": "window.addEventListener('pagehide', () => navigator.sendBeacon('/write/leaving', 'x')); "
    "location.href = '/x'",
    "leaving for another site": "window.addEventListener('pagehide', () => navigator.sendBeacon('/write/left', 'x')); "
    "location.href = FAR + '/x'",
    "location": "location.href = '/items/5/delete'",
    "get by fetch": "fetch('/items/6/delete')",
    "get by image": "new Image().src = '/items/7/delete'",
    "get in a popup": "window.open('/items/8/delete')",
    "cross origin": "fetch(FAR + '/write/cross', {method: 'POST', mode: 'no-cors', body: 'a=1'})",
    "redirected": "fetch('/redirect', {method: 'POST', body: 'x=1'})",
}

OVER = "It is over."
"""What the page shows once what it sent has come to an end, one way or the other."""
TAKES_TIME = frozenset(
    {
        "worker",
        "blob worker",
        "nested worker",
        "service worker itself",
        "new foreign frame",
        "debugger driven off",
    }
)
"""What has to start something first, or waits itself; the page shows `OVER` for these."""
_WORKER = """
const over = () => postMessage('over');
onmessage = ({data}) => {
  if (data === 'nest') new Worker('/nested.js').onmessage = over;
  else fetch(data, {method: 'POST', body: 'x=1'}).finally(over);
};
"""
_NESTED = "fetch('/write/nested', {method: 'POST', body: 'x=1'}).finally(() => postMessage('over'));"
_SHARED = """
onconnect = ({ports: [port]}) => { port.onmessage = ({data}) => fetch(data, {method: 'POST', body: 'x=1'}); };
"""
_SERVICE = """
addEventListener('install', () => skipWaiting());
addEventListener('activate', (e) => e.waitUntil(clients.claim()));
addEventListener('fetch', (e) => e.respondWith(fetch(e.request)));
addEventListener('message', (e) => e.waitUntil(
  fetch(e.data, {method: 'POST', body: 'x=1'}).finally(() => e.source.postMessage('over'))));
"""
_FAR = """<!doctype html><script>
onmessage = ({data}) => typeof data === 'string' && fetch(data, {method: 'POST', body: 'x=1'});
</script>far"""
_TELL = "fetch(decodeURIComponent(location.search.slice(1)), {mode: 'no-cors'}).catch(() => 0)"
_XSLT = '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/c/zeta-c6/delete"?><a/>'
_AUTO = """<!doctype html><script>
fetch('/write/autosend', {method: 'POST', body: 'x=1'}).finally(() => parent.postMessage('over', '*'))
</script>auto"""


@dataclass
class Attack:
    """What the site serves, and what it got.

    Attributes
    ----------
    arrived : method and path of every request that may change something.
    all : method and path of every request.
    raw : every request as it came: method, address, headers, body.
    """

    service_worker: bool = False
    far: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    arrived: list[str] = field(default_factory=list)
    all: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, target: str, body: bytes) -> tuple[int, str, str]:
        """Status, content type and text."""
        path = urlsplit(target).path
        writes = method not in {"GET", "HEAD", "OPTIONS"} or "delete" in target
        with self.lock:
            self.all.append(f"{method} {path}")
            if writes:
                self.arrived.append(f"{method} {path}")
        kind = "text/javascript" if path.endswith(".js") else "text/html"
        if path == "/c/xslt":
            return 200, "text/xml", _XSLT
        if path == "/redirect":
            return 307, kind, "/write/redirected"
        if path == "/to":  # an open redirect
            said = parse_qs(urlsplit(target).query)
            return int(said.get("status", ["302"])[0]), kind, said["url"][0]
        return 200, kind, self.text(path, parse_qs(urlsplit(target).query))

    def text(self, path: str, query: dict[str, list[str]]) -> str:
        """What is at an address."""
        scripts = {
            "/w.js": _WORKER,
            "/nested.js": _NESTED,
            "/s.js": _SHARED,
            "/sw.js": _SERVICE,
            "/tell.js": _TELL,
        }
        if path in scripts:
            return scripts[path]
        if path in self.pages:
            return f"<!doctype html><title>{path}</title><script>{self.register()}</script>{self.pages[path]}"
        if path == "/far":
            return _FAR
        if path == "/autosend":
            return _AUTO
        return self.home() if path == "/" else f"<!doctype html><title>{path}</title>{path}"

    def register(self) -> str:
        """The script that puts a page into a service worker's hands, where the site has one."""
        return (
            "navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)"
            ".then(() => navigator.serviceWorker.controller"
            " || new Promise(r => navigator.serviceWorker.oncontrollerchange = r))"
            ".then(() => document.title = 'controlled');"
            if self.service_worker
            else ""
        )

    def home(self) -> str:
        """The page with a control for each way of sending."""
        buttons = "".join(
            f'<p><button onclick="{code.replace(chr(34), "&quot;")}">{name}</button></p>'
            for name, code in WAYS.items()
        )
        return f"""<!doctype html><title>attack</title><h1>Ways to send</h1>
        <form id=f method=post action=/write/form><input name=x value=1></form>
        <form id=g method=post action="{self.far}/write/farform" target=farframe><input name=x value=1></form>
        <iframe name=hid hidden></iframe><iframe id=far name=farframe src="{self.far}/far"></iframe>
        <iframe id=leaver></iframe>
        <iframe id=sandboxed sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
        srcdoc="<script>onmessage = ({{data}}) => window.open(data)</script>"></iframe>
        <script>const FAR = '{self.far}'; const w = new Worker('/w.js'); const s = new SharedWorker('/s.js');
        const over = () => document.body.append('{OVER}');
        onmessage = w.onmessage = ({{data}}) => data === 'over' && over(); s.port.start();
        if (navigator.serviceWorker) navigator.serviceWorker.onmessage = over;
        {self.register()}</script>{buttons}"""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # an answer in one packet: browsers acknowledge the first of two late

    def __init__(self, attack: Attack, *args: Any) -> None:
        self._attack = attack
        super().__init__(*args)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def handle(self) -> None:
        """A browser may drop a connection that a blocked request has opened."""
        with suppress(ConnectionError):
            super().handle()

    def _do(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        head = f"{self.command} {self.path}\n{self.headers}"
        self._attack.raw.append(head + body.decode(errors="backslashreplace"))
        status, kind, text = self._attack.answer(self.command, self.path, body)
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Methods", "*")
        self.send_header("Cache-Control", "no-store")
        if self.path.endswith("?coop"):
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        if 300 <= status < 400:
            self.send_header("Location", text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _do


def serve_attack(*, service_worker: bool = False, far: str = "", pages: dict[str, str] | None = None) -> Site:
    """Serve the site; `site.app.arrived` has what arrived."""
    attack = Attack(service_worker, far, pages or {})
    return Site(_Server(("127.0.0.1", 0), partial(_Handler, attack)), attack)
