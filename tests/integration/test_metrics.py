"""Figures of a session in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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
    assert list(grown.loc["click"]) == [3, 2, 1, 1]
    assert list(grown.loc["summary"]) == [1, 1, 0, 0]
    assert grown.loc["snapshot", "ok"] >= 2
    times = after.loc[["snapshot", "summary"]]
    assert (times["median_ms"] > 0).all()
    assert (times["median_ms"] <= times["p95_ms"]).all()
