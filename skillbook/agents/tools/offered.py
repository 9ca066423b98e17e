"""What a model is offered: few tools with short schemas, each of which stands for one or more of the run's tools.

Schemas go with every request, so their length is paid for at every step. Tools that differ in a word are one tool here
with that word as an argument; a call of it becomes a call of the run's own tool before anything else sees it. So the
policy, the journal, a skill and a resumed run know the commands alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from skillbook.agents.state.run_context import OfferedAs, RunContext
from skillbook.agents.tools.cell_tool import cell_tool
from skillbook.agents.tools.command_tools import command_tools, tab_tools
from skillbook.agents.tools.data_tools import data_tools
from skillbook.agents.tools.note_tools import note_tools
from skillbook.agents.tools.observation_tools import count_tool, observation_tools
from skillbook.agents.tools.tool_base import kind_of, words_of
from skillbook.agents.tools.way_tools import way_tools, workflow_tool
from skillbook.protocol.commands import COMMANDS

Args = dict[str, Any]
_KEPT = ("type", "enum", "items", "properties", "required")
_PIXELS = "Of the image, with y: in canvas or image only."
_READ = ("text", "value", "html", "attribute", "style", "href", "options", "url", "title")
_STATES = ("visible", "enabled", "checked", "selected", "expanded", "editable", "in_view")


@dataclass(frozen=True)
class Mode:
    """One offered tool for several of the run's tools, distinguished by an argument.

    name, description: what the model sees.
    tools: the run's tool for each of its values; the first is the default.
    first: whether the argument may be left out, which means its first value.
    passed: whether the run's tool takes the argument too.
    shown: the values that the model sees; all where it is empty.
    """

    name: str
    description: str
    argument: str
    tools: Mapping[Any, str]
    first: bool = False
    passed: bool = False
    shown: tuple[str, ...] = ()

    def call(self, args: Args) -> tuple[str, Args] | None:
        """A call of this tool as a call of the run's tool; None for a value that there isn't."""
        rest = dict(args)
        value = rest.get(self.argument) if self.passed else rest.pop(self.argument, None)
        if value is None:
            value = next(iter(self.tools))
        try:
            return self.tools[value], {name: each for name, each in rest.items() if each is not None}
        except (KeyError, TypeError):
            return None

    def of(self, tool: str, args: Args) -> Args | None:
        """The arguments that stand for a call of one of the run's tools; None for any other tool."""
        if self.passed:
            return args if tool in self.tools.values() else None
        for place, (value, name) in enumerate(self.tools.items()):
            if name == tool:
                return dict(args) if self.first and place == 0 else {self.argument: value, **args}
        return None


def _values(command: str) -> list[str]:
    annotation: Any = COMMANDS[command].params.model_fields["what"].annotation
    return list(annotation.__args__)


MODES = (
    Mode(
        "snapshot",
        "Read the page; text: as Markdown.",
        "of",
        {"page": "snapshot", "summary": "summary", "text": "markdown"},
        first=True,
    ),
    Mode(
        "find",
        "Search page or site.",
        "by",
        {"words": "find", "purpose": "query", "ref": "details", "scout": "scout", "site": "explore"},
        first=True,
    ),
    Mode(
        "click",
        "Click or hover.",
        "how",
        {"click": "click", "double": "dblclick", "hover": "hover", "download": "download"},
        first=True,
    ),
    Mode("check", "Check or uncheck.", "on", {True: "check", False: "uncheck"}, first=True),
    Mode(
        "goto",
        "Go to a URL or in history.",
        "go",
        {"url": "goto", "back": "back", "forward": "forward", "reload": "reload"},
        first=True,
    ),
    Mode(
        "screenshot",
        "Screenshot for the person, or of targets.",
        "of",
        {"page": "screenshot", "targets": "capture"},
        first=True,
    ),
    Mode(
        "get",
        "Read a fact or state.",
        "what",
        {what: command for command in ("get", "is") for what in _values(command)},
        passed=True,
        shown=_READ + _STATES,
    ),
    Mode(
        "tabs",
        "Your tabs.",
        "do",
        {do: f"tabs_{do}" for do in ("list", "open", "switch", "close")},
    ),
)

_wire: dict[tuple[Any, str, str], dict[str, Any]] = {}


@dataclass(frozen=True)
class Offer:
    """The tools that a model sees, and how its calls and the run's map to each other."""

    schemas: list[dict[str, Any]]
    modes: tuple[Mode, ...] = field(default=MODES)

    def to_run(self, name: str, args: Args) -> tuple[str, Args]:
        """A model's call as a call of the run's tool; a call that is one already stays as it is."""
        for mode in self.modes:
            if mode.name == name and (found := mode.call(args)) is not None:
                return found
        return name, args

    def to_model(self, name: str, args: Args) -> tuple[str, Args]:
        """A call of the run's tool as the model would have made it."""
        for mode in self.modes:
            if (given := mode.of(name, args)) is not None:
                return mode.name, given
        return name, args

    def behind(self, name: str) -> list[str]:
        """The run's tools that an offered one stands for."""
        mode = next((mode for mode in self.modes if mode.name == name), None)
        return [name] if mode is None else list(dict.fromkeys(mode.tools.values()))

    def shown(self, fields: Mapping[str, Collection[str]]) -> dict[str, OfferedAs]:
        """How a model knows each of the run's tools.

        fields: the names of each tool's arguments.
        """
        found = {}
        for function in (schema["function"] for schema in self.schemas):
            deciding = {mode.argument for mode in self.modes if mode.name == function["name"]}
            for tool in self.behind(function["name"]):
                taken = deciding | set(fields.get(tool, ()))
                given = function["parameters"].get("properties", {})
                found[tool] = OfferedAs(function["name"], tuple(name for name in given if name in taken))
        return found


def make_offer(tools: Iterable[BaseTool], *, files: bool, sees: bool = False) -> Offer:
    """The offer for a run's tools.

    sees: whether the model gets images, whose pixels a click may name.
    """
    tools = list(tools)
    known = {tool.name: schema_of(tool) for tool in tools}
    hidden = {tool.name for tool in tools if words_of(tool).hidden}
    merged = {name for mode in MODES for name in mode.tools.values()}
    schemas = []
    for name, schema in known.items():
        mode = next((mode for mode in MODES if name == next(iter(mode.tools.values()))), None)
        command = COMMANDS.get(name)
        if mode is not None:
            schemas.append(_merge(mode, known))
        elif name not in merged | hidden and (files or command is None or command.file_param is None):
            schemas.append(schema)
    if sees:
        schemas = [
            _with_pixels(schema) if schema["function"]["name"] == "click" else schema for schema in schemas
        ]
    return Offer(schemas)


def _with_pixels(click: dict[str, Any]) -> dict[str, Any]:
    """The schema of `click` for a model that sees: a place in a canvas or image stands for a target."""
    parameters = click["function"]["parameters"]
    pixels = {"x": {"type": "number", "description": _PIXELS}, "y": {"type": "number"}}
    given = {"type": "object", "properties": {**parameters["properties"], **pixels}}
    return {**click, "function": {**click["function"], "parameters": given}}


def make_cells_offer(tools: Iterable[BaseTool]) -> Offer:
    """The offer of a run whose model writes cells: they do what the other tools do."""
    return Offer([schema_of(tool) for tool in tools if kind_of(tool) in {"cell", "note", "person"}], ())


def schema_of(tool: BaseTool) -> dict[str, Any]:
    """A tool's schema as the wire of chat models has it, without what a model doesn't need."""
    whole = _wire_schema(tool)
    parameters = _short(whole["parameters"], whole["parameters"].get("$defs", {}))
    words = words_of(tool)
    parameters["properties"] = {
        argument: {
            **each,
            **({"description": description} if (description := words.arguments.get(argument)) else {}),
        }
        for argument, each in parameters["properties"].items()
        if argument not in words.seldom
    }
    return _function(tool.name, words.short or whole["description"], parameters)


def _wire_schema(tool: BaseTool) -> dict[str, Any]:
    """A tool's whole schema, made once for each class of arguments: a run asks for it at every start."""
    key = (tool.args_schema, tool.name, tool.description)
    if key not in _wire:
        _wire[key] = convert_to_openai_tool(tool)["function"]
    return _wire[key]


def _function(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def _merge(mode: Mode, known: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """One schema for the tools of a mode: all their arguments, of which only those that all need are required."""
    parts = [
        known[name]["function"]["parameters"] for name in dict.fromkeys(mode.tools.values()) if name in known
    ]
    properties: dict[str, Any] = {}
    for part in parts:
        properties.update({name: each for name, each in part["properties"].items() if name not in properties})
    values = list(mode.shown or mode.tools)
    decides = {"type": "boolean"} if values[0] is True else {"type": "string", "enum": values}
    required = [] if mode.first else [mode.argument]
    every = [name for name in properties if all(name in part.get("required", ()) for part in parts)]
    required += [name for name in every if name not in required]
    properties = {mode.argument: decides, **_without(properties, mode.argument)}
    parameters = {"type": "object", "properties": properties}
    return _function(
        mode.name, mode.description, {**parameters, **({"required": required} if required else {})}
    )


def _without(properties: dict[str, Any], name: str) -> dict[str, Any]:
    return {other: each for other, each in properties.items() if other != name}


def _short(schema: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without defaults, titles, bounds and nulls: what is left out is checked when the tool is called."""
    if "$ref" in schema:
        schema = {**definitions[schema["$ref"].rpartition("/")[2]], **_without(schema, "$ref")}
    if "anyOf" in schema:
        (kind,) = [each for each in schema["anyOf"] if each.get("type") != "null"]
        schema = {**_short(kind, definitions), **_without(schema, "anyOf")}
    short = {name: value for name, value in schema.items() if name in _KEPT}
    if "items" in short:
        short["items"] = _short(short["items"], definitions)
    if isinstance(schema.get("additionalProperties"), dict):
        short["additionalProperties"] = _short(schema["additionalProperties"], definitions)
    if "properties" in short:
        short["properties"] = {name: _short(each, definitions) for name, each in short["properties"].items()}
    return short


def make_tools(context: RunContext, *, allow_evaluate: bool, page_tools: bool = False) -> dict[str, BaseTool]:
    """Every tool by its name."""
    tools = [
        *observation_tools(context),
        *command_tools(context, allow_evaluate=allow_evaluate, page_tools=page_tools),
        *data_tools(context),
        *tab_tools(context),
        *way_tools(context),
        *note_tools(context),
        *([cell_tool(context), count_tool(context)] if context.cells is not None else []),
        *([workflow_tool(context, context.run_workflow)] if context.run_workflow is not None else []),
    ]
    return {tool.name: tool for tool in tools}
