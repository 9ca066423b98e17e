"""What a model is offered: few tools, short schemas, and every tool of a run within reach."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import skillbook
from skillbook.agents.state.run_cells import RunCells
from skillbook.agents.state.step_records import RUN_CELL
from skillbook.agents.tools.offered import make_cells_offer, make_offer, make_tools
from skillbook.agents.tools.tool_base import check_args, fields_of
from skillbook.cells.parsed_code import parsed
from skillbook.cells.stubs import short_stubs
from skillbook.errors import InvalidParams

MOST_CHARACTERS = 7000
CONTEXT: Any = SimpleNamespace(page=None, files=(), cells=None, run_workflow=None)
TOOLS = make_tools(CONTEXT, allow_evaluate=False)
OFFER = make_offer(TOOLS.values(), files=False)
CALLS = [
    ("click", {"target": "e1"}, "click", {"target": "e1"}),
    ("click", {"target": "e1", "how": "double"}, "dblclick", {"target": "e1"}),
    ("click", {"target": "e1", "how": "hover"}, "hover", {"target": "e1"}),
    ("click", {"target": "e1", "how": "download"}, "download", {"target": "e1"}),
    ("check", {"target": "e1"}, "check", {"target": "e1"}),
    ("check", {"target": "e1", "on": False}, "uncheck", {"target": "e1"}),
    ("goto", {"url": "/a"}, "goto", {"url": "/a"}),
    ("goto", {"go": "back"}, "back", {}),
    ("get", {"what": "text", "target": "e1"}, "get", {"what": "text", "target": "e1"}),
    ("get", {"what": "checked", "target": "e1"}, "is", {"what": "checked", "target": "e1"}),
    ("screenshot", {}, "screenshot", {}),
    ("screenshot", {"of": "targets", "targets": ["e1"]}, "capture", {"targets": ["e1"]}),
    ("snapshot", {}, "snapshot", {}),
    ("snapshot", {"of": "summary"}, "summary", {}),
    ("find", {"query": "Save"}, "find", {"query": "Save"}),
    ("find", {"by": "purpose", "text": "sort"}, "query", {"text": "sort"}),
    ("find", {"by": "ref", "ids": ["e1"]}, "details", {"ids": ["e1"]}),
    ("tabs", {"do": "list"}, "tabs_list", {}),
    ("tabs", {"do": "switch", "tab": 3}, "tabs_switch", {"tab": 3}),
    ("fill", {"target": "e1", "value": "tea"}, "fill", {"target": "e1", "value": "tea"}),
]


def test_the_schemas_of_a_request_are_short() -> None:
    assert len(json.dumps(OFFER.schemas)) <= MOST_CHARACTERS
    text = json.dumps(OFFER.schemas)
    assert "anyOf" not in text
    assert "null" not in text
    assert '"default"' not in text


def test_wrong_arguments_are_named_as_the_schema_has_them() -> None:
    shown = OFFER.shown({name: fields_of(tool) for name, tool in TOOLS.items()})
    for args in ({}, {"text": "a", "url": "b"}, {"idle": False}):
        with pytest.raises(
            InvalidParams, match="`wait_for`: give exactly one condition, or `seconds`"
        ) as wrong:
            check_args(TOOLS["wait_for"], args, shown["wait_for"])
        assert wrong.value.hint == "Its arguments are: text, text_gone, selector, url, idle, seconds."
    check_args(TOOLS["wait_for"], {"seconds": 2}, shown["wait_for"])
    with pytest.raises(InvalidParams, match="the tool `find`: text: Field required"):
        check_args(TOOLS["query"], {}, shown["query"])


def test_what_is_not_allowed_is_not_offered() -> None:
    names = {schema["function"]["name"] for schema in OFFER.schemas}
    assert not names & {"evaluate", "upload"}
    with_files = make_offer(make_tools(CONTEXT, allow_evaluate=True).values(), files=True)
    assert {"evaluate", "upload"} <= {schema["function"]["name"] for schema in with_files.schemas}


@pytest.mark.parametrize(("offered", "given", "tool", "args"), CALLS)
def test_a_call_of_an_offered_tool_is_a_call_of_the_runs(
    offered: str, given: dict[str, Any], tool: str, args: dict[str, Any]
) -> None:
    assert OFFER.to_run(offered, given) == (tool, args)
    assert OFFER.to_model(tool, args) == (offered, given)


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_calls_by_the_names_of_earlier_versions_stay_what_they_are(tool: str) -> None:
    args = {"what": "text"} if tool == "get" else {"what": "visible"} if tool == "is" else {}
    assert OFFER.to_run(tool, args) == (tool, args)


def test_every_tool_of_a_run_can_be_reached_by_an_offered_one() -> None:
    reached = {schema["function"]["name"] for schema in OFFER.schemas}
    reached |= {name for mode in OFFER.modes for name in mode.tools.values()}
    assert set(TOOLS) - reached == {"clear", "focus", "submit", "upload", "run_skill", "popup"}


def test_a_value_that_there_is_not_is_left_for_the_tool_to_refuse() -> None:
    assert OFFER.to_run("tabs", {"do": "fly"}) == ("tabs", {"do": "fly"})
    assert OFFER.to_run("get", {"what": ["text"]}) == ("get", {"what": ["text"]})


_NAMED = re.compile(r"`([a-z][a-z_]+)`")
_AGENTS = Path(skillbook.__file__).parent / "agents"
_OTHERS = {"answer", "choose"}
"""Tools of the scout and of whoever chooses a link."""
_NO_TOOLS = {"after", "none", "forks", "run_id"}


def _texts_for_the_model() -> Iterator[str]:
    """What stands in strings, and in prompts, without docstrings: those are for people."""
    for path in _AGENTS.rglob("*.md"):
        yield path.read_text(encoding="utf-8")
    for path in _AGENTS.rglob("*.py"):
        tree = parsed(path.read_text(encoding="utf-8"))
        said = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
        for one in ast.walk(tree):
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in said:
                yield one.value


def test_tools_that_hints_name_are_offered() -> None:
    offer = make_offer(make_tools(CONTEXT, allow_evaluate=True).values(), files=True).schemas
    known = {schema["function"]["name"] for schema in offer} | {RUN_CELL}
    known |= {name for schema in offer for name in schema["function"]["parameters"]["properties"]}
    named = {name for text in _texts_for_the_model() for name in _NAMED.findall(text)}
    assert len(named) > 10
    assert named - known - _OTHERS - _NO_TOOLS == set()


def test_the_schemas_and_stubs_of_cells_are_short() -> None:
    context: Any = SimpleNamespace(page=None, files=(), cells=RunCells(), run_workflow=None)
    offer = make_cells_offer(make_tools(context, allow_evaluate=False).values())
    assert [schema["function"]["name"] for schema in offer.schemas] == [
        "plan",
        "request_assistance",
        "run_cell",
    ]
    assert len(json.dumps(offer.schemas)) + len(short_stubs()) <= 4500
