"""Whatever sends a request that an agent's action causes, it waits for the person; a server counts what arrives."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.acting import close_others
from tests.faults.attack.site import OVER, TAKES_TIME, WAYS, serve_attack
from tests.integration.test_held_requests import Start, click, far, go_on, server, start
from tests.shown import after_reading

__all__ = ["far", "server", "start"]


@pytest.fixture(
    scope="module",
    params=[False, pytest.param(True, marks=pytest.mark.more)],
    ids=["plain", "service-worker"],
)
def site(request: pytest.FixtureRequest, far: Site) -> Iterator[Site]:
    """The attack site; `far` is another site, in another process of the browser."""
    foreign = far.url.replace("127.0.0.1", "localhost")
    with serve_attack(service_worker=request.param, far=foreign) as site:
        yield site


@pytest.fixture(autouse=True)
def closed(browser: Browser) -> Iterator[None]:
    """A popup that is left open would go on blocking what the site's service worker sends."""
    kept = {page.driver.tab.id for page in browser.pages}
    yield
    close_others(browser, kept)


def opened(open_page: Callable[[str], Page], site: Site) -> Page:
    page = open_page(site.url)
    if site.app.service_worker:
        page.wait_for(function="document.title === 'controlled'")
    return page


BLOCKED = {way for way in WAYS if "popup" in way or way.startswith("leaving")} - {"empty popup"}
"""Blocked rather than asked about: the debugger comes to a new tab too late, and goes with a page that leaves."""
NOT_HELD = {"shared worker"}
"""A limit that docs/safety.md names."""
WITH_SERVICE_WORKER = {
    "fetch",
    "beacon",
    "form",
    "worker",
    "service worker itself",
    "location",
    "popup that writes",
}
"""`make attack` tries them all, each on a page of its own."""
APPROVED = {
    "fetch": "/write/fetch",
    "beacon": "/write/beacon",
    "form": "/write/form",
    "hidden iframe": "/write/form",
    "worker": "/write/worker",
    "foreign frame": "/write/far",
    "location": "/items/5/delete",
    "redirected": "/write/redirected",
}
"""What is also approved, and the path that is then arrived at."""
ALONE = {"form", "location"} | TAKES_TIME | {way for way in WAYS if "leaving" in way}
"""The page leaves, or shows once for all that what takes time is over."""
POPUPS = [way for way in WAYS if "popup" in way]
AT_ONCE = [way for way in WAYS if way not in ALONE and way not in POPUPS and way not in NOT_HELD]
GROUPS = {"one after the other": AT_ONCE, "popups": POPUPS} | {way: [way] for way in WAYS if way in ALONE}


@pytest.mark.parametrize("group", list(GROUPS))
def test_fault_33_nothing_is_sent_unasked_and_all_of_it_when_approved(
    group: str, site: Site, far: Site, start: Start, open_page: Callable[[str], Page]
) -> None:
    ways = [way for way in GROUPS[group] if not site.app.service_worker or way in WITH_SERVICE_WORKER]
    if not ways:
        pytest.skip("make attack tries it")
    arrived = [site.app.arrived, far.app.arrived]
    for each in arrived:
        each.clear()
    page = opened(open_page, site)
    run = start(page, *steps(ways), "done", autonomy="all")
    asked = go_on(run, lambda run: after_reading(run).reject("not now"))
    assert arrived == [[], []]
    held = [way for way in ways if way not in BLOCKED]
    assert len(asked) >= len(held)
    assert "".join(run.steps["result"]).count("it was not sent") >= len(held), run.steps.to_string()
    page.close()  # it would go on blocking what the site's service worker sends
    approved = [way for way in ways if way in APPROVED]
    if not approved:
        return
    go_on(
        start(opened(open_page, site), *steps(approved), "done", autonomy="all"),
        lambda run: after_reading(run).approve(),
    )
    wanted = {APPROVED[way] for way in approved}
    deadline = time.monotonic() + 5
    while not wanted <= paths(arrived) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert wanted <= paths(arrived)


def steps(ways: Sequence[str]) -> list[Any]:
    """The calls of a model that presses one control after the other, and waits where one takes time."""
    calls = []
    for way in ways:
        calls += [click(way), *([ToolCall("wait_for", {"text": OVER})] if way in TAKES_TIME else [])]
    return calls


def paths(arrived: Sequence[list[str]]) -> set[str]:
    return {line.partition(" ")[2] for lines in arrived for line in lines}
