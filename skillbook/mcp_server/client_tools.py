"""The tools that a client is offered: those of an agent here, under the names that other programs know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from skillbook.agents.control.controller import without_model
from skillbook.agents.state.run_context import OfferedAs, RunContext
from skillbook.agents.state.step_records import ASSISTANCE, RUN_CELL
from skillbook.agents.tools.cell_tool import cell_tool
from skillbook.agents.tools.offered import Offer, make_offer, make_tools, schema_of
from skillbook.agents.tools.tool_base import effect_of, fields_of
from skillbook.agents.tools.way_tools import RUN_WORKFLOW
from skillbook.errors import InvalidParams
from skillbook.protocol.commands import COMMANDS

Args = dict[str, Any]
MORE = "more"
PAGE_TOOL = "page_tool"
SKILL, WORKFLOW = "skill_", "workflow_"
"""What the names of tools for saved skills and workflows begin with."""
_NAMES: Mapping[str, str] = {
    "goto": "open",
    "list_tables": "tables",
    ASSISTANCE: "ask_person",
    "call_page_tool": PAGE_TOOL,
}
_DESCRIPTIONS: Mapping[str, str] = {
    "snapshot": "Read the page: its elements have refs, which `target` takes.",
    "find": "Search page or site; gives refs.",
    "read": "Read the page's main text, or an element's, as Markdown.",
    "screenshot": "Image of the page, its boxes named by refs, or of targets.",
    "extract": "Read rows of a table, list or cards; the first are in the answer, all in the resource `csv`.",
    PAGE_TOOL: "Call a tool that the page declares; without a name, list them.",
    RUN_CELL: "Run Python over `page`, such as page.click(\"button 'Save'\"); in a sandbox.",
    MORE: "Read on in an answer that was cut.",
}
_NOT_OFFERED = frozenset({"plan", "page_tools"})
_LEFT_OUT = frozenset({("scroll", "dx"), ("scroll", "dy"), ("drag", "dx"), ("drag", "dy")})
_SHORTER: Mapping[str, tuple[str, frozenset[str]]] = {
    "snapshot": ("of", frozenset({"text"})),
    "find": ("by", frozenset({"scout"})),
}
"""Values that a tool's argument doesn't have here: another tool does it, or a model would have to be there."""
_FIELDS = "Column: a field of `tables`, or a selector in a row (heading, link@href). Default: all."
_MORE = {
    "type": "object",
    "properties": {"answer": {"type": "string"}, "start": {"type": "integer"}},
    "required": ["answer", "start"],
}
_TEXT = {"text": {"type": "string"}}
ROWS = {
    "type": "object",
    "properties": _TEXT
    | {"rows": {"type": "integer"}, "complete": {"type": "boolean"}, "csv": {"type": "string"}},
}
"""What is structured where a call may give rows. Words of the page stand in `text` alone, between their marks."""
_OUTPUTS: Mapping[str, dict[str, Any]] = {
    "extract": ROWS,
    RUN_CELL: ROWS,
    "tables": {
        "type": "object",
        "properties": _TEXT | {"tables": {"type": "array", "items": {"type": "object"}}},
    },
    "find": {
        "type": "object",
        "properties": _TEXT | {"refs": {"type": "array", "items": {"type": "string"}}},
    },
}
_GOES = frozenset(
    name for name, command in COMMANDS.items() if command.navigates or command.scope == "browser"
)
"""Writes that only look at other pages."""


_ACTS: Mapping[str, tuple[str, ...]] = {"extract": ("next",)}
"""Arguments by which a tool that reads does more than that."""
_NEEDS: Mapping[str, tuple[str, ...]] = {PAGE_TOOL: (), "drag": ("target", "to")}
"""Arguments that a tool needs, where the others are left out here or stand for another call."""


@dataclass(frozen=True)
class ClientTool:
    """One offered tool.

    reads, destructive: whether it only reads, and whether what it does may be impossible to undo.
    output: JSON schema of its structured answer; None where it has none.
    """

    name: str
    description: str
    schema: dict[str, Any]
    reads: bool
    destructive: bool
    output: dict[str, Any] | None = None


@cache
def _all_tools() -> tuple[Mapping[str, Any], Offer]:
    """An agent's tools, which nothing is ever called of, and the offer of them."""
    tools = make_tools(_unbound(), allow_evaluate=False, page_tools=True)
    return tools, make_offer(tools.values(), files=True, sees=True)


def _unbound() -> RunContext:
    return RunContext(run_id="", goal="", page=None, choice=without_model())


def client_tools(*, read_only: bool, cells: bool, page_tools: bool) -> list[ClientTool]:
    """The tools that every client of a server is offered.

    read_only: leave out what changes something.
    cells: whether it may send code.
    page_tools: whether pages may declare tools.
    """
    tools, offer = _all_tools()
    schemas = [each["function"] for each in offer.schemas if each["function"]["name"] not in _NOT_OFFERED]
    schemas.append({**schema_of(tools["markdown"])["function"], "name": "read"})
    found = [tool for each in schemas if (tool := _tool(offer, each, read_only)) is not None]
    if cells and not read_only:
        cell = schema_of(cell_tool(_unbound()))["function"]
        words, given = _DESCRIPTIONS[RUN_CELL], cell["parameters"]
        found.append(ClientTool(RUN_CELL, words, given, False, True, output_of(RUN_CELL)))
    found.append(ClientTool(MORE, _DESCRIPTIONS[MORE], _MORE, True, False))
    return [tool for tool in found if page_tools or tool.name != PAGE_TOOL]


def to_run(name: str, args: Args) -> tuple[str, Args]:
    """A client's call as a call of the run's tool."""
    if name == "read":
        return "markdown", args
    if name == PAGE_TOOL and not args.get("name"):
        return "page_tools", {}
    if name.startswith(SKILL):
        return "run_skill", {"name": name.removeprefix(SKILL), "inputs": args}
    if name.startswith(WORKFLOW):
        return RUN_WORKFLOW, {"name": name.removeprefix(WORKFLOW), "inputs": args}
    own = next((own for own, ours in _NAMES.items() if ours == name), name)
    return _all_tools()[1].to_run(own, args)


@cache
def names_of_tools() -> Mapping[str, str]:
    """What clients know the run's tools as."""
    offer = _all_tools()[1]
    offered = [str(each["function"]["name"]) for each in offer.schemas]
    own = {tool: _NAMES.get(name, name) for name in offered for tool in _behind(offer, name)}
    names = own | {"markdown": "read", "page_tools": PAGE_TOOL}
    return {name: name for name in names.values()} | names


@cache
def offered_tools() -> Mapping[str, OfferedAs]:
    """How clients know each of the run's tools."""
    tools, offer = _all_tools()
    shown = offer.shown({name: fields_of(tool) for name, tool in tools.items()})
    found = {
        name: OfferedAs(
            _NAMES.get(known.name, known.name),
            tuple(each for each in known.arguments if (known.name, each) not in _LEFT_OUT),
        )
        for name, known in shown.items()
    }
    by_hand = {"markdown": OfferedAs("read", fields_of(tools["markdown"]))}
    return {**found, **by_hand, "page_tools": found["call_page_tool"]}


@cache
def _schemas() -> Mapping[str, dict[str, Any]]:
    return {tool.name: tool.schema for tool in client_tools(read_only=False, cells=True, page_tools=True)}


def check_required(name: str, args: Args) -> None:
    """Refuse a call without an argument that its schema here needs.

    Raises InvalidParams: with the schema's arguments.
    """
    schema = _schemas().get(name, {})
    if missing := [each for each in schema.get("required", ()) if args.get(each) is None]:
        raise InvalidParams(
            f"The arguments don't fit the tool `{name}`: {', '.join(missing)}: Field required.",
            hint=f"Its arguments are: {', '.join(schema['properties'])}.",
        )


def is_tool(name: str) -> bool:
    """Whether a run has a tool of this name."""
    return name in _all_tools()[0] or name in {RUN_CELL, RUN_WORKFLOW}


def output_of(name: str) -> dict[str, Any] | None:
    """JSON schema of what a tool answers; None where that is text alone."""
    return ROWS if name.startswith((SKILL, WORKFLOW)) else _OUTPUTS.get(name)


def changes_something(name: str, args: Args) -> bool:
    """Whether a call of the run's tool is more than looking, so that a server that only reads doesn't carry it out."""
    tool = _all_tools()[0].get(name)
    if name in _GOES:
        return False
    if any(args.get(argument) for argument in _ACTS.get(name, ())):
        return True
    return name == RUN_CELL or tool is None or effect_of(tool) != "read"


def _tool(offer: Offer, schema: dict[str, Any], read_only: bool) -> ClientTool | None:
    """An offered tool; None for one of which a server that only reads carries no call out."""
    own = schema["name"]
    behind = _behind(offer, own)
    name = _NAMES.get(own, own)
    parameters = _shortened(name, schema["parameters"])
    if read_only:
        if all(changes_something(each, {}) for each in behind):
            return None
        acts = {argument for each in behind for argument in _ACTS.get(each, ())}
        given = parameters["properties"]
        parameters = {**parameters, "properties": {key: given[key] for key in given if key not in acts}}
    every = dict.fromkeys(parameters["properties"], True)
    reads = not any(each in _GOES or changes_something(each, every) for each in behind)
    return ClientTool(
        name,
        _DESCRIPTIONS.get(name, schema["description"]),
        parameters,
        reads,
        not reads and any(_is_destructive(each) for each in behind),
        output_of(name),
    )


def _behind(offer: Offer, name: str) -> list[str]:
    """The run's tools that an offered one stands for."""
    return ["markdown"] if name == "read" else offer.behind(name)


def _is_destructive(tool: str) -> bool:
    """Whether the policy may find that a call of it can't be undone."""
    command = COMMANDS.get(tool)
    if command is None:
        return True
    able = command.activates or command.submits or command.presses_keys or command.answers_dialog
    return able or command.page_tools or command.effect.value == "irreversible"


def _shortened(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    properties = {
        argument: each
        for argument, each in parameters["properties"].items()
        if (name, argument) not in _LEFT_OUT
    }
    if name == "extract":
        properties["fields"] = {**properties["fields"], "description": _FIELDS}
    if name in _SHORTER:
        argument, gone = _SHORTER[name]
        given = properties[argument]
        properties[argument] = {**given, "enum": [each for each in given["enum"] if each not in gone]}
    required = [*_NEEDS[name]] if name in _NEEDS else parameters.get("required", [])
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}
