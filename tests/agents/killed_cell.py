"""A kernel that is killed in the middle of an approved cell. Arguments: folder, when to die, the journal's folder."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from skillbook.agents.models.choice import choose_model
from skillbook.agents.run.run_start import make_run
from skillbook.agents.state.run_cells import RunCells
from skillbook.agents.state.run_context import RunContext
from skillbook.bridge.server import BridgeServer
from skillbook.config import Settings
from skillbook.journal import Journal
from skillbook.policy import Policy, SecretStore
from skillbook.session.browser_driver import BrowserDriver
from skillbook.testing.fake_extension import FakeExtension
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.session.rig import EXTENSION, Rig, outcome

CODE = """\
done = []
for n in range(4):
    try:
        page.click("button 'Save'")
        done.append(n)
    except RuntimeError as error:
        print(n, error)
done
"""


async def main(folder: Path, moment: str, journals: Path) -> None:
    settings = Settings(home=folder, command_timeout=5, _env_file=None)
    server = BridgeServer(settings, EXTENSION)
    await server.start()
    driver = BrowserDriver(
        server, settings, Policy(), Journal(journals / "killed.sqlite", "s0"), SecretStore({})
    )
    async with FakeExtension(server) as extension:
        rig = Rig(driver, extension)
        clicks = 0

        def click(params: Any, tab: Any) -> Any:
            nonlocal clicks
            clicks += 1
            (folder / "clicks").write_text(str(clicks))
            if moment == "after the second send" and clicks == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            return outcome()

        extension.handlers["click"] = click
        model = ScriptedModel([ToolCall("run_cell", {"code": CODE}), "never said"])
        context = RunContext(
            "run-killed", "save it", await rig.open(), choose_model(model, settings), cells=RunCells()
        )
        run = make_run(context, settings)
        await run.settle()

        def die_between(changed: Any) -> None:
            if moment == "between two calls" and sum(step.tool == "click" for step in changed.records) == 2:
                os.kill(os.getpid(), signal.SIGKILL)

        run.on_change.append(die_between)
        run._stepper.decide({"type": "approve"}, run.pending.id)
        await run._stepper.settled()
        print(run.status, run.error, run.first_question)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
