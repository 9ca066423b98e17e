"""Going to a page by the site's menus, level by level."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from urllib.parse import urldefrag

from skillbook import lexicon
from skillbook.goals.goal_matching import before_goal
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.roles import words
from skillbook.perception.summary import PageSummary
from skillbook.perception.summary.action_intent import action_intent
from skillbook.policy.labels import danger_of
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Details, Params, Slots, refuse
from skillbook.skill.builtin.controls import (
    changed,
    plain,
    says_broken,
    says_same,
    step,
    texts,
    usable,
)
from skillbook.skill.model import SkillInput, SkillStep

_MENUS = words("navigation banner complementary menubar menu tablist tree toolbar")
_ITEMS = words("link button menuitem tab treeitem menuitemradio generic")
_SPLIT = re.compile(r"\s*(?:>|›|→|»|/)\s*")
_COUNT = re.compile(r"\s*[(\[]?\d+[)\]]?$")


@cache
def _goal() -> re.Pattern[str]:
    go, article, place = map(lexicon.alternation, ("go_to", "article", "place_word"))
    return re.compile(rf"(?i)^{before_goal()}{go} (?:{article} )?(?P<path>.+?)(?: {place})?$")


class NavigateByMenu(BuiltinSkill):
    """Presses one entry after the other: "Settings > Users"."""

    name = "navigate_by_menu"
    description = "Go to a page by the site's menus, tabs or navigation links."
    inputs = (SkillInput(name="path", description='the entries, as "Settings > Users"'),)
    most_stages = 6

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "go to Settings > Users"."""
        found = _goal().match(clean(goal))
        return {"path": found["path"]} if found else None

    def slots(self, details: Details, params: Params) -> Slots:
        """The next entry; the last one directly where it can be seen already."""
        path, at = path_of(params), len(details.done)
        if not path or at >= len(path):
            raise refuse("the path has no entries: write it as 'Settings > Users'")
        label = path[at]
        snapshot = details.summary.snapshot
        found = [node for node in snapshot.elements if node.role in _ITEMS and usable(node)]
        scored = [
            (score, node)
            for node in found
            if (score := _likeness(node, label)) and danger_of(node.label, anywhere=True) is None
            if action_intent(node.label) not in {"logout", "login"}
        ]
        node = details.pick("entry", scored, f"entry {label!r}")
        last = at == len(path) - 1
        facts = {"next": "" if last else path[at + 1], "label": label}
        return Slots({"entry": node}, f"{at + 1}. {label}", last, facts)

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Press the entry, unless it only has to open and is open."""
        if "expanded" in slots["entry"].states and not slots.last:
            return [step("hover", slots["entry"], f"stay at {slots.facts['label']}")]
        return [step("click", slots["entry"], f"open {slots.facts['label']}")]

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether the next entry is there; at the end, whether the page is the one that the entry leads to."""
        if broken := says_broken(after):
            return f"the page says {broken!r}"
        if following := slots.facts["next"]:
            there = any(
                _likeness(node, following) >= 0.5 for node in after.snapshot.elements if node.role in _ITEMS
            )
            return "" if there else f"no entry {following!r} appeared"
        entry = slots["entry"]
        if entry.href and _whole(entry.href) and after.url == entry.href:
            return ""
        if entry.href and _whole(entry.href) and urldefrag(after.url)[0] != urldefrag(before.url)[0]:
            return ""  # the site sent us on
        if _is_current(after, entry.label):
            return ""
        if not changed(before, after):
            return "the page did not change"
        new = set(texts(after.snapshot)) - set(texts(before.snapshot))
        return "" if new or before.url != after.url else "the page shows nothing new"


def path_of(params: Params) -> Sequence[str]:
    """The entries of a path."""
    given = params.get("path", "")
    parts = _SPLIT.split(given) if isinstance(given, str) else list(given)
    return [clean(str(part)) for part in parts if clean(str(part))]


def _likeness(node: Node, label: str) -> float:
    """How surely an element is a menu's entry of a label."""
    same = says_same(node, label) or plain(_COUNT.sub("", node.label)) == plain(label)
    starts = not same and plain(node.label).startswith(plain(label) + " ")
    if not (same or starts) or (node.role == "generic" and not same):
        return 0.0
    within = any(up.role in _MENUS for up in node.ancestors) or node.role in {"menuitem", "tab", "treeitem"}
    return (0.7 if same else 0.45) + 0.25 * within


def _is_current(after: PageSummary, label: str) -> bool:
    return any(
        says_same(node, label) and {"current", "selected", "pressed", "expanded"} & node.states
        for node in after.snapshot.nodes
        if node.role in _ITEMS
    )


def _whole(href: str) -> bool:
    return href.startswith(("http://", "https://"))
