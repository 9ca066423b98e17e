"""A kernel that is killed in the middle of an approved click. Arguments: folder, and when to die."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

from skillbook.agents.models.choice import choose_model
from skillbook.agents.run.run_start import make_run
from skillbook.agents.state.run_context import RunContext
from skillbook.bridge.server import BridgeServer
from skillbook.config import Settings
from skillbook.journal import Journal
from skillbook.policy import Policy, SecretStore
from skillbook.protocol.envelopes import RequestBody
from skillbook.session.browser_driver import BrowserDriver
from skillbook.testing.fake_extension import FakeExtension
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.session.rig import EXTENSION, Rig, outcome


def die(*_: Any) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise SystemExit


async def main(folder: Path, moment: str) -> None:
    settings = Settings(home=folder, command_timeout=5, _env_file=None)
    server = BridgeServer(settings, EXTENSION)
    await server.start()
    driver = BrowserDriver(
        server, settings, Policy(), Journal(folder / "killed.sqlite", "s0"), SecretStore({})
    )
    async with FakeExtension(server) as extension:
        rig = Rig(driver, extension)

        def click(params: Any, tab: Any) -> Any:
            (folder / "clicks").write_text("1")
            return die() if moment == "after the send" else outcome()

        extension.handlers["click"] = click
        model = ScriptedModel([ToolCall("click", {"target": "button 'Save'"}), "never said"])
        run = make_run(
            RunContext("run-killed", "save it", await rig.open(), choose_model(model, settings)), settings
        )
        await run.settle()
        send = server.request

        async def request(body: RequestBody, timeout: float | None = None) -> Any:
            return die() if body.command == "click" else await send(body, timeout)

        if moment == "before the send":
            server.request = request  # type: ignore[method-assign]
        if moment == "after the acknowledgement":
            run.on_change.append(lambda changed: changed.records and die())
        run._stepper.decide({"type": "approve"}, run.pending.id)
        await run._stepper.settled()


asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
