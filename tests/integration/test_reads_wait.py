"""Reading at once: what is on its way is waited for, and a page at rest is read without a wait."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

import skillbook as sb
from skillbook.errors import CommandTimeout
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.io_thread import io
from skillbook.session.sync import Page

Open = Callable[[str], Page]

TABLE = """<h1>People</h1><label>Team <select id=team><option>Red<option>Blue</select></label>
<table><thead><tr><th>Name<th>City<tbody id=body>BODY</table>
<script>
const show = (rows) => body.innerHTML = rows.map(([name, city]) => `<tr><td>${name}<td>${city}`).join('');
const load = async (query) => show(await (await fetch('/rows?' + query)).json());
team.onchange = () => {
  const end = performance.now() + BUSY;
  while (performance.now() < end);
  setTimeout(() => load('delay=DELAY&team=' + team.value), TIMER);
}
</script>"""
STATIC = "".join(f"<tr><td>Red {n}<td>Rome" for n in range(5))
BLANK = 3 * ("<tr>" + 2 * "<td><div style='height: 1em; background: silver'></div>")
PAGES = {
    "/late": TABLE + "<script>load('delay=DELAY&team=Red')</script>",
    "/filter": TABLE,
    "/nothing": "<h1>People</h1><div id=app></div><script>fetch('/rows?delay=DELAY&team=Red')"
    ".then(r => r.json()).then(rows => app.innerHTML = '<ul>' + rows.map(r => `<li><b>${r[0]}</b> <i>${r[1]}</i></li>`)"
    ".join('') + '</ul>')</script>",
    "/component": "<h1>People</h1><people-list></people-list><script src='/upgrade.js?delay=DELAY'></script>",
    "/busy": "<h1>People</h1><table aria-busy=true id=table><tr><th>Name<th>City<tbody id=body></table><script>"
    "setTimeout(() => { body.innerHTML = 'ROWS'; table.removeAttribute('aria-busy') }, 1000 * DELAY)</script>",
    "/skeleton": "<h1>People</h1><div aria-busy=true id=part style='height: 4em'></div><script>"
    "setTimeout(() => { part.innerHTML = '<table><tr><th>Name<th>CityROWS</table>'; part.ariaBusy = false },"
    "1000 * DELAY)</script>",
    "/blank": "<h1>People</h1><table><tr><th>Name<th>City<tbody id=body>BLANK</table><script>"
    "setTimeout(() => { body.innerHTML = 'ROWS' }, 1000 * DELAY)</script>",
    "/timer": "<h1>People</h1><table><tr><th>Name<th>City<tbody id=body></table><script>"
    "setTimeout(() => { body.innerHTML = 'ROWS' }, 600)</script>",
    "/timer-list": "<h1>People</h1><ul id=body></ul><script>setTimeout(() => {"
    "body.innerHTML = 'ROWS'.replaceAll('<tr><td>', '<li><b>').replaceAll('<td>', '</b> <i>') }, 600)</script>",
    "/pager": "<h1>People</h1><main></main><script>const main = document.querySelector('main');"
    "setTimeout(() => { main.innerHTML = '<table><tr><th>Name<th>City<tbody>ROWS</table>';"
    "setTimeout(() => main.insertAdjacentHTML('beforeend', '<p>1 to 5 of 40 results</p>'), 100) }, DELAY)</script>",
    "/tags": "<h1>People</h1><ul><x-row><li><b>Ann</b> <i>1</i></li></x-row><x-row><li><b>Bob</b> <i>2</i></li></x-row>"
    "<x-row><li><b>Cy</b> <i>3</i></li></x-row>"
    "</ul><x-icon></x-icon>",
    "/one-by-one": TABLE + "<script>(async () => { for (let n = 0; n < 8; n++) {"
    "const row = (await (await fetch('/rows?delay=DELAY&team=Red')).json())[0];"
    "body.insertAdjacentHTML('beforeend', `<tr><td>${row[0]}<td>${n}`); } })()</script>",
    "/computes": "<p id=out>Early</p><button>Go</button><script>document.querySelector('button').onclick = () => {"
    "fetch('/rows?delay=DELAY&team=Red').then(r => r.json()).then(() => setTimeout(() => setTimeout(() => {"
    "out.textContent = 'Late' })));"
    "setTimeout(() => { const end = performance.now() + BUSY; while (performance.now() < end); }, 50) }</script>",
    "/route": "<a href=/orders id=go>Go to orders</a><h1 id=head>Customers</h1><ul><li>Ann <button>Open</button></ul>"
    "<p id=out></p><script>const open = (what) => document.querySelector('li button').onclick = () => {"
    "out.textContent = what + ' of Ann' }; open('customer'); go.onclick = (event) => { event.preventDefault();"
    "history.pushState({}, '', '/orders'); setTimeout(() => fetch('/rows?delay=DELAY').then(() => {"
    "head.textContent = 'Orders'; open('order') }), TIMER) }</script>",
    "/queue": "<ul id=list></ul><h2 id=head></h2><button id=next>Approve</button><button id=skip>Skip</button>"
    "<label>Urgent <input type=checkbox id=mark></label><p id=out></p><script>"
    "const rows = ['Ann', 'Bob', 'Cy', 'Dee', 'Eve'], done = [], ask = () => fetch('/rows?delay=DELAY');"
    "const say = () => { out.textContent = done }, show = () => { head.textContent = rows[0];"
    "list.innerHTML = rows.map((row) => `<li>${row} <button>Delete</button>`).join('');"
    "list.querySelectorAll('button').forEach((button, at) => { const row = rows[at]; button.onclick = async () => {"
    "done.push(row); say(); await ask(); await ask(); rows.splice(rows.indexOf(row), 1); show() } }) };"
    "next.onclick = async () => { done.push(rows[0]); say(); await ask(); rows.shift(); show() };"
    "mark.onchange = () => { done.push(rows[0]); mark.checked = false };"
    "skip.onclick = async () => { await ask(); rows.shift(); show() }; show()</script>",
    "/poll": TABLE + "<script>fetch('/rows?delay=30&team=Red')</script>",
}
UPGRADE = """customElements.define('people-list', class extends HTMLElement { connectedCallback() {
  this.attachShadow({mode: 'open'}).innerHTML = '<table><tr><th>Name<th>City' +
    [0, 1, 2, 3, 4].map((n) => `<tr><td>Red ${n}<td>Rome`).join('') + '</table>' } })"""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        kind = "text/html; charset=utf-8"
        if parts.path in {"/rows", "/upgrade.js"}:
            time.sleep(float(asked["delay"]))
            rows = [[f"{asked.get('team')} {n}", "Rome"] for n in range(5)]
            is_rows = parts.path == "/rows"
            body = json.dumps(rows) if is_rows else UPGRADE
            kind = "application/json" if is_rows else "text/javascript"
        else:
            body = PAGES.get(parts.path, "")
            for name in ("delay", "timer", "busy"):
                body = body.replace(name.upper(), asked.get(name, "0"))
            body = body.replace("BLANK", BLANK)
            body = body.replace("BODY", STATIC if parts.path in {"/filter", "/poll"} else "").replace(
                "ROWS", STATIC
            )
        try:
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(
                f"<!doctype html><meta charset=utf-8>{body}".encode() if "html" in kind else body.encode()
            )
        except (BrokenPipeError, ConnectionResetError):
            pass

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def names(team: str) -> list[str]:
    return [f"{team} {n}" for n in range(5)]


@pytest.mark.parametrize("delay", ["0.3", "1", "3"])
@pytest.mark.parametrize("path", ["/late", "/nothing", "/component", "/busy", "/skeleton", "/blank"])
def test_fault_62_rows_that_come_late_are_waited_for(
    open_page: Open, site: str, path: str, delay: str
) -> None:
    page = open_page(f"{site}{path}?delay={delay}")
    frames = [frame for frame in sb.tables(page) if len(frame)]
    assert [frame.iloc[:, 0].tolist() for frame in frames] == [names("Red")]
    page.reload()
    frame = sb.extract(page)
    assert frame.iloc[:, 0].tolist() == names("Red")
    assert frame.skillbook.complete, frame.skillbook.reason


@pytest.mark.parametrize("path", ["/timer", "/timer-list"])
def test_fault_62_rows_that_a_timer_shows_are_waited_for(open_page: Open, site: str, path: str) -> None:
    """Nothing reports a timer, so a page that shows no rows yet is looked at for a moment."""
    frame = sb.extract(open_page(f"{site}{path}"))
    assert frame.iloc[:, 0].tolist() == names("Red")
    assert frame.skillbook.complete, frame.skillbook.reason


@pytest.mark.parametrize("rows_ms", [0, 300])
def test_a_pager_that_comes_after_its_rows_is_waited_for(open_page: Open, site: str, rows_ms: int) -> None:
    frame = sb.extract(open_page(f"{site}/pager?delay={rows_ms}"))
    assert len(frame) == 5
    assert not frame.skillbook.complete


def test_fault_62_rows_that_come_one_by_one_are_waited_for(open_page: Open, site: str) -> None:
    """Some are there, and each of the others comes with a request of its own, as in searches of documentation."""
    page = open_page(f"{site}/one-by-one?delay=0.05")
    assert len(sb.extract(page)) == 8
    page.reload()
    assert [len(frame) for frame in sb.tables(page)] == [8]


def test_fault_62_what_does_not_come_in_time_is_not_complete(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/late?delay=8")
    with pytest.warns(IncompleteFrame, match="still loading"):
        (frame,) = sb.tables(page, wait=0.5)
    assert (len(frame), frame.skillbook.complete) == (0, False)
    assert sb.extract(page, wait=12).iloc[:, 0].tolist() == names("Red")


def test_fault_98_a_page_that_shows_only_where_its_tables_will_be_says_so(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/skeleton?delay=8")
    with pytest.warns(IncompleteFrame, match="nothing was read: the page had none .* still loading"):
        tables = sb.tables(page, wait=0.5)
    assert not tables
    assert not tables.complete


def test_fault_62_many_rows_of_before_an_act_are_not_complete(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/filter?delay=8")
    page.select("combobox 'Team'", "Blue")
    for read in (lambda: sb.extract(page, wait=1), lambda: sb.tables(page, wait=1)[0]):
        with pytest.warns(IncompleteFrame, match="still loading"):
            frame = read()
        assert (frame["Name"].tolist(), frame.skillbook.complete) == (names("Red"), False)


def test_rows_that_stay_blank_are_not_complete(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/blank?delay=60")
    for read in (lambda: sb.extract(page, wait=0.5), lambda: sb.tables(page, wait=0.5)[0]):
        with pytest.warns(IncompleteFrame, match="still loading"):
            frame = read()
        assert (len(frame), frame.skillbook.complete) == (0, False)


def test_tags_that_never_become_components_hold_nothing_up(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/tags")
    page.wait_for(idle=True)
    began = time.monotonic()
    frame = sb.extract(page)
    assert frame.skillbook.complete, frame.skillbook.reason
    assert frame.iloc[:, 0].tolist() == ["Ann", "Bob", "Cy"]
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("delay", ["0.5", "2"])
def test_fault_62_rows_of_before_a_filter_are_not_those_after_it(
    open_page: Open, site: str, delay: str
) -> None:
    page = open_page(f"{site}/filter?delay={delay}")
    assert sb.extract(page)["Name"].tolist() == names("Red")
    page.select("combobox 'Team'", "Blue")
    assert sb.extract(page)["Name"].tolist() == names("Blue")
    page.select("combobox 'Team'", "Red")
    (frame,) = sb.tables(page)
    assert frame["Name"].tolist() == names("Red")


@pytest.mark.parametrize("slow", ["timer=150", "timer=600", "busy=1100&timer=300"])
def test_fault_62_what_an_act_requests_later_is_waited_for(open_page: Open, site: str, slow: str) -> None:
    """A pause in the typing, an animation, or a browser that reports requests late under load."""
    page = open_page(f"{site}/filter?delay=0.4&{slow}")
    page.select("combobox 'Team'", "Blue")
    assert sb.extract(page)["Name"].tolist() == names("Blue")
    page.select("combobox 'Team'", "Red")
    page.hover("columnheader 'City'")
    (frame,) = sb.tables(page)
    assert frame["Name"].tolist() == names("Red")
    page.select("combobox 'Team'", "Blue")
    assert "Blue 4" in page.summary().snapshot.text()


def test_an_act_on_a_page_of_a_new_address_waits_for_what_that_requests(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/route?delay=0.8&timer=20")
    page.click("link 'Go to orders'")
    page.click("button 'Open' in listitem 'Ann'")
    assert page.evaluate("out.textContent") == "order of Ann"


def test_the_first_row_after_a_filter_is_one_that_the_filter_left(open_page: Open, site: str) -> None:
    """A search waits for a pause in the typing; until then the first result is another one."""
    page = open_page(f"{site}/filter?delay=0.3&timer=250")
    page.select("combobox 'Team'", "Blue")
    assert page.hover("cell nth 1 in (row nth 2)").target.name == "Blue 0"


def test_fault_62_a_number_names_a_record_once_the_last_click_s_answer_came(
    open_page: Open, site: str
) -> None:
    """Until its server has answered, a list shows the record that a click deletes."""
    page = open_page(f"{site}/queue?delay=0.3")
    for _ in range(2):
        page.click("button 'Delete' nth 1")
    page.click("button 'Delete' in (listitem nth 2)")
    assert page.evaluate("done") == ["Ann", "Bob", "Dee"]


def test_fault_62_the_same_click_again_waits_for_the_answer_of_the_first(open_page: Open, site: str) -> None:
    """As where a page shows record after record, with one button for each."""
    page = open_page(f"{site}/queue?delay=0.3")
    for _ in range(3):
        page.click("button 'Approve'")
    assert page.evaluate("done") == ["Ann", "Bob", "Cy"]


def test_fault_62_a_button_is_pressed_for_the_record_that_the_click_before_brings(
    open_page: Open, site: str
) -> None:
    page = open_page(f"{site}/queue?delay=0.3")
    page.click("button 'Skip'")
    page.click("button 'Approve'")
    page.click("button 'Skip'")
    page.press("Enter", "button 'Approve'")
    page.press("Enter", "button 'Approve'")
    assert page.evaluate("done") == ["Bob", "Dee", "Eve"]


@pytest.mark.parametrize(
    "read",
    [
        lambda page: page.text("heading"),
        lambda page: page.text(),
        lambda page: page.is_visible("heading 'Bob'") and "Bob",
        lambda page: page.count("heading 'Bob'") and "Bob",
        lambda page: page.find("heading")[0].name,
        lambda page: page.snapshot().text(),
        lambda page: page.markdown(),
    ],
    ids=["element", "page", "is", "count", "find", "snapshot", "markdown"],
)
def test_what_is_read_after_a_click_is_what_that_brings(
    open_page: Open, site: str, read: Callable[[Page], object]
) -> None:
    page = open_page(f"{site}/queue?delay=0.3")
    page.click("button 'Skip'")
    assert "Bob" in str(read(page))
    assert "Ann" not in str(read(page))


@pytest.mark.parametrize("at_once", [False, True])
def test_what_a_click_changed_is_what_its_answer_brings(
    open_page: Open, site: str, *, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page(f"{site}/queue?delay=0.3")
    monkeypatch.setattr(page.driver.browser.settings, "look_at_once", at_once)
    result = page.click("button 'Skip'")
    assert result.diff is not None
    assert "Bob" in result.diff.text()


def test_a_look_at_once_leaves_the_wait_to_what_is_read_after_it(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/queue?delay=0.5")
    page.click("button 'Skip'")
    assert page.snapshot(wait=0).has_text("Ann")
    assert page.text("heading") == "Bob"


def test_fault_62_a_box_is_ticked_for_the_record_that_the_click_before_brings(
    open_page: Open, site: str
) -> None:
    page = open_page(f"{site}/queue?delay=0.3")
    page.click("button 'Skip'")
    page.click("checkbox 'Urgent'")
    page.click("button 'Skip'")
    page.click("checkbox 'Urgent'")
    assert page.evaluate("done") == ["Bob", "Cy"]


def test_fault_62_pointing_at_something_takes_no_click_s_answer_for_come(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/queue?delay=0.3")
    for _ in range(3):
        page.click("button 'Approve'")
        page.hover("button 'Delete' in listitem 'Eve'")
    assert page.evaluate("done") == ["Ann", "Bob", "Cy"]


def test_an_act_is_waited_for_once(open_page: Open, site: str) -> None:
    """Reading after an act that causes nothing waits for nothing."""
    page = open_page(f"{site}/filter")
    page.press("Tab")
    began = time.monotonic()
    sb.tables(page)
    assert time.monotonic() - began < 1.5
    assert page.driver.rest.last.state == "rest"


def test_what_is_still_waited_for_is_said(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/filter?delay=60")
    page.select("combobox 'Team'", "Blue")
    answer = io.sync(page.driver.settled("rest", 0.5))
    assert (answer.state, answer.words) == ("waiting", "GET /rows")
    with pytest.raises(CommandTimeout, match="GET /rows"):
        page.wait_for(idle=True, timeout=0.5)
    with pytest.warns(IncompleteFrame, match="GET /rows"):
        frame = sb.extract(page, wait=0.5)
    assert "GET /rows" in frame.skillbook.reason


def test_a_page_that_never_rests_costs_its_budget_once(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/filter?delay=60")
    page.select("combobox 'Team'", "Blue")
    page.snapshot()
    began = time.monotonic()
    for _ in range(3):
        page.snapshot()
    assert time.monotonic() - began < 2


def test_a_person_s_wait_is_obeyed_where_a_page_says_that_it_loads(open_page: Open, site: str) -> None:
    """A timer of more than three seconds is reported by nothing."""
    frame = sb.extract(open_page(f"{site}/busy?delay=8"), wait=12)
    assert frame.iloc[:, 0].tolist() == names("Red")


def test_fault_62_each_option_s_rows_are_waited_for(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/filter?delay=1.5")
    frame = sb.extract(page, for_each="combobox 'Team'")
    assert frame["Name"].tolist() == names("Red") + names("Blue")
    assert frame.skillbook.complete, frame.skillbook.reason


def test_a_summary_of_an_empty_page_waits(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/nothing?delay=1.5")
    assert "Red 4" in str(page.summary().snapshot.text())
    page.reload()
    assert page.snapshot().has_text("Red 4")


@pytest.mark.parametrize("path", ["/filter", "/poll"])
def test_a_page_at_rest_is_read_with_one_question(open_page: Open, site: str, path: str) -> None:
    """A standing request is no sign that rows are missing that are there."""
    page = open_page(f"{site}{path}")
    page.wait_for(idle=True)
    asked: list[str] = []
    send = page.driver.send

    async def noted(action: Any) -> Any:
        asked.append(action.call.command)
        return await send(action)

    page.driver.send = noted  # type: ignore[method-assign]
    assert sb.extract(page)["Name"].tolist() == names("Red")
    assert len(sb.tables(page)) == 1
    page.snapshot()
    # Of each list that was read it is asked whether more comes behind it, which needs no waiting.
    assert asked == [*["page_settled", "snapshot", "describe"] * 2, "page_settled", "snapshot"]


def test_a_frame_that_came_after_the_snapshot_is_news_once(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<p>Shop</p><iframe srcdoc='<button>Two</button>'></iframe>")
    page.wait_for(selector="button 'Two'")
    snapshot = page.snapshot()
    seen = {snapshot.main.key: snapshot.main.version}
    io.sync(page.driver.run("wait_for", {"changed": seen}, timeout=5))
    with pytest.raises(CommandTimeout):
        io.sync(page.driver.run("wait_for", {"changed": seen}, timeout=0.5))


def test_silence_before_a_wait_for_idle_counts(open_page: Open, site: str) -> None:
    page = open_page(f"{site}/filter")
    page.wait_for(idle=True)
    times = []
    for _ in range(20):
        began = time.monotonic()
        page.wait_for(idle=True)
        times.append(time.monotonic() - began)
        if times[-1] < 0.2:
            break
    assert min(times) < 0.2


@pytest.mark.parametrize(("timer", "delay"), [("0", "1"), ("150", "0.1")])
def test_idle_is_after_what_began_before_the_wait(open_page: Open, site: str, timer: str, delay: str) -> None:
    page = open_page(f"{site}/filter?delay={delay}&timer={timer}")
    for team in ("Blue", "Red", "Blue"):
        page.select("combobox 'Team'", team)
        page.wait_for(idle=True)
        texts = page.snapshot().text(budget=None)
        assert f"{team} 4" in texts
        page.wait_for(idle=True)


def test_a_page_that_was_kept_busy_has_its_turn_before_it_rests(open_page: Open, site: str) -> None:
    """While its thread computes, a page changes nothing, and answers wait for a turn; so do timers after them."""
    page = open_page(f"{site}/computes?delay=0.1&busy=1500")
    page.click("button 'Go'")
    page.wait_for(idle=True)
    assert "Late" in page.snapshot().text()
