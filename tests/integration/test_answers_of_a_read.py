"""A read whose requests fail: tried once more, and never called complete with rows missing."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator

import pandas as pd
import pytest

import skillbook as sb
from skillbook.session.sync import Page
from skillbook.testing.site import Site, serve_app
from skillbook.testing.sites.web import Request, Response

OPEN = Callable[[str], Page]
TOTAL = 57

BY_BUTTON = """<!doctype html><meta charset=utf-8><h1>Jobs</h1><ul id=l></ul><button id=m>Load more</button>
<p id=err role=alert></p><script>
let n = 0, busy = false
async function go() {
  if (busy) return
  busy = true
  let d = null
  try { const r = await fetch('/api?from=' + n); if (r.ok) d = await r.json() } catch {}
  busy = false
  if (!d) { err.textContent = MESSAGE; return }
  err.textContent = ''
  for (const x of d.rows) {
    const li = document.createElement('li')
    li.innerHTML = '<h3>' + x + '</h3><span class=c>Acme</span>'
    l.append(li)
  }
  n += d.rows.length
  if (d.end) m.remove()
}
m.onclick = go; go()
</script>"""
BY_SCROLLING = (
    BY_BUTTON.replace("<button id=m>Load more</button>", "<p id=m>.</p>")
    .replace(
        "m.onclick = go; go()",
        "new IntersectionObserver((seen) => { if (seen.some((e) => e.isIntersecting)) go() },"
        " {rootMargin: '0px'}).observe(m); go()",
    )
    .replace("<h1>", "<style>li {height: 150px}</style><h1>")
)


class Jobs:
    """A growing list of jobs, one part of which fails as often as is wanted."""

    def __init__(self, html: str, answer: Response | None, times: int) -> None:
        self.html, self.answer, self.times = html, answer, times

    def respond(self, request: Request) -> Response:
        if request.path != "/api":
            return Response(self.html)
        first = int(request.query["from"])
        if first == 20 and self.times and self.answer is not None:
            self.times -= 1
            return self.answer
        rows = [f"Job {n:03d}" for n in range(first, min(first + 10, TOTAL))]
        body = json.dumps({"rows": rows, "end": first + 10 >= TOTAL})
        return Response(body, headers={"Content-Type": "application/json"})


@pytest.fixture
def read(open_page: OPEN) -> Iterator[Callable[..., pd.DataFrame]]:
    sites: list[object] = []

    def give(html: str, answer: Response | None, times: int, **how: object) -> pd.DataFrame:
        served = serve_app(Jobs(html, answer, times))
        site: Site = served.__enter__()
        sites.append(served)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sb.extract(open_page(f"{site.url}/"), **how)

    yield give
    for served in sites:
        served.__exit__(None, None, None)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("status", "message", "says"),
    [
        (500, "''", "was answered 500"),
        (500, "'Something went wrong. Try again.'", "was answered 500"),
        (404, "''", "was answered 404"),
    ],
)
def test_fault_80_more_that_always_fails_is_never_complete(
    read: Callable[..., pd.DataFrame], status: int, message: str, says: str
) -> None:
    frame = read(BY_BUTTON.replace("MESSAGE", message), Response("", status), 99, next=True)
    assert len(frame) == 20
    assert not frame.skillbook.complete
    assert says in frame.skillbook.reason


def test_fault_80_more_that_fails_once_is_tried_again(read: Callable[..., pd.DataFrame]) -> None:
    frame = read(BY_BUTTON.replace("MESSAGE", "''"), Response("", 500), 1, next=True)
    assert len(frame) == TOTAL
    assert frame.skillbook.complete, frame.skillbook.reason
    assert "again" in frame.skillbook.notes[0]


def test_fault_80_an_empty_answer_with_the_button_still_there_is_not_the_end(
    read: Callable[..., pd.DataFrame],
) -> None:
    nothing = Response('{"rows": [], "end": false}', headers={"Content-Type": "application/json"})
    frame = read(BY_BUTTON.replace("MESSAGE", "''"), nothing, 99, next=True)
    assert len(frame) == 20
    assert not frame.skillbook.complete
    assert "the way to the next page was there" in frame.skillbook.reason


@pytest.mark.parametrize("status", [500, 404])
def test_fault_80_a_list_that_grows_by_scrolling_is_not_whole_where_an_answer_failed(
    read: Callable[..., pd.DataFrame], status: int
) -> None:
    frame = read(BY_SCROLLING.replace("MESSAGE", "''"), Response("", status), 99, scroll=True)
    assert len(frame) == 20
    assert not frame.skillbook.complete
    assert f"was answered {status}" in frame.skillbook.reason


def test_fault_80_a_list_that_grows_is_scrolled_once_more(read: Callable[..., pd.DataFrame]) -> None:
    frame = read(BY_SCROLLING.replace("MESSAGE", "''"), Response("", 500), 1, scroll=True)
    assert len(frame) == TOTAL
    assert frame.skillbook.complete, frame.skillbook.reason
