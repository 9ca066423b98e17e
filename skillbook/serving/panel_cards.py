"""Skills, workflows and a page's tools as the side panel lists them, with their inputs as the fields of a form."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import pandas as pd

from skillbook.errors import InvalidInput
from skillbook.perception.summary import PageSummary
from skillbook.perception.text.rendering import arguments
from skillbook.policy.secrets import store
from skillbook.protocol.asks.run_asks import RunSummary
from skillbook.protocol.asks.skill_asks import FormInput, InputType, PageToolCard, SkillCard, WorkflowCard
from skillbook.protocol.commands.page_tools import PageTool
from skillbook.serving.workflows.workflow import Workflow
from skillbook.skill.builtin.running import Builtin
from skillbook.skill.consent.consent_summary import reached
from skillbook.skill.facade import Skill
from skillbook.skill.library import Entry, Library, fit_to_page

_SKILL_TYPES: Mapping[str, InputType] = {
    "str": "text",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
}
_WORKFLOW_TYPES: Mapping[str, InputType] = {
    **_SKILL_TYPES,
    "date": "date",
    "secret": "secret",
    "DataFrame": "table",
}


def skill_form(skill: Skill | Builtin) -> list[FormInput]:
    """The inputs of a skill."""
    hidden = skill.skill.hidden if isinstance(skill, Builtin) else frozenset[str]()
    return [
        FormInput(
            name=one.name,
            type="secret" if one.name in hidden else "choice" if one.choices else _SKILL_TYPES[one.type],
            label=label_of(one.name),
            help=one.description,
            required=one.required and one.from_page is None,
            # What the page gives where nothing is given must not be given.
            default=None if one.from_page else one.default,
            choices=list(one.choices or ()),
        )
        for one in skill.inputs
    ]


def workflow_form(workflow: Workflow) -> list[FormInput]:
    """The inputs of a workflow."""
    found = []
    for one in workflow.inputs:
        kind: InputType = "choice" if one.choices else _WORKFLOW_TYPES.get(one.kind, "text")
        if one.kind.startswith("list[dict"):
            kind = "table"
        elif one.kind.startswith(("list", "tuple", "set")):
            kind = "list"
        default = None if one.default is inspect.Parameter.empty else one.default
        found.append(
            FormInput(
                name=one.name,
                type=kind,
                label=label_of(one.name),
                help=one.description,
                required=one.required,
                default=default if isinstance(default, str | int | float | bool | list) else None,
                choices=list(one.choices),
            )
        )
    return found


def label_of(name: str) -> str:
    """A name as a label."""
    return name.replace("_", " ").replace("-", " ").strip().capitalize()


def take_inputs(
    form: Iterable[FormInput], given: Mapping[str, Any], *, frames: bool = False
) -> dict[str, Any]:
    """What a form gave, as a skill or workflow takes it: secrets by their names, blanks left out.

    frames: whether a table becomes a DataFrame.
    Raises InvalidInput: there is no secret of that name.
    """
    fields = {field.name: field for field in form}
    inputs: dict[str, Any] = {}
    for name, value in given.items():
        field = fields.get(name)
        if value is None or (value == "" and field is not None and field.type != "text"):
            continue
        if value == "" and field is not None and not field.required:
            continue
        if field is not None and field.type == "secret":
            if not store.has(str(value)):
                raise InvalidInput(
                    f"there is no secret {str(value)!r}",
                    hint=f"give a secret's name; set its value where the kernel runs: {store.variable(str(value))}",
                )
            inputs[name] = store.add(str(value))
        elif field is not None and field.type == "table" and frames:
            inputs[name] = pd.DataFrame(value)
        else:
            inputs[name] = value
    return inputs


_MOST_SENDS = 20


def skill_cards(
    library: Library, summary: PageSummary | None, last: Mapping[str, RunSummary]
) -> list[SkillCard]:
    """A card for each skill, the best for a page first.

    summary: the page; None where none is looked at.
    """
    skills: list[Skill | Builtin] = [*library.saved, *library.builtin]
    cards = [_card(skill, summary, last.get(skill.name)) for skill in skills]
    cards += [_broken(entry) for entry in library.entries if entry.spec is None]
    return sorted(cards, key=lambda card: (-(card.score or 0.0), card.builtin, card.name))


def _card(skill: Skill | Builtin, summary: PageSummary | None, last: RunSummary | None) -> SkillCard:
    score, why = fit_to_page(skill, summary) if summary is not None else (None, "")
    builtin = isinstance(skill, Builtin)
    return SkillCard(
        name=skill.name,
        title=label_of(skill.name),
        description=skill.description,
        inputs=skill_form(skill),
        sends=_sends(skill),
        where=_where(skill),
        builtin=builtin,
        approved=isinstance(skill, Builtin) or skill.approved,
        score=score,
        why=why or None,
        last=last,
    )


def _sends(skill: Skill | Builtin) -> list[str]:
    if isinstance(skill, Builtin):
        return ["what its form sends to the page's own site"] if skill.skill.sends else []
    if not skill.spec.replays:
        return ["what its agent is allowed to send; it asks"]
    sends = skill.spec.all_sends
    if sends is None:
        return ["it doesn't say; it asks"]
    return [str(send) for send in sends[:_MOST_SENDS]]


def _where(skill: Skill | Builtin) -> str:
    if isinstance(skill, Builtin):
        return "any page"
    inputs = {one.name: one.default for one in skill.spec.inputs if one.default is not None}
    hosts = [urlsplit(origin).netloc for origin in reached(skill.spec, inputs)]
    return ", ".join(hosts[:3]) or "any page"


def _broken(entry: Entry) -> SkillCard:
    problem = entry.error.message if entry.error is not None else "it can't be read"
    return SkillCard(
        name=entry.name,
        title=label_of(entry.name),
        description="",
        inputs=[],
        approved=False,
        problem=problem,
    )


def workflow_cards(workflows: Sequence[Workflow], last: Mapping[str, RunSummary]) -> list[WorkflowCard]:
    """A card for each workflow."""
    return [
        WorkflowCard(
            name=one.name,
            title=label_of(one.name),
            description=one.description,
            inputs=workflow_form(one),
            last=last.get(one.name),
        )
        for one in workflows
    ]


_TYPES: Mapping[str, InputType] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}


def page_tool_card(tool: PageTool) -> PageToolCard:
    """A tool's card."""
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
