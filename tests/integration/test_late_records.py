"""Forms that are there before the record that they are to edit: nobody saves their blank fields in its place."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from urllib.parse import parse_qs, urlsplit

import pytest

from skillbook.session.sync import Browser, Page

RECORDS = {"2": ["Ben", "b@x.org"], "3": ["Cy", "c@x.org"]}
PAGE = """<!doctype html><title>People</title><main id=main></main><script>
const asked = new URLSearchParams(location.search), how = asked.get('how'), ms = +asked.get('ms');
const records = RECORDS, saved = window.saved = [];
async function get(id) {
  if (how === 'request') return (await fetch(`/record?ms=${ms}&id=${id}`)).json();
  await new Promise(resolve => setTimeout(resolve, ms));
  return how === 'none' ? ['', ''] : records[id];
}
async function form(place, id) {
  if (!document.getElementById('name')) place.innerHTML = `<h1>Person</h1><form><label>Name <input id=name></label>
    <label>Mail <input id=mail></label><button type=button id=save>Save</button></form> <a href="#/3">Next</a>`;
  save.onclick = () => saved.push([id, document.getElementById('name').value, mail.value].join(' '));
  [document.getElementById('name').value, mail.value] = await get(id);
}
function edit() { place.innerHTML = '<div role=dialog aria-label=Person></div>'; form(place.firstChild, '2') }
function route() {
  const id = asked.get('id') ?? location.hash.slice(2);
  if (id) return form(main, id);
  const other = `?how=${how}&ms=${ms}&id=2`;
  main.innerHTML = `<h1>People</h1><label>Search <input></label> <a href="#/2">Ben</a> <a href="${other}">Ben's page</a>
    <button onclick="edit()">Edit</button> <button onclick="saved.push('deleted')">Delete</button>
    <div id=place></div>`;
}
onhashchange = route;
route();
</script>""".replace("RECORDS", json.dumps(RECORDS))
WAYS = {"route": "link 'Ben'", "document": 'link "Ben\'s page"', "dialog": "button 'Edit'"}


@pytest.fixture
def open_list(browser: Browser) -> Iterator[Callable[..., Page]]:
    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            if url.path == "/record":
                over.wait(float(query["ms"]) / 1000)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            text = json.dumps(RECORDS[query["id"]]) if url.path == "/record" else PAGE
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    over = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pages: list[Page] = []

    def opened(how: str, ms: int = 500) -> Page:
        pages.append(browser.open(f"http://127.0.0.1:{server.server_port}/?how={how}&ms={ms}"))
        return pages[-1]

    yield opened
    over.set()
    for page in pages:
        page.close()
    server.shutdown()


def saved(page: Page) -> list[str]:
    found: list[str] = page.evaluate("saved")
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how", ["timer", "request"])
def test_what_is_saved_at_once_is_the_record(open_list: Callable[..., Page], how: str, way: str) -> None:
    page = open_list(how)
    page.click(WAYS[way])
    page.click("button 'Save'")
    assert saved(page) == ["2 Ben b@x.org"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how", ["timer", "request"])
def test_what_is_filled_in_at_once_stays(open_list: Callable[..., Page], how: str, way: str) -> None:
    page = open_list(how)
    page.click(WAYS[way])
    page.fill("label 'Name'", "New")
    page.click("button 'Save'")
    assert saved(page) == ["2 New b@x.org"]


@pytest.mark.parametrize("how", ["timer", "request"])
def test_a_form_that_shows_the_record_before_is_no_news(open_list: Callable[..., Page], how: str) -> None:
    page = open_list(how)
    page.click("link 'Ben'")
    page.click("button 'Save'")
    page.click("link 'Next'")
    page.click("button 'Save'")
    page.fill("label 'Mail'", "new@x.org")
    page.click("button 'Save'")
    assert saved(page) == ["2 Ben b@x.org", "3 Cy c@x.org", "3 Cy new@x.org"]


def test_a_new_record_is_waited_for_once(open_list: Callable[..., Page]) -> None:
    page = open_list("none", ms=0)
    page.click("link 'Ben'")
    page.fill("label 'Name'", "New")
    began = monotonic()
    page.fill("label 'Mail'", "new@x.org")
    page.click("button 'Save'")
    assert monotonic() - began < 1
    assert saved(page) == ["2 New new@x.org"]


def test_a_lone_field_to_search_by_is_not_waited_for(open_list: Callable[..., Page]) -> None:
    page = open_list("timer")
    began = monotonic()
    page.fill("label 'Search'", "Ben")
    page.click("button 'Delete'")
    assert monotonic() - began < 1
    assert saved(page) == ["deleted"]


def test_a_page_with_many_boxes_is_not_read_as_a_whole(serve_html: Callable[[str], Page]) -> None:
    boxes = "".join(f"<label><input type=checkbox> Box {number}</label>" for number in range(500))
    page = serve_html(f"<label>Name <input id=name></label><button>Save</button>{boxes}")
    seen = page.snapshot()
    field, button = str(seen.find("textbox 'Name'").ref), str(seen.find("button 'Save'").ref)
    page.fill(field, "Ann")
    page.click(button)
    latest = page.driver.latest
    page.fill(field, "Ben")
    page.click(button)
    assert page.driver.latest is latest
    assert page.get("value", field) == "Ben"
