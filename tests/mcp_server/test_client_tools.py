"""What other programs' agents are offered over MCP, and what they may do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.fence import fence, unfence
from skillbook.agents.tools.formatting import as_tools
from skillbook.errors import BudgetExceeded, ConfigError, InvalidParams
from skillbook.mcp_server.client_limits import CallRate, ClientLimits, CutAnswers
from skillbook.mcp_server.client_tools import (
    MORE,
    changes_something,
    check_required,
    client_tools,
    names_of_tools,
    offered_tools,
    to_run,
)
from skillbook.mcp_server.client_workflows import skill_tools
from skillbook.mcp_server.request_handlers import to_wire
from skillbook.perception.text.tokens import count_tokens

SKILLS = Path(__file__).resolve().parents[2] / "skills"


def wire(**options: bool) -> list[dict[str, Any]]:
    given = {"read_only": False, "cells": True, "page_tools": True} | options
    return [
        to_wire(tool).model_dump(mode="json", by_alias=True, exclude_none=True)
        for tool in client_tools(**given)
    ]


def test_all_schemas_together_stay_short() -> None:
    tools = wire()
    assert len(json.dumps(tools, separators=(",", ":"))) <= 8000
    names = {tool["name"] for tool in tools}
    assert {
        "open",
        "snapshot",
        "find",
        "click",
        "fill",
        "extract",
        "tables",
        "read",
        "run_cell",
        "more",
    } <= names


def test_hints_say_what_reads_and_what_may_destroy() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in wire()}
    assert hints["snapshot"] == {"readOnlyHint": True}
    assert hints["click"] == {"destructiveHint": True}
    assert hints["fill"] == {"destructiveHint": False}


def test_only_what_a_server_that_only_reads_carries_out_says_that_it_only_reads() -> None:
    for tool in wire():
        reads = tool["annotations"].get("readOnlyHint", False)
        every = dict.fromkeys(tool["inputSchema"]["properties"], True)
        values = [
            {name: value}
            for name, given in tool["inputSchema"]["properties"].items()
            for value in given.get("enum", ())
        ]
        for args in (every, *({**every, **value} for value in values)):
            if tool["name"] != MORE:
                assert not (reads and changes_something(*to_run(tool["name"], args))), tool["name"]
    assert {"snapshot", "find", "tables", "get", "wait_for", "ask_person", "more"} <= {
        tool["name"] for tool in wire() if tool["annotations"].get("readOnlyHint")
    }
    (extract,) = [tool for tool in wire() if tool["name"] == "extract"]
    assert "readOnlyHint" not in extract["annotations"]
    (reading,) = [tool for tool in wire(read_only=True) if tool["name"] == "extract"]
    assert reading["annotations"] == {"readOnlyHint": True}
    assert "next" not in reading["inputSchema"]["properties"]


def test_errors_name_the_tool_and_the_arguments_of_the_schema_that_a_client_has() -> None:
    schemas = {tool["name"]: set(tool["inputSchema"]["properties"]) for tool in wire()}
    for known in offered_tools().values():
        assert known.name in schemas or known.name == "plan"
        assert set(known.arguments) <= schemas.get(known.name, set(known.arguments))
    shown = offered_tools()
    assert shown["query"] == ("find", ("by", "text", "kind"))
    assert shown["wait_for"][1] == ("text", "text_gone", "selector", "url", "idle", "seconds")
    with pytest.raises(InvalidParams, match="`drag`: to: Field required") as refused:
        check_required("drag", {"target": "e1"})
    assert refused.value.hint == "Its arguments are: target, to."
    check_required("page_tool", {})


def test_a_server_that_only_reads_offers_nothing_that_acts() -> None:
    names = {tool["name"] for tool in wire(read_only=True)}
    assert {"snapshot", "find", "open", "tabs", "read", "extract"} <= names
    assert not {"click", "fill", "type", "press", "run_cell", "upload", "page_tool", "handle_dialog"} & names


@pytest.mark.parametrize(
    ("name", "args", "tool", "changes"),
    [
        ("click", {"target": "e1", "how": "hover"}, "hover", True),
        ("open", {"url": "https://a.example"}, "goto", False),
        ("open", {"go": "back"}, "back", False),
        ("read", {"within": "main"}, "markdown", False),
        ("tables", {}, "list_tables", False),
        ("page_tool", {}, "page_tools", False),
        ("page_tool", {"name": "x"}, "call_page_tool", True),
        ("skill_find-lamp", {"word": "x"}, "run_skill", True),
        ("extract", {"next": "link 'Next'"}, "extract", True),
        ("goto", {"url": "https://a.example"}, "goto", False),
        ("evaluate", {"expression": "1"}, "evaluate", True),
    ],
)
def test_a_call_becomes_one_of_the_runs_tools(
    name: str, args: dict[str, Any], tool: str, changes: bool
) -> None:
    made, given = to_run(name, args)
    assert made == tool
    assert changes_something(made, given) is changes


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("look at the page with page.snapshot()", "look at the page with snapshot"),
        ("`sb.extract(page, next=True)` reads all", "`extract with next=True` reads all"),
        ("`page.goto(url)`, then `markdown`", "`open`, then `read`"),
        (
            "Read the page with `snapshot`, or call `request_assistance`.",
            "Read the page with `snapshot`, or call `ask_person`.",
        ),
        (
            "`sb.tables(page)` lists them, sb.launch() starts one",
            "`tables` lists them, sb.launch() starts one",
        ),
    ],
)
def test_a_hint_names_the_tools_that_a_client_has(hint: str, said: str) -> None:
    assert as_tools(hint, names_of_tools()) == said


def test_a_long_answer_is_cut_in_its_fence_and_read_on() -> None:
    page = "\n".join(f"line {number}" for number in range(3000))
    cut = CutAnswers(1000)
    shown = cut.cut(f"click: done.\n{fence(page)}\nIt is busy.")
    assert count_tokens(shown) <= 1000
    assert shown.count("<page-content") == shown.count("</page-content") == 1
    assert "click: done." in shown
    assert "It is busy." in shown
    at, whole, parts = 0, "", 0
    while at < len(page):
        text = cut.more("a1", at)
        assert count_tokens(text) <= 1000
        goes_on = "reads on" in text
        end = int(text.rpartition("start=")[2].partition(" ")[0]) if goes_on else len(page)
        assert page[at:end] == unfence(text).partition("\n[")[0][: end - at]
        whole, at, parts = whole + page[at:end], end, parts + 1
    assert whole == page
    assert parts > 2
    with pytest.raises(InvalidParams):
        cut.more("a9", 0)


@pytest.mark.parametrize("line", ["4711 0815 §§ ", "word ", "long" * 400, "漢字かな交じり文\n", "   \n"])
def test_no_answer_has_more_tokens_whatever_it_is_made_of(line: str) -> None:
    cut = CutAnswers(500)
    for text in (line * 5000, fence(line * 5000), f"Done.\n{fence(line * 5000)}\n{fence('and more')}"):
        assert count_tokens(cut.cut(text)) <= 500


def test_what_was_a_secrets_placeholder_stays_defused_when_read_on() -> None:
    cut = CutAnswers(100)
    shown = cut.cut(fence("x\n" * 500 + "${secret:bank}"))
    assert "${secret:" not in shown
    assert "${secret:" not in cut.more("a1", 950)


def test_calls_are_counted_by_the_minute() -> None:
    now = [0.0]
    rate = CallRate(2, lambda: now[0])
    rate.take()
    rate.take()
    with pytest.raises(BudgetExceeded):
        rate.take()
    now[0] = 61.0
    rate.take()


def test_limits_name_origins_and_are_positive() -> None:
    limits = ClientLimits(origins=("https://a.example",))
    assert not limits.forbids("https://a.example/x")
    assert limits.forbids("https://b.example/")
    assert not limits.forbids("about:blank")
    with pytest.raises(ConfigError):
        ClientLimits(origins=("nonsense",))
    with pytest.raises(ConfigError):
        ClientLimits(max_calls=0)


def test_approved_skills_are_tools_with_their_inputs_and_go_with_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    assert skill_tools() == []
    folder = shutil.copytree(SKILLS / "search-products", tmp_path / "skills" / "search-products")
    assert skill_tools() == []  # nobody has approved it
    sb.load_skill("search-products").approve()
    (tool,) = skill_tools()
    assert tool.name == "skill_search-products"
    assert tool.schema["type"] == "object"
    assert to_run(tool.name, {})[1]["name"] == "search-products"
    shutil.rmtree(folder)
    assert skill_tools() == []
