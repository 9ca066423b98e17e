"""Fault 27: a kernel killed around an effect; whoever resumes the run never repeats the effect."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest
from langchain_core.messages import ToolMessage

from skillbook.agents.models.choice import choose_model
from skillbook.agents.run.run_start import make_run
from skillbook.agents.state.checkpoints import close_checkpoints
from skillbook.agents.state.run_context import RunContext
from skillbook.testing.scripted_model import ScriptedModel
from tests.session.rig import Rig

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("moment", "clicked", "said"),
    [
        ("before the send", False, "nobody knows whether it had its effect"),
        ("after the send", True, "nobody knows whether it had its effect"),
        ("after the acknowledgement", True, "was carried out already"),
    ],
)
async def test_fault_27_a_killed_run_never_repeats_a_write(
    rig: Rig, tmp_path: Path, moment: str, clicked: bool, said: str
) -> None:
    script = str(Path(__file__).with_name("killed_run.py"))
    killed = await asyncio.create_subprocess_exec(
        sys.executable,
        script,
        str(tmp_path),
        moment,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin"},
    )
    assert await killed.wait() == -signal.SIGKILL
    assert (tmp_path / "clicks").exists() is clicked

    settings = rig.driver.settings
    choice = choose_model(ScriptedModel([lambda messages: messages[-1].text]), settings)
    context = RunContext("run-killed", "save it", await rig.open(), choice, resumed=True)
    run = await make_run(context, settings).settle()
    assert rig.sent("click") == []
    assert run.status == "succeeded"
    reported = [message for message in run.messages if isinstance(message, ToolMessage)]
    assert said in reported[0].text
    assert run.records[0].tool == "click"
    await close_checkpoints(tmp_path / "runs.db")
