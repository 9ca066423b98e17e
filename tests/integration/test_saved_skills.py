"""What saving a run leaves behind: a clean skill that was replayed at once, with the facts that were asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.errors import AgentError
from skillbook.session.sync import Page
from skillbook.skill import Library, Skill, load_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Check, SkillStep, StepTarget
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_folder
from tests.shown import after_reading

STOCK = """<!doctype html><title>Stock</title><h1>Stock</h1>
<button id="idle" type="button">About</button>
<label>Team <input id="team" oninput="total.textContent = this.value == 'Green' ? 12 : 7"></label>
<p>In stock: <output id="total">0</output></p>
<ul aria-label="Things"><li>Lamp</li><li>Chair</li></ul>
<form method="post" action="/write"><button>Delete everything</button></form>"""
Start = Callable[..., Run]


@pytest.fixture
def start(
    open_page: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Start]:
    runs: list[Run] = []
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "stock.html").write_text(STOCK, encoding="utf-8")
    with serve_folder(tmp_path / "site") as site, OpenAIServer([]) as server:
        monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)
        monkeypatch.setenv("SKILLBOOK_MODEL", "scripted")

        def begin(*steps: Any, goal: str) -> Run:
            server.script.extend(steps)
            page = open_page(f"{site.url.rstrip('/')}/stock.html")
            runs.append(sb.agent(page, goal, autonomy="all").run())
            while runs[-1].status == "waiting":
                after_reading(runs[-1]).approve()
            return runs[-1]

        yield begin
        for run in runs:
            run.stop()


FILL = ToolCall("fill", {"target": "textbox 'Team'", "value": "Red"})


def test_a_saved_run_is_clean_has_its_fact_and_was_replayed(
    start: Start, browser: Any, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    run = start(
        ToolCall("click", {"target": "button 'About'"}),
        FILL,
        ToolCall("get", {"what": "text", "target": "status"}),
        "Red has 7.",
        goal="How much has the team 'Red'?",
    )
    assert run.status == "succeeded", run.error
    tabs = len(browser.pages)
    skill = run.save_skill("count-stock", tmp_path / "skills")
    assert [step.command for step in skill.spec.steps] == ["fill", "get"]
    assert skill.dropped_steps == ("1. Click button 'About': it changed nothing",)
    assert len(browser.pages) == tabs
    assert skill.proof is not None
    assert skill.proof.ok, skill.proof
    assert "passed" in repr(Library(tmp_path / "skills"))

    page = open_page(run.page.url)
    result = skill.run(page, team="Green")
    assert result.ok, result.error
    assert result.value == 12
    assert type(result.value) is int
    proof = skill.test(page, inputs={"team": "Green"})
    assert proof.ok
    report = proof.report
    assert list(report["command"]) == ["fill", "get"]
    assert report.loc[1, "seen"] == "the field holds 'Green'"
    shown = proof._repr_mimebundle_()
    assert "team='Green'" in shown["text/plain"]
    assert "<td>the field holds &#x27;Green&#x27;</td>" in shown["text/html"].replace(
        "&#39;", "&#x27;"
    ).replace("'", "&#x27;")

    kept = run.save_skill("count-stock-all", tmp_path / "skills", keep=[1], prove=False)
    assert [step.command for step in kept.spec.steps] == ["click", "fill", "get"]
    assert kept.proof is None


def test_what_cant_be_undone_is_not_replayed_and_says_why(start: Start, tmp_path: Path) -> None:
    run = start(
        FILL,
        ToolCall("click", {"target": "button 'Delete everything'"}),
        "Done.",
        goal="Delete everything",
    )
    skill = run.save_skill("delete-all", tmp_path / "skills")
    assert skill.proof is not None
    assert skill.proof.status == "skipped"
    assert "can't be undone" in skill.proof.why


@pytest.mark.usefixtures("hasty")
def test_a_replay_that_fails_is_reported(start: Start, tmp_path: Path) -> None:
    run = start(FILL, ToolCall("extract", {"within": "list 'Things'"}), "Done.", goal="List for 'Red'")
    (tmp_path / "site" / "stock.html").write_text(STOCK.replace("Things", "Other things"), encoding="utf-8")
    with pytest.warns(UserWarning, match="was saved, but its replay failed"):
        skill = run.save_skill("list-things", tmp_path / "skills")
    assert skill.proof is not None
    assert skill.proof.status == "failed"


def test_a_banner_is_closed_where_there_is_one(serve_html: Callable[[str], Page]) -> None:
    text = """<h1>Shop</h1>{}<button onclick="this.textContent = 'Opened'">Open</button>"""
    banner = '<div role="dialog" aria-label="Cookies"><button onclick="this.parentNode.remove()">Agree</button></div>'
    steps = [
        SkillStep(
            command="click",
            target=StepTarget(selectors=["button 'Agree' in dialog 'Cookies'"]),
            when="dialog 'Cookies'",
        ),
        SkillStep(command="click", target=StepTarget(selectors=["button 'Open'"])),
    ]
    for page, status in ((serve_html(text.format(banner)), "ok"), (serve_html(text.format("")), "skipped")):
        origin = page.url.rsplit("/", 1)[0]
        skill = Skill(SkillSpec(name="open", description="x", origins=[origin], steps=steps))
        result = skill.run(page)
        assert result.ok, result.error
        assert [one.status for one in result.outcomes] == [status, "ok"]
        assert page.snapshot().find_all("dialog 'Cookies'") == []
        assert page.snapshot().find_all("button 'Opened'")


TEAMS = """<h1>Teams</h1><label>Team <select><option value="">Choose</option><option>Red<option>Green</select></label>
<p role=status></p><script>
document.querySelector('select').onchange = (event) => {
  document.querySelector('p').textContent = `Team ${event.target.value}`;
};
</script>"""


def test_what_was_shown_is_proved_too_and_on_another_option(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(TEAMS)
    tabs = len(page.browser.pages) if hasattr(page, "browser") else None
    with sb.recording(page, "Show the team 'Red'") as rec:
        page.select("combobox 'Team'", "Red")
    skill = rec.save_skill("show-team", tmp_path)
    assert skill.proof is not None
    assert skill.proof.ok, skill.proof
    assert skill.proof.other == "with team='Green': replayed"
    assert skill.spec.steps[0].expect == [Check(present="status", text="Team ${input:team}")]
    assert "Green" in str(load_skill("show-team", tmp_path).proof)
    assert tabs is None or len(page.browser.pages) == tabs


def test_a_run_that_waits_is_saved_only_as_the_part_that_it_is(
    open_page: Callable[[str], Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    (tmp_path / "stock.html").write_text(STOCK, encoding="utf-8")
    with serve_folder(tmp_path) as site:
        page = open_page(f"{site.url.rstrip('/')}/stock.html")
        model = ScriptedModel([FILL, ToolCall("click", {"target": "button 'Delete everything'"}), "done"])
        run = sb.agent(page, "Fill in Red and delete", model=model, autonomy="all").run()
        assert run.status == "waiting"
        with pytest.raises(AgentError, match="didn't reach its end: it is waiting"):
            run.save_skill("half", tmp_path / "skills", prove=False)
        skill = run.save_skill("half", tmp_path / "skills", partial=True, prove=False)
        assert [step.command for step in skill.spec.steps] == ["fill"]
        run.stop()


VISITS = """<h1>Visits</h1><table><tr><th>Name<th>Visits</tr><tr><td>Ann<td id=ann></tr><tr><td>Bob<td>4</tr></table>
<script>ann.textContent = localStorage.visits = 1 + Number(localStorage.visits || 0)</script>"""


def test_a_replay_that_reads_other_values_has_failed(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(VISITS)
    with sb.recording(page, "Read the visits") as rec:
        frame = sb.extract(page)
        frame.loc[0, "Visits"] = 99  # what the caller does to theirs is no matter
    with pytest.warns(UserWarning, match="Visits in row 1 is 2, and was 1 when it was recorded"):
        skill = rec.save_skill("visits", tmp_path)
    assert skill.proof is not None
    assert skill.proof.status == "failed"
    page.evaluate("localStorage.visits = 0")
    assert skill.test(page).ok
