"""A decision is for the question that was shown, and for what it showed; a server counts what arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.errors import ApprovalPending
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.site import serve_attack
from tests.waiting import until

Begin = Callable[..., Run]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_attack() as site:
        yield site


@pytest.fixture(scope="module")
def page(browser: Browser, site: Site) -> Iterator[Page]:
    site.app.pages["/page"] = "<p>Start</p>"
    page = browser.open(f"{site.url}/page")
    yield page
    page.close()


@pytest.fixture
def begin(page: Page, site: Site) -> Iterator[Begin]:
    """Shows HTML in the one page, and begins a run there."""
    runs: list[Run] = []

    def begin(html: str, *steps: Any, **options: Any) -> Run:
        site.app.pages["/page"] = f"<!doctype html><title>Page</title>{html}"
        site.app.arrived.clear()
        page.goto(f"{site.url}/page")
        runs.append(sb.agent(page, "Do it.", ScriptedModel(list(steps)), **{"autonomy": "all"} | options))
        return runs[-1]

    yield begin
    for run in runs:
        run.stop()


def click(name: str) -> ToolCall:
    return ToolCall("click", {"target": f"button '{name}'"})


def post(path: str, body: str = "x=1") -> str:
    return f"fetch('/write/{path}', {{method: 'POST', body: '{body}'}})"


TWO = f'<button onclick="{post("first")}; setTimeout(() => {post("second")}, 100)">Go</button>'


def waiting(run: Run) -> int:
    """How many questions wait."""
    return len(run._stepper.questions)


def test_fault_47_a_cell_answers_the_question_that_it_read(begin: Begin, site: Site) -> None:
    run = begin(TWO, click("Go"), "done").run()
    read = run.pending
    assert read is not None
    assert "/write/first" in read.review.target
    assert "/write/first" in repr(read)
    until(lambda: waiting(run) == 2)
    run.approve()
    until(lambda: site.app.arrived == ["POST /write/first"])
    assert "/write/second" in repr(run.pending)
    run.reject()
    assert run.status == "succeeded"
    assert site.app.arrived == ["POST /write/first"]


def test_fault_47_a_question_that_was_answered_elsewhere_is_not_answered_twice(
    begin: Begin, site: Site
) -> None:
    run = begin(TWO, click("Go"), "done").run()
    read = run.pending
    assert read is not None
    until(lambda: waiting(run) == 2)
    run.decide(read.id, {"type": "reject"})  # as a panel does
    until(lambda: waiting(run) == 1)
    with pytest.raises(ApprovalPending, match=r"Nothing was decided\..*write/second"):
        run.approve()
    assert site.app.arrived == []
    run.approve()  # the refusal showed it
    until(lambda: site.app.arrived == ["POST /write/second"])


HELP = """<label>I'm not a robot <input type=checkbox onchange="{sent}; this.parentNode.hidden = true"></label>
<script>setTimeout(() => {own}, 300)</script>"""


def test_fault_53_handing_over_for_help_releases_nothing(begin: Begin, page: Page, site: Site) -> None:
    """The page brings up a captcha, and sends; only the person's own input there lets requests go."""
    later = HELP.format(sent=post("persons"), own=post("own"))
    show = "document.body.insertAdjacentHTML('beforeend', help.innerHTML)"
    send = f"setInterval(() => {{ if (localStorage.send) {{ localStorage.clear(); {post('own')} }} }}, 50)"
    html = f'<template id=help>{later}</template><button onclick="{show}">Go</button><script>{send}</script>'
    run = begin(html, click("Go"), click("Go"), "done").run()
    assert run.pending is not None
    assert run.pending.obstacle is not None, run.pending
    page.scroll()
    page.evaluate("localStorage.send = 1")  # the page sends by itself once the help is asked for
    page.snapshot()
    until(lambda: waiting(run) == 2)
    assert site.app.arrived == []
    page.click("checkbox")
    until(lambda: "POST /write/persons" in site.app.arrived)
    assert "POST /write/own" not in site.app.arrived
