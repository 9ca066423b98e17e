"""Lists that load more once what is behind them comes into view: a read that doesn't scroll says that it isn't all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Page

ROWS = """const box = document.querySelector('#rows'); let at = 0;
function load() {
  for (const end = Math.min(at + 12, 36); at < end; at++)
    box.insertAdjacentHTML('beforeend', `<li><h3>Bird ${at}</h3><p>seen ${at + 3} times</p></li>`);
}
load();"""
LOADS = """const watching = new IntersectionObserver(([entry]) => {
  if (!entry.isIntersecting) return;
  load(); if (at >= 36) watching.disconnect();
});"""
STYLE = "<style>li {height: 120px}</style>"
PAGES = {
    "an empty element behind the list": (
        f"<ul id=rows></ul><div id=end style='height:1px'></div><p>About us</p><script>{ROWS}{LOADS}"
        "watching.observe(document.querySelector('#end'))</script>"
    ),
    "a word behind the list": (
        f"<ul id=rows></ul><p id=end>Loading…</p><script>{ROWS}{LOADS}"
        "watching.observe(document.querySelector('#end'))</script>"
    ),
    "its last row": (
        f"<ul id=rows></ul><script>{ROWS}{LOADS}watching.observe(box.lastElementChild)</script>"
    ),
}
WHOLE = {
    "all rows, to animate them": "for (const row of box.children) new IntersectionObserver(() => 0).observe(row)",
    "an element above": "new IntersectionObserver(() => 0).observe(document.querySelector('h1'))",
    "one behind other texts": "new IntersectionObserver(() => 0).observe(document.querySelector('#far'))",
    "one that is waited for no more": (
        "const one = new IntersectionObserver(() => 0); one.observe(document.querySelector('#end')); one.disconnect()"
    ),
    "one that isn't shown": (
        "const end = document.querySelector('#end'); end.hidden = true; new IntersectionObserver(() => 0).observe(end)"
    ),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_rows_that_come_by_scrolling_are_said_to_be_missing(
    show_html: Callable[[str], Page], page: str
) -> None:
    shown = show_html(f"{STYLE}<h1>Birds</h1>{page}")
    with pytest.warns(IncompleteFrame, match="scroll=True"):
        first = sb.extract(shown)
    assert (len(first), first.skillbook.complete) == (12, False)
    assert "comes into view" in first.skillbook.reason
    with pytest.warns(IncompleteFrame, match="scroll=True"):
        (table,) = sb.tables(shown)
    assert not table.skillbook.complete


def test_scrolling_brings_them_all(show_html: Callable[[str], Page]) -> None:
    shown = show_html(f"{STYLE}<h1>Birds</h1>{PAGES['an empty element behind the list']}")
    frame = sb.extract(shown, scroll=True)
    assert (len(frame), frame.skillbook.complete) == (36, True)


@pytest.mark.parametrize("script", WHOLE.values(), ids=WHOLE)
def test_elements_that_load_nothing_behind_a_list_dont_matter(
    show_html: Callable[[str], Page], script: str
) -> None:
    whole = ROWS.replace("Math.min(at + 12, 36)", "36")
    shown = show_html(
        f"{STYLE}<h1>Birds</h1><ul id=rows></ul><div id=end style='height:1px'></div><p>About us</p><p id=far></p>"
        f"<script>{whole}{script}</script>"
    )
    frame = sb.extract(shown)
    assert (len(frame), frame.skillbook.complete) == (36, True), frame.skillbook.reason


def test_a_feed_may_have_more(show_html: Callable[[str], Page]) -> None:
    rows = "".join(f"<article><h3>Bird {at}</h3><p>seen {at + 3} times</p></article>" for at in range(5))
    shown = show_html(f"<div role=feed aria-label=Sightings>{rows}</div>")
    with pytest.warns(IncompleteFrame, match="it is a feed"):
        assert not sb.extract(shown).skillbook.complete
