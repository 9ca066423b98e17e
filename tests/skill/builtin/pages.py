"""What the tests of built-in skills bind to."""

from __future__ import annotations

from typing import Any

from skillbook.perception.summary import PageSummary, summarize
from skillbook.skill.builtin import builtin_skill
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Details, Refusal, Slots
from tests.trees import snapshot


def page(tree: str, **facts: Any) -> PageSummary:
    return summarize(snapshot(tree, **facts))


def skill(name: str) -> BuiltinSkill:
    found = builtin_skill(name)
    assert found is not None
    return found.skill


def bound(name: str, tree: str, done: tuple[str, ...] = (), **params: Any) -> Slots:
    slots = skill(name).bind(Details(page(tree), done=done), params)
    assert isinstance(slots, Slots), slots
    return slots


def refused(name: str, tree: str, done: tuple[str, ...] = (), **params: Any) -> Refusal:
    refusal = skill(name).bind(Details(page(tree), done=done), params)
    assert isinstance(refusal, Refusal), refusal
    return refusal


def labels(slots: Slots) -> dict[str, str]:
    return {slot: node.label for slot, node in slots.nodes.items()}


def steps(name: str, slots: Slots, **params: Any) -> list[tuple[str, str]]:
    """Each step's command, and its primary selector."""
    plan = skill(name).plan(slots, params)
    return [(step.command, step.target.selectors[0] if step.target else "") for step in plan]


def why(name: str, before: str, after: str, slots: Slots, params: Any, **facts: Any) -> str:
    return skill(name).effects(page(before), page(after, **facts), slots, params)
