"""Answering a consent banner."""

from __future__ import annotations

from typing import ClassVar

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.summary import PageSummary
from skillbook.perception.summary.action_intent import action_intent
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Details, Params, Slots, refuse
from skillbook.skill.builtin.controls import PRESSABLE, inside, step, usable
from skillbook.skill.model import SkillStep

_MOST_NODES = 400
_MOST_UP = 8


class _Cookies(BuiltinSkill):
    kind: ClassVar[str]
    sends = True
    most_stages = 1

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "accept cookies"."""
        said = clean(goal)
        return (
            {}
            if lexicon.matches("cookie_notice", said) and self._means(said) and len(said.split()) <= 8
            else None
        )

    def slots(self, details: Details, params: Params) -> Slots:
        """The banner's one button for it."""
        buttons = _banner_buttons(details.summary.snapshot)
        if not buttons:
            raise refuse("there is no consent banner on this page")
        wanted = [node for node in buttons if self._means(node.label)]
        scored = [
            (0.95 if lexicon.matches("every", node.label) or len(wanted) == 1 else 0.8, node)
            for node in wanted
        ]
        if not scored:
            others = [(0.3, node) for node in buttons]
            raise refuse(f"the consent banner has no way to {self.kind}", self.kind, others)
        return Slots({self.kind: details.pick(self.kind, scored, f"way to {self.kind} cookies")})

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Press it."""
        return [step("click", slots[self.kind], f"{self.kind} cookies")]

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether the banner is gone."""
        left = [node for node in _banner_buttons(after.snapshot) if self._means(node.label)]
        return "the consent banner is still there" if left else ""

    def _means(self, label: str) -> bool:
        return action_intent(label) == self.kind


class AcceptCookies(_Cookies):
    """Accepts what a consent banner asks."""

    name = "accept_cookies"
    kind = "accept"
    description = "Accept the cookies that a consent banner asks about."


class RejectCookies(_Cookies):
    """Rejects what a consent banner asks, or allows the necessary only."""

    name = "reject_cookies"
    kind = "reject"
    description = "Reject the cookies that a consent banner asks about, or allow the necessary ones only."


def _banner_buttons(snapshot: BaseSnapshot) -> list[Node]:
    """The buttons of the smallest part of a page that speaks of cookies and has a button to answer."""
    for node in snapshot.nodes:
        if node.role != "text" or not lexicon.matches("cookie_notice", node.name):
            continue
        for place, up in enumerate(node.ancestors):
            if place >= _MOST_UP or up.role in {"main", "contentinfo"} or _holds_page(up):
                break
            buttons = [
                one for one in inside(up) if one.role in PRESSABLE and usable(one) and clean(one.label)
            ]
            if any(action_intent(one.label) in {"accept", "reject"} for one in buttons):
                return [one for one in buttons if len(clean(one.label)) <= 60]
    return []


def _holds_page(up: Node) -> bool:
    """Whether it is much more than a banner."""
    size = up.snapshot.ends[up.index] - up.index
    return size > _MOST_NODES or any(one.role == "main" or one.level == 1 for one in inside(up))
