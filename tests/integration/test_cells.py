"""A model that writes cells, in a real browser through the real OpenAI client."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_code import cell_view, variable_views
from skillbook.errors import AgentError, ApprovalPending, BudgetExceeded, InvalidCell
from skillbook.journal import read_journal
from skillbook.session.sync import Page
from skillbook.testing.site import Site, serve_site
from tests.shown import after_reading
from tests.waiting import until as within

Start = Callable[..., Run]
SEARCH = """\
page.fill("searchbox 'Search products'", "lamp")
page.click("button 'Search'")
rows = sb.extract(page, fields={"title": "heading"}, within="listitem in list 'Products'")
print(len(rows), "rows")
[row["title"] for row in rows][:2]
"""


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site("shop") as site:
        yield site


@pytest.fixture
def start(shop: Site, open_page: Callable[[str], Page], start_cells: Start) -> Start:
    def begin(*cells: str, page: Page | None = None, **options: Any) -> Run:
        return start_cells(*cells, page=page or open_page(shop.url), **options)

    return begin


def test_a_cell_is_one_answer_of_the_model(start: Start) -> None:
    run = start(SEARCH, autonomy="all")
    run.run()
    assert run.status == "succeeded"
    first, second = run.server.requests
    assert sorted(first.tools) == ["plan", "request_assistance", "run_cell"]
    told = [message["role"] for message in second.body["messages"]]
    assert told == ["system", "user", "assistant", "tool"]
    answer = second.body["messages"][-1]["content"]
    assert answer.startswith("The cell ended, after 3 calls.")
    assert "8 rows" in answer
    assert "['Aurora Desk Lamp', 'Beacon Floor Lamp']" in answer
    assert 'link "Aurora Desk Lamp"' in answer
    assert 'link "Aurora Desk Lamp" [ref' not in answer
    assert answer.count("URL: ") == 1
    assert [(step.tool, step.extra["cell"], step.extra.get("line")) for step in run.records] == [
        ("run_cell", 1, None),
        ("fill", 1, 1),
        ("click", 1, 2),
        ("extract", 1, 3),
    ]
    assert run.frame is not None
    assert len(run.frame) == 8
    assert run.frame.skillbook.source(0, "title").ref
    assert run.cells == [SEARCH]
    assert list(run.variables.index) == ["rows"]
    assert (run.variables.type["rows"], run.variables["size"]["rows"]) == ("list", 8)
    journal = read_journal(run._context.page.browser.journal.path)
    keys = [str(step.run) for step in journal if str(step.run).startswith(run.id)]
    assert any(key.endswith(".1L2") for key in keys)


@pytest.mark.more
def test_a_cell_on_an_awaitable_page(start: Start, shop: Site, open_page: Callable[[str], Page]) -> None:
    page = open_page(shop.url)
    twin = sb.aio.Page(page.browser, page.driver)  # type: ignore[arg-type]
    run = start(SEARCH.replace("Products'\")", "Products'\", next=True)"), page=twin, autonomy="all")
    asyncio.run(run.arun())
    assert run.status == "succeeded", run.error
    assert [step.tool for step in run.records] == ["run_cell", "fill", "click", "extract"]
    assert "q=lamp" in page.url
    assert run.frame is not None
    assert len(run.frame) == 12


def test_what_is_wrong_comes_back_with_its_line_before_anything_happens(start: Start, shop: Site) -> None:
    wrong = [
        'page.click("button \'Search\'")\npage.clik("e1")',
        "page.fill(\"searchbox 'Search products'\")",
        "page.click(\"button 'Nowhere'\")",
        'page.click("button \'Search")',
        'page.goto("file:///etc/passwd")',
        "import os\nos.system('id')",
        "x = = 1",
    ]
    run = start(*wrong, autonomy="all", assist=False)
    run.run()
    assert [step.error for step in run.records] == ["invalid_cell"] * len(wrong)
    said = [message.text for message in run.messages if message.type == "tool"]
    assert "line 2: Object of type `Page` has no attribute `clik`\n    page.clik" in said[0]
    assert "    ^^^^^^^^^" in said[0]
    assert "No argument provided for required parameter `value`" in said[1]
    assert "line 1: nothing" in said[2]
    assert "line 1:" in said[4]
    assert "no member `system`" in said[5]
    assert "line 1:" in said[6]
    assert run._context.page.url.rstrip("/") == shop.url.rstrip("/")


def test_a_cell_that_is_approved_whole_asks_no_more(start: Start) -> None:
    run = start(SEARCH)
    run.start()
    run._do(run._stepper.settled())
    pending = run.pending
    assert pending is not None
    assert pending.tool == "run_cell"
    assert pending.cell is not None
    assert pending.cell.forecast == (
        "reads; 2 writes: fill searchbox 'Search products' (line 1), click button 'Search' (line 2)"
    )
    with pytest.raises(InvalidCell):
        after_reading(run).edit(code="x = = 1")
    after_reading(run).edit(code=SEARCH.replace('"lamp"', '"chair"'))
    assert run.status == "succeeded"
    assert [step.decision for step in run.records] == ["edit", "auto", "auto", "auto"]
    assert "q=chair" in run._context.page.url
    answer = run.server.requests[-1].body["messages"][-1]["content"]
    assert "The person replaced your code on purpose" in answer
    assert '"chair")\n' in answer.partition("What ran is:")[2]
    assert repr(run.records[0]) == "<Step 1: run_cell (5 lines): done, edited>"


def test_a_cell_that_a_step_brought_up_runs_whole_once_it_is_approved(start: Start) -> None:
    run = start("page.title", SEARCH, "1")
    assert run.step() is run.pending
    with pytest.raises(
        ApprovalPending, match=r"cell waits for your decision: run_cell \(1 line\), "
    ) as waits:
        run.step()
    assert "approve(stepping=True)" in waits.value.hint
    assert run.pending.cell.marked == "    1  page.title"
    after_reading(run).approve(stepping=True)
    assert run.pending.tool == "get"
    with pytest.raises(AgentError, match="came to its end"):
        run.to_notebook("none.ipynb")
    run.step(until="end")
    assert run.pending.tool == "run_cell"
    assert run.pending.cell.marked.endswith('\n    5  [row["title"] for row in rows][:2]')
    after_reading(run).approve()
    assert (run.pending.tool, run.pending.cell.number) == ("run_cell", 3)
    assert [step.tool for step in run.records[2:]] == ["run_cell", "fill", "click", "extract"]
    after_reading(run).approve()
    assert run.status == "succeeded", run.error


def test_autonomy_reads_lets_cells_pass_that_only_read(start: Start) -> None:
    run = start('page.text("heading nth 1")', "getattr", 'page.fill("searchbox", "x")', autonomy="reads")
    run.start()
    run._do(run._stepper.settled())
    assert [step.tool for step in run.records] == ["run_cell", "get", "run_cell"]
    assert run.pending is not None
    assert run.pending.review.effect == "write"


def test_stepping_from_call_to_call(start: Start) -> None:
    cell = """\
title = page.title
page.fill("searchbox 'Search products'", "lamp"); page.text("heading nth 1")
try:
    page.click("link 'Cart (0)'")
except RuntimeError as error:
    print("caught", error)
for category in ["Chairs 10", "Desks 8"]:
    page.hover(f"link '{category}'")
"""
    run = start(cell)
    run.start()
    run._do(run._stepper.settled())
    after_reading(run).approve(stepping=True)
    assert run.status == "paused"

    def at() -> tuple[str, int]:
        assert run.pending is not None
        assert run.pending.cell is not None
        return run.pending.tool, run.pending.cell.line

    assert at() == ("get", 1)
    assert "→   1  title = page.title" in run.pending.cell.marked
    run.step(until="write")
    assert at() == ("fill", 2)
    after_reading(run).edit(value="desk")
    assert at() == ("get", 2)
    run.step(until="line")
    assert at() == ("click", 4)
    after_reading(run).reject("not that one")
    assert at() == ("hover", 8)
    after_reading(run).skip()
    assert at() == ("hover", 8)
    run.step(until="end")
    assert run.status == "succeeded"
    assert [(step.tool, step.decided) for step in run.records] == [
        ("run_cell", "approve"),
        ("get", "auto"),
        ("fill", "edit"),
        ("get", "auto"),
        ("click", "reject"),
        ("hover", "skip"),
        ("hover", "auto"),
    ]
    assert "caught [rejected] The person rejected this call: not that one" in run.records[0].result
    answer = run.server.requests[-1].body["messages"][-1]["content"]
    otherwise = answer.partition("The person decided otherwise than your code")[2]
    for words in (
        "line 2: fill searchbox 'Search products' (value=\"desk\") instead of fill",
        "line 4: refused: click link 'Cart (0)'",
        "line 8: left out: hover link 'Chairs 10'",
    ):
        assert words in otherwise


def test_a_panel_steps_and_shows_variables(start: Start) -> None:
    run = start(SEARCH)
    run.start()
    run._do(run._stepper.settled())

    def step(until: str, tool: str) -> None:
        pending = run.pending
        assert pending is not None
        for _ in range(2):  # a second click on the same button does nothing
            run.decide(pending.id, {"type": "step", "until": until})
        within(lambda: run.pending is not None and run.pending.tool == tool, f"{tool} doesn't wait")

    step("write", "fill")
    view = cell_view(run.pending)  # type: ignore[arg-type]
    assert view is not None
    assert (view.line, [offer.until for offer in view.steps]) == (1, ["call", "line", "write", "end"])
    step("write", "click")
    step("call", "extract")
    run.decide(run.pending.id, {"type": "step", "until": "end"})  # type: ignore[union-attr]
    within(lambda: run.status == "succeeded", "the cell doesn't end")
    (rows,) = variable_views(run.cell_variables)
    assert (rows.name, rows.type, rows.size, rows.columns) == ("rows", "list", 8, ["title"])
    assert rows.rows[0] == ["Aurora Desk Lamp"]


DANGER = """<h1>Account</h1><button onclick="document.title='gone'">Delete account</button>
<input aria-label="Token" type="password"><button onclick="fetch('/things', {method: 'POST', body: 'x=1'})
.then(() => document.title = 'sent')">Go</button><ul><li>a</li></ul>
<script>onclick = () => document.querySelector('ul').innerHTML += '<li>b</li>'</script>"""


def test_what_can_not_be_undone_asks_within_an_approved_cell(
    start: Start, serve_html: Callable[[str], Page]
) -> None:
    page = serve_html(DANGER)
    run = start('page.click("heading nth 1")\npage.click("button \'Delete account\'")', page=page)
    run.start()
    run._do(run._stepper.settled())
    after_reading(run).approve()
    assert run.pending is not None
    assert (run.pending.tool, run.pending.review.strict) == ("click", True)
    assert run.pending.cell is not None
    assert run.pending.cell.line == 2
    assert cell_view(run.pending).steps == []  # type: ignore[union-attr]
    run.decide(run.pending.id, {"type": "step", "until": "end"})
    within(lambda: run.last_refusal is not None, "a step approved what can't be undone")
    after_reading(run).reject("keep it")
    assert run.status == "succeeded"
    assert page.title == "Test"
    assert "The cell stopped at line 2" in run.records[0].result
    assert "[rejected] The person rejected this call: keep it" in run.records[0].result
    assert run.records[0].error == "cell_failed"


def test_a_held_request_that_is_refused_raises(start: Start, serve_html: Callable[[str], Page]) -> None:
    page = serve_html(DANGER)
    code = """\
for n in range(3):
    page.click("button 'Go'")
"""
    run = start(code, page=page, autonomy="all")
    run.start()
    run._do(run._stepper.settled())
    assert run.pending is not None
    assert run.pending.request is not None
    after_reading(run).reject("no")
    assert run.status == "succeeded"
    assert [step.tool for step in run.records] == ["run_cell", "click"]
    assert "[not_sent]" in run.records[0].result
    assert page.title == "Test"


def test_secrets_are_names(
    start: Start, serve_html: Callable[[str], Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_SECRET_CELLTOKEN", "hunter2hunter2")
    page = serve_html(DANGER)
    sb.secret("CELLTOKEN", origins=[page.url])
    run = start(
        'page.fill("textbox \'Token\'", sb.secret("CELLTOKEN"))',
        'page.fill("textbox \'Token\'", "typed-by-model")',
        page=page,
        autonomy="all",
    )
    run.run()
    assert run.status == "succeeded", run.error
    seen = str([request.body for request in run.server.requests[:2]])
    assert "hunter2" not in seen
    disk = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())
    assert b"hunter2" not in disk
    assert b"typed-by-model" not in disk


def test_fault_70_page_text_in_a_cell_is_never_the_secret(
    start: Start, serve_html: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_SECRET_CELLBANK", "hunter2hunter2")
    page = serve_html(
        "<h1>bank}</h1><p>${secret:CELLBANK}</p><label>Note <input></label><label>Other <input></label>"
        "<label>Third <input></label>"
    )
    sb.secret("CELLBANK", origins=[page.url], fields=["Note", "Other", "Third"])
    run = start(
        "page.fill(\"textbox 'Note'\", '${sec' + 'ret:CELL' + page.text('heading').replace('bank', 'BANK'))\n"
        "page.fill(\"textbox 'Other'\", page.text('paragraph'))\n"
        "page.fill(\"textbox 'Third'\", '${secret:CELLBANK}')\n"
        "[page.value(\"textbox 'Note'\"), page.value(\"textbox 'Other'\")]",
        page=page,
        autonomy="all",
    )
    run.run()
    assert run.status == "succeeded", run.error
    assert page.value("textbox 'Note'") == "${secret:CELLBANK}"
    assert page.value("textbox 'Other'") == "${secret:CELLBANK}"
    assert "hunter2" not in str([request.body for request in run.server.requests])
    assert page.value("textbox 'Third'") not in {"${secret:CELLBANK}", "", "hunter2hunter2"}  # masked


def test_fault_70_code_of_an_earlier_cell_that_writes_asks(
    start: Start, serve_html: Callable[[str], Page]
) -> None:
    page = serve_html("<button onclick=\"document.title='done'\">Save</button>")
    run = start(
        "def go():\n    page.click(\"button 'Save'\")", "count = 1\ngo()", page=page, autonomy="reads"
    )
    run.start()
    run._do(run._stepper.settled())
    assert run.pending is not None
    after_reading(run).approve()
    assert run.pending is not None
    assert run.pending.cell is not None
    assert run.pending.cell.forecast == "code of earlier cells: go (line 2) may click button 'Save'"
    assert page.title != "done"
    after_reading(run).approve()
    assert run.status == "succeeded"
    assert page.title == "done"


def test_a_stale_ref_names_what_is_near(start: Start) -> None:
    code = """\
link = page.find("link 'Products'")[0]
page.goto(page.url)
try:
    page.click(link)
except RuntimeError as error:
    print(error)
"""
    run = start(code, autonomy="all")
    run.run()
    assert "[stale_ref]" in run.records[0].result


def test_a_cell_goes_on_in_another_kernel_at_the_same_call(
    start: Start, shop: Site, open_page: Callable[[str], Page]
) -> None:
    page = open_page(shop.url)
    code = "n = 0\nfor each in range(4):\n    page.hover(\"button 'Search'\")\n    n += 1\nn"
    run = start(code, page=page)
    run.start()
    run._do(run._stepper.settled())
    after_reading(run).approve(stepping=True)
    run.step()
    run.stop()
    with pytest.raises(AgentError, match="cells"):
        sb.resume(run.id, page).run()
    again = sb.resume(run.id, page, mode="cells", autonomy="all")
    again.run()
    assert again.status == "succeeded", again.error
    hovers = [step for step in again.records if step.tool == "hover"]
    assert len(hovers) == 4
    (told,) = [
        message["content"]
        for message in run.server.requests[-1].body["messages"]
        if message["role"] == "tool"
    ]
    assert "The cell ended, after 4 calls." in told
    assert "\n4\n" in told


def test_a_fork_at_a_line(start: Start) -> None:
    run = start(SEARCH, autonomy="all")
    run.run()
    run.server.script.extend(["Forked."])
    fork = run.fork(at=2, instead={"value": "chair"})
    fork.run()
    assert fork.status == "succeeded", fork.error
    assert [step.tool for step in fork.records] == ["run_cell", "fill", "click", "extract"]
    assert "q=chair" in fork._context.page.url
    table = run.diff(fork)
    assert list(table["our_place"]) == list(table["their_place"])
    assert list(table["our_place"]) == ["cell 1", "cell 1, line 1", "cell 1, line 2", "cell 1, line 3"]
    assert list(table["same"]) == [True, False, True, True]
    shown = repr(fork.replay())
    assert shown.count("in: cell 1") == 4
    assert "in: cell 1, line 3" in shown


def test_a_budget_stops_a_run_within_a_cell_and_a_higher_one_goes_on(start: Start) -> None:
    code = "for n in range(9):\n    page.hover(\"button 'Search'\" if n % 2 else 'searchbox')"
    run = start(code, autonomy="all", max_steps=4)
    with pytest.raises(BudgetExceeded, match="4 tool calls"):
        run.run()
    assert [step.tool for step in run.records] == ["run_cell", *["hover"] * 3]
    run.max_steps = 20
    assert run.run().status == "succeeded"
    assert [step.tool for step in run.records] == ["run_cell", *["hover"] * 9]


def test_ctrl_c_stops_within_a_cell_and_nothing_is_done_twice(
    start: Start, serve_html: Callable[[str], Page]
) -> None:
    page = serve_html(
        "<input aria-label=Query><button onclick='said.textContent++'>Add</button><p id=said>0</p>"
    )
    run = start("page.click(\"button 'Add'\")\npage.wait_for(text='Go on')", page=page, autonomy="all")

    def interrupt() -> None:
        within(lambda: len(run.records) == 2 and run.under_way)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run.run()
    thread.join()
    assert run.status == "stopped"
    page.evaluate("document.body.append('Go on')")
    assert run.run().status == "succeeded"
    assert [step.tool for step in run.records if step.ok] == ["run_cell", "click", "wait_for"]
    assert '- "1"' in page.snapshot().text()
