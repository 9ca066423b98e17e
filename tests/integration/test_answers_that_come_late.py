"""What a click requests belongs to what it did: the model sees the answer, or that the page waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import skillbook as sb
from skillbook.session.sync import Page
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Extract, SkillStep, StepTarget
from skillbook.testing.scripted_model import ScriptedModel, ToolCall

PAGE = b"""<!doctype html><title>Search</title><p id=out>Nothing yet</p>
<button onclick="fetch('/answer').then(r => r.text()).then(t => document.getElementById('out').textContent = t)">Search
</button>"""

ROWS = b"""<!doctype html><title>Rows</title><h1>Orders</h1><ul id=list aria-label=Orders><li><b>Old</b> order</ul>
<button onclick="fetch('/answer').then(r => r.text()).then(t => t.split(' ').forEach(word =>
  document.getElementById('list').insertAdjacentHTML('beforeend', `<li><b>${word}</b> order`)))">Search</button>"""

SUGGESTIONS = b"""<!doctype html><title>Rows</title><h1>Orders</h1><ul id=list aria-label=Orders>
<li><b>Old</b> order</ul><input aria-label=Filter oninput="clearTimeout(window.pause); window.pause = setTimeout(() => {
  document.getElementById('list').innerHTML = '<li><b>New</b> order<li><b>Newer</b> order' }, 400)">"""


TIMERS = b"""<!doctype html><title>Timers</title><h1>Lamps</h1>
<button onclick="setTimeout(() => document.getElementById('menu').hidden = false, 300)">Menu</button>
<ul id=menu role=menu hidden><li role=menuitem tabindex=-1>Save<li role=menuitem tabindex=-1>Print</ul>
<input aria-label=Name oninput="clearTimeout(window.pause); window.pause = setTimeout(() => fetch('/words')
  .then(r => r.text()).then(t => { document.getElementById('out').textContent = t }), 300)">
<button onclick="document.getElementById('results').ariaBusy = 'true'; setTimeout(() => {
  document.getElementById('results').ariaBusy = 'false';
  document.getElementById('out').textContent = 'Done' }, 700)">Load</button>
<button onclick="setTimeout(() => location.href = '/rows', 300)">Leave</button>
<button>Dead</button><section id=results aria-label=Results><p id=out></p></section>"""

LOADS_ON = (
    b"<!doctype html><title>Slow</title><h1>Slow</h1><img src=/answer alt=Lamp><a href=/rows>Orders</a>"
)


@pytest.fixture
def released() -> threading.Event:
    return threading.Event()


@pytest.fixture
def address(released: threading.Event) -> Iterator[str]:
    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/answer":
                released.wait(20)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            pages = {
                "/answer": b"Three results",
                "/rows": ROWS,
                "/suggestions": SUGGESTIONS,
                "/slow": LOADS_ON,
                "/timers": TIMERS,
                "/words": b"Two suggestions",
            }
            self.wfile.write(pages.get(self.path, PAGE))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    released.set()
    server.shutdown()


def clicked(page: Page) -> str:
    """What a model reads of its click."""
    return did(page, "click", target="button 'Search'")


def did(page: Page, tool: str, **args: object) -> str:
    """What a model reads of a call."""
    run = sb.agent(page, "search", model=ScriptedModel([ToolCall(tool, args), "done"]), autonomy="all").run()
    (answer,) = [str(message.content) for message in run.messages if message.type == "tool"]
    return answer


@pytest.mark.parametrize(
    ("tool", "args", "shown"),
    [
        ("click", {"target": "button 'Menu'"}, '+   menuitem "Save" [ref='),
        ("fill", {"target": "textbox 'Name'", "value": "lamp"}, "Two suggestions"),
        ("type", {"target": "textbox 'Name'", "text": "la"}, "Two suggestions"),
        ("click", {"target": "button 'Load'"}, "Done"),
        ("click", {"target": "button 'Leave'"}, 'heading "Orders"'),
        ("click", {"target": "button 'Dead'"}, "Nothing on the page changed."),
    ],
)
def test_what_waits_for_a_timer_is_among_the_changes(
    open_page: Callable[[str], Page], address: str, tool: str, args: dict[str, object], shown: str
) -> None:
    answer = did(open_page(f"{address}timers"), tool, **args)
    assert shown in answer
    assert "still busy" not in answer


def test_an_answer_that_comes_soon_is_among_the_changes(
    open_page: Callable[[str], Page], address: str, released: threading.Event
) -> None:
    released.set()
    answer = clicked(open_page(address))
    assert "Three results" in answer
    assert "still busy" not in answer


def test_a_page_that_waits_for_an_answer_is_reported_as_busy(
    open_page: Callable[[str], Page], address: str, released: threading.Event
) -> None:
    answer = clicked(open_page(address))
    assert "The page is still busy: `wait_for` idle reads it when it is done.\nIt waits for: " in answer
    assert "GET /answer" in answer
    assert "Three results" not in answer


def test_a_replay_reads_no_rows_while_what_an_earlier_step_requested_is_not_answered(
    address: str, released: threading.Event, open_page: Callable[[str], Page]
) -> None:
    page = open_page(f"{address}rows")
    click = SkillStep(command="click", target=StepTarget(selectors=["button 'Search'"]))
    read = SkillStep(command="extract", extract=Extract(fields={"order": "listitem"}, within="list 'Orders'"))
    origin = address.rstrip("/")
    spec = SkillSpec(name="search", description="Searches.", origins=[origin], sends=[], steps=[click, read])
    answer = threading.Timer(2.5, released.set)
    answer.start()
    result = sb.Skill(spec).run(page)
    answer.join()
    assert result.ok, result.error
    assert len(result.frame) == 3


def test_a_replay_waits_for_what_a_page_does_after_a_pause_in_the_typing(
    address: str, open_page: Callable[[str], Page]
) -> None:
    page = open_page(f"{address}suggestions")
    fill = SkillStep(
        command="fill", target=StepTarget(selectors=["textbox 'Filter'"]), params={"value": "new"}
    )
    read = SkillStep(command="extract", extract=Extract(fields={"order": "text"}, within="list 'Orders'"))
    spec = SkillSpec(
        name="filter", description="Filters.", origins=[address.rstrip("/")], sends=[], steps=[fill, read]
    )
    result = sb.Skill(spec).run(page)
    assert result.ok, result.error
    assert result.frame["order"].to_list() == ["New order", "Newer order"]


def test_a_document_that_nobody_has_acted_in_is_at_rest_sooner(
    address: str, open_page: Callable[[str], Page]
) -> None:
    page = open_page(f"{address}suggestions")
    untouched = []
    for _ in range(5):
        page.goto(f"{address}suggestions")
        begun = time.perf_counter()
        page.wait_for(idle=True)
        untouched.append(time.perf_counter() - begun)
    assert min(untouched) < 0.45
    page.press("a", target="textbox 'Filter'")
    page.wait_for(idle=True)
    assert page.snapshot().has_text("Newer order")


@pytest.mark.parametrize("wait", ["none", "dom", "load"])
def test_a_page_that_is_still_loading_is_left(
    address: str, open_page: Callable[[str], Page], wait: str
) -> None:
    """The browser reports that the old document's loading was stopped; the new page is there all the same."""
    page = open_page("about:blank")
    page.goto(f"{address}slow", wait="dom")
    page.goto(f"{address}rows", wait=wait)
    page.wait_for(text="Orders")
    assert page.url == f"{address}rows"
    page.goto(f"{address}slow", wait="dom")
    page.back(wait="dom")
    assert page.url == f"{address}rows"
    page.goto(f"{address}slow", wait="dom")
    assert page.click("link 'Orders'").url == f"{address}rows"
