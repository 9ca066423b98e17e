from __future__ import annotations

from pathlib import Path

import pytest

from skillbook.notebook.html.page_and_run import skill_html
from skillbook.notebook.widgets.cards import SkillCard
from skillbook.skill import Skill
from skillbook.skill.files.skill_folder import write_skill
from skillbook.skill.library import load_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep, StepTarget


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Skill:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    step = SkillStep(command="click", target=StepTarget(selectors=["button 'Delete all'"]))
    spec = SkillSpec(name="tidy-up", description="x", origins=["https://shop.test"], steps=[step])
    write_skill(spec, tmp_path)
    return load_skill(tmp_path / "tidy-up")


def test_fault_28_the_card_lists_what_a_skill_wants_and_how_to_approve_it() -> None:
    lines = [
        "open '<img src=x onerror=alert(1)>'",
        "do what can't be undone: click \"button 'Delete all'\" (step 1)",
    ]
    html = skill_html("tidy-up", "skills/tidy-up", lines)
    assert "<img" not in html
    assert html.count("<tr>") == 2
    assert "sb.load_skill(&#x27;skills/tidy-up&#x27;, approve=True)" in html


def test_fault_28_the_button_approves_the_version_shown(foreign: Skill) -> None:
    card = SkillCard(foreign)
    assert not foreign.approved
    assert card.state["status"] == "asks"
    assert any("Delete all" in line for line in card.state["wants"])
    card._take({"type": "approve"})
    assert foreign.approved
    assert card.state["status"] == "approved"


def test_fault_28_the_button_approves_no_other_version(foreign: Skill) -> None:
    card = SkillCard(foreign)
    foreign.spec.steps.append(foreign.spec.steps[0])
    card._take({"type": "approve"})
    assert not foreign.approved
    assert card.state["status"] == "changed"
