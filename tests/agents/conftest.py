from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from pydantic import BaseModel

from skillbook.agents.models.choice import choose_model
from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.build_agent import build_agent
from skillbook.agents.run.stepper import Stepper
from skillbook.agents.state.checkpoints import close_checkpoints, open_checkpoints
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.note_tools import note_tools
from skillbook.agents.tools.tool_base import make_tool
from skillbook.config import Settings
from skillbook.errors import NoMatch
from skillbook.io_thread import io
from skillbook.testing.scripted_model import ScriptedModel
from tests.session.conftest import rig

__all__ = ["bench", "rig"]


class LookArgs(BaseModel):
    where: str


class WriteArgs(BaseModel):
    value: str
    times: int = 1


class BurnArgs(BaseModel):
    value: str


@dataclass
class Desk:
    """A run whose tools write on a list instead of a page: the stepper is what is tested."""

    written: list[str] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)
    fail: Exception | None = None
    during: Callable[[], Awaitable[Any]] | None = None

    def tools(self, context: RunContext) -> dict[str, BaseTool]:
        async def look(where: str) -> str:
            self.looked.append(where)
            if self.fail:
                raise self.fail
            if where == "nowhere":
                raise NoMatch("no such place", hint="look elsewhere")
            return f"you see {where}"

        async def write(value: str, times: int = 1) -> str:
            if self.during:
                await self.during()
            self.written.append(value * times)
            return f"wrote {value}"

        async def burn(value: str) -> str:
            self.written.append(f"burnt {value}")
            return "gone"

        tools = [
            make_tool("look", "Look.", LookArgs, look, effect="read"),
            make_tool("write", "Write.", WriteArgs, write, effect="write"),
            make_tool("burn", "Burn.", BurnArgs, burn, effect="irreversible"),
            *note_tools(context),
        ]
        return {tool.name: tool for tool in tools}


@dataclass
class Bench:
    """Makes runs on a desk.

    Parameters
    ----------
    home : where their checkpoints are kept.
    kept : keeps their checkpoints instead, where many runs have to be cheap.
    """

    home: Path
    desk: Desk = field(default_factory=Desk)
    runs: list[Run] = field(default_factory=list)
    kept: BaseCheckpointSaver[Any] | None = None

    def run(self, model: Any, *, schema: Any = None, run_id: str = "run-1", **options: Any) -> Run:
        settings = Settings(home=self.home, _env_file=None)
        chosen = model if not isinstance(model, list) else ScriptedModel(model)
        context = RunContext(run_id, "the goal", None, choose_model(chosen, settings), **options)
        tools = self.desk.tools(context)

        async def build() -> Any:
            return build_agent(
                context,
                list(tools.values()),
                schema=schema,
                checkpointer=self.kept or await open_checkpoints(self.home / "runs.db"),
                summary=context.choice,
                summary_tokens=settings.summary_tokens,
            )

        async def first() -> list[Any]:
            return [HumanMessage("the goal")]

        def no_fork(at: int, instead: Any) -> Run:
            raise NotImplementedError

        made = Run(context, Stepper(context, tools, build, first), no_fork)
        self.runs.append(made)
        return made


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    for run in bench.runs:
        run.stop()
    io.sync(close_checkpoints(tmp_path / "runs.db"))
