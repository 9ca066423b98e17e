from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import ClassVar

import pytest

from skillbook.session.robots import Robots


class Site(BaseHTTPRequestHandler):
    body: ClassVar[str] = ""
    status: ClassVar[int] = 200
    location: ClassVar[str] = ""
    seen: ClassVar[list[str]] = []
    held: ClassVar[Event] = Event()

    def do_GET(self) -> None:
        self.seen.append(f"{self.path} {self.headers['User-Agent']}")
        self.held.wait(10)
        self.send_response(302 if self.location and self.path == "/robots.txt" else self.status)
        if self.location:
            self.send_header("Location", self.location)
        self.end_headers()
        self.wfile.write(self.body.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    Site.body, Site.status, Site.location, Site.seen = "", 200, "", []
    Site.held.set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    Site.held.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("User-agent: *\nDisallow: /private", False),
        ("User-agent: skillbook\nDisallow: /private", False),
        ("User-agent: other\nDisallow: /", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Skillbook\nDisallow: /else", True),
        ("User-agent: *\nAllow: /private/open\nDisallow: /private", True),
        ("\ufeffUser-agent: *\nDisallow: /", False),
        ("<html>no robots here</html>", True),
        ("", True),
    ],
)
async def test_rules_are_read(site: str, body: str, allowed: bool) -> None:
    Site.body = body
    assert await Robots().allows(f"{site}/private/open") is allowed


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Disallow: /*?q=", "/find?q=1", False),
        ("Disallow: /*?q=", "/find", True),
        ("Disallow: /*.pdf$", "/a/b.pdf", False),
        ("Disallow: /*.pdf$", "/a/b.pdf?page=1", True),
        ("Disallow: /*/private/", "/a/private/b", False),
        ("Disallow: /shop\nAllow: /shop/open", "/shop/open/1", True),
        ("Allow: /shop/open\nDisallow: /shop/open/till", "/shop/open/till", False),
        ("Disallow: /page\nAllow: /page", "/page", True),
        ("Disallow: /\nAllow: /$", "/", True),
        ("Disallow: /\nAllow: /$", "/else", False),
        ("Disallow:", "/anything", True),
        ("Disallow: /a%3cd.html", "/a%3Cd.html", False),
        ("Disallow: /caf\u00e9", "/caf%C3%A9", False),
        ("Disallow: /Case", "/case", True),
        ("Disallow: /" + "*a" * 40 + "b$", "/" + "a" * 2000, True),
    ],
)
async def test_wildcards_and_the_longest_match_count(site: str, rules: str, path: str, allowed: bool) -> None:
    Site.body = f"User-agent: *\n{rules}"
    assert await Robots().allows(f"{site}{path}") is allowed


async def test_groups_of_one_agent_are_taken_together(site: str) -> None:
    Site.body = (
        "User-agent: a\nUser-agent: skillbook\nDisallow: /one\n\n"
        "User-agent: *\nDisallow: /\n\nUser-agent: skillbook\nDisallow: /two"
    )
    robots = Robots()
    told = {path: await robots.allows(f"{site}{path}") for path in ("/one", "/two", "/three")}
    assert told == {"/one": False, "/two": False, "/three": True}


async def test_each_origin_is_asked_once_a_day(site: str) -> None:
    Site.body = "User-agent: *\nDisallow: /private"
    now = [0.0]
    robots = Robots(clock=lambda: now[0])
    answers = await asyncio.gather(
        *(robots.allows(f"{site}{path}") for path in ("/private", "/", "/private/x"))
    )
    assert answers == [False, True, False]
    assert await robots.allows(f"{site}/robots.txt")
    assert Site.seen == ["/robots.txt skillbook"]
    now[0] += 25 * 3600
    assert not await robots.allows(f"{site}/private")
    assert len(Site.seen) == 2


@pytest.mark.parametrize("status", [403, 404, 500])
async def test_what_cannot_be_had_allows(site: str, status: int) -> None:
    Site.status, Site.body = status, "User-agent: *\nDisallow: /"
    assert await Robots().allows(f"{site}/private")
    assert await Robots().allows("http://127.0.0.1:1/private")
    assert await Robots().allows("about:blank")


async def test_a_slow_site_allows_and_holds_nobody_up(site: str) -> None:
    Site.held.clear()
    began = asyncio.get_running_loop().time()
    assert await Robots(seconds=0.2).allows(f"{site}/private")
    assert asyncio.get_running_loop().time() - began < 2


async def test_redirects_stay_on_the_site(site: str) -> None:
    Site.location, Site.body = f"{site}/rules", "User-agent: *\nDisallow: /"
    assert not await Robots().allows(f"{site}/private")
    Site.seen.clear()
    Site.location = site.replace("127.0.0.1", "localhost") + "/rules"
    assert await Robots().allows(f"{site}/private")
    assert len(Site.seen) == 1
