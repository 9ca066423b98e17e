"""Watches in a real `skillbook serve`: it reads when a time has come, and a killed one does nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.serving.watches.watch import Watch
from skillbook.session.sync import Browser
from tests.waiting import until

PATIENCE = 60.0
WRITES = "import sys, pathlib; pathlib.Path(sys.argv[1]).open('a').write(sys.stdin.read())"


class Desk:
    """A site with prices, and a button that is pressed once a day; `slow` holds every answer back."""

    def __init__(self) -> None:
        self.checked_in = 0
        self.asked_for_prices = 0
        self.slow = threading.Event()
        self.goes_on = threading.Event()
        self.url = ""

    def page(self, path: str) -> str:
        if path == "/prices":
            self.asked_for_prices += 1
            rows = "<tr><td>Lamp</td><td>10</td></tr><tr><td>Desk</td><td>30</td></tr>"
            return (
                f"<title>Prices</title><table><thead><tr><th>Name<th>Price</tr></thead>{rows}</table>2 items"
            )
        button = "<form method=post><button>Check in</button></form>"
        return f"<title>Desk</title><h1>Desk</h1>{button}<p role=status>{self.checked_in} days</p>"


@contextmanager
def serve_desk() -> Iterator[Desk]:
    desk = Desk()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if desk.slow.is_set() and "favicon" not in self.path:
                desk.page(self.path)
                desk.goes_on.wait(PATIENCE)
            self._send(desk.page(self.path))

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            desk.checked_in += 1
            if desk.slow.is_set():
                desk.goes_on.wait(PATIENCE)
            self._send(desk.page("/desk"))

        def _send(self, text: str) -> None:
            try:
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(text.encode())
            except OSError:
                return  # the browser was killed

        def log_message(self, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    desk.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield desk
    finally:
        desk.goes_on.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a watch's command writes what it is told; the home of the test is its own."""
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    return tmp_path / "told"


@pytest.fixture
def start_service(tmp_path: Path, told: Path) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts `skillbook serve` with a browser of its own."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        log = (tmp_path / "serve.log").open("ab")
        command = [sys.executable, "-m", "skillbook.cli", "serve", "--launch", "--headless"]
        started.append(
            subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path, start_new_session=True)
        )
        log.close()
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def watch_now(what: sb.Skill | str, name: str, told: Path) -> Watch:
    """A daily watch whose time has just come."""
    made = sb.watch(
        what, "1 day", name=name, notify=[[sys.executable, "-c", WRITES, str(told)]], key=_key(what)
    )
    due = replace(made, due=time.time() - 1)
    sb.watches.keep(due)
    return due


def _key(what: object) -> str | None:
    return "Name" if isinstance(what, str) else None


def text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_a_page_is_read_when_its_time_has_come_and_a_change_is_told_by_a_command(
    told: Path, start_service: Callable[[], subprocess.Popen[bytes]]
) -> None:
    with serve_desk() as desk:
        watch_now(f"{desk.url}/prices", "prices", told)
        start_service()
        until(lambda: sb.watches["prices"].words == "2 rows", "it was never read", PATIENCE)
        assert len(sb.watches.history("prices")) == 1
        assert sb.watches["prices"].due > time.time() + 3600
        watch = sb.watches["prices"]
        desk.page = lambda path: Desk.page(desk, path).replace("30", "35")  # type: ignore[method-assign]
        sb.watches.keep(replace(watch, due=time.time()))
        until(lambda: "Desk: Price 30 -> 35" in text_of(told), "nothing was told", PATIENCE)


def test_what_was_killed_is_read_again_but_not_done_again(
    browser: Browser, tmp_path: Path, told: Path, start_service: Callable[[], subprocess.Popen[bytes]]
) -> None:
    with serve_desk() as desk:
        page = browser.open(f"{desk.url}/desk")
        with sb.recording(page, "Check in") as rec:
            page.click("button 'Check in'")
        skill = rec.save_skill("check-in", tmp_path / "skills", prove=False)
        page.close()
        watch_now(skill, "check-in", told)
        service = start_service()
        until(lambda: sb.watches["check-in"].words == "done", "the skill never ran", PATIENCE)
        assert desk.checked_in == 2

        desk.slow.set()
        watch_now(skill, "check-in", told)
        watch_now(f"{desk.url}/prices", "prices", told)
        asked = desk.asked_for_prices
        until(lambda: desk.asked_for_prices > asked, "the prices were never asked for", PATIENCE)
        until(lambda: sb.watches["check-in"].began, "the skill never began", PATIENCE)
        os.killpg(service.pid, signal.SIGKILL)
        service.wait(PATIENCE)
        desk.slow.clear()
        desk.goes_on.set()
        done = desk.checked_in

        start_service()
        until(lambda: sb.watches["prices"].words == "2 rows", "it was never read", PATIENCE)
        until(lambda: "it was interrupted in the middle" in text_of(told), "nothing was told", PATIENCE)
        assert desk.checked_in == done
        assert sb.watches["check-in"].due > time.time() + 3600
