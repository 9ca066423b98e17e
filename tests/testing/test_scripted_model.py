from __future__ import annotations

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from skillbook.errors import ScriptMismatch
from skillbook.testing.scripted_model import ScriptedModel, ToolCall


class City(BaseModel):
    name: str
    people: int


@tool
def count(word: str) -> int:
    """Count letters."""
    return len(word)


async def test_sync_and_async_share_one_script() -> None:
    model = ScriptedModel(["one", "two", "three"])
    assert model.invoke("hi").text == "one"
    assert (await model.ainvoke("hi")).text == "two"
    assert "".join(str(chunk.text) for chunk in model.stream("hi")) == "three"
    with pytest.raises(ScriptMismatch):
        model.invoke("hi")


def test_it_records_messages_tools_and_settings() -> None:
    model = ScriptedModel(["ok"])
    model.bind_tools([count], parallel_tool_calls=False).invoke([HumanMessage("hi")])
    request = model.requests[0]
    assert (request.tools, request.messages[0].text) == (["count"], "hi")
    assert request.settings["parallel_tool_calls"] is False


async def test_an_agent_calls_tools_and_the_script_reads_their_results() -> None:
    model = ScriptedModel(
        [ToolCall("count", {"word": "seven"}), lambda messages: f"it is {messages[-1].text}"]
    )
    state = await create_agent(model, [count]).ainvoke({"messages": [("user", "how long?")]})
    assert isinstance(state["messages"][-2], ToolMessage)
    assert state["messages"][-1].text == "it is 5"
    assert state["messages"][-1].usage_metadata["total_tokens"] > 0


async def test_structured_output_by_tool_strategy_with_a_correction() -> None:
    model = ScriptedModel(
        [ToolCall("City", {"name": "Ulm", "people": "many"}), ToolCall("City", {"name": "Ulm", "people": 3})]
    )
    agent = create_agent(model, [count], response_format=ToolStrategy(City))
    state = await agent.ainvoke({"messages": [("user", "a city")]})
    assert state["structured_response"] == City(name="Ulm", people=3)
    assert model.requests[0].tools == ["count", "City"]


def test_with_structured_output() -> None:
    model = ScriptedModel([ToolCall("City", {"name": "Ulm", "people": 3})])
    assert model.with_structured_output(City).invoke("a city") == City(name="Ulm", people=3)
