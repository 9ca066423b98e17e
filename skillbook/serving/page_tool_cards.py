"""The tools that a page declares, as the side panel lists them: with a form for their arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from skillbook.perception.text.page_tool_lines import arguments
from skillbook.protocol.asks.skill_asks import FormInput, InputType, PageToolCard
from skillbook.protocol.commands.page_tools import PageTool
from skillbook.serving.input_forms import label_of

_TYPES: Mapping[str, InputType] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


def page_tool_cards(tools: Iterable[PageTool]) -> list[PageToolCard]:
    """A card for each tool."""
    return [_card(tool) for tool in tools]


def _card(tool: PageTool) -> PageToolCard:
    inputs, problem = [], ""
    for name, schema in arguments(tool).items():
        field = _field(name, schema)
        if field is not None:
            inputs.append(field)
        elif schema["required"]:
            problem = f"A form can't hold its argument {name!r}: use page.call_page_tool in Python."
    return PageToolCard(
        name=tool.name, title=tool.name, description=tool.description, inputs=inputs, frame=tool.frame,
        problem=problem,
    )  # fmt: skip


def _field(name: str, schema: Mapping[str, Any]) -> FormInput | None:
    """The field of an argument; None for one that is an object or a list of other things than texts."""
    choices, kind = schema.get("enum"), schema.get("type")
    items = schema.get("items")
    if isinstance(choices, list) and choices and all(isinstance(each, str) for each in choices):
        form: InputType | None = "choice"
    elif kind == "array" and isinstance(items, dict) and items.get("type") == "string":
        form = "list"
    else:
        form = _TYPES.get(kind) if isinstance(kind, str) else None
    if form is None:
        return None
    words = schema.get("description")
    return FormInput(
        name=name, type=form, label=label_of(name), help=words if isinstance(words, str) else "",
        required=bool(schema["required"]), choices=choices if form == "choice" else [],
    )  # fmt: skip
