"""A request that a person refused wasn't sent: an agent's run, both kinds of MCP client and the journal say so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mcp import Client

from skillbook.agents.run.agent_run import Run
from skillbook.session.sync import Browser, Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from tests.integration.failing_site import FailingSite, serve_failing
from tests.integration.test_held_requests import click, go_on, refuse_requests, server, start  # noqa: F401
from tests.integration.test_mcp_server import MODERN, Person, visit
from tests.shown import after_reading

Start = Callable[..., Run]
Show = Callable[[str], Page]
FORM = "<form method=post action=/order><input name=size value=1><button>Go</button></form>"
FETCH = "<button onclick=\"fetch('/order', {method: 'POST', body: 'x=1'})\">Go</button>"
BOTH = FETCH.replace(')">', "); fetch('/stats', {method: 'POST', body: 'a=1'})\">")
LATE = (
    "<button onclick=\"setTimeout(() => fetch('/order', {method: 'POST', body: 'x=1'}), DELAY)\">Go</button>"
)


@pytest.fixture(scope="module")
def site() -> Iterator[FailingSite]:
    with serve_failing() as site:
        yield site


@pytest.fixture
def show(site: FailingSite, open_page: Callable[[str], Page]) -> Show:
    def show(html: str) -> Page:
        site.html = f"<!doctype html><title>Shop</title><h1>Shop</h1>{html}<output></output>"
        site.arrived.clear()
        return open_page(site.url)

    return show


def model_read(server: OpenAIServer) -> str:  # noqa: F811
    """What the model got last, as the server had it."""
    return json.dumps(server.requests[-1].body)


@pytest.mark.parametrize("html", [FORM, FETCH], ids=["document", "fetch"])
def test_fault_74_a_refused_step_isnt_done_and_no_answer_stands_in_for_the_servers(
    html: str,
    show: Show,
    start: Start,  # noqa: F811
    server: OpenAIServer,  # noqa: F811
    site: FailingSite,
    browser: Browser,
) -> None:
    page = show(html)
    run = start(page, click("Go"), "done", autonomy="all")
    go_on(run, refuse_requests)
    step = run.records[-1]
    assert (step.ok, step.error) == (False, "not_sent")
    assert not run.steps.iloc[-1]["ok"]
    assert "was not allowed (the person refused" in step.result
    said = model_read(server)
    assert "NOT done" in said
    assert "click: done" not in said
    assert "it was not sent" in said
    assert "204" not in step.result + said
    [listed] = [each for each in page.network.requests.to_dict("records") if each["method"] == "POST"]
    assert (listed["source"], listed["error"]) == ("refused", "not sent")
    assert listed["status"] != 204
    last = browser.journal[browser.journal["command"] == "click"].iloc[-1]
    assert last["outcome"] == "refused"
    assert last["error"] == "not_sent"
    assert "it was not sent" in str(last["observation"])
    assert site.arrived == []


def test_what_was_sent_of_an_act_and_what_not_is_said(
    show: Show,
    start: Start,  # noqa: F811
    site: FailingSite,
    browser: Browser,
) -> None:
    run = start(show(BOTH), click("Go"), "done", autonomy="all")

    def decide(run: Run) -> None:
        assert run.pending is not None
        after_reading(run).approve() if "/stats" in run.pending.review.reason else after_reading(run).reject(
            "not this one"
        )

    go_on(run, decide)
    assert site.arrived == ["POST /stats"]
    result = run.records[-1].result
    assert "/order with" in result
    assert "(the person refused: not this one); it was not sent" in result
    assert "sent POST" in result
    last = browser.journal[browser.journal["command"] == "click"].iloc[-1]
    assert last["outcome"] == "error", "it must not be taken for something that can be done once more"


def test_a_request_that_comes_after_its_step_corrects_that_step(
    show: Show,
    start: Start,  # noqa: F811
    browser: Browser,
) -> None:
    page = show(LATE.replace("DELAY", "3500"))
    run = start(
        page, click("Go"), ToolCall("wait_for", {"text": "never", "seconds": 4}), "done", autonomy="all"
    )
    go_on(run, refuse_requests)
    first = run.records[0]
    assert (first.tool, first.error) == ("click", "not_sent")
    assert "it was not sent" in first.result
    assert run.records[1].error == "timeout", "the step that was under way has its own error"
    assert browser.journal[browser.journal["command"] == "click"].iloc[-1]["outcome"] == "refused"


@pytest.mark.parametrize(("status", "error"), [(500, "request_failed"), (422, "request_failed"), (200, None)])
def test_a_step_whose_request_failed_isnt_done(
    status: int,
    error: str | None,
    show: Show,
    start: Start,  # noqa: F811
    server: OpenAIServer,  # noqa: F811
    site: FailingSite,
) -> None:
    site.statuses = {"/order": status}
    try:
        run = start(show(FETCH), click("Go"), "done", autonomy="all")
        run.run()
        after_reading(run).approve()
    finally:
        site.statuses = {}
    step = run.records[-1]
    assert (step.ok, step.error) == (error is None, error)
    assert run.status == ("succeeded" if error is None else "failed"), "nothing else was done"
    failed = f"POST {site.url}/order {status}"
    assert (failed in step.result) is (error is not None)
    assert ("FAILED" in model_read(server)) is (error is not None)
    assert (failed in model_read(server)) is (error is not None)


def test_a_missing_page_is_said_with_its_status(
    show: Show,
    start: Start,  # noqa: F811
    server: OpenAIServer,  # noqa: F811
    site: FailingSite,
) -> None:
    run = start(show(""), ToolCall("goto", {"url": f"{site.url}/gone/404"}), "done", autonomy="all")
    run.run()
    assert run.records[-1].error == "request_failed"
    assert "goto: done" not in model_read(server)
    assert f"{site.url}/gone/404 404" in model_read(server)


@pytest.mark.parametrize("mode", ["legacy", MODERN])
@pytest.mark.parametrize(("decision", "status"), [("reject", 200), ("approve", 500), ("approve", 200)])
def test_an_mcp_client_gets_an_error_for_what_wasnt_sent_or_failed(
    mode: str, decision: str, status: int, browser: Browser, site: FailingSite
) -> None:
    browser.allow(site.url)
    site.html = f"<title>Shop</title>{FETCH}"
    site.arrived.clear()
    site.statuses = {"/order": status}
    person = Person("approve")

    async def answers(context: Any, params: Any) -> Any:
        person.decision = (
            decision if "wants to send" in params.message or "Send POST" in params.message else "approve"
        )
        return await Person.__call__(person, context, params)

    async def work(client: Client) -> tuple[bool, str]:
        await client.call_tool("open", {"url": site.url})
        done = await client.call_tool("click", {"target": "button 'Go'"})
        return bool(done.is_error), str(done.content)

    try:
        is_error, text = visit(browser, work, mode=mode, person=answers)  # type: ignore[arg-type]
    finally:
        site.statuses = {}
    assert (site.arrived == []) is (decision == "reject"), text
    assert is_error is (decision == "reject" or status == 500), text
    assert ("it was not sent" in text) is (decision == "reject")
    assert ("/order 500" in text) is (decision == "approve" and status == 500)


def test_a_cell_gets_an_error_for_what_wasnt_sent_and_hears_of_what_failed(
    show: Show, start_cells: Callable[..., Run], site: FailingSite
) -> None:
    site.statuses = {"/order": 500}
    run = start_cells("page.click(\"button 'Go'\")\n1 + 1", page=show(FETCH), autonomy="all")
    try:
        go_on(run, lambda run: after_reading(run).approve())
    finally:
        site.statuses = {}
    inner = next(step for step in run.records if step.tool == "click")
    assert inner.error == "request_failed"
    cell = next(step for step in run.records if step.tool == "run_cell")
    assert f"POST {site.url}/order 500" in cell.result
