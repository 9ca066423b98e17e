"""Saved skills as tools and prompts, as they come and go in the folders that are searched."""

from __future__ import annotations

from typing import Any

from skillbook.mcp_server.client_tools import ROWS, SKILL, ClientTool
from skillbook.skill.facade import Skill
from skillbook.skill.library import skills

_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_DESCRIPTION = 300
_MOST = 40
"""Tools are paid for at every step of a client's model."""


def skill_tools() -> list[ClientTool]:
    """A tool for each saved skill that replays and that a person approved; the first forty by name."""
    return [_tool(skill) for skill in _usable()][:_MOST]


def skill_prompt(name: str, inputs: dict[str, str]) -> str:
    """The prompt of a skill with its inputs filled in.

    Raises
    ------
    SkillbookError : there is no such skill, or an input is wrong.
    """
    return skills.load_saved(name.removeprefix(SKILL)).prompt(**inputs)


def prompt_skills() -> list[Skill]:
    """The skills whose prompts can be asked for."""
    return [skill for skill in skills.saved if skill.approved]


def _usable() -> list[Skill]:
    return [skill for skill in skills.saved if skill.spec.replays and skill.approved]


def _tool(skill: Skill) -> ClientTool:
    properties: dict[str, Any] = {}
    for each in skill.inputs:
        properties[each.name] = {"type": _TYPES.get(each.type, "string")}
        if each.description:
            properties[each.name]["description"] = each.description[:_DESCRIPTION]
        if each.choices:
            properties[each.name]["enum"] = list(each.choices)
    required = [each.name for each in skill.inputs if each.required and each.from_page is None]
    schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
    description = (skill.description or skill.name)[:_DESCRIPTION]
    return ClientTool(f"{SKILL}{skill.name}", f"Saved skill: {description}", schema, False, True, ROWS)
