"""With a model too, what a skill surely does is done by its steps, each of them a call of the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.shown import after_reading

SHOP = """
<h1>Shop</h1><form role=search><label>Search <input name=q></label><button>Search</button></form><p id=found></p>
<script>document.forms[0].onsubmit = event => {
  event.preventDefault(); found.textContent = `2 products for ${document.forms[0].q.value}`;
};</script>
"""
DEAD = SHOP.replace("found.textContent", "window.nothing")
REPORTS = (
    "<h1>Reports</h1><p>North <a href='/n.csv' download>Download north report</a></p>"
    "<p>South <a href='/s.csv' download>Download south report</a></p>"
)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))


def tools(run: Run) -> list[str]:
    return [step.tool for step in run.records]


def last_words(model: ScriptedModel) -> str:
    return str(model.requests[-1].messages[-1].text)


def test_a_built_in_skill_comes_before_the_model_which_has_the_last_word(
    serve_html: Callable[[str], Page],
) -> None:
    page = serve_html(SHOP)
    model = ScriptedModel(["There are 2."])
    run = sb.agent(page, "Search for lamps", model=model, autonomy="all").run()
    assert (run.status, run.result, run.progress) == ("succeeded", "There are 2.", 1.0)
    assert tools(run) == ["fill", "click"]
    assert [step.said for step in run.records] == ["search: type the query", "search: search"]
    assert "2 products for lamps" in page.snapshot().text()
    assert len(model.requests) == 1
    assert "the page shows it" in last_words(model)


def test_each_step_waits_for_approval_and_a_refused_one_is_the_models(
    serve_html: Callable[[str], Page],
) -> None:
    page = serve_html(SHOP)
    model = ScriptedModel([ToolCall("fill", {"target": "textbox 'Search'", "value": "lamp"}), "Typed."])
    run = sb.agent(page, "Search for lamps", model=model)
    run.run()
    assert run.pending is not None
    assert (run.pending.tool, run.pending.args["value"], run.state) == ("fill", "lamps", "awaiting_user")
    assert not model.requests
    after_reading(run).reject("in the singular")
    assert run.pending is not None
    assert run.pending.args["value"] == "lamp"
    after_reading(run).approve()
    assert (run.status, run.result, tools(run)) == ("succeeded", "Typed.", ["fill", "fill"])


def test_the_model_learns_why_a_skill_ended_and_goes_on(serve_html: Callable[[str], Page]) -> None:
    model = ScriptedModel(["The search is dead."])
    run = sb.agent(serve_html(DEAD), "Search for lamps", model=model, autonomy="all").run()
    assert (run.result, run.progress) == ("The search is dead.", None)
    assert "did not change after the search" in last_words(model)


def test_a_model_that_has_more_to_do_goes_on(serve_html: Callable[[str], Page]) -> None:
    model = ScriptedModel([ToolCall("find", {"query": "products"}), "There are 2."])
    run = sb.agent(serve_html(SHOP), "Search for lamps", model=model, autonomy="all").run()
    assert (tools(run), run.result, run.progress) == (["fill", "click", "find"], "There are 2.", None)


@pytest.mark.parametrize("goal", ["Search for lamps and open the first one", "What does the shop sell?"])
def test_a_goal_that_is_more_than_a_skills_is_the_models(
    serve_html: Callable[[str], Page], goal: str
) -> None:
    run = sb.agent(serve_html(SHOP), goal, model=ScriptedModel(["I looked."]), autonomy="all").run()
    assert (run.result, tools(run)) == ("I looked.", [])


def candidates(*found: tuple[str, float]) -> Callable[[list[Any]], ToolCall]:
    """A scout's answer, by the labels of what the question names."""

    def answer(messages: list[Any]) -> ToolCall:
        lines = messages[-1].text.splitlines()
        refs = [
            next(line for line in lines if label in line).split("[ref=")[1].split("]")[0]
            for label, _ in found
        ]
        chosen = [{"ref": ref, "confidence": sure} for ref, (_, sure) in zip(refs, found, strict=True)]
        return ToolCall("answer", {"candidates": chosen})

    return answer


def test_the_scout_says_which_control_is_meant(serve_html: Callable[[str], Page], tmp_path: Path) -> None:
    page = serve_html(REPORTS)
    (tmp_path / "s.csv").write_text("south", encoding="utf-8")
    model = ScriptedModel([candidates(("south", 0.9)), "Here it is."])
    run = sb.agent(page, "Download the report", model=model, autonomy="all").run()
    assert (tools(run), run.result) == (["download"], "Here it is.")
    assert (tmp_path / "downloads" / "s.csv").read_text(encoding="utf-8") == "south"
    scouts, models = model.requests
    assert "answer" in scouts.tools
    assert not {"click", "fill", "goto"} & set(scouts.tools)
    assert "click" in models.tools
    assert run.cost.calls == 2


def test_a_scout_that_is_not_sure_leaves_the_goal_to_the_model(serve_html: Callable[[str], Page]) -> None:
    model = ScriptedModel([candidates(("south", 0.7), ("north", 0.65)), "Which one?"])
    run = sb.agent(serve_html(REPORTS), "Download the report", model=model, autonomy="all").run()
    assert (tools(run), run.result) == ([], "Which one?")


class Found(BaseModel):
    """How many there are."""

    count: int


def test_a_result_of_a_form_is_the_models(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(SHOP)
    with sb.recording(page) as recording:
        page.fill("textbox 'Search'", "lamps")
        page.click("button 'Search'")
    recording.save_skill("find-lamps", description="Find the lamps").approve()
    model = ScriptedModel([ToolCall("Found", {"count": 2})])
    run = sb.agent(page, "Find the lamps", model=model, schema=Found, autonomy="all").run()
    assert (tools(run)[0], run.result) == ("run_skill", Found(count=2))


def test_a_plan_that_the_person_sees_first_comes_before_skills(serve_html: Callable[[str], Page]) -> None:
    model = ScriptedModel([ToolCall("plan", {"tasks": [{"title": "Search"}]})])
    run = sb.agent(serve_html(SHOP), "Search for lamps", model=model, plan=True)
    run.run()
    assert run.pending is not None
    assert run.pending.tool == "plan"


def test_the_agent_has_the_scout_as_a_tool(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(REPORTS)
    south = page.snapshot().find("link 'Download south report'").ref
    model = ScriptedModel(
        [
            ToolCall("find", {"by": "scout", "query": "the report of the south"}),
            ToolCall("summary", {}),
            ToolCall("answer", {"candidates": [{"ref": south, "confidence": 0.9, "why": "its row says so"}]}),
            "It is the second link.",
        ]
    )
    run = sb.agent(page, "Which link is the south's report?", model=model, autonomy="all").run()
    assert (tools(run), run.result) == (["scout"], "It is the second link.")
    said = last_words(model)
    assert "page-content untrusted" in said
    assert f"link 'Download south report' [ref={south}] 0.90, download: its row says so" in said
    assert run.cost.calls == 4
