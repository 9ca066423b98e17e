"""The agent in a real browser, through the real OpenAI client."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.errors import InvalidParams, ModelUnreachable, NothingPending, StaleRef, UnknownRef
from skillbook.session.sync import Browser, Page
from skillbook.testing.openai_server import Fault, OpenAIServer
from skillbook.testing.scripted_model import ToolCall, ref_of
from skillbook.testing.site import Site, serve_site
from tests.shown import after_reading
from tests.waiting import until

Start = Callable[..., Run]


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site("shop") as site:
        yield site


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer([]) as server:
        yield server


@pytest.fixture
def page(shop: Site, open_page: Callable[[str], Page]) -> Page:
    return open_page(shop.url)


@pytest.fixture
def start(
    page: Page, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Start]:
    runs: list[Run] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)
    monkeypatch.setenv("SKILLBOOK_MODEL", "scripted")
    monkeypatch.setenv("SKILLBOOK_MODEL_RETRIES", "0")

    def begin(*steps: Any, goal: str = "Find every lamp.", **options: Any) -> Run:
        server.script.extend(steps)
        runs.append(sb.agent(page, goal, **options))
        return runs[-1]

    yield begin
    for run in runs:
        run.stop()


def fill(value: str) -> Any:
    def call(messages: list[Any]) -> ToolCall:
        return ToolCall("fill", {"target": ref_of(messages, "searchbox 'Search products'"), "value": value})

    return call


def extract(messages: list[Any]) -> ToolCall:
    fields = {"title": "heading", "price": "text nth 4"}
    following = ref_of(messages, "link 'Next'")
    return ToolCall("extract", {"fields": fields, "within": "listitem in list 'Products'", "next": following})


SEARCH = ToolCall("click", {"target": "button 'Search'"})


def test_a_screenshot_of_what_looks_alike(start: Start) -> None:
    asked = ToolCall("capture", {"targets": ["button 'Search'", "searchbox 'Search products'"]})
    run = start(asked, "The button is on the right.", autonomy="reads")
    run.run()
    (step,) = run.records
    assert step.ok
    assert step.result == "screenshot of 2 elements"
    assert step._repr_mimebundle_()["image/png"].startswith("iVBOR")
    said = run.messages[-2].text
    places = re.findall(r"- (\w+) '.*?' \[ref=e\d+\]: \d+ × \d+ at (\d+), (\d+)", said)
    assert [role for role, *_ in places] == ["button", "searchbox"]
    assert int(places[0][1]) > int(places[1][1])


def test_every_decision_once(start: Start, page: Page) -> None:
    run = start(fill("chair"), SEARCH, SEARCH, ToolCall("find", {"query": "sofa"}), "that's all")
    pending = run.step()
    assert pending is not None
    assert pending.tool == "fill"
    assert page.get("value", "searchbox 'Search products'") == ""
    with pytest.raises(InvalidParams):
        after_reading(run).edit(valu="lamp")
    edited = after_reading(run).edit(value="lamp")
    assert edited is not None
    assert (edited.decision, edited.ok) == ("edit", True)
    assert page.get("value", "searchbox 'Search products'") == "lamp"
    assert run.pending is not None
    assert run.pending.review.target == "button 'Search'"
    refused = after_reading(run).reject("wait a moment")
    assert refused is not None
    assert "search" not in page.url
    clicked = after_reading(run).approve()
    assert clicked is not None
    assert clicked.ok
    assert "q=lamp" in page.url
    answered = after_reading(run).respond("no sofas here")
    assert answered is not None
    assert (run.status, run.result) == ("succeeded", "that's all")
    assert list(run.steps["decision"]) == ["edit", "reject", "approve", "respond"]
    with pytest.raises(NothingPending):
        after_reading(run).approve()


def test_the_same_click_that_changes_nothing_is_made_three_times(start: Start, page: Page) -> None:
    page.evaluate("globalThis.presses = 0, addEventListener('mousedown', () => globalThis.presses++, true)")
    idle = ToolCall("click", {"target": "heading 'Quiet furniture, warm light'"})
    run = start(*[idle] * 8, lambda messages: messages[-1].text, autonomy="all").run()
    assert page.evaluate("globalThis.presses") == 3
    assert [step.error for step in run.records] == [None] * 3 + ["agent"] * 5
    assert "go another way" in run.result


def test_pointing_at_nothing_leaves_the_call_waiting(start: Start, page: Page) -> None:
    run = start(ToolCall("click", {"target": "link 'Stores'"}), "done")
    run.step()
    with pytest.raises(UnknownRef):
        after_reading(run).point("e9999")
    gone = page.snapshot().find("link 'Products'").ref
    page.reload()
    with pytest.raises(StaleRef):
        after_reading(run).point(gone)
    with pytest.raises(InvalidParams):
        after_reading(run).edit(value="nothing to fill")
    assert run.pending is not None
    assert run.pending.args["target"] == "link 'Stores'"
    step = after_reading(run).point(page.snapshot().find("link 'Products'"))
    assert step is not None
    assert (step.ok, step.decision) == (True, "edit")
    assert page.url.endswith("/search")


@pytest.mark.usefixtures("hasty")
def test_the_model_sees_the_new_page_and_its_mistakes(start: Start, server: OpenAIServer) -> None:
    run = start(
        fill("lamp"),
        ToolCall("click", {"target": "e99999"}),
        ToolCall("sing", {}),
        ToolCall("click", {"button": "left"}),
        ToolCall("click", '{"target": '),
        ToolCall("click", {"target": "button 'Buy everything'"}),
        SEARCH,
        ToolCall("wait_for", {"url": "q=lamp"}),
        lambda messages: messages[-1].text,
        autonomy="all",
    )
    run.run()
    assert list(run.steps["error"]) == [
        None,
        "unknown_ref",
        "unknown_tool",
        "invalid_params",
        "invalid_params",
        "no_match",
        None,
        None,
    ]
    assert "Results for “lamp”" in run.result
    assert "Aurora Desk Lamp" in run.result
    assert "page-content untrusted" in run.result
    assert len(server.requests) == 9


def test_an_unreachable_model_leaves_the_session_usable(
    start: Start, server: OpenAIServer, page: Page
) -> None:
    run = start(fill("lamp"), "filled", autonomy="all")
    server.faults.append(Fault("drop"))
    with pytest.raises(ModelUnreachable):
        run.run()
    assert page.snapshot().find("searchbox 'Search products'").actionable
    assert run.run().result == "filled"
    assert page.get("value", "searchbox 'Search products'") == "lamp"


def test_stop_from_another_thread(start: Start, server: OpenAIServer, page: Page) -> None:
    run = start(ToolCall("wait_for", {"text": "never to be seen", "seconds": 50}), "late", autonomy="all")
    began = time.monotonic()
    stopper = threading.Thread(target=lambda: _when_running(run, server))
    stopper.start()
    run.run()
    stopper.join()
    assert run.status == "stopped"
    assert time.monotonic() - began < 8
    assert page.snapshot().elements


def _when_running(run: Run, server: OpenAIServer) -> None:
    deadline = time.monotonic() + 10
    while not server.requests and time.monotonic() < deadline:
        threading.Event().wait(0.02)
    run.stop()


def test_two_runs_on_one_page_one_after_the_other(start: Start, page: Page) -> None:
    assert start(fill("desk"), SEARCH, "done", autonomy="all").run().status == "succeeded"
    assert start(fill("lamp"), SEARCH, "done", autonomy="all").run().status == "succeeded"
    assert "q=lamp" in page.url


def test_a_tab_of_its_own(start: Start, browser: Browser, shop: Site) -> None:
    run = start(
        ToolCall("tabs_open", {"url": f"{shop.url}/stores"}),
        ToolCall("tabs_list", {}),
        lambda messages: messages[-1].text,
        autonomy="all",
    ).run()
    assert run.status == "succeeded"
    assert run.page.url.endswith("/stores")
    assert "(here)" in run.result
    browser.active.close()  # type: ignore[union-attr]


def test_an_agent_closes_what_was_opened_for_it(
    start: Start, page: Page, browser: Browser, shop: Site
) -> None:
    here, before = page.driver.tab.id, len(browser.pages)
    run = start(
        ToolCall("tabs_open", {"url": f"{shop.url}/stores"}),
        ToolCall("tabs_close", {}),
        ToolCall("tabs_switch", {"tab": here}),
        lambda messages: messages[-3].text,
        autonomy="all",
    ).run()
    assert run.status == "succeeded"
    assert [step.ok for step in run.records] == [True, True, True]
    assert (run.page.tab.id, len(browser.pages)) == (here, before)
    closed = browser.journal.query("command == 'tabs_close'").iloc[-1]
    assert (closed["actor"], closed["outcome"], closed["run"].startswith(run.id)) == ("agent", "ok", True)


def test_a_run_whose_page_is_closed_stops_and_asks_no_model(
    start: Start, page: Page, server: OpenAIServer
) -> None:
    run = start(SEARCH, ToolCall("goto", {"url": page.url}), "done")
    run.run()
    assert run.pending is not None
    page.close()
    until(lambda: run.status == "stopped", "the run goes on without a page")
    assert (run.pending, run.error.code) == (None, "page_closed")
    assert len(server.requests) == 1
    with pytest.raises(NothingPending):
        after_reading(run).approve()
    assert "stopped" in repr(run)


@pytest.mark.usefixtures("hasty")
def test_a_run_of_which_no_step_worked_has_not_succeeded(start: Start) -> None:
    run = start(
        ToolCall("click", {"target": "e9999"}), ToolCall("click", {"target": "button 'Nope'"}), "All done.",
        autonomy="all",
    ).run()  # fmt: skip
    assert (run.status, run.result) == ("failed", "All done.")
    assert "no step worked" in run.notice
    assert run.records[0].error == "unknown_ref"


def test_a_schema_is_filled(start: Start) -> None:
    from pydantic import BaseModel

    class Found(BaseModel):
        count: int

    run = start(fill("lamp"), SEARCH, ToolCall("Found", {"count": 12}), autonomy="all", schema=Found).run()
    assert run.result == Found(count=12)


def test_the_journal_has_the_run(start: Start, browser: Browser) -> None:
    run = start(fill("lamp"), SEARCH, "done", autonomy="all").run()
    journal = browser.journal
    mine = journal[journal["run"].str.startswith(run.id)]
    assert list(zip(mine["command"], mine["actor"], mine["outcome"], strict=True)) == [
        ("fill", "agent", "ok"),
        ("click", "agent", "ok"),
    ]


def test_main_job_search_and_read_every_page(start: Start) -> None:
    run = start(
        fill("lamp"),
        SEARCH,
        ToolCall("wait_for", {"url": "q=lamp"}),
        ToolCall("list_tables", {}),
        extract,
        lambda messages: messages[-1].text,
        autonomy="reads",
    )
    run.run()
    while run.status == "waiting":
        after_reading(run).approve()
    assert run.status == "succeeded"
    assert run.frame is not None
    assert len(run.frame) == 12
    assert run.frame["title"].is_unique
    assert "12 rows were read" in run.result
    last = run.records[-1]
    assert (last.tool, last.effect, last.decision) == ("extract", "write", "auto")
    assert last.final_args["next"].startswith("link")


def test_main_job_saved_and_replayed_without_a_model(
    start: Start, server: OpenAIServer, open_page: Callable[[str], Page], shop: Site, tmp_path: Path
) -> None:
    run = start(
        fill("lamp"),
        SEARCH,
        ToolCall("wait_for", {"url": "q=lamp"}),
        extract,
        "Twelve lamps.",
        goal='Search the shop for "lamp" and read every product.',
        autonomy="all",
    ).run()
    skill = run.save_skill("shop-search", folder=str(tmp_path / "skills"))
    assert (tmp_path / "skills" / "shop-search" / "SKILL.md").exists()
    requests = len(server.requests)
    (word,) = [one.name for one in skill.spec.inputs if one.default == "lamp"]
    result = skill.run(open_page(shop.url), **{word: "chair"}).raise_for_error()
    assert result.ok
    assert len(server.requests) == requests
    assert result.model_calls == 0
    assert len(result.frame) == 10
    assert result.frame["title"].str.contains("Chair|Stool|Bench|Armchair").any()


def test_closing_the_browser_ends_the_runs_that_wait(
    shop: Site, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)
    server.script.extend([SEARCH])
    with sb.launch(headless=True) as browser:
        run = sb.agent(browser.open(shop.url), "Look.", model="scripted")
        assert run.step() is not None
    assert (run.status, run.pending) == ("stopped", None)
