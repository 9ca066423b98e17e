from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillbook.agents.run.outside_run import run_prompt
from skillbook.agents.state.checkpoints import close_checkpoints
from skillbook.errors import ApprovalRequired
from skillbook.skill.model.spec import SkillSpec
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.session.rig import Rig

SPEC = SkillSpec(name="save-it", description="Saves the form.", body="Save the form of ${input:who}.")


@pytest.fixture(autouse=True)
async def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    yield
    await close_checkpoints(tmp_path / "runs.db")


async def test_a_prompt_runs_by_itself_and_says_what_it_did(rig: Rig) -> None:
    model = ScriptedModel([ToolCall("click", {"target": "button 'Save'"}), "saved for Ada"])
    result = await run_prompt(await rig.open(), "Save the form of Ada.", spec=SPEC, model=model)
    assert (result.ok, result.value, result.model_calls, result.error) == (True, "saved for Ada", 2, None)
    assert [(step.command, step.status, step.how) for step in result.outcomes] == [("click", "ok", "model")]
    sent = model.requests[0].messages
    assert "save-it: Saves the form." in sent[0].text
    assert sent[1].text.startswith("Save the form of Ada.")


async def test_what_needs_a_person_ends_it(rig: Rig) -> None:
    model = ScriptedModel([ToolCall("click", {"target": "button 'Delete'"}), "deleted"])
    result = await run_prompt(await rig.open(), "Delete it.", spec=SPEC, model=model)
    assert not result.ok
    assert isinstance(result.error, ApprovalRequired)
    assert rig.sent("click") == []
