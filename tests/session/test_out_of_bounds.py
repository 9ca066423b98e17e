from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import ClassVar

import pytest

from skillbook.policy import Call, Policy
from skillbook.policy.urls import origin_of
from skillbook.session.out_of_bounds import NotebookServers, Robots


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


PORT = 8899


def write_down(folder: Path, url: str) -> Path:
    file = folder / "jpserver-1.json"
    file.write_text(json.dumps({"url": url, "port": PORT}), encoding="utf-8")
    return file


def own_addresses() -> list[str]:
    """Every address that this machine answers under, beside loopback's."""
    found = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    return [f"http://{address}:{PORT}" for address in sorted(found)]


@pytest.mark.parametrize("written", ["0.0.0.0", "[::]", "localhost", socket.gethostname().lower()])
def test_fault_36_a_server_is_recognised_under_every_address_of_the_machine(
    tmp_path: Path, written: str
) -> None:
    write_down(tmp_path, f"http://{written}:{PORT}/lab")
    servers = NotebookServers(tmp_path)
    for origin in [f"http://127.0.0.1:{PORT}", f"http://localhost:{PORT}", f"http://127.8.9.1:{PORT}"]:
        assert servers(origin), origin
    for origin in own_addresses():
        assert servers(origin), origin
    for host in (
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:7f08:901]",
        "0.0.0.0",
        "app.localhost",
        "[::]",
    ):
        origin = origin_of(f"http://{host}:{PORT}/lab")
        assert origin
        assert servers(origin), host
    for origin in own_addresses():
        mapped = origin_of(origin.replace("http://", "http://[::ffff:").replace(f":{PORT}", f"]:{PORT}"))
        assert mapped
        assert servers(mapped), mapped
    assert not servers("http://127.0.0.1:8898")
    assert not servers(f"http://192.0.2.7:{PORT}")


def test_fault_36_a_server_that_starts_later_is_recognised(tmp_path: Path) -> None:
    servers = NotebookServers(tmp_path / "made-later")
    assert not servers(f"http://127.0.0.1:{PORT}")
    (tmp_path / "made-later").mkdir()
    file = write_down(tmp_path / "made-later", f"http://0.0.0.0:{PORT}/")
    assert servers(f"http://127.0.0.1:{PORT}")
    file.unlink()
    assert not servers(f"http://127.0.0.1:{PORT}")


def test_fault_36_the_hub_of_this_kernel_is_out_of_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTERHUB_PUBLIC_URL", "https://hub.test/user/me/")
    servers = NotebookServers(tmp_path)
    assert servers("https://hub.test")
    assert not servers("https://hub.test:8443")


def test_fault_36_the_policy_refuses_it_even_for_reading(tmp_path: Path) -> None:
    write_down(tmp_path, f"http://0.0.0.0:{PORT}/")
    policy = Policy.of([f"http://127.0.0.1:{PORT}"])
    policy.is_notebook_server = NotebookServers(tmp_path)
    for command in ("snapshot", "click"):
        verdict = policy.judge(Call(command, url=f"http://127.0.0.1:{PORT}/lab"))
        assert verdict.action == "refuse"


def test_fault_36_a_server_behind_a_prefix_is_recognised_whatever_the_path(tmp_path: Path) -> None:
    write_down(tmp_path, f"http://0.0.0.0:{PORT}/user/me/proxy/lab/")
    policy = Policy.of([f"http://localhost:{PORT}"])
    policy.is_notebook_server = NotebookServers(tmp_path)
    for path in ("", "user/me/proxy/lab/tree", "user/me/proxy/8000/", "other"):
        call = Call("goto", url="about:blank", destination=f"http://localhost:{PORT}/{path}")
        assert policy.judge(call).action == "refuse"


def test_a_broken_file_names_no_server(tmp_path: Path) -> None:
    write_down(tmp_path, "").write_text("[not json", encoding="utf-8")
    assert not NotebookServers(tmp_path)("http://127.0.0.1:8888")
