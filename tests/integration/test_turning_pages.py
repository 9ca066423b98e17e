"""Pages of a real server that fails, is busy, or asks to sign in while they are turned."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import skillbook as sb
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Page
from skillbook.testing.site import Site, serve_app
from skillbook.testing.sites.web import Request, Response

OPEN = Callable[[str], Page]
BUSY = "<h1>Too many requests</h1><p>Please retry in 1 second."
LOGIN = "<h1>Sign in</h1><form><label>Password <input type=password></label></form><ul><li>Key<li>Code</ul>"
LAST = 12


def parts(at: int) -> str:
    rows = "".join(f"<tr><td>Part {5 * at + n}<td>€{n}.50" for n in range(5))
    after = f"<a href='/parts?page={at + 2}'>Next</a>" if at < LAST - 1 else ""
    return f"<h1>Parts</h1><table><thead><tr><th>Part<th>Price</thead>{rows}</table><nav class=pagination>{after}</nav>"


class Parts:
    """Twelve pages of parts; some answer otherwise, as often as `instead` has answers for them."""

    def __init__(self) -> None:
        self.instead: dict[int, list[Response]] = {}
        self.asked: list[int] = []

    def respond(self, request: Request) -> Response:
        page = int(request.query.get("page", "1"))
        self.asked.append(page)
        if waiting := self.instead.get(page):
            return waiting.pop(0)
        return Response(f"<!doctype html><meta charset=utf-8>{parts(page - 1)}")


@pytest.fixture
def site() -> Iterator[Site]:
    with serve_app(Parts()) as served:
        yield served


def test_a_busy_server_is_waited_for(site: Site, open_page: OPEN) -> None:
    site.app.instead = {4: [Response(BUSY, 429), Response(BUSY, 429)]}
    frame = sb.extract(open_page(f"{site.url}/parts"), next=True)
    assert frame["Part"].tolist() == [f"Part {n}" for n in range(60)]
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame.skillbook.notes == ("waited 1 s before page 4: the site answered 429 Too Many Requests",) * 2


def test_a_server_is_waited_for_as_long_as_its_header_asks(site: Site, open_page: OPEN) -> None:
    busy = Response("<h1>Busy</h1>", 503, headers={"Retry-After": "2"})
    site.app.instead = {4: [busy]}
    page = open_page(f"{site.url}/parts")
    frame = sb.extract(page, next=True)
    assert len(frame) == 60
    assert frame.skillbook.notes == ("waited 2 s before page 4: the site answered 503 Service Unavailable",)


def test_a_frame_says_how_long_a_server_asks_to_wait(site: Site, open_page: OPEN) -> None:
    site.app.instead = {4: [Response("<h1>Busy</h1>", 429, headers={"Retry-After": "3600"})]}
    with pytest.warns(IncompleteFrame):
        frame = sb.extract(open_page(f"{site.url}/parts"), next=True)
    assert len(frame) == 15
    said = re.search(
        r"the site answered 429 Too Many Requests and asks to wait (\d+) s", frame.skillbook.reason
    )
    assert said, frame.skillbook.reason
    assert 3540 < int(said[1]) <= 3600, "some of it may be over by then"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Response(f"<h1>Oops</h1>{parts(90)}", 500), "the site answered 500 Internal Server Error"),
        (Response(LOGIN), "the page asks to sign in"),
    ],
)
def test_page_7_of_12_is_something_else(site: Site, open_page: OPEN, answer: Any, says: str) -> None:
    site.app.instead = {7: [answer]}
    with pytest.warns(IncompleteFrame, match=says):
        frame = sb.extract(open_page(f"{site.url}/parts"), next=True)
    assert frame["Part"].tolist() == [f"Part {n}" for n in range(30)]
    assert "page 7 could not be read" in frame.skillbook.reason


def test_until_and_pause(site: Site, open_page: OPEN) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteFrame)
        frame = sb.extract(
            open_page(f"{site.url}/parts"),
            next=True,
            pause=0.01,
            until=lambda rows: rows[-1]["Part"] == "Part 14",
        )
    assert len(frame) == 15
    assert "`until` was met" in frame.skillbook.reason
