"""A request that an act caused and that failed is part of what the act came to: through Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from skillbook.session.sync import Page
from tests.integration.failing_site import FailingSite, serve_failing
from tests.waiting import until

Show = Callable[[str], Page]


@pytest.fixture(scope="module")
def site() -> Iterator[FailingSite]:
    with serve_failing() as site:
        yield site


@pytest.fixture(scope="module")
def far() -> Iterator[FailingSite]:
    with serve_failing() as site:
        yield site


@pytest.fixture
def show(site: FailingSite, far: FailingSite, open_page: Callable[[str], Page]) -> Show:
    def show(html: str) -> Page:
        site.html = f"<!doctype html><title>Shop</title><h1>Shop</h1>{html}<output></output>"
        site.arrived.clear()
        far.arrived.clear()
        return open_page(site.url)

    return show


def pressing(script: str) -> str:
    return f'<button onclick="{script}">Go</button>'


OWN = {
    "fetch": ("fetch('/answer/500', {method: 'POST', body: 'x=1'})", "POST {site}/answer/500 500"),
    "fetch after a timer": ("setTimeout(() => fetch('/answer/503'), 300)", "GET {site}/answer/503 503"),
    "xhr": (
        "const x = new XMLHttpRequest(); x.open('PUT', '/answer/422'); x.send('x')",
        "PUT {site}/answer/422 422",
    ),
    "slow answer": ("fetch('/slow/500')", "GET {site}/slow/500 500"),
    "connection that breaks": ("fetch('/broken')", "GET {site}/broken net::ERR_EMPTY_RESPONSE"),
    "second of two": (
        "fetch('/answer/200').then(() => fetch('/answer/404'))",
        "GET {site}/answer/404 404",
    ),
    "form": ("document.forms[0].submit()", "POST {site}/answer/500 500"),
    "link": ("location.href = '/answer/403'", "GET {site}/answer/403 403"),
    "redirect": ("fetch('/answer/302', {method: 'POST'})", ""),
}
BESIDE = {
    "image": "new Image().src = '/answer/404'",
    "beacon": "navigator.sendBeacon('/answer/500', 'x')",
    "script": "const s = document.createElement('script'); s.src = '/answer/404'; document.body.append(s)",
    "another site": "fetch('FAR/answer/500', {method: 'POST', mode: 'no-cors'})",
    "given up by the page": "const c = new AbortController(); fetch('/slow/500', {signal: c.signal}); c.abort()",
    "given up by going elsewhere": "fetch('/slow/500'); location.href = '/answer/200'",
    "tried again": "fetch('/flaky').then((a) => a.ok || fetch('/flaky'))",
    "nothing to send": "fetch('/answer/204', {method: 'POST'})",
    "not modified": "fetch('/answer/304')",
    "probe": "fetch('/answer/404', {method: 'HEAD'})",
}
FORM = "<form method=post action='/answer/500'><input name=a></form>"


@pytest.mark.parametrize("kind", OWN)
def test_an_act_says_which_request_of_it_failed(kind: str, show: Show, site: FailingSite) -> None:
    script, wanted = OWN[kind]
    done = show(FORM + pressing(script)).click("button 'Go'")
    until(lambda: site.arrived)
    if kind == "fetch after a timer":
        until(lambda: done.failed)
    assert [str(each) for each in done.failed] == ([wanted.format(site=site.url)] if wanted else [])
    assert ("failed: " in repr(done)) is bool(wanted)


@pytest.mark.parametrize("kind", BESIDE)
def test_what_only_goes_with_an_act_is_no_failure_of_it(
    kind: str, show: Show, site: FailingSite, far: FailingSite
) -> None:
    page = show(pressing(BESIDE[kind].replace("FAR", far.url)))
    done = page.click("button 'Go'")
    until(lambda: site.arrived or far.arrived or "given up" in kind)
    page.wait_for(idle=True)
    until(lambda: not site.unanswered and not far.unanswered)
    page.evaluate("() => fetch('/answer/200').then(() => 1)")  # what comes late came before this one's end
    assert done.failed == ()
    assert "fail" not in repr(done)


def test_what_a_page_fails_to_get_by_itself_is_none_of_the_act(show: Show, site: FailingSite) -> None:
    page = show(
        "<script>setInterval(() => fetch('/poll/500'), 100)</script>" + pressing("document.title = 'pressed'")
    )
    until(lambda: len(site.arrived) > 3)
    done = page.click("button 'Go'")
    until(lambda: len(site.arrived) > 8)
    assert done.failed == ()


def test_a_document_that_isnt_there_is_said_with_its_status(show: Show, site: FailingSite) -> None:
    page = show("")
    for status in (404, 401, 500):
        done = page.goto(f"{site.url}/missing/{status}")
        assert [str(each) for each in done.failed] == [f"GET {site.url}/missing/{status} {status}"]
    assert page.goto(site.url).failed == ()
    assert page.back().failed[0].status == 500


def test_the_journal_says_what_failed_also_where_it_is_known_late(
    show: Show, site: FailingSite, browser: Any
) -> None:
    page = show(pressing("setTimeout(() => fetch('/slow/500', {method: 'POST'}), 200)"))
    page.click("button 'Go'")
    until(lambda: browser.journal.iloc[-1]["outcome"] == "error")
    last = browser.journal.iloc[-1]
    assert last["command"] == "click"
    assert last["error"] == "request_failed"
    assert f"POST {site.url}/slow/500 500" in str(last["observation"])
