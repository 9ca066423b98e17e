from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage
from pydantic import TypeAdapter

from skillbook.protocol.commands import COMMANDS
from skillbook.testing import NonsenseModel

PAGE = [HumanMessage('- button "Save" [ref=e7]\n- link "Home" [ref=f1e9]')]
TOOLS = [
    {
        "name": one.name,
        "description": one.name,
        "parameters": TypeAdapter(one.params).json_schema(mode="validation"),
    }
    for one in COMMANDS.values()
    if not one.internal and "$defs" not in one.params.model_json_schema()
]


@given(st.integers(0, 2**32))
def test_its_calls_fit_the_schemas(seed: int) -> None:
    model = NonsenseModel(seed=seed)
    model.bind_tools(TOOLS)
    (call,) = model.invoke(PAGE).tool_calls
    schema = next(each["parameters"] for each in TOOLS if each["name"] == call["name"])
    assert set(schema.get("required", ())) <= set(call["args"]) <= set(schema.get("properties", {}))


def said(seed: int) -> list[Any]:
    model = NonsenseModel(seed=seed)
    model.bind_tools(TOOLS)
    return [(call["name"], call["args"]) for _ in range(20) for call in model.invoke(PAGE).tool_calls]


def test_a_seed_says_the_same_again() -> None:
    assert said(3) == said(3) != said(4)


def test_it_speaks_of_elements_of_the_page() -> None:
    one = {"type": "object", "properties": {"target": {"type": "string"}}, "required": ["target"]}
    model = NonsenseModel(seed=1)
    model.bind_tools([{"name": "click", "description": "Click", "parameters": one}])
    targets = {model.invoke(PAGE).tool_calls[0]["args"]["target"] for _ in range(20)}
    assert targets == {"e7", "f1e9"}
