"""Rules learned from approvals, and approvals that bind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillbook.agents.state.checkpoints import close_checkpoints
from skillbook.errors import AgentError
from skillbook.testing.scripted_model import ToolCall
from tests.agents.test_tools import decide, start
from tests.session.rig import PAGE, Rig, outcome

SAVE = ToolCall("click", {"target": "button 'Save'"})
DELETE = ToolCall("click", {"target": "button 'Delete'"})


@pytest.fixture(autouse=True)
async def _closed(tmp_path: Path) -> Any:
    yield
    await close_checkpoints(tmp_path / "runs.db")


async def test_a_rule_spares_the_next_questions_on_its_origin(rig: Rig) -> None:
    run = await start(rig, [SAVE, SAVE, "ok"])
    assert run.pending is not None
    assert run.pending.review.learn == ("click", "http://site.test", "button", "save")
    await decide(run, type="approve", always="always")
    assert run.status == "succeeded"
    assert len(rig.sent("click")) == 2
    (rule,) = rig.driver.gateway.rules
    assert (rule.command, rule.origin, rule.scope) == ("click", "http://site.test", "always")
    assert (rig.driver.settings.home / "rules.json").stat().st_mode & 0o777 == 0o600


async def test_a_revoked_rule_asks_again(rig: Rig) -> None:
    rules = rig.driver.gateway.rules
    rule = rules.add("click", "http://site.test")
    run = await start(rig, [SAVE, lambda _: (rules.remove(rule), SAVE)[1], "ok"])
    assert run.status == "waiting"
    assert len(rig.sent("click")) == 1


async def test_what_cannot_be_undone_asks_whatever_was_learned(rig: Rig) -> None:
    rig.driver.gateway.rules.add("click", "http://site.test", "always")
    run = await start(rig, [DELETE, "ok"], autonomy="all")
    assert run.pending is not None
    assert run.pending.review.learn is None
    assert "deletes" in run.pending.review.reason
    with pytest.raises(AgentError):
        await decide(run, type="approve", always="session")
    assert run.pending is not None
    assert rig.sent("click") == []


async def test_typing_a_secret_is_never_learned(rig: Rig) -> None:
    rig.driver.gateway.secrets.add("pw")
    rig.driver.gateway.rules.add("fill", "http://site.test")
    fill = ToolCall("fill", {"target": "textbox 'Name'", "value": "${secret:pw}"})
    run = await start(rig, [fill, "ok"])
    assert run.pending is not None
    assert run.pending.review.learn is None


async def test_fault_21_an_edited_call_is_bound_to_its_new_value(rig: Rig) -> None:
    run = await start(rig, [ToolCall("fill", {"target": "textbox 'Name'", "value": "tea"}), "ok"])
    await decide(run, type="edit", args={"value": "ale"})
    assert [params["value"] for params in rig.sent("fill")] == ["ale"]


async def test_fault_21_an_edited_call_on_a_page_that_changed_is_refused(rig: Rig) -> None:
    run = await start(rig, [ToolCall("fill", {"target": "e3", "value": "tea"}), "ok"])
    rig.change(PAGE.replace('"Name"', '"Iban"'))
    await decide(run, type="edit", args={"value": "ale"})
    assert rig.sent("fill") == []
    assert run.records[0].error == "approval_required"


async def test_fault_21_an_approval_carries_out_one_call(rig: Rig) -> None:
    def click_again(params: Any, tab: Any) -> Any:
        tokens.append(len(rig.driver.gateway.approvals))
        return outcome()

    tokens: list[int] = []
    rig.extension.handlers["click"] = click_again
    run = await start(rig, [DELETE, DELETE, "ok"], autonomy="all")
    await decide(run, type="approve")
    assert tokens == [0]
    assert run.status == "waiting"
    assert len(rig.driver.gateway.approvals) == 0
