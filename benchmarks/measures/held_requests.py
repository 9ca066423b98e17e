"""What it costs a request that requests are held: one that only reads, and one that the policy judges."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.figures import Figure
from benchmarks.peers import Peers
from benchmarks.sites import Sites
from skillbook.io_thread import io
from skillbook.policy.rules import Actor
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
from skillbook.testing.site import Site

_REQUESTS = 50
_PAGE = b"<!doctype html><title>Empty</title><main>Empty</main>"
_SEND = """async ([method, times]) => {
  const body = method === 'POST' ? JSON.stringify({jsonrpc: '2.0', id: 1, method: 'list'}) : undefined;
  const began = performance.now();
  for (let at = 0; at < times; at++)
    await (await fetch('/list?page=' + at, {method, body, headers: {'content-type': 'application/json'}})).text();
  return (performance.now() - began) / times;
}"""


class _Answers(BaseHTTPRequestHandler):
    """Answers everything at once, in one packet: a browser acknowledges the first of two late."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65_536

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _do(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(_PAGE)))
        self.end_headers()
        self.wfile.write(_PAGE)

    do_GET = do_POST = _do


class _Nobody:
    """Decides on nothing: what is sent here passes by what it is."""

    key = "benchmark"
    actor: Actor = "agent"
    send_allowlist = card_seen = False

    async def judge(self, request: HeldRequest) -> RequestDecision:
        return RequestDecision(False, "the benchmark asks nobody")


def measure(peers: Peers, _: Sites, rounds: int) -> Iterator[Figure]:
    """Requests one after the other, with and without being held, in turns."""
    took: dict[tuple[str, bool], list[float]] = {}
    with (
        Site(ThreadingHTTPServer(("127.0.0.1", 0), _Answers)) as site,
        peers.open(site.url, "empty page", "main") as tab,
    ):
        requests = tab.ours.driver.requests
        for _ in range(rounds + 1):
            for held in (False, True):
                if held:
                    io.sync(requests.attach(_Nobody()))
                for method in ("GET", "POST"):
                    took.setdefault((method, held), []).append(
                        tab.theirs.evaluate(_SEND, [method, _REQUESTS])
                    )
                io.sync(requests.release_held_requests())
    for method, name in (("GET", "one that only reads"), ("POST", "one that is judged")):
        median = {held: sorted(took[method, held])[rounds // 2] for held in (False, True)}
        note = f"{median[False]:.1f} ms without, {median[True]:.1f} ms with; nothing where only a person acts"
        more = median[True] - median[False]
        yield Figure(f"holding a request: {name}", "empty page", more, None, "ms", "at most", 3, note)
