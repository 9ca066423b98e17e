"""Chrome's own attribution as an oracle: each change of the DOM that its trace gives to a click lies inside our wait.

Chrome follows a click's doings to paint soft navigations. It says nothing of what is pending and misses some kinds
(workers, sockets, databases), so it can't be the wait itself; what it gives to the click must have been waited for.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from benchmarks.apps import APPS, NotInstalled, serve_app
from benchmarks.peers import Peers, Tab, start_peers
from skillbook.io_thread import io
from tests.integration.caused_pages import CLICKED, CausedSite

CHANGED = "SoftNavigationContext::AddedModifiedNodeInAnimationFrame"
AFTER_SECONDS = 1.5
SEEN = ("timer", "fetch, then timer", "xhr chain", "sleeps", "debounce", "late pager", "timer beside a poll")
"""Kinds that Chrome follows, so that an oracle which sees nothing is noticed."""
LONG = ("toast",)
"""Timers over 3 s aren't waited for (docs/waiting.md)."""
ENDING = [name for name, page in CLICKED.items() if name not in LONG and not name.endswith(" by the press")]


@pytest.fixture(scope="module")
def site() -> Iterator[CausedSite]:
    """The server of the pages."""
    with CausedSite() as site:
        yield site


@pytest.fixture(scope="module")
def peers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peers]:
    """A browser that Playwright traces while skillbook acts."""
    with start_peers(tmp_path_factory.mktemp("peers")) as peers:
        yield peers


def changes_of(peers: Peers, tab: Tab, selector: str) -> tuple[list[int], int]:
    """When the DOM changed because of a click, and when we said that the page is at rest, in microseconds."""
    browser = peers.context.browser
    assert browser is not None
    session = browser.new_browser_cdp_session()
    events: list[dict[str, Any]] = []
    complete: list[object] = []
    session.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    session.on("Tracing.tracingComplete", lambda end: complete.append(end))
    io.sync(tab.ours.driver.settled("rest"))
    config = {"includedCategories": ["loading"]}
    session.send("Tracing.start", {"traceConfig": config, "transferMode": "ReportEvents"})
    tab.ours.click(selector)
    io.sync(tab.ours.driver.settled("rest"))
    at_rest = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000  # as the trace's times
    tab.theirs.wait_for_timeout(AFTER_SECONDS * 1000)
    session.send("Tracing.end")
    deadline = time.monotonic() + 30
    while not complete:
        assert time.monotonic() < deadline, "the trace doesn't come"
        tab.theirs.wait_for_timeout(20)
    session.detach()
    return [event["ts"] for event in events if event["name"] == CHANGED], at_rest


@pytest.mark.parametrize("name", ENDING)
def test_what_chrome_gives_to_a_click_lies_inside_our_wait(name: str, site: CausedSite, peers: Peers) -> None:
    url = f"{site.url}/page/clicked/{list(CLICKED).index(name)}"
    with peers.open(url, name, "#go") as tab:
        changes, at_rest = changes_of(peers, tab, "button 'Go'")
    assert [change - at_rest for change in changes if change > at_rest] == []
    assert changes or name not in SEEN, "the trace has no change of the click"


@pytest.mark.more
@pytest.mark.parametrize("app", [app for app in APPS if app.name != "pydocs"], ids=lambda app: app.name)
def test_what_chrome_gives_to_a_click_in_an_application_lies_inside_our_wait(
    app: Any, peers: Peers, tmp_path: Any
) -> None:
    with ExitStack() as stack:
        try:
            url = stack.enter_context(serve_app(app, tmp_path))
        except NotInstalled as error:
            pytest.skip(str(error))
        tab = stack.enter_context(peers.open(url, app.name, app.ready, app.act))
        found = tab.theirs.locator(app.act).first.element_handle()
        assert found is not None
        found.evaluate("element => element.setAttribute('data-testid', 'acted-on')")
        changes, at_rest = changes_of(peers, tab, "css '[data-testid=acted-on]'")
    assert [change - at_rest for change in changes if change > at_rest] == []
