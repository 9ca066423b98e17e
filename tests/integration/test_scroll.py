"""Scrolling what scrolls by itself, the documents in frames, and what loads more as one scrolls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.errors import CommandTimeout
from skillbook.session.sync import Page
from skillbook.testing.site import serve_folder

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


FEED = """<main id=feed style="{style}"></main><p id=clock></p><script>
  const feed = document.getElementById("feed"), box = {box};
  let loading = false;
  const add = () => {{ for (let i = 0; i < 20; i++) feed.append(Object.assign(document.createElement("p"),
    {{textContent: `Row ${{feed.children.length + 1}}`, style: "height: 40px"}})); loading = false; }};
  add();
  setInterval(() => {{ clock.textContent = performance.now(); }}, 50);
  {events}.addEventListener("scroll", () => {{
    if (loading || feed.children.length >= {rows} || box.scrollTop + box.clientHeight < box.scrollHeight - 50) return;
    loading = true;
    setTimeout(add, 300);
  }});
</script>"""
PAGE = {"style": "", "box": "document.scrollingElement", "events": "window"}
LIST = {"style": "height: 300px; overflow: auto", "box": "feed", "events": "feed"}


@pytest.mark.parametrize(("where", "target"), [(PAGE, None), (LIST, "main")], ids=["page", "list"])
def test_what_loads_as_one_scrolls_is_scrolled_to_its_end(
    serve_html: Callable[[str], Page], where: dict[str, str], target: str | None
) -> None:
    page = serve_html(FEED.format(**where, rows=100))
    result = page.scroll(target, to="end")
    assert result.changed
    assert page.snapshot().has_text("Row 100")
    assert page.evaluate(f"({where['box']}).scrollTop") > 3000


def test_what_never_ends_is_given_up_in_time(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(FEED.format(**PAGE, rows=10**9))
    with pytest.raises(CommandTimeout, match="more was loaded"):
        page.scroll(to="end", timeout=1)
    assert page.snapshot().has_text("Row 40")


def _outer(folder: Path, url: str, inner: str) -> str:
    frame = f"<iframe title=Long width=300 height=200 src='{inner}/inner.html'></iframe>"
    text = f"<!doctype html><h1>Outer</h1>{frame}<p style='margin-top: 4000px'>Bottom</p>"
    (folder / "index.html").write_text(text)
    return url
