"""A browser for the folder's tests, and sites that say what reached them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

import skillbook as sb
from skillbook.session.sync import Browser

Answer = str | tuple[int, str] | Callable[[str], "str | tuple[int, str]"]
"""A page's body, a status with a location, the seconds to wait or a body, or a function of the path that gives one."""


class CountingSite:
    """Pages by their paths; `"*"` answers for every other path.

    Attributes
    ----------
    requests : method and path of each request that reached the server, but for robots.txt and favicons.
    """

    def __init__(self, pages: Mapping[str, Answer]) -> None:
        self.requests: list[tuple[str, str]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                path = self.path
                if path in {"/robots.txt", "/favicon.ico"} and path not in pages:
                    self.send_error(404)
                    return
                site.requests.append((self.command, path))
                said: Answer | None = pages.get(path, pages.get("*"))
                given = said(path) if callable(said) else said
                status, text = given if isinstance(given, tuple) else (200 if given else 404, given or "none")
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", text)
                if status == 429:
                    self.send_header("Retry-After", text)
                body = text.encode()
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_: object) -> None:
                pass

            def handle(self) -> None:
                with suppress(ValueError, OSError):
                    super().handle()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def writes(self) -> list[tuple[str, str]]:
        """The requests that may have changed something."""
        return [one for one in self.requests if one[0] not in {"GET", "HEAD", "OPTIONS"}]

    def __enter__(self) -> CountingSite:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sb.launch() as browser:
        yield browser


@pytest.fixture
def site() -> Iterator[Callable[[Mapping[str, Answer]], CountingSite]]:
    with ExitStack() as stack:
        yield lambda pages: stack.enter_context(CountingSite(pages))
