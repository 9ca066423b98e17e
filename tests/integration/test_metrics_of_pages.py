"""What the browser has measured of a page, as a Series."""

from __future__ import annotations

from collections.abc import Callable

from skillbook.session.sync import Page


def test_a_page_is_measured(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<h1>Metrics</h1><button onclick=\"document.body.append(...Array.from({length: 300}, () => "
                      "document.createElement('p')))\">Grow</button>")  # fmt: skip
    before = page.metrics()
    assert list(before.index[:5]) == ["LCP", "CLS", "INP", "FCP", "TTFB"]
    assert before["FCP"] > 0
    assert before["heap"] > 10_000
    assert before["requests"] >= 1
    page.click("button 'Grow'")
    after = page.metrics()
    assert after["nodes"] - before["nodes"] >= 300
    assert after["layouts"] > before["layouts"]
