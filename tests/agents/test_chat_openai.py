"""The agent through the real OpenAI client, over a real bridge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from skillbook.agents.models.choice import choose_model
from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_start import make_run
from skillbook.agents.state.checkpoints import close_checkpoints
from skillbook.agents.state.run_context import RunContext
from skillbook.config import Settings
from skillbook.errors import BudgetExceeded, ModelUnreachable
from skillbook.testing.openai_server import Fault, OpenAIServer
from skillbook.testing.scripted_model import ToolCall, ref_of
from tests.session.rig import Rig


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer([]) as server:
        yield server


@pytest.fixture(autouse=True)
async def _closed(tmp_path: Path) -> Any:
    yield
    await close_checkpoints(tmp_path / "runs.db")


async def prepare(
    rig: Rig, server: OpenAIServer, steps: list[Any], schema: Any = None, **options: Any
) -> Run:
    server.script.extend(steps)
    settings = Settings(
        summary_tokens=3000,
        home=rig.driver.settings.home,
        base_url=server.base_url,
        model_retries=0,
        price_input=1000.0,
        _env_file=None,
    )
    choice = choose_model("scripted", settings)
    assert isinstance(choice.model, ChatOpenAI)
    given = {"run_id": "run-1", "goal": "save it", "autonomy": "all"} | options
    context = RunContext(page=await rig.open(), choice=choice, **given)
    return make_run(context, settings, schema)


async def test_a_whole_run_over_the_wire(rig: Rig, server: OpenAIServer) -> None:
    steps = [
        ToolCall("plan", {"tasks": [{"title": "save", "status": "doing"}]}),
        lambda messages: ToolCall("click", {"target": ref_of(messages, "button 'Save'")}),
        "saved",
    ]
    run = await (await prepare(rig, server, steps)).settle()
    assert (run.status, run.result, len(run.records)) == ("succeeded", "saved", 2)
    first = server.requests[0].body
    assert first["parallel_tool_calls"] is False
    assert {"click", "find", "plan", "request_assistance", "snapshot"} <= set(server.requests[0].tools)
    assert "internal" not in server.requests[0].tools
    assert first["messages"][0]["role"] == "system"
    prompts = [sent.body["messages"][0] for sent in server.requests[:2]]
    assert prompts[0] == prompts[1], "a request begins as the one before"
    assert "[~] 1 save" in server.requests[1].body["messages"][-1]["content"]
    assert run.cost.usd is not None
    assert run.cost.usd > 0
    assert run.cost.tokens > 100


class Saved(BaseModel):
    who: str


async def test_a_schema_over_the_wire(rig: Rig, server: OpenAIServer) -> None:
    run = await (await prepare(rig, server, [ToolCall("Saved", {"who": "Ada"})], Saved)).settle()
    assert run.result == Saved(who="Ada")


@pytest.mark.parametrize(
    "fault", [Fault("status", 500), Fault("status", 429), Fault("drop"), Fault("malformed")], ids=str
)
async def test_a_fault_fails_the_run_and_start_goes_on(rig: Rig, server: OpenAIServer, fault: Fault) -> None:
    run = await prepare(rig, server, [ToolCall("click", {"target": "button 'Save'"}), "saved"])
    server.faults.append(fault)
    await run.settle()
    assert run.status == "failed"
    assert isinstance(run.error, ModelUnreachable)
    assert run.error.hint
    assert rig.sent("click") == []
    assert (await rig.driver.active.snapshot()).elements  # type: ignore[union-attr]
    await run.settle()
    assert (run.status, run.result) == ("succeeded", "saved")
    assert len(rig.sent("click")) == 1


async def test_no_server_at_all(rig: Rig, server: OpenAIServer) -> None:
    run = await prepare(rig, server, [])
    server.stop()
    await run.settle()
    assert isinstance(run.error, ModelUnreachable)
    assert "scripted" in run.error.message


async def test_a_budget_ends_the_run_before_an_answer_that_it_cannot_pay(
    rig: Rig, server: OpenAIServer
) -> None:
    steps = [ToolCall("find", {"query": "save"}), ToolCall("find", {"query": "save"}), "never"]
    run = await (await prepare(rig, server, steps, budget_usd=0.1)).settle()
    assert isinstance(run.error, BudgetExceeded)
    assert server.requests == []
    run.budget_usd = 1000.0
    await run.settle()
    assert run.status == "succeeded"


async def test_stop_does_not_wait_for_a_slow_model(rig: Rig, server: OpenAIServer) -> None:
    run = await prepare(rig, server, ["late"])
    server.faults.append(Fault("slow", seconds=30))
    run._stepper.go()
    while not server.requests:
        await rig.driver.active.snapshot()  # type: ignore[union-attr]
    await run.halt()
    assert run.status == "stopped"


async def test_unknown_tools_and_broken_arguments_over_the_wire(rig: Rig, server: OpenAIServer) -> None:
    steps = [
        ToolCall("teleport", {}),
        ToolCall("click", '{"target"'),
        ToolCall("click", {"where": 1}),
        "gave up",
    ]
    run = await (await prepare(rig, server, steps)).settle()
    assert run.error is None, run.error
    assert [step.error for step in run.records] == ["unknown_tool", "invalid_params", "invalid_params"]
    assert run.result == "gave up"


async def test_a_long_run_is_condensed_and_goes_on(rig: Rig, server: OpenAIServer) -> None:
    rig.change(
        "main\n" + "".join(f'  button "Number {n} of a very long page of buttons" +\n' for n in range(150))
    )
    steps: list[Any] = [ToolCall("snapshot", {}) for _ in range(14)]
    run = await prepare(rig, server, [])
    script = iter(steps)

    def answer(messages: list[Any]) -> Any:
        if "Condense this record" in messages[0].text:
            return "## Goal\nsave it"
        return next(script, "done")

    server.script._answer_all = answer
    await run.settle()
    assert run.status == "succeeded"
    condensed = [
        r for r in server.requests if "Condense this record" in str(r.body["messages"][0]["content"])
    ]
    assert condensed
    assert any("## Goal" in str(message.content) for message in run.messages)
    assert run.cost.calls == len(server.requests)
