"""Pages that are too deep, too big or never done: a clear answer in bounded time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import CommandError, CommandTimeout, PageUnreachable, SkillbookError
from skillbook.session.sync import Browser, Page

Serve = Callable[[str], Page]
DEEP = """<p>At the top</p><script>let at = document.body;
for (let n = 0; n < LEVELS; n++) at = at.appendChild(document.createElement('div'));
at.innerHTML = '<button onclick="window.hit = 1">Deep</button>';</script>"""
LIMIT = 60.0
"""Seconds in which the slowest of these must have ended on a machine that does much else."""


def test_fault_40_a_page_as_deep_as_a_parser_makes_it_is_worked_with(serve_html: Serve) -> None:
    page = serve_html(DEEP.replace("LEVELS", "500"))
    assert len(page.snapshot().text(budget=500)) < 5_000
    page.click("button 'Deep'")
    assert page.evaluate("window.hit") == 1
    assert sb.tables(page) == []
    assert page.snapshot(engine="cdp").find("button 'Deep'").ref


def test_fault_40_a_page_of_1500_levels_says_what_is_the_matter(
    read_html: Serve,
) -> None:
    began = time.monotonic()
    page = read_html(DEEP.replace("LEVELS", "1500"))
    for engine in ("dom", "cdp"):
        with pytest.raises(PageUnreachable):
            page.snapshot(engine=engine)
    assert time.monotonic() - began < LIMIT
    assert "Start" in read_html("<p>Start</p>").snapshot().text()


@pytest.mark.parametrize(
    "expression",
    [
        "'x'.repeat(80 * 2 ** 20)",
        "Array.from({length: 3e5}, (_, n) => 'row ' + n + ' of a long list'.repeat(16))",
    ],
    ids=["text", "list"],
)
def test_fault_40_a_result_of_80_mb_is_refused_and_the_browser_goes_on(
    serve_html: Serve, browser: Browser, expression: str
) -> None:
    page = serve_html("<p>Small</p>")
    began = time.monotonic()
    with pytest.raises(SkillbookError) as caught:
        page.evaluate(expression)
    assert time.monotonic() - began < LIMIT
    assert caught.value.code != "timeout", caught.value
    assert "too large" in str(caught.value)
    assert browser.status.state == "connected"
    assert "Small" in page.snapshot().text()


@pytest.mark.parametrize("what", ["html", "text", "snapshot"])
def test_fault_40_a_page_of_80_mb_is_refused_and_the_browser_goes_on(
    serve_html: Serve, browser: Browser, what: str
) -> None:
    # Not shown: the browser itself would take minutes to lay so much text out.
    page = serve_html("<p id=p hidden></p><button id=b>Small</button>")
    page.evaluate("{ const big = 'y'.repeat(80 * 2 ** 20); p.textContent = big; b.ariaLabel = big } 0")
    began = time.monotonic()
    read = {
        "html": lambda: page.get("html"),
        "text": lambda: page.get("text", "css '#p'"),
        "snapshot": page.snapshot,
    }
    with pytest.raises(SkillbookError, match="too large"):
        read[what]()
    assert time.monotonic() - began < LIMIT
    assert browser.status.state == "connected"
    page.evaluate("{ p.textContent = ''; b.ariaLabel = null } 0")
    assert page.snapshot().find("button 'Small'").ref


def test_fault_40_a_page_of_200_000_buttons_is_refused_within_seconds(serve_html: Serve) -> None:
    # Not laid out: that takes the browser itself longer than all else.
    page = serve_html("<main hidden></main><button>Small</button>")
    page.evaluate(
        "{ const all = document.querySelector('main'); "
        "all.innerHTML = '<button>b</button>'.repeat(200_000) } 0"
    )
    began = time.monotonic()
    with pytest.raises(SkillbookError, match="too large: it has 2000"):
        page.snapshot()
    assert time.monotonic() - began < LIMIT
    page.evaluate("document.querySelector('main').remove()")
    assert page.snapshot().find("button 'Small'").ref


def test_fault_40_400_nested_groups_are_worked_with(serve_html: Serve) -> None:
    page = serve_html("<div role=group aria-label=g>" * 400 + "<button>Deep</button>" + "</div>" * 400)
    assert len(page.snapshot().text(budget=500)) < 5_000
    page.click("button 'Deep'")


@pytest.mark.parametrize("levels", [180, 10_000])
def test_fault_40_a_deeply_nested_value_is_refused_and_the_browser_goes_on(
    serve_html: Serve, browser: Browser, levels: int
) -> None:
    page = serve_html("<button>Small</button>")
    session = browser.status.session
    with pytest.raises(CommandError, match=r"nested too deeply|can't be handed over"):
        page.evaluate(f"Array.from({{length: {levels}}}).reduce((inside) => [inside], 1)")
    assert browser.status.session == session
    assert page.snapshot().find("button 'Small'").ref


class Endless(BaseHTTPRequestHandler):
    """Answers that never end: redirects, a body, an image of an otherwise complete page."""

    done = Event()

    def do_GET(self) -> None:
        if self.path.startswith("/turn"):
            self.send_response(302)
            self.send_header("Location", f"/turn?{time.monotonic()}")
            self.end_headers()
        elif self.path == "/page":
            self._begin("text/html")
            self.wfile.write(b"<title>Page</title><button>Go</button><img src=/endless>")
        else:
            self._begin("text/html" if self.path == "/endless.html" else "image/png")
            with suppress(OSError):
                self.wfile.write(b"<title>Endless</title><button>Here</button>")
                while not self.done.wait(0.05):
                    self.wfile.write(b"<p>more</p>" * 20)

    def _begin(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()

    def log_message(self, *args: Any) -> None: ...


@pytest.fixture
def endless() -> Iterator[str]:
    Endless.done.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    server.daemon_threads = True
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    Endless.done.set()
    server.shutdown()
    server.server_close()


def test_fault_40_what_never_ends_to_load_is_worked_with_or_refused_in_time(
    serve_html: Serve, browser: Browser, endless: str
) -> None:
    page = serve_html("<p>Start</p>")
    browser.allow(endless)
    with pytest.raises(SkillbookError, match=r"(?i)redirect"):
        page.goto(f"{endless}/turn", timeout=20)
    for path, name in (("/page", "Go"), ("/endless.html", "Here")):
        began = time.monotonic()
        with suppress(SkillbookError):
            page.goto(endless + path, timeout=3)
        assert time.monotonic() - began < LIMIT
        assert page.snapshot().find(f"button '{name}'").ref
        page.click(f"button '{name}'", timeout=10)


def test_fault_40_a_page_that_never_ends_loading_opens_and_the_error_names_it(
    browser: Browser, endless: str
) -> None:
    page = browser.open(f"{endless}/endless.html", timeout=4)
    assert page.snapshot().find("button 'Here'").ref
    with pytest.raises(CommandTimeout, match=r"/endless\.html is there, and is still loading"):
        page.goto(f"{endless}/endless.html", timeout=3)
    page.close()
