"""`sb.tools` in a graph of one's own: the same gate, questions by interrupt, and no call made twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

import skillbook as sb
from skillbook.agents.run.graph_tools import PageTools
from skillbook.errors import ApprovalNeeded
from skillbook.session.sync import Page
from skillbook.testing import OpenAIServer
from skillbook.testing.scripted_model import ToolCall

PAGE = """<h1>Cart</h1><button onclick="count('tea')">Add tea</button>
<button onclick="count('cup')">Add cup</button><p id=out></p>
<script>window.counted = [];
function count(what) { counted.push(what); out.textContent = counted.join(' ') }</script>"""
Serve = Callable[[str], Page]


class State(TypedDict):
    """What the graph of the tests keeps."""

    said: list[str]


def config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def counted(page: Page) -> list[str]:
    found: list[str] = page.evaluate("window.counted")
    return found


def two_clicks(given: PageTools) -> Any:
    """A graph with one node that makes two calls."""
    click = next(tool for tool in given if tool.name == "click")

    def work(state: State) -> State:
        return {"said": [click.invoke({"target": f"button 'Add {what}'"}) for what in ("tea", "cup")]}

    graph = StateGraph(State)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    graph.add_edge("work", END)
    return graph


def test_each_call_of_a_node_asks_and_none_is_made_twice(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    given = sb.tools(page)
    graph = two_clicks(given).compile(checkpointer=InMemorySaver())
    asked = graph.invoke({"said": []}, config("a"))
    (first,) = asked["__interrupt__"]
    assert "button 'Add tea'" in first.value["question"]
    assert counted(page) == []
    asked = graph.invoke(Command(resume="approve"), config("a"))
    assert "button 'Add cup'" in asked["__interrupt__"][0].value["question"]
    assert counted(page) == ["tea"]
    done = graph.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config("a"))
    assert [said.startswith("click: done") for said in done["said"]] == [True, True]
    assert counted(page) == ["tea", "cup"]
    assert [step.decision for step in given.run.records] == ["approve", "approve"]


def test_a_checkpoint_that_is_resumed_twice_clicks_once(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    graph = two_clicks(sb.tools(page)).compile(checkpointer=InMemorySaver())
    graph.invoke({"said": []}, config("a"))
    before = graph.get_state(config("a")).config
    graph.invoke(Command(resume="approve"), config("a"))
    graph.invoke(Command(resume="approve"), config("a"))
    graph.invoke(Command(resume="approve"), before)
    graph.invoke(None, before)
    assert counted(page) == ["tea", "cup"]


def test_a_refusal_and_an_edit_reach_the_graph(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    given = sb.tools(page)
    with OpenAIServer(
        [
            ToolCall("click", {"target": "button 'Add tea'"}),
            ToolCall("click", {"target": "button 'Add tea'"}),
            "Done.",
        ]
    ) as server:
        agent: CompiledStateGraph[Any, Any, Any, Any] = create_agent(
            ChatOpenAI(model="scripted", base_url=server.base_url, api_key="none"),
            given,
            checkpointer=InMemorySaver(),
        )
        agent.invoke({"messages": [("user", "Add tea")]}, config("a"))
        agent.invoke(Command(resume={"type": "reject", "message": "not tea"}), config("a"))
        edit = {"type": "edit", "args": {"target": "button 'Add cup'"}}
        ended = agent.invoke(Command(resume=edit), config("a"))
        names = [tool["function"]["name"] for tool in server.requests[0].body["tools"]]
    answers = [each for each in ended["messages"] if isinstance(each, ToolMessage)]
    assert [each.status for each in answers] == ["error", "success"]
    assert "not tea" in str(answers[0].content)
    assert counted(page) == ["cup"]
    assert {"click", "snapshot", "extract"} <= set(names)


async def test_awaited_tools_do_the_same(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    click = next(tool for tool in sb.tools(page) if tool.name == "click")

    async def work(state: State) -> State:
        return {"said": [await click.ainvoke({"target": "button 'Add tea'"})]}

    graph = StateGraph(State)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    compiled = graph.compile(checkpointer=InMemorySaver())
    asked = await compiled.ainvoke({"said": []}, config("a"))
    assert asked["__interrupt__"]
    done = await compiled.ainvoke(Command(resume=True), config("a"))
    assert done["said"][0].startswith("click: done")
    assert counted(page) == ["tea"]


def test_where_nobody_can_be_asked_nothing_is_done(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    given = {tool.name: tool for tool in sb.tools(page)}
    with pytest.raises(ApprovalNeeded, match="checkpointer"):
        given["click"].invoke({"target": "button 'Add tea'"})
    assert "Add tea" in given["snapshot"].invoke({})
    assert counted(page) == []
    allowed = {tool.name: tool for tool in sb.tools(page, autonomy="all")}
    assert allowed["click"].invoke({"target": "button 'Add tea'"}).startswith("click: done")
    assert "was never given out" in allowed["click"].invoke({"target": "e999"})
    assert counted(page) == ["tea"]


def test_a_graph_that_goes_on_elsewhere_leaves_its_question(serve_html: Serve) -> None:
    page = serve_html(PAGE)
    graph = two_clicks(sb.tools(page)).compile(checkpointer=InMemorySaver())
    graph.invoke({"said": []}, config("a"))
    asked = graph.invoke({"said": []}, config("b"))
    assert asked["__interrupt__"]
    graph.invoke(Command(resume="approve"), config("b"))
    assert counted(page) == ["tea"]


def test_a_call_that_an_earlier_kernel_made_is_not_repeated(serve_html: Serve) -> None:
    page, saver = serve_html(PAGE), InMemorySaver()
    two_clicks(sb.tools(page)).compile(checkpointer=saver).invoke({"said": []}, config("a"))
    two_clicks(sb.tools(page))
    first = sb.tools(page)
    graph = two_clicks(first).compile(checkpointer=saver)
    graph.invoke(Command(resume="approve"), config("a"))  # of a question that these tools never showed
    assert counted(page) == []
    graph.invoke(Command(resume="approve"), config("a"))
    assert counted(page) == ["tea"]
    later = two_clicks(sb.tools(page)).compile(checkpointer=saver)
    later.invoke(Command(resume="approve"), config("a"))
    assert counted(page) == ["tea"]
