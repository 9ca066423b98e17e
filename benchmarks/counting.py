"""A loopback proxy in front of a site, which counts what reaches it."""

from __future__ import annotations

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import urlsplit

READS = frozenset({"GET", "HEAD", "OPTIONS"})
_HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})


class CountingProxy:
    """Passes requests on; a context manager that ends it.

    Parameters
    ----------
    origin : where the site is.

    Attributes
    ----------
    url : where the proxy is; the site sees it as its host.
    writes : method and path of each request that may have changed something.
    """

    def __init__(self, origin: str) -> None:
        self.writes: list[str] = []
        host = urlsplit(origin).netloc
        writes = self.writes

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self) -> None:
                if self.command not in READS:
                    writes.append(f"{self.command} {self.path}")
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                site = http.client.HTTPConnection(host, timeout=60)
                try:
                    site.request(self.command, self.path, body or None, dict(self.headers))
                    answer = site.getresponse()
                    content = answer.read()
                except OSError:
                    self.send_error(502)
                    return
                finally:
                    site.close()
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in _HOP_BY_HOP:
                        self.send_header(name, value.replace(f"//{host}", f"//{self.headers['Host']}"))
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_HEAD = do_OPTIONS = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
