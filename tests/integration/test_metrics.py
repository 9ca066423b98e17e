"""Figures of a session in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import NotActionable
from skillbook.session.sync import Browser, Page

BUTTONS = "<button disabled>Measured</button><button onclick='title = 1'>Other</button>"
COUNTS = ["count", "ok", "errors", "retries"]


def _figures(browser: Browser) -> Any:
    names = ["click", "snapshot", "summary"]
    return browser.metrics.set_index("command").reindex(names).fillna(0)


def test_metrics_tell_times_success_and_retries(browser: Browser, serve_html: Callable[[str], Page]) -> None:
    page = serve_html(BUTTONS)
    before = _figures(browser)
    ref = page.snapshot().find("button 'Measured'").ref
    assert page.summary().title == "Test"
    with pytest.raises(NotActionable):
        page.click(ref, timeout=2)
    page.evaluate("document.querySelector('button').disabled = false")
    page.click(ref)
    page.click("button 'Other'")
    after = _figures(browser)
    grown = after[COUNTS] - before[COUNTS]
    assert list(grown.loc["click", ["count", "ok", "errors"]]) == [3, 2, 1]
    assert grown.loc["click", "retries"] >= 1  # more where the browser is slow
    assert list(grown.loc["summary"]) == [1, 1, 0, 0]
    assert grown.loc["snapshot", "ok"] >= 2
    times = after.loc[["snapshot", "summary"]]
    assert (times["median_ms"] > 0).all()
    assert (times["median_ms"] <= times["p95_ms"]).all()


def test_metrics_count_what_anybody_caused(browser: Browser, serve_html: Callable[[str], Page]) -> None:
    target = serve_html("<title>Prices</title><h1>Prices</h1>")
    page = serve_html(f"<a href='{target.url}'>Prices</a><a href='{target.url}?more'>Terms</a>")
    names = ["summary", "ranking", "screenshot", "explore", "explore depth 1"]
    counts = lambda: browser.metrics.set_index("command")["count"].reindex(names).fillna(0)  # noqa: E731
    before = counts()
    page.summary().query("prices")
    page.screenshot()
    sb.skills.match(page, "search for lamps")
    found = sb.explore(page, "prices", max_depth=1, max_pages=2, remember=False)
    assert found.found, found.why
    grown = counts() - before
    assert grown["summary"] >= 3
    assert grown["ranking"] == 2
    assert grown["screenshot"] >= 1
    assert (grown["explore"], grown["explore depth 1"]) == (1, 1)
