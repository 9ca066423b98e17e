"""Rows that a page shows, read from the JSON answer it got them from; or from the page, where that isn't sure."""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

import skillbook as sb
from skillbook.errors import ExtractionError
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.policy.secrets import store as secrets
from skillbook.session.sync import Browser, Page

ROWS = [
    {"id": at, "name": f"Part {at}", "price": 1000 + at * 1.5, "list": 1000 + at * (1.5 if at < 15 else 2),
     "due": f"2026-{at % 12 + 1:02}-{at % 28 + 1:02}", "owner": {"name": f"Ann {at % 97}"}}
    for at in range(10_000)
]  # fmt: skip
PAGE = """<!doctype html><title>Parts</title><div id="out"></div><script>
const has = new URLSearchParams(location.search);
const api = has.get("api");
const many = Number(has.get("many") ?? 10);
const options = {method: has.get("method") ?? "GET", headers: {authorization: "Bearer letmein"}};
const money = (value) => "€" + value.toLocaleString("en-US", {minimumFractionDigits: 2});
const day = (text) => text.split("-").reverse().join(".");
const cell = (text) => `<td>${text}</td>`;
fetch(api, options).then((r) => r.json()).then((answer) => {
  let rows = answer.rows ?? answer;
  if (has.has("odd")) rows = rows.filter((row) => row.id % 2);
  rows = rows.slice(0, many);
  const columns = has.has("list") ? ["Name", "List", "Cost"] : ["Name", "Price", "Due", "Owner"];
  const line = (row) => has.has("list")
    ? [row.name, row.list, row.price] : [row.name, money(row.price), day(row.due), row.owner.name];
  const count = has.get("count");
  document.getElementById("out").innerHTML = `<table ${count ? `aria-rowcount="${Number(count) + 1}"` : ""}><tr>`
    + columns.map((name) => `<th>${name}</th>`).join("") + "</tr>"
    + rows.map((row) => "<tr>" + line(row).map(cell).join("") + "</tr>").join("") + "</table>"
    + (has.has("next") ? '<nav aria-label="Pages"><a href="#1" aria-current="page">1</a>'
      + ' <a href="#2">2</a> <a href="#2" rel="next">Next</a></nav>' : "");
});
</script>"""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = urlsplit(self.path)
        given = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/":
            return self.say(PAGE, "text/html")
        if self.headers.get("authorization") != "Bearer letmein":
            self.send_error(401)
            return None
        self.server.seen.append((self.command, self.path))  # type: ignore[attr-defined]
        size = min(int(given.get("limit") or given.get("per_page") or 10), int(given.get("cap", 10_000)))
        first = int(given.get("offset", 0)) + (int(given.get("page", 1)) - 1) * size
        rows = ROWS[: int(given.get("of", 10_000))][first : first + size]
        answer: Any = rows if "bare" in given else {"rows": rows, "total": int(given.get("of", 10_000))}
        return self.say(json.dumps(answer), "application/json")

    do_POST = do_GET

    def say(self, text: str, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", f"{kind}; charset=utf-8")
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.open("about:blank")
    yield page
    page.close()


@pytest.fixture
def extract(page: Page, server: Any) -> Any:
    def read(api: str, **given: Any) -> Any:
        keywords = {name: given.pop(name) for name in ("fields", "source") if name in given}
        more = "".join(f"&{name}={value}" for name, value in given.items())
        page.goto(f"http://127.0.0.1:{server.server_port}/?api={api.replace('&', '%26')}{more}")
        page.wait_for(selector="table")
        server.seen.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sb.extract(page, **{"source": "network", **keywords})

    return read


def test_ten_thousand_rows_come_in_a_few_requests(extract: Any, server: Any, page: Page) -> None:
    frame = extract("/api/parts?offset=0&limit=20", many=20, count=10000)
    assert frame.skillbook.complete, frame.skillbook.reason
    assert len(frame) == 10_000
    assert list(frame.columns) == ["Name", "Price", "Due", "Owner"]
    assert frame.Price.tolist()[-1] == 1000 + 9_999 * 1.5
    assert str(frame.Due.iloc[30].date()) == ROWS[30]["due"]
    assert frame.Owner.iloc[96] == "Ann 96"
    assert len(server.seen) <= 3
    assert {method for method, _ in server.seen} == {"GET"}
    source = frame.skillbook.source(9_999, "Owner")
    assert source.path == "$.rows[9999].owner.name"
    assert "/api/parts?" in source.url
    assert any("also have id" in note for note in frame.skillbook.notes)
    page.network.requests  # noqa: B018 - its use watches
    with pytest.warns(IncompleteFrame):
        again = sb.extract(page)
    assert any("source='network' reads all 10,000" in note for note in again.skillbook.notes)


def test_pages_of_a_server_that_gives_no_more_at_once(extract: Any, server: Any) -> None:
    frame = extract("/api/parts?page=1&per_page=10&cap=50&of=230")
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame.Name.tolist() == [row["name"] for row in ROWS[:230]]
    assert len(server.seen) <= 7


def test_a_list_without_a_total_is_read_to_its_end(extract: Any) -> None:
    frame = extract("/api/parts?offset=0&limit=10&cap=10&of=45&bare=1")
    assert len(frame) == 45
    assert frame.skillbook.complete, frame.skillbook.reason


@pytest.mark.parametrize(
    ("api", "given", "why"),
    [
        ("/api/parts?offset=0&limit=40", {"odd": 1}, "no JSON answer surely has the rows"),
        ("/api/parts?offset=0&limit=40", {"count": 12}, "the page says 12 rows and the answer 10,000"),
        ("/api/parts?offset=0&limit=40", {"method": "POST"}, "no JSON answer surely has the rows"),
    ],
)
def test_what_is_not_surely_the_screens_list_is_read_from_the_page(
    extract: Any, api: str, given: Any, why: str
) -> None:
    frame = extract(api, **given)
    assert len(frame) == 10
    assert any(why in note for note in frame.skillbook.notes), frame.skillbook.notes


def test_a_column_that_two_fields_may_be_is_left_out_and_said(extract: Any) -> None:
    frame = extract("/api/parts?offset=0&limit=100&of=100", list=1)
    assert list(frame.columns) == ["Name", "List"]
    assert not frame.skillbook.complete
    assert "'Cost' isn't surely in the answer" in frame.skillbook.reason


def test_an_answer_with_a_secrets_value_ends_the_reading(extract: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(secrets, "_values", {"pin": "1111"})
    frame = extract("/api/parts?page=1&per_page=10&cap=50&of=230")
    assert len(frame) == 50
    assert not frame.skillbook.complete
    assert "an answer has a secret's value in it" in frame.skillbook.reason


def test_what_nobody_counts_is_not_complete(extract: Any) -> None:
    frame = extract("/api/parts?bare=1", many=5, next=1)
    assert len(frame) == 10
    assert not frame.skillbook.complete
    assert "nothing says how many there are" in frame.skillbook.reason


def test_source_goes_with_no_way_to_turn_pages(page: Page) -> None:
    with pytest.raises(ExtractionError, match="without next="):
        sb.extract(page, source="network", next=True)
