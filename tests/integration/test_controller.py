"""A run without a model reaches its goal by skills and exploration, one approved call at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.tasks import TaskState
from skillbook.errors import AgentError, GoalBlocked, ModelNotConfigured
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import Site, serve_site
from skillbook.testing.sites.portal import PASSWORD, USERNAME
from tests.agents.state.transitions import documented_transitions
from tests.shown import after_reading

GOAL = "Download last month's invoice"
LAST_MONTH = date.today().replace(day=1) - timedelta(1)
FILE = f"invoice-Q-{LAST_MONTH:%Y%m}.pdf"


@pytest.fixture(scope="module")
def portal() -> Iterator[Site]:
    with serve_site("portal") as site:
        yield site


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No model is configured, and the working folder is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    for name in ("SKILLBOOK_MODEL", "SKILLBOOK_BASE_URL", "SKILLBOOK_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def entry(portal: Site, open_page: Callable[[str], Page]) -> Page:
    page = open_page(portal.url)
    if page.url.endswith("/login"):
        sign_in(page)
    portal.app.requests.clear()
    return page


def sign_in(page: Page) -> None:
    page.fill("textbox 'User name'", USERNAME)
    page.fill("textbox 'Password'", PASSWORD)
    page.click("button 'Sign in'")


def watched(run: Run) -> list[TaskState]:
    """The states that a run comes through."""
    states: list[TaskState] = [run.state]
    run.on_change.append(lambda it: None if states[-1] == it.state else states.append(it.state))
    return states


def tools(run: Run) -> list[str]:
    return [step.tool for step in run.records]


def test_last_months_invoice_behind_a_sign_in_page(
    portal: Site, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    page = open_page(f"{portal.url}/logout")
    run = sb.agent(page, GOAL, model=None)
    states = watched(run)
    run.step()
    assert run.state == "awaiting_user"
    assert run.pending is not None
    assert run.pending.obstacle is not None
    sign_in(page)
    portal.app.requests.clear()
    after_reading(run).approve()
    while run.pending is not None:
        assert run.progress is None or run.progress < 1
        after_reading(run).approve()

    assert (run.state, run.progress, run.error) == ("succeeded", 1.0, None)
    assert [tool for tool in tools(run) if tool not in {"fill", "click"}] == [
        "request_assistance", "explore", "goto", "download",
    ]  # fmt: skip
    (file,) = (tmp_path / "downloads").iterdir()
    assert file.name == FILE
    assert file.read_bytes() == portal.app.invoices[0].file
    assert {method for method, _ in portal.app.requests} == {"GET"}
    assert "/logout" not in {path for _, path in portal.app.requests}
    transitions = documented_transitions()
    assert all(after in transitions[before] for before, after in pairwise(states))
    assert {"created", "planning", "exploring", "executing", "awaiting_user", "succeeded"} == set(states)
    assert run.cost.calls == 0 or run.cost.usd == 0
    assert [url.removeprefix(portal.url) for url, _ in run.breadcrumbs][-1] == "/invoices"


def test_it_is_saved_as_a_skill_that_downloads(entry: Page, tmp_path: Path) -> None:
    run = sb.agent(entry, GOAL, autonomy="all").run()
    assert run.status == "succeeded"
    with pytest.warns(UserWarning, match="counts from today"):
        saved = run.save_skill("last-invoice")
    assert str(saved.spec.start).endswith("/invoices")
    assert [step.command for step in saved.spec.steps] == ["download"]
    for file in (tmp_path / "downloads").iterdir():
        file.unlink()
    result = saved.run(entry)
    assert result.ok, result.error
    assert [file.name for file in result.files] == [FILE]


def test_an_invoice_of_an_earlier_year_is_some_pages_away(portal: Site, entry: Page, tmp_path: Path) -> None:
    wanted = portal.app.invoices[-2]
    run = sb.agent(entry, f"Download the invoice of {wanted.month:%B %Y}", autonomy="all").run()
    assert run.status == "succeeded", run.error
    (file,) = (tmp_path / "downloads").iterdir()
    assert file.read_bytes() == wanted.file


def test_the_same_with_a_model(entry: Page, tmp_path: Path) -> None:
    def address(messages: list[Any]) -> ToolCall:
        return ToolCall("goto", {"url": re.findall(r"http\S+/invoices\S*", messages[-1].text)[-1]})

    script = [
        ToolCall("find", {"by": "site", "query": GOAL}),
        address,
        ToolCall("click", {"how": "download", "target": f"link 'Download' in row 'Q-{LAST_MONTH:%Y%m}'"}),
        "It is downloaded.",
    ]
    run = sb.agent(entry, GOAL, model=ScriptedModel(script), autonomy="all").run()
    assert (run.status, run.result) == ("succeeded", "It is downloaded.")
    assert tools(run) == ["explore", "goto", "download"]
    assert (tmp_path / "downloads" / FILE).exists()


def test_what_no_page_has_blocks_the_run(entry: Page) -> None:
    run = sb.agent(entry, "Download the invoice of March 1999", autonomy="all")
    with pytest.raises(GoalBlocked, match="nearest is"):
        run.run()
    assert run.state == "blocked"
    assert run.progress is not None
    assert run.progress < 0.8
    assert tools(run) == ["explore"]


def test_a_call_that_the_person_refuses_ends_it_with_the_reason(entry: Page) -> None:
    run = sb.agent(entry, GOAL)
    run.run()
    assert run.pending is not None
    assert run.pending.tool == "explore"
    with pytest.raises(AgentError, match=r"You refused `explore` \(not now\)"):
        after_reading(run).reject("not now")
    assert run.state == "failed"


def test_a_page_that_is_about_the_goal_is_opened(entry: Page) -> None:
    run = sb.agent(entry, "how billing works", autonomy="all").run()
    assert (run.status, tools(run)) == ("succeeded", ["explore", "goto"])
    assert entry.url.endswith("/help/billing")


@pytest.mark.parametrize("goal", ["Log out and delete the account", "Download all invoices"])
def test_a_goal_of_several_things_is_refused_before_anything_is_done(entry: Page, goal: str) -> None:
    run = sb.agent(entry, goal, autonomy="all")
    with pytest.raises(GoalBlocked, match="one thing to do"):
        run.run()
    assert tools(run) == []


def test_a_page_that_was_found_is_not_what_was_to_be_done_there(entry: Page) -> None:
    for goal in ("Add a berth to the projects", "Accept the cookies"):
        run = sb.agent(entry, goal, autonomy="all")
        with pytest.raises(GoalBlocked):
            run.run()
        assert tools(run) == []
    run = sb.agent(entry, "Projects", autonomy="all")
    with pytest.raises(GoalBlocked, match="The page is open: Projects"):
        run.run()
    assert run.state == "blocked"


def test_a_saved_skill_for_another_thing_is_not_taken(entry: Page) -> None:
    with sb.recording(entry) as recording:
        entry.click("link 'Projects' in navigation")
    recording.save_skill("close-the-projects", description="Close the projects of March 2024").approve()
    entry.goto(entry.url.rpartition("/")[0] + "/account")
    run = sb.agent(entry, "Open the projects of March 2025")
    run.run()
    assert run.pending is not None
    assert run.pending.tool == "explore"


def test_a_goal_that_lacks_what_its_skill_needs_says_so(entry: Page) -> None:
    entry.goto(entry.url.rstrip("/") + "/logout")
    with pytest.raises(GoalBlocked, match="username and password"):
        sb.agent(entry, "Log in", autonomy="all").run()


def test_a_saved_skill_comes_first(entry: Page) -> None:
    with sb.recording(entry) as recording:
        entry.click("link 'Projects' in navigation")
    recording.save_skill("open-the-projects", description="Open the projects").approve()
    entry.goto(entry.url.rpartition("/")[0] + "/account")
    run = sb.agent(entry, "Open the projects")
    run.run()
    assert run.pending is not None
    assert (run.pending.tool, run.pending.args) == ("run_skill", {"name": "open-the-projects"})
    after_reading(run).approve()
    assert run.status == "succeeded", run.error
    assert entry.url.endswith("/projects")
    (step,) = run.save_skill("see-the-projects", prove=False).spec.steps
    assert (step.command, step.skill.name, step.skill.inputs) == ("run_skill", "open-the-projects", {})


@pytest.fixture
def saved_goal(entry: Page) -> str:
    """A goal that a saved skill says word by word."""
    with sb.recording(entry) as recording:
        entry.click("link 'Projects' in navigation")
    recording.save_skill("open-the-projects", description="Open the projects").approve()
    entry.goto(entry.url.rpartition("/")[0] + "/account")
    return "Open the projects"


def test_a_saved_skill_comes_before_the_model(entry: Page, saved_goal: str) -> None:
    model = ScriptedModel(["The model was asked."])
    run = sb.agent(entry, saved_goal, model=model, autonomy="all").run()
    assert (run.status, tools(run)) == ("succeeded", ["run_skill"])
    assert (run.cost.calls, run.result) == (0, run.records[0].result)
    assert entry.url.endswith("/projects")


def test_the_model_goes_on_where_a_saved_skill_is_refused(entry: Page, saved_goal: str) -> None:
    model = ScriptedModel([ToolCall("click", {"target": "link 'Projects' in navigation"}), "They are open."])
    run = sb.agent(entry, saved_goal, model=model)
    run.run()
    assert run.pending is not None
    assert run.pending.tool == "run_skill"
    after_reading(run).reject("do it yourself")
    assert run.pending is not None
    assert run.pending.tool == "click"
    after_reading(run).approve()
    assert (run.status, run.result) == ("succeeded", "They are open.")


def test_the_model_goes_on_where_a_saved_skill_fails(entry: Page, saved_goal: str) -> None:
    entry.goto(entry.url.rpartition("/")[0] + "/logout")
    model = ScriptedModel(["One has to sign in first."])
    run = sb.agent(entry, saved_goal, model=model, autonomy="all", assist=False).run()
    assert tools(run) == ["run_skill"]
    assert run.records[0].error is not None
    assert run.result == "One has to sign in first."


def test_two_controls_that_may_be_meant_are_a_question(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(
        "<h1>Reports</h1><p>North <a href='/n.csv' download>Download north report</a></p>"
        "<p>South <a href='/s.csv' download>Download south report</a></p>"
    )
    run = sb.agent(page, "Download the report", autonomy="reads")
    run.run()
    assert run.pending is not None
    assert run.pending.options == ("link 'Download north report'", "link 'Download south report'")
    after_reading(run).respond("link 'Download south report'")
    assert run.pending is not None
    assert run.pending.tool == "download"
    assert "south" in str(run.pending.args)


def test_a_skills_prompt_needs_a_model(entry: Page) -> None:
    with pytest.raises(ModelNotConfigured):
        sb.agent(entry, GOAL, skill="Follow the menu.")
