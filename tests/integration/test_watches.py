"""Watches over two weeks of a clock that is handed in: changed rows, an ended sign-in, an incomplete day, a kill."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import skillbook as sb
from skillbook.agents.state.question_queue import Place
from skillbook.errors import InvalidInput, NotAllowed
from skillbook.io_thread import io
from skillbook.serving.terminal.terminal_run import decision_on
from skillbook.serving.watches import watch as watch_module
from skillbook.serving.watches.watch import WatchStore
from skillbook.serving.watches.watch_runs import Watcher
from skillbook.session.action import acting_name
from skillbook.session.sync import Browser
from tests.faults.attack.grants import record_deleting, serve_orders

VIENNA = ZoneInfo("Europe/Vienna")
LOGIN = """<title>Sign in</title><h1>Sign in</h1><form><label>User name <input name="user"></label>
<label>Password <input type="password" name="pw"></label><button>Sign in</button></form>"""
CHECK_IN = """<title>Desk</title><h1>Desk</h1><form method="post" action="/check-in"><button>Check in</button></form>
<p role="status">{count} days</p>"""


@dataclass
class Office:
    """A site with prices, with messages for who is signed in, and with a button that is pressed every day."""

    prices: dict[str, int] = field(default_factory=lambda: {"Lamp": 10, "Chair": 20, "Desk": 30})
    shown: int = 99
    messages: list[str] = field(default_factory=lambda: ["Welcome"])
    signed_in: bool = True
    checked_in: int = 0
    url: str = ""

    def page(self, path: str) -> str:
        if path == "/prices":
            rows = list(self.prices.items())[: self.shown]
            body = "".join(f"<tr><td>{name}</td><td>{price}</td></tr>" for name, price in rows)
            claim = f"<p>Showing 1-{len(rows)} of {len(self.prices)} results</p>"
            head = "<thead><tr><th>Name</th><th>Price</th></tr></thead>"
            return f"<title>Prices</title><h1>Prices</h1><table>{head}<tbody>{body}</tbody></table>{claim}"
        if path == "/messages":
            items = "".join(f"<tr><td>{text}</td><td>new</td></tr>" for text in self.messages)
            head = "<thead><tr><th>Message</th><th>State</th></tr></thead>"
            return (
                f"<title>Messages</title><table>{head}<tbody>{items}</tbody></table>"
                if self.signed_in
                else LOGIN
            )
        return CHECK_IN.format(count=self.checked_in)


@contextmanager
def serve_office() -> Iterator[Office]:
    office = Office()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = office.page(self.path).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            office.checked_in += 1
            self.send_response(303)
            self.send_header("Location", "/desk")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    office.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield office
    finally:
        server.shutdown()
        server.server_close()


class Weeks:
    """A service's watches, day by day."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.now = datetime(2026, 3, 23, 6, 0, tzinfo=VIENNA)
        self.browser = browser
        self.store = WatchStore(folder, clock=lambda: self.now.timestamp())
        self.told: list[tuple[str, str]] = []
        self.watcher = self.started()

    def started(self) -> Watcher:
        """The watches of a process that began just now."""
        self.watcher = Watcher(self.browser.driver, self.store, lambda run: None, self._tell)
        io.sync(self.watcher.begin())
        return self.watcher

    def _tell(self, places: Sequence[Any], title: str, text: str) -> list[str]:
        self.told.append((title.partition(": ")[2], text))
        return []

    def next_morning(self, *, serves: bool = True) -> dict[str, str]:
        """Go on to the next day, a minute past seven; what was told, by watch."""
        self.now = (self.now + timedelta(days=1)).replace(hour=7, minute=1)
        self.told.clear()
        if serves:
            io.sync(self._look())
            before = list(self.told)
            io.sync(self._look())  # a second look in the same minute
            assert self.told == before
        return dict(self.told)

    async def _look(self) -> None:
        await asyncio.gather(*self.watcher.tick())


@pytest.mark.more
def test_two_weeks_of_three_watches(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_office() as office:
        weeks = Weeks(browser, tmp_path / "watches")
        monkeypatch.setattr(watch_module, "watches", weeks.store)
        page = browser.open(f"{office.url}/desk")
        with sb.recording(page, "Check in") as rec:
            page.click("button 'Check in'")
        skill = rec.save_skill("check-in", tmp_path / "skills", prove=False)
        page.close()
        office.checked_in = 0
        often = {"every": "1 day 07:00", "zone": "Europe/Vienna"}
        watch_module.watch(f"{office.url}/prices", name="prices", key="Name", **often)
        watch_module.watch(f"{office.url}/messages", name="messages", **often)
        watch_module.watch(skill, **often)
        assert [watch.name for watch in weeks.store] == ["check-in", "messages", "prices"]

        assert weeks.next_morning() == {}  # Tuesday: the first reading, which is compared with nothing
        office.prices["Lamp"] = 12
        assert weeks.next_morning() == {"prices": "Lamp: Price 10 -> 12"}
        assert "\n    Lamp: Price 10 -> 12" in repr(weeks.store)
        office.prices["Sofa"], office.shown = 99, 2
        assert weeks.next_morning() == {}  # Thursday: two of four rows, and nothing in them is new
        assert weeks.store["prices"].words.startswith("2 rows, not all")
        office.shown = 99
        del office.prices["Chair"]
        assert weeks.next_morning() == {"prices": "new: Sofa\ngone: Chair"}
        office.signed_in = False
        told = weeks.next_morning()  # Saturday
        assert list(told) == ["messages"]
        assert "sign" in told["messages"].lower()
        told = weeks.next_morning()  # Sunday, on which the clocks change
        assert "(2 times in a row)" in told["messages"]
        assert weeks.next_morning() == {}
        assert "(4 times in a row)" in weeks.next_morning()["messages"]
        office.signed_in = True
        office.messages.append("Back")
        told = weeks.next_morning()["messages"]  # Wednesday
        assert told.startswith("it works again")
        assert told.endswith("new: Back")
        assert office.checked_in == 9

        weeks.now = (weeks.now + timedelta(days=1)).replace(hour=7, minute=1)
        io.sync(_kill(weeks, "check-in"))
        done = office.checked_in
        weeks.told.clear()
        weeks.started()
        assert "interrupted" in dict(weeks.told)["check-in"]
        assert "messages" not in dict(weeks.told)
        io.sync(weeks._look())
        assert office.checked_in == done  # it isn't done again by itself
        weeks.next_morning(serves=False)
        weeks.next_morning(serves=False)
        assert weeks.next_morning() == {}
        assert office.checked_in == done + 1  # three days, made up for once
        history = weeks.store.history("prices")
        assert list(history["complete"]).count(False) == 1
        assert set(history["rows"]) <= {2, 3}
        assert "next 2026-04-" in repr(weeks.store)


async def _kill(weeks: Weeks, name: str) -> None:
    """Let a process end while a watch is under way: what it wrote before stays."""
    tasks = weeks.watcher.tick()
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert weeks.store[name].began


def test_who_may_make_a_watch_and_of_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = WatchStore(tmp_path / "watches")
    monkeypatch.setattr(watch_module, "watches", store)
    with pytest.raises(InvalidInput, match="says no times"):
        watch_module.watch("https://a.test/", "daily")
    with pytest.raises(InvalidInput, match="nowhere to tell"):
        watch_module.watch("https://a.test/", "1 day", notify="eve")
    token = acting_name.set("mcp:client")
    try:
        with pytest.raises(NotAllowed, match="can't make a watch"):
            watch_module.watch("https://a.test/", "1 day")
    finally:
        acting_name.reset(token)
    made = watch_module.watch(
        "https://a.test/", "1 day 07:00", notify=["notify-send", "Prices"], until="2099-01-01"
    )
    assert store["a-test"] == made
    assert (tmp_path / "watches" / "a-test" / "watch.json").stat().st_mode & 0o777 == 0o600
    store.keep(replace(made, words="3 rows"))
    assert "3 rows" in repr(store)
    store.remove("a-test")
    assert repr(store) == "<no watches>"


@pytest.mark.parametrize("changed", [False, True])
def test_a_night_run_that_no_grant_covers_waits_for_the_morning_and_for_the_same_record(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: bool
) -> None:
    """It is told once, and answered at another door; where the record is another by then, nothing is done."""
    with serve_orders() as orders:
        skill = record_deleting(browser, orders, tmp_path / "skills")
        weeks = Weeks(browser, tmp_path / "watches")
        monkeypatch.setattr(watch_module, "watches", weeks.store)
        shown: list[Any] = []
        told = asyncio.Event()
        weeks.watcher._add_run = shown.append
        tell = weeks.watcher._tell
        weeks.watcher._tell = lambda *words: (io.call_soon(told.set), tell(*words))[1]
        watch_module.watch(skill, every="1 day 07:00", zone="Europe/Vienna")
        weeks.now = (weeks.now + timedelta(days=1)).replace(hour=7, minute=1)

        async def night() -> list[asyncio.Task[None]]:
            tasks = weeks.watcher.tick()
            await asyncio.wait_for(told.wait(), 60)
            return tasks

        tasks = io.sync(night(), timeout=60)
        assert "it waits for your answer" in weeks.told[0][1]
        assert "Bob" in weeks.told[0][1]
        assert orders.cancelled == []
        [run] = shown
        question, terminal = run.view().question, Place("at a terminal", "another")
        if changed:
            names = "for (const cell of document.querySelectorAll('td:first-child')) cell.textContent = 'Ann'"
            next(page for page in browser.pages if page.url.startswith(orders.url)).evaluate(names)

        async def morning() -> None:
            run.note_shown(question.id, terminal)
            run.decide(decision_on(run.id, question, approve=True), terminal)
            await asyncio.wait_for(asyncio.gather(*tasks), 60)

        io.sync(morning(), timeout=90)
        assert len([text for _, text in weeks.told if "it waits" in text]) == 1
        assert orders.cancelled == ([] if changed else [("1", "10")])
        assert weeks.store["delete-order"].words.startswith("failed" if changed else "done")
