"""Scrolling what scrolls by itself: the documents in frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.session.sync import Page
from skillbook.testing.site import serve_folder

pytestmark = pytest.mark.integration
SCROLLED = "element => element.ownerDocument.defaultView.scrollY"


@pytest.mark.parametrize("other_process", [False, True])
def test_a_frame_is_scrolled_by_its_own_ref(
    tmp_path: Path, open_page: Callable[[str], Page], other_process: bool
) -> None:
    (tmp_path / "inner.html").write_text("<!doctype html><button style='margin-top: 3000px'>End</button>")
    with serve_folder(tmp_path) as site:
        inner = site.url.replace("127.0.0.1", "localhost") if other_process else site.url
        page = open_page(_outer(tmp_path, site.url, inner))
        page.browser.allow(inner)
        page.wait_for(selector="button 'End'")
        page.scroll("iframe 'Long'", dy=500)
        assert page.evaluate(SCROLLED, "button 'End'") == 500
        page.scroll("iframe 'Long'", to="bottom")
        assert page.evaluate(SCROLLED, "button 'End'") > 2500
        assert page.evaluate("scrollY") == 0
        page.scroll(to="bottom")
        page.scroll("iframe 'Long'")
        assert page.evaluate("scrollY") < 500


def _outer(folder: Path, url: str, inner: str) -> str:
    frame = f"<iframe title=Long width=300 height=200 src='{inner}/inner.html'></iframe>"
    text = f"<!doctype html><h1>Outer</h1>{frame}<p style='margin-top: 4000px'>Bottom</p>"
    (folder / "index.html").write_text(text)
    return url
