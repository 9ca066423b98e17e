"""Runs without a model in the side panel: paused and gone on with between steps, and explorations as runs."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import Stopped
from skillbook.io_thread import io
from skillbook.serving.asking import take_ask
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.serving.workflows.workflow import Workflow
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_site
from tests.waiting import until

PATIENCE = 30.0
OVER = {"succeeded", "failed", "cancelled", "blocked"}
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site("shop") as site:
        yield site


@pytest.fixture
def page(shop: Site, open_page: Callable[[str], Page]) -> Page:
    return open_page(shop.url)


@pytest.fixture
def ask(browser: Browser) -> Ask:
    return lambda name, /, **params: io.sync(take_ask(browser.driver, name, params), timeout=PATIENCE)


def ended(ask: Ask, run: str) -> dict[str, Any]:
    return until(lambda: (view := ask("show_run", run=run))["state"] in OVER and view)  # type: ignore[no-any-return]


def test_a_workflow_waits_before_its_next_call_until_it_goes_on(
    ask: Ask, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, paused = threading.Event(), threading.Event()

    def two_fields(page: Page) -> str:
        page.fill("searchbox 'Search products'", "lamp")
        begun.set()
        assert paused.wait(PATIENCE)
        page.fill("searchbox 'Search products'", "chair")
        return "filled"

    monkeypatch.setitem(workflows._known, "two-fields", Workflow("two-fields", two_fields))
    run = ask("run_workflow", tab=page.driver.tab.id, name="two-fields")["run"]
    assert begun.wait(PATIENCE)
    assert ask("pause_run", run=run)["state"] == "awaiting_user"
    paused.set()
    view = ask("show_run", run=run)
    assert (view["status"], view["question"], set(view["can"]) & {"pause", "resume", "stop"}) == (
        "paused",
        None,
        {"resume", "stop"},
    )
    assert page.get("value", "searchbox 'Search products'") == "lamp", (
        "a person's calls aren't paused with it"
    )
    assert ask("resume_run", run=run)["state"] == "executing"
    assert ended(ask, run)["outputs"][0]["text"] == "filled"
    assert page.get("value", "searchbox 'Search products'") == "chair"


@pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
def test_a_workflow_that_only_yields_stops_at_a_yield_and_is_called_paused(
    ask: Ask, page: Page, monkeypatch: pytest.MonkeyPatch, is_async: bool
) -> None:
    said: list[int] = []
    closed = threading.Event()

    def counts(page: Page) -> Any:
        try:
            for number in range(1000):
                said.append(number)
                yield f"{number} of 1000"
                time.sleep(0.02)
        finally:
            closed.set()

    async def counts_async(page: Any) -> Any:
        try:
            for number in range(1000):
                said.append(number)
                yield f"{number} of 1000"
                await asyncio.sleep(0.02)
        finally:
            closed.set()

    function = counts_async if is_async else counts
    monkeypatch.setitem(workflows._known, "counts", Workflow("counts", function))
    run = ask("run_workflow", tab=page.driver.tab.id, name="counts")["run"]
    until(lambda: len(said) > 3)
    assert ask("pause_run", run=run)["words"] == "paused"
    count = len(said)
    view = ask("show_run", run=run)
    assert (view["status"], view["words"], view["question"]) == ("paused", "paused", None)
    for _ in range(10):
        page.text()  # meanwhile it would count on
    assert len(said) <= count + 1, "it goes on"
    (listed,) = [one for one in ask("list_runs")["runs"] if one["id"] == run]
    assert listed["words"] == "paused"
    assert ask("resume_run", run=run)["words"] == "at work"
    until(lambda: len(said) > count + 3)
    ask("pause_run", run=run)
    assert ask("stop_run", run=run)["state"] == "cancelled"
    assert closed.wait(PATIENCE), "its function goes on after a stop"
    assert len(said) < 1000


def test_a_skill_waits_between_two_steps_and_can_be_stopped_there(
    ask: Ask, page: Page, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with sb.recording(page, "Search for lamp") as rec:
        page.fill("searchbox 'Search products'", "lamp")
        page.press("Enter")
        page.wait_for(url="**/search**")
    rec.save_skill("find-lamps", prove=False)
    page.back()
    tab = page.driver.tab.id
    for go_on in (True, False):
        run = ask("run_skill", tab=tab, name="find-lamps", inputs={"query": "desk"})["run"]
        ask("pause_run", run=run)
        view = until(lambda run=run: (one := ask("show_run", run=run))["status"] == "paused" and one)
        assert [task["status"] for task in view["tasks"]].count("completed") < len(view["tasks"])
        assert {task["risk"] for task in view["tasks"]} <= {"read", "write"}
        if go_on:
            ask("resume_run", run=run)
            view = ended(ask, run)
            assert view["state"] == "succeeded", view["error"]
            page.back()
        else:
            assert ask("stop_run", run=run)["state"] == "cancelled"


def test_an_exploration_is_a_run_with_pages_as_tasks(ask: Ask, page: Page) -> None:
    tab = page.driver.tab.id
    card = next(one for one in ask("list_workflows")["workflows"] if one["name"] == "explore")
    assert [one["name"] for one in card["inputs"]] == ["goal", "max_pages", "max_depth"]
    run = ask("run_workflow", tab=tab, name="explore", inputs={"goal": "stores", "max_pages": 8})["run"]
    ask("pause_run", run=run)
    view = until(lambda: (one := ask("show_run", run=run))["status"] in {"paused", "succeeded"} and one)
    assert (view["kind"], view["status"], view["state"]) == ("exploration", "paused", "awaiting_user")
    assert ask("resume_run", run=run)["state"] == "exploring"
    view = ended(ask, run)
    assert view["state"] == "succeeded", view["error"]
    tasks = {task["title"]: task for task in view["tasks"]}
    assert tasks["Stores"]["status"] == "completed"
    assert all(task["why"] for task in view["tasks"])
    assert {task["risk"] for task in view["tasks"] if task["status"] == "completed"} == {"read"}
    facts, rows = view["outputs"]
    assert facts["facts"]["address"].endswith("/stores")
    assert (rows["columns"][0], rows["count"] > 1) == ("address", True)
    assert [crumb["url"] for crumb in view["breadcrumbs"]][-1].endswith("/stores")
    assert page.url.endswith("/stores")
    last = next(one for one in ask("list_workflows")["workflows"] if one["name"] == "explore")["last"]
    assert (last["id"], last["inputs"]["goal"]) == (run, "stores")


def test_an_exploration_of_a_cell_is_shown_and_can_be_stopped_in_the_panel(ask: Ask, page: Page) -> None:
    ask("about")
    ended_with: list[BaseException] = []

    def explore() -> None:
        try:
            sb.explore(page, "a page that nobody wrote", max_pages=30, remember=False, progress=print)
        except Stopped as error:
            ended_with.append(error)

    cell = threading.Thread(target=explore)
    cell.start()
    run = until(lambda: next((one for one in ask("list_runs")["runs"]
                              if one["title"] == "a page that nobody wrote"), None))  # fmt: skip
    assert run["kind"] == "exploration"
    assert ask("stop_run", run=run["id"])["state"] == "cancelled"
    cell.join(PATIENCE)
    assert "side panel" in str(ended_with[0])
