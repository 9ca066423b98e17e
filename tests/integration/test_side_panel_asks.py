"""What the side panel asks, answered by a kernel with a real browser: skills, workflows, runs, outputs, recording."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import skillbook as sb
from skillbook.errors import InvalidInput, InvalidParams, PageClosed, UnknownCommand, WorkflowNotFound
from skillbook.io_thread import io
from skillbook.serving.asking import answers_of, take_ask
from skillbook.serving.workflows.known_workflows import Workflows, workflows
from skillbook.serving.workflows.workflow import Workflow
from skillbook.session.sync import Browser, Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import Script, ToolCall, ref_of
from skillbook.testing.site import Site, serve_site
from tests.waiting import until

Ask = Callable[..., Any]
PATIENCE = 30.0
OVER = {"succeeded", "failed", "cancelled", "blocked"}


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site("shop") as site:
        yield site


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer([]) as server:
        yield server


@pytest.fixture(scope="module")
def panel_browser(server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("panel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SKILLBOOK_HOME", str(folder / "home"))
        patch.setenv("SKILLBOOK_BASE_URL", server.base_url)
        patch.setenv("SKILLBOOK_MODEL", "scripted")
        patch.setenv("SKILLBOOK_MODEL_RETRIES", "0")
        browser = sb.launch()
        yield browser
        browser.close()


@pytest.fixture
def notices(panel_browser: Browser) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """What the kernel reports to the browser meanwhile."""
    seen: list[tuple[str, dict[str, Any]]] = []
    server = panel_browser.driver.server
    answers = io.sync(answers_of(panel_browser.driver))
    before = answers.runs._notify
    answers.runs._notify = lambda name, data: (seen.append((name, data)), before(name, data))  # type: ignore[assignment]
    yield seen
    answers.runs._notify = before
    assert server.port


@pytest.fixture
def ask(panel_browser: Browser) -> Ask:
    def ask(name: str, /, **params: Any) -> Any:
        return io.sync(take_ask(panel_browser.driver, name, params), timeout=PATIENCE)

    return ask


@pytest.fixture
def page(panel_browser: Browser, shop: Site) -> Iterator[Page]:
    page = panel_browser.open(shop.url)
    yield page
    page.close()


def waiting(ask: Ask, run: str) -> dict[str, Any]:
    """The question that a run waits with."""

    def look() -> Any:
        view = ask("show_run", run=run)
        assert view["state"] not in OVER, view["error"]
        return view["question"]

    question: dict[str, Any] = until(look)
    return question


def ended(ask: Ask, run: str) -> dict[str, Any]:
    """A run once it is over."""
    return until(lambda: (view := ask("show_run", run=run))["state"] in OVER and view)  # type: ignore[no-any-return]


def fill(value: str) -> Any:
    def call(messages: list[Any]) -> ToolCall:
        return ToolCall("fill", {"target": ref_of(messages, "searchbox 'Search products'"), "value": value})

    return call


def tab_of(page: Page) -> int:
    return page.driver.tab.id


def test_a_kernel_says_what_it_is(ask: Ask) -> None:
    about = ask("about")
    assert about["model"] == "scripted"
    assert about["autonomy"] == "ask"
    assert about["skills"] >= 8
    assert not about["notebook"]


def test_what_isnt_in_the_table_or_doesnt_fit_is_refused(ask: Ask) -> None:
    with pytest.raises(UnknownCommand):
        ask("evaluate", code="1")
    with pytest.raises(InvalidParams, match="run"):
        ask("show_run")
    with pytest.raises(InvalidParams, match="no run"):
        ask("show_run", run="run-0")
    with pytest.raises(InvalidParams, match="Extra inputs"):
        ask("about", surprise=1)
    with pytest.raises(PageClosed) as caught:
        ask("run_goal", tab=987654, goal="Find a lamp")
    assert "share this tab" in caught.value.hint


def test_a_recorded_skill_is_saved_listed_first_and_run(ask: Ask, page: Page) -> None:
    tab = tab_of(page)
    began = ask("start_recording", tab=tab, goal="Search for lamp")["recording"]
    assert (began["state"], began["steps"], began["tab"]) == ("recording", [], tab)
    ask("drop_recording")
    with sb.recording(page, "Search for lamp") as rec:
        page.fill("searchbox", "lamp")
        page.press("Enter")
        sb.extract(page, next=True)
    assert ask("show_recording")["recording"]["state"] == "stopped"
    ask("drop_recording")
    assert ask("show_recording")["recording"] is None
    rec.save_skill("search-lamps", prove=False)
    cards = ask("list_skills", tab=tab)["skills"]
    first = next(card for card in cards if card["name"] == "search-lamps")
    assert first["score"] >= 0.8
    assert first["why"]
    assert not first["builtin"]
    assert [one["name"] for one in first["inputs"]]
    started = ask("run_skill", tab=tab, name="search-lamps", inputs={"query": "desk"})
    view = ended(ask, started["run"])
    assert view["state"] == "succeeded", view["error"]
    assert [task["status"] for task in view["tasks"]] == ["completed"] * len(view["tasks"])
    assert view["outputs"][0]["kind"] == "rows"
    last = next(card for card in ask("list_skills", tab=tab)["skills"] if card["name"] == "search-lamps")[
        "last"
    ]
    assert last["id"] == started["run"]
    assert last["inputs"]


def test_a_goal_is_decided_on_from_both_sides_at_once(
    ask: Ask, page: Page, server: OpenAIServer, notices: list[tuple[str, dict[str, Any]]]
) -> None:
    server.script = Script([fill("lamp"), fill("desk"), "Found."])
    run = ask("run_goal", tab=tab_of(page), goal="Find every lamp.")["run"]
    question = waiting(ask, run)
    assert question["kind"] == "approve"
    assert question["risk"] == "write"
    assert question["call"]["args"]["value"] == "lamp"
    assert question["words"] == "Fill in the search field 'Search products' (value=\"lamp\")"
    until(lambda: [data for name, data in notices if name == "question_open"])
    same = sb.resume(run)
    assert same.first_question is not None
    assert same.first_question.id == question["id"]
    edited = ask("decide", run=run, question=question["id"], decision="edit", args={"value": "lamps"})
    assert edited == {"taken": True, "words": "edited and approved"}
    again = ask("decide", run=run, question=question["id"], decision="approve")
    assert again == {"taken": False, "words": "already decided: edited and approved in the side panel"}
    second = until(lambda: (found := waiting(ask, run))["id"] != question["id"] and found)
    same.decide(second["id"], {"type": "reject", "message": "not that"})
    until(lambda: same.answer_to(second["id"]))
    late = ask("decide", run=run, question=second["id"], decision="approve")
    assert late == {"taken": False, "words": "already decided: rejected in the notebook"}
    view = ended(ask, run)
    assert view["state"] == "succeeded"
    assert [step["decision"] for step in view["steps"]] == ["edit", "reject"]
    assert view["outputs"][0]["text"] == "Found."
    assert view["tokens"] > 0
    assert ask("list_runs")["runs"][0]["id"] == run


def test_a_run_of_a_cell_shows_in_the_panel_too(ask: Ask, page: Page, server: OpenAIServer) -> None:
    server.script = Script([fill("lamp"), ToolCall("extract", {}), "Done."])
    run = sb.agent(page, "Fill in lamp", autonomy="ask")
    run.start()
    question = waiting(
        ask, until(lambda: next((r["id"] for r in ask("list_runs")["runs"] if r["id"] == run.id), ""))
    )
    assert ask("decide", run=run.id, question=question["id"], decision="approve")["taken"]
    second = until(lambda: (found := waiting(ask, run.id))["id"] != question["id"] and found)
    assert ask("decide", run=run.id, question=second["id"], decision="approve")["taken"]
    view = ended(ask, run.id)
    assert view["state"] == "succeeded"
    rows, answer = view["outputs"]
    assert (rows["kind"], answer["text"], view["rows"]) == ("rows", "Done.", rows["count"])
    assert ask("show_source", run=run.id, output=rows["id"], row=0, column=rows["columns"][0])["found"]
    assert page.get("value", "searchbox 'Search products'") == "lamp"


def test_stop_pause_and_a_closed_tab_end_with_the_true_reason(
    ask: Ask, page: Page, panel_browser: Browser, server: OpenAIServer, shop: Site
) -> None:
    server.script = Script([fill("lamp"), fill("lamp")])
    run = ask("run_goal", tab=tab_of(page), goal="Find a lamp.")["run"]
    waiting(ask, run)
    assert ask("stop_run", run=run)["state"] == "cancelled"
    assert ask("show_run", run=run)["can"].count("resume") == 1
    other = panel_browser.open(shop.url)
    run = ask("run_goal", tab=tab_of(other), goal="Find a lamp here.")["run"]
    waiting(ask, run)
    other.close()
    view = ended(ask, run)
    assert "closed" in view["error"]
    assert view["tab"] is None


def test_stop_ends_skills_and_workflows_at_their_next_call(
    ask: Ask, page: Page, panel_browser: Browser, shop: Site
) -> None:
    def endless(page: Page) -> None:
        while True:
            page.snapshot()

    tab = tab_of(page)
    with _known(Workflow("endless", endless)):
        run = ask("run_workflow", tab=tab, name="endless")["run"]
        until(lambda: ask("show_run", run=run)["state"] == "executing")
        assert ask("stop_run", run=run)["state"] == "cancelled"
        run = ask("run_workflow", tab=tab, name="endless")["run"]
        until(lambda: ask("show_run", run=run)["state"] == "executing")
        panel_browser.stop()  # as Stop in the popup does
        assert ended(ask, run)["state"] == "cancelled"
        other = panel_browser.open(shop.url)
        run = ask("run_workflow", tab=tab_of(other), name="endless")["run"]
        until(lambda: ask("show_run", run=run)["state"] == "executing")
        other.close()
        view = ended(ask, run)
        assert (view["state"], view["tab"]) == ("cancelled", None)
        assert "closed" in view["error"]


def test_a_workflow_yields_progress_and_gives_rows_that_are_paged_sorted_and_kept(
    ask: Ask, page: Page
) -> None:
    def prices(page: Page, *, most: int = 3, city: str) -> Iterator[Any]:
        """Read prices.

        Parameters
        ----------
        most : int
            How many.
        """
        yield "begun"
        yield 1, 2
        yield pd.DataFrame(
            {"name": [f"={n}" for n in range(most)], "price": [3.5, None, 1.0, *range(most)][:most]}
        )

    with _known(Workflow("prices", prices)):
        card = next(one for one in ask("list_workflows")["workflows"] if one["name"] == "prices")
        assert [(one["name"], one["type"], one["required"], one["default"]) for one in card["inputs"]] == [
            ("most", "integer", False, 3),
            ("city", "text", True, None),
        ]
        with pytest.raises(Exception, match="city"):
            ask("run_workflow", tab=tab_of(page), name="prices", inputs={})
        run = ask("run_workflow", tab=tab_of(page), name="prices", inputs={"city": "Berlin"})["run"]
        view = ended(ask, run)
    assert view["state"] == "succeeded"
    assert (view["title"], view["progress"]) == ("prices", 1.0), "by its name; what is done is done whole"
    assert [step["words"] for step in view["steps"]] == ["begun", "1 of 2"]
    output = view["outputs"][0]
    assert (output["kind"], output["columns"], output["count"]) == ("rows", ["name", "price"], 3)
    rows = ask("read_rows", run=run, output=output["id"], sort="price")
    assert [row[1] for row in rows["rows"]] == [1.0, 3.5, None]
    assert rows["places"] == [2, 0, 1]
    assert ask("read_rows", run=run, output=output["id"], start=1, count=1)["rows"] == [["=1", None]]
    text = base64.b64decode(ask("read_file", run=run, output=output["id"], form="csv")["data"]).decode(
        "utf-8-sig"
    )
    assert text.splitlines()[1].startswith("'=0")  # no spreadsheet takes it for a formula
    source = ask("show_source", run=run, output=output["id"], row=0, column="name")
    assert not source["found"]
    assert "where it came from" in source["words"]
    written = ask("write_notebook", run=run)
    notebook = json.loads(Path(written["path"]).read_text())
    assert any("sb.workflows['prices']" in cell["source"] for cell in notebook["cells"])


def test_rows_of_a_page_show_where_they_came_from(ask: Ask, page: Page) -> None:
    def lamps(page: Page) -> pd.DataFrame:
        return sb.extract(page)

    with _known(Workflow("lamps", lamps)):
        page.fill("searchbox 'Search products'", "lamp")
        page.press("Enter")
        run = ask("run_workflow", tab=tab_of(page), name="lamps")["run"]
        view = ended(ask, run)
    assert view["state"] == "succeeded", view["error"]
    output = view["outputs"][0]
    assert output["complete"] is not None
    column = output["columns"][0]
    assert ask("show_source", run=run, output=output["id"], row=0, column=column)["found"]


def test_a_recording_is_marked_and_saved_from_the_panel(ask: Ask, page: Page) -> None:
    with sb.recording(page, "Find products"):
        page.fill("searchbox 'Search products'", "lamp")
        page.press("Enter")
        page.click("link 'Stores'") if page.count("link 'Stores'") else page.press("Escape")
        shown = until(lambda: (ask("show_recording")["recording"] or {"steps": []})["steps"])
        assert [step["can_be_input"] for step in shown][:1] == [True]
        with pytest.raises(InvalidInput, match="no step 9"):
            ask("mark_recording", mark="delete", step=9)
        ask("mark_recording", mark="input", step=1, name="what")
        marked = ask("mark_recording", mark="undo")["recording"]
        assert marked["can_redo"]
        assert marked["steps"][0]["input"] == "what"
    saved = ask("save_recording", name="find-products", description="Find products in the shop")
    assert saved["name"] == "find-products"
    assert saved["words"].startswith(("replayed", "not replayed"))
    assert ask("show_recording")["recording"] is None
    card = next(
        one for one in ask("list_skills", tab=tab_of(page))["skills"] if one["name"] == "find-products"
    )
    assert "what" in [one["name"] for one in card["inputs"]]
    with pytest.raises(InvalidInput, match="no recording"):
        ask("save_recording", name="again")


def test_what_a_workflow_raises_reaches_the_panel(ask: Ask, page: Page) -> None:
    def broken(page: Page) -> None:
        raise InvalidInput("no such shop", hint="give another city")

    with _known(Workflow("broken", broken)):
        run = ask("run_workflow", tab=tab_of(page), name="broken")["run"]
        view = ended(ask, run)
    assert (view["state"], view["error"], view["hint"]) == ("failed", "no such shop", "give another city")
    with pytest.raises(WorkflowNotFound):
        ask("run_workflow", tab=tab_of(page), name="broken")


def test_an_agent_inside_a_workflow_asks_in_the_workflows_run(
    ask: Ask, page: Page, server: OpenAIServer
) -> None:
    server.script = Script([fill("lamp"), "Done."])

    def helped(page: Page) -> str:
        run = sb.agent(page, "Help by an agent")
        run.run()
        return str(run.result)

    with _known(Workflow("helped", helped)):
        run = ask("run_workflow", tab=tab_of(page), name="helped")["run"]
        question = waiting(ask, run)
        assert ask("show_run", run=run)["state"] == "awaiting_user"
        assert ask("decide", run=run, question=question["id"], decision="approve")["taken"]
        view = ended(ask, run)
    assert view["state"] == "succeeded", view["error"]
    assert "Done." in [output["text"] for output in view["outputs"]]
    assert all(one["title"] != "Help by an agent" for one in ask("list_runs")["runs"])


def test_a_skill_that_is_a_prompt_asks_first_and_its_agent_asks_in_its_run(
    ask: Ask, page: Page, server: OpenAIServer
) -> None:
    Path("skills").mkdir(exist_ok=True)
    text = "---\ndescription: Look for a product\n---\nType ${input:product} into the search field.\n"
    Path("skills/look-for.prompt.md").write_text(text)
    server.script = Script([fill("lamp"), "Typed."])
    card = next(one for one in ask("list_skills", tab=tab_of(page))["skills"] if one["name"] == "look-for")
    assert (card["approved"], [one["name"] for one in card["inputs"]]) == (False, ["product"])
    run = ask("run_skill", tab=tab_of(page), name="look-for", inputs={"product": "lamp"})["run"]
    question = waiting(ask, run)
    assert question["kind"] == "confirm"
    assert "let an agent follow its prompt" in question["words"]
    assert ask("decide", run=run, question=question["id"], decision="approve")["taken"]
    call = until(lambda: (found := waiting(ask, run))["id"] != question["id"] and found)
    assert call["call"]["tool"] == "fill"
    ask("decide", run=run, question=call["id"], decision="approve")
    view = ended(ask, run)
    assert (view["state"], view["kind"], view["inputs"]) == ("succeeded", "skill", {"product": "lamp"})
    assert "Typed." in [output["text"] for output in view["outputs"]]


def test_preferences_are_given_to_each_run(ask: Ask, page: Page, server: OpenAIServer) -> None:
    ask("set_preference", site=None, words="Answer in rhymes.")
    found = ask("set_preference", site=page.url, words="I like desk lamps.")["preferences"]
    assert [one["site"] for one in found] == [None, "127.0.0.1"] or len(found) == 2
    assert sb.preferences["*"] == "Answer in rhymes."
    server.script = Script(["A rhyme."])
    run = ask("run_goal", tab=tab_of(page), goal="Say hello")["run"]
    ended(ask, run)
    said = json.dumps(server.requests[-1].body)
    assert "Answer in rhymes." in said
    assert "I like desk lamps." in said
    ask("set_preference", site=None, words="")
    assert [one["site"] for one in ask("list_preferences")["preferences"]] == ["127.0.0.1"]
    ask("set_preference", site="127.0.0.1", words="")


class _known:
    """Workflows that are known meanwhile."""

    def __init__(self, *more: Workflow) -> None:
        self._more = more

    def __enter__(self) -> Workflows:
        for one in self._more:
            workflows.add(one)
        return workflows

    def __exit__(self, *error: object) -> None:
        for one in self._more:
            workflows._known.pop(one.name)
