"""Grants turned to something else: what was granted for one record, once, is tried for all that it isn't for.

Each attack changes one thing: the record, the count, a field that is sent, the button, the skill's file, the day, the
origin. The server has seen a deletion that nobody granted, or it has not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import skillbook as sb
from skillbook.session.sync import Browser
from skillbook.skill import load_skill
from tests.faults.attack.sends import Tried

TITLE = "Grants used for something else"
_PAGE = """<title>Orders</title><h1>Orders</h1><table><thead><tr><th>Name<th>Cost<th></tr></thead><tbody>{rows}</tbody>
</table><p role="status" id="out"></p><script>{script}</script>"""
_ROW = """<tr><td>{name}</td><td>{cost} EUR</td><td><form method="post" action="/cancel"><input type="hidden" name="id"
value="{id}"><input type="hidden" name="amount" value="{amount}"><button>{button}</button></form></td></tr>"""


@dataclass
class Orders:
    """A site with orders that can be cancelled."""

    button: str = "Delete order"
    script: str = ""
    amount: str = "10"
    cancelled: list[tuple[str, str]] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def page(self) -> str:
        gone = {id for id, _ in self.cancelled}
        rows = "".join(
            _ROW.format(name=name, cost=10, id=id, amount=self.amount, button=self.button)
            for id, name in (("1", "Bob"), ("2", "Ann"), ("3", "Eve"))
            if id not in gone
        )
        return _PAGE.format(rows=rows, script=self.script)


@contextmanager
def serve_orders() -> Iterator[Orders]:
    """Serve it on loopback."""
    orders = Orders()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = orders.page().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            given = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            orders.cancelled.append((given["id"][0], given["amount"][0]))
            self.send_response(303)
            self.send_header("Location", "/")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    orders.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield orders
    finally:
        server.shutdown()
        server.server_close()


def record_deleting(browser: Browser, orders: Orders, folder: Path) -> Any:
    """A skill that deletes one order, recorded on Bob's; the site has all three again."""
    page = browser.open(f"{orders.url}/")
    with sb.recording(page, "Delete the order of 'Bob'") as rec:
        page.click("button 'Delete order' in row 'Bob'")
    skill = rec.save_skill("delete-order", folder, prove=False)
    page.close()
    orders.cancelled.clear()
    return skill


class _Model:
    """What answers for a model that runs a skill, and refuses."""

    def __call__(self, question: str) -> bool:
        return False

    async def judge(self, question: str, about: object) -> bool:
        return False


def _edited(skill: Any) -> Any:
    file = skill.path / "replay.yaml"
    file.write_text(file.read_text().replace("note: Click button 'Delete order'", "note: Click it"))
    return load_skill(skill.path)


def _later(skill: Any) -> Any:
    now = sb.grants.clock()
    sb.grants.clock = lambda: now + 3 * 86_400
    return skill


def attacks(orders: Orders, other: Orders) -> dict[str, tuple[dict[str, Any], Callable[[Any], Any]]]:
    """By name what the run is given, and what is done to skill or site before it."""

    def site(**changes: str) -> Callable[[Any], Any]:
        def change(skill: Any) -> Any:
            vars(orders).update(changes)
            return skill

        return change

    def same(skill: Any) -> Any:
        return skill

    amount = "for (const one of document.querySelectorAll('[name=amount]')) one.value = '9999'"
    swap = "for (const one of document.querySelectorAll('[name=id]')) one.value = '3'"
    as_pressed = f"addEventListener('pointerdown', () => {{ {amount} }}, true)"
    as_sent = f"addEventListener('submit', () => {{ {swap} }}, true)"
    return {
        "another record": ({"name": "Ann"}, same),
        "another record, in other letters": ({"name": "bob"}, same),
        "another amount": ({}, site(script=amount)),
        "another record's field": ({}, site(script=swap)),
        "another amount as it goes down": ({}, site(script=as_pressed)),
        "another record's field as it is sent": ({}, site(script=as_sent)),
        "an amount with a thousands mark": ({}, site(amount="1.000")),
        "an amount in other digits": ({}, site(amount="٩٩٩٩")),
        "an amount by an exponent": ({}, site(amount="9e3")),
        "an amount with a sign": ({}, site(amount="-9999")),
        "an amount with a unit": ({}, site(amount="9999 JPY")),
        "another version of the skill": ({}, _edited),
        "after its end": ({}, _later),
        "another site": ({"site": other.url}, same),
        "a model runs it": ({"approve": _Model()}, same),
    }  # fmt: skip


def try_grants(browser: Browser, folder: Path) -> Iterator[Tried]:
    """Try each attack with a fresh grant for Bob's order, once, at most 100; first that the grant itself works."""
    clock = sb.grants.clock
    with serve_orders() as orders, serve_orders() as other:
        skill = record_deleting(browser, orders, folder)
        browser.open(f"{other.url}/").close()
        for attack, (given, change) in {"": ({}, lambda skill: skill), **attacks(orders, other)}.items():
            for each in list(sb.grants):
                sb.grants.revoke(each)
            limits = {"only": {"name": "Bob", "id": "1"}, "most": {"amount": 100}}
            skill.grant(**limits, until="2 days").confirm(expect="Delete order")
            asked: list[str] = []

            def refuse(question: str, asked: list[str] = asked) -> bool:
                asked.append(question)
                return False

            changed = change(skill)
            if changed is not skill:
                changed.approve()
            page = browser.open("about:blank")
            changed.run(page, start="always", **{"approve": refuse, **given})
            if not attack:
                assert orders.cancelled == [("1", "10")], (orders.cancelled, skill.last)
                orders.cancelled.clear()
                changed.run(page, start="always", approve=refuse, **given)
                attack = "a second time"
            tried = Tried(attack, len(asked), bool(orders.cancelled or other.cancelled))
            for each_site in (orders, other):
                each_site.cancelled.clear()
            changed.run(page, start="always", **{**given, "approve": lambda question: True})
            tried.fired = bool(asked or orders.cancelled or other.cancelled)
            page.close()
            yield tried
            for each_site in (orders, other):
                each_site.cancelled.clear()
                vars(each_site).update(script="", button="Delete order", amount="10")
            sb.grants.clock = clock
            if attack == "another version of the skill":
                skill = record_deleting(browser, orders, folder)
