"""Where the browser really is decides, at the moment of the act."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbook.errors import NotAllowed, OriginChanged, StaleRef
from skillbook.io_thread import io
from skillbook.policy.urls import origin_of, screen_url
from skillbook.protocol.envelopes import RequestBody
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_folder
from tests.waiting import until

ODD = [
    "https://evil.test\\@allowed.test/", "https://allowed.test\\.evil.test/", "https://allowed.test%2eevil.test/",
    "https://allowed。test/", "https://аllowed.test/", "https://al\u00adlowed.test/", "http://127.1/",
    "http://0x7f.1/", "http://2130706433/", "http://0177.0.0.1/", "http://127.0.0.1./", "https://ALLOWED.test/",
    "https://allowed.test./", "https://allowed.test:443/", "https://allowed.test:00443/", "http://allowed.test:080/",
    "https:allowed.test/", "https:/allowed.test/", "https:///allowed.test/", "https://allowed.test#@evil.test/",
    "https://allowed.test?@evil.test/", "https://allowed.test/@evil.test", "https://evil.test@allowed.test/",
    "https://faß.test/", "https://bücher.test/", "https://BÜCHER.test/", "https://ｅxample.test/",
    "https://xn--bcher-kva.test/", "http://[::1]:8080/", "http://[::ffff:127.0.0.1]/", "http://[0:0::1]/",
    "https://a_b.test/", "https://allowed..test/", "https://allowed.test\t/", "https://allo\nwed.test/",
    "https://１２７.0.0.1/", "https://allowed.test:80:80/", "https://[::1]evil.test/", "https://ς.test/",
    "//allowed.test/", "https://allowed.test\u2028.evil.test/", "https://al\u200blowed.test/", "http://1.2.3.4.5/",
]  # fmt: skip


@pytest.fixture
def other(tmp_path: Path, browser: Browser) -> Iterator[Site]:
    """A second origin, on which nothing is allowed: an earlier test's site may have had the same port."""
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "index.html").write_text(
        "<!doctype html><title>Other</title><input id=field autofocus aria-label=Field><button>Go</button>"
    )
    with serve_folder(folder) as site:
        browser.driver.gateway.policy.allowed.discard(str(origin_of(site.url)))
        yield site


def test_fault_17_parser_differentials(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<p>ask me</p>")
    asked = list(ODD)
    expression = "urls => urls.map(url => { try { return new URL(url).href } catch { return null } })"
    committed = page.evaluate(f"({expression})({_json(asked)})")
    refused = 0
    for url, href in zip(asked, committed, strict=True):
        try:
            screened = screen_url(url)
        except NotAllowed:
            refused += 1
            continue
        assert href is not None, f"{url!r} is no address to the browser"
        assert origin_of(screened) == origin_of(href), f"{url!r} is {href} to the browser"
    assert 20 < refused < len(asked)


def test_fault_18_a_page_that_left_by_itself_is_not_typed_into(
    serve_html: Callable[[str], Page], other: Site
) -> None:
    page = serve_html("<input id=field aria-label=Field><button>Go</button>")
    ref = page.snapshot().find("textbox 'Field'").ref
    here = page.url
    page.evaluate(f"void (location.href = {other.url!r})")
    page.wait_for(url=other.url.split("//")[1].split("/")[0])
    page.wait_for(selector="textbox 'Field'")
    page.driver.moved_to(here, "as the kernel believes it")
    with pytest.raises((OriginChanged, NotAllowed), match=r"is at|allowed origins"):
        page.press("x")
    assert page.url.startswith(other.url), "the kernel learns where the page is"
    page.driver.moved_to(here, "as the kernel believes it")
    with pytest.raises(StaleRef):
        page.fill(str(ref), "secret plans")
    assert page.get("value", "textbox 'Field'") == ""
    with pytest.raises(NotAllowed, match="allowed origins"):
        page.fill("textbox 'Field'", "secret plans")


@pytest.mark.parametrize("way", ["location", "meta", "form", "redirect"])
def test_fault_18_however_the_page_leaves_it_is_read_but_not_acted_on(
    serve_html: Callable[[str], Page], other: Site, way: str
) -> None:
    leaves = {
        "location": f"<script>onload = () => location.replace({other.url!r})</script>",
        "meta": f'<meta http-equiv="refresh" content="0; url={other.url}">',
        "form": f'<form method=post action="{other.url}"></form><script>document.forms[0].submit()</script>',
        "redirect": f"<script>document.location.assign({other.url!r})</script>",
    }
    page = serve_html(leaves[way])
    page.wait_for(url=other.url.split("//")[1].split("/")[0])
    if way == "form":  # the site answers a post with an error page
        page.wait_for(selector="heading")
        assert page.url.startswith(other.url)
        with pytest.raises(NotAllowed):
            page.press("Tab")
        return
    page.wait_for(selector="button 'Go'")
    with pytest.raises(NotAllowed, match="allowed origins"):
        page.click("button 'Go'")


def test_fault_18_frames_and_popups_count_by_their_own_origin(
    serve_html: Callable[[str], Page], other: Site, browser: Browser
) -> None:
    page = serve_html(
        f"<button onclick=\"window.open('{other.url}')\">Open</button><iframe src='{other.url}'></iframe>"
        "<iframe srcdoc='<button>Mine</button>'></iframe>"
    )
    page.wait_for(selector="button 'Go'")
    with pytest.raises(NotAllowed, match="allowed origins"):
        page.click("button 'Go'")
    page.click("button 'Mine'")
    opened = page.click("button 'Open'").opened_tabs
    popup = next(each for each in browser.refresh() if each.driver.tab.id in opened)
    with pytest.raises(NotAllowed, match="allowed origins"):
        popup.click("button 'Go'")
    popup.close()


def test_fault_18_the_extension_refuses_another_origin_than_was_judged(
    serve_html: Callable[[str], Page], other: Site
) -> None:
    """A navigation between the check and the act: the request carries the origin that was judged."""
    page = serve_html(f"<button>Save</button><iframe src='{other.url}'></iframe>")
    page.wait_for(selector="button 'Go'")
    snap = page.snapshot()
    server, tab = page.browser.driver.server, page.driver.tab.id

    def send(command: str, params: dict[str, Any], origin: str) -> Any:
        async def request() -> Any:
            return await server.request(RequestBody(command=command, params=params, tab=tab, origin=origin))

        return io.sync(request())

    mine, theirs = origin_of(page.url), origin_of(other.url)
    assert mine is not None
    assert theirs is not None
    with pytest.raises(OriginChanged):
        send("click", {"ref": snap.find("button 'Go'").ref}, mine)
    with pytest.raises(OriginChanged):
        send("get", {"what": "text", "ref": snap.find("button 'Save'").ref}, theirs)
    with pytest.raises(OriginChanged):
        send("screenshot", {}, theirs)
    send("click", {"ref": snap.find("button 'Go'").ref}, theirs)
    assert send("get", {"what": "text", "ref": snap.find("button 'Save'").ref}, mine) == {"value": "Save"}


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,<p>x", "blob:https://a.test/1", "file:///etc/passwd",
     "view-source:https://a.test/", "chrome://settings", "chrome-extension://abc/popup.html", "about:config",
     "devtools://devtools/bundled/inspector.html", "filesystem:https://a.test/temporary/x", "ws://a.test/"],
)  # fmt: skip
def test_fault_19_only_web_pages_are_opened(browser: Browser, url: str) -> None:
    count = len(browser.pages)
    with pytest.raises(NotAllowed):
        browser.open(url)
    assert len(browser.pages) == count


def test_fault_19_a_page_cannot_lead_to_what_is_no_web_page(serve_html: Callable[[str], Page]) -> None:
    blob = "window.URL.createObjectURL(new Blob(['<p>hi'], {type: 'text/html'}))"
    page = serve_html(f'<button onclick="window.location = {blob}">Go</button>')
    page.click("button 'Go'")
    until(lambda: page.url.startswith("blob:"))
    for read in (page.snapshot, lambda: page.get("title"), page.screenshot, lambda: page.press("Tab")):
        with pytest.raises(NotAllowed, match="web page"):
            read()


def test_fault_19_the_notebooks_own_server_is_neither_read_nor_framed(
    serve_html: Callable[[str], Page], other: Site, browser: Browser
) -> None:
    policy = browser.driver.gateway.policy
    page = serve_html(f"<h1>Mine</h1><iframe src='{other.url}'></iframe>")
    page.wait_for(selector="button 'Go'")
    policy.forbidden.add(str(origin_of(other.url)))
    try:
        assert page.snapshot().find_all("button 'Go'") == []
        assert page.snapshot().has_text("Mine")
        for name in ("localhost", "127.0.0.1"):
            with pytest.raises(NotAllowed, match="own server"):
                page.goto(other.url.replace("127.0.0.1", name).replace("localhost", name))
        page.evaluate(f"void (location.href = {other.url!r})")
        until(lambda: page.url.startswith(other.url))
        with pytest.raises(NotAllowed, match="own server"):
            page.snapshot()
    finally:
        policy.forbidden.discard(str(origin_of(other.url)))


def test_fault_19_the_bridges_own_pages_are_out_of_bounds(browser: Browser) -> None:
    with pytest.raises(NotAllowed, match="own server"):
        browser.open(f"http://127.0.0.1:{browser.driver.server.port}/pair")


def _json(data: Any) -> str:
    return json.dumps(data)
