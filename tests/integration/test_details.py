"""Rows with fields of the pages that they link to, from a real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

import skillbook as sb
from skillbook.errors import ExtractionError, StaleRef
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_app
from skillbook.testing.sites.web import Request, Response

Open = Callable[[str], Page]
EACH = 4
LAST = 3
WANTED = {"upc": "UPC", "weight": "Weight", "blurb": "paragraph in main"}


def item(n: int) -> str:
    weight = "" if n == 5 else f"<dt>Weight:</dt><dd>{n} kg</dd>"
    return (
        f"<nav><p>Books at large</p></nav><main><h1>Book {n}</h1>"
        f"<table><tr><th>UPC<td>code-{n}<tr><th>Tax<td>€0.{n}</table>"
        f"<dl>{weight}</dl><p>All about {n}.</p></main>"
    )


def listing(at: int) -> str:
    cards = "".join(
        f"<li><a href='/book/{n}'><img alt='Cover {n}'></a><h3><a href='/book/{n}#top'>Book {n}</a></h3><b>€{n}.00</b>"
        for n in range(EACH * at, EACH * at + EACH)
    )
    after = f"<a href='/list?page={at + 1}'>Next</a>" if at < LAST - 1 else ""
    return f"<h1>Books</h1><ul>{cards}</ul><nav class=pagination>{after}</nav>"


class Books:
    """Pages of books; some answer otherwise, as often as `instead` has answers for them."""

    def __init__(self) -> None:
        self.instead: dict[str, list[Response]] = {}
        self.asked: list[str] = []

    def respond(self, request: Request) -> Response:
        self.asked.append(request.path)
        if waiting := self.instead.get(request.path):
            return waiting.pop(0)
        number = request.path.rpartition("/")[2]
        if request.path.startswith("/book/"):
            body = item(int(number))
        elif request.path == "/list":
            body = listing(int(request.query.get("page", "0")))
        elif request.path == "/two":
            body = "<ul>" + "".join(
                f"<li><a href='/book/{n}'>Book {n}</a> by <a href='/author/{n}'>Author {n}</a>"
                for n in range(3)
            )
        else:
            body = "<ul><li>One <b>1</b><li>Two <b>2</b><li>Three <b>3</b></ul>"
        return Response(f"<!doctype html><meta charset=utf-8><title>{request.path}</title>{body}")


@pytest.fixture
def site() -> Iterator[Site]:
    with serve_app(Books()) as served:
        yield served


def rows_of(frame: pd.DataFrame) -> list[list[object]]:
    return [[None if pd.isna(value) else value for value in line] for line in frame.itertuples(index=False)]


def test_each_row_has_the_fields_of_its_page(site: Site, open_page: Open, browser: Browser) -> None:
    page = open_page(f"{site.url}/list")
    tabs = len(browser.pages)
    frame = sb.extract(page, {"title": "heading", "price": "text ~'€'"}, next=True, details=WANTED)
    assert frame.columns.tolist() == ["title", "price", "upc", "weight", "blurb"]
    assert rows_of(frame) == [
        [f"Book {n}", float(n), f"code-{n}", None if n == 5 else n, f"All about {n}."] for n in range(12)
    ]
    known = frame.skillbook
    assert known.complete, known.reason
    assert known.reason == "read 3 pages, 12 rows; page 3 is open now; 12 pages behind them"
    assert known.notes == ("1 of 12 pages don't have 'weight'",)
    assert sorted(path for path in site.app.asked if "book" in path) == sorted(
        f"/book/{n}" for n in range(12)
    )
    assert len(browser.pages) == tabs
    assert page.url.endswith("/list?page=2")


def test_each_cell_names_the_page_it_came_from(site: Site, open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"{site.url}/list")
    frame = sb.extract(page, {"title": "heading"}, details=WANTED)
    source = frame.skillbook.source(3, "upc")
    assert (source.text, source.url) == ("code-3", f"{site.url}/book/3")
    assert source.selector == "cell in row 'UPC'"
    assert frame.skillbook.source(3, "blurb").selector == "text 'All about 3.'"
    assert frame.skillbook.source(3, "title").url == f"{site.url}/list"
    with pytest.raises(StaleRef, match="/book/3"):
        frame.skillbook.crop(3, "upc")
    kept = frame.skillbook.with_sources()
    kept.skillbook.save_sources(tmp_path / "sources")
    for known in (sb.recover(frame.skillbook.run), kept.merge(kept[["title"]].assign(sold=1), on="title")):
        assert known.skillbook.source(3, "upc").url == f"{site.url}/book/3"
        assert known.skillbook.source(3, "title").url == f"{site.url}/list"
        assert known["blurb"].tolist() == frame["blurb"].tolist()


def test_what_could_not_be_read_is_said(site: Site, open_page: Open) -> None:
    site.app.instead = {
        "/book/1": [Response("<p>Please retry in 1 second.", 429)],
        "/book/2": [Response("<h1>Lost</h1><p>Nothing here", 404)],
        "/book/3": [Response("<label>Password <input type=password></label>")],
    }
    with pytest.warns(IncompleteFrame):
        frame = sb.extract(
            open_page(f"{site.url}/list"), {"title": "heading"}, details={"upc": "UPC", "ean": "EAN"}
        )
    assert rows_of(frame) == [[f"Book {n}", f"code-{n}" if n < 2 else None, None] for n in range(4)]
    assert frame.skillbook.notes == (
        f"waited 1 s before {site.url}/book/1: the site answered 429 Too Many Requests",
    )
    assert "2 of 4 pages could not be read" in frame.skillbook.reason
    assert f"{site.url}/book/2: the site answered 404 Not Found" in frame.skillbook.reason
    assert f"{site.url}/book/3: the page asks to sign in" in frame.skillbook.reason
    assert "no page has the field 'ean'" in frame.skillbook.reason


def test_a_site_that_refuses_is_left_alone(site: Site, open_page: Open) -> None:
    site.app.instead = {f"/book/{n}": [Response("<p>No", 403)] for n in range(12)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteFrame)
        frame = sb.extract(
            open_page(f"{site.url}/list"), {"title": "heading"}, next=True, details={"upc": "UPC"}
        )
    assert len(frame) == 12
    assert frame["upc"].isna().all()
    assert "9 pages were not opened after 3 in a row had failed" in frame.skillbook.reason
    assert sum("book" in path for path in site.app.asked) == 3


def test_the_link_to_follow_is_not_guessed(site: Site, open_page: Open) -> None:
    page = open_page(f"{site.url}/two")
    with pytest.raises(ExtractionError, match=r"links to 2 pages .*Author 0"):
        sb.extract(page, details={"upc": "UPC"})
    assert not any("book" in path for path in site.app.asked)
    for follow in ("link nth 1", "book"):
        frame = sb.extract(
            page, {"book": "link nth 1", "author": "link nth 2"}, details={"upc": "UPC"}, follow=follow
        )
        assert frame["upc"].tolist() == ["code-0", "code-1", "code-2"]
    with pytest.raises(ExtractionError, match="no row has a link"):
        sb.extract(open_page(f"{site.url}/plain"), details={"upc": "UPC"})
    with pytest.raises(ExtractionError, match=r"elements of .*/book/0 match"):
        sb.extract(page, details={"all": "text ~'o'"}, follow="link nth 1")
    with pytest.raises(ExtractionError, match="which the rows have too"):
        sb.extract(page, {"book": "link nth 1"}, details={"book": "UPC"})


READER = """
import os, signal, sys
import skillbook as sb
page = sb.launch(headless=True).open(sys.argv[1])
def die(pages, rows):
    if pages == 3:
        os.kill(os.getpid(), signal.SIGKILL)
sb.extract(page, {"title": "heading"}, details={"upc": "UPC"}, progress=die)
"""


def test_what_was_read_comes_back_after_a_crash(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))
    code = subprocess.run(
        [sys.executable, "-c", READER, f"{site.url}/list"], env=os.environ, check=False, timeout=90
    ).returncode
    assert code == -9
    with pytest.warns(IncompleteFrame):
        frame = sb.recover()
    assert rows_of(frame) == [[f"Book {n}", f"code-{n}" if n < 2 else None] for n in range(4)]
    assert frame.skillbook.source(1, "upc").url == f"{site.url}/book/1"
    lines = [json.loads(line) for path in home.glob("extractions/*.jsonl") for line in path.open()]
    assert [line["kind"] for line in lines if "kind" in line] == ["page", "detail", "detail"]
