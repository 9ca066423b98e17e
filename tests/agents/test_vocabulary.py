"""The vocabulary of the field: what browser agents' commands and tools are called, and what does the same here."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import skillbook as sb
from skillbook.agents.models.choice import choose_model
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.offered import make_tools
from skillbook.perception.summary import PageSummary
from skillbook.protocol.commands import COMMANDS
from skillbook.testing.scripted_model import ScriptedModel

if TYPE_CHECKING:
    from tests.session.rig import Rig

DOCS = (Path(__file__).resolve().parents[2] / "docs/commands.md").read_text(encoding="utf-8")
METHODS = {"is": "is_", "tabs_switch": "switch", "tabs_close": "close"}
"""Where a page's method has another name than the command."""
ON_BROWSER = {"tabs_open": "open", "tabs_list": "pages"}

COMMAND_FOR = {
    "snapshot": "snapshot", "get_page_dom": "snapshot", "get_dom": "snapshot", "getMiniPCD": "snapshot",
    "get": "get", "is": "is", "screenshot": "screenshot",
    "get_console_logs": "console", "evaluate": "evaluate",
    "click": "click", "click_element": "click", "dblclick": "dblclick",
    "fill": "fill", "type": "type", "input": "fill", "input_text": "fill",
    "press": "press", "press_key": "press", "hover": "hover", "focus": "focus",
    "check": "check", "uncheck": "uncheck", "select": "select", "select_option": "select",
    "submit": "submit", "drag": "drag", "scroll": "scroll",
    "navigate": "goto", "go_back": "back", "go_forward": "forward", "wait": "wait_for", "waitFor": "wait_for",
    "open": "tabs_open", "tab new": "tabs_open", "tab list": "tabs_list", "tab switch": "tabs_switch",
    "tab close": "tabs_close", "tabs.open": "tabs_open", "tabs.switch": "tabs_switch", "tabs.close": "tabs_close",
}  # fmt: skip
CONDITION_FOR = {
    "urlChange": "url",
    "networkIdle": "idle",
    "selector": "selector",
    "text": "text",
    "seconds": "seconds",
}
METHOD_FOR = {"capture.candidates": "capture", "getMiniPCD": "summary"}
ON_SUMMARY = {"pcd.query": "query", "getDetails": "details"}
TOOL_FOR = {
    "request_assistance": "request_assistance",
    "getMiniPCD": "summary",
    "pcd.query": "query",
    "getDetails": "details",
    "extract": "extract",
    "plan": "plan",
    "capture.candidates": "capture",
}


@pytest.mark.parametrize(("name", "command"), COMMAND_FOR.items())
def test_a_command_does_what_the_name_says(name: str, command: str) -> None:
    assert not COMMANDS[command].internal
    assert f"| `{command}` |" in DOCS
    for twin in (sb, sb.aio):
        if command in ON_BROWSER:
            assert hasattr(twin.Browser, ON_BROWSER[command])
        else:
            assert hasattr(twin.Page, METHODS.get(command, command))


def test_pages_and_summaries_have_the_rest() -> None:
    for twin in (sb, sb.aio):
        assert all(callable(getattr(twin.Page, name)) for name in METHOD_FOR.values())
    assert all(callable(getattr(PageSummary, name)) for name in ON_SUMMARY.values())


def test_waiting_knows_every_condition() -> None:
    for twin in (sb, sb.aio):
        assert set(CONDITION_FOR.values()) <= inspect.signature(twin.Page.wait_for).parameters.keys()


async def test_agents_have_a_tool_for_each(rig: Rig) -> None:
    context = RunContext("r", "g", await rig.open(), choose_model(ScriptedModel([]), rig.driver.settings))
    table = make_tools(context, allow_evaluate=True)
    assert {*COMMAND_FOR.values(), *TOOL_FOR.values()} <= table.keys()
    assert callable(sb.extract)
