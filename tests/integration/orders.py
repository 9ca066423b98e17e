"""A shop that counts orders, and a skill that places one: what happens twice is seen here."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from skillbook.skill import Skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput, SkillOutput
from skillbook.skill.model.spec_steps import Send, SkillStep, StepTarget

_FORM = (
    "<!doctype html><title>Order</title><form method=post action=/orders>"
    "<input type=hidden name=number value={0}><button>Place order {0}</button></form>"
)


class Shop:
    """The server; `orders` counts what was ordered, `on_order` is called before it answers."""

    def __init__(self) -> None:
        self.url = ""
        self.orders: Counter[int] = Counter()
        self.visits: Counter[int] = Counter()
        self.busy: dict[int, float] = {}
        """How many seconds each of these numbers asks everybody to wait, once."""
        self.sold_out: set[int] = set()
        self.asked_to_wait_at = 0.0
        self.visited_at: dict[int, float] = {}
        self.robots = ""
        self.robots_reads = 0
        self.on_order: Callable[[int, tuple[str, int]], None] = lambda number, peer: None
        self.on_visit: Callable[[int, tuple[str, int]], None] = lambda number, peer: None


@contextmanager
def serve_shop(ip: str) -> Iterator[Shop]:
    """Serve it on that address."""
    shop = Shop()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            if asked.path == "/robots.txt":
                shop.robots_reads += 1
                self._answer(shop.robots, 200 if shop.robots else 404)
                return
            number = int(parse_qs(asked.query).get("number", ["-1"])[0])
            if asked.path == "/order":
                shop.visits[number] += 1
                shop.visited_at[number] = time.monotonic()
                shop.on_visit(number, self.client_address)
            seconds = shop.busy.pop(number, None)
            if seconds is not None:
                shop.asked_to_wait_at = time.monotonic()
                self._answer("<!doctype html><title>Too many</title>", 429, retry_after=f"{seconds:g}")
                return
            if number in shop.sold_out:
                self._answer("<!doctype html><title>Order</title><h1>Sold out</h1>", 200)
                return
            self._answer(
                _FORM.format(number) if asked.path == "/order" else "", 200 if asked.path == "/order" else 404
            )

        def do_POST(self) -> None:
            body = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            number = int(body["number"][0])
            shop.orders[number] += 1
            shop.on_order(number, self.client_address)
            self._answer(f"<!doctype html><title>Thanks</title><h1>Order {number} placed</h1>", 200)

        def _answer(self, text: str, status: int, retry_after: str = "0") -> None:
            self.send_response(status)
            self.send_header("Retry-After", retry_after)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

    server = ThreadingHTTPServer((ip, 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    shop.url = f"http://{ip}:{server.server_address[1]}"
    try:
        yield shop
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def order_skill(site: str) -> Skill:
    """Places the order of a number and reads what the shop says."""
    press = SkillStep(
        command="click", target=StepTarget(selectors=["button /Place order/"]), irreversible=True
    )
    read = SkillStep(
        command="get", params={"what": "text"}, target=StepTarget(selectors=["heading"]),
        output=SkillOutput(name="said", type="str"),
    )  # fmt: skip
    return Skill(
        SkillSpec(
            name="place-order", description="Places an order.", inputs=[SkillInput(name="number", type="int")],
            start=f"{site}/order?number=${{input:number}}", origins=[site], steps=[press, read],
            sends=[Send(step=1, method="POST", origin=site, path="/orders", fields=["number"])],
        )
    )  # fmt: skip
