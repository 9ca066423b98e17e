"""A snapshot says how far the page is loaded, how many nodes of each tier it has, and which engine answered."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from skillbook.session.sync import Page

Serve = Callable[[str], Page]

MARKUP = """
<div><div><div><button>Go</button></div></div></div>
<div onclick="void 0">Row</div>
<form><input name=mail type=email aria-label="Email" required><input name=pin aria-label="Code" autofocus></form>
"""


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_tiers_and_state(read_html: Serve, engine: str) -> None:
    snapshot = read_html(MARKUP).snapshot(engine=engine)
    assert snapshot.engine == engine
    assert snapshot.instead is None
    assert snapshot.ready_state == "complete"
    stats = snapshot.stats
    assert (stats.semantic, stats.interactive) == (3, 1)
    assert stats.elements == stats.semantic + stats.interactive + stats.structural
    assert stats.structural >= 6  # html, body, the form and three wrappers
    assert stats.took_ms > 0


def test_a_page_that_loads_says_so(serve_html: Serve) -> None:
    page = serve_html("<p>Here</p>")
    page.evaluate("document.open(); document.write('<p>Half'); 0")
    assert page.snapshot().ready_state in {"loading", "interactive"}
    assert page.snapshot(engine="cdp").ready_state in {"loading", "interactive"}
    page.evaluate("document.close(); 0")
    end = time.monotonic() + 5
    while page.snapshot().ready_state != "complete":
        assert time.monotonic() < end


def test_the_summary_has_its_origin_time_viewport_and_focus(read_html: Serve) -> None:
    page = read_html(MARKUP)
    summary = page.summary()
    assert page.url.startswith(summary.origin + "/")
    assert summary.origin.count("/") == 2
    assert abs(summary.ts / 1000 - time.time()) < 60
    assert min(summary.viewport) > 100
    assert [field.html_name for field in summary.forms[0].fields] == ["mail", "pin"]
    assert summary.focused_role == "textbox"
    assert "focus: textbox" in summary.text()
