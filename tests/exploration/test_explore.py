"""A goal on a site that nobody has described is found by links that only read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import skillbook as sb
from skillbook.errors import InvalidInput, Stopped
from skillbook.exploration import Exploration
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_folder, serve_site

PAGES = {
    "index.html": '<a href="help.html">Help</a><a href="about.html">About</a><a href="/logout.html">Log out</a>',
    "help.html": '<a href="index.html">Home</a><a href="help-opening.html">Opening hours</a>',
    "help-opening.html": "<h1>Opening hours</h1>",
    "about.html": "<h1>About</h1>",
    "logout.html": "<h1>Opening hours</h1>",
}


def write_pages(folder: Path) -> None:
    for name, body in PAGES.items():
        (folder / name).write_text(f"<title>{name}</title><main>{body}</main>")


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    write_pages(tmp_path)
    with serve_folder(tmp_path) as site:
        page = browser.open(site.url)
        yield page
        page.close()


@pytest.mark.browser
@pytest.mark.parametrize(("goal", "found"), [("opening hours", True), ("submarine insurance", False)])
def test_the_way_is_found_without_logging_out(browser: Browser, page: Page, goal: str, found: bool) -> None:
    site = page.url.rstrip("/").removesuffix("/index.html")
    result = sb.explore(page, goal)
    frame = result.frame.set_index("address")
    assert result.found is found
    assert frame.loc[f"{site}/logout.html", "status"] == "left out"
    assert browser.refresh() == [page]
    if found:
        assert page.url == result.path[-1][0] == f"{site}/help-opening.html"
        assert [label for _, label in result.path] == ["", "Help", "Opening hours"]
        assert "help-opening.html" in result._repr_html_()
    else:
        assert "nearest" in result.why


@pytest.mark.browser
def test_a_stop_closes_the_tabs(browser: Browser, page: Page) -> None:
    tabs = page.driver.browser.pages

    def stop() -> None:
        deadline = time.monotonic() + 10
        while len(tabs) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        browser.stop()

    with ThreadPoolExecutor() as pool:
        stopping = pool.submit(stop)
        with pytest.raises(Stopped):
            sb.explore(page, "submarine insurance")
        stopping.result()
    assert browser.refresh() == [page]


@pytest.mark.browser
def test_a_page_of_an_awaitable_browser_is_explored_too(tmp_path: Path) -> None:
    write_pages(tmp_path)

    async def find(url: str) -> Exploration:
        async with await sb.aio.launch() as browser:
            return await sb.explore(await browser.open(url), "opening hours")

    with serve_folder(tmp_path) as site:
        assert asyncio.run(find(site.url)).found


@pytest.mark.browser
def test_redirects_and_broken_links_are_noted(browser: Browser) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path in {"/old", "/again"}:
                self.send_response(302)
                self.send_header("Location", {"/old": "/new", "/again": "/again"}[self.path])
                self.end_headers()
                return
            links = "".join(f'<a href="/{name}">{name}</a> ' for name in ("old", "again", "new"))
            body = f"<title>T</title><h1>{self.path}</h1>{links}".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        page = browser.open(url)
        frame = sb.explore(page, "submarine insurance").frame.set_index("address")
        server.shutdown()
    assert frame.loc[f"{url}/old", "status"] == "redirected"
    assert frame.loc[f"{url}/new", "status"] == "seen"
    assert frame.loc[f"{url}/again", "status"] == "failed"
    assert browser.refresh() == [page]
    page.close()


@pytest.mark.browser
def test_the_budget_of_pages_ends_it(browser: Browser, page: Page) -> None:
    result = sb.explore(page, "submarine insurance", max_pages=2)
    assert not result.found
    assert "the budget of 2 pages is spent; nearest is" in result.why
    assert (result.frame["status"] == "seen").sum() == 2


@pytest.mark.browser
def test_bad_input_opens_nothing(browser: Browser, page: Page) -> None:
    for how in ("beam", "max_depth", "max_pages"):
        with pytest.raises(InvalidInput, match=f"{how}=0") as refused:
            sb.explore(page, "opening hours", **{how: 0})
        assert "skill" not in refused.value.hint
    for how in ("depth", "pages"):
        with pytest.warns(FutureWarning, match=f"max_{how}"), pytest.raises(InvalidInput):
            sb.explore(page, "opening hours", **{how: 0})
    with pytest.raises(InvalidInput, match="max_depth=0"):
        sb.explore(page, "opening hours", 4, 0)
    with pytest.raises(InvalidInput):
        sb.explore(page, " ")
    assert browser.refresh() == [page]


@pytest.mark.browser
def test_pages_seen_before_are_tried_first(browser: Browser, page: Page) -> None:
    start = page.url
    first = sb.explore(page, "opening hours")
    page.goto(start)
    again = sb.explore(page, "opening hours")
    assert again.found
    assert len(again.path) == 2
    assert opened(again) < opened(first)
    page.goto(start)
    anew = sb.explore(page, "opening hours", remember=False)
    assert [label for _, label in anew.path] == ["", "Help", "Opening hours"]


def opened(result: Exploration) -> int:
    return int(result.frame["status"].isin(["seen", "found"]).sum())


@pytest.mark.browser
def test_a_known_page_that_is_gone_is_no_dead_end(browser: Browser, page: Page, tmp_path: Path) -> None:
    start = page.url
    sb.explore(page, "opening hours")
    (tmp_path / "help-opening.html").rename(tmp_path / "help-hours.html")
    (tmp_path / "help.html").write_text("<main><a href='help-hours.html'>Opening hours</a></main>")
    page.goto(start)
    result = sb.explore(page, "opening hours")
    assert result.found
    assert page.url.endswith("help-hours.html")
    gone = result.frame.set_index("address").loc[start.replace("index.html", "") + "help-opening.html"]
    assert (gone["status"], gone["why"]) == ("failed", "answered with status 404")


@pytest.mark.browser
def test_the_way_is_saved_as_a_skill(page: Page, tmp_path_factory: pytest.TempPathFactory) -> None:
    start = page.url
    found = sb.explore(page, "opening hours", remember=False)
    skill = found.save_skill("opening-hours", tmp_path_factory.mktemp("skills"))
    assert [step.note for step in skill.spec.steps] == ["Click link 'Help'", "Click link 'Opening hours'"]
    page.goto(start)
    result = skill.run(page)
    assert result.ok, result.error
    assert page.url.endswith("help-opening.html")
    page.goto(start)
    missed = sb.explore(page, "submarine insurance")
    with pytest.raises(InvalidInput, match="no way to save"):
        missed.save_skill("nothing")


@pytest.mark.browser
def test_robots_are_asked_how_fast_and_where(browser: Browser, page: Page, tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text("User-agent: *\nCrawl-delay: 0.4\nDisallow: /about.html\n")
    started = time.monotonic()
    result = sb.explore(page, "submarine insurance")
    frame = result.frame.set_index("title")
    assert time.monotonic() - started > 0.4
    assert "robots.txt" in frame.loc["", "why"].to_string()
    assert "about.html" not in frame.index


@pytest.mark.browser
def test_a_site_that_goes_down_in_the_middle_is_told(browser: Browser) -> None:
    with serve(down_after=3) as url:
        page = browser.open(url)
        result = sb.explore(page, "submarine insurance")
    assert not result.found
    assert "nearest is" in result.why
    assert (result.frame["status"] == "failed").any()
    assert browser.refresh() == [page]
    page.close()


@pytest.mark.browser
def test_a_sign_in_page_in_front_of_everything_is_where_it_ends(browser: Browser) -> None:
    with serve_site("portal") as site:
        page = browser.open(site.url)
        result = sb.explore(page, "projects")
        assert not result.found
        assert result.path == [(f"{site.url}/login", "")]
        page.close()


@contextmanager
def serve(down_after: int) -> Iterator[str]:
    """A site that drops its connections after some pages."""
    served: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/robots.txt":
                self.send_error(404)
                return
            served.append(self.path)
            if len(served) > down_after:
                self.connection.close()
                return
            links = "".join(f'<a href="/{name}">{name}</a> ' for name in "abcdefgh")
            body = f"<title>{self.path}</title>{links}".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            with suppress(ValueError, OSError):
                super().handle()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
