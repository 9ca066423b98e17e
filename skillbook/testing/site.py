"""Serve the bundled demo sites, or any folder, on loopback for a demo or a test."""

from __future__ import annotations

import argparse
import sys
import threading
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from skillbook.testing.sites import SITES
from skillbook.testing.sites.web import Application, Request, Response

_LARGEST_BODY = 1_000_000


class Site:
    """A running server; a context manager that ends it.

    url: where it is, without a slash at the end.
    app: what answers, with what visitors did; None for a plain folder.
    """

    def __init__(self, server: ThreadingHTTPServer, app: Any = None) -> None:
        self.app = app
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="skillbook-site")
        self._thread.daemon = True
        self._thread.start()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """End the server; safe to call again."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Site {self.url}>"


class _Server(ThreadingHTTPServer):
    # A page may ask for dozens of scripts at once.
    request_queue_size = 128
    daemon_threads = True
    block_on_close = False


def serve_site(name: str = "shop", *, port: int = 0) -> Site:
    """Serve a bundled site on 127.0.0.1.

    Parameters
    ----------
    name : which one; `skillbook.testing.sites.SITES` has them.
    port : 0 for a free one.

    Raises
    ------
    KeyError : no site of that name.
    OSError : the port is taken.
    """
    return serve_app(SITES[name](), port=port)


def serve_app(app: Application, *, port: int = 0) -> Site:
    """Serve a site of yours on 127.0.0.1.

    port: 0 for a free one.
    Raises OSError: the port is taken.
    """
    return Site(_Server(("127.0.0.1", port), partial(_AppHandler, app)), app)


def serve_folder(path: str | Path, *, port: int = 0) -> Site:
    """Serve the files of a folder on 127.0.0.1.

    Parameters
    ----------
    path : the folder.
    port : 0 for a free one.

    Raises
    ------
    NotADirectoryError : `path` is no folder.
    OSError : the port is taken.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    return Site(_Server(("127.0.0.1", port), partial(_FolderHandler, directory=str(folder))))


class _Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: a notebook or a test run is on the other end of standard error."""


class _FolderHandler(_Quiet, SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


class _AppHandler(_Quiet):
    def __init__(self, app: Application, *args: Any) -> None:
        self._app = app
        super().__init__(*args)

    def do_GET(self) -> None:
        self._answer("GET", {})

    def do_HEAD(self) -> None:
        self._answer("HEAD", {})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > _LARGEST_BODY:
            self.close_connection = True
            self._send(Response("The request is too large.", status=413, kind="text/plain"))
            return
        self._answer("POST", _fields(self.rfile.read(int(length)).decode("utf-8", "replace")))

    def _answer(self, method: str, form: dict[str, str]) -> None:
        parts = urlsplit(self.path)
        request = Request(
            method="GET" if method == "HEAD" else method,
            path=parts.path,
            query=_fields(parts.query),
            form=form,
            cookies=_cookies(self.headers.get("Cookie", "")),
            host=self.headers.get("Host", ""),
        )
        self._send(self._app.respond(request), body=method != "HEAD")

    def _send(self, response: Response, *, body: bool = True) -> None:
        data = response.body if isinstance(response.body, bytes) else response.body.encode("utf-8")
        self.send_response(response.status)
        self.send_header("Content-Type", f"{response.kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        for name, value in response.headers.items():
            self.send_header(name, value)
        for name, value in response.cookies.items():
            self.send_header("Set-Cookie", f"{name}={value}; Path=/; SameSite=Lax")
        self.end_headers()
        if body:
            self.wfile.write(data)


def _fields(text: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}


def _cookies(header: str) -> dict[str, str]:
    pairs = (part.strip().partition("=") for part in header.split(";") if "=" in part)
    return {name: value for name, _, value in pairs}


def main() -> None:
    """Serve a bundled site until Ctrl-C: `python -m skillbook.testing.site shop --port 8123`."""
    parser = argparse.ArgumentParser("python -m skillbook.testing.site", description="Serve a bundled site.")
    parser.add_argument("name", nargs="?", default="shop", choices=sorted(SITES), help="shop by default")
    parser.add_argument("--port", type=int, default=0, help="a free one by default")
    given = parser.parse_args()
    with serve_site(given.name, port=given.port) as site, suppress(KeyboardInterrupt):
        sys.stdout.write(f"{given.name}: {site.url} (Ctrl-C ends it)\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
