"""Fault 27 within a cell: a kernel killed in its middle; the run goes on at the same call, and does nothing twice."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from pathlib import Path

import pytest

from skillbook.agents.models.choice import choose_model
from skillbook.agents.run.run_start import make_run
from skillbook.agents.state.checkpoints import close_checkpoints, find_run
from skillbook.agents.state.run_cells import RunCells
from skillbook.agents.state.run_context import RunContext
from skillbook.testing.scripted_model import ScriptedModel
from tests.session.rig import Rig

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("moment", "journals", "done", "said"),
    [
        ("between two calls", "", "[0, 1, 2, 3]", ""),
        ("after the second send", "", "[0, 2, 3]", "nobody knows whether it had its effect"),
        pytest.param(
            *("after the second send", "away", "[0, 2, 3]", "nobody knows whether it had its effect"),
            marks=pytest.mark.more,
        ),
        ("after the second send", "lost", "[0, 2, 3]", "nobody knows whether it had its effect"),
    ],
)
async def test_fault_27_a_killed_cell_goes_on_at_its_call(
    rig: Rig, tmp_path: Path, moment: str, journals: str, done: str, said: str
) -> None:
    """Its journal may be in another folder than that of the browser in which the run goes on, or lost."""
    folder = tmp_path / journals
    folder.mkdir(exist_ok=True)
    killed = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.agents.killed_cell",
        str(tmp_path),
        moment,
        str(folder),
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin"},
    )
    assert await killed.wait() == -signal.SIGKILL
    assert (tmp_path / "clicks").read_text() == "2"

    if journals == "lost":
        shutil.rmtree(folder)
    settings = rig.driver.settings
    choice = choose_model(ScriptedModel(["Done."]), settings)
    context = RunContext(
        "run-killed", "save it", await rig.open(), choice, resumed=True, cells=RunCells(), autonomy="all",
        kept=find_run(tmp_path / "runs.db", "run-killed"),
    )  # fmt: skip
    run = await make_run(context, settings).settle()
    while run.status == "waiting":  # an approval of the kernel that died doesn't count
        run._stepper.decide({"type": "approve"}, run.pending.id)
        await run._stepper.settled()
    assert run.status == "succeeded", run.error
    assert len(rig.sent("click")) == 2
    (told,) = [
        message.text for message in run.messages if message.type == "tool" and message.name == "run_cell"
    ]
    assert done in told
    assert said in told
    assert len([step for step in run.records if step.tool == "click"]) == 4
    await close_checkpoints(tmp_path / "runs.db")
