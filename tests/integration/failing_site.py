"""A site whose answers fail as their addresses say, to see what is made of that."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class FailingSite:
    """Answers `/answer/500` with that status, `/broken` not at all, `/flaky` with 500 and then 200; `/` is `html`.

    Attributes
    ----------
    html : the page.
    home_status : what the page comes with.
    statuses : what an address is answered with instead.
    arrived : method and path of each request but the page's.
    unanswered : how many of these have no answer yet.
    """

    def __init__(self) -> None:
        self.html = ""
        self.home_status = 200
        self.statuses: dict[str, int] = {}
        self.arrived: list[str] = []
        self.unanswered = 0
        site, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path = self.path.partition("?")[0]
                if path in ("/favicon.ico", "/robots.txt"):
                    return self.answer(404, "")
                if path in ("/", "/index.html"):
                    return self.answer(site.home_status, site.html)
                with lock:
                    site.unanswered += 1
                site.arrived.append(f"{self.command} {path}")
                try:
                    self.answer_as(path)
                finally:
                    with lock:
                        site.unanswered -= 1

            def answer_as(self, path: str) -> None:
                if path == "/broken":
                    return self.connection.close()
                if path.startswith("/slow/"):
                    time.sleep(0.4)
                last = path.rpartition("/")[2]
                status = int(last) if last.isdecimal() else 200
                if path == "/flaky":
                    status = 500 if site.arrived.count(f"{self.command} /flaky") == 1 else 200
                return self.answer(site.statuses.get(path, status), f"<title>{path}</title><p>{path}</p>")

            do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = do_GET

            def answer(self, status: int, text: str) -> None:
                self.send_response(status)
                if status in (301, 302, 303):
                    self.send_header("Location", "/answer/200")
                self.send_header("Content-Type", "text/html")
                self.send_header("Access-Control-Allow-Origin", "*")
                body = b"" if status in (204, 304) or self.command == "HEAD" else text.encode()
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@contextmanager
def serve_failing() -> Iterator[FailingSite]:
    """Serve one for a while."""
    site = FailingSite()
    try:
        yield site
    finally:
        site.server.shutdown()
        site.server.server_close()
